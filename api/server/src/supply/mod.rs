//! The supply wing: who delivers.

pub mod available;
pub mod balances;
pub mod billing;
pub mod counter;
pub mod deliverable;
pub mod dispatch;
pub mod external_orders;
pub mod external_panels;
pub mod imports;
pub mod losses;
pub mod paces;
pub mod panels;
pub mod providers;
pub mod rates;
pub mod ratio;
pub mod reseller;
pub mod statistics;
