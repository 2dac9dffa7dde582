//! The report on providers, services or external panels: speed, failures and margin of the placement attempts that ended in the
//! last days, and the number of open attempts. It must read only the indexes of open and ended attempts, never all attempts.

use std::time::Duration;

use panel_contract::amount::{Money, Percent};
use panel_contract::endpoints::providers::ProvidersReport;
use panel_contract::fields::FieldErrors;
use panel_contract::ids::{OrderId, RecordId};
use panel_contract::moment::{Day, Time};
use panel_contract::providers::{SupplyReport, SupplyReportGrouping, SupplyReportRow};
use panel_kernel::error::Result;

use crate::context::Ctx;
use crate::http::Req;
use crate::http::api::Api;
use crate::stores::placement_attempts::conditions::attempt_is;
use panel_platform::db::{Sql, SqlExecutor};

const DEFAULT_DAYS: i64 = 30;
const MAX_DAYS: i64 = 90;
const MINUTE_MICROS: i64 = 60_000_000;

// Routes

pub(super) fn routes(api: Api) -> Api {
    api.route::<ProvidersReport, _, _, _>(get_report)
}

async fn get_report(ctx: Ctx, req: Req<ProvidersReport>) -> Result<SupplyReport> {
    let (grouping, days) =
        (req.query.by.unwrap_or(SupplyReportGrouping::Provider), req.query.days.unwrap_or(DEFAULT_DAYS));
    if !(1..=MAX_DAYS).contains(&days) {
        return Err(FieldErrors::single("days", format!("Enter 1 to {MAX_DAYS} days.")).into());
    }
    let since = ctx.now().minus(Duration::from_hours(24 * days.unsigned_abs()));
    let rows: Vec<ReportRow> = (&mut ctx.db()).fetch_all(report_sql(grouping, since)).await?;
    let mut data: Vec<SupplyReportRow> = rows.into_iter().map(ReportRow::into_row).collect();
    data.sort_by(|left, right| (&left.name, left.id).cmp(&(&right.name, right.id)));
    Ok(SupplyReport { by: grouping, since, data })
}

// Rules

impl ReportRow {
    fn into_row(self) -> SupplyReportRow {
        let ended_attempts = self.completed + self.partial + self.failed;
        SupplyReportRow {
            id: self.id,
            name: self.name,
            status: self.status,
            open: self.open,
            oldest_open_at: self.oldest_at,
            oldest_open_order_id: self.oldest_order,
            completed: self.completed,
            partial: self.partial,
            failed: self.failed,
            error_share_percent: Percent::from_ratio(self.failed, ended_attempts),
            mean_minutes: (self.timed_count > 0)
                .then(|| self.duration_micros / self.timed_count / MINUTE_MICROS),
            quantity: self.quantity,
            revenue: self.revenue,
            cost: self.cost,
            margin_percent: Percent::from_ratio(self.revenue.0.saturating_sub(self.cost.0), self.revenue.0),
            balance: self.balance,
            currency: self.currency,
            last_ok_at: self.last_ok_at,
            last_error: self.last_error,
        }
    }
}

// Store

#[derive(sqlx::FromRow)]
struct ReportRow {
    id: RecordId,
    name: String,
    status: Option<String>,
    balance: Option<Money>,
    currency: Option<String>,
    last_ok_at: Option<Time>,
    last_error: Option<String>,
    open: i64,
    completed: i64,
    partial: i64,
    failed: i64,
    timed_count: i64,
    duration_micros: i64,
    quantity: i64,
    revenue: Money,
    cost: Money,
    oldest_at: Option<Time>,
    oldest_order: Option<OrderId>,
}

/// The start of the SELECT with the columns of the base table `b`.
fn base_select_list(grouping: SupplyReportGrouping) -> &'static str {
    match grouping {
        SupplyReportGrouping::Provider => {
            "SELECT b.id, b.name, CASE WHEN b.is_archived THEN 'archived' ELSE b.status END AS status, CAST(NULL AS BIGINT) AS balance,
               CAST(NULL AS TEXT) AS currency, CAST(NULL AS BIGINT) AS last_ok_at, CAST(NULL AS TEXT) AS last_error, "
        }
        SupplyReportGrouping::Service => {
            "SELECT b.id, b.name, CASE WHEN b.is_archived THEN 'archived' WHEN NOT b.is_enabled THEN 'disabled' ELSE 'active' END AS status,
               CAST(NULL AS BIGINT) AS balance, CAST(NULL AS TEXT) AS currency, CAST(NULL AS BIGINT) AS last_ok_at,
               CAST(NULL AS TEXT) AS last_error, "
        }
        SupplyReportGrouping::Panel => {
            "SELECT b.id, b.name, CASE WHEN b.is_archived THEN 'archived' ELSE b.status END AS status, b.balance, b.currency, b.last_ok_at,
               b.last_error, "
        }
    }
}

const SUMS_SELECT_LIST: &str = "COALESCE(f.open, 0) AS open, COALESCE(f.completed, 0) AS completed, COALESCE(f.partial, 0) AS partial,
  COALESCE(f.failed, 0) AS failed, COALESCE(f.timed_count, 0) AS timed_count, COALESCE(f.duration_micros, 0) AS duration_micros, COALESCE(f.quantity, 0) AS quantity,
  COALESCE(f.revenue, 0) AS revenue, COALESCE(f.cost, 0) AS cost, COALESCE(q.sent_at, q.created_at) AS oldest_at, q.order_id AS oldest_order";

