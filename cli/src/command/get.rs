//! Commands that get records by id.

use clap::{ArgMatches, Command};
use panel_client::request::Request;
use panel_contract::endpoint::Op;
use panel_contract::ids::RecordId;
use serde_json::Value;

use crate::command::{Examples, described, ids};
use crate::ctx::Ctx;
use crate::exit::Exit;
use crate::failure::{CmdResult, Failure};
use crate::output::Format;
use crate::output::column::Column;

/// A command that gets records.
pub(crate) struct Get {
    /// Singular noun of the record, such as `order`.
    pub(crate) one: &'static str,
    pub(crate) about: &'static str,
    /// The endpoint; its path contains `{id}`.
    pub(crate) op: Op,
    /// Columns of a card; empty for all fields.
    pub(crate) columns: &'static [Column],
    pub(crate) examples: Examples,
}

impl Get {
    pub(crate) fn command(&self) -> Command {
        described("get", self.about, self.examples).arg(ids::positional(true))
    }

    /// One id prints one record, several print a list. Missing ids are reported, and the records that exist are printed.
    pub(crate) async fn run(&self, ctx: &Ctx, matches: &ArgMatches) -> CmdResult {
        let ids = ids::from_args(matches)?;
        if let [id] = ids.as_slice() {
            let value = fetch(ctx, self.op.path, *id).await?;
            ctx.out.record(&value, self.columns)?;
            return Ok(Exit::Ok);
        }
        let (mut found, mut missing) = (Vec::new(), Vec::new());
        for id in &ids {
            match fetch(ctx, self.op.path, *id).await {
                Ok(value) => found.push(value),
                Err(failure) if failure.status == Some(404) => missing.push(id.to_string()),
                Err(failure) => return Err(failure),
            }
        }
        let is_empty = found.is_empty();
        self.show(ctx, found)?;
        if missing.is_empty() {
            return Ok(Exit::Ok);
        }
        let what = format!("Not found: {} {}.", self.one, missing.join(", "));
        if is_empty {
            return Err(Failure::failed(what));
        }
        ctx.out.print_message(&what);
        Ok(Exit::Partial)
    }

    fn show(&self, ctx: &Ctx, found: Vec<Value>) -> CmdResult<()> {
        if ctx.out.format == Format::Table && ctx.out.jq.is_none() {
            for (index, value) in found.iter().enumerate() {
                if index > 0 {
                    ctx.out.line("")?;
                }
                ctx.out.record(value, self.columns)?;
            }
            return Ok(());
        }
        ctx.out.records(found, self.columns)
    }
}

/// Fetches one record; the content of `data` if the response has it.
async fn fetch(ctx: &Ctx, path: &str, id: RecordId) -> CmdResult<Value> {
    let request = Request::new("GET", path.replace("{id}", &id.to_string()))?;
    let answer = ctx.client()?.request(&request).await?;
    let value: Value = crate::command::call::json(&answer.body)?;
    Ok(match value {
        Value::Object(mut fields) => fields.remove("data").unwrap_or(Value::Object(fields)),
        other => other,
    })
}
