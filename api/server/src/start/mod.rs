//! The commands of `panel-server`. They write messages for the operator to standard error, and data to standard output.

pub(crate) mod backup;
pub mod commands;
pub mod demo;
pub mod folder_lock;
pub(crate) mod listener;
pub mod logs;
pub(crate) mod metrics;
mod open_app;
pub(crate) mod restore;
mod secrets;
pub(crate) mod telemetry;
pub(crate) mod terminal;
