//! Calculates after which time an open attempt of a service is late: three times the average of the last days, and never less than
//! a day. It is calculated in the background, so that lists only read it.

use std::time::Duration;

use panel_contract::moment::{DAY, Time};

use panel_platform::db::{Db, DbResult, Source, Sql};

/// Completed attempts of this time span count.
const WINDOW: Duration = Duration::from_hours(30 * 24);
/// No attempt is late before this time.
const MIN_LATE_AFTER: Duration = DAY;
/// Late after this time if the service has no history.
pub const DEFAULT_LATE_AFTER: Duration = Duration::from_hours(72);

/// Recalculates the values of all services.
pub async fn refresh(db: &Db, now: Time) -> DbResult<()> {
    let mut tx = db.begin().await?;
    tx.exec(Sql::new("DELETE FROM service_paces")).await?;
    let sql = Sql::new(
        "INSERT INTO service_paces (service_id, attempts, late_after)
         SELECT service_id, n, CASE WHEN 3 * took / n > ? THEN 3 * took / n ELSE ? END FROM (
           SELECT o.service_id, count(*) AS n, CAST(sum(e.ended_at - e.sent_at) AS BIGINT) AS took
           FROM external_panel_orders e JOIN orders o ON o.id = e.order_id
           WHERE e.status = 'Completed' AND e.ended_at >= ? AND e.ended_at >= e.sent_at GROUP BY o.service_id) AS done
         WHERE TRUE ON CONFLICT (service_id) DO UPDATE SET attempts = excluded.attempts, late_after = excluded.late_after",
    );
    tx.exec(sql.bind(MIN_LATE_AFTER).bind(MIN_LATE_AFTER).bind(now.before(WINDOW))).await?;
    tx.commit().await
}
