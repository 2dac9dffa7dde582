//! Background work that ended the process that did it.

use panel_contract::endpoint::{Endpoint as _, NoBody};
use panel_contract::endpoints::quarantine::{ListQuarantine, ReleaseQuarantined};
use panel_contract::quarantine::{Poller, QuarantineStatus};

use crate::command::call::{Call, Write, id, id_arg, of};
use crate::command::confirm::{Danger, dry_run};
use crate::command::filter::{Filter, Takes};
use crate::command::list::List;
use crate::command::{Cmd, Noun};
use crate::output::column::{Column, Kind};
use crate::words_of;

/// `quarantine`.
pub(crate) const NOUN: Noun = Noun {
    name: "quarantine",
    alias: None,
    about: "Background work that ended the server's process, and waits to be released",
    verbs: &[Cmd::List(&LIST), Cmd::Call(&RELEASE), Cmd::Export(&LIST)],
};

const LIST: List = List {
    noun: "quarantined records",
    one: "record",
    about: "Records that no background work claims because a process died with them, newest first",
    op: ListQuarantine::OP,
    columns: &[
        Column::new("id", Kind::Id),
        Column::new("poller", Kind::Word).titled("work"),
        Column::new("record_id", Kind::Id).titled("record"),
        Column::new("status", Kind::Word),
        Column::new("deaths", Kind::Number),
        Column::new("reason", Kind::Text),
        Column::new("first_death_at", Kind::Time).titled("first death"),
        Column::more("retry_at", Kind::Time),
        Column::more("order_id", Kind::Id),
        Column::more("subscription_id", Kind::Id),
        Column::more("updated_at", Kind::Time),
    ],
    filters: &[
        Filter {
            flag: "status",
            column: "status",
            takes: words_of!(QuarantineStatus),
            help: "Where they stand",
        },
        Filter {
            flag: "poller",
            column: "poller",
            takes: words_of!(Poller),
            help: "The work that claims them",
        },
        Filter { flag: "reason", column: "reason", takes: Takes::Any("TEXT"), help: "Part of their reason" },
    ],
    also_filters: &[],
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
                id(matches).unwrap_or_default()
            )
        },
        danger: Danger::Final,
        said: |matches| format!("{} is released and due now.", id(matches).unwrap_or_default()),
        rehearses: true,
    }),
};
