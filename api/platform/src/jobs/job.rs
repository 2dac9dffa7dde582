//! The kinds of jobs, as they are stored. What is done for each is registered at start-up.

use panel_contract::ids::{ExternalPanelId, UserId, WebhookDeliveryId};
use panel_contract::moment::Time;
use serde::{Deserialize, Serialize};

use crate::mail;

/// Everything that can be done in the background: a new kind is a new word here.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Job {
    /// Sends one email.
    Mail(mail::Email),
    /// Emails a link to set a new password, where the address is that of a member of staff. The token is made with the email.
    PasswordReset {
        /// As it was asked for, in lower case; there may be no such account.
        email: String,
        /// The address that asked.
        ip: String,
        /// When: the link ends an hour later.
        asked_at: Time,
    },
    /// Emails the link of an invitation to a member of staff. The token is made with the email.
    Invitation {
        /// Whom.
        user_id: UserId,
        /// When they were invited; a newer invitation has an email of its own.
        invited_at: Time,
    },
    /// Makes one attempt at a delivery to a webhook.
    Webhook {
        /// The delivery.
        delivery_id: WebhookDeliveryId,
    },
    /// Has the panel's Telegram bot write a message.
    Telegram {
        /// Plain text.
        text: String,
    },
    /// Asks an external panel what it sells, and follows it.
    Sync {
        /// The panel.
        external_panel_id: ExternalPanelId,
    },
}

impl Job {
    /// Every kind.
    pub const KINDS: &'static [&'static str] = panel_contract::jobs::QUEUES;

    /// Its queue.
    #[must_use]
    pub const fn kind(&self) -> &'static str {
        match self {
            Self::Mail(_) | Self::PasswordReset { .. } | Self::Invitation { .. } => "mail",
            Self::Webhook { .. } => "webhook",
            Self::Telegram { .. } => "telegram",
            Self::Sync { .. } => "sync",
        }
    }

    /// What it is about, for staff: never what only its receiver may read.
    #[must_use]
    pub fn about(&self) -> Option<String> {
        match self {
            Self::Mail(email) => Some(email.subject.clone()),
            // Whom it is for is theirs: an address that was typed may belong to no account.
            Self::PasswordReset { .. } => Some("Link to choose a new password".to_owned()),
            Self::Invitation { user_id, .. } => Some(format!("Invitation of user {user_id}")),
            Self::Webhook { delivery_id } => Some(format!("Delivery {delivery_id}")),
            Self::Sync { external_panel_id } => Some(format!("External panel {external_panel_id}")),
            // What it says may be private; its queue says what it is.
            Self::Telegram { .. } => None,
        }
    }
}
