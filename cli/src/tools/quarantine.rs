//! Quarantined records: their processing crashed the server, so background work skips them.

use panel_contract::endpoint::{EmptyBody, Endpoint as _};
use panel_contract::endpoints::quarantine::ReleaseQuarantined;
use panel_contract::lists;

use crate::command::confirm::{Reversibility, dry_run_query};
use crate::command::filter::Filter;
use crate::command::list::ListCommand;
use crate::command::request_command::{
    RequestCommand, WriteSpec, build_request, id_arg, id_for_message, required_id,
};
use crate::command::{CommandGroup, CommandSpec};

pub(crate) const COMMANDS: CommandGroup = CommandGroup {
    name: "quarantine",
    alias: None,
    about: "Manage quarantined records: background work skips them because processing them crashed the server",
    commands: &[CommandSpec::List(&LIST), CommandSpec::Request(&RELEASE), CommandSpec::Export(&LIST)],
};

const LIST: ListCommand = ListCommand {
    declaration: &lists::quarantine::QUARANTINE,
    plural: "quarantined records",
    singular: "record",
    about: "List quarantined records, newest first; background work skips them",
    filters: &[
        Filter::new("status", "status", "Filter by status"),
        Filter::new("poller", "poller", "Filter by poller"),
        Filter::new("reason", "reason", "Filter by part of the reason"),
    ],
    time_column: "first_crash_at",
    examples: &[("quarantine list --status quarantined", "records that wait for a decision")],
};

const RELEASE: RequestCommand = RequestCommand {
    name: "release",
    about: "Release a record after the cause is fixed; it is processed again at once",
    examples: &[("quarantine release 12", "release record 12")],
    op: ReleaseQuarantined::OP,
    args: |command| command.arg(id_arg()),
    request: |_, matches| {
        build_request::<ReleaseQuarantined>(required_id(matches)?, &dry_run_query(matches), &EmptyBody {})
    },
    json_pointer: "/data",
    columns: &[],
    write: Some(WriteSpec {
        question: |matches| {
            format!(
                "Release record {}? If the cause is not fixed, the server's process crashes again.",
                id_for_message(matches)
            )
        },
        reversibility: Reversibility::Irreversible,
        success: |matches| format!("Record {} released.", id_for_message(matches)),
        has_dry_run: true,
    }),
};
