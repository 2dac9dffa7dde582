//! Placement attempts in the database (`external_panel_orders`): the only writes of that table. Each transition is one conditional
//! write whose WHERE is the states that its event leaves, in the table of `panel_domain::states::placement_attempts`; the
//! answer to a call also names the claim that it belongs to. No rule and no time is decided here.

pub mod conditions;
pub mod ending;
pub mod insert;
pub mod polling;
pub mod reconciling;
pub mod sending;

/// Longest request, answer or error that is stored, in characters.
const LONGEST: usize = 4_000;

/// A text as it is stored: not endless.
#[must_use]
pub fn cut(text: &str) -> String {
    text.chars().take(LONGEST).collect()
}
