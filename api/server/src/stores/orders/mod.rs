//! Writes the table `orders`; no other module writes it. The rules of the caller decide which transition applies and which values
//! are stored. Books no payment.

pub mod delivery;
pub mod dispatch;
pub mod fields;
pub mod insert;
pub mod losses;
pub mod transitions;
