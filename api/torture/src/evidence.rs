//! Collects the final state from the database, the external panels and the webhook's receiver. This module only reads.

use std::collections::BTreeMap;
use std::sync::PoisonError;

use panel_platform::db::{Sql, SqlExecutor as _};
use panel_server::app::App;
use panel_server::doctor;

use serde_json::Value;

use crate::setup::{CUSTOMER_COUNT, TestSetup, error_text};
use crate::violations::{CustomerMoney, Evidence};

/// How orders ended, for the report.
#[derive(Debug, Clone, Default)]
pub struct OrderOutcomeCounts {
    pub completed: u64,
    pub canceled: u64,
    /// The outcome of the external order is unknown, and only a staff member can resolve it.
    pub waiting_for_staff: u64,
    /// Still in processing, because no provider is available.
    pub without_provider: u64,
}

async fn query_pairs<A, B>(app: &App, sql: &'static str) -> Result<Vec<(A, B)>, String>
where
    (A, B): panel_platform::db::DbRow,
{
    (&mut &app.db).fetch_all(Sql::new(sql)).await.map_err(error_text)
}

async fn query_ids(app: &App, sql: &'static str) -> Result<Vec<i64>, String> {
    let rows: Vec<(i64,)> = (&mut &app.db).fetch_all(Sql::new(sql)).await.map_err(error_text)?;
    Ok(rows.into_iter().map(|row| row.0).collect())
}

async fn query_number(app: &App, sql: &'static str) -> Result<i64, String> {
    Ok(query_ids(app, sql).await?.first().copied().unwrap_or_default())
}

fn to_counts(rows: Vec<(String, i64)>) -> BTreeMap<String, u64> {
    rows.into_iter().map(|(marker, count)| (marker, count.unsigned_abs())).collect()
}

/// Collects the final state for `find_violations`.
pub async fn collect(app: &App, setup: &TestSetup) -> Result<Evidence, String> {
    let order_counts = query_pairs(app, "SELECT url, count(*) FROM orders GROUP BY url").await?;
    let payment_counts = query_pairs(
        app,
        "SELECT comment, count(*) FROM ledger_txns WHERE comment LIKE 'torture-payment-%' GROUP BY comment",
    )
    .await?;
    let mut evidence = Evidence {
        order_counts: to_counts(order_counts),
        payment_counts: to_counts(payment_counts),
        order_statuses: query_pairs(app, "SELECT id, status FROM orders").await?.into_iter().collect(),
        withdrawal_statuses: query_pairs(app, "SELECT id, status FROM withdrawals")
            .await?
            .into_iter()
            .collect(),
        stuck_orders: load_stuck_order_ids(app).await?,
        open_jobs: query_number(app, "SELECT count(*) FROM jobs WHERE done_at IS NULL AND dead_at IS NULL")
            .await?,
        given_up_jobs: query_number(app, "SELECT count(*) FROM jobs WHERE dead_at IS NOT NULL").await?,
        open_deliveries: query_number(
            app,
            "SELECT count(*) FROM webhook_deliveries WHERE status <> 'delivered'",
        )
        .await?,
        ..Evidence::default()
    };
    collect_money(app, &mut evidence).await?;
    count_external_orders(app, setup, &mut evidence).await?;
    let delivered_ids: Vec<(String,)> = (&mut &app.db)
        .fetch_all(Sql::new("SELECT e.message_id FROM webhook_events e JOIN webhook_deliveries d ON d.event_id = e.id WHERE d.status = 'delivered'"))
        .await
        .map_err(error_text)?;
    evidence.unreceived_deliveries = {
        let received_ids = setup.receiver.event_ids.lock().unwrap_or_else(PoisonError::into_inner);
        delivered_ids.into_iter().map(|(id,)| id).filter(|id| !received_ids.contains(id)).collect()
    };
    let report = doctor::run_all(&app.db, Some(&app.secrets), app.clock.now())
        .await
        .map_err(|error| format!("{error:?}"))?;
    let failed_checks = report.checks.iter().filter(|check| check.violation_count > 0);
    evidence.failed_checks = failed_checks
        .map(|check| {
            format!(
                "{}: {} violations, such as {}",
                check.name,
                check.violation_count,
                check.examples.join(", ")
            )
        })
        .collect();
    Ok(evidence)
}

/// The doctor's check of late work. It also fails for a while after the clock was behind.
const LATE_WORK_CHECK: &str = "overdue_jobs";
/// The doctor's check of quarantined records. They are not a violation but wait for staff: if a server crashes at the same time as
/// the process that retries a record alone, only a staff member can decide whether the record caused the crash.
const QUARANTINE_CHECK: &str = "no_quarantined_records";

/// What the doctor's report between two phases means for the run.
#[derive(Debug, PartialEq, Eq)]
pub enum Diagnosis {
    /// No check failed, except possibly the check of quarantined records.
    Healthy,
    /// A problem that may disappear without help: work is late, or the server did not return a report.
    Pending(Vec<String>),
    /// At least one check failed that must never fail.
    Failed(Vec<String>),
}

impl Diagnosis {
    #[must_use]
    pub fn from_report(report: &Value) -> Self {
        let checks = report["checks"].as_array().into_iter().flatten();
        let failed_checks: Vec<&Value> = checks
            .filter(|check| check["violation_count"] != 0 && check["name"] != QUARANTINE_CHECK)
            .collect();
        let findings =
            failed_checks.iter().map(|check| format!("doctor between two phases: {check}")).collect();
        if failed_checks.is_empty() {
            Self::Healthy
        } else if failed_checks.iter().all(|check| check["name"] == LATE_WORK_CHECK) {
            Self::Pending(findings)
        } else {
            Self::Failed(findings)
        }
    }

    /// The server returned no report; it may return one at the next attempt.
    #[must_use]
    pub fn unavailable(reason: &str) -> Self {
        Self::Pending(vec![format!("the server returned no doctor's report between two phases: {reason}")])
    }

    /// The violations of the run. The caller has waited long enough, so a pending problem is a violation too.
    #[must_use]
    pub fn into_violations(self) -> Vec<String> {
        match self {
            Self::Healthy => Vec::new(),
            Self::Pending(findings) | Self::Failed(findings) => findings,
        }
    }
}

/// SQL condition: the order waits for a staff member.
macro_rules! waiting_for_staff {
    () => {
        "o.status = 'in_processing' AND EXISTS (SELECT 1 FROM external_panel_orders e WHERE e.order_id = o.id AND e.status = 'Creating'
           AND e.sent_at IS NOT NULL AND e.external_order_id IS NULL AND e.alert_at IS NOT NULL AND e.due_at IS NULL)"
    };
}

