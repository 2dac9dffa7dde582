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

use crate::command::call::{
    Call, WriteSpec, id_arg, id_for_message, on_off_arg, optional_value, request_for, required_id,
    required_value,
};
use crate::command::confirm::{Reversibility, dry_run_query};
use crate::command::filter::Filter;
use crate::command::list::List;
use crate::command::{Cmd, CommandGroup};
use crate::output::column::{Column, Kind};

pub(crate) const COMMANDS: CommandGroup = CommandGroup {
    name: "webhooks",
    alias: Some("webhook"),
    about: "Manage webhooks and their deliveries",
    commands: &[
        Cmd::List(&LIST),
        Cmd::Call(&TYPES),
        Cmd::Call(&CREATE),
        Cmd::Call(&UPDATE),
        Cmd::Call(&DELETE),
        Cmd::Call(&TEST),
        Cmd::Call(&ROTATE),
        Cmd::Call(&DELIVERIES),
        Cmd::Call(&REDELIVER),
        Cmd::Export(&LIST),
    ],
};

const LIST: List = List {
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

const TYPES: Call = Call {
    name: "types",
    about: "List the event types of webhooks",
    examples: &[],
    op: ListWebhookTypes::OP,
    args: |command| command,
    request: |_, _| request_for::<ListWebhookTypes>((), &EmptyQuery {}, &EmptyBody {}),
    pointer: "/data",
    columns: &[
        Column::new("type", Kind::Enum),
        Column::new("name", Kind::Text),
        Column::hidden("id", Kind::Id),
    ],
    write: None,
};

const CREATE: Call = Call {
    name: "create",
    about: "Create a webhook and show its secret once",
    examples: &[(
        "webhooks create --url https://example.com/hook --types order.completed,order.canceled --jq .secret",
        "create a webhook and print its secret",
    )],
    op: CreateWebhook::OP,
    args: webhook_args,
    request: |_, matches| request_for::<CreateWebhook>((), &EmptyQuery {}, &read_input(matches)),
    columns: &[],
    write: Some(WriteSpec {
        question: |_| "Create this webhook?".to_owned(),
        reversibility: Reversibility::Reversible("panelctl webhooks delete"),
        success: |_| "Webhook created. Its secret is shown only once.".to_owned(),
        has_dry_run: false,
    }),
    ..TYPES
};

const UPDATE: Call = Call {
    name: "update",
    about: "Update a webhook; fields without an option keep their values. A new host gets a new secret",
    examples: &[
        ("webhooks update 3 --active off", "disable a webhook"),
        ("webhooks update 3 --types order.created", "replace its event types"),
    ],
    op: UpdateWebhook::OP,
    args: |command| webhook_args(command.arg(id_arg())),
    request: |_, matches| {
        request_for::<UpdateWebhook>(required_id(matches)?, &dry_run_query(matches), &read_input(matches))
    },
    columns: &[],
    write: Some(WriteSpec {
        question: |matches| format!("Update webhook {}?", id_for_message(matches)),
        reversibility: Reversibility::Reversible("run the command again with the old values"),
        success: |matches| format!("Webhook {} updated.", id_for_message(matches)),
        has_dry_run: true,
    }),
    ..TYPES
};

const DELETE: Call = Call {
    name: "delete",
    about: "Delete a webhook and its deliveries",
    examples: &[("webhooks delete 3", "check its deliveries with webhooks deliveries 3 first")],
    op: DeleteWebhook::OP,
    args: |command| command.arg(id_arg()),
    request: |_, matches| {
        request_for::<DeleteWebhook>(required_id(matches)?, &dry_run_query(matches), &EmptyBody {})
    },
    columns: &[],
    write: Some(WriteSpec {
        question: |matches| format!("Delete webhook {}?", id_for_message(matches)),
        reversibility: Reversibility::Irreversible,
        success: |matches| format!("Webhook {} deleted.", id_for_message(matches)),
        has_dry_run: true,
    }),
    ..TYPES
};

const TEST: Call = Call {
    name: "test",
    about: "Send a test event now and show the result",
    examples: &[("webhooks test 3 --jq '[.status, .error]'", "print only the status and the error")],
    op: TestWebhook::OP,
    args: |command| command.arg(id_arg()),
    request: |_, matches| request_for::<TestWebhook>(required_id(matches)?, &EmptyQuery {}, &EmptyBody {}),
    columns: &[],
    write: Some(WriteSpec {
        question: |matches| format!("Send a test event to webhook {}?", id_for_message(matches)),
        reversibility: Reversibility::Irreversible,
        success: |matches| format!("Test event sent to webhook {}:", id_for_message(matches)),
        has_dry_run: false,
    }),
    ..TYPES
};

const ROTATE: Call = Call {
    name: "rotate-secret",
    about: "Create a new secret and show it once; for one day the panel signs with both secrets",
    examples: &[("webhooks rotate-secret 3 --jq .secret", "print only the new secret")],
    op: RotateWebhookSecret::OP,
    args: |command| command.arg(id_arg()),
    request: |_, matches| {
        request_for::<RotateWebhookSecret>(required_id(matches)?, &dry_run_query(matches), &EmptyBody {})
    },
    columns: &[],
    write: Some(WriteSpec {
        question: |matches| format!("Create a new secret for webhook {}?", id_for_message(matches)),
        reversibility: Reversibility::Irreversible,
        success: |_| {
            "Secret created. It is shown only once. For one day the panel also signs with the old secret."
                .to_owned()
        },
        has_dry_run: true,
    }),
    ..TYPES
};

const DELIVERIES: Call = Call {
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
        request_for::<ListWebhookDeliveries>(required_id(matches)?, &query, &EmptyBody {})
    },
    columns: &[
        Column::new("id", Kind::Id),
        Column::new("created_at", Kind::Time).with_title("created"),
        Column::new("type", Kind::Enum),
        Column::new("status", Kind::Enum),
        Column::new("attempts", Kind::Number),
        Column::new("response_status", Kind::Number).with_title("response"),
        Column::new("error", Kind::Text),
        Column::new("next_attempt_at", Kind::Time).with_title("next attempt"),
        Column::hidden("attempted_at", Kind::Time),
        Column::hidden("message_id", Kind::Text),
        Column::hidden("body", Kind::Text),
        Column::hidden("log", Kind::Text),
    ],
    write: None,
    ..TYPES
};

const REDELIVER: Call = Call {
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
        request_for::<RedeliverWebhook>(
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
    ..TYPES
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
