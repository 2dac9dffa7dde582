//! What following external panels changed, and what waits for a yes or no.

use clap::Command;
use panel_contract::endpoint::Endpoint as _;
use panel_contract::endpoints::external_services::{AcceptSyncChange, RefuseSyncChange};
use panel_contract::lists;

use crate::command::act::{Verb, each, one};
use crate::command::confirm::Danger;
use crate::command::filter::Filter;
use crate::command::list::List;
use crate::command::{Cmd, Noun};

/// `runs`.
pub(super) const RUNS: Noun = Noun {
    name: "runs",
    alias: None,
    about: "When panels were asked what they sell, and what came of it",
    verbs: &[Cmd::List(&RUN_LIST), Cmd::Export(&RUN_LIST)],
};

/// `held`.
pub(super) const HELD: Noun = Noun {
    name: "held",
    alias: None,
    about: "Changes that following a panel made, and those that wait for a yes or no",
    verbs: &[Cmd::List(&CHANGES), Cmd::Act(&ACCEPT), Cmd::Act(&REFUSE), Cmd::Export(&CHANGES)],
};

const RUN_LIST: List = List {
    of: &lists::external_services::SYNC_RUNS,
    noun: "runs",
    one: "run",
    about: "When panels were asked what they sell, newest first",
    filters: &[
        Filter::new("panel", "external_panel.id", "Their panel, by id"),
        Filter::new("error", "error", "Part of their error"),
    ],
    since: "started_at",
    examples: &[("external-panels runs list --panel 3", "how panel 3 does")],
};

const CHANGES: List = List {
    of: &lists::external_services::SYNC_CHANGES,
    noun: "changes",
    one: "change",
    about: "What following panels changed, and what waits for a yes or no, newest first",
    filters: &[
        Filter::new("state", "state", "What became of them"),
        Filter::new("field", "field", "What changes"),
        Filter::new("panel", "external_panel.id", "Their panel, by id"),
        Filter::new("run", "sync_run_id", "The run that found them"),
    ],
    since: "created_at",
    examples: &[("external-panels held list --state held", "what waits for a yes or no")],
};

const ACCEPT: Verb = Verb {
    name: "accept",
    past: "accepted",
    about: "Says yes to changes that wait: they are made",
    list: &CHANGES,
    danger: Danger::Final,
    reaches: &[AcceptSyncChange::OP],
    of_one: &[],
    args: |command: Command| command,
    many: each::<AcceptSyncChange>,
    one: one::<AcceptSyncChange>,
    examples: &[("external-panels held accept --state held --panel 3", "everything that waits of panel 3")],
};

const REFUSE: Verb = Verb {
    name: "refuse",
    past: "refused",
    about: "Says no to changes that wait: nothing changes, and the same is not asked again",
    reaches: &[RefuseSyncChange::OP],
    many: each::<RefuseSyncChange>,
    one: one::<RefuseSyncChange>,
    examples: &[("external-panels held refuse 12", "change 12")],
    ..ACCEPT
};
