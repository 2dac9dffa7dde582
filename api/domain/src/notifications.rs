//! What the panel tells its staff of, and in which words. Pure.

use std::fmt::Write as _;

use panel_contract::ids::RecordId;
use panel_contract::notifications::{NotificationAudience, NotificationKind};
use panel_contract::permission::Permission;
use serde_json::Value;

/// Records that one letter names.
const NAMED: usize = 20;

/// What happened to some records.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct News {
    /// What it is.
    pub kind: NotificationKind,
    /// Which records, with their amount where they have one.
    pub records: Vec<(RecordId, Option<String>)>,
}

/// What an event of the audit trail is news of, by each record's new values.
#[must_use]
pub fn news(event: &str, changes: &[(RecordId, &Value)]) -> Vec<News> {
    let of = |kind, is_news: fn(&Value) -> bool| {
        let records: Vec<_> =
            changes.iter().filter(|(_, new)| is_news(new)).map(|(id, new)| (*id, amount(new))).collect();
        News { kind, records }
    };
    let all = match event {
        "order.placed" | "order.activated" | "order.approved" => vec![
            of(NotificationKind::OrderInModeration, |new| new["status"] == "in_moderation"),
            of(NotificationKind::OrderWithoutProvider, |new| new["has_no_active_providers"] == true),
        ],
        "order.left_without_provider" => vec![of(NotificationKind::OrderWithoutProvider, |_| true)],
        "order.attempt_unknown" => vec![of(NotificationKind::OrderAttemptUnknown, |_| true)],
        "cancel_request.escalated" => vec![of(NotificationKind::CancelRequestWaiting, |_| true)],
        "withdrawal.requested" => vec![of(NotificationKind::WithdrawalRequested, |_| true)],
        "withdrawal.paid" => vec![of(NotificationKind::WithdrawalPaid, |_| true)],
        "invoice.paid" => vec![of(NotificationKind::InvoicePaid, |_| true)],
        "free_trial.requested" => vec![of(NotificationKind::FreeTrialRequested, |_| true)],
        "external_panel.low_balance" => vec![of(NotificationKind::ExternalPanelBalanceLow, |_| true)],
        "subscription.feed_failing" => vec![of(NotificationKind::SubscriptionFeedFailing, |_| true)],
        "subscription.paused" => vec![of(NotificationKind::SubscriptionPaused, |_| true)],
        "backup.overdue" => vec![of(NotificationKind::BackupOverdue, |_| true)],
        "verification_document.added" => vec![of(NotificationKind::VerificationDocumentAdded, |_| true)],
        _ => Vec::new(),
    };
    all.into_iter().filter(|news| !news.records.is_empty()).collect()
}

fn amount(new: &Value) -> Option<String> {
    let amount =
        ["paid_amount", "amount", "cost", "charged", "balance"].iter().find_map(|field| new[*field].as_str());
    amount.map(str::to_owned)
}

/// Whose list is told of a kind.
#[must_use]
pub const fn audience(kind: NotificationKind) -> NotificationAudience {
    match kind {
        NotificationKind::WithdrawalRequested
        | NotificationKind::WithdrawalPaid
        | NotificationKind::InvoicePaid
        | NotificationKind::BackupOverdue
        | NotificationKind::ExternalPanelBalanceLow => NotificationAudience::Admin,
        _ => NotificationAudience::Support,
    }
}

/// Who may be told of a kind: whoever could see the record itself.
#[must_use]
pub const fn permission(kind: NotificationKind) -> Permission {
    match kind {
        NotificationKind::OrderInModeration
        | NotificationKind::OrderWithoutProvider
        | NotificationKind::OrderAttemptUnknown
        | NotificationKind::CancelRequestWaiting
        | NotificationKind::SubscriptionFeedFailing
        | NotificationKind::SubscriptionPaused => Permission::ViewOrders,
        NotificationKind::WithdrawalRequested | NotificationKind::WithdrawalPaid => {
            Permission::ViewWithdrawals
        }
        NotificationKind::InvoicePaid => Permission::ViewInvoices,
        NotificationKind::FreeTrialRequested => Permission::ManageFreeTrials,
        NotificationKind::VerificationDocumentAdded => Permission::ViewUsers,
        NotificationKind::ExternalPanelBalanceLow => Permission::ManageExternalPanels,
        NotificationKind::BackupOverdue => Permission::ManagePanelSettings,
    }
}

/// A kind in words.
#[must_use]
pub const fn description(kind: NotificationKind) -> &'static str {
    match kind {
        NotificationKind::OrderInModeration => "An order waits for moderation.",
        NotificationKind::OrderWithoutProvider => "An order has no active provider.",
        NotificationKind::OrderAttemptUnknown => {
            "Whether an external panel took an order is not known; look there and decide."
        }
        NotificationKind::CancelRequestWaiting => "A cancel request of a customer waits for your decision.",
        NotificationKind::WithdrawalRequested => "A customer asks for a withdrawal.",
        NotificationKind::WithdrawalPaid => "A withdrawal was marked as paid.",
        NotificationKind::InvoicePaid => "An invoice was paid.",
        NotificationKind::FreeTrialRequested => "A customer asks for a free trial.",
        NotificationKind::VerificationDocumentAdded => "A verification document was added to a customer.",
        NotificationKind::BackupOverdue => "The last backup is older than twice the configured interval.",
        NotificationKind::ExternalPanelBalanceLow => "Our balance at an external panel is low.",
        NotificationKind::SubscriptionFeedFailing => {
            "The channel of a subscription could not be read for a day."
        }
        NotificationKind::SubscriptionPaused => "A subscription is paused: it could not be renewed.",
    }
}

