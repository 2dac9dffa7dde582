//! What things cost: quotes for customers, providers' costs and which providers are available, the lowest prices that these allow. It
//! knows no resource's routes.

pub mod available;
pub mod least_margin;
pub mod quote;
pub mod rates;
pub mod ratio;
pub mod running_discounts;