const SUM_SUBQUERY_START: &str = "SELECT k, CAST(sum(open) AS BIGINT) AS open, CAST(sum(completed) AS BIGINT) AS completed, CAST(sum(partial) AS BIGINT) AS partial,
  CAST(sum(failed) AS BIGINT) AS failed, CAST(sum(timed_count) AS BIGINT) AS timed_count, CAST(sum(duration_micros) AS BIGINT) AS duration_micros,
  CAST(sum(quantity) AS BIGINT) AS quantity, CAST(sum(revenue) AS BIGINT) AS revenue, CAST(sum(cost) AS BIGINT) AS cost, min(first) AS first FROM (";

/// Selects ended attempts, each with the sold units that it delivered and the part of the customer's payment for these units.
const ENDED_ATTEMPTS_SQL: &str = " AS k, 0 AS open, CASE WHEN a.status = 'Completed' THEN 1 ELSE 0 END AS completed, CASE WHEN a.status = 'Partial' THEN 1 ELSE 0 END AS partial,
  CASE WHEN a.status = 'Canceled' THEN 1 ELSE 0 END AS failed, CASE WHEN a.status = 'Completed' AND a.ended_at >= a.sent_at THEN 1 ELSE 0 END AS timed_count,
  CASE WHEN a.status = 'Completed' AND a.ended_at >= a.sent_at THEN a.ended_at - a.sent_at ELSE 0 END AS duration_micros, a.delivered AS quantity,
  COALESCE(CAST((o.cost - o.refunded) * 1.0 * a.delivered / NULLIF(CASE WHEN o.status NOT IN ('completed', 'canceled') THEN o.quantity
    WHEN o.current_quantity > a.delivered THEN o.current_quantity ELSE a.delivered END, 0) AS BIGINT), 0) AS revenue,
  a.booked_cost AS cost, CAST(NULL AS BIGINT) AS first
  FROM (SELECT e.*, (e.initial_quantity - CASE e.status WHEN 'Completed' THEN 0 WHEN 'Partial' THEN COALESCE(e.remains, 0)
      ELSE COALESCE(e.remains, e.initial_quantity) END) * COALESCE(e.sold_quantity, e.initial_quantity) / NULLIF(e.initial_quantity, 0) AS delivered
    FROM external_panel_orders e WHERE e.ended_at >= ?) a JOIN orders o ON o.id = a.order_id";

const OPEN_ATTEMPTS_SQL: &str = concat!(
    " AS k, 1, 0, 0, 0, 0, 0, 0, 0, 0, a.id FROM external_panel_orders a JOIN orders o ON o.id = a.order_id WHERE ",
    attempt_is!(unfinished, "a")
);

/// Selects the statistics that staff entered for manual providers, which have no attempts.
const MANUAL_STATISTICS_SQL: &str = " AS k, 0, 0, 0, 0, 0, 0, t.quantity,
  COALESCE(CAST((o.cost - o.refunded) * 1.0 * t.quantity / NULLIF(CASE WHEN o.status NOT IN ('completed', 'canceled') AND o.quantity > t.quantity THEN o.quantity
    WHEN o.current_quantity > t.quantity THEN o.current_quantity ELSE t.quantity END, 0) AS BIGINT), 0), t.cost, NULL
  FROM providers a JOIN provider_statistics t ON t.provider_id = a.id JOIN orders o ON o.id = t.order_id WHERE a.type = 'manual' AND t.day >= ?";

fn report_sql(grouping: SupplyReportGrouping, since: Time) -> Sql {
    let (key_column, manual_key_column, base_table, join) = match grouping {
        SupplyReportGrouping::Provider => ("a.provider_id", Some("a.id"), "providers", " JOIN ("),
        SupplyReportGrouping::Service => ("o.service_id", Some("o.service_id"), "services", " JOIN ("),
        SupplyReportGrouping::Panel => ("a.external_panel_id", None, "external_panels", " LEFT JOIN ("),
    };
    let first_day: Day = since.day();
    let mut sql = Sql::new(base_select_list(grouping))
        .push(SUMS_SELECT_LIST)
        .push(" FROM ")
        .push(base_table)
        .push(" b")
        .push(join)
        .push(SUM_SUBQUERY_START);
    sql = sql.push("SELECT ").push(key_column).push(ENDED_ATTEMPTS_SQL).bind(since);
    sql = sql.push(" UNION ALL SELECT ").push(key_column).push(OPEN_ATTEMPTS_SQL);
    if let Some(manual_key_column) = manual_key_column {
        sql = sql
            .push(" UNION ALL SELECT ")
            .push(manual_key_column)
            .push(MANUAL_STATISTICS_SQL)
            .bind(first_day);
    }
    sql = sql.push(
        ") AS attempts GROUP BY k) AS f ON f.k = b.id LEFT JOIN external_panel_orders q ON q.id = f.first",
    );
    if grouping == SupplyReportGrouping::Panel {
        sql = sql.push(" WHERE NOT b.is_archived OR f.k IS NOT NULL");
    }
    sql.push(" ORDER BY COALESCE(f.open, 0) + COALESCE(f.completed, 0) + COALESCE(f.partial, 0) + COALESCE(f.failed, 0) DESC, b.id LIMIT 1000")
}
