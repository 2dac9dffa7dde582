//! The live channel: publishes four counters to the signed-in staff by the Pusher protocol.
//!
//! A commit wakes the poller, which reads the materialized counts at most four times a second and publishes only the changed
//! ones. On PostgreSQL, NOTIFY wakes the pollers of all processes. This module never counts rows.

pub mod broadcast;
pub mod channel;
pub mod counters;
pub mod protocol;
pub mod socket_registry;

pub use channel::Live;
