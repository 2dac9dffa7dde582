//! The supply wing: who delivers.

pub mod providers;
pub mod reseller;
pub mod statistics;
