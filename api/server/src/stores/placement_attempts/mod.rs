//! Writes the table `external_panel_orders`, which holds the placement attempts; no other module writes it. Each transition is one
//! UPDATE whose WHERE requires a state in which `panel_domain::states::placement_attempts` allows the event. The response to a
//! request is stored only if the attempt still has the claim under which the request was sent. The caller decides all rules and
//! times.

pub mod conditions;
pub mod ending;
pub mod insert;
pub mod polling;
pub mod reconciling;
pub mod sending;

/// Maximum length of a stored request, response or error, in characters.
const MAX_CHARS: usize = 4_000;

/// Truncates a string to `MAX_CHARS` characters.
#[must_use]
pub fn truncate_text(text: &str) -> String {
    text.chars().take(MAX_CHARS).collect()
}
