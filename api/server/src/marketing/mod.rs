//! The marketing wing: what brings customers and orders: coupons, discounts, offers, banners, widgets.

pub mod banners;
