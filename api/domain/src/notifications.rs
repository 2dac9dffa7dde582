//! Notifications to staff: the audit events that cause a notification, its recipients, and its texts. Pure functions.

use std::fmt::Write as _;

use panel_contract::ids::RecordId;
use panel_contract::notifications::{NotificationAudience, NotificationKind};
use panel_contract::permission::Permission;
use serde_json::Value;

/// Maximum number of records that one email lists.
const MAX_LISTED: usize = 20;

/// A notification about one or several records.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StaffNotification {
    pub kind: NotificationKind,
    /// The records, each with an amount of money if the kind has one.
    pub records: Vec<(RecordId, Option<String>)>,
}

/// The notifications that an audit event causes. `changes` holds the new values of each changed record.
#[must_use]
pub fn notifications_for_event(event: &str, changes: &[(RecordId, &Value)]) -> Vec<StaffNotification> {
    let notification = |kind, applies: fn(&Value) -> bool| {
        let matching_changes = changes.iter().filter(|(_, new)| applies(new));
        let records: Vec<_> = matching_changes.map(|(id, new)| (*id, find_amount(new))).collect();
        StaffNotification { kind, records }
    };
    let notifications = match event {
        "order.placed" | "order.activated" | "order.approved" => vec![
            notification(NotificationKind::OrderInModeration, |new| new["status"] == "in_moderation"),
            notification(NotificationKind::OrderWithoutProvider, |new| {
                new["has_no_active_providers"] == true
            }),
        ],
        "order.left_without_provider" => vec![notification(NotificationKind::OrderWithoutProvider, |_| true)],
        "order.attempt_unknown" => vec![notification(NotificationKind::OrderAttemptUnknown, |_| true)],
        "cancel_request.escalated" => vec![notification(NotificationKind::CancelRequestWaiting, |_| true)],
        "withdrawal.requested" => vec![notification(NotificationKind::WithdrawalRequested, |_| true)],
        "withdrawal.paid" => vec![notification(NotificationKind::WithdrawalPaid, |_| true)],
        "invoice.paid" => vec![notification(NotificationKind::InvoicePaid, |_| true)],
        "free_trial.requested" => vec![notification(NotificationKind::FreeTrialRequested, |_| true)],
        "external_panel.low_balance" => {
            vec![notification(NotificationKind::ExternalPanelBalanceLow, |_| true)]
        }
        "subscription.feed_failing" => {
            vec![notification(NotificationKind::SubscriptionFeedFailing, |_| true)]
        }
        "subscription.paused" => vec![notification(NotificationKind::SubscriptionPaused, |_| true)],
        "backup.overdue" => vec![notification(NotificationKind::BackupOverdue, |_| true)],
        "verification_document.added" => {
            vec![notification(NotificationKind::VerificationDocumentAdded, |_| true)]
        }
        _ => Vec::new(),
    };
    notifications.into_iter().filter(|notification| !notification.records.is_empty()).collect()
}

/// The amount in the first field that can hold the amount of the record.
fn find_amount(new: &Value) -> Option<String> {
    let amount =
        ["paid_amount", "amount", "cost", "charged", "balance"].iter().find_map(|field| new[*field].as_str());
    amount.map(str::to_owned)
}

/// The group of staff members who receive notifications of a kind.
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

/// The permission that a recipient needs, which is the permission to view the record.
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

/// The first sentence of the notification.
#[must_use]
pub const fn description(kind: NotificationKind) -> &'static str {
    match kind {
        NotificationKind::OrderInModeration => "An order waits for moderation.",
        NotificationKind::OrderWithoutProvider => "An order has no active provider.",
        NotificationKind::OrderAttemptUnknown => {
            "It is unknown whether an external panel accepted an order. Check the panel and decide."
        }
        NotificationKind::CancelRequestWaiting => "A cancel request of a customer waits for your decision.",
        NotificationKind::WithdrawalRequested => "A customer requested a withdrawal.",
        NotificationKind::WithdrawalPaid => "A withdrawal was marked as paid.",
        NotificationKind::InvoicePaid => "An invoice was paid.",
        NotificationKind::FreeTrialRequested => "A customer requested a free trial.",
        NotificationKind::VerificationDocumentAdded => "A verification document was added to a customer.",
        NotificationKind::BackupOverdue => "The last backup is older than twice the configured interval.",
        NotificationKind::ExternalPanelBalanceLow => "Our balance at an external panel is low.",
        NotificationKind::SubscriptionFeedFailing => {
            "The channel of a subscription could not be read for a day."
        }
        NotificationKind::SubscriptionPaused => "A subscription is paused: it could not be renewed.",
    }
}

