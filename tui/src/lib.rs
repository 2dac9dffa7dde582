//! A live dashboard and moderation queue in the terminal.
//!
//! One [`event::Event`] goes in, [`job::Job`]s for the runner come out; the runner alone does I/O and reads the
//! clock; drawing only reads state. So every behaviour is a test that writes events and looks at frames.

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
pub mod line;
pub mod model;
pub mod runner;
pub mod session;
pub mod terminal;
pub mod text;
pub mod theme;
