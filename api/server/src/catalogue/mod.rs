//! The catalogue wing: what is sold.

pub mod services;
