//! Authentication: sign-in, sessions, second factors and permissions. The modules never reveal why a sign-in failed and never store a
//! token or a password in plain text.

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
pub(crate) mod recovery_codes;
pub mod routes;
pub mod second_factor;
pub mod sessions;
pub mod setup;
pub(crate) mod sign_in_audit;
pub mod staff_accounts;
pub mod store;
pub mod throttle;

pub use routes::routes;
