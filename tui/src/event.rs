//! The events of the dashboard. The time is a separate parameter.

use panel_contract::session::Counters;

use crate::job::Answer;
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
    /// Pasted text.
    Paste(String),
    /// The new size of the terminal: columns, lines.
    Resize(u16, u16),
    /// The terminal window got the focus.
    Focus,
    Tick,
    /// A result or a request of the runner.
    Answer(Box<Answer>),
    /// The live counters of the panel.
    Counters(Counters),
    Connection(Connection),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MouseAction {
    /// Left button pressed.
    Click,
    /// Scroll up.
    WheelUp,
    /// Scroll down.
    WheelDown,
}
