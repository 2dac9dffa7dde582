//! Combo orders as a source of a queue: rows, columns, filter fields and record details.
//!
//! Every text of a customer is sanitized here, before any other module uses it.

use panel_contract::combo_orders::ComboOrder;
use panel_contract::lists;

use crate::model::contract_list::{ColumnLayout, ContractList};
use crate::model::detail::{Detail, Entry, Section};
use crate::model::row::RecordRow;
use crate::text::{format_count, format_money, sanitize};
use crate::theme::Tone;

/// The columns of combo orders; all other fields are hidden by default.
pub static COMBO_ORDERS: ContractList<ComboOrder> = ContractList::new(
    &lists::combo_orders::COMBO_ORDERS,
    &[
        ColumnLayout::of("id", 0).min_width(7),
        ColumnLayout::of("created_at", 2).heading("AGE"),
        ColumnLayout::of("package.name", 3),
        ColumnLayout::of("orders_count", 5).min_width(6),
        ColumnLayout::of("cost", 1),
        ColumnLayout::of("user.email", 4),
        ColumnLayout::of("url", 6).heading("LINK").grow(3),
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
pub fn row(combo: &ComboOrder) -> RecordRow {
    RecordRow {
        id: combo.id.record(),
        since: combo.created_at,
        amount: combo.cost,
        state: combo.status.as_str().replace('_', " "),
        allowed: combo.actions.into(),
        cells: COMBO_ORDERS.cells(combo),
        left_queue: false,
    }
}

/// The sections of a combo order.
#[must_use]
pub fn detail(combo: &ComboOrder) -> Detail {
    let about = vec![
        Entry::of("Package", &format!("{} ({})", combo.package.name, combo.package.kind)),
        Entry::of("Orders", &format_count(combo.orders_count)),
        Entry::of("Cost", &format_money(combo.cost)).tone(Tone::Strong),
        Entry::of("Refunded", &format_money(combo.returned)),
        Entry::of("Link", &combo.url),
        Entry::of("Status", &combo.status.as_str().replace('_', " ")),
        Entry::of("Placed", &format!("{} via {}", combo.created_at, combo.source)),
    ];
    let customer = vec![
        Entry::of("Name", &format!("{} (customer {})", combo.user.name, combo.user.id)),
        Entry::of("Email", &combo.user.email),
    ];
    Detail {
        id: combo.id.record(),
        title: sanitize(&format!("Combo order {}", combo.id)),
        row: row(combo),
        sections: vec![Section::new("", about), Section::new("Customer", customer)],
    }
}
