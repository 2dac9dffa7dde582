//! Tests of panel-tui: scripts of events against frames, and the program itself in a real terminal.

#![expect(clippy::unwrap_used, clippy::expect_used, reason = "a test that fails says where by itself")]

mod frames;
mod guards;
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
