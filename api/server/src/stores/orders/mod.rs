//! Orders in the database. Only this module writes the table. The caller's rules decide which transition an order makes and
//! what is recorded about it. Moves no money.

pub mod delivery;
pub mod dispatch;
pub mod fields;
pub mod insert;
pub mod losses;
pub mod moves;
