//! Webhooks: who is told of what happens, and what was sent to them.

use clap::{Arg, ArgAction, ArgMatches, Command};
use panel_contract::endpoint::{Endpoint as _, NoBody, NoQuery};
use panel_contract::endpoints::webhooks::{
    CreateWebhook, DeleteWebhook, ListWebhookDeliveries, ListWebhookTypes, RedeliverWebhook,
    RotateWebhookSecret, TestWebhook, UpdateWebhook,
};
use panel_contract::lists;
use panel_contract::table::TableQuery;
use panel_contract::webhooks::{DeliveryStatus, EventType, WebhookInput};

use crate::command::call::{Call, Write, arg, given_id, id, id_arg, of, on_off_arg, opt};
use crate::command::confirm::{Danger, dry_run};
use crate::command::filter::Filter;
use crate::command::list::List;
use crate::command::{Cmd, Noun};
use crate::output::column::{Column, Kind};

/// `webhooks`.
pub(crate) const NOUN: Noun = Noun {
    name: "webhooks",
    alias: Some("webhook"),
    about: "Who is told of what happens in the panel",
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
    of: &lists::webhooks::WEBHOOKS,
    noun: "webhooks",
    one: "webhook",
    about: "Webhooks, newest first",
    filters: &[
        Filter::new("url", "url", "Part of the address"),
        Filter::new("active", "is_active", "Whether they are told anything"),
        Filter::new("status", "status", "How they are doing"),
        Filter::new("types", "webhook_types", "Types of event that they are told of, any of these"),
    ],
    since: "created_at",
    examples: &[("webhooks list --columns id,status,notice", "how they are doing")],
};

const TYPES: Call = Call {
    name: "types",
    about: "What a webhook can be told of",
    examples: &[],
    op: ListWebhookTypes::OP,
    args: |command| command,
    request: |_, _| of::<ListWebhookTypes>((), &NoQuery {}, &NoBody {}),
    at: "/data",
    columns: &[
        Column::new("type", Kind::Word),
        Column::new("name", Kind::Text),
        Column::more("id", Kind::Id),
    ],
    write: None,
};

const CREATE: Call = Call {
    name: "create",
    about: "Makes a webhook; the answer has its secret, once",
    examples: &[(
        "webhooks create --url https://example.com/hook --types order.completed,order.canceled --jq .secret",
        "and keep the secret",
    )],
    op: CreateWebhook::OP,
    args: fields,
    request: |_, matches| of::<CreateWebhook>((), &NoQuery {}, &input(matches)),
    columns: &[],
    write: Some(Write {
        question: |_| "Make this webhook?".to_owned(),
        danger: Danger::Reversible("panelctl webhooks delete"),
        said: |_| "The webhook is made. Its secret is shown this once.".to_owned(),
        rehearses: false,
    }),
    ..TYPES
};

const UPDATE: Call = Call {
    name: "update",
    about: "Changes a webhook; only what is named. On another server it gets a new secret",
    examples: &[
        ("webhooks update 3 --active off", "it is told nothing"),
        ("webhooks update 3 --types order.created", "exactly this"),
    ],
    op: UpdateWebhook::OP,
    args: |command| fields(command.arg(id_arg())),
    request: |_, matches| of::<UpdateWebhook>(id(matches)?, &dry_run(matches), &input(matches)),
    columns: &[],
    write: Some(Write {
        question: |matches| format!("Change webhook {}?", given_id(matches)),
        danger: Danger::Reversible("The same command with the old values"),
        said: |matches| format!("Webhook {} is changed.", given_id(matches)),
        rehearses: true,
    }),
    ..TYPES
};

const DELETE: Call = Call {
    name: "delete",
    about: "Deletes a webhook with all that was sent to it",
    examples: &[("webhooks delete 3", "see webhooks deliveries 3 first")],
    op: DeleteWebhook::OP,
    args: |command| command.arg(id_arg()),
    request: |_, matches| of::<DeleteWebhook>(id(matches)?, &dry_run(matches), &NoBody {}),
    columns: &[],
    write: Some(Write {
        question: |matches| format!("Delete webhook {}?", given_id(matches)),
        danger: Danger::Final,
        said: |matches| format!("Webhook {} is deleted.", given_id(matches)),
        rehearses: true,
    }),
    ..TYPES
};

