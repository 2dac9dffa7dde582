//! The mark of quarantine on the record itself: whoever looks at it reads why it stands still, where they read its other
//! errors. The next success clears it, as it clears any error.

use panel_contract::quarantine::Poller;

use super::store::Suspect;
use crate::db::{DbResult, Source, Sql};

/// Writes the reason to a quarantined record that has a place for errors. An order and a drip-feed have none.
pub(super) async fn mark(tx: &mut impl Source, suspect: &Suspect, reason: &str) -> DbResult<()> {
    let Some(update) = update_of(suspect.poller) else { return Ok(()) };
    let text = format!("Quarantined, as working on it ended the server. {reason}");
    tx.exec(Sql::new(update).bind(text).bind(suspect.record_id)).await.map(drop)
}

const fn update_of(poller: Poller) -> Option<&'static str> {
    match poller {
        Poller::Mail | Poller::Sync | Poller::Telegram | Poller::Webhook => {
            Some("UPDATE jobs SET last_error = ? WHERE id = ?")
        }
        Poller::SubscriptionPoll | Poller::SubscriptionExpiry => {
            Some("UPDATE subscriptions SET look_error = ? WHERE id = ?")
        }
        Poller::Content => Some("UPDATE subscription_contents SET last_error = ? WHERE id = ?"),
        Poller::ExternalOrder => Some("UPDATE external_panel_orders SET last_error = ? WHERE id = ?"),
        Poller::Refill => Some("UPDATE order_refill_requests SET last_error = ? WHERE id = ?"),
        Poller::Counter => Some("UPDATE order_counters SET last_error = ? WHERE order_id = ?"),
        Poller::Balance => Some("UPDATE external_panels SET last_error = ? WHERE id = ?"),
        Poller::Order | Poller::DripFeed => None,
    }
}
