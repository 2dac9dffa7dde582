//! The business rules of the panel: state machines, prices and decisions. All functions are pure: they compute a decision or a
//! rejection from their arguments. This crate does no I/O, reads no clock, and must not depend on the database or HTTP.

pub mod cancel_requests;
pub mod combo_orders;
pub mod commission;
pub mod difference;
pub mod discounts;
pub mod dispatch;
pub mod fields;
pub mod imports;
pub mod losses;
pub mod minimum_margin;
pub mod notifications;
pub mod orders;
pub mod personal_data;
pub mod quantity_ratio;
pub mod quote;
pub mod rank;
pub mod refund;
pub mod reseller_protocol;
pub mod staff;
pub mod state_machine;
pub mod states;
pub mod statistics_range;
pub mod translation_mask;
pub mod user_services;
pub mod users;
pub mod webhooks;
pub mod withdrawals;
