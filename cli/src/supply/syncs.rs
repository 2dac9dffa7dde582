//! What following external panels changed, and what waits for a yes or no.

use clap::Command;
use panel_contract::endpoint::Endpoint as _;
use panel_contract::endpoints::external_services::{
    AcceptSyncChange, ListSyncChanges, ListSyncRuns, RefuseSyncChange,
};
use panel_contract::external_services::{SyncField, SyncState};

use crate::command::act::{Verb, each, one};
use crate::command::confirm::Danger;
use crate::command::filter::{Filter, Takes};
use crate::command::list::List;
use crate::command::{Cmd, Noun};
use crate::output::column::{Column, Kind};
use crate::words_of;

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
    noun: "runs",
    one: "run",
    about: "When panels were asked what they sell, newest first",
    op: ListSyncRuns::OP,
    columns: &[
        Column::new("id", Kind::Id),
        Column::new("external_panel.name", Kind::Text).titled("panel"),
        Column::new("started_at", Kind::Time).titled("started"),
        Column::new("services_count", Kind::Number).titled("services"),
        Column::new("new_count", Kind::Number).titled("new"),
        Column::new("gone_count", Kind::Number).titled("gone"),
        Column::new("applied_count", Kind::Number).titled("changed"),
        Column::new("held_count", Kind::Number).titled("held"),
        Column::new("imported_count", Kind::Number).titled("imported"),
        Column::more("not_imported_count", Kind::Number),
        Column::new("error", Kind::Text),
        Column::more("ended_at", Kind::Time),
        Column::more("unreadable_count", Kind::Number),
    ],
    filters: &[
        Filter { flag: "panel", column: "external_panel.id", takes: Takes::Ids, help: "Their panel, by id" },
        Filter { flag: "error", column: "error", takes: Takes::Any("TEXT"), help: "Part of their error" },
    ],
    also_filters: &["external_panel"],
    since: "started_at",
    examples: &[("external-panels runs list --panel 3", "how panel 3 does")],
};

const CHANGES: List = List {
    noun: "changes",
    one: "change",
    about: "What following panels changed, and what waits for a yes or no, newest first",
    op: ListSyncChanges::OP,
    columns: &[
        Column::new("id", Kind::Id),
        Column::new("external_panel.name", Kind::Text).titled("panel"),
        Column::new("provider.name", Kind::Text).titled("provider"),
        Column::new("service.name", Kind::Text).titled("service"),
        Column::new("field", Kind::Word),
        Column::new("old_value", Kind::Text).titled("old"),
        Column::new("new_value", Kind::Text).titled("new"),
        Column::new("state", Kind::Word),
        Column::more("external_panel_service_id", Kind::Text),
        Column::more("sync_run_id", Kind::Id),
        Column::more("created_at", Kind::Time),
        Column::more("decided_at", Kind::Time),
        Column::more("decided_by.name", Kind::Text),
    ],
    filters: &[
        Filter { flag: "state", column: "state", takes: words_of!(SyncState), help: "What became of them" },
        Filter { flag: "field", column: "field", takes: words_of!(SyncField), help: "What changes" },
        Filter { flag: "panel", column: "external_panel.id", takes: Takes::Ids, help: "Their panel, by id" },
        Filter { flag: "run", column: "sync_run_id", takes: Takes::Ids, help: "The run that found them" },
    ],
    also_filters: &["external_panel", "provider", "service", "provider.id", "service.id", "decided_by.id"],
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
