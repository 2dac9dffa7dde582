//! The list of targets.

use crate::endpoints::targets::ListTargets;
use crate::lists::List;
use crate::lists::column::{Column, enum_value, flag, id, json, number, text, time};
use crate::targets::{TargetName, ViewType};

/// Targets, newest first.
pub static TARGETS: List = List::for_endpoint::<ListTargets>("targets", COLUMNS)
    .console_columns(&[
        "id",
        "name",
        "target_type.name",
        "target_type.view_type",
        "selectable_values",
        "services_count",
        "is_visible_default_values",
        "is_system",
    ])
    .terminal_columns(&[
        "id",
        "name",
        "target_type.name",
        "target_type.view_type",
        "services_count",
        "is_system",
    ])
    .validate();

const COLUMNS: &[Column] = &[
    id("id", "ID"),
    text("name", "Name"),
    id("target_type.id", ""),
    enum_value("target_type.name", "Purpose", TargetName::VALUES),
    text("target_type.title", "Type"),
    enum_value("target_type.view_type", "Input type", ViewType::VALUES),
    flag("is_system", "System"),
    flag("is_visible_default_values", "Default values visible"),
    time("created_at", "Created"),
    number("services_count", "Services").row_only(),
    text("placeholder", "").nullable().row_only(),
    json("selectable_values", "Values").short_label("selectable values").row_only(),
];
