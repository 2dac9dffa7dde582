//! Placement attempts in the database (`external_panel_orders`). Only this module writes the table. Each transition is one
//! conditional write: its WHERE requires a state that `panel_domain::states::placement_attempts` allows the event to leave. The
//! response to a call is stored only if the attempt still has the claim of that call. The caller decides every rule and time.

pub mod conditions;
pub mod ending;
pub mod insert;
pub mod polling;
pub mod reconciling;
pub mod sending;

/// Longest request, response or error that is stored, in characters.
const MAX_CHARS: usize = 4_000;

/// Truncates a text to the length that is stored.
#[must_use]
pub fn truncate_text(text: &str) -> String {
    text.chars().take(MAX_CHARS).collect()
}
