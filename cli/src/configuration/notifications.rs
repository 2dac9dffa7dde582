//! Notifications to staff: which kinds are enabled, and who receives them.

use clap::{Arg, ArgMatches, Command};
use panel_contract::endpoint::{EmptyBody, EmptyQuery, Endpoint as _};
use panel_contract::endpoints::notifications::{
    GetAdminNotifications, GetNotifications, GetSupportNotifications, UpdateAdminNotifications,
    UpdateNotifications, UpdateSupportNotifications,
};
use panel_contract::notifications::{NotificationSwitch, NotificationsInput, RecipientsInput};

use crate::command::call::{Call, Write, of};
use crate::command::confirm::Danger;
use crate::command::text::ids_of;
use crate::command::{Cmd, Noun};
use crate::failure::{CmdResult, Failure};
use crate::output::column::{Column, Kind};

pub(crate) const NOUN: Noun = Noun {
    name: "notifications",
    alias: Some("notification"),
    about: "Manage notifications to staff and their recipients",
    verbs: &[Cmd::Call(&GET), Cmd::Call(&SET), Cmd::Nested(&ADMIN), Cmd::Nested(&SUPPORT)],
};

const ADMIN: Noun = Noun {
    name: "admin",
    alias: None,
    about: "Manage the recipients of admin notifications",
    verbs: &[Cmd::Call(&GET_ADMINS), Cmd::Call(&SET_ADMINS)],
};

const SUPPORT: Noun = Noun {
    name: "support",
    alias: None,
    about: "Manage the recipients of support notifications",
    verbs: &[Cmd::Call(&GET_SUPPORT), Cmd::Call(&SET_SUPPORT)],
};

const GET: Call = Call {
    name: "get",
    about: "List all kinds of notifications, and whether they are enabled",
    examples: &[("notifications get", "list all kinds")],
    op: GetNotifications::OP,
    args: |command| command,
    request: |_, _| of::<GetNotifications>((), &EmptyQuery {}, &EmptyBody {}),
    pointer: "/data/panel_notifications",
    columns: &[
        Column::new("notification", Kind::Word),
        Column::new("is_enabled", Kind::Word).titled("enabled"),
        Column::new("audience", Kind::Word).titled("recipients"),
        Column::new("permission", Kind::Word),
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
    request: |_, matches| of::<UpdateNotifications>((), &EmptyQuery {}, &switches(matches)?),
    write: Some(Write {
        question: |_| "Change these notifications?".to_owned(),
        danger: Danger::Reversible("run the command again with the old values"),
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
    request: |_, _| of::<GetAdminNotifications>((), &EmptyQuery {}, &EmptyBody {}),
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
    examples: &[("notifications admin set 3,7", "notify only these two")],
    op: UpdateAdminNotifications::OP,
    args: list_args,
    request: |_, matches| of::<UpdateAdminNotifications>((), &EmptyQuery {}, &recipients(matches)?),
    write: Some(Write {
        question: |_| "Change the recipients of admin notifications?".to_owned(),
        danger: Danger::Reversible("run the command again with the old list"),
        success: |_| "Recipients updated.".to_owned(),
        has_dry_run: false,
    }),
    ..GET_ADMINS
};

const GET_SUPPORT: Call = Call {
    examples: &[("notifications support get", "list the recipients")],
    op: GetSupportNotifications::OP,
    request: |_, _| of::<GetSupportNotifications>((), &EmptyQuery {}, &EmptyBody {}),
    ..GET_ADMINS
};

const SET_SUPPORT: Call = Call {
    examples: &[("notifications support set none", "remove all recipients")],
    op: UpdateSupportNotifications::OP,
    request: |_, matches| of::<UpdateSupportNotifications>((), &EmptyQuery {}, &recipients(matches)?),
    write: Some(Write {
        question: |_| "Change the recipients of support notifications?".to_owned(),
        danger: Danger::Reversible("run the command again with the old list"),
        success: |_| "Recipients updated.".to_owned(),
        has_dry_run: false,
    }),
    ..SET_ADMINS
};

fn list_args(command: Command) -> Command {
    let ids = Arg::new("users").value_name("IDS").required(true);
    command.arg(ids.help("Ids of all recipients, separated by commas, or none"))
}

fn recipients(matches: &ArgMatches) -> CmdResult<RecipientsInput> {
    Ok(RecipientsInput { users: ids_of(matches, "users")?.unwrap_or_default() })
}

fn switches(matches: &ArgMatches) -> CmdResult<NotificationsInput> {
    let mut panel_notifications = Vec::new();
    for value in matches.get_many::<String>("panel-notifications").into_iter().flatten() {
        let invalid =
            || Failure::usage(format!("{value}: expected KIND=on or KIND=off, such as invoice_paid=off."));
        let (kind, word) = value.split_once('=').ok_or_else(invalid)?;
        let notification = kind.parse().map_err(|_| invalid())?;
        let is_enabled = match word {
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
