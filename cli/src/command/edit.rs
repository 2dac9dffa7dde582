//! Commands that read a record, change some fields, and write the whole record, because its endpoint requires all fields. Fields
//! without an option keep their values. The panel refuses the write if the record changed in between.

use clap::{ArgMatches, Command};
use panel_client::request::Request;
use panel_contract::endpoint::Op;
use serde_json::Value;

use crate::command::call::{Call, parse_json};
use crate::ctx::Ctx;
use crate::failure::CmdResult;

pub(crate) struct Edit {
    /// `call.request` reads the record, unlike in other calls; `call.op` is the endpoint that writes it.
    pub(crate) call: Call,
    /// The endpoint that reads the record.
    pub(crate) read_op: Op,
    /// Builds the write request from the current record (the `current_record` of the response).
    pub(crate) write_request: fn(&ArgMatches, Value) -> CmdResult<Request>,
}

impl Edit {
    pub(crate) fn command(&self) -> Command {
        self.call.command()
    }

    pub(crate) async fn run(&self, ctx: &Ctx, matches: &ArgMatches) -> CmdResult {
        let read_request = (self.call.request)(ctx, matches)?;
        let response: Value = parse_json(&ctx.client()?.request(&read_request).await?.body)?;
        let current_record = response.get("data").cloned().unwrap_or(response);
        self.call.send(ctx, matches, (self.write_request)(matches, current_record)?).await
    }
}
