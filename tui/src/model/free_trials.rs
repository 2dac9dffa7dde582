//! Free-trial requests as a source of a queue: rows from the contract's, columns, filters, and the detail as sections.
//!
//! Everything a stranger typed is cleaned here, once, before anything else sees it.

use panel_contract::amount::Money;
use panel_contract::free_trials::{FreeTrial, FreeTrialStatus};

use crate::model::columns::{Cell, Column};
use crate::model::detail::{Detail, Entry, Section};
use crate::model::filter::{Field, Kind};
use crate::model::row::Row;
use crate::text::{Align, clean, count};
use crate::theme::Tone;

/// The columns of requests; the first is always shown.
pub static COLUMNS: &[Column] = &[
    Column::new("ID", 7, 0, Align::Right, 0, "id"),
    Column::new("AGE", 4, 0, Align::Right, 2, "created_at"),
    Column::new("QUEST", 16, 2, Align::Left, 3, "name"),
    Column::new("QTY", 7, 0, Align::Right, 4, "quantity"),
    Column::new("USER", 14, 2, Align::Left, 1, "user.email"),
    Column::new("LINK", 14, 3, Align::Left, 5, "url"),
    Column::new("PROOF", 14, 2, Align::Left, 6, "proof_url"),
];

/// What the filter prompt knows of requests, by the names of the API.
pub const FIELDS: &[Field] = &[
    Field::new("status", &[], Kind::Word(|| FreeTrialStatus::ALL.iter().map(|word| word.as_str()).collect())),
    Field::new("id", &["request"], Kind::Number),
    Field::new("user", &["customer"], Kind::Text),
    Field::new("created_at", &["created", "date"], Kind::Time),
    Field::new("valid_from", &[], Kind::Time),
    Field::new("valid_to", &["deadline"], Kind::Time),
    Field::new("name", &["quest"], Kind::Text),
    Field::new("free_trial_quest_id", &["quest_id"], Kind::Number),
    Field::new("quantity", &["qty"], Kind::Number),
    Field::new("url", &["link"], Kind::Text),
    Field::new("proof_url", &["proof"], Kind::Text),
    Field::new("user.id", &["user_id"], Kind::Number),
    Field::new("user.email", &["email"], Kind::Text),
];

/// A row of the list.
#[must_use]
pub fn row(trial: &FreeTrial) -> Row {
    let text = |typed: &str| Cell::Text(clean(typed));
    Row {
        id: trial.id,
        since: trial.created_at,
        amount: Money::ZERO,
        state: trial.status.to_string(),
        allowed: trial.actions.into(),
        cells: vec![
            Cell::Text(trial.id.to_string()),
            Cell::Age(trial.created_at),
            text(&trial.name),
            Cell::Number(trial.quantity),
            text(&trial.user.email),
            text(&trial.url),
            text(trial.proof_url.as_deref().unwrap_or("")),
        ],
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
        id: trial.id,
        title: clean(&format!("Request {}", trial.id)),
        row: row(trial),
        sections: vec![Section::new("", about), Section::new("Customer", customer)],
    }
}
