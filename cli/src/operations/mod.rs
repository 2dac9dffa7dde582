//! Orders, users and money.

pub(crate) mod audit;
pub(crate) mod drip_feeds;
pub(crate) mod grades;
pub(crate) mod orders;
pub(crate) mod payments;
pub(crate) mod referrals;
pub(crate) mod staff;
pub(crate) mod users;
