//! `import export`: writes the services of an external panel that are not imported yet to a file that `import services --file` reads, or
//! the packages of the external panel to a file that `import packages --file` reads.

use clap::{Arg, ArgMatches};
use futures_util::TryStreamExt as _;
use panel_contract::endpoint::Endpoint as _;
use panel_contract::endpoints::external_services::{ListPanelServices, PricePanelServices};
use panel_contract::external_services::{ImportableService, PanelService, PriceServicesInput};
use panel_contract::ids::{ExternalPanelId, ImportableServiceId};
use panel_contract::panel_service_types::PanelServiceType;
use panel_contract::table::TableQuery;
use serde_json::{Map, Value};

use super::{flag_of_field, lines, margin_arg, network_arg, packages};
use crate::command::CustomCommand;
use crate::command::request_command::{id_arg, optional_value, required_id};
use crate::ctx::Ctx;
use crate::exit::Exit;
use crate::failure::{CommandResult, Failure};
use crate::sheet::SheetFormat;
use crate::sheet::field::Field;
use crate::sheet::write::encode_file;

/// Number of services in one request, which is the maximum that the server accepts.
const SERVICES_PER_PRICE_REQUEST: usize = 1_000;

pub(super) const EXPORT: CustomCommand = CustomCommand {
    name: "export",
    about: "Export the importable services or packages of an external panel to a CSV, XLSX or JSON file that you can edit and pass to import services or import packages",
    examples: &[
        (
            "import export 3 --network 1 --margin 0.3 --to lines.xlsx",
            "export all new services of external panel 3 for editing",
        ),
        ("import export 3 --name likes > lines.csv", "write CSV to standard output"),
        (
            "import export 3 --packages --to packages.xlsx",
            "export the packages of an external panel, for import packages",
        ),
    ],
    operations: &[ListPanelServices::OP, PricePanelServices::OP],
    args: |command| {
        command.arg(id_arg().help("Id of the external panel")).args([
            Arg::new("to")
                .long("to")
                .value_name("FILE")
                .help("File to write, such as lines.xlsx; its extension selects the format"),
            Arg::new("packages").long("packages").action(clap::ArgAction::SetTrue).help(
                "Export packages for import packages, also those that are already imported as services",
            ),
            Arg::new("name").long("name").value_name("TEXT").help("Filter by part of the name"),
            Arg::new("category").long("category").value_name("TEXT").help("Filter by part of the category"),
            margin_arg(),
            network_arg("Id of the network whose service types match the external panel's categories"),
        ])
    },
    run: |ctx, matches| Box::pin(export_lines(ctx, matches)),
};

async fn export_lines(ctx: &Ctx, matches: &ArgMatches) -> CommandResult {
    let file = optional_value::<String>(matches, "to");
    let format = file.as_deref().map_or(Ok(SheetFormat::Csv), SheetFormat::from_path)?;
    let ids = fetch_importable_ids(ctx, matches).await?;
    let exports_packages = matches.get_flag("packages");
    let (schema, to_line): (_, fn(&ImportableService) -> _) = match exports_packages {
        true => (packages::SCHEMA.fields(), packages::to_export_line),
        false => (lines::SCHEMA.fields(), lines::to_export_line),
    };
    let client = ctx.client()?;
    let (mut lines, mut not_importable_count): (Vec<Map<String, Value>>, usize) = (Vec::new(), 0);
    for chunk in ids.chunks(SERVICES_PER_PRICE_REQUEST) {
        let body = PriceServicesInput {
            ids: chunk.to_vec(),
            margin_fraction: optional_value(matches, "margin-fraction"),
            network_id: optional_value(matches, "network-id"),
            as_packages: exports_packages,
        };
        let response =
            client.call::<PricePanelServices>(required_id(matches)?, &Default::default(), &body).await;
        let services = response.map_err(|error| Failure::from(error).with_field_names(flag_of_field))?.data;
        not_importable_count += services.iter().filter(|service| service.rejection.is_some()).count();
        lines.extend(services.iter().filter(|service| service.rejection.is_none()).map(to_line));
    }
    let fields: Vec<&Field> = schema.collect();
    let bytes = encode_file(format, &fields, &lines)?;
    match file {
        None => ctx.out.write_bytes(&bytes)?,
        Some(file) => {
            std::fs::write(&file, bytes).map_err(|error| Failure::failed(format!("{file}: {error}.")))?;
            let noun = if exports_packages { "packages" } else { "services" };
            ctx.out.print_message(&format!("Exported {} {noun} to {file}.", lines.len()));
        }
    }
    if not_importable_count > 0 {
        let advice = match exports_packages {
            true => "see import packages --dry-run for the reasons",
            false => "see external-panels services -o json for the reasons",
        };
        ctx.out.print_message(&format!("{not_importable_count} more cannot be imported; {advice}."));
    }
    Ok(Exit::Ok)
}

/// Fetches the ids to export, oldest first: services that are not imported yet, or all packages. A package can be imported even if a
/// service was already imported from it.
async fn fetch_importable_ids(ctx: &Ctx, matches: &ArgMatches) -> CommandResult<Vec<ImportableServiceId>> {
    let path =
        ListPanelServices::OP.path.replace("{id}", &required_id::<ExternalPanelId>(matches)?.to_string());
    let exports_packages = matches.get_flag("packages");
    let mut query = TableQuery::new().filter("is_vanished", "0").sort("id", false);
    if !exports_packages {
        query = query.filter("is_imported", "0");
    }
    for flag in ["name", "category"] {
        if let Some(text) = optional_value::<String>(matches, flag) {
            query = query.filter(flag, text);
        }
    }
    let pages: Vec<_> = ctx.client()?.stream_pages::<PanelService>(&path, query).try_collect().await?;
    let services = pages.into_iter().flat_map(|page| page.data);
    let exported_services = services.filter(|service| !exports_packages || is_package(&service.kind));
    Ok(exported_services.map(|service| service.id).collect())
}

fn is_package(service_type: &str) -> bool {
    PanelServiceType::parse(service_type).is_some_and(PanelServiceType::is_package)
}
