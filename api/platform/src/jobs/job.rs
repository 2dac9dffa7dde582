//! The kinds of jobs, as they are stored. Start-up registers the function for each.

use panel_contract::ids::{ExternalPanelId, UserId, WebhookDeliveryId};
use panel_contract::moment::Time;
use serde::{Deserialize, Serialize};

use crate::mail;

/// A job. A new kind of job is a new variant.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Job {
    /// Sends one email.
    Mail(mail::Email),
    /// Emails a link to set a new password, where the address is that of a member of staff. The token is made with the email.
    PasswordReset {
        /// The requested address, in lower case; there may be no such account.
        email: String,
        /// The IP address of the request.
        ip: String,
        /// Time of the request; the link expires an hour later.
        asked_at: Time,
    },
    /// Emails the link of an invitation to a member of staff. The token is made with the email.
    Invitation {
        /// The invited member of staff.
        user_id: UserId,
        /// Time of the invitation; a newer invitation has an email of its own.
        invited_at: Time,
    },
    /// Makes one delivery attempt to a webhook.
    Webhook {
        /// The delivery.
        delivery_id: WebhookDeliveryId,
    },
    /// Sends a message by the panel's Telegram bot.
    Telegram {
        /// Plain text.
        text: String,
    },
    /// Reads the catalogue of an external panel and applies its changes.
    Sync {
        /// The panel.
        external_panel_id: ExternalPanelId,
    },
}

impl Job {
    /// Every kind.
    pub const KINDS: &'static [&'static str] = panel_contract::jobs::QUEUES;

    /// The queue of the job.
    #[must_use]
    pub const fn kind(&self) -> &'static str {
        match self {
            Self::Mail(_) | Self::PasswordReset { .. } | Self::Invitation { .. } => "mail",
            Self::Webhook { .. } => "webhook",
            Self::Telegram { .. } => "telegram",
            Self::Sync { .. } => "sync",
        }
    }

    /// Subject of the job for staff; never holds what only the receiver may read.
    #[must_use]
    pub fn about(&self) -> Option<String> {
        match self {
            Self::Mail(email) => Some(email.subject.clone()),
            // Without the address: it may belong to no account.
            Self::PasswordReset { .. } => Some("Link to choose a new password".to_owned()),
            Self::Invitation { user_id, .. } => Some(format!("Invitation of user {user_id}")),
            Self::Webhook { delivery_id } => Some(format!("Delivery {delivery_id}")),
            Self::Sync { external_panel_id } => Some(format!("External panel {external_panel_id}")),
            // The text may be private, and the queue describes the job.
            Self::Telegram { .. } => None,
        }
    }
}
