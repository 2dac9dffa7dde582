//! `roles` and `permissions`: manages the roles, which grant permissions to staff members. The command `staff` assigns roles.

use clap::{Arg, ArgMatches};
use panel_client::request::Request;
use panel_contract::endpoint::{EmptyBody, EmptyQuery, Endpoint as _};
use panel_contract::endpoints::staff::*;
use panel_contract::permission::Permission;
use panel_contract::staff::{Role, RoleInput, RolePatch};
use serde_json::Value;

use crate::command::confirm::{Reversibility, dry_run_query};
use crate::command::edit::EditCommand;
use crate::command::get::GetCommand;
use crate::command::request_command::{
    BASE_COMMAND, RequestCommand, WriteSpec, build_request, id_arg, id_for_message, on_off_arg,
    optional_value, required_id, required_value,
};
use crate::command::{CommandGroup, CommandSpec};
use crate::failure::{CommandResult, Failure};
use crate::operations::staff::{
    permission_arg, permission_list_arg, read_permission_flags, read_permissions, text_for_message,
};
use crate::output::column::{Column, DisplayKind};

pub(crate) const COMMANDS: CommandGroup = CommandGroup {
    name: "roles",
    alias: Some("role"),
    about: "Manage roles: named sets of permissions",
    commands: &[
        CommandSpec::Request(&LIST_ROLES),
        CommandSpec::Get(&GET_ROLE),
        CommandSpec::Request(&CREATE_ROLE),
        CommandSpec::Edit(&UPDATE_ROLE),
        CommandSpec::Request(&DELETE_ROLE),
    ],
};

pub(crate) const PERMISSIONS_COMMANDS: CommandGroup = CommandGroup {
    name: "permissions",
    alias: Some("permission"),
    about: "List the permissions of staff",
    commands: &[CommandSpec::Request(&LIST_PERMISSIONS)],
};

const ROLE_COLUMNS: &[Column] = &[
    Column::new("id", DisplayKind::Id),
    Column::new("name", DisplayKind::Text),
    Column::new("users_count", DisplayKind::Number).with_title("users"),
    Column::new("permissions", DisplayKind::Text),
    Column::hidden("requires_second_factor", DisplayKind::Enum),
    Column::hidden("editable", DisplayKind::Enum),
    Column::hidden("updated_at", DisplayKind::Time),
];

const LIST_ROLES: RequestCommand = RequestCommand {
    name: "list",
    about: "List roles by name",
    examples: &[("roles list -o json", "list the roles with all their permissions")],
    op: ListRoles::OP,
    args: |command| command,
    request: |_, _| build_request::<ListRoles>((), &EmptyQuery {}, &EmptyBody {}),
    json_pointer: "/data",
    columns: ROLE_COLUMNS,
    write: None,
};

const GET_ROLE: GetCommand = GetCommand {
    singular: "role",
    about: "Show roles with their permissions",
    op: GetRole::OP,
    columns: &[],
    examples: &[("roles get 2 --jq '.permissions[].name'", "print the names of the role's permissions")],
};

const CREATE_ROLE: RequestCommand = RequestCommand {
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
            name: required_value(matches, "name")?,
            permissions: read_permission_flags(matches),
            requires_second_factor: optional_value(matches, "requires-second-factor").unwrap_or(false),
        };
        build_request::<CreateRole>((), &EmptyQuery {}, &body)
    },
    columns: ROLE_COLUMNS,
    write: Some(WriteSpec {
        question: |matches| format!("Create role {}?", text_for_message(matches, "name")),
        reversibility: Reversibility::Reversible("panelctl roles delete"),
        success: |matches| format!("Role {} created.", text_for_message(matches, "name")),
        has_dry_run: false,
    }),
    ..BASE_COMMAND
};

const UPDATE_ROLE: EditCommand = EditCommand {
    request_command: RequestCommand {
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
        request: |_, matches| build_request::<GetRole>(required_id(matches)?, &EmptyQuery {}, &EmptyBody {}),
        columns: ROLE_COLUMNS,
        write: Some(WriteSpec {
            question: |matches| format!("Update role {} for all staff who have it?", id_for_message(matches)),
            reversibility: Reversibility::Reversible("run the command again with the old values"),
            success: |matches| format!("Role {} updated.", id_for_message(matches)),
            has_dry_run: false,
        }),
        ..BASE_COMMAND
    },
    read_op: GetRole::OP,
    write_request: build_update_request,
};

const DELETE_ROLE: RequestCommand = RequestCommand {
    name: "delete",
    about: "Delete a role that no staff member has",
    examples: &[("roles delete 2", "delete one role by its id")],
    op: DeleteRole::OP,
    args: |command| command.arg(id_arg()),
    request: |_, matches| {
        build_request::<DeleteRole>(required_id(matches)?, &dry_run_query(matches), &EmptyBody {})
    },
    columns: ROLE_COLUMNS,
    write: Some(WriteSpec {
        question: |matches| format!("Delete role {}?", id_for_message(matches)),
        reversibility: Reversibility::Irreversible,
        success: |matches| format!("Role {} deleted.", id_for_message(matches)),
        has_dry_run: true,
    }),
    ..BASE_COMMAND
};

const LIST_PERMISSIONS: RequestCommand = RequestCommand {
    name: "list",
    about: "List all permissions by group",
    examples: &[("permissions list", "list the permissions that a role can grant")],
    op: ListPermissions::OP,
    args: |command| command,
    request: |_, _| build_request::<ListPermissions>((), &EmptyQuery {}, &EmptyBody {}),
    columns: &[
        Column::new("id", DisplayKind::Id),
        Column::new("group", DisplayKind::Enum),
        Column::new("name", DisplayKind::Text),
    ],
    ..BASE_COMMAND
};

fn build_update_request(matches: &ArgMatches, current_record: Value) -> CommandResult<Request> {
    let current_role: Role =
        serde_json::from_value(current_record).map_err(|error| Failure::failed(error.to_string()))?;
    let mut new_permissions: Vec<Permission> =
        current_role.permissions.iter().map(|permission| permission.name).collect();
    if matches.contains_id("permission") {
        new_permissions = read_permission_flags(matches);
    }
    new_permissions.extend(read_permissions(matches, "add"));
    let permissions_to_remove = read_permissions(matches, "remove");
    new_permissions.retain(|permission| !permissions_to_remove.contains(permission));
    let changes_permissions = ["permission", "add", "remove"].iter().any(|flag| matches.contains_id(flag));
    let body = RolePatch {
        name: optional_value(matches, "name"),
        permissions: changes_permissions.then_some(new_permissions),
        requires_second_factor: optional_value(matches, "requires-second-factor"),
        updated_at: Some(current_role.updated_at),
    };
    build_request::<UpdateRole>(current_role.id, &EmptyQuery {}, &body)
}
