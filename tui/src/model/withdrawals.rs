//! Withdrawals as a source of a queue: rows, columns, filter fields and record details.
//!
//! This module sanitizes every text of a customer before any other module uses it.

use panel_contract::lists;
use panel_contract::withdrawals::Withdrawal;

use crate::model::contract_list::{ColumnLayout, ContractList};
use crate::model::detail::{Detail, Entry, Section};
use crate::model::row::RecordRow;
use crate::text::{format_money, sanitize};
use crate::theme::Tone;

/// The columns of withdrawals. All other fields are hidden by default.
pub static WITHDRAWALS: ContractList<Withdrawal> = ContractList::new(
    &lists::withdrawals::WITHDRAWALS,
    &[
        ColumnLayout::new("id", 0).min_width(7),
        ColumnLayout::new("created_at", 4).heading("AGE"),
        ColumnLayout::new("status", 2).min_width(9),
        ColumnLayout::new("amount", 1).min_width(11),
        ColumnLayout::new("withdrawal_method.name", 5).min_width(10).grow(1),
        ColumnLayout::new("account_number", 3).grow(3),
        ColumnLayout::new("user.email", 6),
        ColumnLayout::new("user_comment", 7).min_width(16),
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
pub fn to_row(withdrawal: &Withdrawal) -> RecordRow {
    RecordRow {
        id: withdrawal.id.as_record_id(),
        queued_at: withdrawal.created_at,
        amount: withdrawal.amount,
        status_text: withdrawal.status.to_string(),
        allowed_actions: withdrawal.actions.into(),
        cells: WITHDRAWALS.cells(withdrawal),
        has_left_queue: false,
    }
}

/// Converts a withdrawal to the sections of its record pane.
#[must_use]
pub fn to_detail(withdrawal: &Withdrawal) -> Detail {
    let sections = vec![
        Section::new("", about_entries(withdrawal)),
        Section::new(
            "Customer",
            vec![
                Entry::new("Name", &format!("{} (customer {})", withdrawal.user.name, withdrawal.user.id)),
                Entry::new("Email", &withdrawal.user.email),
            ],
        ),
        Section::new(
            "Comment",
            withdrawal.user_comment.iter().map(|comment| Entry::new("", comment)).collect(),
        ),
    ];
    Detail {
        id: withdrawal.id.as_record_id(),
        title: sanitize(&format!("Withdrawal {}", withdrawal.id)),
        row: to_row(withdrawal),
        sections: sections.into_iter().filter(|section| !section.entries.is_empty()).collect(),
    }
}

fn about_entries(withdrawal: &Withdrawal) -> Vec<Entry> {
    let amount = format!("{} from the {} balance", format_money(withdrawal.amount), withdrawal.balance_type);
    let mut entries = vec![
        Entry::new("Amount", &amount).tone(Tone::Strong),
        Entry::new("Method", withdrawal.withdrawal_method.as_ref().map_or("–", |method| &method.name)),
        Entry::new("Account", &withdrawal.account_number),
        Entry::new("Status", withdrawal.status.as_str()),
        Entry::new("Requested", &withdrawal.created_at.to_string()),
    ];
    let times = [
        ("Approved", withdrawal.approved_at),
        ("Paid", withdrawal.paid_at),
        ("Rejected", withdrawal.rejected_at),
    ];
    for (label, time) in times {
        entries.extend(time.map(|time| Entry::new(label, &time.to_string())));
    }
    entries.extend(withdrawal.transaction_id.iter().map(|id| Entry::new("Transaction", id)));
    entries.extend(withdrawal.admin_note.iter().map(|note| Entry::new("Reason", note)));
    entries
}
