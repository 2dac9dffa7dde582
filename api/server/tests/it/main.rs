//! The server as its callers see it, on both databases.

mod lists;
mod panel;
mod tables;
