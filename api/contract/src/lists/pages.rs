//! The list of pages.

use crate::endpoints::pages::ListPanelPages;
use crate::lists::List;
use crate::lists::column::{Column, flag, id, text, time, word};
use crate::pages::PageStatus;

/// Pages of the panel, newest first.
pub static PANEL_PAGES: List = List::of::<ListPanelPages>("panel-pages", COLUMNS)
    .filters(&[flag("is_archived", "")])
    .page_length(15)
    .wide(&["id", "name", "route_name", "status", "created_at"])
    .narrow(&["id", "name", "route_name", "status"])
    .checked();

const COLUMNS: &[Column] = &[
    id("id", "ID"),
    id("page_id", "").alias_of("id"),
    text("name", "Name"),
    text("route_name", "Route"),
    word("status", "Status", PageStatus::VALUES),
    flag("is_archived", ""),
    time("created_at", "Created"),
];
