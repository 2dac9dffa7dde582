//! When the dispatcher looks at an order next (`orders.dispatch_at`).

use panel_contract::moment::Time;
use panel_kernel::error::Result;

use panel_platform::db::{Source as _, Sql};
use panel_platform::work::Work;

/// Lets the dispatcher decide on orders from `at` on, in the transaction that gave it a reason.
pub async fn schedule_dispatch(work: &mut Work, ids: &[i64], at: Time) -> Result<()> {
    let sql = Sql::new("UPDATE orders SET dispatch_at = ? WHERE status = 'in_processing' AND id IN ");
    work.exec(sql.bind(at).ids(ids)).await?;
    Ok(())
}
