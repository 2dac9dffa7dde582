//! Withdrawals as a source of a queue: rows, columns, filter fields and record details.
//!
//! Every text of a customer is sanitized here, before any other module uses it.

use panel_contract::lists;
use panel_contract::withdrawals::Withdrawal;

use crate::model::contract_list::{ColumnLayout, ContractList};
use crate::model::detail::{Detail, Entry, Section};
use crate::model::row::RecordRow;
use crate::text::{format_money, sanitize};
use crate::theme::Tone;

/// The columns of withdrawals; all other fields are hidden by default.
pub static WITHDRAWALS: ContractList<Withdrawal> = ContractList::new(
    &lists::withdrawals::WITHDRAWALS,
    &[
        ColumnLayout::of("id", 0).min_width(7),
        ColumnLayout::of("created_at", 4).heading("AGE"),
        ColumnLayout::of("status", 2).min_width(9),
        ColumnLayout::of("amount", 1).min_width(11),
        ColumnLayout::of("withdrawal_method.name", 5).min_width(10).grow(1),
        ColumnLayout::of("account_number", 3).grow(3),
        ColumnLayout::of("user.email", 6),
        ColumnLayout::of("user_comment", 7).min_width(16),
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

#[must_use]
pub fn row(withdrawal: &Withdrawal) -> RecordRow {
    RecordRow {
        id: withdrawal.id.record(),
        since: withdrawal.created_at,
        amount: withdrawal.amount,
        state: withdrawal.status.to_string(),
        allowed: withdrawal.actions.into(),
        cells: WITHDRAWALS.cells(withdrawal),
        left_queue: false,
    }
}

/// The sections of a withdrawal.
#[must_use]
pub fn detail(withdrawal: &Withdrawal) -> Detail {
    let sections = vec![
        Section::new("", about(withdrawal)),
        Section::new(
            "Customer",
            vec![
                Entry::of("Name", &format!("{} (customer {})", withdrawal.user.name, withdrawal.user.id)),
                Entry::of("Email", &withdrawal.user.email),
            ],
        ),
        Section::new(
            "Comment",
            withdrawal.user_comment.iter().map(|comment| Entry::of("", comment)).collect(),
        ),
    ];
    Detail {
        id: withdrawal.id.record(),
        title: sanitize(&format!("Withdrawal {}", withdrawal.id)),
        row: row(withdrawal),
        sections: sections.into_iter().filter(|section| !section.entries.is_empty()).collect(),
    }
}

fn about(withdrawal: &Withdrawal) -> Vec<Entry> {
    let from = format!("{} from the {} balance", format_money(withdrawal.amount), withdrawal.balance_type);
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
