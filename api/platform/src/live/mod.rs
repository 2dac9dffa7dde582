//! The live channel: four counters for everybody who is signed in, by the Pusher protocol.
//!
//! A commit notifies it; it looks at the kept counts at most four times a second and publishes only what changed. On
//! PostgreSQL a notification reaches every process through NOTIFY. It never counts rows.

pub mod broadcast;
pub mod channel;
pub mod counters;
pub mod protocol;
pub mod seats;

pub use channel::Live;
