//! The endpoints of panel-wide settings. What is stored of them is read by [`panel_platform::settings`].

mod currencies;
pub mod editor;
pub mod public;
pub mod rules;

use panel_contract::settings::{SETTINGS, SettingsTree, SiteSettings};
use serde_json::Value;

use crate::http::api::Api;
use panel_platform::settings::Known;

/// Adds the endpoints.
pub fn routes(api: Api) -> Api {
    api.with(public::routes).with(editor::routes)
}

/// The declared settings that anybody may read, by their names.
fn open_to_all(known: &Known) -> serde_json::Map<String, Value> {
    let open = SETTINGS.iter().filter(|setting| setting.public);
    open.map(|setting| (setting.key.to_owned(), known.value(setting.key))).collect()
}

/// What anybody may read of what the customers' site obeys.
fn of_site(known: &Known) -> SiteSettings {
    let mut tree = SettingsTree::default();
    for setting in SETTINGS.iter().filter(|setting| setting.is_given_to_site()) {
        tree.put(setting.key, known.value(setting.key));
    }
    SiteSettings(tree)
}
