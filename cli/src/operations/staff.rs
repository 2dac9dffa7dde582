//! `staff`: manages staff members, who are users with a role or a permission. The command `roles` defines what a role allows.

use clap::{Arg, ArgAction, ArgMatches};
use panel_client::request::Request;
use panel_contract::endpoint::{EmptyBody, EmptyQuery, Endpoint as _};
use panel_contract::endpoints::second_factor::ResetSecondFactor;
use panel_contract::endpoints::staff::*;
use panel_contract::ids::RoleId;
use panel_contract::lists;
use panel_contract::permission::Permission;
use panel_contract::staff::{NewStaffInput, StaffInput};

use crate::command::confirm::{Reversibility, dry_run_query};
use crate::command::filter::Filter;
use crate::command::list::ListCommand;
use crate::command::request_command::{
    BASE_COMMAND, RequestCommand, WriteSpec, build_request, id_arg, id_for_message, optional_value,
    repeated_values, required_id, required_value,
};
use crate::command::{CommandGroup, CommandSpec};
use crate::failure::{CommandResult, Failure};
use crate::output::column::{Column, DisplayKind};
use crate::session::login;

pub(crate) const COMMANDS: CommandGroup = CommandGroup {
    name: "staff",
    alias: Some("staffs"),
    about: "Manage staff members and their access",
    commands: &[
        CommandSpec::List(&LIST),
        CommandSpec::Request(&CREATE),
        CommandSpec::Request(&UPDATE),
        CommandSpec::Request(&DEACTIVATE),
        CommandSpec::Request(&ACTIVATE),
        CommandSpec::Request(&INVITE),
        CommandSpec::Request(&WITHDRAW_INVITATION),
        CommandSpec::Request(&END_SESSIONS),
        CommandSpec::Request(&RESET_SECOND_FACTOR),
        CommandSpec::Export(&LIST),
    ],
};

/// Columns of a staff member.
pub(crate) const COLUMNS: &[Column] = &[
    Column::new("id", DisplayKind::Id),
    Column::new("name", DisplayKind::Text),
    Column::new("email", DisplayKind::Text),
    Column::new("is_active", DisplayKind::Enum).with_title("active"),
    Column::new("roles", DisplayKind::Text),
    Column::new("permissions", DisplayKind::Text),
    Column::hidden("created_at", DisplayKind::Time),
    Column::hidden("has_second_factor", DisplayKind::Enum).with_title("second factor"),
    Column::hidden("invitation_expires_at", DisplayKind::Time).with_title("invited until"),
];

const LIST: ListCommand = ListCommand {
    declaration: &lists::staff::STAFF,
    plural: "staff members",
    singular: "staff member",
    about: "List staff members, newest first",
    filters: &[
        Filter::new("name", "name", "Filter by part of the name"),
        Filter::new("email", "email", "Filter by part of the email address"),
        Filter::new("active", "is_active", "Filter by active (1) or deactivated (0)"),
        Filter::new("created", "created_at", "Filter by creation time"),
    ],
    time_column: "created_at",
    examples: &[
        ("staff list", "list all staff members"),
        ("staff list --active 0 -o csv", "export deactivated staff members"),
    ],
};

const CREATE: RequestCommand = RequestCommand {
    name: "create",
    about: "Create a staff member; sends an invitation by email unless you set a password",
    examples: &[
        ("staff create olga@panel.example --name Olga --role 2", "create with one role and invite by email"),
        (
            "staff create bot@panel.example --name Bot --role 3 --password-stdin --yes < password.txt",
            "create with a password and without an email",
        ),
    ],
    op: CreateStaff::OP,
    args: |command| {
        command
            .args([
                Arg::new("email")
                    .value_name("EMAIL")
                    .required(true)
                    .help("Email address; must not be in use"),
                Arg::new("name").long("name").value_name("TEXT").required(true).help("Name"),
            ])
            .args(grant_args())
            .arg(
                Arg::new("ask-password")
                    .long("ask-password")
                    .action(ArgAction::SetTrue)
                    .help("Ask for a password instead of sending an invitation"),
            )
            .arg(password_arg("Read the password from standard input instead of sending an invitation"))
    },
    request: |_, matches| {
        let has_password = matches.get_flag("ask-password") || matches.get_flag("password-stdin");
        let body = NewStaffInput {
            name: required_value(matches, "name")?,
            email: required_value(matches, "email")?,
            password: if has_password { Some(login::read_password(matches)?) } else { None },
            roles: read_roles(matches),
            permissions: read_permission_flags(matches),
        };
        build_request::<CreateStaff>((), &EmptyQuery {}, &body)
    },
    json_pointer: "/data",
    columns: COLUMNS,
    write: Some(WriteSpec {
        question: |matches| format!("Create staff member {}?", text_for_message(matches, "email")),
        reversibility: Reversibility::Reversible("panelctl staff deactivate"),
        success: |matches| format!("Staff member {} created.", text_for_message(matches, "email")),
        has_dry_run: false,
    }),
};

