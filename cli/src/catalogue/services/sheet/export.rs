//! `services export`: everything that a file may say of services, as a file that `services import` reads.

use clap::{Arg, ArgAction, ArgMatches};
use futures_util::{StreamExt as _, TryStreamExt as _, stream};
use panel_contract::endpoint::{Endpoint as _, NoBody, NoQuery};
use panel_contract::endpoints::services::{GetService, ListServices};
use panel_contract::ids::ServiceId;
use panel_contract::services::ServiceRow;
use panel_contract::table::TableQuery;
use serde::Serialize;
use serde_json::{Map, Value};

use super::fields::SCHEMA;
use crate::command::Own;
use crate::command::call::opt;
use crate::ctx::Ctx;
use crate::exit::Exit;
use crate::failure::{Done, Failure};
use crate::sheet::Form;
use crate::sheet::field::Field;
use crate::sheet::write::write;

/// Services that are asked for at once.
const AT_ONCE: usize = 8;

/// `services export`.
pub(in crate::catalogue::services) const EXPORT: Own = Own {
    name: "export",
    about: "Writes services as a file that services import reads: CSV, XLSX or JSON, by its name",
    examples: &[
        ("services export --file services.xlsx", "prices, quantities and what is on sale"),
        ("services export --all-fields --file services.json", "every field; a request for each service"),
        ("services export > services.csv", "CSV without --file"),
    ],
    reaches: &[ListServices::OP, GetService::OP],
    args: |command| {
        command.args([
            Arg::new("file")
                .long("file")
                .value_name("FILE")
                .help("Such as services.xlsx; its name says what it is"),
            Arg::new("all-fields")
                .long("all-fields")
                .action(ArgAction::SetTrue)
                .help("Every field that can be imported, with names and descriptions by language (name.de); not: other texts, and what a service asks of its targets"),
            Arg::new("archived")
                .long("archived")
                .action(ArgAction::SetTrue)
                .help("Archived services instead"),
        ])
    },
    run: |ctx, matches| Box::pin(export(ctx, matches)),
};

async fn export(ctx: &Ctx, matches: &ArgMatches) -> Done {
    let file = opt::<String>(matches, "file");
    let form = file.as_deref().map_or(Ok(Form::Csv), Form::of)?;
    let whole = matches.get_flag("all-fields");
    let archived = if matches.get_flag("archived") { "1" } else { "0" };
    let query = TableQuery::new().plain("is_archived", archived).sort("id", false);
    let mut services = listed(ctx, query).await?;
    if whole {
        let ids: Vec<ServiceId> = services.iter().filter_map(id_of).collect();
        services = one_by_one(ctx, &ids).await?;
    }
    let fields: Vec<&Field> = SCHEMA.fields().filter(|field| whole || field.listed).collect();
    let bytes = write(form, &fields, &services)?;
    match file {
        None => ctx.out.bytes(&bytes)?,
        Some(file) => {
            std::fs::write(&file, bytes).map_err(|error| Failure::failed(format!("{file}: {error}.")))?;
            ctx.out.say(&format!("{} services are in {file}.", services.len()));
        }
    }
    Ok(Exit::Ok)
}

/// A service as its fields.
fn told(service: &impl Serialize) -> Option<Map<String, Value>> {
    match serde_json::to_value(service) {
        Ok(Value::Object(fields)) => Some(fields),
        _ => None,
    }
}

/// The id of a service.
pub(super) fn id_of(service: &Map<String, Value>) -> Option<ServiceId> {
    service.get("id").and_then(Value::as_i64).map(ServiceId::new)
}

/// Services as the list has them.
pub(super) async fn listed(ctx: &Ctx, query: TableQuery) -> Done<Vec<Map<String, Value>>> {
    let rows: Vec<ServiceRow> = ctx.client()?.rows::<ListServices, _>(query).try_collect().await?;
    Ok(rows.iter().filter_map(told).collect())
}

/// Services with everything about them, in the order of the ids; those that are not there are left out.
pub(super) async fn one_by_one(ctx: &Ctx, ids: &[ServiceId]) -> Done<Vec<Map<String, Value>>> {
    let client = ctx.client()?;
    let ask = |id: ServiceId| {
        let client = client.clone();
        async move {
            match client.call::<GetService>(id, &NoQuery {}, &NoBody {}).await {
                Ok(answer) => Ok(told(&answer.data)),
                Err(error) if error.refused().is_some_and(|refused| refused.status == 404) => Ok(None),
                Err(error) => Err(Failure::from(error)),
            }
        }
    };
    let found: Vec<Option<Map<String, Value>>> =
        stream::iter(ids.to_vec()).map(ask).buffered(AT_ONCE).try_collect().await?;
    Ok(found.into_iter().flatten().collect())
}
