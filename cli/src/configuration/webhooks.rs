//! `webhooks`: manages webhooks and their deliveries.

use clap::{Arg, ArgAction, ArgMatches, Command};
use panel_contract::endpoint::{EmptyBody, EmptyQuery, Endpoint as _};
use panel_contract::endpoints::webhooks::{
    CreateWebhook, DeleteWebhook, ListWebhookDeliveries, ListWebhookTypes, RedeliverWebhook,
    RotateWebhookSecret, TestWebhook, UpdateWebhook,
};
use panel_contract::lists;
use panel_contract::table::TableQuery;
use panel_contract::webhooks::{DeliveryStatus, EventType, WebhookInput};

use crate::command::confirm::{Reversibility, dry_run_query};
use crate::command::filter::Filter;
use crate::command::list::ListCommand;
use crate::command::request_command::{
    BASE_COMMAND, RequestCommand, WriteSpec, build_request, id_arg, id_for_message, on_off_arg,
    optional_value, required_id, required_value,
};
use crate::command::{CommandGroup, CommandSpec};
use crate::output::column::{Column, DisplayKind};

pub(crate) const COMMANDS: CommandGroup = CommandGroup {
    name: "webhooks",
    alias: Some("webhook"),
    about: "Manage webhooks and their deliveries",
    commands: &[
        CommandSpec::List(&LIST),
        CommandSpec::Request(&TYPES),
        CommandSpec::Request(&CREATE),
        CommandSpec::Request(&UPDATE),
        CommandSpec::Request(&DELETE),
        CommandSpec::Request(&TEST),
        CommandSpec::Request(&ROTATE_SECRET),
        CommandSpec::Request(&DELIVERIES),
        CommandSpec::Request(&REDELIVER),
        CommandSpec::Export(&LIST),
    ],
};

const LIST: ListCommand = ListCommand {
    declaration: &lists::webhooks::WEBHOOKS,
    plural: "webhooks",
    singular: "webhook",
    about: "List webhooks, newest first",
    filters: &[
        Filter::new("url", "url", "Filter by part of the link"),
        Filter::new("active", "is_active", "Filter by enabled (1) or disabled (0)"),
        Filter::new("status", "status", "Filter by status"),
        Filter::new("types", "webhook_types", "Filter by event type"),
    ],
    time_column: "created_at",
    examples: &[("webhooks list --columns id,status,notice", "show the status of all webhooks")],
};

const TYPES: RequestCommand = RequestCommand {
    name: "types",
    about: "List the event types of webhooks",
    examples: &[],
    op: ListWebhookTypes::OP,
    args: |command| command,
    request: |_, _| build_request::<ListWebhookTypes>((), &EmptyQuery {}, &EmptyBody {}),
    json_pointer: "/data",
    columns: &[
        Column::new("type", DisplayKind::Enum),
        Column::new("name", DisplayKind::Text),
        Column::hidden("id", DisplayKind::Id),
    ],
    write: None,
};

const CREATE: RequestCommand = RequestCommand {
    name: "create",
    about: "Create a webhook and show its secret once",
    examples: &[(
        "webhooks create --url https://example.com/hook --types order.completed,order.canceled --jq .secret",
        "create a webhook and print its secret",
    )],
    op: CreateWebhook::OP,
    args: webhook_args,
    request: |_, matches| build_request::<CreateWebhook>((), &EmptyQuery {}, &read_input(matches)),
    columns: &[],
    write: Some(WriteSpec {
        question: |_| "Create this webhook?".to_owned(),
        reversibility: Reversibility::Reversible("panelctl webhooks delete"),
        success: |_| "Webhook created. Its secret is shown only once.".to_owned(),
        has_dry_run: false,
    }),
    ..BASE_COMMAND
};

const UPDATE: RequestCommand = RequestCommand {
    name: "update",
    about: "Update a webhook; fields without an option keep their values. A new host gets a new secret",
    examples: &[
        ("webhooks update 3 --active off", "disable a webhook"),
        ("webhooks update 3 --types order.created", "replace its event types"),
    ],
    op: UpdateWebhook::OP,
    args: |command| webhook_args(command.arg(id_arg())),
    request: |_, matches| {
        build_request::<UpdateWebhook>(required_id(matches)?, &dry_run_query(matches), &read_input(matches))
    },
    columns: &[],
    write: Some(WriteSpec {
        question: |matches| format!("Update webhook {}?", id_for_message(matches)),
        reversibility: Reversibility::Reversible("run the command again with the old values"),
        success: |matches| format!("Webhook {} updated.", id_for_message(matches)),
        has_dry_run: true,
    }),
    ..BASE_COMMAND
};

const DELETE: RequestCommand = RequestCommand {
    name: "delete",
    about: "Delete a webhook and its deliveries",
    examples: &[("webhooks delete 3", "check its deliveries with webhooks deliveries 3 first")],
    op: DeleteWebhook::OP,
    args: |command| command.arg(id_arg()),
    request: |_, matches| {
        build_request::<DeleteWebhook>(required_id(matches)?, &dry_run_query(matches), &EmptyBody {})
    },
    columns: &[],
    write: Some(WriteSpec {
        question: |matches| format!("Delete webhook {}?", id_for_message(matches)),
        reversibility: Reversibility::Irreversible,
        success: |matches| format!("Webhook {} deleted.", id_for_message(matches)),
        has_dry_run: true,
    }),
    ..BASE_COMMAND
};

