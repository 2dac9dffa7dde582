//! A live dashboard with moderation queues for the terminal.
//!
//! The dashboard handles an [`event::Event`] and returns [`job::Job`]s for the runner. Only the runner does I/O and reads
//! the clock, and drawing only reads the state. Therefore a test of any behaviour sends events and compares screens.

pub mod app;
pub mod command;
pub mod dialog;
pub mod draw;
pub mod event;
pub mod hints;
pub mod input;
pub mod job;
pub mod key;
pub mod keymap;
pub mod layout;
pub mod model;
pub mod runner;
pub mod session;
pub mod terminal;
pub mod text;
pub mod text_input;
pub mod theme;
