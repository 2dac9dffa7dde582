//! Handlers of the events that a unit of work publishes: they notify staff and queue the webhooks of payments.

use futures_util::future::BoxFuture;
use panel_contract::ids::LedgerTxnId;
use panel_kernel::error::Result;

use crate::configuration::notifications::notify;
use crate::operations::payments;
use panel_platform::audit::change::AuditChange;
use panel_platform::work::{EventSink, EventSinks, UnitOfWork};

/// Notifies staff of events that are written to the audit log.
struct StaffNotifications;

impl EventSink for StaffNotifications {
    fn on_audited<'t>(
        &'t self,
        work: &'t mut UnitOfWork,
        event: &'t str,
        changes: &'t [AuditChange],
    ) -> BoxFuture<'t, Result<()>> {
        Box::pin(notify::notify_of_event(work, event, changes))
    }
}

/// Sends payments that are posted to the ledger to webhooks.
struct PaymentWebhooks;

impl EventSink for PaymentWebhooks {
    fn on_posted<'t>(
        &'t self,
        work: &'t mut UnitOfWork,
        transactions: &'t [LedgerTxnId],
    ) -> BoxFuture<'t, Result<()>> {
        Box::pin(payments::publish_payments(work, transactions))
    }
}

/// All event sinks of this server, in the order in which they run.
#[must_use]
pub fn all() -> EventSinks {
    vec![Box::new(StaffNotifications), Box::new(PaymentWebhooks)]
}
