//! Customers' own prices of services whose panel asks more now. What was agreed below the service's lowest price stays as
//! it was agreed; what was above and would be below it now is raised to it, in the customer's trail and with the service
//! in the change log.

use panel_contract::amount::Money;
use panel_contract::ids::{ServiceId, UserId};
use panel_kernel::error::{Error, Result};
use serde_json::{Value, json};

use panel_platform::audit;
use panel_platform::audit::change::AuditChange;
use panel_platform::db::{Source as _, Sql, Val};
use panel_platform::work::UnitOfWork;

#[derive(sqlx::FromRow)]
struct Own {
    user_id: UserId,
    service_id: ServiceId,
    default_price: Option<Money>,
    min_price: Option<Money>,
    least: Money,
    floor: Money,
}

impl Own {
    /// As it was, and as it will be.
    fn change(&self) -> AuditChange {
        let told = |price, least| json!({ "service_id": self.service_id, "default_price": price, "min_price": least });
        let raised = |price: Option<Money>| price.map(|price| risen(price, self.least, self.floor));
        let old: Value = told(self.default_price, self.min_price);
        AuditChange {
            id: self.user_id.record(),
            old,
            new: told(raised(self.default_price), raised(self.min_price)),
        }
    }
}

// Rules

/// A price after the lowest one rose from `least` to `floor`.
fn risen(price: Money, least: Money, floor: Money) -> Money {
    if price >= least && price < floor { floor } else { price }
}

// Store

/// Which own prices are concerned: `r` has the service, its lowest price as it was, and as it is.
const CONCERNED: &str = " WHERE user_services.service_id = r.id AND ((user_services.default_price >= r.old AND user_services.default_price < r.new)
   OR (user_services.min_price >= r.old AND user_services.min_price < r.new))";

/// Raises them; rows are the service, its lowest price as it was, and as it is.
pub(super) async fn raise(work: &mut UnitOfWork, rows: Vec<Vec<Val>>) -> Result<()> {
    let columns = ["id", "old", "new"];
    let sql = Sql::new(
        "SELECT user_services.user_id, user_services.service_id, user_services.default_price, user_services.min_price, r.old AS least, r.new AS floor
         FROM user_services, ",
    );
    let sql = sql.rows("r", &columns, rows.clone()).push(CONCERNED).push(" ORDER BY user_services.id");
    let all: Vec<Own> = work.all(sql).await?;
    let now = work.stamp();
    let sql = Sql::new(
        "UPDATE user_services SET default_price = CASE WHEN default_price >= r.old AND default_price < r.new THEN r.new ELSE default_price END,
           min_price = CASE WHEN min_price >= r.old AND min_price < r.new THEN r.new ELSE min_price END, updated_at = ? FROM ",
    );
    let raised = work.exec(sql.bind(now).rows("r", &columns, rows).push(CONCERNED)).await?;
    if raised != u64::try_from(all.len()).unwrap_or(u64::MAX) {
        let message = "A customer's own price changed meanwhile; try again.";
        return Err(Error::conflict("changed_meanwhile", message));
    }
    let changes = all.iter().map(Own::change).collect();
    audit::record_all(work, "user.price_updated", "user", changes).await
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_was_above_the_lowest_price_rises_with_it() {
        let risen = |price| risen(Money(price), Money(10), Money(20)).0;
        assert_eq!([9, 10, 19, 20, 30].map(risen), [9, 20, 20, 20, 30]);
    }
}
