//! The endpoint table: every operation of the API, declared once, by area.

pub mod affiliates;
pub mod audits;
pub mod auto_promotions;
pub mod banners;
pub mod cancel_requests;
pub mod change_logs;
pub mod combo_orders;
pub mod coupons;
pub mod discounts;
pub mod documents;
pub mod drip_feeds;
pub mod external_panel_orders;
pub mod external_panels;
pub mod external_services;
pub mod free_trials;
pub mod grades;
pub mod invoices;
pub mod jobs;
pub mod labels;
pub mod menu;
pub mod networks;
pub mod notifications;
pub mod order_requests;
pub mod order_widgets;
pub mod orders;
pub mod packages;
pub mod pages;
pub mod passkeys;
pub mod payment_methods;
pub mod payments;
pub mod personal_data;
pub mod providers;
pub mod quarantine;
pub mod referrals;
pub mod saved_views;
pub mod second_factor;
pub mod service_types;
pub mod services;
pub mod session;
pub mod settings;
pub mod site;
pub mod special_offers;
pub mod staff;
pub mod subscriptions;
pub mod system;
pub mod targets;
pub mod translate;
pub mod user_access;
pub mod user_services;
pub mod users;
pub mod webhooks;
pub mod withdrawals;

use crate::endpoint::Op;

macro_rules! areas {
    ($d:tt $($area:ident $for_each_endpoint:ident;)+) => {
        /// All endpoints of the API, by area.
        pub fn all() -> impl Iterator<Item = &'static Op> {
            [$($area::OPS),+].into_iter().flatten()
        }

        /// Calls `$then! { orders for_each_orders_endpoint; … }` with every area and the macro that passes its rows to another
        /// macro.
        #[macro_export]
        macro_rules! for_each_area {
            ($d then:ident) => { $d then! { $($area $for_each_endpoint;)+ } };
        }
    };
}

areas! { $
    session for_each_session_endpoint;
    second_factor for_each_second_factor_endpoint;
    passkeys for_each_passkeys_endpoint;
    system for_each_system_endpoint;
    audits for_each_audits_endpoint;
    cancel_requests for_each_cancel_requests_endpoint;
    change_logs for_each_change_logs_endpoint;
    orders for_each_orders_endpoint;
    order_requests for_each_order_requests_endpoint;
    subscriptions for_each_subscriptions_endpoint;
    drip_feeds for_each_drip_feeds_endpoint;
    free_trials for_each_free_trials_endpoint;
    combo_orders for_each_combo_orders_endpoint;
    payments for_each_payments_endpoint;
    personal_data for_each_personal_data_endpoint;
    payment_methods for_each_payment_methods_endpoint;
    users for_each_users_endpoint;
    invoices for_each_invoices_endpoint;
    withdrawals for_each_withdrawals_endpoint;
    referrals for_each_referrals_endpoint;
    grades for_each_grades_endpoint;
    user_services for_each_user_services_endpoint;
    affiliates for_each_affiliates_endpoint;
    user_access for_each_user_access_endpoint;
    documents for_each_documents_endpoint;
    staff for_each_staff_endpoint;
    services for_each_services_endpoint;
    networks for_each_networks_endpoint;
    labels for_each_labels_endpoint;
    service_types for_each_service_types_endpoint;
    discounts for_each_discounts_endpoint;
    coupons for_each_coupons_endpoint;
    special_offers for_each_special_offers_endpoint;
    auto_promotions for_each_auto_promotions_endpoint;
    targets for_each_targets_endpoint;
    packages for_each_packages_endpoint;
    banners for_each_banners_endpoint;
    external_panels for_each_external_panels_endpoint;
    external_services for_each_external_services_endpoint;
    order_widgets for_each_order_widgets_endpoint;
    providers for_each_providers_endpoint;
    external_panel_orders for_each_external_panel_orders_endpoint;
    saved_views for_each_saved_views_endpoint;
    webhooks for_each_webhooks_endpoint;
    jobs for_each_jobs_endpoint;
    quarantine for_each_quarantine_endpoint;
    settings for_each_settings_endpoint;
    site for_each_site_endpoint;
    translate for_each_translate_endpoint;
    menu for_each_menu_endpoint;
    pages for_each_pages_endpoint;
    notifications for_each_notifications_endpoint;
}
