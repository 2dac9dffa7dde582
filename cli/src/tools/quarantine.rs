//! Background work that ended the process that did it.

use panel_contract::endpoint::{Endpoint as _, NoBody};
use panel_contract::endpoints::quarantine::ReleaseQuarantined;
use panel_contract::lists;

use crate::command::call::{Call, Write, given_id, id, id_arg, of};
use crate::command::confirm::{Danger, dry_run};
use crate::command::filter::Filter;
use crate::command::list::List;
use crate::command::{Cmd, Noun};

/// `quarantine`.
pub(crate) const NOUN: Noun = Noun {
    name: "quarantine",
    alias: None,
    about: "Background work that ended the server's process, and waits to be released",
    verbs: &[Cmd::List(&LIST), Cmd::Call(&RELEASE), Cmd::Export(&LIST)],
};

const LIST: List = List {
    of: &lists::quarantine::QUARANTINE,
    noun: "quarantined records",
    one: "record",
    about: "Records that no background work claims because a process died with them, newest first",
    filters: &[
        Filter::new("status", "status", "Where they stand"),
        Filter::new("poller", "poller", "The work that claims them"),
        Filter::new("reason", "reason", "Part of their reason"),
    ],
    since: "first_death_at",
    examples: &[("quarantine list --status quarantined", "what waits for a person")],
};

const RELEASE: Call = Call {
    name: "release",
    about: "Releases a record once the cause is mended: it is due again at once",
    examples: &[("quarantine release 12", "record 12 of the list")],
    op: ReleaseQuarantined::OP,
    args: |command| command.arg(id_arg()),
    request: |_, matches| of::<ReleaseQuarantined>(id(matches)?, &dry_run(matches), &NoBody {}),
    at: "/data",
    columns: &[],
    write: Some(Write {
        question: |matches| {
            format!(
                "Release {}? If the cause is not mended, the server's process ends once more.",
                given_id(matches)
            )
        },
        danger: Danger::Final,
        said: |matches| format!("{} is released and due now.", given_id(matches)),
        rehearses: true,
    }),
};
