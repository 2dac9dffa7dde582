//! External panels as a source of a queue: how each did in the last days, rows, columns, filters, and the detail as
//! sections. It is looked at only. The report comes whole, so filter and order are applied here.
//!
//! What a panel said is cleaned here, once, before anything else sees it.

use std::cmp::Ordering;
use std::sync::LazyLock;

use panel_contract::amount::{Money, Percent};
use panel_contract::moment::Time;
use panel_contract::providers::ReportRow;
use panel_contract::table::TableQuery;

use crate::model::columns::{Cell, Column};
use crate::model::detail::{Detail, Entry, Section};
use crate::model::filter::{Field, Kind};
use crate::model::row::Row;
use crate::model::verb::Allowed;
use crate::text::{Align, clean, count, money};
use crate::theme::Tone;

/// The columns; the first is always shown.
pub static COLUMNS: LazyLock<[Column; 8]> = LazyLock::new(|| {
    [
        column("PANEL", 14, 3, Align::Left, 0, "name"),
        column("STATUS", 8, 0, Align::Left, 1, "status"),
        column("BALANCE", 14, 1, Align::Right, 2, "balance"),
        column("ANSWERED", 8, 0, Align::Right, 3, "last_ok_at"),
        column("FAILED", 7, 0, Align::Right, 4, "error_share_percent"),
        column("OPEN", 6, 0, Align::Right, 5, "open"),
        column("OLDEST", 6, 0, Align::Right, 6, "oldest_open_at"),
        column("LAST ERROR", 14, 3, Align::Left, 7, "last_error"),
    ]
});

fn column(title: &str, least: u16, grow: u16, align: Align, rank: u8, sort: &'static str) -> Column {
    Column { title: title.to_owned(), least, grow, align, rank, shown: true, sort: Some(sort) }
}

/// What the filter prompt knows of panels.
pub const FIELDS: &[Field] = &[
    Field::new("name", &["panel"], Kind::Text),
    Field::new("status", &[], Kind::Word(&["active", "disabled", "error", "archived"])),
];

/// The rows that a query asks for, in its order.
#[must_use]
pub fn wanted<'r>(rows: &'r [ReportRow], query: &TableQuery) -> Vec<&'r ReportRow> {
    let asked =
        |name: &str| query.columns.iter().find(|column| column.data == name && !column.search.is_empty());
    let has = |text: &str, part: &str| text.to_lowercase().contains(&part.trim().to_lowercase());
    let mut found: Vec<&ReportRow> = rows
        .iter()
        .filter(|row| asked("name").is_none_or(|column| has(&row.name, &column.search)))
        .filter(|row| {
            let status = row.status.as_deref().unwrap_or_default();
            asked("status").is_none_or(|column| column.search.split(',').any(|word| word.trim() == status))
        })
        .filter(|row| query.search.is_empty() || has(&row.name, &query.search))
        .collect();
    if let Some(order) = query.order.first() {
        let by = query.columns.get(order.column).map_or("name", |column| column.data.as_str());
        found.sort_by(|one, other| {
            let order_of = compared(by, one, other);
            if order.descending { order_of.reverse() } else { order_of }
        });
    }
    found
}

fn compared(by: &str, one: &ReportRow, other: &ReportRow) -> Ordering {
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

/// A row of the list.
#[must_use]
pub fn row(panel: &ReportRow) -> Row {
    let since = |at: Option<Time>| at.map_or_else(|| Cell::Text("–".into()), Cell::Age);
    let text = |said: &Option<String>| Cell::Text(clean(said.as_deref().unwrap_or_default()));
    Row {
        id: panel.id,
        since: panel.oldest_open_at.unwrap_or_default(),
        amount: Money::ZERO,
        state: clean(panel.status.as_deref().unwrap_or_default()),
        allowed: Allowed::default(),
        cells: vec![
            Cell::Text(clean(&panel.name)),
            text(&panel.status),
            Cell::Text(balance(panel)),
            since(panel.last_ok_at),
            Cell::Text(share(panel.error_share_percent)),
            Cell::Number(panel.open),
            since(panel.oldest_open_at),
            text(&panel.last_error),
        ],
        left: false,
    }
}

fn balance(panel: &ReportRow) -> String {
    let currency = panel.currency.as_deref().unwrap_or_default();
    panel.balance.map_or_else(|| "–".into(), |balance| clean(&format!("{} {currency}", money(balance))))
}

fn share(percent: Option<Percent>) -> String {
    percent.map_or_else(|| "–".into(), |percent| format!("{percent} %"))
}

/// Everything about one panel, as sections.
#[must_use]
pub fn detail(panel: &ReportRow) -> Detail {
    let said = |at: Option<Time>| at.map_or_else(|| "–".to_owned(), |at| at.to_string());
    let bad = if panel.failed > 0 { Tone::Bad } else { Tone::Plain };
    let mut health = vec![
        Entry::of("Status", panel.status.as_deref().unwrap_or("–")),
        Entry::of("Our balance", &balance(panel)).tone(Tone::Strong),
        Entry::of("Last answer", &said(panel.last_ok_at)),
    ];
    health.extend(panel.last_error.iter().map(|error| Entry::of("Last error", error).tone(Tone::Bad)));
    let mut open = vec![Entry::of("Open orders", &count(panel.open))];
    if let Some(order) = panel.oldest_open_order_id {
        open.push(Entry::of("The oldest", &format!("order {order}, since {}", said(panel.oldest_open_at))));
    }
    let ended = vec![
        Entry::of("Delivered", &count(panel.completed)),
        Entry::of("In part", &count(panel.partial)),
        Entry::of("Failed", &format!("{} ({})", count(panel.failed), share(panel.error_share_percent)))
            .tone(bad),
        Entry::of(
            "Takes",
            &panel.mean_minutes.map_or_else(|| "–".into(), |all| format!("{} min on average", count(all))),
        ),
        Entry::of("Customers paid", &money(panel.revenue)),
        Entry::of("It cost", &money(panel.cost)),
        Entry::of("Margin", &share(panel.margin_percent)),
    ];
    Detail {
        id: panel.id,
        title: clean(&format!("Panel {}", panel.name)),
        row: row(panel),
        sections: vec![
            Section::new("", health),
            Section::new("Now", open),
            Section::new("Last 30 days", ended),
        ],
    }
}
