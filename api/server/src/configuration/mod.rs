//! The configuration area: settings, dictionaries, saved views, menu and pages, notifications, translation, webhooks, the
//! system's status.

pub mod audits;
pub mod dictionaries;
pub mod jobs;
pub mod menu;
pub mod notifications;
pub mod pages;
pub mod quarantine;
pub mod saved_views;
pub mod settings;
pub mod status;
pub mod translate;
pub mod webhooks;