const UPDATE: RequestCommand = RequestCommand {
    name: "update",
    about: "Change the name or password of a staff member; a new password ends their sessions",
    examples: &[
        ("staff update 3 --name 'Olga Berg'", "change the name"),
        ("staff update 3 --password-stdin --yes < password.txt", "change the password"),
    ],
    op: UpdateStaff::OP,
    args: |command| {
        command.args([
            id_arg(),
            Arg::new("name").long("name").value_name("TEXT").help("Name"),
            password_arg("Read the new password from standard input"),
        ])
    },
    request: |_, matches| {
        let password =
            if matches.get_flag("password-stdin") { Some(login::read_password(matches)?) } else { None };
        let body = StaffInput { name: optional_value(matches, "name"), password, ..StaffInput::default() };
        if body == StaffInput::default() {
            return Err(Failure::usage("Nothing to change: set --name or --password-stdin."));
        }
        build_request::<UpdateStaff>(required_id(matches)?, &dry_run_query(matches), &body)
    },
    columns: COLUMNS,
    write: Some(WriteSpec {
        question: |matches| format!("Update staff member {}?", id_for_message(matches)),
        reversibility: Reversibility::Reversible("run the command again with the old values"),
        success: |matches| format!("Staff member {} updated.", id_for_message(matches)),
        has_dry_run: true,
    }),
    ..BASE_COMMAND
};

const DEACTIVATE: RequestCommand = RequestCommand {
    name: "deactivate",
    about: "Deactivate a staff member and end their sessions",
    examples: &[("staff deactivate 3", "block the account of an employee who leaves")],
    op: UpdateStaff::OP,
    args: |command| command.arg(id_arg()),
    request: |_, matches| build_set_active_request(matches, false),
    columns: COLUMNS,
    write: Some(WriteSpec {
        question: |matches| format!("Deactivate staff member {}?", id_for_message(matches)),
        reversibility: Reversibility::Reversible("panelctl undo"),
        success: |matches| format!("Staff member {} deactivated.", id_for_message(matches)),
        has_dry_run: true,
    }),
    ..BASE_COMMAND
};

const ACTIVATE: RequestCommand = RequestCommand {
    name: "activate",
    about: "Activate a deactivated staff member",
    examples: &[("staff activate 3", "let the staff member sign in again")],
    op: UpdateStaff::OP,
    args: |command| command.arg(id_arg()),
    request: |_, matches| build_set_active_request(matches, true),
    columns: COLUMNS,
    write: Some(WriteSpec {
        question: |matches| format!("Activate staff member {}?", id_for_message(matches)),
        reversibility: Reversibility::Reversible("panelctl undo"),
        success: |matches| format!("Staff member {} activated.", id_for_message(matches)),
        has_dry_run: true,
    }),
    ..BASE_COMMAND
};

const INVITE: RequestCommand = RequestCommand {
    name: "invite",
    about: "Invite a staff member without a password by email; earlier links stop working",
    examples: &[("staff invite 3", "send a new link after the first one expired")],
    op: InviteStaff::OP,
    args: |command| command.arg(id_arg()),
    request: |_, matches| {
        build_request::<InviteStaff>(required_id(matches)?, &dry_run_query(matches), &EmptyBody {})
    },
    columns: COLUMNS,
    write: Some(WriteSpec {
        question: |matches| format!("Invite staff member {}?", id_for_message(matches)),
        reversibility: Reversibility::Reversible("panelctl staff withdraw-invitation"),
        success: |matches| {
            format!(
                "Invitation sent to staff member {}. The link is valid for seven days.",
                id_for_message(matches)
            )
        },
        has_dry_run: true,
    }),
    ..BASE_COMMAND
};

