//! Telemetry of a request or a poll: its span and its database statistics.
//!
//! Start-up chooses the exporter of the spans; this module does not depend on one.

pub mod spans;
pub mod stats;
