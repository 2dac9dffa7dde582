//! The catalogue.

pub(crate) mod change_logs;
pub(crate) mod labels;
pub(crate) mod networks;
pub(crate) mod packages;
pub(crate) mod services;
pub(crate) mod targets;
