//! Free-trial requests as a source of a queue: rows, columns, filter fields and record details.
//!
//! This module sanitizes every text of a customer before any other module uses it.

use panel_contract::amount::Money;
use panel_contract::free_trials::FreeTrial;
use panel_contract::lists;

use crate::model::contract_list::{ColumnLayout, ContractList};
use crate::model::detail::{Detail, Entry, Section};
use crate::model::row::RecordRow;
use crate::text::{format_count, sanitize};
use crate::theme::Tone;

/// The columns of free-trial requests. All other fields are hidden by default.
pub static FREE_TRIALS: ContractList<FreeTrial> = ContractList::new(
    &lists::free_trials::FREE_TRIALS,
    &[
        ColumnLayout::new("id", 0).min_width(7),
        ColumnLayout::new("created_at", 2).heading("AGE"),
        ColumnLayout::new("name", 3).heading("QUEST").min_width(16),
        ColumnLayout::new("quantity", 4).heading("QTY").min_width(7),
        ColumnLayout::new("user.email", 1),
        ColumnLayout::new("url", 5).heading("LINK").grow(3),
        ColumnLayout::new("proof_url", 6),
    ],
    &[
        ("status", &[]),
        ("id", &["request"]),
        ("user", &["customer"]),
        ("created_at", &["created", "date"]),
        ("valid_from", &[]),
        ("valid_to", &["deadline"]),
        ("name", &["quest"]),
        ("free_trial_quest_id", &["quest_id"]),
        ("quantity", &["qty"]),
        ("url", &["link"]),
        ("proof_url", &["proof"]),
        ("user.id", &["user_id"]),
        ("user.email", &["email"]),
    ],
);

#[must_use]
pub fn to_row(trial: &FreeTrial) -> RecordRow {
    RecordRow {
        id: trial.id.as_record_id(),
        queued_at: trial.created_at,
        amount: Money::ZERO,
        status_text: trial.status.to_string(),
        allowed_actions: trial.actions.into(),
        cells: FREE_TRIALS.cells(trial),
        has_left_queue: false,
    }
}

/// Converts a free-trial request to the sections of its record pane.
#[must_use]
pub fn to_detail(trial: &FreeTrial) -> Detail {
    let until =
        trial.valid_to.map_or_else(|| "no end date".to_owned(), |valid_to| format!("until {valid_to}"));
    let mut about_entries = vec![
        Entry::new("Quest", &format!("{} (quest {}, {until})", trial.name, trial.free_trial_quest_id)),
        Entry::new("Quantity", &format_count(trial.quantity)).tone(Tone::Strong),
        Entry::new("Link", &trial.url),
        Entry::new("Status", trial.status.as_str()),
        Entry::new("Requested", &trial.created_at.to_string()),
    ];
    about_entries.extend(trial.proof_url.iter().map(|proof| Entry::new("Proof", proof)));
    about_entries.extend(trial.order_id.map(|id| Entry::new("Order", &id.to_string())));
    if let (Some(admin), Some(time)) = (&trial.approved_by, trial.approved_at) {
        about_entries.push(Entry::new("Decided", &format!("{time} by {}", admin.name)));
    }
    let customer_entries = vec![
        Entry::new("Name", &format!("{} (customer {})", trial.user.name, trial.user.id)),
        Entry::new("Email", &trial.user.email),
    ];
    Detail {
        id: trial.id.as_record_id(),
        title: sanitize(&format!("Request {}", trial.id)),
        row: to_row(trial),
        sections: vec![Section::new("", about_entries), Section::new("Customer", customer_entries)],
    }
}
