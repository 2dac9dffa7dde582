//! The last steps of every change of a payment method: they write the audit entry, commit, and build the response.

use panel_contract::common::Data;
use panel_contract::ids::{PaymentMethodId, RecordId};
use panel_contract::payment_methods::PaymentMethod;
use panel_kernel::error::Result;
use serde_json::Value;

use crate::context::Ctx;
use crate::operations::payment_methods::store;
use panel_platform::audit;
use panel_platform::audit::change::AuditChange;
use panel_platform::work::UnitOfWork;

pub(super) async fn record_audit(
    work: &mut UnitOfWork,
    event: &str,
    id: impl Into<RecordId>,
    old: Value,
    new: Value,
) -> Result<()> {
    audit::record(work, event, "payment_method", AuditChange { id: id.into(), old, new }).await
}

pub(super) async fn commit_and_respond(
    mut work: UnitOfWork,
    ctx: &Ctx,
    id: PaymentMethodId,
) -> Result<Data<PaymentMethod>> {
    let data = store::load_row(&mut work, id).await?.into_response(ctx);
    work.finish(Data { data }).await
}
