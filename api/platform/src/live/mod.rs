//! The live channel: publishes four counters to the signed-in staff by the Pusher protocol.
//!
//! A commit wakes the poller; it reads the materialized counts at most four times a second and publishes only those that
//! changed. On PostgreSQL, NOTIFY carries a notification to every process. It never counts rows.

pub mod broadcast;
pub mod channel;
pub mod counters;
pub mod protocol;
pub mod socket_registry;

pub use channel::Live;
