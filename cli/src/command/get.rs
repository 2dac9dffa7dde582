//! Commands that print records by id.

use clap::{ArgMatches, Command};
use panel_client::request::Request;
use panel_contract::endpoint::Op;
use panel_contract::ids::RecordId;
use serde_json::Value;

use crate::command::{Examples, command_with_examples, ids};
use crate::ctx::Ctx;
use crate::exit::Exit;
use crate::failure::{CommandResult, Failure};
use crate::output::Format;
use crate::output::column::Column;

/// The command `get` of a resource.
pub(crate) struct GetCommand {
    /// Singular noun of the record, such as `order`.
    pub(crate) singular: &'static str,
    pub(crate) about: &'static str,
    /// The endpoint; its path contains `{id}`.
    pub(crate) op: Op,
    /// The fields to print for one record; all fields if empty.
    pub(crate) columns: &'static [Column],
    pub(crate) examples: Examples,
}

impl GetCommand {
    pub(crate) fn command(&self) -> Command {
        command_with_examples("get", self.about, self.examples).arg(ids::ids_arg(true))
    }

    /// Prints a single record for one id, otherwise a list. Prints the existing records first, and then the ids that do not exist.
    pub(crate) async fn run(&self, ctx: &Ctx, matches: &ArgMatches) -> CommandResult {
        let ids = ids::parse_id_args(matches)?;
        if let [id] = ids.as_slice() {
            let record = fetch_record(ctx, self.op.path, *id).await?;
            ctx.out.print_record(&record, self.columns)?;
            return Ok(Exit::Ok);
        }
        let (mut records, mut missing_ids) = (Vec::new(), Vec::new());
        for id in &ids {
            match fetch_record(ctx, self.op.path, *id).await {
                Ok(record) => records.push(record),
                Err(failure) if failure.status == Some(404) => missing_ids.push(id.to_string()),
                Err(failure) => return Err(failure),
            }
        }
        let is_empty = records.is_empty();
        self.print_records(ctx, records)?;
        if missing_ids.is_empty() {
            return Ok(Exit::Ok);
        }
        let message = format!("Not found: {} {}.", self.singular, missing_ids.join(", "));
        if is_empty {
            return Err(Failure::failed(message));
        }
        ctx.out.print_message(&message);
        Ok(Exit::Partial)
    }

    fn print_records(&self, ctx: &Ctx, records: Vec<Value>) -> CommandResult<()> {
        if ctx.out.format == Format::Table && ctx.out.jq.is_none() {
            for (index, record) in records.iter().enumerate() {
                if index > 0 {
                    ctx.out.print_line("")?;
                }
                ctx.out.print_record(record, self.columns)?;
            }
            return Ok(());
        }
        ctx.out.print_records(records, self.columns)
    }
}

/// Fetches one record. The record is the field `data` of the response, or the whole response if it has no such field.
async fn fetch_record(ctx: &Ctx, path: &str, id: RecordId) -> CommandResult<Value> {
    let request = Request::new("GET", path.replace("{id}", &id.to_string()))?;
    let response = ctx.client()?.request(&request).await?;
    let value: Value = crate::command::request_command::parse_json(&response.body)?;
    Ok(match value {
        Value::Object(mut fields) => fields.remove("data").unwrap_or(Value::Object(fields)),
        other => other,
    })
}
