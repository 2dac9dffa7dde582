//! Commands for orders, customers, payments and staff.

pub(crate) mod audit;
pub(crate) mod cancel_requests;
pub(crate) mod combo_orders;
pub(crate) mod drip_feeds;
pub(crate) mod free_trials;
pub(crate) mod grades;
pub(crate) mod invoices;
pub(crate) mod orders;
pub(crate) mod payment_methods;
pub(crate) mod payments;
pub(crate) mod quests;
pub(crate) mod referrals;
pub(crate) mod roles;
pub(crate) mod staff;
pub(crate) mod subscriptions;
pub(crate) mod undo;
pub(crate) mod users;
pub(crate) mod withdrawals;
