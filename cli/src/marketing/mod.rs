//! Marketing: discounts, coupons, special offers, widgets and banners.

pub(crate) mod auto_promotions;
pub(crate) mod banners;
pub(crate) mod coupons;
pub(crate) mod discounts;
pub(crate) mod order_widgets;
pub(crate) mod special_offers;
