//! What follows a change of a payment method: its audit entry and the method as the API shows it.

use panel_contract::common::Data;
use panel_contract::ids::{PaymentMethodId, RecordId};
use panel_contract::payment_methods::PaymentMethod;
use panel_kernel::error::Result;
use serde_json::Value;

use crate::context::Ctx;
use crate::operations::payment_methods::store;
use panel_platform::audit;
use panel_platform::audit::change::Change;
use panel_platform::work::Work;

pub(super) async fn audited(
    work: &mut Work,
    event: &str,
    id: impl Into<RecordId>,
    old: Value,
    new: Value,
) -> Result<()> {
    audit::record(work, event, "payment_method", Change { id: id.into(), old, new }).await
}

pub(super) async fn answer(mut work: Work, ctx: &Ctx, id: PaymentMethodId) -> Result<Data<PaymentMethod>> {
    let data = store::find(&mut work, id).await?.shown(ctx);
    work.finish(Data { data }).await
}
