//! A method for every endpoint, made from the endpoint table: `client.cancel_order(id, &DryRun::NO, &input)`.
//!
//! All take the arguments of the path (`()`, an id, or two), the query and the body. None is written by hand.

use panel_contract::endpoint::Endpoint;

use crate::client::Client;
use crate::error::Result;

macro_rules! methods {
    ($($name:ident $func:ident [$($doc:literal)+];)+) => {
        impl Client { $(
            $(#[doc = $doc])+
            pub async fn $func(
                &self,
                path: <$name as Endpoint>::Path,
                query: &<$name as Endpoint>::Query,
                body: &<$name as Endpoint>::Body,
            ) -> Result<<$name as Endpoint>::Answer> {
                self.call::<$name>(path, query, body).await
            }
        )+ }
    };
}

/// The methods of an area: its module in the endpoint table, and the macro that hands over its rows.
macro_rules! areas {
    ($($area:ident $each:ident;)+) => { $(
        mod $area {
            use panel_contract::endpoints::$area::*;

            use super::*;

            panel_contract::$each!(methods);
        }
    )+ };
}

areas! {
    affiliates for_each_affiliates_endpoint;
    audits for_each_audits_endpoint;
    auto_promotions for_each_auto_promotions_endpoint;
    banners for_each_banners_endpoint;
    cancel_requests for_each_cancel_requests_endpoint;
    change_logs for_each_change_logs_endpoint;
    coupons for_each_coupons_endpoint;
    discounts for_each_discounts_endpoint;
    labels for_each_labels_endpoint;
    networks for_each_networks_endpoint;
    combo_orders for_each_combo_orders_endpoint;
    free_trials for_each_free_trials_endpoint;
    grades for_each_grades_endpoint;
    drip_feeds for_each_drip_feeds_endpoint;
    external_panels for_each_external_panels_endpoint;
    intake for_each_intake_endpoint;
    invoices for_each_invoices_endpoint;
    subscriptions for_each_subscriptions_endpoint;
    order_widgets for_each_order_widgets_endpoint;
    orders for_each_orders_endpoint;
    packages for_each_packages_endpoint;
    passkeys for_each_passkeys_endpoint;
    payment_methods for_each_payment_methods_endpoint;
    payments for_each_payments_endpoint;
    personal_data for_each_personal_data_endpoint;
    external_services for_each_external_services_endpoint;
    providers for_each_providers_endpoint;
    external_panel_orders for_each_external_panel_orders_endpoint;
    referrals for_each_referrals_endpoint;
    saved_views for_each_saved_views_endpoint;
    service_types for_each_service_types_endpoint;
    services for_each_services_endpoint;
    second_factor for_each_second_factor_endpoint;
    session for_each_session_endpoint;
    settings for_each_settings_endpoint;
    site for_each_site_endpoint;
    translate for_each_translate_endpoint;
    menu for_each_menu_endpoint;
    pages for_each_pages_endpoint;
    notifications for_each_notifications_endpoint;
    special_offers for_each_special_offers_endpoint;
    staff for_each_staff_endpoint;
    system for_each_system_endpoint;
    targets for_each_targets_endpoint;
    user_access for_each_user_access_endpoint;
    documents for_each_documents_endpoint;
    user_services for_each_user_services_endpoint;
    users for_each_users_endpoint;
    withdrawals for_each_withdrawals_endpoint;
    webhooks for_each_webhooks_endpoint;
    jobs for_each_jobs_endpoint;
    quarantine for_each_quarantine_endpoint;
}