/// Where the console shows a record of a kind.
fn place(kind: NotificationKind, id: RecordId) -> String {
    match kind {
        NotificationKind::OrderInModeration
        | NotificationKind::OrderWithoutProvider
        | NotificationKind::OrderAttemptUnknown => format!("/orders/{id}"),
        NotificationKind::CancelRequestWaiting => format!("/cancel-requests?id={id}"),
        NotificationKind::WithdrawalRequested | NotificationKind::WithdrawalPaid => {
            format!("/withdrawal?id={id}")
        }
        NotificationKind::InvoicePaid => format!("/invoices?id={id}"),
        NotificationKind::FreeTrialRequested => format!("/requests?id={id}"),
        NotificationKind::VerificationDocumentAdded => format!("/users/{id}/documents"),
        NotificationKind::ExternalPanelBalanceLow => format!("/external-panels/{id}"),
        NotificationKind::BackupOverdue => "/system-status".into(),
        NotificationKind::SubscriptionFeedFailing | NotificationKind::SubscriptionPaused => {
            format!("/subscriptions/{id}")
        }
    }
}

/// One line that names the panel.
#[must_use]
pub fn subject(panel: &str, news: &News) -> String {
    let what = description(news.kind).trim_end_matches('.');
    match news.records.len() {
        1 => format!("{panel}: {what}"),
        many => format!("{panel}: {what} ({many})"),
    }
}

/// What the letter says; amounts only `with_money`, where everybody who reads it may know them.
#[must_use]
pub fn text(address: &str, news: &News, with_money: bool) -> String {
    let mut text = format!("{}\n", description(news.kind));
    for (id, amount) in news.records.iter().take(NAMED) {
        let amount = amount.as_deref().filter(|_| with_money).map(|amount| format!(" ({amount})"));
        // Writing to a text never fails.
        let _ = match id.get() {
            // News of the panel as a whole.
            0 => write!(text, "\n{address}{}", place(news.kind, *id)),
            _ => write!(text, "\n{id}{}: {address}{}", amount.unwrap_or_default(), place(news.kind, *id)),
        };
    }
    let more = news.records.len().saturating_sub(NAMED);
    if more > 0 {
        let _ = write!(text, "\nand {more} more.");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn events_are_news_of_what_they_say() {
        let kinds = |event: &str, new: Value| {
            news(event, &[(RecordId::new(7), &new)]).into_iter().map(|news| news.kind).collect::<Vec<_>>()
        };
        assert_eq!(
            kinds("order.placed", json!({ "status": "in_moderation" })),
            [NotificationKind::OrderInModeration]
        );
        assert_eq!(kinds("order.placed", json!({ "status": "in_processing" })), []);
        let stuck = json!({ "status": "in_processing", "has_no_active_providers": true });
        assert_eq!(kinds("order.placed", stuck), [NotificationKind::OrderWithoutProvider]);
        for event in ["order.activated", "order.approved"] {
            let stuck = json!({ "status": "in_processing", "has_no_active_providers": true });
            assert_eq!(kinds(event, stuck), [NotificationKind::OrderWithoutProvider], "{event}");
        }
        let waits = json!({ "status": "in_moderation", "charged": "10" });
        assert_eq!(kinds("order.activated", waits), [NotificationKind::OrderInModeration]);
        assert_eq!(kinds("order.activated", json!({ "status": "in_processing" })), []);
        assert_eq!(kinds("order.left_without_provider", json!({})), [NotificationKind::OrderWithoutProvider]);
        assert_eq!(kinds("order.attempt_unknown", json!({})), [NotificationKind::OrderAttemptUnknown]);
        assert_eq!(kinds("cancel_request.escalated", json!({})), [NotificationKind::CancelRequestWaiting]);
        assert_eq!(kinds("withdrawal.requested", json!({})), [NotificationKind::WithdrawalRequested]);
        assert_eq!(kinds("withdrawal.rejected", json!({})), []);
        assert_eq!(kinds("service.updated", json!({})), []);
    }

    #[test]
    fn a_letter_names_some_and_counts_the_rest() {
        let records = (1..=25).map(|id| (RecordId::new(id), Some("5".to_owned()))).collect();
        let many = News { kind: NotificationKind::WithdrawalPaid, records };
        assert_eq!(subject("Shop", &many), "Shop: A withdrawal was marked as paid (25)");
        let letter = text("https://panel.example", &many, true);
        assert!(letter.contains("\n1 (5): https://panel.example/withdrawal?id=1\n"), "{letter}");
        assert!(letter.ends_with("and 5 more."), "{letter}");
        assert!(!text("https://panel.example", &many, false).contains("(5)"));
    }

    #[test]
    fn every_kind_has_its_words() {
        for kind in NotificationKind::ALL {
            assert!(description(*kind).ends_with('.'));
            assert!(place(*kind, RecordId::new(1)).starts_with('/'));
        }
    }
}
