//! Configuration of the server and its site.

pub(crate) mod menu;
pub(crate) mod notifications;
pub(crate) mod pages;
pub(crate) mod settings;
pub(crate) mod site;
pub(crate) mod translate;
pub(crate) mod views;
pub(crate) mod webhooks;
