//! The server as its callers see it, on both databases.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails here")]

mod lists;
mod panel;
mod tables;
