//! The system status: version, database, queues, processes, webhooks, external panels, quarantine, doctor and backups.

use panel_contract::common::Data;
use panel_contract::endpoints::jobs::GetSystemStatus;
use panel_contract::jobs::{DatabaseStatus, LedgerCheck, PanelCounts, SystemStatus, WebhookCounts};
use panel_contract::moment::Time;
use panel_contract::system::DoctorReport;
use panel_kernel::error::Result;
use serde_json::json;

use crate::context::Ctx;
use crate::http::Req;
use crate::http::api::Api;
use crate::stores::backups;
use panel_platform::db::{Dialect, Sql, SqlExecutor, facts};
use panel_platform::jobs;
use panel_platform::quarantine;
use panel_platform::settings;

/// Key of the setting with the doctor's last report.
const LAST_DOCTOR_REPORT_KEY: &str = "last_doctor";

pub fn routes(api: Api) -> Api {
    api.route::<GetSystemStatus, _, _, _>(get_status)
}

async fn get_status(ctx: Ctx, _req: Req<GetSystemStatus>) -> Result<Data<SystemStatus>> {
    let (db, now) = (ctx.db(), ctx.now());
    let database_facts = facts::load_facts(db).await?;
    let counts = load_counts(&mut ctx.db()).await?;
    let backup = backups::load_health(&ctx.app, &mut ctx.db()).await?;
    let data = SystemStatus {
        version: env!("CARGO_PKG_VERSION").into(),
        started_at: ctx.app.started_at,
        now,
        database: DatabaseStatus {
            kind: if db.dialect() == Dialect::Sqlite { "sqlite" } else { "postgres" }.into(),
            bytes: database_facts.size_bytes,
            migration: database_facts.migration,
            connections_in_use: db.in_use(),
        },
        queues: jobs::store::load_queue_statuses(db, now).await?,
        processes: counts.processes,
        sockets: i64::try_from(ctx.app.live.open_sockets()).unwrap_or(i64::MAX),
        webhooks: WebhookCounts {
            active: counts.active_webhooks,
            failing: counts.failing_webhooks,
            auto_disabled: counts.auto_disabled_webhooks,
        },
        external_panels: PanelCounts { active: counts.panels, failing: counts.failing_panels },
        quarantine: quarantine::store::count_records(&mut ctx.db()).await?,
        ledger_check: load_last_doctor_report(&mut ctx.db()).await?,
        last_backup_at: backup.last_backup_at,
        backup_is_overdue: backup.is_overdue,
        backup_error: backup.error,
    };
    Ok(Data { data })
}

/// Stores the summary of the doctor's report for the status page.
pub async fn record_doctor_report(db: &mut impl SqlExecutor, report: &DoctorReport, now: Time) -> Result<()> {
    let failed_checks: Vec<&str> = report
        .checks
        .iter()
        .filter(|check| check.violation_count > 0)
        .map(|check| check.name.as_str())
        .collect();
    let summary = json!({ "checked_at": now, "healthy": report.healthy, "failed_checks": failed_checks });
    settings::put(db, LAST_DOCTOR_REPORT_KEY, &summary, now).await
}

/// Loads the summary of the doctor's last report.
pub(crate) async fn load_last_doctor_report(db: &mut impl SqlExecutor) -> Result<Option<LedgerCheck>> {
    let stored_report = settings::read_stored(db, LAST_DOCTOR_REPORT_KEY).await?;
    Ok(stored_report.and_then(|report| serde_json::from_value(report).ok()))
}

// Store

#[derive(sqlx::FromRow)]
struct StatusCounts {
    active_webhooks: i64,
    failing_webhooks: i64,
    auto_disabled_webhooks: i64,
    panels: i64,
    failing_panels: i64,
    processes: i64,
}

async fn load_counts(db: &mut impl SqlExecutor) -> Result<StatusCounts> {
    let sql = "SELECT (SELECT count(*) FROM webhooks WHERE is_active = TRUE AND failing_since IS NULL) AS active_webhooks,
        (SELECT count(*) FROM webhooks WHERE is_active = TRUE AND failing_since IS NOT NULL) AS failing_webhooks,
        (SELECT count(*) FROM webhooks WHERE is_active = FALSE AND auto_disabled IS NOT NULL) AS auto_disabled_webhooks,
        (SELECT count(*) FROM external_panels WHERE is_archived = FALSE) AS panels,
        (SELECT count(*) FROM external_panels WHERE is_archived = FALSE AND (sync_failed = TRUE OR status = 'error')) AS failing_panels,
        (SELECT count(*) FROM processes) AS processes";
    Ok(db.fetch_one(Sql::new(sql)).await?)
}
