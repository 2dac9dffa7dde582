//! Places, changes and edits orders, with their charges and refunds, and provides their refills, lists and statistics.

pub mod apply;
pub mod bulk_action;
pub mod bulk_result;
pub mod commission;
pub mod create;
pub mod detail;
pub mod edit;
pub mod extras;
pub mod list;
pub mod losses;
pub mod place;
pub mod promotable;
pub mod refill;
pub mod routes;
pub mod same_url;
pub mod statistics;
pub mod store;
pub mod undo;
pub mod webhook_events;

pub use routes::routes;
