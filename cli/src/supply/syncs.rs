//! Sync runs with external panels, and the changes that the sync runs found. Some changes wait for approval by staff.

use clap::Command;
use panel_contract::endpoint::Endpoint as _;
use panel_contract::endpoints::external_services::{AcceptSyncChange, RejectSyncChange};
use panel_contract::lists;

use crate::command::bulk::{BulkCommand, action_per_id, single_record_request};
use crate::command::confirm::Reversibility;
use crate::command::filter::Filter;
use crate::command::list::ListCommand;
use crate::command::{CommandGroup, CommandSpec};

pub(super) const SYNC_RUN_COMMANDS: CommandGroup = CommandGroup {
    name: "runs",
    alias: None,
    about: "List the syncs with external panels",
    commands: &[CommandSpec::List(&LIST_RUNS), CommandSpec::Export(&LIST_RUNS)],
};

pub(super) const SYNC_CHANGE_COMMANDS: CommandGroup = CommandGroup {
    name: "held",
    alias: None,
    about: "Manage changes from syncs, including those that wait for approval",
    commands: &[
        CommandSpec::List(&LIST_CHANGES),
        CommandSpec::Bulk(&ACCEPT),
        CommandSpec::Bulk(&REJECT),
        CommandSpec::Export(&LIST_CHANGES),
    ],
};

const LIST_RUNS: ListCommand = ListCommand {
    declaration: &lists::external_services::SYNC_RUNS,
    plural: "runs",
    singular: "run",
    about: "List syncs, newest first",
    filters: &[
        Filter::new("panel", "external_panel.id", "Filter by external panel id"),
        Filter::new("error", "error", "Filter by part of the error message"),
    ],
    time_column: "started_at",
    examples: &[("external-panels runs list --panel 3", "the syncs of external panel 3")],
};

const LIST_CHANGES: ListCommand = ListCommand {
    declaration: &lists::external_services::SYNC_CHANGES,
    plural: "changes",
    singular: "change",
    about: "List changes from syncs, newest first",
    filters: &[
        Filter::new("state", "state", "Filter by state"),
        Filter::new("field", "field", "Filter by field"),
        Filter::new("panel", "external_panel.id", "Filter by external panel id"),
        Filter::new("run", "sync_run_id", "Filter by sync run id"),
    ],
    time_column: "created_at",
    examples: &[("external-panels held list --state held", "changes that wait for approval")],
};

const ACCEPT: BulkCommand = BulkCommand {
    name: "accept",
    past_participle: "accepted",
    about: "Accept changes that wait for approval and apply them",
    list: &LIST_CHANGES,
    reversibility: Reversibility::Irreversible,
    operations: &[AcceptSyncChange::OP],
    single_record_flags: &[],
    args: |command: Command| command,
    bulk_action: action_per_id::<AcceptSyncChange>,
    single_request: single_record_request::<AcceptSyncChange>,
    examples: &[(
        "external-panels held accept --state held --panel 3",
        "accept all changes of external panel 3 that wait for approval",
    )],
};

const REJECT: BulkCommand = BulkCommand {
    name: "reject",
    past_participle: "rejected",
    about: "Reject changes that wait for approval; the same change is not proposed again",
    list: &LIST_CHANGES,
    reversibility: Reversibility::Irreversible,
    operations: &[RejectSyncChange::OP],
    single_record_flags: &[],
    args: |command: Command| command,
    bulk_action: action_per_id::<RejectSyncChange>,
    single_request: single_record_request::<RejectSyncChange>,
    examples: &[("external-panels held reject 12", "reject change 12")],
};
