//! The commands of `panel-server`. Words for people go to standard error, data to standard output.

pub mod commands;
pub mod logs;
