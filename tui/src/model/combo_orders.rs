//! Combo orders as a source of a queue: rows from the contract's, columns, filters, and the detail as sections.
//!
//! Everything a stranger typed is cleaned here, once, before anything else sees it.

use panel_contract::combo_orders::{ComboOrder, ComboStatus};
use panel_contract::orders::OrderSource;

use crate::model::columns::{Cell, Column};
use crate::model::detail::{Detail, Entry, Section};
use crate::model::filter::{Field, Kind};
use crate::model::row::Row;
use crate::text::{Align, clean, count, money};
use crate::theme::Tone;

/// The columns of combo orders; the first is always shown.
pub static COLUMNS: &[Column] = &[
    Column::new("ID", 7, 0, Align::Right, 0, "id"),
    Column::new("AGE", 4, 0, Align::Right, 2, "created_at"),
    Column::new("PACKAGE", 14, 2, Align::Left, 3, "package.name"),
    Column::new("ORDERS", 6, 0, Align::Right, 5, "orders_count"),
    // What its orders cost together; the panel sorts by their number.
    Column::new("COST", 10, 0, Align::Right, 1, "orders_count"),
    Column::new("USER", 14, 2, Align::Left, 4, "user.email"),
    Column::new("LINK", 14, 3, Align::Left, 6, "url"),
];

/// What the filter prompt knows of combo orders, by the names of the API.
pub const FIELDS: &[Field] = &[
    Field::new("status", &[], Kind::Word(|| ComboStatus::ALL.iter().map(|word| word.as_str()).collect())),
    Field::new("id", &["combo"], Kind::Number),
    Field::new("user", &["customer"], Kind::Text),
    Field::new("package", &[], Kind::Text),
    Field::new("created_at", &["created", "date"], Kind::Time),
    Field::new("orders_count", &["orders"], Kind::Number),
    Field::new("source", &[], Kind::Word(|| OrderSource::ALL.iter().map(|word| word.as_str()).collect())),
    Field::new("url", &["link"], Kind::Text),
    Field::new("user.id", &["user_id"], Kind::Number),
    Field::new("user.email", &["email"], Kind::Text),
];

/// A row of the list.
#[must_use]
pub fn row(combo: &ComboOrder) -> Row {
    let text = |typed: &str| Cell::Text(clean(typed));
    Row {
        id: combo.id,
        since: combo.created_at,
        amount: combo.cost,
        state: combo.status.as_str().replace('_', " "),
        allowed: combo.actions.into(),
        cells: vec![
            Cell::Text(combo.id.to_string()),
            Cell::Age(combo.created_at),
            text(&combo.package.name),
            Cell::Number(combo.orders_count),
            Cell::Money(combo.cost),
            text(&combo.user.email),
            text(&combo.url),
        ],
        left: false,
    }
}

/// Everything about one combo order, as sections.
#[must_use]
pub fn detail(combo: &ComboOrder) -> Detail {
    let about = vec![
        Entry::of("Package", &format!("{} ({})", combo.package.name, combo.package.kind)),
        Entry::of("Orders", &count(combo.orders_count)),
        Entry::of("Cost", &money(combo.cost)).tone(Tone::Strong),
        Entry::of("Returned", &money(combo.returned)),
        Entry::of("Link", &combo.url),
        Entry::of("Status", &combo.status.as_str().replace('_', " ")),
        Entry::of("Placed", &format!("{} by {}", combo.created_at, combo.source)),
    ];
    let customer = vec![
        Entry::of("Name", &format!("{} (user {})", combo.user.name, combo.user.id)),
        Entry::of("E-mail", &combo.user.email),
    ];
    Detail {
        id: combo.id,
        title: clean(&format!("Combo order {}", combo.id)),
        row: row(combo),
        sections: vec![Section::new("", about), Section::new("Customer", customer)],
    }
}
