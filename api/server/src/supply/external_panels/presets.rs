//! The kinds of panels that are known: a short list to begin with, by what they speak, naming no company. Pure.

use panel_contract::external_panels::{PanelType, PresetPanel};

/// Name, kind, where the API usually is, and where the token is found.
const PRESETS: [(&str, PanelType, &str, &str); 4] = [
    (
        "Perfect Panel and panels like it",
        PanelType::PerfectPanel,
        "https://HOST/api/v2",
        "The key stands on that panel's Account page, under API key.",
    ),
    (
        "Smart Panel",
        PanelType::PerfectPanel,
        "https://HOST/api/v1",
        "The key stands on that panel's API page; the address stands above it.",
    ),
    (
        "Another panel of this kind",
        PanelType::Socpanel,
        "https://HOST/api/v2",
        "Its staff make a key on your customer page there, under Access; some hand out an account by themselves.",
    ),
    (
        "Something else that speaks the reseller API v2",
        PanelType::PerfectPanel,
        "https://HOST/api/v2",
        "Look for API on that panel's site; both the address and the key stand there.",
    ),
];

/// All of them.
pub(super) fn all() -> Vec<PresetPanel> {
    let shown = |(id, (name, kind, endpoint, hint)): (i64, (&str, PanelType, &str, &str))| PresetPanel {
        id,
        name: name.into(),
        kind,
        endpoint: endpoint.into(),
        hint: hint.into(),
        can_create_account: kind == PanelType::Socpanel,
    };
    (1..).zip(PRESETS).map(shown).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::supply::external_panels::rules;

    #[test]
    fn a_preset_with_a_host_is_an_address() {
        for preset in all() {
            let address = preset.endpoint.replace("HOST", "panel.example");
            assert_eq!(rules::endpoint(&address).as_deref(), Ok(address.as_str()));
            assert!(preset.hint.ends_with('.'));
        }
    }
}
