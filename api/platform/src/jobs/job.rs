//! The kinds of jobs, as the database stores them. Start-up registers a function for each kind.

use panel_contract::ids::{ExternalPanelId, UserId, WebhookDeliveryId};
use panel_contract::moment::Time;
use serde::{Deserialize, Serialize};

use crate::mail;

/// The stored payload of a background job. The variant decides which function runs the job.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Job {
    Mail(mail::Email),
    /// Emails a link to set a new password, if the address belongs to a staff member. The job creates the token, so that the
    /// database never stores it in a job.
    PasswordReset {
        /// The requested address, in lower case; it may belong to no account.
        email: String,
        /// The IP address of the request.
        ip: String,
        /// Time of the request; the link expires an hour later.
        sent_at: Time,
    },
    /// Emails the link of an invitation to a staff member. The job creates the token.
    Invitation {
        user_id: UserId,
        /// Time of the invitation. The job sends nothing if there is a newer invitation, which has its own job.
        invited_at: Time,
    },
    /// Makes one delivery attempt to a webhook.
    Webhook {
        delivery_id: WebhookDeliveryId,
    },
    /// Sends a message by the panel's Telegram bot.
    Telegram {
        text: String,
    },
    /// Reads the catalogue of an external panel and applies its changes.
    Sync {
        external_panel_id: ExternalPanelId,
    },
}

impl Job {
    pub const KINDS: &'static [&'static str] = panel_contract::jobs::QUEUES;

    /// The queue that runs the job.
    #[must_use]
    pub const fn kind(&self) -> &'static str {
        match self {
            Self::Mail(_) | Self::PasswordReset { .. } | Self::Invitation { .. } => "mail",
            Self::Webhook { .. } => "webhook",
            Self::Telegram { .. } => "telegram",
            Self::Sync { .. } => "sync",
        }
    }

    /// Describes the job to staff, without the parts that only its receiver may read.
    #[must_use]
    pub fn describe(&self) -> Option<String> {
        match self {
            Self::Mail(email) => Some(email.subject.clone()),
            // Without the address: it may belong to no account.
            Self::PasswordReset { .. } => Some("Link to choose a new password".to_owned()),
            Self::Invitation { user_id, .. } => Some(format!("Invitation of user {user_id}")),
            Self::Webhook { delivery_id } => Some(format!("Delivery {delivery_id}")),
            Self::Sync { external_panel_id } => Some(format!("External panel {external_panel_id}")),
            // The text may be private, and the name of the queue is description enough.
            Self::Telegram { .. } => None,
        }
    }
}
