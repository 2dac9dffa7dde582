//! The preset panels of the connect form: a short list by API, without company names. Pure.

use panel_contract::external_panels::{PanelType, PresetPanel};

/// Name, type, usual URL of the API, and where staff find the token.
const PRESETS: [(&str, PanelType, &str, &str); 4] = [
    (
        "Perfect Panel and panels like it",
        PanelType::PerfectPanel,
        "https://HOST/api/v2",
        "Find the key on the panel's Account page, under API key.",
    ),
    (
        "Smart Panel",
        PanelType::PerfectPanel,
        "https://HOST/api/v1",
        "Find the key on the panel's API page. The address is above it.",
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

pub(super) fn preset_panels() -> Vec<PresetPanel> {
    let preset = |(id, (name, kind, endpoint, hint)): (i64, (&str, PanelType, &str, &str))| PresetPanel {
        id,
        name: name.into(),
        kind,
        endpoint: endpoint.into(),
        hint: hint.into(),
        can_create_account: kind == PanelType::Socpanel,
    };
    (1..).zip(PRESETS).map(preset).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::supply::external_panels::rules;

    #[test]
    fn a_preset_with_a_host_is_an_address() {
        for preset in preset_panels() {
            let address = preset.endpoint.replace("HOST", "panel.example");
            assert_eq!(rules::normalize_endpoint(&address).as_deref(), Ok(address.as_str()));
            assert!(preset.hint.ends_with('.'));
        }
    }
}
