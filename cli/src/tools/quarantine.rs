//! Quarantined records: their processing crashed the server, so background work skips them.

use panel_contract::endpoint::{EmptyBody, Endpoint as _};
use panel_contract::endpoints::quarantine::ReleaseQuarantined;
use panel_contract::lists;

use crate::command::call::{Call, WriteSpec, id_arg, id_for_message, request_for, required_id};
use crate::command::confirm::{Reversibility, dry_run_query};
use crate::command::filter::Filter;
use crate::command::list::List;
use crate::command::{Cmd, CommandGroup};

pub(crate) const COMMANDS: CommandGroup = CommandGroup {
    name: "quarantine",
    alias: None,
    about: "Manage quarantined records, whose processing crashed the server",
    commands: &[Cmd::List(&LIST), Cmd::Call(&RELEASE), Cmd::Export(&LIST)],
};

const LIST: List = List {
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

const RELEASE: Call = Call {
    name: "release",
    about: "Release a record after the cause is fixed; it is processed again at once",
    examples: &[("quarantine release 12", "release record 12")],
    op: ReleaseQuarantined::OP,
    args: |command| command.arg(id_arg()),
    request: |_, matches| {
        request_for::<ReleaseQuarantined>(required_id(matches)?, &dry_run_query(matches), &EmptyBody {})
    },
    pointer: "/data",
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
