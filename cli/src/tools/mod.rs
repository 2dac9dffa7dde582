//! What belongs to this program and not to the panel.

pub(crate) mod jobs;
pub(crate) mod quarantine;
pub(crate) mod runs;
