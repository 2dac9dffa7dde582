//! Read, change, send back: for records that the panel takes as a whole. What is not named on the command line stays
//! as it was read, and a record that changed meanwhile is refused by the panel.

use clap::{ArgMatches, Command};
use panel_client::request::Request;
use panel_contract::endpoint::Op;
use serde_json::Value;

use crate::command::call::{Call, json};
use crate::ctx::Ctx;
use crate::failure::Done;

/// A command that changes part of a record.
pub(crate) struct Edit {
    /// Its words. Its request reads; its endpoint is the one that writes.
    pub(crate) call: Call,
    /// The endpoint that reads.
    pub(crate) reads: Op,
    /// What to send, by what was read (what stands under `data`).
    pub(crate) change: fn(&ArgMatches, Value) -> Done<Request>,
}

impl Edit {
    pub(crate) fn command(&self) -> Command {
        self.call.command()
    }

    pub(crate) async fn run(&self, ctx: &Ctx, matches: &ArgMatches) -> Done {
        let read = (self.call.request)(ctx, matches)?;
        let answer: Value = json(&ctx.client()?.request(&read).await?.body)?;
        let data = answer.get("data").cloned().unwrap_or(answer);
        self.call.send(ctx, matches, (self.change)(matches, data)?).await
    }
}
