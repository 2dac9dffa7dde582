//! External panels as a read-only source of a queue: rows, columns, filter fields and record details of the 30-day report.
//! The report is one response without pages, so this module filters and sorts it.
//!
//! This module sanitizes every text of an external panel before any other module uses it.

use std::cmp::Ordering;
use std::sync::LazyLock;

use panel_contract::amount::{Money, Percent};
use panel_contract::moment::Time;
use panel_contract::providers::SupplyReportRow;
use panel_contract::table::TableQuery;

use crate::model::columns::{Cell, Column};
use crate::model::detail::{Detail, Entry, Section};
use crate::model::filter::{FieldKind, FilterField};
use crate::model::record_action::AllowedActions;
use crate::model::row::RecordRow;
use crate::text::{Align, format_count, format_money, sanitize};
use crate::theme::Tone;

/// The columns; the first is always visible.
pub static COLUMNS: LazyLock<[Column; 8]> = LazyLock::new(|| {
    [
        column("EXTERNAL PANEL", 14, 3, Align::Left, 0, "name"),
        column("STATUS", 8, 0, Align::Left, 1, "status"),
        column("BALANCE", 14, 1, Align::Right, 2, "balance"),
        column("LAST OK", 8, 0, Align::Right, 3, "last_ok_at"),
        column("FAILED", 7, 0, Align::Right, 4, "error_share_percent"),
        column("OPEN", 6, 0, Align::Right, 5, "open"),
        column("OLDEST", 6, 0, Align::Right, 6, "oldest_open_at"),
        column("LAST ERROR", 14, 3, Align::Left, 7, "last_error"),
    ]
});

fn column(title: &str, min_width: u16, grow: u16, align: Align, rank: u8, sort_key: &'static str) -> Column {
    Column {
        title: title.to_owned(),
        min_width,
        grow,
        align,
        rank,
        is_visible_by_default: true,
        sort_key: Some(sort_key),
    }
}

/// The fields that filter external panels.
pub const FIELDS: &[FilterField] = &[
    FilterField::new("name", &["panel"], FieldKind::Text),
    FilterField::new("status", &[], FieldKind::Enum(&["active", "disabled", "error", "archived"])),
];

/// Filters and sorts the rows by a query.
#[must_use]
pub fn filter_and_sort<'r>(rows: &'r [SupplyReportRow], query: &TableQuery) -> Vec<&'r SupplyReportRow> {
    let column_search =
        |name: &str| query.columns.iter().find(|column| column.data == name && !column.search.is_empty());
    let contains_text =
        |text: &str, search: &str| text.to_lowercase().contains(&search.trim().to_lowercase());
    let mut matching: Vec<&SupplyReportRow> = rows
        .iter()
        .filter(|row| column_search("name").is_none_or(|column| contains_text(&row.name, &column.search)))
        .filter(|row| {
            let status = row.status.as_deref().unwrap_or_default();
            column_search("status")
                .is_none_or(|column| column.search.split(',').any(|word| word.trim() == status))
        })
        .filter(|row| query.search.is_empty() || contains_text(&row.name, &query.search))
        .collect();
    if let Some(order) = query.order.first() {
        let sort_key = query.columns.get(order.column).map_or("name", |column| column.data.as_str());
        matching.sort_by(|left, right| {
            let ordering = compare_by(sort_key, left, right);
            if order.descending { ordering.reverse() } else { ordering }
        });
    }
    matching
}

fn compare_by(sort_key: &str, left: &SupplyReportRow, right: &SupplyReportRow) -> Ordering {
    match sort_key {
        "status" => left.status.cmp(&right.status),
        "balance" => left.balance.cmp(&right.balance),
        "last_ok_at" => left.last_ok_at.cmp(&right.last_ok_at),
        "error_share_percent" => left.error_share_percent.cmp(&right.error_share_percent),
        "open" => left.open.cmp(&right.open),
        "oldest_open_at" => left.oldest_open_at.cmp(&right.oldest_open_at),
        "last_error" => left.last_error.cmp(&right.last_error),
        _ => left.name.cmp(&right.name),
    }
}

#[must_use]
pub fn to_row(panel: &SupplyReportRow) -> RecordRow {
    let age_cell = |time: Option<Time>| time.map_or_else(|| Cell::Text("–".into()), Cell::Age);
    let text_cell = |text: &Option<String>| Cell::Text(sanitize(text.as_deref().unwrap_or_default()));
    RecordRow {
        id: panel.id,
        queued_at: panel.oldest_open_at.unwrap_or_default(),
        amount: Money::ZERO,
        status_text: sanitize(panel.status.as_deref().unwrap_or_default()),
        allowed_actions: AllowedActions::default(),
        cells: vec![
            Cell::Text(sanitize(&panel.name)),
            text_cell(&panel.status),
            Cell::Text(format_balance(panel)),
            age_cell(panel.last_ok_at),
            Cell::Text(format_percent(panel.error_share_percent)),
            Cell::Number(panel.open),
            age_cell(panel.oldest_open_at),
            text_cell(&panel.last_error),
        ],
        has_left_queue: false,
    }
}

fn format_balance(panel: &SupplyReportRow) -> String {
    let currency = panel.currency.as_deref().unwrap_or_default();
    panel
        .balance
        .map_or_else(|| "–".into(), |balance| sanitize(&format!("{} {currency}", format_money(balance))))
}

fn format_percent(percent: Option<Percent>) -> String {
    percent.map_or_else(|| "–".into(), |percent| format!("{percent} %"))
}

/// Converts an external panel to the sections of its record pane.
#[must_use]
pub fn to_detail(panel: &SupplyReportRow) -> Detail {
    let time_or_dash = |time: Option<Time>| time.map_or_else(|| "–".to_owned(), |time| time.to_string());
    let failed_tone = if panel.failed > 0 { Tone::Error } else { Tone::Plain };
    let mut health = vec![
        Entry::new("Status", panel.status.as_deref().unwrap_or("–")),
        Entry::new("Balance", &format_balance(panel)).tone(Tone::Strong),
        Entry::new("Last OK", &time_or_dash(panel.last_ok_at)),
    ];
    health.extend(panel.last_error.iter().map(|error| Entry::new("Last error", error).tone(Tone::Error)));
    let mut open = vec![Entry::new("Open orders", &format_count(panel.open))];
    if let Some(order) = panel.oldest_open_order_id {
        open.push(Entry::new(
            "Oldest",
            &format!("order {order}, since {}", time_or_dash(panel.oldest_open_at)),
        ));
    }
    let results = vec![
        Entry::new("Delivered", &format_count(panel.completed)),
        Entry::new("Partial", &format_count(panel.partial)),
        Entry::new(
            "Failed",
            &format!("{} ({})", format_count(panel.failed), format_percent(panel.error_share_percent)),
        )
        .tone(failed_tone),
        Entry::new(
            "Duration",
            &panel
                .mean_minutes
                .map_or_else(|| "–".into(), |minutes| format!("{} min on average", format_count(minutes))),
        ),
        Entry::new("Revenue", &format_money(panel.revenue)),
        Entry::new("Cost", &format_money(panel.cost)),
        Entry::new("Margin", &format_percent(panel.margin_percent)),
    ];
    Detail {
        id: panel.id,
        title: sanitize(&format!("External panel {}", panel.name)),
        row: to_row(panel),
        sections: vec![
            Section::new("", health),
            Section::new("Now", open),
            Section::new("Last 30 days", results),
        ],
    }
}
