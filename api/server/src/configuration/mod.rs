//! The configuration area: settings, dictionaries, saved views, menu and pages, notifications, translation, webhooks, jobs,
//! quarantine, the audit log and the system status.

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

use crate::http::api::Api;

/// Adds the endpoints of the area.
#[must_use]
pub fn routes(api: Api) -> Api {
    api.with(audits::routes)
        .with(dictionaries::routes)
        .with(jobs::routes)
        .with(menu::routes)
        .with(notifications::routes)
        .with(pages::routes)
        .with(quarantine::routes)
        .with(saved_views::routes)
        .with(settings::routes)
        .with(status::routes)
        .with(translate::routes)
        .with(webhooks::routes)
}
