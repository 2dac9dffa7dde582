//! The orders lists: what can be seen and filtered.

use panel_contract::endpoint::Endpoint as _;
use panel_contract::endpoints::orders::{ListChildPanelOrders, ListOrders};
use panel_contract::orders::{Approval, OrderSource, OrderStatus};

use crate::command::filter::{Filter, Takes};
use crate::command::list::List;
use crate::output::column::{Column, Kind};
use crate::words_of;

/// Orders.
pub(crate) const ORDERS: List = List {
    noun: "orders",
    one: "order",
    about: "Orders, newest first",
    op: ListOrders::OP,
    columns: COLUMNS,
    filters: FILTERS,
    also_filters: &[
        "keyword",
        "seo_keyword",
        "countries",
        "child_id",
        "quantity_for_full_fill",
        "refill_quantity",
        "refill.first.quantity",
        "refill.last.quantity",
        "promotable.embed_url",
        "promotable.region_restriction",
        "promotable.average_viewers",
        "promotable.first_statistic_viewers",
        "promotable.supported_at",
        "promotable.supported_until",
    ],
    since: "created_at",
    examples: &[
        ("orders list --status in_moderation --since 7d", "what waits for moderation, of the last week"),
        (
            "orders list --user-id 42 --cost 10.. --sort -cost",
            "one customer's dear orders, the dearest first",
        ),
        (
            "orders list --status stopped --all -o ids | panelctl orders activate --ids-from - --yes",
            "lists feed actions",
        ),
        ("orders list --all --since 2026-11-01 -o csv > november.csv", "for a spreadsheet"),
    ],
};

/// Orders of child panels.
pub(crate) const CHILD_PANEL_ORDERS: List = List {
    about: "Orders of child panels, newest first",
    op: ListChildPanelOrders::OP,
    examples: &[("child-panel-orders list --status in_processing", "what child panels have running")],
    ..ORDERS
};

const COLUMNS: &[Column] = &[
    Column::new("id", Kind::Id),
    Column::new("status", Kind::Word),
    Column::new("approval", Kind::Word),
    Column::new("created_at", Kind::Time).titled("created"),
    Column::new("service.name", Kind::Text).titled("service"),
    Column::new("user.email", Kind::Text).titled("user"),
    Column::new("quantity", Kind::Number),
    Column::new("current_quantity", Kind::Number).titled("delivered"),
    Column::new("cost", Kind::Number),
    Column::new("url", Kind::Text),
    Column::more("name", Kind::Text),
    Column::more("source", Kind::Word),
    Column::more("price", Kind::Number),
    Column::more("refunded", Kind::Number),
    Column::more("percent_of_current_fill", Kind::Number),
    Column::more("margin_percent", Kind::Number),
    Column::more("completed_at", Kind::Time),
    Column::more("updated_at", Kind::Time),
    Column::more("is_paid", Kind::Word),
    Column::more("has_refill", Kind::Word),
    Column::more("auto_refill_is_allowed", Kind::Word),
    Column::more("has_no_active_providers", Kind::Word),
    Column::more("comment", Kind::Text),
    Column::more("subscription_id", Kind::Id),
    Column::more("drip_feed_id", Kind::Id),
    Column::more("combo_order_id", Kind::Id),
    Column::more("service.id", Kind::Id),
    Column::more("user.id", Kind::Id),
    Column::more("user.name", Kind::Text),
    Column::more("user.telegram_username", Kind::Text),
    Column::more("user.balance", Kind::Number),
    Column::more("user.spent", Kind::Number),
];

const FILTERS: &[Filter] = &[
    Filter { flag: "status", column: "status", takes: words_of!(OrderStatus), help: "Where they stand" },
    Filter { flag: "approval", column: "approval", takes: words_of!(Approval), help: "What moderation said" },
    Filter { flag: "source", column: "source", takes: words_of!(OrderSource), help: "Where they came from" },
    Filter { flag: "user-id", column: "user.id", takes: Takes::Ids, help: "The customer" },
    Filter {
        flag: "user",
        column: "user",
        takes: Takes::Any("TEXT"),
        help: "Part of a customer's name or email",
    },
    Filter { flag: "service-id", column: "service.id", takes: Takes::Ids, help: "The service" },
    Filter {
        flag: "service",
        column: "service",
        takes: Takes::Any("TEXT"),
        help: "Part of a service's name",
    },
    Filter { flag: "url", column: "url", takes: Takes::Any("TEXT"), help: "Part of the address" },
    Filter { flag: "cost", column: "cost", takes: Takes::Numbers, help: "What was charged" },
    Filter { flag: "quantity", column: "quantity", takes: Takes::Numbers, help: "How many were ordered" },
    Filter { flag: "created", column: "created_at", takes: Takes::Time, help: "When they were placed" },
    Filter {
        flag: "completed",
        column: "completed_at",
        takes: Takes::Time,
        help: "When they were completed",
    },
    Filter {
        flag: "no-active-providers",
        column: "has_no_active_providers",
        takes: Takes::Flag,
        help: "In processing, and nobody delivers",
    },
    Filter {
        flag: "subscription-id",
        column: "subscription_id",
        takes: Takes::Plain(&Takes::Ids),
        help: "Placed by it",
    },
    Filter {
        flag: "drip-feed-id",
        column: "drip_feed_id",
        takes: Takes::Plain(&Takes::Ids),
        help: "Placed by it",
    },
    Filter {
        flag: "combo-order-id",
        column: "combo_order_id",
        takes: Takes::Plain(&Takes::Ids),
        help: "Part of it",
    },
];
