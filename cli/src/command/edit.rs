//! Commands that read a record, change part of it, and write it back, for endpoints that take the whole record. Fields that
//! the command line does not name keep their values; the panel refuses a record that changed in between.

use clap::{ArgMatches, Command};
use panel_client::request::Request;
use panel_contract::endpoint::Op;
use serde_json::Value;

use crate::command::call::{Call, json};
use crate::ctx::Ctx;
use crate::failure::CmdResult;

pub(crate) struct Edit {
    /// Its request reads the record; its `op` is the endpoint that writes.
    pub(crate) call: Call,
    /// The endpoint that reads.
    pub(crate) read_op: Op,
    /// Builds the write from the record that was read (the `data` of the response).
    pub(crate) change: fn(&ArgMatches, Value) -> CmdResult<Request>,
}

impl Edit {
    pub(crate) fn command(&self) -> Command {
        self.call.command()
    }

    pub(crate) async fn run(&self, ctx: &Ctx, matches: &ArgMatches) -> CmdResult {
        let read = (self.call.request)(ctx, matches)?;
        let answer: Value = json(&ctx.client()?.request(&read).await?.body)?;
        let data = answer.get("data").cloned().unwrap_or(answer);
        self.call.send(ctx, matches, (self.change)(matches, data)?).await
    }
}
