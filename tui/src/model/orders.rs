//! Orders as a source of queues: rows, columns, filter fields and record details.
//!
//! This module sanitizes every text of a customer before any other module uses it.

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

/// The columns of orders. All other fields are hidden by default.
pub static ORDERS: ContractList<OrderRow> = ContractList::new(
    &lists::orders::ORDERS,
    &[
        ColumnLayout::new("id", 0),
        ColumnLayout::new("created_at", 2).heading("AGE"),
        ColumnLayout::new("service.name", 3)
            .min_width(18)
            .grow(3)
            .build_cell(|order: &OrderRow| text_cell(&order.name)),
        ColumnLayout::new("quantity", 5).heading("QTY"),
        ColumnLayout::new("cost", 1),
        ColumnLayout::new("user.email", 4),
        ColumnLayout::new("status", 6)
            .min_width(13)
            .hidden()
            .build_cell(|order: &OrderRow| Cell::Text(status_text(order))),
        ColumnLayout::new("percent_of_current_fill", 7).heading("FILL").hidden(),
        ColumnLayout::new("user.balance", 8).heading("BALANCE").min_width(12).hidden(),
        ColumnLayout::new("user.spent", 9).heading("SPENT").min_width(12).hidden(),
        ColumnLayout::new("source", 10).hidden(),
        ColumnLayout::new("url", 11).min_width(20).grow(3).hidden(),
        ColumnLayout::new("comment", 12).hidden(),
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

fn text_cell(text: &str) -> Cell {
    Cell::Text(sanitize(text))
}

fn status_text(order: &OrderRow) -> String {
    let status = order.status.as_str().replace('_', " ");
    if order.approval == Some(Approval::Rejected) { format!("{status}, rejected") } else { status }
}

#[must_use]
pub fn to_row(order: &OrderRow) -> RecordRow {
    RecordRow {
        id: order.id.as_record_id(),
        queued_at: order.created_at,
        amount: order.cost,
        status_text: status_text(order),
        allowed_actions: order.actions.into(),
        cells: ORDERS.cells(order),
        has_left_queue: false,
    }
}

/// Converts an order to the sections of its record pane.
#[must_use]
pub fn to_detail(order: &Order) -> Detail {
    let sections = vec![
        about_section(order),
        Section::new("Customer", customer_entries(order)),
        Section::new("Money", money_entries(order)),
        Section::new("Placement attempts", attempt_entries(order)),
        Section::new("Refills", refill_entries(order)),
        Section::new("Promotion", promotion_entries(order)),
        Section::new("Comment", comment_entries(order)),
    ];
    Detail {
        id: order.row.id.as_record_id(),
        title: sanitize(&format!("Order {}", order.row.id)),
        row: to_row(&order.row),
        sections: sections.into_iter().filter(|section| !section.entries.is_empty()).collect(),
    }
}

fn about_section(order: &Order) -> Section {
    let row = &order.row;
    let mut entries = vec![
        Entry::new("Service", &format!("{} (service {})", row.name, row.service.id)),
        Entry::new("Link", &row.url),
        Entry::new("Status", &status_text(row)),
        Entry::new("Placed", &format!("{} via {}", row.created_at, row.source)),
        Entry::new(
            "Ordered",
            &format!("{}, delivered {}", format_count(row.quantity), format_count(row.current_quantity)),
        ),
    ];
    if let Some(reason) = order.cancel_reason {
        let description = order.cancel_description.as_deref().unwrap_or_default();
        entries.push(Entry::new("Canceled", &format!("{} {description}", reason.as_str().replace('_', " "))));
    }
    if row.has_no_active_providers {
        entries.push(Entry::new("Providers", "no provider of the service is active").tone(Tone::Warning));
    }
    for value in &order.targetable_values {
        entries.push(Entry::new(&value.name, &value.value));
    }
    entries.extend(optional_entries(order));
    Section::new("", entries)
}

/// Attributes of an order that only some orders have.
fn optional_entries(order: &Order) -> Vec<Entry> {
    let mut entries = Vec::new();
    let mut add = |label: &str, text: Option<String>| {
        entries.extend(text.filter(|text| !text.is_empty()).map(|text| Entry::new(label, &text)));
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
fn refill_entries(order: &Order) -> Vec<Entry> {
    let count_entry = |label: &str, statistic: Option<&RefillStatistic>| {
        statistic.map(|statistic| {
            Entry::new(label, &format!("{} at {}", format_count(statistic.quantity), statistic.date))
        })
    };
    let quantity = order.refill_quantity.map(|quantity| Entry::new("Next refill", &format_count(quantity)));
    let counts = [
        count_entry("First count", order.refill.first.as_ref()),
        count_entry("Last count", order.refill.last.as_ref()),
    ];
    let dropped = order.refill.source.map(|source| {
        let counted_by = if source == CountSource::Counter { "the counter" } else { "the external panel" };
        Entry::new(
            "Dropped",
            &format!("{}, counted by {counted_by}", format_count(order.refill.drop_quantity)),
        )
    });
    quantity.into_iter().chain(counts.into_iter().flatten()).chain(dropped).collect()
}

fn promotion_entries(order: &Order) -> Vec<Entry> {
    let promotable = &order.promotable;
    let text_entry = |label: &str, text: Option<&String>| text.map(|text| Entry::new(label, text));
    let number_entry =
        |label: &str, number: Option<i64>| number.map(|number| Entry::new(label, &format_count(number)));
    let time_entry = |label: &str, time: Option<Time>| time.map(|time| Entry::new(label, &time.to_string()));
    let entries = [
        text_entry("Embed URL", promotable.embed_url.as_ref()),
        text_entry("Region", promotable.region_restriction.as_ref()),
        number_entry("1st viewers", promotable.first_statistic_viewers),
        number_entry("Avg. viewers", promotable.average_viewers),
        time_entry("Active since", promotable.supported_at),
        time_entry("Active until", promotable.supported_until),
    ];
    entries.into_iter().flatten().collect()
}

fn customer_entries(order: &Order) -> Vec<Entry> {
    let user = &order.row.user;
    let mut entries = vec![
        Entry::new("Name", &format!("{} (customer {})", user.name, user.id)),
        Entry::new("Email", &user.email),
        Entry::new("Balance", &format!("{}, spent {}", format_money(user.balance), format_money(user.spent))),
    ];
    if let Some(name) = &user.telegram_username {
        entries.push(Entry::new("Telegram", &format!("@{name}")));
    }
    entries
}

/// The price, its modifications, the payments and the refunds.
fn money_entries(order: &Order) -> Vec<Entry> {
    let row = &order.row;
    let unit = format!("{} per {}", format_money(row.price), format_count(order.pricing_per));
    let mut entries = vec![Entry::new("Price", &unit)];
    for modification in &order.price_modifications {
        let mut amounts = format!(
            "{} to {}",
            format_money(modification.cost_before),
            format_money(modification.cost_after)
        );
        if modification.is_speedup {
            amounts.push_str(", for speedup");
        }
        if modification.has_countries {
            amounts.push_str(", by country");
        }
        entries
            .push(Entry::new(&capitalize(&modification.kind), &format!("{}: {amounts}", modification.name)));
    }
    entries.push(Entry::new("Cost", &format_money(row.cost)).tone(Tone::Strong));
    for payment in &order.order_balance_payments {
        entries.push(Entry::new(
            "Paid",
            &format!("{} from {}", format_money(payment.amount), balance_name(payment.balance_type)),
        ));
    }
    for refund in order.refund_payments.iter().rev() {
        let refunded_by = refund.admin.as_ref().map_or("the system", |admin| admin.name.as_str());
        let line = format!(
            "{} to {} by {refunded_by}, {}",
            format_money(refund.amount),
            balance_name(refund.kind),
            refund.created_at
        );
        entries.push(Entry::new("Refunded", &line));
    }
    if order.provider_cost != Money::ZERO {
        entries.push(Entry::new("Our cost", &format_money(order.provider_cost)));
    }
    if row.actions.cancelable {
        entries.push(Entry::new(
            "If canceled",
            &format!("{} would be refunded", format_money(order.refund_amount)),
        ));
    }
    entries
}

fn balance_name(kind: BalanceType) -> String {
    format!("{kind} balance")
}

fn attempt_entries(order: &Order) -> Vec<Entry> {
    let mut entries = Vec::new();
    for attempt in &order.external_panel_orders {
        let remaining =
            attempt.remains.map_or(String::new(), |remains| format!(", {} left", format_count(remains)));
        let line = format!(
            "{}, {} ordered{remaining}, charged {}",
            attempt.status,
            format_count(attempt.initial_quantity),
            format_money(attempt.charge)
        );
        entries.push(Entry::new(&attempt.provider.name, &line));
        if let Some(error) = &attempt.last_error {
            entries.push(Entry::new("", error).tone(Tone::Error));
        }
        if !attempt.not_forwarded.is_empty() {
            let names = attempt.not_forwarded.join(", ");
            entries.push(Entry::new("Not forwarded", &names).tone(Tone::Warning));
        }
    }
    if entries.is_empty() {
        let names: Vec<&str> = order.providers.iter().map(|provider| provider.name.as_str()).collect();
        let candidates = if names.is_empty() { "none".to_owned() } else { names.join(", ") };
        entries.push(Entry::new("Candidates", &candidates));
    }
    entries
}

fn comment_entries(order: &Order) -> Vec<Entry> {
    order.row.comment.iter().map(|comment| Entry::new("", comment)).collect()
}