/// Orders that are neither completed nor canceled, and that wait neither for a provider nor for a staff member.
async fn load_stuck_order_ids(app: &App) -> Result<Vec<i64>, String> {
    let sql = concat!(
        "SELECT o.id FROM orders o WHERE o.status NOT IN ('completed', 'canceled') AND NOT (o.status = 'in_processing' AND o.has_no_active_providers) AND NOT (",
        waiting_for_staff!(),
        ") ORDER BY o.id"
    );
    query_ids(app, sql).await
}

pub async fn count_order_outcomes(app: &App) -> Result<OrderOutcomeCounts, String> {
    let count = async |sql| Ok::<_, String>(query_number(app, sql).await?.unsigned_abs());
    Ok(OrderOutcomeCounts {
        completed: count("SELECT count(*) FROM orders WHERE status = 'completed'").await?,
        canceled: count("SELECT count(*) FROM orders WHERE status = 'canceled'").await?,
        waiting_for_staff: count(concat!("SELECT count(*) FROM orders o WHERE ", waiting_for_staff!()))
            .await?,
        without_provider: count(
            "SELECT count(*) FROM orders WHERE status = 'in_processing' AND has_no_active_providers",
        )
        .await?,
    })
}

async fn collect_money(app: &App, evidence: &mut Evidence) -> Result<(), String> {
    for user_id in 1..=CUSTOMER_COUNT {
        let sql = Sql::new(
            "SELECT u.balance_main, u.hold_main,
               (SELECT CAST(COALESCE(sum(o.cost - o.refunded), 0) AS BIGINT) FROM orders o WHERE o.user_id = u.id AND o.is_paid),
               (SELECT CAST(COALESCE(sum(w.amount), 0) AS BIGINT) FROM withdrawals w WHERE w.user_id = u.id AND w.status IN ('pending', 'approved')),
               (SELECT CAST(COALESCE(sum(w.amount), 0) AS BIGINT) FROM withdrawals w WHERE w.user_id = u.id AND w.status = 'paid')
             FROM users u WHERE u.id = ?",
        );
        let (balance, held, spent, open_withdrawals, paid_withdrawals) = (&mut &app.db)
            .fetch_one::<(i64, i64, i64, i64, i64)>(sql.bind(user_id))
            .await
            .map_err(error_text)?;
        let money = CustomerMoney { balance, held, spent, open_withdrawals, paid_withdrawals };
        evidence.money.insert(user_id, money);
    }
    Ok(())
}

async fn count_external_orders(app: &App, setup: &TestSetup, evidence: &mut Evidence) -> Result<(), String> {
    for panel in &setup.external_panels {
        for order in panel.state().orders.values() {
            *evidence.external_order_counts.entry(order.link.clone()).or_default() += 1;
        }
    }
    let stored_orders: Vec<(i64, String)> = query_pairs(
        app,
        "SELECT external_panel_id, external_order_id FROM external_panel_orders WHERE external_order_id IS NOT NULL",
    )
    .await?;
    for (panel_id, external_order_id) in stored_orders {
        let panel = usize::try_from(panel_id - 1).ok().and_then(|index| setup.external_panels.get(index));
        let panel_has_order = panel.is_some_and(|panel| {
            external_order_id.parse().is_ok_and(|id: i64| panel.state().orders.contains_key(&id))
        });
        if !panel_has_order {
            evidence.missing_external_orders.push(format!("{external_order_id} of panel {panel_id}"));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn diagnose(failed_checks: &[&str]) -> Diagnosis {
        let mut checks = vec![json!({ "name": "ledger_balanced", "violation_count": 0 })];
        checks.extend(failed_checks.iter().map(|name| json!({ "name": name, "violation_count": 3 })));
        Diagnosis::from_report(&json!({ "checks": checks }))
    }

    #[test]
    fn late_work_is_pending_and_a_wrong_balance_is_a_failure() {
        assert_eq!(diagnose(&[]), Diagnosis::Healthy);
        assert_eq!(diagnose(&[QUARANTINE_CHECK]), Diagnosis::Healthy);
        assert!(
            matches!(diagnose(&[QUARANTINE_CHECK, LATE_WORK_CHECK]), Diagnosis::Pending(findings) if findings.len() == 1)
        );
        assert!(
            matches!(diagnose(&["balances", LATE_WORK_CHECK]), Diagnosis::Failed(findings) if findings.len() == 2)
        );
        assert!(matches!(Diagnosis::unavailable("503"), Diagnosis::Pending(_)));
        assert_eq!(diagnose(&[LATE_WORK_CHECK]).into_violations().len(), 1);
    }
}
