//! The list of menu items.

use crate::endpoints::menu::ListMenuItems;
use crate::lists::List;
use crate::lists::column::{Column, flag, id, number, text, time, word};
use crate::menu::MenuItemStatus;

/// Items of the menu, newest first.
pub static MENU_ITEMS: List = List::of::<ListMenuItems>("panel-menu-items", COLUMNS)
    .filters(&[flag("is_archived", "")])
    .wide(&[
        "id",
        "name",
        "url",
        "parent.name",
        "sorting",
        "status",
        "is_allowed_for_authorized",
        "is_allowed_for_guest",
    ])
    .narrow(&[
        "sorting",
        "id",
        "name",
        "url",
        "parent.name",
        "status",
        "is_allowed_for_authorized",
        "is_allowed_for_guest",
    ])
    .checked();

const COLUMNS: &[Column] = &[
    id("id", "ID"),
    id("menu_item_id", "").alias_of("id"),
    text("name", "Name"),
    text("url", "URL").short("url"),
    id("parent.id", "").nullable(),
    text("parent.name", "Parent item").nullable(),
    number("sorting", "Position"),
    word("status", "Status", MenuItemStatus::VALUES),
    flag("is_enabled", ""),
    flag("is_archived", ""),
    flag("is_allowed_for_authorized", "For signed-in customers").short("signed in"),
    flag("is_allowed_for_guest", "For guests").short("guests"),
    flag("is_blank", "New tab"),
    time("created_at", "Created"),
];
