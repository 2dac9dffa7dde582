//! Quarantine: records whose processing ended the server's process.

use panel_contract::endpoint::{EmptyBody, Endpoint as _};
use panel_contract::endpoints::quarantine::ReleaseQuarantined;
use panel_contract::lists;

use crate::command::call::{Call, Write, id, id_arg, id_value, of};
use crate::command::confirm::{Danger, dry_run};
use crate::command::filter::Filter;
use crate::command::list::List;
use crate::command::{Cmd, Noun};

pub(crate) const NOUN: Noun = Noun {
    name: "quarantine",
    alias: None,
    about: "Manage quarantined records, whose processing crashed the server",
    verbs: &[Cmd::List(&LIST), Cmd::Call(&RELEASE), Cmd::Export(&LIST)],
};

const LIST: List = List {
    declaration: &lists::quarantine::QUARANTINE,
    noun: "quarantined records",
    one: "record",
    about: "List quarantined records, newest first; background work skips them",
    filters: &[
        Filter::new("status", "status", "Filter by status"),
        Filter::new("poller", "poller", "Filter by poller"),
        Filter::new("reason", "reason", "Filter by part of the reason"),
    ],
    since: "first_death_at",
    examples: &[("quarantine list --status quarantined", "records that wait for a decision")],
};

const RELEASE: Call = Call {
    name: "release",
    about: "Release a record after the cause is fixed; it is processed again at once",
    examples: &[("quarantine release 12", "release record 12")],
    op: ReleaseQuarantined::OP,
    args: |command| command.arg(id_arg()),
    request: |_, matches| of::<ReleaseQuarantined>(id(matches)?, &dry_run(matches), &EmptyBody {}),
    pointer: "/data",
    columns: &[],
    write: Some(Write {
        question: |matches| {
            format!(
                "Release record {}? If the cause is not fixed, the server's process crashes again.",
                id_value(matches)
            )
        },
        danger: Danger::Final,
        success: |matches| format!("Record {} released.", id_value(matches)),
        has_dry_run: true,
    }),
};
