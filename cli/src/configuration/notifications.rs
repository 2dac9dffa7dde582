//! Notifications to staff: which kinds are enabled, and which staff members receive them.

use clap::{Arg, ArgMatches, Command};
use panel_contract::endpoint::{EmptyBody, EmptyQuery, Endpoint as _};
use panel_contract::endpoints::notifications::{
    GetAdminNotifications, GetNotifications, GetSupportNotifications, UpdateAdminNotifications,
    UpdateNotifications, UpdateSupportNotifications,
};
use panel_contract::notifications::{NotificationSwitch, NotificationsInput, RecipientsInput};

use crate::command::confirm::Reversibility;
use crate::command::request_command::{BASE_COMMAND, RequestCommand, WriteSpec, build_request};
use crate::command::text::parse_ids;
use crate::command::{CommandGroup, CommandSpec};
use crate::failure::{CommandResult, Failure};
use crate::output::column::{Column, DisplayKind};

pub(crate) const COMMANDS: CommandGroup = CommandGroup {
    name: "notifications",
    alias: Some("notification"),
    about: "Manage notifications to staff and their recipients",
    commands: &[
        CommandSpec::Request(&GET),
        CommandSpec::Request(&SET),
        CommandSpec::Nested(&ADMIN_RECIPIENTS),
        CommandSpec::Nested(&SUPPORT_RECIPIENTS),
    ],
};

const ADMIN_RECIPIENTS: CommandGroup = CommandGroup {
    name: "admin",
    alias: None,
    about: "Manage the recipients of admin notifications",
    commands: &[CommandSpec::Request(&GET_ADMINS), CommandSpec::Request(&SET_ADMINS)],
};

const SUPPORT_RECIPIENTS: CommandGroup = CommandGroup {
    name: "support",
    alias: None,
    about: "Manage the recipients of support notifications",
    commands: &[CommandSpec::Request(&GET_SUPPORT), CommandSpec::Request(&SET_SUPPORT)],
};

const NOTIFICATION_COLUMNS: &[Column] = &[
    Column::new("notification", DisplayKind::Enum),
    Column::new("is_enabled", DisplayKind::Enum).with_title("enabled"),
    Column::new("audience", DisplayKind::Enum).with_title("recipients"),
    Column::new("permission", DisplayKind::Enum),
    Column::new("description", DisplayKind::Text),
];

const GET: RequestCommand = RequestCommand {
    name: "get",
    about: "List all kinds of notifications, and whether they are enabled",
    examples: &[("notifications get", "list all kinds")],
    op: GetNotifications::OP,
    args: |command| command,
    request: |_, _| build_request::<GetNotifications>((), &EmptyQuery {}, &EmptyBody {}),
    json_pointer: "/data/panel_notifications",
    columns: NOTIFICATION_COLUMNS,
    write: None,
};

const SET: RequestCommand = RequestCommand {
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
    request: |_, matches| build_request::<UpdateNotifications>((), &EmptyQuery {}, &read_switches(matches)?),
    json_pointer: "/data/panel_notifications",
    columns: NOTIFICATION_COLUMNS,
    write: Some(WriteSpec {
        question: |_| "Change these notifications?".to_owned(),
        reversibility: Reversibility::Reversible("run the command again with the old values"),
        success: |_| "Notifications updated.".to_owned(),
        has_dry_run: false,
    }),
};

const RECIPIENT_COLUMNS: &[Column] = &[
    Column::new("id", DisplayKind::Id),
    Column::new("name", DisplayKind::Text),
    Column::new("email", DisplayKind::Text),
    Column::new("withheld", DisplayKind::Text),
];

const GET_ADMINS: RequestCommand = RequestCommand {
    name: "get",
    about: "List the recipients, and the notifications they miss because they lack a permission",
    examples: &[("notifications admin get", "list the recipients")],
    op: GetAdminNotifications::OP,
    request: |_, _| build_request::<GetAdminNotifications>((), &EmptyQuery {}, &EmptyBody {}),
    json_pointer: "/data/users",
    columns: RECIPIENT_COLUMNS,
    ..BASE_COMMAND
};

const SET_ADMINS: RequestCommand = RequestCommand {
    name: "set",
    about: "Set the recipients",
    examples: &[("notifications admin set 3,7", "notify only the users 3 and 7")],
    op: UpdateAdminNotifications::OP,
    args: recipients_arg,
    request: |_, matches| {
        build_request::<UpdateAdminNotifications>((), &EmptyQuery {}, &read_recipients(matches)?)
    },
    json_pointer: "/data/users",
    columns: RECIPIENT_COLUMNS,
    write: Some(WriteSpec {
        question: |_| "Change the recipients of admin notifications?".to_owned(),
        reversibility: Reversibility::Reversible("run the command again with the old list"),
        success: |_| "Recipients updated.".to_owned(),
        has_dry_run: false,
    }),
};

const GET_SUPPORT: RequestCommand = RequestCommand {
    name: "get",
    about: "List the recipients, and the notifications they miss because they lack a permission",
    examples: &[("notifications support get", "list the recipients")],
    op: GetSupportNotifications::OP,
    request: |_, _| build_request::<GetSupportNotifications>((), &EmptyQuery {}, &EmptyBody {}),
    json_pointer: "/data/users",
    columns: RECIPIENT_COLUMNS,
    ..BASE_COMMAND
};

const SET_SUPPORT: RequestCommand = RequestCommand {
    name: "set",
    about: "Set the recipients",
    examples: &[("notifications support set none", "remove all recipients")],
    op: UpdateSupportNotifications::OP,
    args: recipients_arg,
    request: |_, matches| {
        build_request::<UpdateSupportNotifications>((), &EmptyQuery {}, &read_recipients(matches)?)
    },
    json_pointer: "/data/users",
    columns: RECIPIENT_COLUMNS,
    write: Some(WriteSpec {
        question: |_| "Change the recipients of support notifications?".to_owned(),
        reversibility: Reversibility::Reversible("run the command again with the old list"),
        success: |_| "Recipients updated.".to_owned(),
        has_dry_run: false,
    }),
};

fn recipients_arg(command: Command) -> Command {
    let ids = Arg::new("users").value_name("IDS").required(true);
    command.arg(ids.help("Ids of all recipients, separated by commas, or none"))
}

fn read_recipients(matches: &ArgMatches) -> CommandResult<RecipientsInput> {
    Ok(RecipientsInput { users: parse_ids(matches, "users")?.unwrap_or_default() })
}

fn read_switches(matches: &ArgMatches) -> CommandResult<NotificationsInput> {
    let mut panel_notifications = Vec::new();
    for value in matches.get_many::<String>("panel-notifications").into_iter().flatten() {
        let usage_error =
            || Failure::usage(format!("{value}: expected KIND=on or KIND=off, such as invoice_paid=off."));
        let (kind, state) = value.split_once('=').ok_or_else(usage_error)?;
        let notification = kind.parse().map_err(|_| usage_error())?;
        let is_enabled = match state {
            "on" => true,
            "off" => false,
            _ => return Err(usage_error()),
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
