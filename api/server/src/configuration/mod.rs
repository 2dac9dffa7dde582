//! The configuration wing: settings, dictionaries, saved views.

pub mod dictionaries;
pub mod saved_views;
pub mod settings;
