//! Background work as rows: the outbox and everything that need not happen on the way of a request.
//!
//! A job is enqueued in the transaction of the change that wants it, so neither exists without the other. Workers
//! lease jobs, so several processes share them; a job may run twice (a worker can die after the effect), never
//! less than once.

pub mod daily;
pub mod processes;
pub mod rounds;
mod routes;
pub mod store;
pub mod worker;

use serde::{Deserialize, Serialize};

use crate::app::App;
use crate::auth::account_links;
use crate::configuration::notifications::telegram;
use crate::configuration::webhooks;
use crate::db::Source;
use crate::http::error::Result;
use crate::jobs::store::Leased;
use crate::mail;
use crate::supply::imports;
use panel_contract::moment::Time;
use panel_contract::quarantine::Poller;

pub use routes::{JOBS, routes};

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
        user_id: i64,
        /// When they were invited; a newer invitation has an email of its own.
        invited_at: Time,
    },
    /// Makes one attempt at a delivery to a webhook.
    Webhook {
        /// The delivery.
        delivery_id: i64,
    },
    /// Has the panel's Telegram bot write a message.
    Telegram {
        /// Plain text.
        text: String,
    },
    /// Asks an external panel what it sells, and follows it.
    Sync {
        /// The panel.
        external_panel_id: i64,
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

    /// Does it.
    async fn run(self, app: &App, as_leased: &Leased) -> std::result::Result<(), Failure> {
        match self {
            Self::Mail(email) => {
                let logo = mail::logo::of_panel(app).await;
                app.mail.send(email, &as_leased.mark(), logo.as_ref()).await
            }
            Self::PasswordReset { email, ip, asked_at } => {
                account_links::mail_reset(app, &email, &ip, asked_at, &as_leased.mark()).await
            }
            Self::Invitation { user_id, invited_at } => {
                account_links::mail_invitation(app, user_id, invited_at, &as_leased.mark()).await
            }
            Self::Webhook { delivery_id } => webhooks::deliver::attempt(app, delivery_id).await,
            Self::Telegram { text } => telegram::send(app, &text).await,
            Self::Sync { external_panel_id } => {
                let done = imports::sync::run(app, external_panel_id).await;
                done.map_err(|error| Failure::Later(error.into_told("sync").message))
            }
        }
    }
}

/// What claims the jobs of a queue.
#[must_use]
pub fn poller(kind: &str) -> Poller {
    // A test asks for each kind.
    kind.parse().unwrap_or(Poller::Mail)
}

/// Why a job was not done. The text is for the log and for staff, never holds a secret.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Failure {
    /// Another try may succeed.
    Later(String),
    /// Another try may succeed at this moment; the job has a schedule of its own.
    At(String, Time),
    /// It was not tried, as now is not the time; until this moment.
    Postponed(Time),
    /// No try ever will.
    Never(String),
}

/// Enqueues jobs, due at once, in the caller's transaction.
pub async fn enqueue(db: &mut impl Source, jobs: &[Job], now: Time) -> Result<()> {
    store::insert(db, jobs, now).await
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_queue_has_a_poller_of_its_name() {
        for kind in Job::KINDS {
            assert_eq!(poller(kind).as_str(), *kind);
        }
    }
}
