//! Notifications to staff: their types, and their recipients.

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
        /// A cancel request of a customer waits for a decision of staff.
        CancelRequestWaiting = "cancel_request_waiting",
        /// The last backup is older than twice the configured interval.
        BackupOverdue = "backup_overdue",
    }
}

crate::string_enum! {
    /// Group of recipients of a notification: admins or support.
    NotificationAudience {
        Admin = "admin",
        Support = "support",
    }
}

/// A type of notification with its settings.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct PanelNotification {
    /// Type of the notification, such as `invoice_paid`.
    pub notification: NotificationKind,
    /// English description of the event that causes the notification.
    pub description: String,
    /// Group of recipients that gets the notification.
    pub audience: NotificationAudience,
    /// Permission without which a recipient does not get the notification.
    pub permission: Permission,
    /// Whether the panel sends the notification.
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
    /// Types of notifications to enable or disable.
    pub panel_notifications: Vec<NotificationSwitch>,
}

/// Enables or disables one type of notification.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct NotificationSwitch {
    /// Type of the notification, such as `invoice_paid`.
    pub notification: NotificationKind,
    /// Ignored. Allowed only so that a client can send back an item of the response.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// Ignored. Allowed only so that a client can send back an item of the response.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub audience: Option<NotificationAudience>,
    /// Ignored. Allowed only so that a client can send back an item of the response.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub permission: Option<Permission>,
    /// Whether the panel sends the notification.
    pub is_enabled: bool,
}

/// A staff member who gets notifications.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Recipient {
    /// Id of the staff member.
    pub id: UserId,
    /// Name of the staff member.
    pub name: String,
    /// Email address to which the panel sends the notifications.
    pub email: String,
    /// Types of notifications that the recipient does not get, because a permission is missing.
    pub withheld: Vec<NotificationKind>,
}

/// Response of `GET` and `PUT admin-notifications` and `support-notifications`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Recipients {
    /// All recipients, sorted by name.
    pub users: Vec<Recipient>,
}

/// Body of `PUT admin-notifications` and `PUT support-notifications`.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct RecipientsInput {
    /// Ids of all recipients, who must be staff.
    pub users: Vec<UserId>,
}

crate::json_bodies!(Notifications, NotificationsInput, Recipients, RecipientsInput);
