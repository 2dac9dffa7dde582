//! External panel orders: orders as they were placed at external panels.

use panel_contract::endpoint::Endpoint as _;
use panel_contract::endpoints::external_panel_orders::{ListExternalPanelOrders, RecreateExternalPanelOrder};
use panel_contract::orders::{ExternalStatus, OrderStatus};

use crate::command::act::{Verb, each, one};
use crate::command::confirm::Danger;
use crate::command::filter::{Filter, Takes};
use crate::command::list::List;
use crate::command::{Cmd, Noun};
use crate::output::column::{Column, Kind};
use crate::words_of;

/// `external-panel-orders`.
pub(crate) const NOUN: Noun = Noun {
    name: "external-panel-orders",
    alias: Some("external-orders"),
    about: "Orders as they were placed at external panels",
    verbs: &[Cmd::List(&LIST), Cmd::Act(&RECREATE), Cmd::Export(&LIST)],
};

const LIST: List = List {
    noun: "external panel orders",
    one: "external panel order",
    about: "Orders as they were placed at external panels, newest first",
    op: ListExternalPanelOrders::OP,
    columns: &[
        Column::new("id", Kind::Id),
        Column::new("order.id", Kind::Id).titled("order"),
        Column::new("status", Kind::Word),
        Column::new("provider.name", Kind::Text).titled("provider"),
        Column::new("external_panel_order_id", Kind::Text).titled("id there"),
        Column::new("initial_quantity", Kind::Number).titled("quantity"),
        Column::new("remains", Kind::Number),
        Column::new("charge", Kind::Number),
        Column::new("created_at", Kind::Time).titled("created"),
        Column::new("last_error", Kind::Text).titled("error"),
        Column::more("order.name", Kind::Text),
        Column::more("order.status", Kind::Word),
        Column::more("service.id", Kind::Id),
        Column::more("service.name", Kind::Text),
        Column::more("provider.id", Kind::Id),
        Column::more("external_panel.id", Kind::Id),
        Column::more("external_panel.name", Kind::Text),
        Column::more("external_panel_service_id", Kind::Text),
        Column::more("initial_charge", Kind::Number),
        Column::more("currency", Kind::Word),
        Column::more("start_count", Kind::Number),
        Column::more("last_request", Kind::Text),
        Column::more("last_answer", Kind::Text),
        Column::more("not_forwarded", Kind::Text).titled("not forwarded"),
        Column::more("unknown_message", Kind::Text),
        Column::more("alert_at", Kind::Time),
        Column::more("sent_at", Kind::Time),
        Column::more("cancel_requested_at", Kind::Time),
        Column::more("ended_at", Kind::Time),
    ],
    filters: &[
        Filter {
            flag: "status",
            column: "status",
            takes: words_of!(ExternalStatus),
            help: "Where they stand there",
        },
        Filter {
            flag: "stuck",
            column: "stuck",
            takes: Takes::Plain(&Takes::Flag),
            help: "Open for longer than is usual, or waiting for a person",
        },
        Filter { flag: "order-id", column: "order_id", takes: Takes::Plain(&Takes::Ids), help: "The order" },
        Filter {
            flag: "order-status",
            column: "order.status",
            takes: words_of!(OrderStatus),
            help: "Where the order stands",
        },
        Filter {
            flag: "provider-id",
            column: "provider_id",
            takes: Takes::Plain(&Takes::Ids),
            help: "The provider",
        },
        Filter {
            flag: "provider",
            column: "provider",
            takes: Takes::Any("TEXT"),
            help: "Part of the provider's name",
        },
        Filter {
            flag: "panel-id",
            column: "external_panel_id",
            takes: Takes::Plain(&Takes::Ids),
            help: "The external panel",
        },
        Filter {
            flag: "panel",
            column: "external_panel",
            takes: Takes::Any("TEXT"),
            help: "Part of the external panel's name",
        },
        Filter {
            flag: "id-there",
            column: "external_panel_order_id",
            takes: Takes::Any("ID"),
            help: "The id that it has there",
        },
        Filter {
            flag: "alert",
            column: "alert_at",
            takes: Takes::Time,
            help: "Since when a person should look",
        },
        Filter {
            flag: "unknown-message",
            column: "unknown_message",
            takes: Takes::Any("TEXT"),
            help: "Part of the words that left it open whether the panel took it",
        },
        Filter { flag: "created", column: "created_at", takes: Takes::Time, help: "When it was made" },
    ],
    also_filters: &["sold_quantity", "service"],
    since: "created_at",
    examples: &[
        ("external-panel-orders list --stuck 1", "what a person should look at"),
        (
            "external-panel-orders list --stuck 1 --columns id,order.id,external_panel.id,unknown_message",
            "the panels' words that left it open; where they mean \"not taken\": external-panels add-rejection-message",
        ),
        ("external-panel-orders list --order-id 981204", "all attempts of one order"),
    ],
};

const RECREATE: Verb = Verb {
    name: "recreate",
    past: "recreated",
    about: "Places once more, at the same provider, what was left undelivered. Of one that nobody knows about this says that the panel did not take it: look there first",
    list: &LIST,
    danger: Danger::Final,
    reaches: &[RecreateExternalPanelOrder::OP],
    of_one: &[],
    args: |command| command,
    many: each::<RecreateExternalPanelOrder>,
    one: one::<RecreateExternalPanelOrder>,
    examples: &[
        ("external-panel-orders recreate 9001 9002", "two of them"),
        (
            "external-panel-orders recreate --stuck 1 --status Canceled --all-matching --dry-run",
            "what would be placed again",
        ),
    ],
};
