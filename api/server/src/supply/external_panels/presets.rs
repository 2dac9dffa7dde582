//! The presets of the form that connects an external panel: one for each common API. They contain no company names.

use panel_contract::external_panels::{PanelPreset, PanelType};

/// Name, panel type, usual URL of the API, and a hint where staff find the token.
const PRESETS: [(&str, PanelType, &str, &str); 4] = [
    (
        "Perfect Panel and compatible panels",
        PanelType::PerfectPanel,
        "https://HOST/api/v2",
        "Find the key on the panel's Account page, under API key.",
    ),
    (
        "Smart Panel",
        PanelType::PerfectPanel,
        "https://HOST/api/v1",
        "Find the key on the panel's API page. The address is above the key.",
    ),
    (
        "Another panel of this kind",
        PanelType::Socpanel,
        "https://HOST/api/v2",
        "The panel's staff create a key on your customer page, under Access. Some panels create an account automatically.",
    ),
    (
        "Another panel with the reseller API v2",
        PanelType::PerfectPanel,
        "https://HOST/api/v2",
        "Find the address and the key on the panel's site, under API.",
    ),
];

pub(super) fn preset_panels() -> Vec<PanelPreset> {
    let to_preset = |(id, (name, kind, endpoint, hint)): (i64, (&str, PanelType, &str, &str))| PanelPreset {
        id,
        name: name.into(),
        kind,
        endpoint: endpoint.into(),
        hint: hint.into(),
        can_create_account: kind == PanelType::Socpanel,
    };
    (1..).zip(PRESETS).map(to_preset).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::supply::external_panels::rules;

    #[test]
    fn the_endpoint_of_a_preset_is_valid_with_a_host() {
        for preset in preset_panels() {
            let address = preset.endpoint.replace("HOST", "panel.example");
            assert_eq!(rules::normalize_endpoint(&address).as_deref(), Ok(address.as_str()));
            assert!(preset.hint.ends_with('.'));
        }
    }
}
