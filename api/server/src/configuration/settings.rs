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

/// The public settings by key.
fn public_settings(values: &SettingValues) -> serde_json::Map<String, Value> {
    let public = SETTINGS.iter().filter(|setting| setting.is_public);
    public.map(|setting| (setting.key.to_owned(), values.value(setting.key))).collect()
}

/// The public settings that configure the customers' site.
fn site_settings(values: &SettingValues) -> SiteSettings {
    let mut tree = SettingsTree::default();
    for setting in SETTINGS.iter().filter(|setting| setting.is_served_to_site()) {
        tree.put(setting.key, values.value(setting.key));
    }
    SiteSettings(tree)
}
