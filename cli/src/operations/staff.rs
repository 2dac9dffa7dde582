//! `staff`: users with a role or a permission. `roles` defines what a role allows.

use clap::{Arg, ArgAction, ArgMatches};
use panel_client::request::Request;
use panel_contract::endpoint::{EmptyBody, EmptyQuery, Endpoint as _};
use panel_contract::endpoints::second_factor::ResetSecondFactor;
use panel_contract::endpoints::staff::*;
use panel_contract::ids::RoleId;
use panel_contract::lists;
use panel_contract::permission::Permission;
use panel_contract::staff::{NewStaffInput, StaffInput};

use crate::command::call::{Call, Write, arg, id, id_arg, id_value, of, opt, repeated};
use crate::command::confirm::{Danger, dry_run};
use crate::command::filter::Filter;
use crate::command::list::List;
use crate::command::{Cmd, Noun};
use crate::failure::{CmdResult, Failure};
use crate::output::column::{Column, Kind};
use crate::session::login;

pub(crate) const NOUN: Noun = Noun {
    name: "staff",
    alias: Some("staffs"),
    about: "Manage staff members and their access",
    verbs: &[
        Cmd::List(&LIST),
        Cmd::Call(&CREATE),
        Cmd::Call(&UPDATE),
        Cmd::Call(&DEACTIVATE),
        Cmd::Call(&ACTIVATE),
        Cmd::Call(&INVITE),
        Cmd::Call(&WITHDRAW_INVITATION),
        Cmd::Call(&END_SESSIONS),
        Cmd::Call(&RESET_SECOND_FACTOR),
        Cmd::Export(&LIST),
    ],
};

/// Columns of a staff member.
pub(crate) const COLUMNS: &[Column] = &[
    Column::new("id", Kind::Id),
    Column::new("name", Kind::Text),
    Column::new("email", Kind::Text),
    Column::new("is_active", Kind::Word).titled("active"),
    Column::new("roles", Kind::Text),
    Column::new("permissions", Kind::Text),
    Column::extra("created_at", Kind::Time),
    Column::extra("has_second_factor", Kind::Word).titled("second factor"),
    Column::extra("invitation_expires_at", Kind::Time).titled("invited until"),
];

const LIST: List = List {
    declaration: &lists::staff::STAFF,
    noun: "staff members",
    one: "staff member",
    about: "List staff members, newest first",
    filters: &[
        Filter::new("name", "name", "Filter by part of the name"),
        Filter::new("email", "email", "Filter by part of the email address"),
        Filter::new("active", "is_active", "Active or not"),
        Filter::new("created", "created_at", "Filter by creation time"),
    ],
    since: "created_at",
    examples: &[
        ("staff list", "list all staff members"),
        ("staff list --active false -o csv", "export deactivated staff members"),
    ],
};

const CREATE: Call = Call {
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
            name: arg(matches, "name")?,
            email: arg(matches, "email")?,
            password: if has_password { Some(login::secret(matches)?) } else { None },
            roles: roles(matches),
            permissions: permissions(matches),
        };
        of::<CreateStaff>((), &EmptyQuery {}, &body)
    },
    pointer: "/data",
    columns: COLUMNS,
    write: Some(Write {
        question: |matches| format!("Create staff member {}?", text(matches, "email")),
        danger: Danger::Reversible("panelctl staff deactivate"),
        success: |matches| format!("Staff member {} created.", text(matches, "email")),
        has_dry_run: false,
    }),
};

const UPDATE: Call = Call {
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
        let password = if matches.get_flag("password-stdin") { Some(login::secret(matches)?) } else { None };
        let body = StaffInput { name: opt(matches, "name"), password, ..StaffInput::default() };
        if body == StaffInput::default() {
            return Err(Failure::usage("Nothing to change: set --name or --password-stdin."));
        }
        of::<UpdateStaff>(id(matches)?, &dry_run(matches), &body)
    },
    write: Some(Write {
        question: |matches| format!("Update staff member {}?", shown_id(matches)),
        danger: Danger::Reversible("run the command again with the old values"),
        success: |matches| format!("Staff member {} updated.", shown_id(matches)),
        has_dry_run: true,
    }),
    ..CREATE
};

const DEACTIVATE: Call = Call {
    name: "deactivate",
    about: "Deactivate a staff member and end their sessions",
    examples: &[("staff deactivate 3", "block the account of an employee who leaves")],
    args: |command| command.arg(id_arg()),
    request: |_, matches| switch(matches, false),
    write: Some(Write {
        question: |matches| format!("Deactivate staff member {}?", shown_id(matches)),
        danger: Danger::Reversible("panelctl undo"),
        success: |matches| format!("Staff member {} deactivated.", shown_id(matches)),
        has_dry_run: true,
    }),
    ..UPDATE
};

