//! Tests of the client library against a stub panel: requests, retries and stored state.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod bulk;
mod lists;
mod realtime;
mod retries;
mod sessions;
mod stub;
