//! Sync runs with external panels, and changes that wait for approval.

use clap::Command;
use panel_contract::endpoint::Endpoint as _;
use panel_contract::endpoints::external_services::{AcceptSyncChange, RefuseSyncChange};
use panel_contract::lists;

use crate::command::act::{Verb, one_request_each, single};
use crate::command::confirm::Danger;
use crate::command::filter::Filter;
use crate::command::list::List;
use crate::command::{Cmd, Noun};

pub(super) const RUNS: Noun = Noun {
    name: "runs",
    alias: None,
    about: "List sync runs with external panels",
    verbs: &[Cmd::List(&RUN_LIST), Cmd::Export(&RUN_LIST)],
};

pub(super) const HELD_CHANGES: Noun = Noun {
    name: "held",
    alias: None,
    about: "Manage changes from syncs, including those that wait for approval",
    verbs: &[Cmd::List(&CHANGES), Cmd::Act(&ACCEPT), Cmd::Act(&REFUSE), Cmd::Export(&CHANGES)],
};

const RUN_LIST: List = List {
    declaration: &lists::external_services::SYNC_RUNS,
    noun: "runs",
    one: "run",
    about: "List sync runs, newest first",
    filters: &[
        Filter::new("panel", "external_panel.id", "Filter by external panel id"),
        Filter::new("error", "error", "Filter by part of the error message"),
    ],
    since: "started_at",
    examples: &[("external-panels runs list --panel 3", "the sync runs of panel 3")],
};

const CHANGES: List = List {
    declaration: &lists::external_services::SYNC_CHANGES,
    noun: "changes",
    one: "change",
    about: "List changes from syncs, newest first",
    filters: &[
        Filter::new("state", "state", "Filter by state"),
        Filter::new("field", "field", "Filter by field"),
        Filter::new("panel", "external_panel.id", "Filter by external panel id"),
        Filter::new("run", "sync_run_id", "Filter by sync run id"),
    ],
    since: "created_at",
    examples: &[("external-panels held list --state held", "changes that wait for approval")],
};

const ACCEPT: Verb = Verb {
    name: "accept",
    past: "accepted",
    about: "Accept held changes and apply them",
    list: &CHANGES,
    danger: Danger::Final,
    ops: &[AcceptSyncChange::OP],
    single_record_flags: &[],
    args: |command: Command| command,
    bulk: one_request_each::<AcceptSyncChange>,
    single: single::<AcceptSyncChange>,
    examples: &[("external-panels held accept --state held --panel 3", "accept all held changes of panel 3")],
};

const REFUSE: Verb = Verb {
    name: "refuse",
    past: "refused",
    about: "Refuse held changes; the same change is not proposed again",
    ops: &[RefuseSyncChange::OP],
    bulk: one_request_each::<RefuseSyncChange>,
    single: single::<RefuseSyncChange>,
    examples: &[("external-panels held refuse 12", "refuse change 12")],
    ..ACCEPT
};
