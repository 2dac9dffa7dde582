//! `roles` and `permissions`: what members of staff may do. Who has which role is `staff`.

use clap::{Arg, ArgMatches};
use panel_client::request::Request;
use panel_contract::endpoint::{Endpoint as _, NoBody, NoQuery};
use panel_contract::endpoints::staff::*;
use panel_contract::permission::Permission;
use panel_contract::staff::{Role, RoleInput, RolePatch};
use serde_json::Value;

use crate::command::call::{Call, Write, arg, id, id_arg, of, on_off_arg, opt};
use crate::command::confirm::{Danger, dry_run};
use crate::command::edit::Edit;
use crate::command::get::Get;
use crate::command::{Cmd, Noun};
use crate::failure::{Done, Failure};
use crate::operations::staff::{more_arg, named, permission_arg, permissions, shown, text};
use crate::output::column::{Column, Kind};

/// `roles`.
pub(crate) const NOUN: Noun = Noun {
    name: "roles",
    alias: Some("role"),
    about: "Names for permissions that go together",
    verbs: &[
        Cmd::Call(&ROLES),
        Cmd::Get(&ROLE),
        Cmd::Call(&CREATE_ROLE),
        Cmd::Edit(&UPDATE_ROLE),
        Cmd::Call(&DELETE_ROLE),
    ],
};

/// `permissions`.
pub(crate) const PERMISSIONS_NOUN: Noun = Noun {
    name: "permissions",
    alias: Some("permission"),
    about: "Everything that staff may be allowed to do",
    verbs: &[Cmd::Call(&PERMISSIONS)],
};

const ROLE_COLUMNS: &[Column] = &[
    Column::new("id", Kind::Id),
    Column::new("name", Kind::Text),
    Column::new("users_count", Kind::Number).titled("users"),
    Column::new("permissions", Kind::Text),
    Column::more("requires_second_factor", Kind::Word),
    Column::more("editable", Kind::Word),
    Column::more("updated_at", Kind::Time),
];

const ROLES: Call = Call {
    name: "list",
    about: "All roles by name",
    examples: &[("roles list -o json", "with every permission")],
    op: ListRoles::OP,
    args: |command| command,
    request: |_, _| of::<ListRoles>((), &NoQuery {}, &NoBody {}),
    at: "/data",
    columns: ROLE_COLUMNS,
    write: None,
};

const ROLE: Get = Get {
    one: "role",
    about: "Roles with what they allow",
    op: GetRole::OP,
    columns: &[],
    examples: &[("roles get 2 --jq '.permissions[].name'", "the names of its permissions")],
};

const CREATE_ROLE: Call = Call {
    name: "create",
    about: "Makes a role of permissions that you hold yourself",
    examples: &[(
        "roles create Support --permission 'view orders' --permission 'view users'",
        "panelctl permissions list has the names",
    )],
    op: CreateRole::OP,
    args: |command| {
        command.args([
            Arg::new("name").value_name("NAME").required(true).help("Unique"),
            permission_arg(),
            on_off_arg("requires-second-factor")
                .long("requires-second-factor")
                .help("Whether staff with it must have a second factor"),
        ])
    },
    request: |_, matches| {
        let body = RoleInput {
            name: arg(matches, "name")?,
            permissions: permissions(matches),
            requires_second_factor: opt(matches, "requires-second-factor").unwrap_or(false),
        };
        of::<CreateRole>((), &NoQuery {}, &body)
    },
    write: Some(Write {
        question: |matches| format!("Make the role {}?", text(matches, "name")),
        danger: Danger::Reversible("panelctl roles delete"),
        said: |matches| format!("There is a role {}.", text(matches, "name")),
        rehearses: false,
    }),
    ..ROLES
};

const UPDATE_ROLE: Edit = Edit {
    call: Call {
        name: "update",
        about: "Changes a role, and with it what everybody who has it may do; only what is named",
        examples: &[
            ("roles update 2 --add 'view audits'", "one permission more"),
            ("roles update 2 --remove 'view audits' --name 'First line'", "one less, and another name"),
        ],
        op: UpdateRole::OP,
        args: |command| {
            command.args([
                id_arg(),
                Arg::new("name").long("name").value_name("TEXT").help("Unique"),
                permission_arg().help("All of its permissions; may be repeated"),
                more_arg("add", "A permission more; may be repeated").conflicts_with("permission"),
                more_arg("remove", "A permission less; may be repeated").conflicts_with("permission"),
                on_off_arg("requires-second-factor")
                    .long("requires-second-factor")
                    .help("Whether staff with it must have a second factor"),
            ])
        },
        request: |_, matches| of::<GetRole>(id(matches)?, &NoQuery {}, &NoBody {}),
        write: Some(Write {
            question: |matches| format!("Change role {} for everybody who has it?", shown(matches)),
            danger: Danger::Reversible("The same command with the old values"),
            said: |matches| format!("Role {} is changed.", shown(matches)),
            rehearses: false,
        }),
        ..ROLES
    },
    reads: GetRole::OP,
    change: update_role,
};

const DELETE_ROLE: Call = Call {
    name: "delete",
    about: "Deletes a role that nobody has",
    examples: &[("roles delete 2", "one role, by its id")],
    op: DeleteRole::OP,
    args: |command| command.arg(id_arg()),
    request: |_, matches| of::<DeleteRole>(id(matches)?, &dry_run(matches), &NoBody {}),
    write: Some(Write {
        question: |matches| format!("Delete role {}?", shown(matches)),
        danger: Danger::Final,
        said: |matches| format!("Role {} is deleted.", shown(matches)),
        rehearses: true,
    }),
    ..ROLES
};

const PERMISSIONS: Call = Call {
    name: "list",
    about: "Every permission, by group",
    examples: &[("permissions list", "what staff may be allowed")],
    op: ListPermissions::OP,
    args: |command| command,
    request: |_, _| of::<ListPermissions>((), &NoQuery {}, &NoBody {}),
    columns: &[
        Column::new("id", Kind::Id),
        Column::new("group", Kind::Word),
        Column::new("name", Kind::Text),
    ],
    ..ROLES
};

fn update_role(matches: &ArgMatches, read: Value) -> Done<Request> {
    let old: Role = serde_json::from_value(read).map_err(|error| Failure::failed(error.to_string()))?;
    let mut allowed: Vec<Permission> = old.permissions.iter().map(|entry| entry.name).collect();
    if matches.contains_id("permission") {
        allowed = permissions(matches);
    }
    allowed.extend(named(matches, "add"));
    let less = named(matches, "remove");
    allowed.retain(|permission| !less.contains(permission));
    let changes = ["permission", "add", "remove"].iter().any(|flag| matches.contains_id(flag));
    let body = RolePatch {
        name: opt(matches, "name"),
        permissions: changes.then_some(allowed),
        requires_second_factor: opt(matches, "requires-second-factor"),
        updated_at: Some(old.updated_at),
    };
    of::<UpdateRole>(old.id, &NoQuery {}, &body)
}
