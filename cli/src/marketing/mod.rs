//! What brings customers and orders.

pub(crate) mod banners;
