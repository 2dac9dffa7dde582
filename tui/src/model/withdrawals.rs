//! Withdrawals as a source of a queue: rows from the contract's, columns, filters, and the detail as sections.
//!
//! Everything a stranger typed is cleaned here, once, before anything else sees it.

use panel_contract::lists;
use panel_contract::withdrawals::Withdrawal;

use crate::model::detail::{Detail, Entry, Section};
use crate::model::listed::{Listed, Place};
use crate::model::row::Row;
use crate::text::{clean, money};
use crate::theme::Tone;

/// How withdrawals are drawn; every other field of a row is a column on request.
pub static WITHDRAWALS: Listed<Withdrawal> = Listed::new(
    &lists::withdrawals::WITHDRAWALS,
    &[
        Place::of("id", 0).least(7),
        Place::of("created_at", 4).head("AGE"),
        Place::of("status", 2).least(9),
        Place::of("amount", 1).least(11),
        Place::of("withdrawal_method.name", 5).least(10).grow(1),
        Place::of("account_number", 3).grow(3),
        Place::of("user.email", 6),
        Place::of("user_comment", 7).least(16),
    ],
    &[
        ("status", &[]),
        ("amount", &[]),
        ("user", &["customer"]),
        ("account_number", &["account"]),
        ("withdrawal_method", &["method"]),
        ("id", &["withdrawal"]),
        ("created_at", &["created", "date"]),
        ("transaction_id", &["transaction"]),
        ("balance_type", &["balance"]),
        ("user.id", &["user_id"]),
        ("user.email", &["email"]),
        ("user_comment", &["comment"]),
        ("admin_note", &["note", "reason"]),
        ("paid_at", &["paid"]),
    ],
);

/// A row of the list.
#[must_use]
pub fn row(withdrawal: &Withdrawal) -> Row {
    Row {
        id: withdrawal.id.record(),
        since: withdrawal.created_at,
        amount: withdrawal.amount,
        state: withdrawal.status.to_string(),
        allowed: withdrawal.actions.into(),
        cells: WITHDRAWALS.cells(withdrawal),
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
        id: withdrawal.id.record(),
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
