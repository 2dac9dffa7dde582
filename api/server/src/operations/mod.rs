//! The operations wing: orders, payments, users.

pub mod advances;
pub mod affiliates;
pub mod drip_feeds;
pub mod grades;
pub mod orders;
pub mod payments;
pub mod referrals;
pub mod staff;
pub mod user_access;
pub mod user_services;
pub mod users;
