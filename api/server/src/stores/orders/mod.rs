//! Orders in the database. Only this module writes the table. The rules of the caller decide which transition applies and
//! which values are stored. Moves no money.

pub mod delivery;
pub mod dispatch;
pub mod fields;
pub mod insert;
pub mod losses;
pub mod transitions;
