//! What is sold.

pub(crate) mod services;
