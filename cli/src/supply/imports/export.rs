//! `import export`: what a panel sells and what is not imported yet, as a file that `import services --file` reads, or its
//! packages, as a file that `import packages --file` reads.

use clap::{Arg, ArgMatches};
use futures_util::TryStreamExt as _;
use panel_contract::endpoint::Endpoint as _;
use panel_contract::endpoints::external_services::{ListPanelServices, PricePanelServices};
use panel_contract::external_services::{ImportableService, PanelService, PriceServicesInput};
use panel_contract::ids::{ExternalPanelId, ImportableServiceId};
use panel_contract::panel_service_types::PanelServiceType;
use panel_contract::table::TableQuery;
use serde_json::{Map, Value};

use super::{lines, margin_arg, name_flag, network_arg, packages};
use crate::command::Own;
use crate::command::call::{id, id_arg, opt};
use crate::ctx::Ctx;
use crate::exit::Exit;
use crate::failure::{Done, Failure};
use crate::sheet::Form;
use crate::sheet::field::Field;
use crate::sheet::write::write;

/// Services of one request, as the panel bounds it.
const PRICED_AT_ONCE: usize = 1_000;

pub(super) const EXPORT: Own = Own {
    name: "export",
    about: "Writes what could be imported from a panel as a file that import services or import packages reads: CSV, XLSX or JSON, by its name",
    examples: &[
        (
            "import export 3 --network 1 --margin 0.3 --file lines.xlsx",
            "all new services of panel 3, to edit",
        ),
        ("import export 3 --name likes > lines.csv", "CSV without --file"),
        ("import export 3 --packages --file packages.xlsx", "its packages, for import packages"),
    ],
    reaches: &[ListPanelServices::OP, PricePanelServices::OP],
    args: |command| {
        command.arg(id_arg().help("The panel")).args([
            Arg::new("file")
                .long("file")
                .value_name("FILE")
                .help("Such as lines.xlsx; its name says what it is"),
            Arg::new("packages")
                .long("packages")
                .action(clap::ArgAction::SetTrue)
                .help("Only packages, also those that are imported as services, for import packages"),
            Arg::new("name").long("name").value_name("TEXT").help("Part of their name"),
            Arg::new("category").long("category").value_name("TEXT").help("Part of their category"),
            margin_arg(),
            network_arg("Their network: the file names its service types that keep the panel's categories"),
        ])
    },
    run: |ctx, matches| Box::pin(export(ctx, matches)),
};

async fn export(ctx: &Ctx, matches: &ArgMatches) -> Done {
    let file = opt::<String>(matches, "file");
    let form = file.as_deref().map_or(Ok(Form::Csv), Form::of)?;
    let ids = listed(ctx, matches).await?;
    let is_packages = matches.get_flag("packages");
    let (schema, exported): (_, fn(&ImportableService) -> _) = match is_packages {
        true => (packages::SCHEMA.fields(), packages::exported),
        false => (lines::SCHEMA.fields(), lines::exported),
    };
    let client = ctx.client()?;
    let (mut lines, mut refused): (Vec<Map<String, Value>>, usize) = (Vec::new(), 0);
    for ids in ids.chunks(PRICED_AT_ONCE) {
        let body = PriceServicesInput {
            ids: ids.to_vec(),
            margin_percent: opt(matches, "margin-percent"),
            network_id: opt(matches, "network-id"),
            as_packages: is_packages,
        };
        let answer = client.call::<PricePanelServices>(id(matches)?, &Default::default(), &body).await;
        let services = answer.map_err(|error| Failure::from(error).naming(name_flag))?.data;
        refused += services.iter().filter(|service| service.refusal.is_some()).count();
        lines.extend(services.iter().filter(|service| service.refusal.is_none()).map(exported));
    }
    let fields: Vec<&Field> = schema.collect();
    let bytes = write(form, &fields, &lines)?;
    match file {
        None => ctx.out.bytes(&bytes)?,
        Some(file) => {
            std::fs::write(&file, bytes).map_err(|error| Failure::failed(format!("{file}: {error}.")))?;
            let noun = if is_packages { "packages" } else { "services" };
            ctx.out.say(&format!("{} {noun} are in {file}.", lines.len()));
        }
    }
    if refused > 0 {
        let why = match is_packages {
            true => "import packages --dry-run names why",
            false => "external-panels services -o json names why",
        };
        ctx.out.say(&format!("{refused} more cannot be imported; {why}."));
    }
    Ok(Exit::Ok)
}

/// The ids of what is sold there, oldest first: what is not imported here, or all packages, as a package is sold with the
/// service that was imported of it.
async fn listed(ctx: &Ctx, matches: &ArgMatches) -> Done<Vec<ImportableServiceId>> {
    let path = ListPanelServices::OP.path.replace("{id}", &id::<ExternalPanelId>(matches)?.to_string());
    let is_packages = matches.get_flag("packages");
    let mut query = TableQuery::new().filter("is_gone", "0").sort("id", false);
    if !is_packages {
        query = query.filter("is_imported", "0");
    }
    for flag in ["name", "category"] {
        if let Some(text) = opt::<String>(matches, flag) {
            query = query.filter(flag, text);
        }
    }
    let pages: Vec<_> = ctx.client()?.pages::<PanelService>(&path, query).try_collect().await?;
    let listed = pages.into_iter().flat_map(|page| page.data);
    let wanted = listed.filter(|service| !is_packages || is_package(&service.kind));
    Ok(wanted.map(|service| service.id).collect())
}

fn is_package(kind: &str) -> bool {
    PanelServiceType::parse(kind).is_some_and(PanelServiceType::is_package)
}
