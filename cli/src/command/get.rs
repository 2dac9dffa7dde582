//! Commands that print records by id.

use clap::{ArgMatches, Command};
use panel_client::request::Request;
use panel_contract::endpoint::Op;
use panel_contract::ids::RecordId;
use serde_json::Value;

use crate::command::{Examples, command_with_examples, ids};
use crate::ctx::Ctx;
use crate::exit::Exit;
use crate::failure::{CmdResult, Failure};
use crate::output::Format;
use crate::output::column::Column;

/// The command `get` of a resource.
pub(crate) struct Get {
    /// Singular noun of the record, such as `order`.
    pub(crate) singular: &'static str,
    pub(crate) about: &'static str,
    /// The endpoint; its path contains `{id}`.
    pub(crate) op: Op,
    /// The fields to print for one record; all fields if empty.
    pub(crate) columns: &'static [Column],
    pub(crate) examples: Examples,
}

impl Get {
    pub(crate) fn command(&self) -> Command {
        command_with_examples("get", self.about, self.examples).arg(ids::ids_arg(true))
    }

    /// Prints one record for one id, otherwise a list. Reports ids that do not exist after it printed the other records.
    pub(crate) async fn run(&self, ctx: &Ctx, matches: &ArgMatches) -> CmdResult {
        let ids = ids::ids_from_args(matches)?;
        if let [id] = ids.as_slice() {
            let value = fetch_record(ctx, self.op.path, *id).await?;
            ctx.out.print_record(&value, self.columns)?;
            return Ok(Exit::Ok);
        }
        let (mut existing, mut missing) = (Vec::new(), Vec::new());
        for id in &ids {
            match fetch_record(ctx, self.op.path, *id).await {
                Ok(value) => existing.push(value),
                Err(failure) if failure.status == Some(404) => missing.push(id.to_string()),
                Err(failure) => return Err(failure),
            }
        }
        let is_empty = existing.is_empty();
        self.print(ctx, existing)?;
        if missing.is_empty() {
            return Ok(Exit::Ok);
        }
        let message = format!("Not found: {} {}.", self.singular, missing.join(", "));
        if is_empty {
            return Err(Failure::failed(message));
        }
        ctx.out.print_message(&message);
        Ok(Exit::Partial)
    }

    fn print(&self, ctx: &Ctx, existing: Vec<Value>) -> CmdResult<()> {
        if ctx.out.format == Format::Table && ctx.out.jq.is_none() {
            for (index, value) in existing.iter().enumerate() {
                if index > 0 {
                    ctx.out.print_line("")?;
                }
                ctx.out.print_record(value, self.columns)?;
            }
            return Ok(());
        }
        ctx.out.print_records(existing, self.columns)
    }
}

/// Fetches one record: the field `data` of the response, or the whole response without this field.
async fn fetch_record(ctx: &Ctx, path: &str, id: RecordId) -> CmdResult<Value> {
    let request = Request::new("GET", path.replace("{id}", &id.to_string()))?;
    let response = ctx.client()?.request(&request).await?;
    let value: Value = crate::command::call::parse_json(&response.body)?;
    Ok(match value {
        Value::Object(mut fields) => fields.remove("data").unwrap_or(Value::Object(fields)),
        other => other,
    })
}
