//! The catalogue wing: what is sold.

pub mod archiving;
pub mod change_logs;
pub mod fields;
pub mod labels;
pub mod networks;
pub mod packages;
pub mod positions;
pub mod record;
pub mod service_types;
pub mod services;
pub mod targets;
pub mod texts;
pub mod undo;
pub mod uses;
