//! Background jobs and the system status.

use panel_contract::endpoint::{EmptyBody, EmptyQuery, Endpoint as _};
use panel_contract::endpoints::jobs::{GetSystemStatus, RetryJob};
use panel_contract::jobs;
use panel_contract::lists;

use crate::command::call::{Call, WriteSpec, id_arg, id_for_message, request_for, required_id};
use crate::command::confirm::{Reversibility, dry_run_query};
use crate::command::filter::Filter;
use crate::command::list::List;
use crate::command::{Cmd, CommandGroup};
use crate::output::column::{Column, Kind};

pub(crate) const COMMANDS: CommandGroup = CommandGroup {
    name: "jobs",
    alias: Some("job"),
    about: "Manage background jobs, such as emails and webhook deliveries",
    commands: &[
        Cmd::List(&LIST),
        Cmd::Call(&QUEUES),
        Cmd::Call(&RETRY),
        Cmd::Call(&STATUS),
        Cmd::Export(&LIST),
    ],
};

const LIST: List = List {
    declaration: &lists::jobs::JOBS,
    plural: "jobs",
    singular: "job",
    about: "List background jobs, newest first; finished jobs are kept for a week",
    filters: &[
        Filter::new("status", "status", "Filter by status"),
        Filter::new("queue", "kind", "Filter by queue, such as mail").enum_values(jobs::QUEUES),
        Filter::new("error", "last_error", "Filter by part of the error message"),
        Filter::new("due", "run_at", "Filter by due time"),
    ],
    time_column: "created_at",
    examples: &[("jobs list --status given_up", "jobs that are no longer retried")],
};

const STATUS: Call = Call {
    name: "status",
    about: "Show the system status: version, database, queues, webhooks, external panels, last backup and last check",
    examples: &[("jobs status --jq .database", "print only the database status")],
    op: GetSystemStatus::OP,
    args: |command| command,
    request: |_, _| request_for::<GetSystemStatus>((), &EmptyQuery {}, &EmptyBody {}),
    pointer: "/data",
    columns: &[],
    write: None,
};

const QUEUES: Call = Call {
    name: "queues",
    about: "List queues with their waiting, due, running, failing and abandoned jobs",
    examples: &[("jobs queues -o json", "print as JSON, for monitoring")],
    pointer: "/data/queues",
    columns: &[
        Column::new("kind", Kind::Enum).with_title("queue"),
        Column::new("waiting", Kind::Number),
        Column::new("due", Kind::Number),
        Column::new("running", Kind::Number),
        Column::new("failing", Kind::Number),
        Column::new("given_up", Kind::Number).with_title("given up"),
        Column::new("oldest_due_at", Kind::Time).with_title("oldest due"),
    ],
    ..STATUS
};

const RETRY: Call = Call {
    name: "retry",
    about: "Retry a waiting or abandoned job now, starting with the first attempt",
    examples: &[("jobs retry 12", "retry job 12")],
    op: RetryJob::OP,
    args: |command| command.arg(id_arg()),
    request: |_, matches| {
        request_for::<RetryJob>(required_id(matches)?, &dry_run_query(matches), &EmptyBody {})
    },
    columns: &[],
    write: Some(WriteSpec {
        question: |matches| format!("Retry job {}?", id_for_message(matches)),
        reversibility: Reversibility::Irreversible,
        success: |matches| format!("Job {} scheduled to run now.", id_for_message(matches)),
        has_dry_run: true,
    }),
    ..STATUS
};
