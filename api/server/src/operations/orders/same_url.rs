//! Services that refuse a second open order for one address: two would spoil each other's counters.

use panel_contract::ids::OrderId;
use panel_kernel::error::{Error, Result};

use crate::operations::orders::place::NewOrder;
use panel_platform::db::{Source, Sql};
use panel_platform::work::Work;

/// Refuses an order whose address another open one delivers to. The customer, whom the caller has
/// locked, orders the two.
pub async fn check(work: &mut Work, new: &NewOrder) -> Result<()> {
    let sql = Sql::new(
        "SELECT id FROM orders WHERE user_id = ? AND service_id = ? AND url = ? AND status NOT IN ('completed', 'canceled') LIMIT 1",
    );
    let sql = sql.bind(new.user_id).bind(new.service_id).bind(new.url.trim());
    match work.opt::<(OrderId,)>(sql).await? {
        None => Ok(()),
        Some((id,)) => Err(Error::invalid(
            "url",
            "url_in_use",
            format!("Order {id} delivers there already; wait until it is done."),
        )),
    }
}
