//! Calculates the time after which an open placement attempt of a service is late: three times the average duration of the last 30
//! days, and at least one day. A background task stores the times, so that lists do not calculate them.

use std::time::Duration;

use panel_contract::moment::{DAY, Time};

use panel_platform::db::{Db, DbResult, Sql, SqlExecutor};

/// The average duration includes only attempts that were completed within this time.
const AVERAGE_WINDOW: Duration = Duration::from_hours(30 * 24);
/// No attempt is late before this time.
const MIN_LATE_AFTER: Duration = DAY;
/// An attempt is late after this time if its service has no completed attempts.
pub const DEFAULT_LATE_AFTER: Duration = Duration::from_hours(72);

/// Recalculates the times of all services.
pub async fn refresh(db: &Db, now: Time) -> DbResult<()> {
    let mut tx = db.begin().await?;
    tx.execute(Sql::new("DELETE FROM late_thresholds")).await?;
    let sql = Sql::new(
        "INSERT INTO late_thresholds (service_id, attempts, late_after_micros)
         SELECT service_id, attempts, CASE WHEN 3 * total_duration / attempts > ? THEN 3 * total_duration / attempts ELSE ? END FROM (
           SELECT o.service_id, count(*) AS attempts, CAST(sum(e.ended_at - e.sent_at) AS BIGINT) AS total_duration
           FROM external_panel_orders e JOIN orders o ON o.id = e.order_id
           WHERE e.status = 'Completed' AND e.ended_at >= ? AND e.ended_at >= e.sent_at GROUP BY o.service_id) AS completed
         WHERE TRUE ON CONFLICT (service_id) DO UPDATE SET attempts = excluded.attempts, late_after_micros = excluded.late_after_micros",
    );
    tx.execute(sql.bind(MIN_LATE_AFTER).bind(MIN_LATE_AFTER).bind(now.minus(AVERAGE_WINDOW))).await?;
    tx.commit().await
}
