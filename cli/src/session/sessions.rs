//! `session`: lists and ends the sessions of the signed-in user.

use panel_contract::endpoint::{EmptyBody, EmptyQuery, Endpoint as _};
use panel_contract::endpoints::session::{EndOtherSessions, EndOwnSession, ListOwnSessions};

use crate::command::confirm::Reversibility;
use crate::command::request_command::{
    RequestCommand, WriteSpec, build_request, id_arg, id_for_message, required_id,
};
use crate::command::{CommandGroup, CommandSpec};
use crate::output::column::{Column, DisplayKind};

pub(crate) const COMMANDS: CommandGroup = CommandGroup {
    name: "session",
    alias: Some("sessions"),
    about: "Manage your sessions: the browsers and programs that are signed in to your account",
    commands: &[
        CommandSpec::Request(&LIST),
        CommandSpec::Request(&END_SESSION),
        CommandSpec::Request(&END_OTHER_SESSIONS),
    ],
};

const COLUMNS: &[Column] = &[
    Column::new("id", DisplayKind::Id),
    Column::new("device", DisplayKind::Text),
    Column::new("ip_address", DisplayKind::Text).with_title("IP address"),
    Column::new("signed_in_at", DisplayKind::Time).with_title("signed in"),
    Column::new("last_used_at", DisplayKind::Time).with_title("last used"),
    Column::new("is_current", DisplayKind::Enum).with_title("current"),
    Column::hidden("ends_at", DisplayKind::Time),
];

const LIST: RequestCommand = RequestCommand {
    name: "list",
    about: "List your active sessions, the current one first",
    examples: &[(
        "session list -o json --jq '.[] | select(.is_current | not) | .id'",
        "print the ids of all sessions except this one",
    )],
    op: ListOwnSessions::OP,
    args: |command| command,
    request: |_, _| build_request::<ListOwnSessions>((), &EmptyQuery {}, &EmptyBody {}),
    json_pointer: "/data",
    columns: COLUMNS,
    write: None,
};

const END_SESSION: RequestCommand = RequestCommand {
    name: "end",
    about: "End a session; its token stops working",
    examples: &[("session end 41", "sign out a device that you no longer use")],
    op: EndOwnSession::OP,
    args: |command| command.arg(id_arg()),
    request: |_, matches| {
        build_request::<EndOwnSession>(required_id(matches)?, &EmptyQuery {}, &EmptyBody {})
    },
    json_pointer: "",
    columns: &[],
    write: Some(WriteSpec {
        question: |matches| format!("End session {}?", id_for_message(matches)),
        reversibility: Reversibility::Reversible("sign in again on that device"),
        success: |matches| format!("Session {} ended.", id_for_message(matches)),
        has_dry_run: false,
    }),
};

const END_OTHER_SESSIONS: RequestCommand = RequestCommand {
    name: "end-others",
    about: "End all your sessions except this one",
    examples: &[("session end-others --yes", "sign out everywhere else after losing a device")],
    op: EndOtherSessions::OP,
    args: |command| command,
    request: |_, _| build_request::<EndOtherSessions>((), &EmptyQuery {}, &EmptyBody {}),
    json_pointer: "",
    columns: &[Column::new("ended", DisplayKind::Number)],
    write: Some(WriteSpec {
        question: |_| "End all your other sessions?".to_owned(),
        reversibility: Reversibility::Reversible("sign in again on that device"),
        success: |_| "Other sessions ended.".to_owned(),
        has_dry_run: false,
    }),
};
