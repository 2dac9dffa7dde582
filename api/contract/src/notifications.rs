//! Notifications on the wire: events that the panel notifies staff about, and the recipients.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::ids::UserId;
use crate::permission::Permission;

crate::string_enum! {
    /// Type of a notification to staff.
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
        /// The outcome of a placement attempt is still unknown after reconciliation.
        OrderAttemptUnknown = "order_attempt_unknown",
        /// A customer's cancel request waits for a decision of staff.
        CancelRequestWaiting = "cancel_request_waiting",
        /// The last backup is older than twice the configured interval.
        BackupOverdue = "backup_overdue",
    }
}

crate::string_enum! {
    /// List of recipients: admins or support.
    NotificationAudience {
        Admin = "admin",
        Support = "support",
    }
}

/// A notification type with its settings.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct PanelNotification {
    /// Type of the notification.
    pub notification: NotificationKind,
    /// English description of the event.
    pub description: String,
    /// List of recipients that gets the notification.
    pub audience: NotificationAudience,
    /// Permission that recipients need.
    pub permission: Permission,
    /// Whether the notification is enabled.
    pub is_enabled: bool,
}

/// Response of `GET notifications` and `PUT notifications`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Notifications {
    /// All notification types with their settings.
    pub panel_notifications: Vec<PanelNotification>,
}

/// Body of `PUT notifications`. Absent types keep their setting.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct NotificationsInput {
    /// Types to enable or disable.
    pub panel_notifications: Vec<NotificationSwitch>,
}

/// Enables or disables one type. The other fields of `GET notifications` may be sent back and are ignored.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct NotificationSwitch {
    /// Type of the notification.
    pub notification: NotificationKind,
    /// Ignored; accepted so that a response can be sent back.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// Ignored; accepted so that a response can be sent back.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub audience: Option<NotificationAudience>,
    /// Ignored; accepted so that a response can be sent back.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub permission: Option<Permission>,
    /// Whether the notification is enabled.
    pub is_enabled: bool,
}

/// A recipient of notifications.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Recipient {
    /// Id of the staff member.
    pub id: UserId,
    /// Name of the staff member.
    pub name: String,
    /// Email address for notifications.
    pub email: String,
    /// Types of this list that they do not get, because they lack the permission.
    pub withheld: Vec<NotificationKind>,
}

/// A list of recipients.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Recipients {
    /// Recipients, sorted by name.
    pub users: Vec<Recipient>,
}

/// Body of `PUT admin-notifications` and `PUT support-notifications`.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct RecipientsInput {
    /// Ids of all recipients, who must be staff.
    pub users: Vec<UserId>,
}

crate::wire!(Notifications, NotificationsInput, Recipients, RecipientsInput);
