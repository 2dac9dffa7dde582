//! Free-trial requests as a source of a queue: rows, columns, filter fields and record details.
//!
//! Every text of a customer is sanitized here, before any other module uses it.

use panel_contract::amount::Money;
use panel_contract::free_trials::FreeTrial;
use panel_contract::lists;

use crate::model::contract_list::{ColumnLayout, ContractList};
use crate::model::detail::{Detail, Entry, Section};
use crate::model::row::RecordRow;
use crate::text::{format_count, sanitize};
use crate::theme::Tone;

/// The columns of free-trial requests; all other fields are hidden by default.
pub static FREE_TRIALS: ContractList<FreeTrial> = ContractList::new(
    &lists::free_trials::FREE_TRIALS,
    &[
        ColumnLayout::of("id", 0).min_width(7),
        ColumnLayout::of("created_at", 2).heading("AGE"),
        ColumnLayout::of("name", 3).heading("QUEST").min_width(16),
        ColumnLayout::of("quantity", 4).heading("QTY").min_width(7),
        ColumnLayout::of("user.email", 1),
        ColumnLayout::of("url", 5).heading("LINK").grow(3),
        ColumnLayout::of("proof_url", 6),
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
pub fn row(trial: &FreeTrial) -> RecordRow {
    RecordRow {
        id: trial.id.record(),
        since: trial.created_at,
        amount: Money::ZERO,
        state: trial.status.to_string(),
        allowed: trial.actions.into(),
        cells: FREE_TRIALS.cells(trial),
        left_queue: false,
    }
}

/// The sections of a free-trial request.
#[must_use]
pub fn detail(trial: &FreeTrial) -> Detail {
    let until = trial.valid_to.map_or_else(|| "no end date".to_owned(), |at| format!("until {at}"));
    let mut about = vec![
        Entry::of("Quest", &format!("{} (quest {}, {until})", trial.name, trial.free_trial_quest_id)),
        Entry::of("Quantity", &format_count(trial.quantity)).tone(Tone::Strong),
        Entry::of("Link", &trial.url),
        Entry::of("Status", trial.status.as_str()),
        Entry::of("Requested", &trial.created_at.to_string()),
    ];
    about.extend(trial.proof_url.iter().map(|proof| Entry::of("Proof", proof)));
    about.extend(trial.order_id.map(|id| Entry::of("Order", &id.to_string())));
    if let (Some(by), Some(at)) = (&trial.approved_by, trial.approved_at) {
        about.push(Entry::of("Decided", &format!("{at} by {}", by.name)));
    }
    let customer = vec![
        Entry::of("Name", &format!("{} (customer {})", trial.user.name, trial.user.id)),
        Entry::of("Email", &trial.user.email),
    ];
    Detail {
        id: trial.id.record(),
        title: sanitize(&format!("Request {}", trial.id)),
        row: row(trial),
        sections: vec![Section::new("", about), Section::new("Customer", customer)],
    }
}
