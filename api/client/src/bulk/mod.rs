//! Journaled bulk runs, for whoever acts on many records: what is to be done is written down and synced before the
//! first request, every chunk has its own idempotency key, and a run that was cut resumes where it stood. A chunk
//! whose answer was lost is sent again with its old key and body: the panel replays its first answer.
//!
//! A run must never send a chunk that its journal does not hold, and never forget an id: each ends as processed,
//! skipped with a reason, or open.

pub mod action;
pub mod folder;
pub mod journal;
pub mod report;
pub mod run;
