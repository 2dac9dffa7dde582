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
use panel_platform::db::{Dialect, Source, Sql, facts};
use panel_platform::jobs;
use panel_platform::quarantine;
use panel_platform::settings;

/// The setting with the doctor's last report.
const LAST_DOCTOR: &str = "last_doctor";

/// Adds the endpoint.
pub fn routes(api: Api) -> Api {
    api.on::<GetSystemStatus, _, _, _>(status)
}

async fn status(ctx: Ctx, _req: Req<GetSystemStatus>) -> Result<Data<SystemStatus>> {
    let (db, now) = (ctx.db(), ctx.now());
    let (bytes, migration) = facts::size_and_migration(db).await?;
    let counts = counts(&mut ctx.db()).await?;
    let backup = backups::health(&ctx.app, &mut ctx.db()).await?;
    let data = SystemStatus {
        version: env!("CARGO_PKG_VERSION").into(),
        started_at: ctx.app.started_at,
        now,
        database: DatabaseStatus {
            kind: if db.dialect() == Dialect::Sqlite { "sqlite" } else { "postgres" }.into(),
            bytes,
            migration,
            connections_in_use: db.in_use(),
        },
        queues: jobs::store::queues(db, now).await?,
        processes: counts.processes,
        sockets: i64::try_from(ctx.app.live.open_sockets()).unwrap_or(i64::MAX),
        webhooks: WebhookCounts { active: counts.active, failing: counts.failing, switched_off: counts.off },
        external_panels: PanelCounts { active: counts.panels, failing: counts.panels_failing },
        quarantine: quarantine::store::counts(&mut ctx.db()).await?,
        ledger_check: last_doctor(&mut ctx.db()).await?,
        last_backup_at: backup.last,
        backup_is_overdue: backup.overdue,
        backup_error: backup.error,
    };
    Ok(Data { data })
}

/// Stores the summary of the doctor's report for the status page.
pub async fn record_doctor_report(db: &mut impl Source, report: &DoctorReport, now: Time) -> Result<()> {
    let broken: Vec<&str> =
        report.checks.iter().filter(|check| check.broken > 0).map(|check| check.name.as_str()).collect();
    let stored = json!({ "checked_at": now, "healthy": report.healthy, "broken": broken });
    settings::put(db, LAST_DOCTOR, &stored, now).await
}

/// The doctor's last stored report.
pub(crate) async fn last_doctor(db: &mut impl Source) -> Result<Option<LedgerCheck>> {
    let stored = settings::get(db, LAST_DOCTOR).await?;
    Ok(stored.and_then(|stored| serde_json::from_value(stored).ok()))
}

// Store

#[derive(sqlx::FromRow)]
struct Counts {
    active: i64,
    failing: i64,
    off: i64,
    panels: i64,
    panels_failing: i64,
    processes: i64,
}

async fn counts(db: &mut impl Source) -> Result<Counts> {
    let sql = "SELECT (SELECT count(*) FROM webhooks WHERE is_active = TRUE AND failing_since IS NULL) AS active,
        (SELECT count(*) FROM webhooks WHERE is_active = TRUE AND failing_since IS NOT NULL) AS failing,
        (SELECT count(*) FROM webhooks WHERE is_active = FALSE AND switched_off IS NOT NULL) AS off,
        (SELECT count(*) FROM external_panels WHERE is_archived = FALSE) AS panels,
        (SELECT count(*) FROM external_panels WHERE is_archived = FALSE AND (sync_failed = TRUE OR status = 'error')) AS panels_failing,
        (SELECT count(*) FROM processes) AS processes";
    Ok(db.one(Sql::new(sql)).await?)
}
