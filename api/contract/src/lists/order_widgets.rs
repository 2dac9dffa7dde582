//! The list of order widgets.

use crate::endpoints::order_widgets::ListOrderWidgets;
use crate::lists::column::{Column, exact_text, flag, fraction, id, money, record, text, time};
use crate::lists::{List, RecordKind};

/// Order widgets, newest first.
pub static ORDER_WIDGETS: List = List::for_endpoint::<ListOrderWidgets>("order-widgets", COLUMNS)
    .console_columns(&[
        "id",
        "name",
        "user.name",
        "is_outer",
        "minimum_purchase_amount",
        "reward_fraction",
        "created_at",
        "api_token",
    ])
    .terminal_columns(&[
        "id",
        "name",
        "user.email",
        "is_outer",
        "minimum_purchase_amount",
        "reward_fraction",
        "created_at",
    ])
    .validate();

const COLUMNS: &[Column] = &[
    id("id", "ID"),
    text("name", "Name"),
    record("user", "", RecordKind::User).filter_only(),
    id("user.id", ""),
    text("user.name", "Owner").filtered_by("user"),
    text("user.email", "").short_label("owner"),
    flag("is_outer", "External").short_label("outer"),
    exact_text("api_token", "Embed"),
    money("minimum_purchase_amount", "Minimum cost").short_label("least").nullable(),
    fraction("reward_fraction", "Reward"),
    time("created_at", "Created").short_label("created at"),
];
