//! The catalogue wing: what is sold.

pub mod change_logs;
pub mod services;
