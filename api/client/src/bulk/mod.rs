//! Bulk runs: one action on many records, in chunks of ids, that can be resumed after an interruption. A run writes and syncs its
//! plan to a journal before the first request, and every chunk has its own idempotency key. If a response is lost, the run sends
//! the chunk again with the same key and body, and the panel returns its first response.
//!
//! A run must never send a chunk that is not in its journal, and never lose an id: each id ends as processed, skipped with a
//! reason, or open.

pub mod action;
pub mod folder;
pub mod journal;
pub mod report;
pub mod run;
