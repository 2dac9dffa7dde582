//! Journaled bulk runs over many records. The plan is written and synced before the first request, every chunk has its own
//! idempotency key, and an interrupted run can be resumed. A chunk whose response was lost is sent again with the same key and
//! body, and the panel replays its first response.
//!
//! A run must never send a chunk that is not in its journal, and never lose an id: each ends as processed, skipped with a
//! reason, or open.

pub mod action;
pub mod folder;
pub mod journal;
pub mod report;
pub mod run;
