//! The events that the dashboard handles. The time of an event is a separate parameter.

use panel_contract::session::Counters;

use crate::job::RunnerEvent;
use crate::key::Key;
use crate::session::Connection;

/// An event of the terminal, the runner or the clock.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Event {
    Key {
        key: Key,
        /// Whether the terminal reports a repeat of a held key.
        is_repeat: bool,
    },
    /// A mouse click or wheel step.
    Mouse {
        action: MouseAction,
        x: u16,
        y: u16,
    },
    Paste(String),
    /// The new size of the terminal: columns, lines.
    Resize(u16, u16),
    /// The terminal window got the focus.
    Focus,
    Tick,
    /// A result of a job, or a request of the runner to the staff member.
    Runner(Box<RunnerEvent>),
    /// The live counters of the server.
    Counters(Counters),
    Connection(Connection),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MouseAction {
    Click,
    WheelUp,
    WheelDown,
}
