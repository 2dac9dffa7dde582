//! Who hears of the platform's events: staff by notifications, webhooks of payments.

use futures_util::future::BoxFuture;
use panel_contract::ids::LedgerTxnId;
use panel_kernel::error::Result;

use crate::configuration::notifications::tell;
use crate::operations::payments;
use panel_platform::audit::change::Change;
use panel_platform::work::{EventSink, EventSinks, Work};

/// Notifies staff of what is news to them.
struct StaffNotifications;

impl EventSink for StaffNotifications {
    fn on_audited<'t>(
        &'t self,
        work: &'t mut Work,
        event: &'t str,
        changes: &'t [Change],
    ) -> BoxFuture<'t, Result<()>> {
        Box::pin(tell::of_event(work, event, changes))
    }
}

/// Publishes payments to webhooks.
struct PaymentWebhooks;

impl EventSink for PaymentWebhooks {
    fn on_posted<'t>(
        &'t self,
        work: &'t mut Work,
        transactions: &'t [LedgerTxnId],
    ) -> BoxFuture<'t, Result<()>> {
        Box::pin(payments::tell(work, transactions))
    }
}

/// All sinks of the panel.
#[must_use]
pub fn all() -> EventSinks {
    vec![Box::new(StaffNotifications), Box::new(PaymentWebhooks)]
}
