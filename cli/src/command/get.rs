//! Records by id.

use clap::{ArgMatches, Command};
use panel_client::request::Request;
use panel_contract::endpoint::Op;
use panel_contract::ids::RecordId;
use serde_json::Value;

use crate::command::{Examples, described, ids};
use crate::ctx::Ctx;
use crate::exit::Exit;
use crate::failure::{Done, Failure};
use crate::output::Format;
use crate::output::column::Column;

/// How a record is read.
pub(crate) struct Get {
    /// One of them.
    pub(crate) one: &'static str,
    /// One line.
    pub(crate) about: &'static str,
    /// The endpoint, with `{id}` in its path.
    pub(crate) op: Op,
    /// What a card shows; everything when empty.
    pub(crate) columns: &'static [Column],
    /// Command lines.
    pub(crate) examples: Examples,
}

impl Get {
    pub(crate) fn command(&self) -> Command {
        described("get", self.about, self.examples).arg(ids::positional(true))
    }

    /// One id gives one record; several give a list. Ids that are not there are told, and the rest is shown.
    pub(crate) async fn run(&self, ctx: &Ctx, matches: &ArgMatches) -> Done {
        let ids = ids::given(matches)?;
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
        let none = found.is_empty();
        self.show(ctx, found)?;
        if missing.is_empty() {
            return Ok(Exit::Ok);
        }
        let what = format!("There is no {} {}.", self.one, missing.join(", "));
        if none {
            return Err(Failure::failed(what));
        }
        ctx.out.say(&what);
        Ok(Exit::Partial)
    }

    fn show(&self, ctx: &Ctx, found: Vec<Value>) -> Done<()> {
        if ctx.out.format == Format::Table && ctx.out.jq.is_none() {
            for (at, value) in found.iter().enumerate() {
                if at > 0 {
                    ctx.out.line("")?;
                }
                ctx.out.record(value, self.columns)?;
            }
            return Ok(());
        }
        ctx.out.records(found, self.columns)
    }
}

/// One record; what stands under `data`, where the answer has that.
async fn fetch(ctx: &Ctx, path: &str, id: RecordId) -> Done<Value> {
    let request = Request::new("GET", path.replace("{id}", &id.to_string()))?;
    let answer = ctx.client()?.request(&request).await?;
    let value: Value = crate::command::call::json(&answer.body)?;
    Ok(match value {
        Value::Object(mut fields) => fields.remove("data").unwrap_or(Value::Object(fields)),
        other => other,
    })
}
