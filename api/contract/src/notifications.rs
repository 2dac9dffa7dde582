//! Notifications as they cross the wire: of what the panel tells its staff, and whom.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::ids::UserId;
use crate::permission::Permission;

crate::words! {
    /// What the panel tells its staff of.
    NotificationKind {
        OrderInModeration = "order_in_moderation",
        WithdrawalRequested = "withdrawal_requested",
        WithdrawalPaid = "withdrawal_paid",
        InvoicePaid = "invoice_paid",
        FreeTrialRequested = "free_trial_requested",
        VerificationDocumentAdded = "verification_document_added",
        OrderWithoutProvider = "order_without_provider",
        ExternalPanelBalanceLow = "external_panel_balance_low",
        SubscriptionFeedFailing = "subscription_feed_failing",
        SubscriptionPaused = "subscription_paused",
        /// Whether an external panel took an order is not known after it was looked for.
        OrderAttemptUnknown = "order_attempt_unknown",
        /// A customer's cancel request waits for a decision of staff.
        CancelRequestWaiting = "cancel_request_waiting",
        /// The last backup is older than twice the configured interval.
        BackupOverdue = "backup_overdue",
    }
}

crate::words! {
    /// Who is told: the list of admins, or that of the support.
    NotificationAudience {
        Admin = "admin",
        Support = "support",
    }
}

/// One kind of notification.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct PanelNotification {
    /// What it tells of.
    pub notification: NotificationKind,
    /// In words.
    pub description: String,
    /// Whose list is told.
    pub audience: NotificationAudience,
    /// Only who holds it is told.
    pub permission: Permission,
    /// Whether anybody is told.
    pub is_enabled: bool,
}

/// Answer of `GET notifications` and `PUT notifications`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Notifications {
    /// Every kind there is.
    pub panel_notifications: Vec<PanelNotification>,
}

/// Body of `PUT notifications`: kinds that are left out stay.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct NotificationsInput {
    /// Which are on or off.
    pub panel_notifications: Vec<NotificationSwitch>,
}

/// One kind on or off. What `GET notifications` answers beside it may be sent back and says nothing.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct NotificationSwitch {
    /// What it tells of.
    pub notification: NotificationKind,
    /// As it was read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// As it was read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub audience: Option<NotificationAudience>,
    /// As it was read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub permission: Option<Permission>,
    /// Whether anybody is told.
    pub is_enabled: bool,
}

/// Somebody who is told.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Recipient {
    /// Their id.
    pub id: UserId,
    /// Their name.
    pub name: String,
    /// Where letters go.
    pub email: String,
    /// Kinds of this list that they may not be told of, as they lack the permission.
    pub withheld: Vec<NotificationKind>,
}

/// Answer of a list of who is told.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Recipients {
    /// By name.
    pub users: Vec<Recipient>,
}

/// Body of `PUT admin-notifications` and `PUT support-notifications`.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct RecipientsInput {
    /// All who shall be told: ids of staff.
    pub users: Vec<UserId>,
}

crate::wire!(Notifications, NotificationsInput, Recipients, RecipientsInput);
