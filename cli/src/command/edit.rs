//! Commands that read a record, change some fields, and write the whole record, because its endpoint requires all fields. Fields
//! without an option keep their values. The server rejects the write if the record changed between the read and the write.

use clap::{ArgMatches, Command};
use panel_client::request::Request;
use panel_contract::endpoint::Op;
use serde_json::Value;

use crate::command::request_command::{RequestCommand, parse_json};
use crate::ctx::Ctx;
use crate::failure::CommandResult;

pub(crate) struct EditCommand {
    /// Unlike in other commands, `request` builds the request that reads the record. `op` is the endpoint that writes the record.
    pub(crate) request_command: RequestCommand,
    /// The endpoint that reads the record.
    pub(crate) read_op: Op,
    /// Builds the write request from the current record (the `current_record` of the response).
    pub(crate) write_request: fn(&ArgMatches, Value) -> CommandResult<Request>,
}

impl EditCommand {
    pub(crate) fn command(&self) -> Command {
        self.request_command.command()
    }

    pub(crate) async fn run(&self, ctx: &Ctx, matches: &ArgMatches) -> CommandResult {
        let read_request = (self.request_command.request)(ctx, matches)?;
        let response: Value = parse_json(&ctx.client()?.request(&read_request).await?.body)?;
        let current_record = response.get("data").cloned().unwrap_or(response);
        self.request_command.send(ctx, matches, (self.write_request)(matches, current_record)?).await
    }
}
