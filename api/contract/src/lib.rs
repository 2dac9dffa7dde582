//! The API of the panel, declared once for the server and all clients: endpoints, resources, request bodies, enums, permissions,
//! list queries, errors and exact amounts.
//!
//! This crate does no I/O, reads no clock and uses no database. The `sqlx` feature only adds the database encoding of the
//! newtypes.

#![warn(missing_docs)]

mod all_errors;
pub mod amount;
pub mod dictionary;
pub mod endpoint;
pub mod endpoints;
pub mod error;
pub mod fields;
pub mod form;
pub mod hidden_characters;
pub mod ids;
pub mod lists;
pub mod moment;
pub mod permission;
pub mod personal_data;
pub mod string_enum;
pub mod table;
pub mod text_checks;
pub mod upload;

pub mod affiliates;
pub mod audits;
pub mod auto_promotions;
pub mod banners;
pub mod cancel_requests;
pub mod change_logs;
pub mod client_errors;
pub mod combo_orders;
pub mod common;
pub mod coupons;
pub mod discounts;
pub mod documents;
pub mod drip_feeds;
pub mod external_panel_orders;
pub mod external_panels;
pub mod external_services;
pub mod free_trials;
pub mod grades;
pub mod import_rules;
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
pub mod panel_service_types;
pub mod passkeys;
pub mod password_links;
pub mod payment_methods;
pub mod payments;
pub mod providers;
pub mod quarantine;
pub mod referrals;
pub mod rejections;
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
