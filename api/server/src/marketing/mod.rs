//! The marketing area: coupons, discounts, special offers, auto-promotion, banners and order widgets.

pub mod auto_promotions;
pub mod banners;
pub mod coupons;
pub mod discounts;
pub mod order_widgets;
pub mod special_offers;

use crate::http::api::Api;

#[must_use]
pub fn routes(api: Api) -> Api {
    api.with(auto_promotions::routes)
        .with(banners::routes)
        .with(coupons::routes)
        .with(discounts::routes)
        .with(order_widgets::routes)
        .with(special_offers::routes)
}
