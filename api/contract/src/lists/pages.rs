//! The list of pages.

use crate::endpoints::pages::ListPanelPages;
use crate::lists::List;
use crate::lists::column::{Column, enum_value, flag, id, text, time};
use crate::pages::PageStatus;

/// Pages of the panel, newest first.
pub static PANEL_PAGES: List = List::for_endpoint::<ListPanelPages>("panel-pages", COLUMNS)
    .filters(&[flag("is_archived", "")])
    .page_length(15)
    .console_columns(&["id", "name", "route_name", "status", "created_at"])
    .terminal_columns(&["id", "name", "route_name", "status"])
    .validate();

const COLUMNS: &[Column] = &[
    id("id", "ID"),
    id("page_id", "").alias_of("id"),
    text("name", "Name"),
    text("route_name", "Route"),
    enum_value("status", "Status", PageStatus::VALUES),
    flag("is_archived", ""),
    time("created_at", "Created"),
];
