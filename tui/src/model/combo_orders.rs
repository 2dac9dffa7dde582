//! Combo orders as a source of a queue: rows from the contract's, columns, filters, and the detail as sections.
//!
//! Everything a stranger typed is cleaned here, once, before anything else sees it.

use panel_contract::combo_orders::ComboOrder;
use panel_contract::lists;

use crate::model::detail::{Detail, Entry, Section};
use crate::model::listed::{Listed, Place};
use crate::model::row::Row;
use crate::text::{clean, count, money};
use crate::theme::Tone;

/// How combo orders are drawn; every other field of a row is a column on request.
pub static COMBO_ORDERS: Listed<ComboOrder> = Listed::new(
    &lists::combo_orders::COMBO_ORDERS,
    &[
        Place::of("id", 0).least(7),
        Place::of("created_at", 2).head("AGE"),
        Place::of("package.name", 3),
        Place::of("orders_count", 5).least(6),
        Place::of("cost", 1),
        Place::of("user.email", 4),
        Place::of("url", 6).head("LINK").grow(3),
    ],
    &[
        ("status", &[]),
        ("id", &["combo"]),
        ("user", &["customer"]),
        ("package", &[]),
        ("created_at", &["created", "date"]),
        ("orders_count", &["orders"]),
        ("source", &[]),
        ("url", &["link"]),
        ("user.id", &["user_id"]),
        ("user.email", &["email"]),
    ],
);

/// A row of the list.
#[must_use]
pub fn row(combo: &ComboOrder) -> Row {
    Row {
        id: combo.id.record(),
        since: combo.created_at,
        amount: combo.cost,
        state: combo.status.as_str().replace('_', " "),
        allowed: combo.actions.into(),
        cells: COMBO_ORDERS.cells(combo),
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
        id: combo.id.record(),
        title: clean(&format!("Combo order {}", combo.id)),
        row: row(combo),
        sections: vec![Section::new("", about), Section::new("Customer", customer)],
    }
}
