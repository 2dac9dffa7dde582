//! Quotes prices for customers, and determines costs and availability of providers and the lowest prices that the costs allow.
//! This folder has no routes.

pub mod available;
pub mod minimum_margin;
pub mod quote;
pub mod rates;
pub mod ratio;
pub mod running_discounts;
