//! The operations wing: orders, payments, users.

pub mod advances;
pub mod drip_feeds;
pub mod orders;
pub mod payments;
pub mod users;
