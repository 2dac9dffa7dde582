//! The list of grades.

use crate::endpoints::grades::ListGrades;
use crate::lists::List;
use crate::lists::column::{Column, flag, fraction, id, json, money, number, text, time};

/// Grades of customers, newest first.
pub static GRADES: List = List::of::<ListGrades>("grades", COLUMNS)
    .filters(&[flag("is_archived", "Archived")])
    .wide(&[
        "id",
        "name",
        "discount_percent",
        "spending_goal",
        "users_count",
        "thumbnail_period",
        "consultation_chat_period",
        "available_closed_sales",
        "available_personal_manager",
        "translations",
        "is_archived",
    ])
    .narrow(&[
        "id",
        "name",
        "discount_percent",
        "spending_goal",
        "users_count",
        "thumbnail_period",
        "consultation_chat_period",
        "is_archived",
    ])
    .checked();

const COLUMNS: &[Column] = &[
    id("id", "ID"),
    text("name", "Name"),
    time("created_at", "Created"),
    number("users_count", "Customers").short("users"),
    fraction("discount_percent", "Discount"),
    number("thumbnail_period", "Thumbnail, days").short("thumbnails").nullable(),
    number("consultation_chat_period", "Chat, days").short("chats").nullable(),
    flag("available_closed_sales", "Closed sales"),
    flag("available_personal_manager", "Manager"),
    money("spending_goal", "Spending goal"),
    flag("is_archived", "Archived"),
    text("icon", "").nullable().row_only(),
    json("translations", "Languages").row_only(),
];
