//! Orders as a source of queues: rows, columns, filter fields and record details.
//!
//! Every text of a customer is sanitized here, before any other module uses it.

use panel_contract::amount::Money;
use panel_contract::lists;
use panel_contract::moment::Time;
use panel_contract::orders::{Approval, CountSource, Order, OrderRow, RefillStatistic};
use panel_contract::payments::BalanceType;

use crate::model::columns::Cell;
use crate::model::contract_list::{ColumnLayout, ContractList};
use crate::model::detail::{Detail, Entry, Section};
use crate::model::row::RecordRow;
use crate::text::{capitalize, format_count, format_money, sanitize};
use crate::theme::Tone;

/// The columns of orders; all other fields are hidden by default.
pub static ORDERS: ContractList<OrderRow> = ContractList::new(
    &lists::orders::ORDERS,
    &[
        ColumnLayout::of("id", 0),
        ColumnLayout::of("created_at", 2).heading("AGE"),
        ColumnLayout::of("service.name", 3).min_width(18).grow(3).cell(|order: &OrderRow| text(&order.name)),
        ColumnLayout::of("quantity", 5).heading("QTY"),
        ColumnLayout::of("cost", 1),
        ColumnLayout::of("user.email", 4),
        ColumnLayout::of("status", 6)
            .min_width(13)
            .hidden()
            .cell(|order: &OrderRow| Cell::Text(state(order))),
        ColumnLayout::of("percent_of_current_fill", 7).heading("FILL").hidden(),
        ColumnLayout::of("user.balance", 8).heading("BALANCE").min_width(12).hidden(),
        ColumnLayout::of("user.spent", 9).heading("SPENT").min_width(12).hidden(),
        ColumnLayout::of("source", 10).hidden(),
        ColumnLayout::of("url", 11).min_width(20).grow(3).hidden(),
        ColumnLayout::of("comment", 12).hidden(),
    ],
    &[
        ("status", &[]),
        ("cost", &[]),
        ("user", &["customer"]),
        ("service", &[]),
        ("quantity", &["qty"]),
        ("id", &["order"]),
        ("created_at", &["created", "date"]),
        ("approval", &[]),
        ("source", &[]),
        ("completed_at", &["completed"]),
        ("url", &["link"]),
        ("current_quantity", &["delivered"]),
        ("is_paid", &["paid"]),
        ("has_no_active_providers", &["no_provider", "no_active_providers"]),
        ("has_refill", &["refill"]),
        ("seo_keyword", &["seo"]),
        ("countries", &["country"]),
        ("quantity_for_full_fill", &["full_fill"]),
        ("refill.first.quantity", &["refill_first"]),
        ("refill.last.quantity", &["refill_last"]),
        ("promotable.embed_url", &["embed_url"]),
        ("promotable.region_restriction", &["region"]),
        ("promotable.average_viewers", &["viewers"]),
        ("promotable.first_statistic_viewers", &["first_viewers"]),
        ("promotable.supported_at", &["supported_at"]),
        ("promotable.supported_until", &["supported_until"]),
        ("user.id", &["user_id"]),
        ("user.email", &["email"]),
        ("user.balance", &["balance"]),
        ("user.spent", &["spent"]),
        ("service.id", &["service_id"]),
        ("subscription_id", &["subscription"]),
        ("drip_feed_id", &["drip_feed"]),
        ("combo_order_id", &["combo"]),
    ],
);

fn text(typed: &str) -> Cell {
    Cell::Text(sanitize(typed))
}

fn state(order: &OrderRow) -> String {
    let word = order.status.as_str().replace('_', " ");
    if order.approval == Some(Approval::Rejected) { format!("{word}, rejected") } else { word }
}

#[must_use]
pub fn row(order: &OrderRow) -> RecordRow {
    RecordRow {
        id: order.id.record(),
        since: order.created_at,
        amount: order.cost,
        state: state(order),
        allowed: order.actions.into(),
        cells: ORDERS.cells(order),
        left_queue: false,
    }
}

