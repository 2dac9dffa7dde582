//! Prices: quotes for customers, costs and availability of providers, and the lowest prices that these allow. It has no routes.

pub mod available;
pub mod least_margin;
pub mod quote;
pub mod rates;
pub mod ratio;
pub mod running_discounts;
