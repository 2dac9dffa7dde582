//! Signing in and out: who is calling. Never says why a password was wrong, never keeps a token in plain.

pub mod account_links;
pub(crate) mod authenticator_app;
pub mod captcha;
pub mod confirmation;
pub mod device;
pub(crate) mod enrolment;
mod factor_state;
pub mod handoff;
pub mod lifetime;
pub mod live_sessions;
pub mod login;
pub mod own_password;
pub mod own_sessions;
pub mod passkeys;
pub mod password;
pub mod password_links;
pub mod people;
pub(crate) mod recovery_codes;
pub mod routes;
pub mod second_factor;
pub mod sessions;
pub mod setup;
pub mod store;
pub mod throttle;
pub(crate) mod traces;

pub use routes::routes;
