//! Webhooks, and their deliveries.

use clap::{Arg, ArgAction, ArgMatches, Command};
use panel_contract::endpoint::{EmptyBody, EmptyQuery, Endpoint as _};
use panel_contract::endpoints::webhooks::{
    CreateWebhook, DeleteWebhook, ListWebhookDeliveries, ListWebhookTypes, RedeliverWebhook,
    RotateWebhookSecret, TestWebhook, UpdateWebhook,
};
use panel_contract::lists;
use panel_contract::table::TableQuery;
use panel_contract::webhooks::{DeliveryStatus, EventType, WebhookInput};

use crate::command::call::{Call, Write, arg, id, id_arg, id_value, of, on_off_arg, opt};
use crate::command::confirm::{Danger, dry_run};
use crate::command::filter::Filter;
use crate::command::list::List;
use crate::command::{Cmd, Noun};
use crate::output::column::{Column, Kind};

pub(crate) const NOUN: Noun = Noun {
    name: "webhooks",
    alias: Some("webhook"),
    about: "Manage webhooks and their deliveries",
    verbs: &[
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
    noun: "webhooks",
    one: "webhook",
    about: "List webhooks, newest first",
    filters: &[
        Filter::new("url", "url", "Filter by part of the link"),
        Filter::new("active", "is_active", "Enabled or not"),
        Filter::new("status", "status", "Filter by status"),
        Filter::new("types", "webhook_types", "Filter by event type: any of these"),
    ],
    since: "created_at",
    examples: &[("webhooks list --columns id,status,notice", "show the status of all webhooks")],
};

const TYPES: Call = Call {
    name: "types",
    about: "List the event types of webhooks",
    examples: &[],
    op: ListWebhookTypes::OP,
    args: |command| command,
    request: |_, _| of::<ListWebhookTypes>((), &EmptyQuery {}, &EmptyBody {}),
    pointer: "/data",
    columns: &[
        Column::new("type", Kind::Word),
        Column::new("name", Kind::Text),
        Column::extra("id", Kind::Id),
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
    args: fields,
    request: |_, matches| of::<CreateWebhook>((), &EmptyQuery {}, &input(matches)),
    columns: &[],
    write: Some(Write {
        question: |_| "Create this webhook?".to_owned(),
        danger: Danger::Reversible("panelctl webhooks delete"),
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
    args: |command| fields(command.arg(id_arg())),
    request: |_, matches| of::<UpdateWebhook>(id(matches)?, &dry_run(matches), &input(matches)),
    columns: &[],
    write: Some(Write {
        question: |matches| format!("Update webhook {}?", id_value(matches)),
        danger: Danger::Reversible("run the command again with the old values"),
        success: |matches| format!("Webhook {} updated.", id_value(matches)),
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
    request: |_, matches| of::<DeleteWebhook>(id(matches)?, &dry_run(matches), &EmptyBody {}),
    columns: &[],
    write: Some(Write {
        question: |matches| format!("Delete webhook {}?", id_value(matches)),
        danger: Danger::Final,
        success: |matches| format!("Webhook {} deleted.", id_value(matches)),
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
    request: |_, matches| of::<TestWebhook>(id(matches)?, &EmptyQuery {}, &EmptyBody {}),
    columns: &[],
    write: Some(Write {
        question: |matches| format!("Send a test event to webhook {}?", id_value(matches)),
        danger: Danger::Final,
        success: |matches| format!("Test event sent to webhook {}:", id_value(matches)),
        has_dry_run: false,
    }),
    ..TYPES
};

const ROTATE: Call = Call {
    name: "rotate-secret",
    about: "Create a new secret and show it once; both secrets sign for a day",
    examples: &[("webhooks rotate-secret 3 --jq .secret", "print only the new secret")],
    op: RotateWebhookSecret::OP,
    args: |command| command.arg(id_arg()),
    request: |_, matches| of::<RotateWebhookSecret>(id(matches)?, &dry_run(matches), &EmptyBody {}),
    columns: &[],
    write: Some(Write {
        question: |matches| format!("Create a new secret for webhook {}?", id_value(matches)),
        danger: Danger::Final,
        success: |_| "Secret created. It is shown only once. The old secret also signs for a day.".to_owned(),
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
        if let Some(status) = opt::<String>(matches, "status") {
            query = query.filter("status", status);
        }
        query.length = opt(matches, "limit");
        of::<ListWebhookDeliveries>(id(matches)?, &query, &EmptyBody {})
    },
    columns: &[
        Column::new("id", Kind::Id),
        Column::new("created_at", Kind::Time).titled("created"),
        Column::new("type", Kind::Word),
        Column::new("status", Kind::Word),
        Column::new("attempts", Kind::Number),
        Column::new("response_status", Kind::Number).titled("response"),
        Column::new("error", Kind::Text),
        Column::new("next_attempt_at", Kind::Time).titled("next attempt"),
        Column::extra("attempted_at", Kind::Time),
        Column::extra("message_id", Kind::Text),
        Column::extra("body", Kind::Text),
        Column::extra("log", Kind::Text),
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
        of::<RedeliverWebhook>((id(matches)?, arg(matches, "delivery")?), &dry_run(matches), &EmptyBody {})
    },
    columns: &[],
    write: Some(Write {
        question: |matches| {
            format!("Deliver delivery {} again?", arg::<i64>(matches, "delivery").unwrap_or_default())
        },
        danger: Danger::Final,
        success: |matches| {
            format!("Delivery {} scheduled.", arg::<i64>(matches, "delivery").unwrap_or_default())
        },
        has_dry_run: true,
    }),
    ..TYPES
};

fn fields(command: Command) -> Command {
    let types = EventType::CHOICES.iter().map(|kind| kind.as_str());
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

fn input(matches: &ArgMatches) -> WebhookInput {
    let types = matches.get_many::<String>("types");
    WebhookInput {
        url: opt(matches, "url"),
        is_active: opt(matches, "active"),
        webhook_types: types.map(|types| types.filter_map(|word| word.parse().ok()).collect()),
        updated_at: None,
    }
}
