//! The endpoint table: every operation of the panel, declared once, by area.

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
pub mod intake;
pub mod invoices;
pub mod jobs;
pub mod labels;
pub mod menu;
pub mod networks;
pub mod notifications;
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

/// Every endpoint there is, by area.
pub fn all() -> impl Iterator<Item = &'static Op> {
    [
        session::OPS,
        second_factor::OPS,
        passkeys::OPS,
        system::OPS,
        audits::OPS,
        cancel_requests::OPS,
        change_logs::OPS,
        orders::OPS,
        intake::OPS,
        subscriptions::OPS,
        drip_feeds::OPS,
        free_trials::OPS,
        combo_orders::OPS,
        payments::OPS,
        personal_data::OPS,
        payment_methods::OPS,
        users::OPS,
        invoices::OPS,
        withdrawals::OPS,
        referrals::OPS,
        grades::OPS,
        user_services::OPS,
        affiliates::OPS,
        user_access::OPS,
        documents::OPS,
        staff::OPS,
        services::OPS,
        networks::OPS,
        labels::OPS,
        service_types::OPS,
        discounts::OPS,
        coupons::OPS,
        special_offers::OPS,
        auto_promotions::OPS,
        targets::OPS,
        packages::OPS,
        banners::OPS,
        external_panels::OPS,
        external_services::OPS,
        order_widgets::OPS,
        providers::OPS,
        external_panel_orders::OPS,
        saved_views::OPS,
        webhooks::OPS,
        jobs::OPS,
        quarantine::OPS,
        settings::OPS,
        site::OPS,
        translate::OPS,
        menu::OPS,
        pages::OPS,
        notifications::OPS,
    ]
    .into_iter()
    .flatten()
}
