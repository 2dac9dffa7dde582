//! Declarations of all lists: endpoint, columns with their types, and the default columns of the console and of terminals. The
//! server adds the SQL; panelctl, panel-tui and the console add only how they display a column. A declaration must not have SQL,
//! widths or command line flags. [`List::validate`] checks each declaration at compile time.

mod check;
pub mod column;
pub mod extension;
mod list;

pub mod audits;
pub mod cancel_requests;
pub mod change_logs;
pub mod combo_orders;
pub mod coupons;
pub mod discounts;
pub mod drip_feeds;
pub mod external_panel_orders;
pub mod external_panels;
pub mod external_services;
pub mod free_trials;
pub mod grades;
pub mod invoices;
pub mod jobs;
pub mod menu;
pub mod order_widgets;
pub mod orders;
pub mod packages;
pub mod pages;
pub mod payment_methods;
pub mod payments;
pub mod providers;
pub mod quarantine;
pub mod service_types;
pub mod services;
pub mod special_offers;
pub mod staff;
pub mod subscriptions;
pub mod targets;
pub mod users;
pub mod webhooks;
pub mod withdrawals;

pub use check::const_str_eq;
pub use column::{Column, ColumnKind, RecordKind};
pub use list::{ASCENDING, DESCENDING, List};

/// All lists, in the order of their modules.
pub static ALL: &[&List] = &[
    &audits::AUDITS,
    &cancel_requests::CANCEL_REQUESTS,
    &change_logs::CHANGE_LOGS,
    &combo_orders::COMBO_ORDERS,
    &coupons::COUPONS,
    &discounts::DISCOUNTS,
    &drip_feeds::DRIP_FEEDS,
    &external_panel_orders::EXTERNAL_PANEL_ORDERS,
    &external_panels::EXTERNAL_PANEL_PAYMENTS,
    &external_panels::EXTERNAL_PANELS,
    &external_services::PANEL_SERVICES,
    &external_services::SYNC_CHANGES,
    &external_services::SYNC_RUNS,
    &free_trials::FREE_TRIAL_QUESTS,
    &free_trials::FREE_TRIALS,
    &grades::GRADES,
    &invoices::INVOICES,
    &jobs::JOBS,
    &menu::MENU_ITEMS,
    &order_widgets::ORDER_WIDGETS,
    &orders::CHILD_PANEL_ORDERS,
    &orders::ORDERS,
    &packages::PACKAGES,
    &packages::PROVIDER_PACKAGES,
    &pages::PANEL_PAGES,
    &payment_methods::PAYMENT_METHODS,
    &payments::PAYMENTS,
    &payments::TRANSACTIONS,
    &providers::PROVIDERS,
    &quarantine::QUARANTINE,
    &service_types::SERVICE_TYPES,
    &services::SERVICES,
    &special_offers::SPECIAL_OFFERS,
    &staff::STAFF,
    &subscriptions::SUBSCRIPTIONS,
    &targets::TARGETS,
    &users::USERS,
    &webhooks::WEBHOOK_DELIVERIES,
    &webhooks::WEBHOOKS,
    &withdrawals::WITHDRAWALS,
];

#[cfg(test)]
mod tests;
