//! Raises the prices of single customers when a sync raises the lowest price of a service. A customer price below the old lowest
//! price was agreed with the customer and stays. A price from the old to the new lowest price becomes the new lowest price. Each
//! change is recorded in the customer's audit trail.

use panel_contract::amount::Money;
use panel_contract::ids::{ServiceId, UserId};
use panel_kernel::error::{Error, Result};
use serde_json::{Value, json};

use panel_platform::audit;
use panel_platform::audit::change::AuditChange;
use panel_platform::db::{Sql, SqlExecutor as _, Val};
use panel_platform::work::UnitOfWork;

#[derive(sqlx::FromRow)]
struct CustomerPriceRow {
    user_id: UserId,
    service_id: ServiceId,
    default_price: Option<Money>,
    min_price: Option<Money>,
    old_lowest: Money,
    new_lowest: Money,
}

impl CustomerPriceRow {
    fn audit_change(&self) -> AuditChange {
        let audit_values = |default_price, min_price| json!({ "service_id": self.service_id, "default_price": default_price, "min_price": min_price });
        let raise =
            |price: Option<Money>| price.map(|price| raise_price(price, self.old_lowest, self.new_lowest));
        let old: Value = audit_values(self.default_price, self.min_price);
        AuditChange {
            id: self.user_id.as_record_id(),
            old,
            new: audit_values(raise(self.default_price), raise(self.min_price)),
        }
    }
}

// Rules

fn raise_price(price: Money, old_lowest: Money, new_lowest: Money) -> Money {
    if price >= old_lowest && price < new_lowest { new_lowest } else { price }
}

// Store

/// Selects the customer prices to raise. A row `r` contains the id of a service, its old lowest price and its new lowest price.
const WHERE_PRICE_RISES: &str = " WHERE user_services.service_id = r.id AND ((user_services.default_price >= r.old AND user_services.default_price < r.new)
   OR (user_services.min_price >= r.old AND user_services.min_price < r.new))";

/// Raises the customer prices of many services. A row contains the id of a service, its old lowest price and its new lowest price.
pub(super) async fn raise_customer_prices(work: &mut UnitOfWork, rows: Vec<Vec<Val>>) -> Result<()> {
    let columns = ["id", "old", "new"];
    let sql = Sql::new(
        "SELECT user_services.user_id, user_services.service_id, user_services.default_price, user_services.min_price, r.old AS old_lowest, r.new AS new_lowest
         FROM user_services, ",
    );
    let sql =
        sql.rows("r", &columns, rows.clone()).push(WHERE_PRICE_RISES).push(" ORDER BY user_services.id");
    let prices: Vec<CustomerPriceRow> = work.fetch_all(sql).await?;
    let now = work.timestamp();
    let sql = Sql::new(
        "UPDATE user_services SET default_price = CASE WHEN default_price >= r.old AND default_price < r.new THEN r.new ELSE default_price END,
           min_price = CASE WHEN min_price >= r.old AND min_price < r.new THEN r.new ELSE min_price END, updated_at = ? FROM ",
    );
    let raised_count = work.execute(sql.bind(now).rows("r", &columns, rows).push(WHERE_PRICE_RISES)).await?;
    if raised_count != u64::try_from(prices.len()).unwrap_or(u64::MAX) {
        let message = "Another request changed the price of a customer during the sync. Try again.";
        return Err(Error::conflict("changed_meanwhile", message));
    }
    let audit_changes = prices.iter().map(CustomerPriceRow::audit_change).collect();
    audit::record_all(work, "user.price_updated", "user", audit_changes).await
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_prices_at_or_above_the_old_lowest_price_are_raised() {
        let price_after_raise = |price| raise_price(Money(price), Money(10), Money(20)).0;
        assert_eq!([9, 10, 19, 20, 30].map(price_after_raise), [9, 20, 20, 20, 30]);
    }
}
