//! `services export`: writes all importable fields of services to a file that `services import` reads.

use clap::{Arg, ArgAction, ArgMatches};
use futures_util::{StreamExt as _, TryStreamExt as _, stream};
use panel_contract::endpoint::{EmptyBody, EmptyQuery, Endpoint as _};
use panel_contract::endpoints::services::{GetService, ListServices};
use panel_contract::ids::ServiceId;
use panel_contract::services::ServiceRow;
use panel_contract::table::TableQuery;
use serde::Serialize;
use serde_json::{Map, Value};

use super::fields::SCHEMA;
use crate::command::CustomCommand;
use crate::command::request_command::optional_value;
use crate::ctx::Ctx;
use crate::exit::Exit;
use crate::failure::{CommandResult, Failure};
use crate::sheet::SheetFormat;
use crate::sheet::field::Field;
use crate::sheet::write::encode_file;

/// Number of concurrent requests for single services.
const CONCURRENCY: usize = 8;

pub(in crate::catalogue::services) const EXPORT: CustomCommand = CustomCommand {
    name: "export",
    about: "Export services to a CSV, XLSX or JSON file that services import reads",
    examples: &[
        ("services export --to services.xlsx", "export the most used fields"),
        (
            "services export --all-fields --to services.json",
            "export all fields; sends one request per service",
        ),
        ("services export > services.csv", "write CSV to standard output"),
    ],
    operations: &[ListServices::OP, GetService::OP],
    args: |command| {
        command.args([
            Arg::new("to")
                .long("to")
                .value_name("FILE")
                .help("File to write, such as services.xlsx; its extension selects the format"),
            Arg::new("all-fields").long("all-fields").action(ArgAction::SetTrue).help(
                "Export every field that can be imported, with names and descriptions by language (name.de)",
            ),
            Arg::new("archived")
                .long("archived")
                .action(ArgAction::SetTrue)
                .help("Export archived services instead"),
        ])
    },
    run: |ctx, matches| Box::pin(export_services(ctx, matches)),
};

async fn export_services(ctx: &Ctx, matches: &ArgMatches) -> CommandResult {
    let file = optional_value::<String>(matches, "to");
    let format = file.as_deref().map_or(Ok(SheetFormat::Csv), SheetFormat::from_path)?;
    let exports_all_fields = matches.get_flag("all-fields");
    let is_archived = if matches.get_flag("archived") { "1" } else { "0" };
    let query = TableQuery::new().simple_filter("is_archived", is_archived).sort("id", false);
    let mut services = fetch_services_from_list(ctx, query).await?;
    if exports_all_fields {
        let ids: Vec<ServiceId> = services.iter().filter_map(read_service_id).collect();
        services = fetch_services_one_by_one(ctx, &ids).await?;
    }
    let fields: Vec<&Field> =
        SCHEMA.fields().filter(|field| exports_all_fields || field.is_in_list).collect();
    let bytes = encode_file(format, &fields, &services)?;
    match file {
        None => ctx.out.write_bytes(&bytes)?,
        Some(file) => {
            std::fs::write(&file, bytes).map_err(|error| Failure::failed(format!("{file}: {error}.")))?;
            ctx.out.print_message(&format!("Exported {} services to {file}.", services.len()));
        }
    }
    Ok(Exit::Ok)
}

fn serialize_fields(service: &impl Serialize) -> Option<Map<String, Value>> {
    match serde_json::to_value(service) {
        Ok(Value::Object(fields)) => Some(fields),
        _ => None,
    }
}

pub(super) fn read_service_id(service: &Map<String, Value>) -> Option<ServiceId> {
    service.get("id").and_then(Value::as_i64).map(ServiceId::new)
}

/// Fetches services from the list endpoint, which returns only some fields.
pub(super) async fn fetch_services_from_list(
    ctx: &Ctx,
    query: TableQuery,
) -> CommandResult<Vec<Map<String, Value>>> {
    let rows: Vec<ServiceRow> = ctx.client()?.stream_rows::<ListServices, _>(query).try_collect().await?;
    Ok(rows.iter().filter_map(serialize_fields).collect())
}

/// Fetches services with all fields, in the order of the ids; missing services are omitted.
pub(super) async fn fetch_services_one_by_one(
    ctx: &Ctx,
    ids: &[ServiceId],
) -> CommandResult<Vec<Map<String, Value>>> {
    let client = ctx.client()?;
    let fetch_service = |id: ServiceId| {
        let client = client.clone();
        async move {
            match client.call::<GetService>(id, &EmptyQuery {}, &EmptyBody {}).await {
                Ok(response) => Ok(serialize_fields(&response.data)),
                Err(error) if error.api_error().is_some_and(|api_error| api_error.status == 404) => Ok(None),
                Err(error) => Err(Failure::from(error)),
            }
        }
    };
    let services: Vec<Option<Map<String, Value>>> =
        stream::iter(ids.to_vec()).map(fetch_service).buffered(CONCURRENCY).try_collect().await?;
    Ok(services.into_iter().flatten().collect())
}
