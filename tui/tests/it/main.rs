//! Tests of panel-tui: sequences of events with the expected frames, and the program in a real terminal.

#![expect(clippy::unwrap_used, clippy::expect_used, reason = "a failed test names its file and line")]

mod accidental_actions;
mod frames;
mod harness;
mod help;
mod language;
mod lists;
mod panel_fixture;
mod records;
mod requests;
mod runs;
mod sessions;
mod terminal;
mod tmux;
mod withdrawals;
