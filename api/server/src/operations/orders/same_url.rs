//! Rejects a second open order for the same URL, if the service does not allow it: each order would also count the deliveries of the
//! other order.

use panel_contract::ids::OrderId;
use panel_kernel::error::{Error, Result};

use crate::operations::orders::place::NewOrder;
use panel_platform::db::{Sql, SqlExecutor};
use panel_platform::work::UnitOfWork;

/// Rejects an order if another open order of the same customer and service has the same URL. The caller has locked the customer, so
/// two concurrent requests run one after the other.
pub async fn check(work: &mut UnitOfWork, new: &NewOrder) -> Result<()> {
    let sql = Sql::new(
        "SELECT id FROM orders WHERE user_id = ? AND service_id = ? AND url = ? AND status NOT IN ('completed', 'canceled') LIMIT 1",
    );
    let sql = sql.bind(new.user_id).bind(new.service_id).bind(new.url.trim());
    match work.fetch_optional::<(OrderId,)>(sql).await? {
        None => Ok(()),
        Some((id,)) => Err(Error::invalid(
            "url",
            "url_in_use",
            format!("Order {id} already delivers to this address. Wait until it is completed."),
        )),
    }
}
