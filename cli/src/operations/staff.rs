//! `staff`: users with a role or a permission. What a role allows is `roles`.

use clap::{Arg, ArgAction, ArgMatches};
use panel_client::request::Request;
use panel_contract::endpoint::{Endpoint as _, NoBody, NoQuery};
use panel_contract::endpoints::second_factor::ResetSecondFactor;
use panel_contract::endpoints::staff::*;
use panel_contract::ids::RoleId;
use panel_contract::lists;
use panel_contract::permission::Permission;
use panel_contract::staff::{NewStaffInput, StaffInput};

use crate::command::call::{Call, Write, arg, every, given_id, id, id_arg, of, opt};
use crate::command::confirm::{Danger, dry_run};
use crate::command::filter::Filter;
use crate::command::list::List;
use crate::command::{Cmd, Noun};
use crate::failure::{Done, Failure};
use crate::output::column::{Column, Kind};
use crate::session::login;

/// `staff`.
pub(crate) const NOUN: Noun = Noun {
    name: "staff",
    alias: Some("staffs"),
    about: "Users with a role or a permission",
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

/// What is shown of a member of staff.
pub(crate) const COLUMNS: &[Column] = &[
    Column::new("id", Kind::Id),
    Column::new("name", Kind::Text),
    Column::new("email", Kind::Text),
    Column::new("is_active", Kind::Word).titled("active"),
    Column::new("roles", Kind::Text),
    Column::new("permissions", Kind::Text),
    Column::more("created_at", Kind::Time),
    Column::more("has_second_factor", Kind::Word).titled("second factor"),
    Column::more("invitation_expires_at", Kind::Time).titled("invited until"),
];

const LIST: List = List {
    of: &lists::staff::STAFF,
    noun: "staff",
    one: "member of staff",
    about: "Staff, newest first",
    filters: &[
        Filter::new("name", "name", "Part of the name"),
        Filter::new("email", "email", "Part of the email address"),
        Filter::new("active", "is_active", "Whether they may sign in"),
        Filter::new("created", "created_at", "When they were made"),
    ],
    since: "created_at",
    examples: &[
        ("staff list", "everybody"),
        ("staff list --active false -o csv", "who may no longer sign in"),
    ],
};

const CREATE: Call = Call {
    name: "create",
    about: "Makes a member of staff, who is invited by email to set a password unless one is given",
    examples: &[
        ("staff create olga@panel.example --name Olga --role 2", "with one role, invited by email"),
        (
            "staff create bot@panel.example --name Bot --role 3 --password-stdin --yes < password.txt",
            "with a password, and no email",
        ),
    ],
    op: CreateStaff::OP,
    args: |command| {
        command
            .args([
                Arg::new("email").value_name("EMAIL").required(true).help("An address that nobody has yet"),
                Arg::new("name").long("name").value_name("TEXT").required(true).help("Name"),
            ])
            .args(grant_args())
            .arg(
                Arg::new("ask-password")
                    .long("ask-password")
                    .action(ArgAction::SetTrue)
                    .help("Asks for a password in place of the invitation"),
            )
            .arg(password_arg("Reads the password, a line of standard input, in place of the invitation"))
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
        of::<CreateStaff>((), &NoQuery {}, &body)
    },
    at: "/data",
    columns: COLUMNS,
    write: Some(Write {
        question: |matches| format!("Make {} a member of staff?", text(matches, "email")),
        danger: Danger::Reversible("panelctl staff deactivate"),
        said: |matches| format!("{} is a member of staff.", text(matches, "email")),
        rehearses: false,
    }),
};

const UPDATE: Call = Call {
    name: "update",
    about: "Changes name or password of a member of staff; a new password ends their sessions",
    examples: &[
        ("staff update 3 --name 'Olga Berg'", "another name"),
        ("staff update 3 --password-stdin --yes < password.txt", "another password"),
    ],
    op: UpdateStaff::OP,
    args: |command| {
        command.args([
            id_arg(),
            Arg::new("name").long("name").value_name("TEXT").help("Name"),
            password_arg("Reads a new password, a line of standard input"),
        ])
    },
    request: |_, matches| {
        let password = if matches.get_flag("password-stdin") { Some(login::secret(matches)?) } else { None };
        let body = StaffInput { name: opt(matches, "name"), password, ..StaffInput::default() };
        if body == StaffInput::default() {
            return Err(Failure::usage("Say what to change: --name or --password-stdin."));
        }
        of::<UpdateStaff>(id(matches)?, &dry_run(matches), &body)
    },
    write: Some(Write {
        question: |matches| format!("Change member of staff {}?", shown(matches)),
        danger: Danger::Reversible("The same command with the old values"),
        said: |matches| format!("Member of staff {} is changed.", shown(matches)),
        rehearses: true,
    }),
    ..CREATE
};

const DEACTIVATE: Call = Call {
    name: "deactivate",
    about: "A member of staff may no longer sign in, and is signed out everywhere",
    examples: &[("staff deactivate 3", "today is the last day")],
    args: |command| command.arg(id_arg()),
    request: |_, matches| switch(matches, false),
    write: Some(Write {
        question: |matches| format!("Deactivate member of staff {}?", shown(matches)),
        danger: Danger::Reversible("panelctl undo"),
        said: |matches| format!("Member of staff {} may no longer sign in.", shown(matches)),
        rehearses: true,
    }),
    ..UPDATE
};

const ACTIVATE: Call = Call {
    name: "activate",
    about: "A member of staff may sign in again",
    examples: &[("staff activate 3", "back again")],
    args: |command| command.arg(id_arg()),
    request: |_, matches| switch(matches, true),
    write: Some(Write {
        question: |matches| format!("Activate member of staff {}?", shown(matches)),
        danger: Danger::Reversible("panelctl undo"),
        said: |matches| format!("Member of staff {} may sign in again.", shown(matches)),
        rehearses: true,
    }),
    ..UPDATE
};

const INVITE: Call = Call {
    name: "invite",
    about: "Emails a member of staff without a password a link to set one; a link from before ends",
    examples: &[("staff invite 3", "once more, as the first link expired after seven days")],
    op: InviteStaff::OP,
    args: |command| command.arg(id_arg()),
    request: |_, matches| of::<InviteStaff>(id(matches)?, &dry_run(matches), &NoBody {}),
    write: Some(Write {
        question: |matches| format!("Invite member of staff {}?", shown(matches)),
        danger: Danger::Reversible("panelctl staff withdraw-invitation"),
        said: |matches| {
            format!("Member of staff {} gets an email with a link, good for seven days.", shown(matches))
        },
        rehearses: true,
    }),
    ..UPDATE
};

const WITHDRAW_INVITATION: Call = Call {
    name: "withdraw-invitation",
    about: "The link of an invitation no longer works",
    examples: &[("staff withdraw-invitation 3", "it went to the wrong person")],
    op: WithdrawInvitation::OP,
    args: |command| command.arg(id_arg()),
    request: |_, matches| of::<WithdrawInvitation>(id(matches)?, &dry_run(matches), &NoBody {}),
    write: Some(Write {
        question: |matches| format!("Withdraw the invitation of member of staff {}?", shown(matches)),
        danger: Danger::Reversible("panelctl staff invite"),
        said: |matches| format!("The invitation of member of staff {} is withdrawn.", shown(matches)),
        rehearses: true,
    }),
    ..UPDATE
};

const END_SESSIONS: Call = Call {
    name: "end-sessions",
    about: "Signs a member of staff out everywhere; they may sign in again",
    examples: &[("staff end-sessions 3", "their laptop was stolen")],
    op: EndStaffSessions::OP,
    args: |command| command.arg(id_arg()),
    request: |_, matches| of::<EndStaffSessions>(id(matches)?, &dry_run(matches), &NoBody {}),
    at: "",
    columns: &[Column::new("ended", Kind::Number)],
    write: Some(Write {
        question: |matches| format!("End all sessions of member of staff {}?", shown(matches)),
        danger: Danger::Reversible("Signing in again"),
        said: |matches| format!("Member of staff {} is signed out everywhere.", shown(matches)),
        rehearses: true,
    }),
};

const RESET_SECOND_FACTOR: Call = Call {
    name: "reset-second-factor",
    about: "Removes the second factor of a member of staff who lost it, and signs them out everywhere",
    examples: &[("staff reset-second-factor 3", "after you made sure who asks for it")],
    op: ResetSecondFactor::OP,
    args: |command| command.arg(id_arg()),
    request: |_, matches| of::<ResetSecondFactor>(id(matches)?, &dry_run(matches), &NoBody {}),
    write: Some(Write {
        question: |matches| format!("Remove the second factor of member of staff {}?", shown(matches)),
        danger: Danger::Final,
        said: |matches| {
            format!(
                "Member of staff {} has no second factor now, and gets an email about it.",
                shown(matches)
            )
        },
        rehearses: true,
    }),
    ..UPDATE
};

fn switch(matches: &ArgMatches, is_active: bool) -> Done<Request> {
    let body = StaffInput { is_active: Some(is_active), ..StaffInput::default() };
    of::<UpdateStaff>(id(matches)?, &dry_run(matches), &body)
}

pub(super) fn more_arg(name: &'static str, help: &'static str) -> Arg {
    Arg::new(name)
        .long(name)
        .value_name("PERMISSION")
        .value_parser(clap::builder::PossibleValuesParser::new(Permission::WORDS.texts))
        .hide_possible_values(true)
        .action(ArgAction::Append)
        .help(help)
}

pub(super) fn permission_arg() -> Arg {
    more_arg("permission", "A permission, such as 'view orders'; may be repeated")
}

fn password_arg(help: &'static str) -> Arg {
    Arg::new("password-stdin").long("password-stdin").action(ArgAction::SetTrue).help(help)
}

/// `--role` and `--permission`.
pub(crate) fn grant_args() -> [Arg; 2] {
    let role = Arg::new("role").long("role").value_name("ID").action(ArgAction::Append);
    let role = role.value_parser(clap::value_parser!(i64)).help("A role's id; may be repeated");
    [role, permission_arg()]
}

/// What `--permission` names.
pub(crate) fn permissions(matches: &ArgMatches) -> Vec<Permission> {
    named(matches, "permission")
}

pub(super) fn named(matches: &ArgMatches, name: &str) -> Vec<Permission> {
    let words = matches.get_many::<String>(name).into_iter().flatten();
    words.filter_map(|word| word.parse().ok()).collect()
}

fn roles(matches: &ArgMatches) -> Vec<RoleId> {
    every(matches, "role")
}

pub(super) fn shown(matches: &ArgMatches) -> i64 {
    given_id(matches)
}

pub(super) fn text(matches: &ArgMatches, name: &str) -> String {
    opt(matches, name).unwrap_or_default()
}
