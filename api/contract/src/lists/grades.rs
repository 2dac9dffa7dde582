//! The list of grades.

use crate::endpoints::grades::ListGrades;
use crate::lists::List;
use crate::lists::column::{Column, flag, fraction, id, json, money, number, text, time};

/// Grades of customers, newest first.
pub static GRADES: List = List::for_endpoint::<ListGrades>("grades", COLUMNS)
    .filters(&[flag("is_archived", "Archived")])
    .console_columns(&[
        "id",
        "name",
        "discount_fraction",
        "spending_goal",
        "users_count",
        "thumbnail_period",
        "consultation_chat_period",
        "available_closed_sales",
        "available_personal_manager",
        "translations",
        "is_archived",
    ])
    .terminal_columns(&[
        "id",
        "name",
        "discount_fraction",
        "spending_goal",
        "users_count",
        "thumbnail_period",
        "consultation_chat_period",
        "is_archived",
    ])
    .validate();

const COLUMNS: &[Column] = &[
    id("id", "ID"),
    text("name", "Name"),
    time("created_at", "Created"),
    number("users_count", "Customers").short_label("users"),
    fraction("discount_fraction", "Discount"),
    number("thumbnail_period", "Thumbnail, days").short_label("thumbnails").nullable(),
    number("consultation_chat_period", "Chat, days").short_label("chats").nullable(),
    flag("available_closed_sales", "Closed sales"),
    flag("available_personal_manager", "Manager"),
    money("spending_goal", "Spending goal"),
    flag("is_archived", "Archived"),
    text("icon", "").nullable().row_only(),
    json("translations", "Languages").row_only(),
];
