//! `session`: lists and ends one's own sessions.

use panel_contract::endpoint::{EmptyBody, EmptyQuery, Endpoint as _};
use panel_contract::endpoints::session::{EndOtherSessions, EndOwnSession, ListOwnSessions};

use crate::command::call::{Call, Write, id, id_arg, id_value, of};
use crate::command::confirm::Danger;
use crate::command::{Cmd, Noun};
use crate::output::column::{Column, Kind};

pub(crate) const NOUN: Noun = Noun {
    name: "session",
    alias: Some("sessions"),
    about: "Manage your sessions: the browsers and programs that are signed in to your account",
    verbs: &[Cmd::Call(&LIST), Cmd::Call(&END), Cmd::Call(&END_OTHERS)],
};

const COLUMNS: &[Column] = &[
    Column::new("id", Kind::Id),
    Column::new("device", Kind::Text),
    Column::new("ip_IP address", Kind::Text).titled("IP address"),
    Column::new("signed_in_at", Kind::Time).titled("signed in"),
    Column::new("last_used_at", Kind::Time).titled("last used"),
    Column::new("is_current", Kind::Word).titled("current"),
    Column::extra("ends_at", Kind::Time),
];

const LIST: Call = Call {
    name: "list",
    about: "List your active sessions, the current one first",
    examples: &[(
        "session list -o json --jq '.[] | select(.is_current | not) | .id'",
        "print the ids of all sessions except this one",
    )],
    op: ListOwnSessions::OP,
    args: |command| command,
    request: |_, _| of::<ListOwnSessions>((), &EmptyQuery {}, &EmptyBody {}),
    pointer: "/data",
    columns: COLUMNS,
    write: None,
};

const END: Call = Call {
    name: "end",
    about: "End a session; its token stops working",
    examples: &[("session end 41", "sign out a device that you no longer use")],
    op: EndOwnSession::OP,
    args: |command| command.arg(id_arg()),
    request: |_, matches| of::<EndOwnSession>(id(matches)?, &EmptyQuery {}, &EmptyBody {}),
    pointer: "",
    columns: &[],
    write: Some(Write {
        question: |matches| format!("End session {}?", id_value(matches)),
        danger: Danger::Reversible("sign in again on that device"),
        success: |matches| format!("Session {} ended.", id_value(matches)),
        has_dry_run: false,
    }),
};

const END_OTHERS: Call = Call {
    name: "end-others",
    about: "End all your sessions except this one",
    examples: &[("session end-others --yes", "sign out everywhere else after losing a device")],
    op: EndOtherSessions::OP,
    args: |command| command,
    request: |_, _| of::<EndOtherSessions>((), &EmptyQuery {}, &EmptyBody {}),
    pointer: "",
    columns: &[Column::new("ended", Kind::Number)],
    write: Some(Write {
        question: |_| "End all your other sessions?".to_owned(),
        danger: Danger::Reversible("sign in again on that device"),
        success: |_| "Other sessions ended.".to_owned(),
        has_dry_run: false,
    }),
};