const TEST: Call = Call {
    name: "test",
    about: "Sends a test event now and shows what came of it",
    examples: &[("webhooks test 3 --jq '[.status, .error]'", "in short")],
    op: TestWebhook::OP,
    args: |command| command.arg(id_arg()),
    request: |_, matches| of::<TestWebhook>(id(matches)?, &NoQuery {}, &NoBody {}),
    columns: &[],
    write: Some(Write {
        question: |matches| format!("Send a test to webhook {}?", given_id(matches)),
        danger: Danger::Final,
        said: |matches| format!("A test was sent to webhook {}:", given_id(matches)),
        rehearses: false,
    }),
    ..TYPES
};

const ROTATE: Call = Call {
    name: "rotate-secret",
    about: "Makes another secret, shown once; for a day both sign",
    examples: &[("webhooks rotate-secret 3 --jq .secret", "the new one")],
    op: RotateWebhookSecret::OP,
    args: |command| command.arg(id_arg()),
    request: |_, matches| of::<RotateWebhookSecret>(id(matches)?, &dry_run(matches), &NoBody {}),
    columns: &[],
    write: Some(Write {
        question: |matches| format!("Make another secret for webhook {}?", given_id(matches)),
        danger: Danger::Final,
        said: |_| "The secret is made, and shown this once. The old one signs for a day as well.".to_owned(),
        rehearses: true,
    }),
    ..TYPES
};

const DELIVERIES: Call = Call {
    name: "deliveries",
    about: "What was sent to a webhook and what it answered, newest first",
    examples: &[("webhooks deliveries 3 --status failed", "what did not arrive")],
    op: ListWebhookDeliveries::OP,
    args: |command| {
        command.arg(id_arg()).args([
            Arg::new("status")
                .long("status")
                .value_name("STATUS")
                .value_parser(clap::builder::PossibleValuesParser::new(DeliveryStatus::WORDS.texts))
                .help("What became of them"),
            Arg::new("limit")
                .long("limit")
                .short('n')
                .value_name("ROWS")
                .value_parser(clap::value_parser!(i64).range(1..=1000))
                .help("At most so many [default: 30]"),
        ])
    },
    request: |_, matches| {
        let mut query = TableQuery::default();
        if let Some(status) = opt::<String>(matches, "status") {
            query = query.filter("status", status);
        }
        query.length = opt(matches, "limit");
        of::<ListWebhookDeliveries>(id(matches)?, &query, &NoBody {})
    },
    columns: &[
        Column::new("id", Kind::Id),
        Column::new("created_at", Kind::Time).titled("happened"),
        Column::new("type", Kind::Word),
        Column::new("status", Kind::Word),
        Column::new("attempts", Kind::Number),
        Column::new("response_status", Kind::Number).titled("answer"),
        Column::new("error", Kind::Text),
        Column::new("next_attempt_at", Kind::Time).titled("again at"),
        Column::more("attempted_at", Kind::Time),
        Column::more("message_id", Kind::Text),
        Column::more("body", Kind::Text),
        Column::more("log", Kind::Text),
    ],
    write: None,
    ..TYPES
};

const REDELIVER: Call = Call {
    name: "redeliver",
    about: "Delivers once more: the same message, from the first attempt",
    examples: &[("webhooks redeliver 3 120", "delivery 120 of webhook 3")],
    op: RedeliverWebhook::OP,
    args: |command| {
        let delivery = Arg::new("delivery").value_name("DELIVERY").required(true);
        let delivery = delivery.value_parser(clap::value_parser!(i64).range(1..));
        command.arg(id_arg()).arg(delivery.help("The delivery's id"))
    },
    request: |_, matches| {
        of::<RedeliverWebhook>((id(matches)?, arg(matches, "delivery")?), &dry_run(matches), &NoBody {})
    },
    columns: &[],
    write: Some(Write {
        question: |matches| {
            format!("Deliver {} once more?", arg::<i64>(matches, "delivery").unwrap_or_default())
        },
        danger: Danger::Final,
        said: |matches| {
            format!("Delivery {} is on its way.", arg::<i64>(matches, "delivery").unwrap_or_default())
        },
        rehearses: true,
    }),
    ..TYPES
};

fn fields(command: Command) -> Command {
    let types = EventType::CHOICES.iter().map(|kind| kind.as_str());
    command.args([
        Arg::new("url")
            .long("url")
            .value_name("URL")
            .help("Where deliveries go, such as https://example.com/hook"),
        Arg::new("types")
            .long("types")
            .value_name("TYPES")
            .value_delimiter(',')
            .action(ArgAction::Append)
            .value_parser(clap::builder::PossibleValuesParser::new(types))
            .hide_possible_values(true)
            .help("What it is told of, with commas; see webhooks types"),
        on_off_arg("active").long("active").help("Whether it is told anything"),
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
