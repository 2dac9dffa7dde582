//! Placement attempts in the database (`external_panel_orders`). Only this module writes the table. Each transition is one
//! conditional write whose WHERE names the states that its event leaves, by the table of
//! `panel_domain::states::placement_attempts`; the answer to a call also names the claim that it belongs to. The caller decides
//! every rule and time.

pub mod conditions;
pub mod ending;
pub mod insert;
pub mod polling;
pub mod reconciling;
pub mod sending;

/// Longest request, answer or error that is stored, in characters.
const MAX_CHARS: usize = 4_000;

/// Truncates a text to the length that is stored.
#[must_use]
pub fn truncate_text(text: &str) -> String {
    text.chars().take(MAX_CHARS).collect()
}
