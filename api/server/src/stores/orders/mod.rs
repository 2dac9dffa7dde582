//! Orders in the database: the writes of their state and of the dispatcher's queue. Which move an order makes is decided by the
//! rules of orders; no money moves here.

pub mod dispatch;
pub mod moves;
