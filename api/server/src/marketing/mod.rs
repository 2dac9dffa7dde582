//! The marketing area: what brings customers and orders: coupons, discounts, offers, banners, widgets.

pub mod auto_promotions;
pub mod coupons;
pub mod discounts;
pub mod order_widgets;
pub mod special_offers;

pub mod banners;
