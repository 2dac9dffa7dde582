//! The endpoints of panel-wide settings. [`panel_platform::settings`] reads and writes the stored values.

mod currencies;
pub mod editor;
pub mod public;
pub mod rules;

use panel_contract::settings::{SETTINGS, SettingsTree, SiteSettings};
use serde_json::Value;

use crate::http::api::Api;
use panel_platform::settings::SettingValues;

pub fn routes(api: Api) -> Api {
    api.with(public::routes).with(editor::routes)
}

/// Returns the public settings by key.
fn public_settings(values: &SettingValues) -> serde_json::Map<String, Value> {
    let declared_settings = SETTINGS.iter().filter(|setting| setting.is_public);
    declared_settings.map(|setting| (setting.key.to_owned(), values.value(setting.key))).collect()
}

/// Returns the public settings that configure the customers' site.
fn site_settings(values: &SettingValues) -> SiteSettings {
    let mut tree = SettingsTree::default();
    for setting in SETTINGS.iter().filter(|setting| setting.is_served_to_site()) {
        tree.put(setting.key, values.value(setting.key));
    }
    SiteSettings(tree)
}