/// The sections of an order.
#[must_use]
pub fn detail(order: &Order) -> Detail {
    let sections = vec![
        about(order),
        Section::new("Customer", customer(order)),
        Section::new("Money", timeline(order)),
        Section::new("Placement attempts", attempts(order)),
        Section::new("Refills", refills(order)),
        Section::new("Promotion", promotion(order)),
        Section::new("Comment", comment(order)),
    ];
    Detail {
        id: order.row.id.record(),
        title: sanitize(&format!("Order {}", order.row.id)),
        row: row(&order.row),
        sections: sections.into_iter().filter(|section| !section.entries.is_empty()).collect(),
    }
}

fn about(order: &Order) -> Section {
    let row = &order.row;
    let mut entries = vec![
        Entry::of("Service", &format!("{} (service {})", row.name, row.service.id)),
        Entry::of("Link", &row.url),
        Entry::of("Status", &state(row)),
        Entry::of("Placed", &format!("{} via {}", row.created_at, row.source)),
        Entry::of(
            "Ordered",
            &format!("{}, delivered {}", format_count(row.quantity), format_count(row.current_quantity)),
        ),
    ];
    if let Some(reason) = order.cancel_reason {
        let description = order.cancel_description.as_deref().unwrap_or_default();
        entries.push(Entry::of("Canceled", &format!("{} {description}", reason.as_str().replace('_', " "))));
    }
    if row.has_no_active_providers {
        entries.push(Entry::of("Providers", "no provider of the service is active").tone(Tone::Warning));
    }
    for value in &order.targetable_values {
        entries.push(Entry::of(&value.name, &value.value));
    }
    entries.extend(optional_attributes(order));
    Section::new("", entries)
}

/// Attributes of an order that only some orders have.
fn optional_attributes(order: &Order) -> Vec<Entry> {
    let mut entries = Vec::new();
    let mut add = |label: &str, text: Option<String>| {
        entries.extend(text.filter(|text| !text.is_empty()).map(|text| Entry::of(label, &text)));
    };
    // Most orders are paid, and the section Money lists their payments.
    add("Paid", (!order.row.is_paid).then(|| "no".to_owned()));
    add("Keyword", order.keyword.clone());
    add("SEO keyword", order.seo_keyword.clone());
    add("Countries", Some(order.countries.join(", ")));
    add("Child id", order.child_id.map(|id| id.to_string()));
    add("Full fill", order.quantity_for_full_fill.map(format_count));
    entries
}

/// The counts before and after the refills.
fn refills(order: &Order) -> Vec<Entry> {
    let count_entry = |label: &str, statistic: Option<&RefillStatistic>| {
        statistic.map(|statistic| {
            Entry::of(label, &format!("{} at {}", format_count(statistic.quantity), statistic.date))
        })
    };
    let quantity = order.refill_quantity.map(|quantity| Entry::of("Next refill", &format_count(quantity)));
    let counts = [
        count_entry("First count", order.refill.first.as_ref()),
        count_entry("Last count", order.refill.last.as_ref()),
    ];
    let dropped = order.refill.source.map(|source| {
        let counted_by = if source == CountSource::Counter { "the counter" } else { "the panel" };
        Entry::of(
            "Dropped",
            &format!("{}, counted by {counted_by}", format_count(order.refill.drop_quantity)),
        )
    });
    quantity.into_iter().chain(counts.into_iter().flatten()).chain(dropped).collect()
}