const ACTIVATE: Call = Call {
    name: "activate",
    about: "Activate a deactivated staff member",
    examples: &[("staff activate 3", "let the staff member sign in again")],
    args: |command| command.arg(id_arg()),
    request: |_, matches| switch(matches, true),
    write: Some(Write {
        question: |matches| format!("Activate staff member {}?", shown_id(matches)),
        danger: Danger::Reversible("panelctl undo"),
        success: |matches| format!("Staff member {} activated.", shown_id(matches)),
        has_dry_run: true,
    }),
    ..UPDATE
};

const INVITE: Call = Call {
    name: "invite",
    about: "Invite a staff member without a password by email; earlier links stop working",
    examples: &[("staff invite 3", "send a new link after the first one expired")],
    op: InviteStaff::OP,
    args: |command| command.arg(id_arg()),
    request: |_, matches| of::<InviteStaff>(id(matches)?, &dry_run(matches), &EmptyBody {}),
    write: Some(Write {
        question: |matches| format!("Invite staff member {}?", shown_id(matches)),
        danger: Danger::Reversible("panelctl staff withdraw-invitation"),
        success: |matches| {
            format!(
                "Invitation sent to staff member {}. The link is valid for seven days.",
                shown_id(matches)
            )
        },
        has_dry_run: true,
    }),
    ..UPDATE
};

const WITHDRAW_INVITATION: Call = Call {
    name: "withdraw-invitation",
    about: "Withdraw an invitation; its link stops working",
    examples: &[("staff withdraw-invitation 3", "withdraw an invitation sent to the wrong address")],
    op: WithdrawInvitation::OP,
    args: |command| command.arg(id_arg()),
    request: |_, matches| of::<WithdrawInvitation>(id(matches)?, &dry_run(matches), &EmptyBody {}),
    write: Some(Write {
        question: |matches| format!("Withdraw the invitation of staff member {}?", shown_id(matches)),
        danger: Danger::Reversible("panelctl staff invite"),
        success: |matches| format!("Invitation of staff member {} withdrawn.", shown_id(matches)),
        has_dry_run: true,
    }),
    ..UPDATE
};

const END_SESSIONS: Call = Call {
    name: "end-sessions",
    about: "Sign a staff member out everywhere; they can sign in again",
    examples: &[("staff end-sessions 3", "end all sessions after a laptop was stolen")],
    op: EndStaffSessions::OP,
    args: |command| command.arg(id_arg()),
    request: |_, matches| of::<EndStaffSessions>(id(matches)?, &dry_run(matches), &EmptyBody {}),
    pointer: "",
    columns: &[Column::new("ended", Kind::Number)],
    write: Some(Write {
        question: |matches| format!("End all sessions of staff member {}?", shown_id(matches)),
        danger: Danger::Reversible("sign in again"),
        success: |matches| format!("Staff member {} signed out everywhere.", shown_id(matches)),
        has_dry_run: true,
    }),
};

const RESET_SECOND_FACTOR: Call = Call {
    name: "reset-second-factor",
    about: "Remove the second factor of a staff member who lost it, and sign them out everywhere",
    examples: &[("staff reset-second-factor 3", "verify the person's identity first")],
    op: ResetSecondFactor::OP,
    args: |command| command.arg(id_arg()),
    request: |_, matches| of::<ResetSecondFactor>(id(matches)?, &dry_run(matches), &EmptyBody {}),
    write: Some(Write {
        question: |matches| format!("Remove the second factor of staff member {}?", shown_id(matches)),
        danger: Danger::Final,
        success: |matches| {
            format!(
                "Second factor of staff member {} removed. They are notified by email.",
                shown_id(matches)
            )
        },
        has_dry_run: true,
    }),
    ..UPDATE
};

fn switch(matches: &ArgMatches, is_active: bool) -> CmdResult<Request> {
    let body = StaffInput { is_active: Some(is_active), ..StaffInput::default() };
    of::<UpdateStaff>(id(matches)?, &dry_run(matches), &body)
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

/// `--role` and `--permission`.
pub(crate) fn grant_args() -> [Arg; 2] {
    let role = Arg::new("role").long("role").value_name("ID").action(ArgAction::Append);
    let role = role.value_parser(clap::value_parser!(i64)).help("Id of a role; may be repeated");
    [role, permission_arg()]
}

/// The values of `--permission`.
pub(crate) fn permissions(matches: &ArgMatches) -> Vec<Permission> {
    named_permissions(matches, "permission")
}

pub(super) fn named_permissions(matches: &ArgMatches, name: &str) -> Vec<Permission> {
    let words = matches.get_many::<String>(name).into_iter().flatten();
    words.filter_map(|word| word.parse().ok()).collect()
}

fn roles(matches: &ArgMatches) -> Vec<RoleId> {
    repeated(matches, "role")
}

pub(super) fn shown_id(matches: &ArgMatches) -> i64 {
    id_value(matches)
}

pub(super) fn text(matches: &ArgMatches, name: &str) -> String {
    opt(matches, name).unwrap_or_default()
}
