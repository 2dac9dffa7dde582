//! The list of order widgets.

use crate::endpoints::order_widgets::ListOrderWidgets;
use crate::lists::column::{Column, exact, flag, fraction, id, money, record, text, time};
use crate::lists::{List, Record};

/// Order widgets, newest first.
pub static ORDER_WIDGETS: List = List::of::<ListOrderWidgets>("order-widgets", COLUMNS)
    .wide(&[
        "id",
        "name",
        "user.name",
        "is_outer",
        "minimum_purchase_amount",
        "reward_percent",
        "created_at",
        "api_token",
    ])
    .narrow(&[
        "id",
        "name",
        "user.email",
        "is_outer",
        "minimum_purchase_amount",
        "reward_percent",
        "created_at",
    ])
    .checked();

const COLUMNS: &[Column] = &[
    id("id", "ID"),
    text("name", "Name"),
    record("user", "", Record::User).filter_only(),
    id("user.id", ""),
    text("user.name", "Owner").filtered_by("user"),
    text("user.email", "").short("owner"),
    flag("is_outer", "External").short("outer"),
    exact("api_token", "Embed"),
    money("minimum_purchase_amount", "Minimum cost").short("least").nullable(),
    fraction("reward_percent", "Reward"),
    time("created_at", "Created").short("created at"),
];
