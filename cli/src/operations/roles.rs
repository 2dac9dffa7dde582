//! `roles` and `permissions`: what staff members may do. `staff` assigns the roles.

use clap::{Arg, ArgMatches};
use panel_client::request::Request;
use panel_contract::endpoint::{EmptyBody, EmptyQuery, Endpoint as _};
use panel_contract::endpoints::staff::*;
use panel_contract::permission::Permission;
use panel_contract::staff::{Role, RoleInput, RolePatch};
use serde_json::Value;

use crate::command::call::{Call, Write, arg, id, id_arg, of, on_off_arg, opt};
use crate::command::confirm::{Danger, dry_run};
use crate::command::edit::Edit;
use crate::command::get::Get;
use crate::command::{Cmd, Noun};
use crate::failure::{CmdResult, Failure};
use crate::operations::staff::{
    named_permissions, permission_arg, permission_list_arg, permissions, shown_id, text,
};
use crate::output::column::{Column, Kind};

pub(crate) const NOUN: Noun = Noun {
    name: "roles",
    alias: Some("role"),
    about: "Manage roles: named sets of permissions",
    verbs: &[
        Cmd::Call(&ROLES),
        Cmd::Get(&ROLE),
        Cmd::Call(&CREATE_ROLE),
        Cmd::Edit(&UPDATE_ROLE),
        Cmd::Call(&DELETE_ROLE),
    ],
};

pub(crate) const PERMISSIONS_NOUN: Noun = Noun {
    name: "permissions",
    alias: Some("permission"),
    about: "List the permissions of staff",
    verbs: &[Cmd::Call(&PERMISSIONS)],
};

const ROLE_COLUMNS: &[Column] = &[
    Column::new("id", Kind::Id),
    Column::new("name", Kind::Text),
    Column::new("users_count", Kind::Number).titled("users"),
    Column::new("permissions", Kind::Text),
    Column::extra("requires_second_factor", Kind::Word),
    Column::extra("editable", Kind::Word),
    Column::extra("updated_at", Kind::Time),
];

const ROLES: Call = Call {
    name: "list",
    about: "List roles by name",
    examples: &[("roles list -o json", "with all permissions")],
    op: ListRoles::OP,
    args: |command| command,
    request: |_, _| of::<ListRoles>((), &EmptyQuery {}, &EmptyBody {}),
    pointer: "/data",
    columns: ROLE_COLUMNS,
    write: None,
};

const ROLE: Get = Get {
    one: "role",
    about: "Show roles with their permissions",
    op: GetRole::OP,
    columns: &[],
    examples: &[("roles get 2 --jq '.permissions[].name'", "print the names of its permissions")],
};

const CREATE_ROLE: Call = Call {
    name: "create",
    about: "Create a role; you can only grant permissions that you have",
    examples: &[(
        "roles create Support --permission 'view orders' --permission 'view users'",
        "see panelctl permissions list for the names",
    )],
    op: CreateRole::OP,
    args: |command| {
        command.args([
            Arg::new("name").value_name("NAME").required(true).help("Unique name"),
            permission_arg(),
            on_off_arg("requires-second-factor")
                .long("requires-second-factor")
                .help("Require a second factor for staff with this role"),
        ])
    },
    request: |_, matches| {
        let body = RoleInput {
            name: arg(matches, "name")?,
            permissions: permissions(matches),
            requires_second_factor: opt(matches, "requires-second-factor").unwrap_or(false),
        };
        of::<CreateRole>((), &EmptyQuery {}, &body)
    },
    write: Some(Write {
        question: |matches| format!("Create role {}?", text(matches, "name")),
        danger: Danger::Reversible("panelctl roles delete"),
        success: |matches| format!("Role {} created.", text(matches, "name")),
        has_dry_run: false,
    }),
    ..ROLES
};

const UPDATE_ROLE: Edit = Edit {
    call: Call {
        name: "update",
        about: "Update a role for all staff who have it; fields without an option keep their values",
        examples: &[
            ("roles update 2 --add 'view audits'", "add a permission"),
            (
                "roles update 2 --remove 'view audits' --name 'First line'",
                "remove a permission and rename the role",
            ),
        ],
        op: UpdateRole::OP,
        args: |command| {
            command.args([
                id_arg(),
                Arg::new("name").long("name").value_name("TEXT").help("Unique name"),
                permission_arg().help("Replace all permissions; may be repeated"),
                permission_list_arg("add", "Add a permission; may be repeated").conflicts_with("permission"),
                permission_list_arg("remove", "Remove a permission; may be repeated")
                    .conflicts_with("permission"),
                on_off_arg("requires-second-factor")
                    .long("requires-second-factor")
                    .help("Require a second factor for staff with this role"),
            ])
        },
        request: |_, matches| of::<GetRole>(id(matches)?, &EmptyQuery {}, &EmptyBody {}),
        write: Some(Write {
            question: |matches| format!("Update role {} for all staff who have it?", shown_id(matches)),
            danger: Danger::Reversible("run the command again with the old values"),
            success: |matches| format!("Role {} updated.", shown_id(matches)),
            has_dry_run: false,
        }),
        ..ROLES
    },
    read_op: GetRole::OP,
    change: update_role,
};

const DELETE_ROLE: Call = Call {
    name: "delete",
    about: "Delete a role that no staff member has",
    examples: &[("roles delete 2", "delete one role by its id")],
    op: DeleteRole::OP,
    args: |command| command.arg(id_arg()),
    request: |_, matches| of::<DeleteRole>(id(matches)?, &dry_run(matches), &EmptyBody {}),
    write: Some(Write {
        question: |matches| format!("Delete role {}?", shown_id(matches)),
        danger: Danger::Final,
        success: |matches| format!("Role {} deleted.", shown_id(matches)),
        has_dry_run: true,
    }),
    ..ROLES
};

const PERMISSIONS: Call = Call {
    name: "list",
    about: "List all permissions by group",
    examples: &[("permissions list", "list what staff can be allowed to do")],
    op: ListPermissions::OP,
    args: |command| command,
    request: |_, _| of::<ListPermissions>((), &EmptyQuery {}, &EmptyBody {}),
    columns: &[
        Column::new("id", Kind::Id),
        Column::new("group", Kind::Word),
        Column::new("name", Kind::Text),
    ],
    ..ROLES
};

fn update_role(matches: &ArgMatches, data: Value) -> CmdResult<Request> {
    let current: Role = serde_json::from_value(data).map_err(|error| Failure::failed(error.to_string()))?;
    let mut allowed: Vec<Permission> = current.permissions.iter().map(|entry| entry.name).collect();
    if matches.contains_id("permission") {
        allowed = permissions(matches);
    }
    allowed.extend(named_permissions(matches, "add"));
    let removed = named_permissions(matches, "remove");
    allowed.retain(|permission| !removed.contains(permission));
    let changes = ["permission", "add", "remove"].iter().any(|flag| matches.contains_id(flag));
    let body = RolePatch {
        name: opt(matches, "name"),
        permissions: changes.then_some(allowed),
        requires_second_factor: opt(matches, "requires-second-factor"),
        updated_at: Some(current.updated_at),
    };
    of::<UpdateRole>(current.id, &EmptyQuery {}, &body)
}
