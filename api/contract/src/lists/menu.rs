//! The list of menu items.

use crate::endpoints::menu::ListMenuItems;
use crate::lists::List;
use crate::lists::column::{Column, enum_value, flag, id, number, text, time};
use crate::menu::MenuItemStatus;

/// Items of the menu, newest first.
pub static MENU_ITEMS: List = List::for_endpoint::<ListMenuItems>("panel-menu-items", COLUMNS)
    .filters(&[flag("is_archived", "")])
    .console_columns(&[
        "id",
        "name",
        "url",
        "parent.name",
        "sorting",
        "status",
        "is_allowed_for_authorized",
        "is_allowed_for_guest",
    ])
    .terminal_columns(&[
        "sorting",
        "id",
        "name",
        "url",
        "parent.name",
        "status",
        "is_allowed_for_authorized",
        "is_allowed_for_guest",
    ])
    .validate();

const COLUMNS: &[Column] = &[
    id("id", "ID"),
    id("menu_item_id", "").alias_of("id"),
    text("name", "Name"),
    text("url", "URL").short_label("url"),
    id("parent.id", "").nullable(),
    text("parent.name", "Parent item").nullable(),
    number("sorting", "Position"),
    enum_value("status", "Status", MenuItemStatus::VALUES),
    flag("is_enabled", ""),
    flag("is_archived", ""),
    flag("is_allowed_for_authorized", "For signed-in customers").short_label("signed in"),
    flag("is_allowed_for_guest", "For guests").short_label("guests"),
    flag("is_blank", "New tab"),
    time("created_at", "Created"),
];