fn promotion(order: &Order) -> Vec<Entry> {
    let promotable = &order.promotable;
    let text = |label: &str, text: Option<&String>| text.map(|text| Entry::of(label, text));
    let number =
        |label: &str, number: Option<i64>| number.map(|number| Entry::of(label, &format_count(number)));
    let time = |label: &str, time: Option<Time>| time.map(|time| Entry::of(label, &time.to_string()));
    let entries = [
        text("Embed URL", promotable.embed_url.as_ref()),
        text("Region", promotable.region_restriction.as_ref()),
        number("1st viewers", promotable.first_statistic_viewers),
        number("Avg. viewers", promotable.average_viewers),
        time("Active since", promotable.supported_at),
        time("Active until", promotable.supported_until),
    ];
    entries.into_iter().flatten().collect()
}

fn customer(order: &Order) -> Vec<Entry> {
    let user = &order.row.user;
    let mut entries = vec![
        Entry::of("Name", &format!("{} (customer {})", user.name, user.id)),
        Entry::of("Email", &user.email),
        Entry::of("Balance", &format!("{}, spent {}", format_money(user.balance), format_money(user.spent))),
    ];
    if let Some(name) = &user.telegram_username {
        entries.push(Entry::of("Telegram", &format!("@{name}")));
    }
    entries
}

/// The price, its modifications, the payments and the refunds.
fn timeline(order: &Order) -> Vec<Entry> {
    let row = &order.row;
    let unit = format!("{} per {}", format_money(row.price), format_count(order.pricing_per));
    let mut entries = vec![Entry::of("Price", &unit)];
    for change in &order.price_modifications {
        let mut amounts =
            format!("{} to {}", format_money(change.cost_before), format_money(change.cost_after));
        if change.is_speedup {
            amounts.push_str(", for speedup");
        }
        if change.has_countries {
            amounts.push_str(", by country");
        }
        entries.push(Entry::of(&capitalize(&change.kind), &format!("{}: {amounts}", change.name)));
    }
    entries.push(Entry::of("Cost", &format_money(row.cost)).tone(Tone::Strong));
    for payment in &order.order_balance_payments {
        entries.push(Entry::of(
            "Paid",
            &format!("{} from {}", format_money(payment.amount), balance(payment.balance_type)),
        ));
    }
    for refund in order.refund_payments.iter().rev() {
        let by = refund.admin.as_ref().map_or("the system", |admin| admin.name.as_str());
        let line = format!(
            "{} to {} by {by}, {}",
            format_money(refund.amount),
            balance(refund.kind),
            refund.created_at
        );
        entries.push(Entry::of("Refunded", &line));
    }
    if order.provider_cost != Money::ZERO {
        entries.push(Entry::of("Our cost", &format_money(order.provider_cost)));
    }
    if row.actions.cancelable {
        entries.push(Entry::of(
            "If canceled",
            &format!("{} would be refunded", format_money(order.refund_amount)),
        ));
    }
    entries
}

fn balance(kind: BalanceType) -> String {
    format!("{kind} balance")
}

fn attempts(order: &Order) -> Vec<Entry> {
    let mut entries = Vec::new();
    for attempt in &order.external_panel_orders {
        let remaining =
            attempt.remains.map_or(String::new(), |left| format!(", {} left", format_count(left)));
        let line = format!(
            "{}, {} ordered{remaining}, charged {}",
            attempt.status,
            format_count(attempt.initial_quantity),
            format_money(attempt.charge)
        );
        entries.push(Entry::of(&attempt.provider.name, &line));
        if let Some(error) = &attempt.last_error {
            entries.push(Entry::of("", error).tone(Tone::Error));
        }
        if !attempt.not_forwarded.is_empty() {
            let names = attempt.not_forwarded.join(", ");
            entries.push(Entry::of("Not forwarded", &names).tone(Tone::Warning));
        }
    }
    if entries.is_empty() {
        let names: Vec<&str> = order.providers.iter().map(|provider| provider.name.as_str()).collect();
        let candidates = if names.is_empty() { "none".to_owned() } else { names.join(", ") };
        entries.push(Entry::of("Candidates", &candidates));
    }
    entries
}

fn comment(order: &Order) -> Vec<Entry> {
    order.row.comment.iter().map(|comment| Entry::of("", comment)).collect()
}
