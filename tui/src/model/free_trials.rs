//! Free-trial requests as a source of a queue: rows from the contract's, columns, filters, and the detail as sections.
//!
//! Everything a stranger typed is cleaned here, once, before anything else sees it.

use panel_contract::amount::Money;
use panel_contract::free_trials::FreeTrial;
use panel_contract::lists;

use crate::model::detail::{Detail, Entry, Section};
use crate::model::listed::{Listed, Place};
use crate::model::row::Row;
use crate::text::{clean, count};
use crate::theme::Tone;

/// How requests are drawn; every other field of a row is a column on request.
pub static FREE_TRIALS: Listed<FreeTrial> = Listed::new(
    &lists::free_trials::FREE_TRIALS,
    &[
        Place::of("id", 0).least(7),
        Place::of("created_at", 2).head("AGE"),
        Place::of("name", 3).head("QUEST").least(16),
        Place::of("quantity", 4).head("QTY").least(7),
        Place::of("user.email", 1),
        Place::of("url", 5).head("LINK").grow(3),
        Place::of("proof_url", 6),
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

/// A row of the list.
#[must_use]
pub fn row(trial: &FreeTrial) -> Row {
    Row {
        id: trial.id.record(),
        since: trial.created_at,
        amount: Money::ZERO,
        state: trial.status.to_string(),
        allowed: trial.actions.into(),
        cells: FREE_TRIALS.cells(trial),
        left: false,
    }
}

/// Everything about one request, as sections.
#[must_use]
pub fn detail(trial: &FreeTrial) -> Detail {
    let until = trial.valid_to.map_or_else(|| "always".to_owned(), |at| format!("until {at}"));
    let mut about = vec![
        Entry::of("Quest", &format!("{} (quest {}, {until})", trial.name, trial.free_trial_quest_id)),
        Entry::of("Quantity", &count(trial.quantity)).tone(Tone::Strong),
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
        Entry::of("Name", &format!("{} (user {})", trial.user.name, trial.user.id)),
        Entry::of("E-mail", &trial.user.email),
    ];
    Detail {
        id: trial.id.record(),
        title: clean(&format!("Request {}", trial.id)),
        row: row(trial),
        sections: vec![Section::new("", about), Section::new("Customer", customer)],
    }
}
