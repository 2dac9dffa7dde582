//! Withdrawals as a source of a queue: rows from the contract's, columns, filters, and the detail as sections.
//!
//! Everything a stranger typed is cleaned here, once, before anything else sees it.

use panel_contract::payments::BalanceType;
use panel_contract::withdrawals::{Withdrawal, WithdrawalStatus};

use crate::model::columns::{Cell, Column};
use crate::model::detail::{Detail, Entry, Section};
use crate::model::filter::{Field, Kind};
use crate::model::row::Row;
use crate::text::{Align, clean, money};
use crate::theme::Tone;

/// A column with where its cell comes from.
#[derive(Debug)]
pub struct Shown {
    /// The column.
    pub column: Column,
    cell: fn(&Withdrawal) -> Cell,
}

/// The columns of withdrawals; the first is always shown.
pub static COLUMNS: &[Shown] = &[
    column("ID", 7, 0, Align::Right, 0, "id", |row| Cell::Text(row.id.to_string())),
    column("AGE", 4, 0, Align::Right, 4, "created_at", |row| Cell::Age(row.created_at)),
    column("STATUS", 9, 0, Align::Left, 2, "status", |row| text(row.status.as_str())),
    column("AMOUNT", 11, 0, Align::Right, 1, "amount", |row| Cell::Money(row.amount)),
    column("METHOD", 10, 1, Align::Left, 5, "withdrawal_method.name", |row| {
        text(row.withdrawal_method.as_ref().map_or("", |method| &method.name))
    }),
    column("ACCOUNT", 14, 3, Align::Left, 3, "account_number", |row| text(&row.account_number)),
    column("USER", 14, 2, Align::Left, 6, "user.email", |row| text(&row.user.email)),
    column("COMMENT", 16, 2, Align::Left, 7, "user_comment", |row| {
        text(row.user_comment.as_deref().unwrap_or(""))
    }),
];

const fn column(
    title: &'static str,
    least: u16,
    grow: u16,
    align: Align,
    rank: u8,
    sort: &'static str,
    cell: fn(&Withdrawal) -> Cell,
) -> Shown {
    Shown { column: Column { title, least, grow, align, rank, shown: true, sort }, cell }
}

/// What the filter prompt knows of withdrawals, by the names of the API.
pub const FIELDS: &[Field] = &[
    Field::new(
        "status",
        &[],
        Kind::Word(|| WithdrawalStatus::ALL.iter().map(|word| word.as_str()).collect()),
    ),
    Field::new("amount", &[], Kind::Money),
    Field::new("user", &["customer"], Kind::Text),
    Field::new("account_number", &["account"], Kind::Text),
    Field::new("withdrawal_method", &["method"], Kind::Text),
    Field::new("id", &["withdrawal"], Kind::Number),
    Field::new("created_at", &["created", "date"], Kind::Time),
    Field::new("transaction_id", &["transaction"], Kind::Text),
    Field::new(
        "balance_type",
        &["balance"],
        Kind::Word(|| BalanceType::ALL.iter().map(|word| word.as_str()).collect()),
    ),
    Field::new("user.id", &["user_id"], Kind::Number),
    Field::new("user.email", &["email"], Kind::Text),
    Field::new("user_comment", &["comment"], Kind::Text),
    Field::new("admin_note", &["note", "reason"], Kind::Text),
    Field::new("paid_at", &["paid"], Kind::Time),
];

fn text(typed: &str) -> Cell {
    Cell::Text(clean(typed))
}

/// A row of the list.
#[must_use]
pub fn row(withdrawal: &Withdrawal) -> Row {
    Row {
        id: withdrawal.id,
        since: withdrawal.created_at,
        amount: withdrawal.amount,
        state: withdrawal.status.to_string(),
        allowed: withdrawal.actions.into(),
        cells: COLUMNS.iter().map(|shown| (shown.cell)(withdrawal)).collect(),
        left: false,
    }
}

/// Everything about one withdrawal, as sections.
#[must_use]
pub fn detail(withdrawal: &Withdrawal) -> Detail {
    let sections = vec![
        Section::new("", about(withdrawal)),
        Section::new(
            "Customer",
            vec![
                Entry::of("Name", &format!("{} (user {})", withdrawal.user.name, withdrawal.user.id)),
                Entry::of("E-mail", &withdrawal.user.email),
            ],
        ),
        Section::new(
            "Comment",
            withdrawal.user_comment.iter().map(|comment| Entry::of("", comment)).collect(),
        ),
    ];
    Detail {
        id: withdrawal.id,
        title: clean(&format!("Withdrawal {}", withdrawal.id)),
        row: row(withdrawal),
        sections: sections.into_iter().filter(|section| !section.entries.is_empty()).collect(),
    }
}

fn about(withdrawal: &Withdrawal) -> Vec<Entry> {
    let from = format!("{} from the {} balance", money(withdrawal.amount), withdrawal.balance_type);
    let mut entries = vec![
        Entry::of("Amount", &from).tone(Tone::Strong),
        Entry::of("Method", withdrawal.withdrawal_method.as_ref().map_or("–", |method| &method.name)),
        Entry::of("Account", &withdrawal.account_number),
        Entry::of("Status", withdrawal.status.as_str()),
        Entry::of("Requested", &withdrawal.created_at.to_string()),
    ];
    let moments = [
        ("Approved", withdrawal.approved_at),
        ("Paid", withdrawal.paid_at),
        ("Rejected", withdrawal.rejected_at),
    ];
    for (label, at) in moments {
        entries.extend(at.map(|at| Entry::of(label, &at.to_string())));
    }
    entries.extend(withdrawal.transaction_id.iter().map(|id| Entry::of("Transaction", id)));
    entries.extend(withdrawal.admin_note.iter().map(|note| Entry::of("Reason", note)));
    entries
}
