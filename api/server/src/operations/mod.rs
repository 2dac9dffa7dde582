//! The operations area: orders, payments, users.

pub mod advances;
pub mod affiliates;
pub mod cancel_requests;
pub mod combo_orders;
pub mod documents;
pub mod drip_feeds;
pub mod free_trials;
pub mod grades;
pub mod invoices;
pub mod manual_credits;
pub mod orders;
pub mod payment_methods;
pub mod payments;
pub mod personal_data;
pub mod referrals;
pub mod reseller;
pub mod staff;
pub mod subscriptions;
pub mod undo;
pub mod user_access;
pub mod user_services;
pub mod users;
pub mod withdrawals;
