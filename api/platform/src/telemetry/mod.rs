//! What is known of one unit of work, such as a request or a poll: its span, and what it asked of the database.
//!
//! Where spans go is decided at start-up; this module knows no exporter.

pub mod spans;
pub mod stats;