const TEST: RequestCommand = RequestCommand {
    name: "test",
    about: "Send a test event now and show the result",
    examples: &[("webhooks test 3 --jq '[.status, .error]'", "print only the status and the error")],
    op: TestWebhook::OP,
    args: |command| command.arg(id_arg()),
    request: |_, matches| build_request::<TestWebhook>(required_id(matches)?, &EmptyQuery {}, &EmptyBody {}),
    columns: &[],
    write: Some(WriteSpec {
        question: |matches| format!("Send a test event to webhook {}?", id_for_message(matches)),
        reversibility: Reversibility::Irreversible,
        success: |matches| format!("Test event sent to webhook {}:", id_for_message(matches)),
        has_dry_run: false,
    }),
    ..BASE_COMMAND
};

const ROTATE_SECRET: RequestCommand = RequestCommand {
    name: "rotate-secret",
    about: "Create a new secret and show it once; for one day the server signs with both secrets",
    examples: &[("webhooks rotate-secret 3 --jq .secret", "print only the new secret")],
    op: RotateWebhookSecret::OP,
    args: |command| command.arg(id_arg()),
    request: |_, matches| {
        build_request::<RotateWebhookSecret>(required_id(matches)?, &dry_run_query(matches), &EmptyBody {})
    },
    columns: &[],
    write: Some(WriteSpec {
        question: |matches| format!("Create a new secret for webhook {}?", id_for_message(matches)),
        reversibility: Reversibility::Irreversible,
        success: |_| {
            "Secret created. It is shown only once. For one day the server also signs with the old secret."
                .to_owned()
        },
        has_dry_run: true,
    }),
    ..BASE_COMMAND
};

const DELIVERIES: RequestCommand = RequestCommand {
    name: "deliveries",
    about: "List the deliveries of a webhook and their responses, newest first",
    examples: &[("webhooks deliveries 3 --status failed", "failed deliveries")],
    op: ListWebhookDeliveries::OP,
    args: |command| {
        command.arg(id_arg()).args([
            Arg::new("status")
                .long("status")
                .value_name("STATUS")
                .value_parser(clap::builder::PossibleValuesParser::new(DeliveryStatus::VALUES.texts))
                .help("Filter by status"),
            Arg::new("limit")
                .long("limit")
                .short('n')
                .value_name("ROWS")
                .value_parser(clap::value_parser!(i64).range(1..=1000))
                .help("Maximum number of rows [default: 30]"),
        ])
    },
    request: |_, matches| {
        let mut query = TableQuery::default();
        if let Some(status) = optional_value::<String>(matches, "status") {
            query = query.filter("status", status);
        }
        query.length = optional_value(matches, "limit");
        build_request::<ListWebhookDeliveries>(required_id(matches)?, &query, &EmptyBody {})
    },
    columns: &[
        Column::new("id", DisplayKind::Id),
        Column::new("created_at", DisplayKind::Time).with_title("created"),
        Column::new("type", DisplayKind::Enum),
        Column::new("status", DisplayKind::Enum),
        Column::new("attempts", DisplayKind::Number),
        Column::new("response_status", DisplayKind::Number).with_title("response"),
        Column::new("error", DisplayKind::Text),
        Column::new("next_attempt_at", DisplayKind::Time).with_title("next attempt"),
        Column::hidden("attempted_at", DisplayKind::Time),
        Column::hidden("message_id", DisplayKind::Text),
        Column::hidden("body", DisplayKind::Text),
        Column::hidden("log", DisplayKind::Text),
    ],
    write: None,
    ..BASE_COMMAND
};

const REDELIVER: RequestCommand = RequestCommand {
    name: "redeliver",
    about: "Deliver a message again, starting with the first attempt",
    examples: &[("webhooks redeliver 3 120", "deliver delivery 120 of webhook 3 again")],
    op: RedeliverWebhook::OP,
    args: |command| {
        let delivery = Arg::new("delivery").value_name("DELIVERY").required(true);
        let delivery = delivery.value_parser(clap::value_parser!(i64).range(1..));
        command.arg(id_arg()).arg(delivery.help("Id of the delivery"))
    },
    request: |_, matches| {
        build_request::<RedeliverWebhook>(
            (required_id(matches)?, required_value(matches, "delivery")?),
            &dry_run_query(matches),
            &EmptyBody {},
        )
    },
    columns: &[],
    write: Some(WriteSpec {
        question: |matches| {
            format!(
                "Deliver delivery {} again?",
                required_value::<i64>(matches, "delivery").unwrap_or_default()
            )
        },
        reversibility: Reversibility::Irreversible,
        success: |matches| {
            format!("Delivery {} scheduled.", required_value::<i64>(matches, "delivery").unwrap_or_default())
        },
        has_dry_run: true,
    }),
    ..BASE_COMMAND
};

fn webhook_args(command: Command) -> Command {
    let types = EventType::SUBSCRIBABLE_TYPES.iter().map(|event_type| event_type.as_str());
    command.args([
        Arg::new("url")
            .long("url")
            .value_name("URL")
            .help("URL that receives the events, such as https://example.com/hook"),
        Arg::new("types")
            .long("types")
            .value_name("TYPES")
            .value_delimiter(',')
            .action(ArgAction::Append)
            .value_parser(clap::builder::PossibleValuesParser::new(types))
            .hide_possible_values(true)
            .help("Event types, separated by commas (see webhooks types)"),
        on_off_arg("active").long("active").help("Enable or disable the webhook"),
    ])
}

fn read_input(matches: &ArgMatches) -> WebhookInput {
    let types = matches.get_many::<String>("types");
    WebhookInput {
        url: optional_value(matches, "url"),
        is_active: optional_value(matches, "active"),
        webhook_types: types.map(|types| types.filter_map(|event_type| event_type.parse().ok()).collect()),
        updated_at: None,
    }
}
