//! After how long an open attempt of a service is late: three times what the last days took on average, and never
//! less than a day. Worked out beside the requests, so that a list only looks it up.

use std::time::Duration;

use panel_contract::moment::{DAY, Time};

use panel_platform::db::{Db, DbResult, Source, Sql};

/// How far back attempts are looked at.
const WINDOW: Duration = Duration::from_hours(30 * 24);
/// Never late before.
const LEAST: Duration = DAY;
/// Late after, where a service has no history.
pub const USUAL: Duration = Duration::from_hours(72);

/// Works it out anew for all services, from what was delivered in the last days.
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
    tx.exec(sql.bind(LEAST).bind(LEAST).bind(now.before(WINDOW))).await?;
    tx.commit().await
}
