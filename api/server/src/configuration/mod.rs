//! The configuration wing: settings, dictionaries, saved views, webhooks, the system's status.

pub mod dictionaries;
pub mod saved_views;
pub mod settings;
pub mod status;
pub mod webhooks;
