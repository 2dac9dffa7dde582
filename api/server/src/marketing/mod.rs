//! The marketing area: what brings customers and orders: coupons, discounts, offers, banners, widgets.

pub mod auto_promotions;
pub mod coupons;
pub mod discounts;
pub mod order_widgets;
pub mod special_offers;

pub mod banners;

use crate::http::api::Api;

/// The area's endpoints.
#[must_use]
pub fn routes(api: Api) -> Api {
    api.with(auto_promotions::routes)
        .with(banners::routes)
        .with(coupons::routes)
        .with(discounts::routes)
        .with(order_widgets::routes)
        .with(special_offers::routes)
}
