//! The supply area: who delivers.

pub mod balances;
pub mod billing;
pub mod change_provider;
pub mod counter;
pub mod dispatch;
pub mod external_orders;
pub mod external_panels;
pub mod imports;
pub mod paces;
pub mod panels;
pub mod providers;
pub mod reseller;
pub mod statistics;
