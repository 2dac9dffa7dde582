//! The operations wing: orders, payments, users.

pub mod grades;
pub mod orders;
pub mod payments;
pub mod referrals;
pub mod users;
