//! `import export`: writes the services of a panel that are not imported yet to a file that `import services --file` reads, or
//! its packages to a file that `import packages --file` reads.

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
use crate::command::Custom;
use crate::command::call::{id, id_arg, opt};
use crate::ctx::Ctx;
use crate::exit::Exit;
use crate::failure::{CmdResult, Failure};
use crate::sheet::SheetFormat;
use crate::sheet::field::Field;
use crate::sheet::write::write;

/// Services per request; the panel's limit.
const PRICING_CHUNK: usize = 1_000;

pub(super) const EXPORT: Custom = Custom {
    name: "export",
    about: "Export what can be imported from a panel to a CSV, XLSX or JSON file that import services or import packages reads",
    examples: &[
        (
            "import export 3 --network 1 --margin 0.3 --file lines.xlsx",
            "export all new services of panel 3 for editing",
        ),
        ("import export 3 --name likes > lines.csv", "write CSV to standard output"),
        ("import export 3 --packages --file packages.xlsx", "export its packages, for import packages"),
    ],
    ops: &[ListPanelServices::OP, PricePanelServices::OP],
    args: |command| {
        command.arg(id_arg().help("Id of the panel")).args([
            Arg::new("file")
                .long("file")
                .value_name("FILE")
                .help("File to write, such as lines.xlsx; its extension selects the format"),
            Arg::new("packages")
                .long("packages")
                .action(clap::ArgAction::SetTrue)
                .help("Export only packages, including those imported as services, for import packages"),
            Arg::new("name").long("name").value_name("TEXT").help("Filter by part of the name"),
            Arg::new("category").long("category").value_name("TEXT").help("Filter by part of the category"),
            margin_arg(),
            network_arg("Id of the network whose service types match the panel's categories"),
        ])
    },
    run: |ctx, matches| Box::pin(export(ctx, matches)),
};

async fn export(ctx: &Ctx, matches: &ArgMatches) -> CmdResult {
    let file = opt::<String>(matches, "file");
    let format = file.as_deref().map_or(Ok(SheetFormat::Csv), SheetFormat::of)?;
    let ids = importable_ids(ctx, matches).await?;
    let is_packages = matches.get_flag("packages");
    let (schema, to_line): (_, fn(&ImportableService) -> _) = match is_packages {
        true => (packages::SCHEMA.fields(), packages::export_line),
        false => (lines::SCHEMA.fields(), lines::export_line),
    };
    let client = ctx.client()?;
    let (mut lines, mut refused): (Vec<Map<String, Value>>, usize) = (Vec::new(), 0);
    for ids in ids.chunks(PRICING_CHUNK) {
        let body = PriceServicesInput {
            ids: ids.to_vec(),
            margin_percent: opt(matches, "margin-percent"),
            network_id: opt(matches, "network-id"),
            as_packages: is_packages,
        };
        let answer = client.call::<PricePanelServices>(id(matches)?, &Default::default(), &body).await;
        let services = answer.map_err(|error| Failure::from(error).with_field_names(name_flag))?.data;
        refused += services.iter().filter(|service| service.refusal.is_some()).count();
        lines.extend(services.iter().filter(|service| service.refusal.is_none()).map(to_line));
    }
    let fields: Vec<&Field> = schema.collect();
    let bytes = write(format, &fields, &lines)?;
    match file {
        None => ctx.out.bytes(&bytes)?,
        Some(file) => {
            std::fs::write(&file, bytes).map_err(|error| Failure::failed(format!("{file}: {error}.")))?;
            let noun = if is_packages { "packages" } else { "services" };
            ctx.out.print_message(&format!("Exported {} {noun} to {file}.", lines.len()));
        }
    }
    if refused > 0 {
        let why = match is_packages {
            true => "see import packages --dry-run for the reasons",
            false => "see external-panels services -o json for the reasons",
        };
        ctx.out.print_message(&format!("{refused} more cannot be imported; {why}."));
    }
    Ok(Exit::Ok)
}

/// The ids to export, oldest first: services that are not imported yet, or all packages, since a package can be imported even if
/// a service was imported from it.
async fn importable_ids(ctx: &Ctx, matches: &ArgMatches) -> CmdResult<Vec<ImportableServiceId>> {
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
    let services = pages.into_iter().flat_map(|page| page.data);
    let exported = services.filter(|service| !is_packages || is_package(&service.kind));
    Ok(exported.map(|service| service.id).collect())
}

fn is_package(kind: &str) -> bool {
    PanelServiceType::parse(kind).is_some_and(PanelServiceType::is_package)
}
