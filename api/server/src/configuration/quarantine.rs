//! The list of quarantined records, and their release.

use panel_contract::common::Data;
use panel_contract::endpoints::quarantine::{ListQuarantine, ReleaseQuarantined};
use panel_contract::ids::{OrderId, QuarantineId, RecordId, SubscriptionId};
use panel_contract::moment::Time;
use panel_contract::quarantine::{Poller, QuarantineActions, QuarantineRow, QuarantineStatus};
use panel_kernel::error::{Error, Result};
use serde_json::json;

use crate::context::Ctx;
use crate::http::Req;
use crate::http::api::Api;
use panel_platform::audit;
use panel_platform::audit::change::AuditChange;
use panel_platform::quarantine::{leases, store};
use panel_platform::scope::Scope;
use panel_platform::table::{self, RowSource, SearchTarget, Table, TextIndex};

pub fn routes(api: Api) -> Api {
    api.list_route::<ListQuarantine, _, _>(&QUARANTINE, QuarantineRecord::into_row)
        .route::<ReleaseQuarantined, _, _, _>(release_record)
}

static SEARCH_INDEX: TextIndex = TextIndex::rows("quarantine", &["poller", "reason"]);

/// All records in quarantine, newest first.
pub static QUARANTINE: Table = Table::new(
    &panel_contract::lists::quarantine::QUARANTINE,
    RowSource { base: "quarantine", alias: "q", key: "q.id", select: SELECT, ..RowSource::NONE },
    &[],
)
.global_search(&[SearchTarget::new("q.id", &SEARCH_INDEX, "reason").own_columns(&["q.poller", "q.reason"])]);

const SELECT: &str = "q.id, q.poller, q.record_id, q.status, q.reason, q.crashes, q.first_crash_at, q.retry_at, q.updated_at,
  CASE WHEN q.poller IN ('order', 'counter') THEN q.record_id
    WHEN q.poller = 'external_order' THEN (SELECT e.order_id FROM external_panel_orders e WHERE e.id = q.record_id)
    WHEN q.poller = 'refill' THEN (SELECT r.order_id FROM order_refill_requests r WHERE r.id = q.record_id)
    WHEN q.poller = 'cancel_request' THEN (SELECT r.order_id FROM order_cancel_requests r WHERE r.id = q.record_id) END AS order_id,
  CASE WHEN q.poller IN ('subscription_poll', 'subscription_expiry') THEN q.record_id
    WHEN q.poller = 'content' THEN (SELECT c.subscription_id FROM subscription_contents c WHERE c.id = q.record_id) END AS subscription_id";

async fn release_record(ctx: Ctx, req: Req<ReleaseQuarantined>) -> Result<Data<QuarantineRow>> {
    let mut work = ctx.begin().await?;
    let now = work.now;
    let mut rows =
        table::load_rows_from(&mut work, &ctx, &QUARANTINE, &[req.path], QuarantineRecord::into_row).await?;
    let data = rows.pop().ok_or_else(|| Error::not_found("quarantined record", req.path))?;
    if !store::release(&mut work, req.path, data.status, data.updated_at).await? {
        let message = "This record is being retried or has changed. Reload the list in two minutes.";
        return Err(Error::conflict("quarantine_not_releasable", message));
    }
    leases::make_due(&mut work, &ctx.platform, data.poller, data.record_id).await?;
    let old_values = json!({ "poller": data.poller, "record_id": data.record_id, "status": data.status, "reason": data.reason });
    let change = AuditChange { id: req.path.as_record_id(), old: old_values, new: json!({ "due_at": now }) };
    audit::record(&mut work, "quarantine.released", "quarantine", change).await?;
    let actions = QuarantineActions { release: false };
    work.finish(Data { data: QuarantineRow { actions, ..data } }).await
}

/// A quarantined record as stored.
#[derive(Debug, sqlx::FromRow)]
pub(super) struct QuarantineRecord {
    id: QuarantineId,
    /// The kind of the record, named by the poller that works on it.
    poller: Poller,
    record_id: RecordId,
    status: QuarantineStatus,
    reason: Option<String>,
    crashes: i64,
    first_crash_at: Time,
    retry_at: Option<Time>,
    updated_at: Time,
    order_id: Option<OrderId>,
    subscription_id: Option<SubscriptionId>,
}

impl QuarantineRecord {
    fn into_row(self, _scope: &Scope) -> QuarantineRow {
        QuarantineRow {
            actions: QuarantineActions { release: self.status != QuarantineStatus::Trying },
            id: self.id,
            poller: self.poller,
            record_id: self.record_id,
            status: self.status,
            reason: self.reason,
            crashes: self.crashes,
            first_crash_at: self.first_crash_at,
            retry_at: self.retry_at,
            updated_at: self.updated_at,
            order_id: self.order_id,
            subscription_id: self.subscription_id,
        }
    }
}
