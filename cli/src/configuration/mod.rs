//! How staff set up their panel and their lists.

pub(crate) mod views;
pub(crate) mod webhooks;
