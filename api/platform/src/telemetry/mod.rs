//! Telemetry of one unit of work, such as a request or a poll: its span, and its database statistics.
//!
//! Start-up chooses the exporter; this module does not depend on one.

pub mod spans;
pub mod stats;
