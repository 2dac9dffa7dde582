//! Notifications: of what the panel tells its staff, and whom.

use clap::{Arg, ArgMatches, Command};
use panel_contract::endpoint::{Endpoint as _, NoBody, NoQuery};
use panel_contract::endpoints::notifications::{
    GetAdminNotifications, GetNotifications, GetSupportNotifications, UpdateAdminNotifications,
    UpdateNotifications, UpdateSupportNotifications,
};
use panel_contract::notifications::{NotificationSwitch, NotificationsInput, RecipientsInput};

use crate::command::call::{Call, Write, of};
use crate::command::confirm::Danger;
use crate::command::text::ids_of;
use crate::command::{Cmd, Noun};
use crate::failure::{Done, Failure};
use crate::output::column::{Column, Kind};

/// `notifications`.
pub(crate) const NOUN: Noun = Noun {
    name: "notifications",
    alias: Some("notification"),
    about: "Of what the panel tells its staff, and whom",
    verbs: &[Cmd::Call(&GET), Cmd::Call(&SET), Cmd::Nested(&ADMIN), Cmd::Nested(&SUPPORT)],
};

const ADMIN: Noun = Noun {
    name: "admin",
    alias: None,
    about: "Who is told what admins are told",
    verbs: &[Cmd::Call(&GET_ADMINS), Cmd::Call(&SET_ADMINS)],
};

const SUPPORT: Noun = Noun {
    name: "support",
    alias: None,
    about: "Who is told what the support is told",
    verbs: &[Cmd::Call(&GET_SUPPORT), Cmd::Call(&SET_SUPPORT)],
};

const GET: Call = Call {
    name: "get",
    about: "Every kind of notification, and whether it is on",
    examples: &[("notifications get", "all kinds")],
    op: GetNotifications::OP,
    args: |command| command,
    request: |_, _| of::<GetNotifications>((), &NoQuery {}, &NoBody {}),
    at: "/data/panel_notifications",
    columns: &[
        Column::new("notification", Kind::Word),
        Column::new("is_enabled", Kind::Word).titled("on"),
        Column::new("audience", Kind::Word).titled("list"),
        Column::new("permission", Kind::Word),
        Column::new("description", Kind::Text),
    ],
    write: None,
};

const SET: Call = Call {
    name: "set",
    about: "Switches kinds on and off",
    examples: &[("notifications set invoice_paid=off order_in_moderation=on", "two kinds")],
    op: UpdateNotifications::OP,
    args: |command| {
        command.arg(
            Arg::new("panel-notifications")
                .value_name("KIND=on|off")
                .num_args(1..)
                .required(true)
                .help("Kinds, as notifications get lists them"),
        )
    },
    request: |_, matches| of::<UpdateNotifications>((), &NoQuery {}, &switches(matches)?),
    write: Some(Write {
        question: |_| "Change of what the staff is told?".to_owned(),
        danger: Danger::Reversible("The same command with the old values"),
        said: |_| "The notifications are changed.".to_owned(),
        rehearses: false,
    }),
    ..GET
};

const GET_ADMINS: Call = Call {
    name: "get",
    about: "Who is on the list, and what they do not hear of for want of a permission",
    examples: &[("notifications admin get", "the list")],
    op: GetAdminNotifications::OP,
    request: |_, _| of::<GetAdminNotifications>((), &NoQuery {}, &NoBody {}),
    at: "/data/users",
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
    about: "Says who is on the list",
    examples: &[("notifications admin set 3,7", "these two and nobody else")],
    op: UpdateAdminNotifications::OP,
    args: list_args,
    request: |_, matches| of::<UpdateAdminNotifications>((), &NoQuery {}, &people(matches)?),
    write: Some(Write {
        question: |_| "Change who is told what admins are told?".to_owned(),
        danger: Danger::Reversible("The same command with the old list"),
        said: |_| "The list is changed.".to_owned(),
        rehearses: false,
    }),
    ..GET_ADMINS
};

const GET_SUPPORT: Call = Call {
    examples: &[("notifications support get", "the list")],
    op: GetSupportNotifications::OP,
    request: |_, _| of::<GetSupportNotifications>((), &NoQuery {}, &NoBody {}),
    ..GET_ADMINS
};

const SET_SUPPORT: Call = Call {
    examples: &[("notifications support set none", "nobody")],
    op: UpdateSupportNotifications::OP,
    request: |_, matches| of::<UpdateSupportNotifications>((), &NoQuery {}, &people(matches)?),
    write: Some(Write {
        question: |_| "Change who is told what the support is told?".to_owned(),
        danger: Danger::Reversible("The same command with the old list"),
        said: |_| "The list is changed.".to_owned(),
        rehearses: false,
    }),
    ..SET_ADMINS
};

fn list_args(command: Command) -> Command {
    let ids = Arg::new("users").value_name("IDS").required(true);
    command.arg(ids.help("Everybody who shall be told, with commas; none for nobody"))
}

fn people(matches: &ArgMatches) -> Done<RecipientsInput> {
    Ok(RecipientsInput { users: ids_of(matches, "users")?.unwrap_or_default() })
}

fn switches(matches: &ArgMatches) -> Done<NotificationsInput> {
    let mut panel_notifications = Vec::new();
    for said in matches.get_many::<String>("panel-notifications").into_iter().flatten() {
        let wrong = || Failure::usage(format!("{said}: say KIND=on or KIND=off, such as invoice_paid=off."));
        let (kind, word) = said.split_once('=').ok_or_else(wrong)?;
        let notification = kind.parse().map_err(|_| wrong())?;
        let is_enabled = match word {
            "on" => true,
            "off" => false,
            _ => return Err(wrong()),
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
