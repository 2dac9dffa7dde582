//! The list of staff.

use crate::endpoints::staff::ListStaff;
use crate::lists::List;
use crate::lists::column::{Column, flag, id, json, text, time};

/// Users with a role or a permission, newest first.
pub static STAFF: List = List::for_endpoint::<ListStaff>("staff", COLUMNS)
    .console_columns(&["id", "name", "email", "is_active", "roles", "permissions", "created_at"])
    .terminal_columns(&["id", "name", "email", "is_active", "roles", "permissions"])
    .validate();

const COLUMNS: &[Column] = &[
    id("id", "ID"),
    text("name", "Name"),
    text("email", "Email"),
    flag("is_active", "Status").short_label("active"),
    time("created_at", "Created"),
    json("roles", "Roles").row_only(),
    json("permissions", "Additional permissions").short_label("permissions").row_only(),
    flag("has_second_factor", "").short_label("second factor").nullable().row_only(),
    time("invitation_expires_at", "").short_label("invited until").nullable().row_only(),
];
