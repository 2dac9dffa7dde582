//! `session`: lists and ends one's own sessions.

use panel_contract::endpoint::{Endpoint as _, NoBody, NoQuery};
use panel_contract::endpoints::session::{EndOtherSessions, EndOwnSession, ListOwnSessions};

use crate::command::call::{Call, Write, given_id, id, id_arg, of};
use crate::command::confirm::Danger;
use crate::command::{Cmd, Noun};
use crate::output::column::{Column, Kind};

/// `session`.
pub(crate) const NOUN: Noun = Noun {
    name: "session",
    alias: Some("sessions"),
    about: "Your sessions: the browsers and programs that are signed in as you",
    verbs: &[Cmd::Call(&LIST), Cmd::Call(&END), Cmd::Call(&END_OTHERS)],
};

const COLUMNS: &[Column] = &[
    Column::new("id", Kind::Id),
    Column::new("device", Kind::Text),
    Column::new("ip_address", Kind::Text).titled("address"),
    Column::new("signed_in_at", Kind::Time).titled("signed in"),
    Column::new("last_used_at", Kind::Time).titled("last used"),
    Column::new("is_current", Kind::Word).titled("current"),
    Column::more("ends_at", Kind::Time),
];

const LIST: Call = Call {
    name: "list",
    about: "Lists your open sessions, the one in use first",
    examples: &[("session list -o json --jq '.[] | select(.is_current | not) | .id'", "all but this one")],
    op: ListOwnSessions::OP,
    args: |command| command,
    request: |_, _| of::<ListOwnSessions>((), &NoQuery {}, &NoBody {}),
    at: "/data",
    columns: COLUMNS,
    write: None,
};

const END: Call = Call {
    name: "end",
    about: "Ends one of your sessions; its token no longer works",
    examples: &[("session end 41", "a device that is no longer yours")],
    op: EndOwnSession::OP,
    args: |command| command.arg(id_arg()),
    request: |_, matches| of::<EndOwnSession>(id(matches)?, &NoQuery {}, &NoBody {}),
    at: "",
    columns: &[],
    write: Some(Write {
        question: |matches| format!("End session {}?", given_id(matches)),
        danger: Danger::Reversible("Signing in there again"),
        said: |matches| format!("Session {} has ended.", given_id(matches)),
        rehearses: false,
    }),
};

const END_OTHERS: Call = Call {
    name: "end-others",
    about: "Ends all of your sessions except this one",
    examples: &[("session end-others --yes", "after a device was lost")],
    op: EndOtherSessions::OP,
    args: |command| command,
    request: |_, _| of::<EndOtherSessions>((), &NoQuery {}, &NoBody {}),
    at: "",
    columns: &[Column::new("ended", Kind::Number)],
    write: Some(Write {
        question: |_| "End all of your other sessions?".to_owned(),
        danger: Danger::Reversible("Signing in there again"),
        said: |_| "Your other sessions have ended.".to_owned(),
        rehearses: false,
    }),
};
