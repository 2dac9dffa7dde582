//! The list of targets.

use crate::endpoints::targets::ListTargets;
use crate::lists::List;
use crate::lists::column::{Column, flag, id, json, number, text, time, word};
use crate::targets::{TargetName, ViewType};

/// All targets, newest first.
pub static TARGETS: List = List::of::<ListTargets>("targets", COLUMNS)
    .wide(&[
        "id",
        "name",
        "target_type.name",
        "target_type.view_type",
        "selectable_values",
        "services_count",
        "is_visible_default_values",
        "is_system",
    ])
    .narrow(&["id", "name", "target_type.name", "target_type.view_type", "services_count", "is_system"])
    .checked();

const COLUMNS: &[Column] = &[
    id("id", "ID"),
    text("name", "Name"),
    id("target_type.id", ""),
    word("target_type.name", "Purpose", TargetName::VALUES),
    text("target_type.title", "Type"),
    word("target_type.view_type", "Input type", ViewType::VALUES),
    flag("is_system", "System"),
    flag("is_visible_default_values", "Default values visible"),
    time("created_at", "Created"),
    number("services_count", "Services").row_only(),
    text("placeholder", "").nullable().row_only(),
    json("selectable_values", "Values").short("selectable values").row_only(),
];