/// The path of the record's page in the console.
fn console_path(kind: NotificationKind, id: RecordId) -> String {
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

/// The subject of the email.
#[must_use]
pub fn email_subject(panel_name: &str, notification: &StaffNotification) -> String {
    let sentence = description(notification.kind).trim_end_matches('.');
    match notification.records.len() {
        1 => format!("{panel_name}: {sentence}"),
        count => format!("{panel_name}: {sentence} ({count})"),
    }
}

/// The body of the email, in plain text. `console_url` is the address of the console. `with_amounts` adds the amounts, and requires
/// that all recipients may see them.
#[must_use]
pub fn email_text(console_url: &str, notification: &StaffNotification, with_amounts: bool) -> String {
    let mut text = format!("{}\n", description(notification.kind));
    for (id, amount) in notification.records.iter().take(MAX_LISTED) {
        let amount = amount.as_deref().filter(|_| with_amounts).map(|amount| format!(" ({amount})"));
        // Writing to a `String` never fails.
        let _ = match id.get() {
            // The id 0 means that the notification is about the whole panel.
            0 => write!(text, "\n{console_url}{}", console_path(notification.kind, *id)),
            _ => write!(
                text,
                "\n{id}{}: {console_url}{}",
                amount.unwrap_or_default(),
                console_path(notification.kind, *id)
            ),
        };
    }
    let omitted_count = notification.records.len().saturating_sub(MAX_LISTED);
    if omitted_count > 0 {
        let _ = write!(text, "\nand {omitted_count} more.");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn maps_events_to_notifications() {
        let kinds = |event: &str, new: Value| {
            notifications_for_event(event, &[(RecordId::new(7), &new)])
                .into_iter()
                .map(|notification| notification.kind)
                .collect::<Vec<_>>()
        };
        assert_eq!(
            kinds("order.placed", json!({ "status": "in_moderation" })),
            [NotificationKind::OrderInModeration]
        );
        assert_eq!(kinds("order.placed", json!({ "status": "in_processing" })), []);
        let without_provider = json!({ "status": "in_processing", "has_no_active_providers": true });
        assert_eq!(kinds("order.placed", without_provider), [NotificationKind::OrderWithoutProvider]);
        for event in ["order.activated", "order.approved"] {
            let without_provider = json!({ "status": "in_processing", "has_no_active_providers": true });
            assert_eq!(kinds(event, without_provider), [NotificationKind::OrderWithoutProvider], "{event}");
        }
        let in_moderation = json!({ "status": "in_moderation", "charged": "10" });
        assert_eq!(kinds("order.activated", in_moderation), [NotificationKind::OrderInModeration]);
        assert_eq!(kinds("order.activated", json!({ "status": "in_processing" })), []);
        assert_eq!(kinds("order.left_without_provider", json!({})), [NotificationKind::OrderWithoutProvider]);
        assert_eq!(kinds("order.attempt_unknown", json!({})), [NotificationKind::OrderAttemptUnknown]);
        assert_eq!(kinds("cancel_request.escalated", json!({})), [NotificationKind::CancelRequestWaiting]);
        assert_eq!(kinds("withdrawal.requested", json!({})), [NotificationKind::WithdrawalRequested]);
        assert_eq!(kinds("withdrawal.rejected", json!({})), []);
        assert_eq!(kinds("service.updated", json!({})), []);
    }

    #[test]
    fn an_email_lists_the_first_records_and_counts_the_others() {
        let records = (1..=25).map(|id| (RecordId::new(id), Some("5".to_owned()))).collect();
        let notification = StaffNotification { kind: NotificationKind::WithdrawalPaid, records };
        assert_eq!(email_subject("Shop", &notification), "Shop: A withdrawal was marked as paid (25)");
        let email = email_text("https://panel.example", &notification, true);
        assert!(email.contains("\n1 (5): https://panel.example/withdrawal?id=1\n"), "{email}");
        assert!(email.ends_with("and 5 more."), "{email}");
        assert!(!email_text("https://panel.example", &notification, false).contains("(5)"));
    }

    #[test]
    fn every_kind_has_a_sentence_and_a_path() {
        for kind in NotificationKind::ALL {
            assert!(description(*kind).ends_with('.'));
            assert!(console_path(*kind, RecordId::new(1)).starts_with('/'));
        }
    }
}
