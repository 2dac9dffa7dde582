//! The client library against a panel made of a few lines: what it sends, what it repeats, and what it keeps.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod bulk;
mod lists;
mod realtime;
mod retries;
mod sessions;
mod stub;
