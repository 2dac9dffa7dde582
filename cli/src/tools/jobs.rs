//! Background work and the system's status.

use panel_contract::endpoint::{Endpoint as _, NoBody, NoQuery};
use panel_contract::endpoints::jobs::{GetSystemStatus, RetryJob};
use panel_contract::jobs;
use panel_contract::lists;

use crate::command::call::{Call, Write, given_id, id, id_arg, of};
use crate::command::confirm::{Danger, dry_run};
use crate::command::filter::Filter;
use crate::command::list::List;
use crate::command::{Cmd, Noun};
use crate::output::column::{Column, Kind};

/// `jobs`.
pub(crate) const NOUN: Noun = Noun {
    name: "jobs",
    alias: Some("job"),
    about: "Background work: mail, deliveries to webhooks",
    verbs: &[Cmd::List(&LIST), Cmd::Call(&QUEUES), Cmd::Call(&RETRY), Cmd::Call(&STATUS), Cmd::Export(&LIST)],
};

const LIST: List = List {
    of: &lists::jobs::JOBS,
    noun: "jobs",
    one: "job",
    about: "Background work, newest first; done jobs are kept for a week",
    filters: &[
        Filter::new("status", "status", "Where they stand"),
        Filter::new("queue", "kind", "Their queue, such as mail").words(jobs::QUEUES),
        Filter::new("error", "last_error", "Part of their error"),
        Filter::new("due", "run_at", "When they are due"),
    ],
    since: "created_at",
    examples: &[("jobs list --status given_up", "what nobody tries again")],
};

const STATUS: Call = Call {
    name: "status",
    about: "The whole system: version, database, queues, webhooks, external panels, last backup and last check",
    examples: &[("jobs status --jq .database", "the database")],
    op: GetSystemStatus::OP,
    args: |command| command,
    request: |_, _| of::<GetSystemStatus>((), &NoQuery {}, &NoBody {}),
    at: "/data",
    columns: &[],
    write: None,
};

const QUEUES: Call = Call {
    name: "queues",
    about: "Queues with what waits, is due, runs, fails and was given up",
    examples: &[("jobs queues -o json", "for a monitor")],
    at: "/data/queues",
    columns: &[
        Column::new("kind", Kind::Word).titled("queue"),
        Column::new("waiting", Kind::Number),
        Column::new("due", Kind::Number),
        Column::new("running", Kind::Number),
        Column::new("failing", Kind::Number),
        Column::new("given_up", Kind::Number).titled("given up"),
        Column::new("oldest_due_at", Kind::Time).titled("oldest due"),
    ],
    ..STATUS
};

const RETRY: Call = Call {
    name: "retry",
    about: "Tries a job that waits or was given up at once, from its first try",
    examples: &[("jobs retry 12", "job 12")],
    op: RetryJob::OP,
    args: |command| command.arg(id_arg()),
    request: |_, matches| of::<RetryJob>(id(matches)?, &dry_run(matches), &NoBody {}),
    columns: &[],
    write: Some(Write {
        question: |matches| format!("Try job {} again?", given_id(matches)),
        danger: Danger::Final,
        said: |matches| format!("Job {} is due now.", given_id(matches)),
        rehearses: true,
    }),
    ..STATUS
};
