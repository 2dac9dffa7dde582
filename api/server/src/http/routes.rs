//! All endpoints, room by room.

use crate::http::api::Api;
use crate::http::client_errors;
use crate::{auth, catalogue, configuration, doctor, marketing, operations, site, supply};

/// The whole API.
#[must_use]
pub fn api() -> Api {
    Api::default()
        .with(auth::routes)
        .with(client_errors::routes)
        .with(configuration::settings::routes)
        .with(site::routes)
        .with(configuration::translate::routes)
        .with(configuration::menu::routes)
        .with(configuration::pages::routes)
        .with(configuration::notifications::routes)
        .with(configuration::dictionaries::routes)
        .with(configuration::saved_views::routes)
        .with(configuration::webhooks::routes)
        .with(configuration::status::routes)
        .with(configuration::jobs::routes)
        .with(configuration::quarantine::routes)
        .with(operations::orders::routes)
        .with(operations::cancel_requests::routes)
        .with(operations::reseller::routes)
        .with(operations::subscriptions::routes)
        .with(operations::drip_feeds::routes)
        .with(operations::combo_orders::routes)
        .with(operations::free_trials::routes)
        .with(operations::payments::routes)
        .with(operations::payment_methods::routes)
        .with(operations::users::routes)
        .with(operations::invoices::routes)
        .with(operations::withdrawals::routes)
        .with(operations::undo::routes)
        .with(operations::referrals::routes)
        .with(operations::grades::routes)
        .with(operations::user_services::routes)
        .with(operations::affiliates::routes)
        .with(operations::user_access::routes)
        .with(operations::documents::routes)
        .with(operations::personal_data::routes)
        .with(operations::staff::routes)
        .with(catalogue::services::routes)
        .with(catalogue::networks::routes)
        .with(catalogue::labels::routes)
        .with(catalogue::service_types::routes)
        .with(marketing::discounts::routes)
        .with(marketing::coupons::routes)
        .with(marketing::order_widgets::routes)
        .with(marketing::special_offers::routes)
        .with(marketing::auto_promotions::routes)
        .with(catalogue::targets::routes)
        .with(catalogue::packages::routes)
        .with(marketing::banners::routes)
        .with(supply::change_provider::routes)
        .with(supply::external_panels::routes)
        .with(supply::billing::routes)
        .with(supply::imports::routes)
        .with(supply::providers::routes)
        .with(supply::external_orders::routes)
        .with(supply::statistics::routes)
        .with(crate::http::live_routes::routes)
        .with(configuration::audits::routes)
        .with(catalogue::change_logs::routes)
        .with(doctor::routes)
        .with(super::system::routes)
}

/// The OpenAPI document of the whole API.
#[must_use]
pub fn document() -> serde_json::Value {
    api().into_parts().1.build()
}
