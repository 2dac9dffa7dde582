//! Orders: the state machine, the money that goes with it, and everything about one order.

pub mod apply;
pub mod bulk_action;
pub mod commission;
pub mod create;
pub mod detail;
pub mod edit;
pub mod extras;
pub mod list;
pub mod losses;
pub mod place;
pub mod promoted;
pub mod refill;
pub mod routes;
pub mod same_url;
pub mod statistics;
pub mod store;
pub mod tell;
pub mod undo;

pub use routes::routes;
