//! Files of this program: the configuration with its profiles, the tokens, and where they are.

pub(crate) mod config;
pub(crate) mod place;
pub(crate) mod secret;
