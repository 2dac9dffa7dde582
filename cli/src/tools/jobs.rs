//! Background jobs and the system status.

use panel_contract::endpoint::{EmptyBody, EmptyQuery, Endpoint as _};
use panel_contract::endpoints::jobs::{GetSystemStatus, RetryJob};
use panel_contract::jobs;
use panel_contract::lists;

use crate::command::confirm::{Reversibility, dry_run_query};
use crate::command::filter::Filter;
use crate::command::list::ListCommand;
use crate::command::request_command::{
    BASE_COMMAND, RequestCommand, WriteSpec, build_request, id_arg, id_for_message, required_id,
};
use crate::command::{CommandGroup, CommandSpec};
use crate::output::column::{Column, DisplayKind};

pub(crate) const COMMANDS: CommandGroup = CommandGroup {
    name: "jobs",
    alias: Some("job"),
    about: "Manage background jobs, such as emails and webhook deliveries",
    commands: &[
        CommandSpec::List(&LIST),
        CommandSpec::Request(&QUEUES),
        CommandSpec::Request(&RETRY),
        CommandSpec::Request(&STATUS),
        CommandSpec::Export(&LIST),
    ],
};

const LIST: ListCommand = ListCommand {
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

const STATUS: RequestCommand = RequestCommand {
    name: "status",
    about: "Show the system status: version, database, queues, webhooks, external panels, last backup and last data check",
    examples: &[("jobs status --jq .database", "print only the database status")],
    op: GetSystemStatus::OP,
    args: |command| command,
    request: |_, _| build_request::<GetSystemStatus>((), &EmptyQuery {}, &EmptyBody {}),
    json_pointer: "/data",
    columns: &[],
    write: None,
};

const QUEUES: RequestCommand = RequestCommand {
    name: "queues",
    about: "List queues with their waiting, due, running, failing and given-up jobs",
    examples: &[("jobs queues -o json", "print as JSON, for monitoring")],
    op: GetSystemStatus::OP,
    request: |_, _| build_request::<GetSystemStatus>((), &EmptyQuery {}, &EmptyBody {}),
    json_pointer: "/data/queues",
    columns: &[
        Column::new("kind", DisplayKind::Enum).with_title("queue"),
        Column::new("waiting", DisplayKind::Number),
        Column::new("due", DisplayKind::Number),
        Column::new("running", DisplayKind::Number),
        Column::new("failing", DisplayKind::Number),
        Column::new("given_up", DisplayKind::Number).with_title("given up"),
        Column::new("oldest_due_at", DisplayKind::Time).with_title("oldest due"),
    ],
    ..BASE_COMMAND
};

const RETRY: RequestCommand = RequestCommand {
    name: "retry",
    about: "Retry a waiting or given-up job now, and reset its number of attempts",
    examples: &[("jobs retry 12", "retry job 12")],
    op: RetryJob::OP,
    args: |command| command.arg(id_arg()),
    request: |_, matches| {
        build_request::<RetryJob>(required_id(matches)?, &dry_run_query(matches), &EmptyBody {})
    },
    columns: &[],
    write: Some(WriteSpec {
        question: |matches| format!("Retry job {}?", id_for_message(matches)),
        reversibility: Reversibility::Irreversible,
        success: |matches| format!("Job {} scheduled to run now.", id_for_message(matches)),
        has_dry_run: true,
    }),
    ..BASE_COMMAND
};
