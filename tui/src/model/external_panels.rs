//! External panels as a read-only source of a queue: rows, columns, filter fields and record details of the 30-day report.
//! The report is one response without pages, so filter and order are applied here.
//!
//! Every text of a panel is sanitized here, before any other module uses it.

use std::cmp::Ordering;
use std::sync::LazyLock;

use panel_contract::amount::{Money, Percent};
use panel_contract::moment::Time;
use panel_contract::providers::ReportRow;
use panel_contract::table::TableQuery;

use crate::model::columns::{Cell, Column};
use crate::model::detail::{Detail, Entry, Section};
use crate::model::filter::{FieldKind, FilterField};
use crate::model::row::RecordRow;
use crate::model::verb::AllowedVerbs;
use crate::text::{Align, format_count, format_money, sanitize};
use crate::theme::Tone;

/// The columns; the first is always visible.
pub static COLUMNS: LazyLock<[Column; 8]> = LazyLock::new(|| {
    [
        column("PANEL", 14, 3, Align::Left, 0, "name"),
        column("STATUS", 8, 0, Align::Left, 1, "status"),
        column("BALANCE", 14, 1, Align::Right, 2, "balance"),
        column("LAST OK", 8, 0, Align::Right, 3, "last_ok_at"),
        column("FAILED", 7, 0, Align::Right, 4, "error_share_percent"),
        column("OPEN", 6, 0, Align::Right, 5, "open"),
        column("OLDEST", 6, 0, Align::Right, 6, "oldest_open_at"),
        column("LAST ERROR", 14, 3, Align::Left, 7, "last_error"),
    ]
});

fn column(title: &str, min_width: u16, grow: u16, align: Align, rank: u8, sort: &'static str) -> Column {
    Column { title: title.to_owned(), min_width, grow, align, rank, shown_by_default: true, sort: Some(sort) }
}

/// The fields that panels can be filtered by.
pub const FIELDS: &[FilterField] = &[
    FilterField::new("name", &["panel"], FieldKind::Text),
    FilterField::new("status", &[], FieldKind::Word(&["active", "disabled", "error", "archived"])),
];

/// Filters and sorts the rows by a query.
#[must_use]
pub fn filter_and_sort<'r>(rows: &'r [ReportRow], query: &TableQuery) -> Vec<&'r ReportRow> {
    let search_of =
        |name: &str| query.columns.iter().find(|column| column.data == name && !column.search.is_empty());
    let has = |text: &str, part: &str| text.to_lowercase().contains(&part.trim().to_lowercase());
    let mut matching: Vec<&ReportRow> = rows
        .iter()
        .filter(|row| search_of("name").is_none_or(|column| has(&row.name, &column.search)))
        .filter(|row| {
            let status = row.status.as_deref().unwrap_or_default();
            search_of("status")
                .is_none_or(|column| column.search.split(',').any(|word| word.trim() == status))
        })
        .filter(|row| query.search.is_empty() || has(&row.name, &query.search))
        .collect();
    if let Some(order) = query.order.first() {
        let by = query.columns.get(order.column).map_or("name", |column| column.data.as_str());
        matching.sort_by(|one, other| {
            let ordering = compare_by(by, one, other);
            if order.descending { ordering.reverse() } else { ordering }
        });
    }
    matching
}

fn compare_by(by: &str, one: &ReportRow, other: &ReportRow) -> Ordering {
    match by {
        "status" => one.status.cmp(&other.status),
        "balance" => one.balance.cmp(&other.balance),
        "last_ok_at" => one.last_ok_at.cmp(&other.last_ok_at),
        "error_share_percent" => one.error_share_percent.cmp(&other.error_share_percent),
        "open" => one.open.cmp(&other.open),
        "oldest_open_at" => one.oldest_open_at.cmp(&other.oldest_open_at),
        "last_error" => one.last_error.cmp(&other.last_error),
        _ => one.name.cmp(&other.name),
    }
}

#[must_use]
pub fn row(panel: &ReportRow) -> RecordRow {
    let since = |at: Option<Time>| at.map_or_else(|| Cell::Text("–".into()), Cell::Age);
    let text = |text: &Option<String>| Cell::Text(sanitize(text.as_deref().unwrap_or_default()));
    RecordRow {
        id: panel.id,
        since: panel.oldest_open_at.unwrap_or_default(),
        amount: Money::ZERO,
        state: sanitize(panel.status.as_deref().unwrap_or_default()),
        allowed: AllowedVerbs::default(),
        cells: vec![
            Cell::Text(sanitize(&panel.name)),
            text(&panel.status),
            Cell::Text(balance(panel)),
            since(panel.last_ok_at),
            Cell::Text(share(panel.error_share_percent)),
            Cell::Number(panel.open),
            since(panel.oldest_open_at),
            text(&panel.last_error),
        ],
        left_queue: false,
    }
}

fn balance(panel: &ReportRow) -> String {
    let currency = panel.currency.as_deref().unwrap_or_default();
    panel
        .balance
        .map_or_else(|| "–".into(), |balance| sanitize(&format!("{} {currency}", format_money(balance))))
}

fn share(percent: Option<Percent>) -> String {
    percent.map_or_else(|| "–".into(), |percent| format!("{percent} %"))
}

/// The sections of an external panel.
#[must_use]
pub fn detail(panel: &ReportRow) -> Detail {
    let text_or_dash = |at: Option<Time>| at.map_or_else(|| "–".to_owned(), |at| at.to_string());
    let failed_tone = if panel.failed > 0 { Tone::Error } else { Tone::Plain };
    let mut health = vec![
        Entry::of("Status", panel.status.as_deref().unwrap_or("–")),
        Entry::of("Balance", &balance(panel)).tone(Tone::Strong),
        Entry::of("Last OK", &text_or_dash(panel.last_ok_at)),
    ];
    health.extend(panel.last_error.iter().map(|error| Entry::of("Last error", error).tone(Tone::Error)));
    let mut open = vec![Entry::of("Open orders", &format_count(panel.open))];
    if let Some(order) = panel.oldest_open_order_id {
        open.push(Entry::of(
            "Oldest",
            &format!("order {order}, since {}", text_or_dash(panel.oldest_open_at)),
        ));
    }
    let results = vec![
        Entry::of("Delivered", &format_count(panel.completed)),
        Entry::of("Partial", &format_count(panel.partial)),
        Entry::of(
            "Failed",
            &format!("{} ({})", format_count(panel.failed), share(panel.error_share_percent)),
        )
        .tone(failed_tone),
        Entry::of(
            "Duration",
            &panel
                .mean_minutes
                .map_or_else(|| "–".into(), |minutes| format!("{} min on average", format_count(minutes))),
        ),
        Entry::of("Revenue", &format_money(panel.revenue)),
        Entry::of("Cost", &format_money(panel.cost)),
        Entry::of("Margin", &share(panel.margin_percent)),
    ];
    Detail {
        id: panel.id,
        title: sanitize(&format!("Panel {}", panel.name)),
        row: row(panel),
        sections: vec![
            Section::new("", health),
            Section::new("Now", open),
            Section::new("Last 30 days", results),
        ],
    }
}
