//! Orders in the database: the only writes of the table. Which move an order makes, and what is to be recorded about it, is
//! decided by the rules above; no money moves here.

pub mod delivery;
pub mod dispatch;
pub mod fields;
pub mod insert;
pub mod losses;
pub mod moves;
