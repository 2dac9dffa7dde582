//! Signing in, profiles, and the panel's own state.

pub(crate) mod auth;
pub(crate) mod confirm;
pub(crate) mod counters;
pub(crate) mod dictionaries;
pub(crate) mod doctor;
pub(crate) mod login;
pub(crate) mod open;
pub(crate) mod passkeys;
pub(crate) mod password_links;
pub(crate) mod profile;
pub(crate) mod second_factor;
pub(crate) mod sessions;
