//! Notifications to staff: which kinds are enabled, and which staff members receive them.

use clap::{Arg, ArgMatches, Command};
use panel_contract::endpoint::{EmptyBody, EmptyQuery, Endpoint as _};
use panel_contract::endpoints::notifications::{
    GetAdminNotifications, GetNotifications, GetSupportNotifications, UpdateAdminNotifications,
    UpdateNotifications, UpdateSupportNotifications,
};
use panel_contract::notifications::{NotificationSwitch, NotificationsInput, RecipientsInput};

use crate::command::call::{Call, WriteSpec, request_for};
use crate::command::confirm::Reversibility;
use crate::command::text::parse_ids;
use crate::command::{Cmd, CommandGroup};
use crate::failure::{CmdResult, Failure};
use crate::output::column::{Column, Kind};

pub(crate) const COMMANDS: CommandGroup = CommandGroup {
    name: "notifications",
    alias: Some("notification"),
    about: "Manage notifications to staff and their recipients",
    commands: &[Cmd::Call(&GET), Cmd::Call(&SET), Cmd::Nested(&ADMIN), Cmd::Nested(&SUPPORT)],
};

const ADMIN: CommandGroup = CommandGroup {
    name: "admin",
    alias: None,
    about: "Manage the recipients of admin notifications",
    commands: &[Cmd::Call(&GET_ADMINS), Cmd::Call(&SET_ADMINS)],
};

const SUPPORT: CommandGroup = CommandGroup {
    name: "support",
    alias: None,
    about: "Manage the recipients of support notifications",
    commands: &[Cmd::Call(&GET_SUPPORT), Cmd::Call(&SET_SUPPORT)],
};

const GET: Call = Call {
    name: "get",
    about: "List all kinds of notifications, and whether they are enabled",
    examples: &[("notifications get", "list all kinds")],
    op: GetNotifications::OP,
    args: |command| command,
    request: |_, _| request_for::<GetNotifications>((), &EmptyQuery {}, &EmptyBody {}),
    pointer: "/data/panel_notifications",
    columns: &[
        Column::new("notification", Kind::Enum),
        Column::new("is_enabled", Kind::Enum).with_title("enabled"),
        Column::new("audience", Kind::Enum).with_title("recipients"),
        Column::new("permission", Kind::Enum),
        Column::new("description", Kind::Text),
    ],
    write: None,
};

const SET: Call = Call {
    name: "set",
    about: "Enable or disable kinds of notifications",
    examples: &[(
        "notifications set invoice_paid=off order_in_moderation=on",
        "disable one kind and enable another",
    )],
    op: UpdateNotifications::OP,
    args: |command| {
        command.arg(
            Arg::new("panel-notifications")
                .value_name("KIND=on|off")
                .num_args(1..)
                .required(true)
                .help("Kinds with on or off (see notifications get)"),
        )
    },
    request: |_, matches| request_for::<UpdateNotifications>((), &EmptyQuery {}, &read_switches(matches)?),
    write: Some(WriteSpec {
        question: |_| "Change these notifications?".to_owned(),
        reversibility: Reversibility::Reversible("run the command again with the old values"),
        success: |_| "Notifications updated.".to_owned(),
        has_dry_run: false,
    }),
    ..GET
};

const GET_ADMINS: Call = Call {
    name: "get",
    about: "List the recipients, and the notifications they miss because they lack a permission",
    examples: &[("notifications admin get", "list the recipients")],
    op: GetAdminNotifications::OP,
    request: |_, _| request_for::<GetAdminNotifications>((), &EmptyQuery {}, &EmptyBody {}),
    pointer: "/data/users",
    columns: &[
        Column::new("id", Kind::Id),
        Column::new("name", Kind::Text),
        Column::new("email", Kind::Text),
        Column::new("withheld", Kind::Text),
    ],
    ..GET
};

const SET_ADMINS: Call = Call {
    name: "set",
    about: "Set the recipients",
    examples: &[("notifications admin set 3,7", "notify only the users 3 and 7")],
    op: UpdateAdminNotifications::OP,
    args: recipients_arg,
    request: |_, matches| {
        request_for::<UpdateAdminNotifications>((), &EmptyQuery {}, &read_recipients(matches)?)
    },
    write: Some(WriteSpec {
        question: |_| "Change the recipients of admin notifications?".to_owned(),
        reversibility: Reversibility::Reversible("run the command again with the old list"),
        success: |_| "Recipients updated.".to_owned(),
        has_dry_run: false,
    }),
    ..GET_ADMINS
};

const GET_SUPPORT: Call = Call {
    examples: &[("notifications support get", "list the recipients")],
    op: GetSupportNotifications::OP,
    request: |_, _| request_for::<GetSupportNotifications>((), &EmptyQuery {}, &EmptyBody {}),
    ..GET_ADMINS
};

const SET_SUPPORT: Call = Call {
    examples: &[("notifications support set none", "remove all recipients")],
    op: UpdateSupportNotifications::OP,
    request: |_, matches| {
        request_for::<UpdateSupportNotifications>((), &EmptyQuery {}, &read_recipients(matches)?)
    },
    write: Some(WriteSpec {
        question: |_| "Change the recipients of support notifications?".to_owned(),
        reversibility: Reversibility::Reversible("run the command again with the old list"),
        success: |_| "Recipients updated.".to_owned(),
        has_dry_run: false,
    }),
    ..SET_ADMINS
};

fn recipients_arg(command: Command) -> Command {
    let ids = Arg::new("users").value_name("IDS").required(true);
    command.arg(ids.help("Ids of all recipients, separated by commas, or none"))
}

fn read_recipients(matches: &ArgMatches) -> CmdResult<RecipientsInput> {
    Ok(RecipientsInput { users: parse_ids(matches, "users")?.unwrap_or_default() })
}

fn read_switches(matches: &ArgMatches) -> CmdResult<NotificationsInput> {
    let mut panel_notifications = Vec::new();
    for value in matches.get_many::<String>("panel-notifications").into_iter().flatten() {
        let invalid =
            || Failure::usage(format!("{value}: expected KIND=on or KIND=off, such as invoice_paid=off."));
        let (kind, state) = value.split_once('=').ok_or_else(invalid)?;
        let notification = kind.parse().map_err(|_| invalid())?;
        let is_enabled = match state {
            "on" => true,
            "off" => false,
            _ => return Err(invalid()),
        };
        panel_notifications.push(NotificationSwitch {
            notification,
            description: None,
            audience: None,
            permission: None,
            is_enabled,
        });
    }
    Ok(NotificationsInput { panel_notifications })
}
