//! The catalogue area: what is sold.

pub mod change_logs;
pub mod deliverable;
pub mod labels;
pub mod networks;
pub mod packages;
pub mod promoted_levels;
pub mod service_types;
pub mod services;
pub mod targets;
