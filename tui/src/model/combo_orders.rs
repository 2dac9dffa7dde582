//! Combo orders as a source of a queue: rows, columns, filter fields and record details.
//!
//! This module sanitizes every text of a customer before any other module uses it.

use panel_contract::combo_orders::ComboOrder;
use panel_contract::lists;

use crate::model::contract_list::{ColumnLayout, ContractList};
use crate::model::detail::{Detail, Entry, Section};
use crate::model::row::RecordRow;
use crate::text::{format_count, format_money, sanitize};
use crate::theme::Tone;

/// The columns of combo orders. All other fields are hidden by default.
pub static COMBO_ORDERS: ContractList<ComboOrder> = ContractList::new(
    &lists::combo_orders::COMBO_ORDERS,
    &[
        ColumnLayout::new("id", 0).min_width(7),
        ColumnLayout::new("created_at", 2).heading("AGE"),
        ColumnLayout::new("package.name", 3),
        ColumnLayout::new("orders_count", 5).min_width(6),
        ColumnLayout::new("cost", 1),
        ColumnLayout::new("user.email", 4),
        ColumnLayout::new("url", 6).heading("LINK").grow(3),
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

#[must_use]
pub fn to_row(combo: &ComboOrder) -> RecordRow {
    RecordRow {
        id: combo.id.as_record_id(),
        queued_at: combo.created_at,
        amount: combo.cost,
        status_text: combo.status.as_str().replace('_', " "),
        allowed_actions: combo.actions.into(),
        cells: COMBO_ORDERS.cells(combo),
        has_left_queue: false,
    }
}

/// Converts a combo order to the sections of its record pane.
#[must_use]
pub fn to_detail(combo: &ComboOrder) -> Detail {
    let about_entries = vec![
        Entry::new("Package", &format!("{} ({})", combo.package.name, combo.package.kind)),
        Entry::new("Orders", &format_count(combo.orders_count)),
        Entry::new("Cost", &format_money(combo.cost)).tone(Tone::Strong),
        Entry::new("Refunded", &format_money(combo.refunded)),
        Entry::new("Link", &combo.url),
        Entry::new("Status", &combo.status.as_str().replace('_', " ")),
        Entry::new("Placed", &format!("{} via {}", combo.created_at, combo.source)),
    ];
    let customer_entries = vec![
        Entry::new("Name", &format!("{} (customer {})", combo.user.name, combo.user.id)),
        Entry::new("Email", &combo.user.email),
    ];
    Detail {
        id: combo.id.as_record_id(),
        title: sanitize(&format!("Combo order {}", combo.id)),
        row: to_row(combo),
        sections: vec![Section::new("", about_entries), Section::new("Customer", customer_entries)],
    }
}
