//! The server as its callers see it, on both databases.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails here")]

/// Runs tests on both databases.
macro_rules! both {
    ($($name:ident;)+) => { $(
        mod $name {
            #[tokio::test]
            async fn on_sqlite() {
                super::$name(panel_server::db::Dialect::Sqlite).await;
            }
            #[tokio::test]
            async fn on_postgres() {
                super::$name(panel_server::db::Dialect::Postgres).await;
            }
        }
    )+ };
}

mod affiliates;
mod audits;
mod auto_promotions;
mod banners;
mod bodies;
mod change_logs;
mod client_library;
mod combo_orders;
mod commissions;
mod contents;
mod counter;
mod coupons;
mod demo;
mod discounts;
mod dispatch;
mod dispatch_answers;
mod dispatch_errors;
mod dispatch_faults;
mod dispatch_steps;
mod doctor;
mod documents;
mod drip_feeds;
mod exports;
mod external_orders;
mod external_panels;
mod free_trials;
mod grades;
mod handoff;
mod headers;
mod hostile;
mod imports;
mod intake;
mod invoices;
mod jobs;
mod kill;
mod ledger;
mod lists;
mod login;
mod mail;
mod measure;
mod menu;
mod model;
mod money;
mod networks;
mod notifications;
mod order_widgets;
mod orders_actions;
mod orders_bulk;
mod packages;
mod panel;
mod payment_methods;
mod people;
mod permissions;
mod program;
mod providers;
mod races;
mod ratio;
mod realtime;
mod referrals;
mod remembered;
mod reseller;
mod saved_views;
mod served;
mod services;
mod sessions;
mod settings;
mod setup;
mod shop;
mod special_offers;
mod staff;
mod statistics;
mod subscribing;
mod subscriptions;
mod supplied;
mod surface;
mod sweep;
mod tables;
mod targets;
mod tidy;
mod translate;
mod uploads;
mod user_services;
mod users;
mod webhooks;
mod withdrawals;
