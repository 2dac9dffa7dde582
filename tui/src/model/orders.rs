//! Orders as a source of queues: rows from the contract's, columns, filters, and the detail as sections.
//!
//! Everything a stranger typed is cleaned here, once, before anything else sees it.

use panel_contract::amount::Money;
use panel_contract::lists;
use panel_contract::moment::Time;
use panel_contract::orders::{Approval, CountSource, Order, OrderRow, RefillStatistic};
use panel_contract::payments::BalanceType;

use crate::model::columns::Cell;
use crate::model::detail::{Detail, Entry, Section};
use crate::model::listed::{Listed, Place};
use crate::model::row::Row;
use crate::text::{capital, clean, count, money};
use crate::theme::Tone;

/// How orders are drawn; every other field of a row is a column on request.
pub static ORDERS: Listed<OrderRow> = Listed::new(
    &lists::orders::ORDERS,
    &[
        Place::of("id", 0),
        Place::of("created_at", 2).head("AGE"),
        Place::of("service.name", 3).least(18).grow(3).cell(|order: &OrderRow| text(&order.name)),
        Place::of("quantity", 5).head("QTY"),
        Place::of("cost", 1),
        Place::of("user.email", 4),
        Place::of("status", 6).least(13).hidden().cell(|order: &OrderRow| Cell::Text(state(order))),
        Place::of("percent_of_current_fill", 7).head("FILL").hidden(),
        Place::of("user.balance", 8).head("BALANCE").least(12).hidden(),
        Place::of("user.spent", 9).head("SPENT").least(12).hidden(),
        Place::of("source", 10).hidden(),
        Place::of("url", 11).least(20).grow(3).hidden(),
        Place::of("comment", 12).hidden(),
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
    Cell::Text(clean(typed))
}

fn state(order: &OrderRow) -> String {
    let word = order.status.as_str().replace('_', " ");
    if order.approval == Some(Approval::Rejected) { format!("{word}, rejected") } else { word }
}

/// A row of the list.
#[must_use]
pub fn row(order: &OrderRow) -> Row {
    Row {
        id: order.id.record(),
        since: order.created_at,
        amount: order.cost,
        state: state(order),
        // An unpaid order that is activated is charged, and nothing takes that back.
        allowed: order.actions.into(),
        cells: ORDERS.cells(order),
        left: false,
    }
}

/// Everything about one order, as sections.
#[must_use]
pub fn detail(order: &Order) -> Detail {
    let sections = vec![
        about(order),
        Section::new("Customer", customer(order)),
        Section::new("Money", timeline(order)),
        Section::new("Attempts at providers", attempts(order)),
        Section::new("Refills", refills(order)),
        Section::new("Promoted", promoted(order)),
        Section::new("Comment", comment(order)),
    ];
    Detail {
        id: order.row.id.record(),
        title: clean(&format!("Order {}", order.row.id)),
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
        Entry::of("Placed", &format!("{} by {}", row.created_at, row.source)),
        Entry::of("Ordered", &format!("{}, delivered {}", count(row.quantity), count(row.current_quantity))),
    ];
    if let Some(reason) = order.cancel_reason {
        let words = order.cancel_description.as_deref().unwrap_or_default();
        entries.push(Entry::of("Canceled", &format!("{} {words}", reason.as_str().replace('_', " "))));
    }
    if row.has_no_active_providers {
        entries.push(Entry::of("Providers", "none of the service's providers is active").tone(Tone::Warn));
    }
    for value in &order.targetable_values {
        entries.push(Entry::of(&value.name, &value.value));
    }
    entries.extend(facts(order));
    Section::new("", entries)
}

/// What is known of an order beside what its customer answered.
fn facts(order: &Order) -> Vec<Entry> {
    let mut entries = Vec::new();
    let mut add = |label: &str, text: Option<String>| {
        entries.extend(text.filter(|text| !text.is_empty()).map(|text| Entry::of(label, &text)));
    };
    // Most orders are paid, and what paid them stands under Money.
    add("Paid", (!order.row.is_paid).then(|| "no".to_owned()));
    add("Keyword", order.keyword.clone());
    add("SEO keyword", order.seo_keyword.clone());
    add("Countries", Some(order.countries.join(", ")));
    add("Child panel's id", order.child_id.map(|id| id.to_string()));
    add("For full fill", order.quantity_for_full_fill.map(count));
    entries
}

/// What the counter showed before and after the refills.
fn refills(order: &Order) -> Vec<Entry> {
    let look = |label: &str, look: Option<&RefillStatistic>| {
        look.map(|look| Entry::of(label, &format!("{} at {}", count(look.quantity), look.date)))
    };
    let quantity = order.refill_quantity.map(|quantity| Entry::of("To refill next", &count(quantity)));
    let looks =
        [look("First count", order.refill.first.as_ref()), look("Last count", order.refill.last.as_ref())];
    let lost = order.refill.source.map(|source| {
        let by = if source == CountSource::Counter { "the counter" } else { "the panel" };
        Entry::of("Lost", &format!("{}, counted by {by}", count(order.refill.drop_quantity)))
    });
    quantity.into_iter().chain(looks.into_iter().flatten()).chain(lost).collect()
}

fn promoted(order: &Order) -> Vec<Entry> {
    let seen = &order.promotable;
    let text = |label: &str, text: Option<&String>| text.map(|text| Entry::of(label, text));
    let number = |label: &str, number: Option<i64>| number.map(|number| Entry::of(label, &count(number)));
    let time = |label: &str, time: Option<Time>| time.map(|time| Entry::of(label, &time.to_string()));
    let entries = [
        text("Embedded at", seen.embed_url.as_ref()),
        text("Region restriction", seen.region_restriction.as_ref()),
        number("Viewers at first", seen.first_statistic_viewers),
        number("Viewers on average", seen.average_viewers),
        time("Supported since", seen.supported_at),
        time("Supported until", seen.supported_until),
    ];
    entries.into_iter().flatten().collect()
}

fn customer(order: &Order) -> Vec<Entry> {
    let user = &order.row.user;
    let mut entries = vec![
        Entry::of("Name", &format!("{} (user {})", user.name, user.id)),
        Entry::of("E-mail", &user.email),
        Entry::of("Balance", &format!("{}, spent {}", money(user.balance), money(user.spent))),
    ];
    if let Some(name) = &user.telegram_username {
        entries.push(Entry::of("Telegram", &format!("@{name}")));
    }
    entries
}

/// How the cost came about, what paid it, what went back.
fn timeline(order: &Order) -> Vec<Entry> {
    let row = &order.row;
    let unit = format!("{} per {}", money(row.price), count(order.pricing_per));
    let mut entries = vec![Entry::of("Price", &unit)];
    for change in &order.price_modifications {
        let mut amounts = format!("{} to {}", money(change.cost_before), money(change.cost_after));
        if change.is_speedup {
            amounts.push_str(", for speed");
        }
        if change.has_countries {
            amounts.push_str(", by country");
        }
        entries.push(Entry::of(&capital(&change.kind), &format!("{}: {amounts}", change.name)));
    }
    entries.push(Entry::of("Cost", &money(row.cost)).tone(Tone::Strong));
    for payment in &order.order_balance_payments {
        entries.push(Entry::of(
            "Paid",
            &format!("{} from {}", money(payment.amount), balance(payment.balance_type)),
        ));
    }
    for refund in order.refund_payments.iter().rev() {
        let by = refund.admin.as_ref().map_or("the system", |admin| admin.name.as_str());
        let line =
            format!("{} to {} by {by}, {}", money(refund.amount), balance(refund.kind), refund.created_at);
        entries.push(Entry::of("Returned", &line));
    }
    if order.provider_cost != Money::ZERO {
        entries.push(Entry::of("Providers", &money(order.provider_cost)));
    }
    if row.actions.cancelable {
        entries.push(Entry::of("If canceled", &format!("{} would go back", money(order.refund_amount))));
    }
    entries
}

fn balance(kind: BalanceType) -> String {
    format!("{kind} balance")
}

fn attempts(order: &Order) -> Vec<Entry> {
    let mut entries = Vec::new();
    for attempt in &order.external_panel_orders {
        let delivered = attempt.remains.map_or(String::new(), |left| format!(", {} left", count(left)));
        let line = format!(
            "{} of {}{delivered}, charged {}",
            attempt.status,
            count(attempt.initial_quantity),
            money(attempt.charge)
        );
        entries.push(Entry::of(&attempt.provider.name, &line));
        if let Some(error) = &attempt.last_error {
            entries.push(Entry::of("", error).tone(Tone::Bad));
        }
        if !attempt.not_forwarded.is_empty() {
            let names = attempt.not_forwarded.join(", ");
            entries.push(Entry::of("Not forwarded", &names).tone(Tone::Warn));
        }
    }
    if entries.is_empty() {
        let names: Vec<&str> = order.providers.iter().map(|provider| provider.name.as_str()).collect();
        let known = if names.is_empty() { "none".to_owned() } else { names.join(", ") };
        entries.push(Entry::of("Would go to", &known));
    }
    entries
}

fn comment(order: &Order) -> Vec<Entry> {
    order.row.comment.iter().map(|comment| Entry::of("", comment)).collect()
}
