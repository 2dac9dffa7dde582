//! The user's account: sign-in, sessions and profiles. Also the health check, the live counters and the dictionaries of the server.

pub(crate) mod auth;
pub(crate) mod dictionaries;
pub(crate) mod doctor;
pub(crate) mod live_counters;
pub(crate) mod login;
pub(crate) mod open_console;
pub(crate) mod passkeys;
pub(crate) mod password_confirmation;
pub(crate) mod password_links;
pub(crate) mod profile;
pub(crate) mod second_factor;
pub(crate) mod sessions;
