//! Operator tools: background jobs, quarantined records and bulk runs.

pub(crate) mod jobs;
pub(crate) mod quarantine;
pub(crate) mod runs;
