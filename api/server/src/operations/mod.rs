//! The operations wing: orders, payments, users.

pub mod free_trials;
pub mod drip_feeds;
pub mod combo_orders;
pub mod advances;
pub mod orders;
pub mod payments;
pub mod subscriptions;
pub mod users;
