//! Everything that can happen to the dashboard, as one type. Time comes beside it, as a parameter.

use panel_contract::session::Counters;

use crate::job::Answer;
use crate::key::Key;
use crate::session::Connection;

/// Something that happened.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Event {
    /// A key.
    Key {
        /// Which.
        key: Key,
        /// The terminal says that it is being held.
        held: bool,
    },
    /// A click or the wheel.
    Mouse {
        /// What the mouse did.
        what: Mouse,
        /// Column.
        x: u16,
        /// Line.
        y: u16,
    },
    /// Text that was pasted.
    Paste(String),
    /// The terminal has another size: columns, lines.
    Resize(u16, u16),
    /// The terminal's window is the one typed into again.
    Focus,
    /// Time went by.
    Tick,
    /// The runner did something.
    Answer(Box<Answer>),
    /// The live counters.
    Counters(Counters),
    /// The connection changed.
    Connection(Connection),
}

/// What the mouse did.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mouse {
    /// The left button went down.
    Click,
    /// The wheel went up.
    WheelUp,
    /// The wheel went down.
    WheelDown,
}
