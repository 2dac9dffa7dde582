//! What brings customers and orders.

pub(crate) mod auto_promotions;
pub(crate) mod coupons;
pub(crate) mod discounts;
pub(crate) mod order_widgets;
pub(crate) mod special_offers;

pub(crate) mod banners;