const WITHDRAW_INVITATION: RequestCommand = RequestCommand {
    name: "withdraw-invitation",
    about: "Withdraw an invitation; the link stops working",
    examples: &[("staff withdraw-invitation 3", "withdraw an invitation sent to the wrong address")],
    op: WithdrawInvitation::OP,
    args: |command| command.arg(id_arg()),
    request: |_, matches| {
        build_request::<WithdrawInvitation>(required_id(matches)?, &dry_run_query(matches), &EmptyBody {})
    },
    columns: COLUMNS,
    write: Some(WriteSpec {
        question: |matches| format!("Withdraw the invitation of staff member {}?", id_for_message(matches)),
        reversibility: Reversibility::Reversible("panelctl staff invite"),
        success: |matches| format!("Invitation of staff member {} withdrawn.", id_for_message(matches)),
        has_dry_run: true,
    }),
    ..BASE_COMMAND
};

const END_SESSIONS: RequestCommand = RequestCommand {
    name: "end-sessions",
    about: "Sign a staff member out everywhere; the staff member can sign in again",
    examples: &[("staff end-sessions 3", "end all sessions after a laptop was stolen")],
    op: EndStaffSessions::OP,
    args: |command| command.arg(id_arg()),
    request: |_, matches| {
        build_request::<EndStaffSessions>(required_id(matches)?, &dry_run_query(matches), &EmptyBody {})
    },
    json_pointer: "",
    columns: &[Column::new("ended", DisplayKind::Number)],
    write: Some(WriteSpec {
        question: |matches| format!("End all sessions of staff member {}?", id_for_message(matches)),
        reversibility: Reversibility::Reversible("sign in again"),
        success: |matches| format!("Staff member {} signed out everywhere.", id_for_message(matches)),
        has_dry_run: true,
    }),
};

const RESET_SECOND_FACTOR: RequestCommand = RequestCommand {
    name: "reset-second-factor",
    about: "Remove the second factor of a staff member who lost it, and sign them out everywhere",
    examples: &[("staff reset-second-factor 3", "verify the person's identity first")],
    op: ResetSecondFactor::OP,
    args: |command| command.arg(id_arg()),
    request: |_, matches| {
        build_request::<ResetSecondFactor>(required_id(matches)?, &dry_run_query(matches), &EmptyBody {})
    },
    columns: COLUMNS,
    write: Some(WriteSpec {
        question: |matches| format!("Remove the second factor of staff member {}?", id_for_message(matches)),
        reversibility: Reversibility::Irreversible,
        success: |matches| {
            format!(
                "Second factor of staff member {} removed. They are notified by email.",
                id_for_message(matches)
            )
        },
        has_dry_run: true,
    }),
    ..BASE_COMMAND
};

fn build_set_active_request(matches: &ArgMatches, is_active: bool) -> CommandResult<Request> {
    let body = StaffInput { is_active: Some(is_active), ..StaffInput::default() };
    build_request::<UpdateStaff>(required_id(matches)?, &dry_run_query(matches), &body)
}

pub(super) fn permission_list_arg(name: &'static str, help: &'static str) -> Arg {
    Arg::new(name)
        .long(name)
        .value_name("PERMISSION")
        .value_parser(clap::builder::PossibleValuesParser::new(Permission::VALUES.texts))
        .hide_possible_values(true)
        .action(ArgAction::Append)
        .help(help)
}

pub(super) fn permission_arg() -> Arg {
    permission_list_arg("permission", "Permission, such as 'view orders'; may be repeated")
}

fn password_arg(help: &'static str) -> Arg {
    Arg::new("password-stdin").long("password-stdin").action(ArgAction::SetTrue).help(help)
}

/// The options `--role` and `--permission`.
pub(crate) fn grant_args() -> [Arg; 2] {
    let role = Arg::new("role").long("role").value_name("ID").action(ArgAction::Append);
    let role = role.value_parser(clap::value_parser!(i64)).help("Id of a role; may be repeated");
    [role, permission_arg()]
}

/// Parses the values of `--permission`.
pub(crate) fn read_permission_flags(matches: &ArgMatches) -> Vec<Permission> {
    read_permissions(matches, "permission")
}

pub(super) fn read_permissions(matches: &ArgMatches, name: &str) -> Vec<Permission> {
    let names = matches.get_many::<String>(name).into_iter().flatten();
    names.filter_map(|name| name.parse().ok()).collect()
}

fn read_roles(matches: &ArgMatches) -> Vec<RoleId> {
    repeated_values(matches, "role")
}

pub(super) fn text_for_message(matches: &ArgMatches, name: &str) -> String {
    optional_value(matches, name).unwrap_or_default()
}
