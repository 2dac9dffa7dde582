//! The doctor checks all invariants of the data and names the records that violate them.
//!
//! It must only read. Each check is one SQL statement, so it reads a consistent snapshot and can run while the panel is online.

mod check;
mod checks;
mod counts;
mod withdrawals_and_invoices;

use check::{Check, MAX_EXAMPLES};

use std::time::Instant;

use panel_contract::common::Data;
use panel_contract::endpoints::system::RunDoctor;
use panel_contract::moment::Time;
use panel_contract::system::{DoctorCheck, DoctorReport};
use panel_kernel::error::{Error, Result};
use panel_kernel::storage_error::{StorageError, StorageErrorKind};

use crate::configuration::status;
use crate::context::Ctx;
use crate::http::Req;
use crate::http::api::Api;
use panel_platform::audit::verify;
use panel_platform::db::{Db, Sql, SqlExecutor};
use panel_platform::secrets::{Secrets, rotation};

pub fn routes(api: Api) -> Api {
    api.route::<RunDoctor, _, _, _>(run_doctor)
}

async fn run_doctor(ctx: Ctx, _req: Req<RunDoctor>) -> Result<Data<DoctorReport>> {
    let data = run_all(ctx.db(), Some(&ctx.app.secrets), ctx.now()).await?;
    status::record_doctor_report(&mut ctx.db(), &data, ctx.now()).await?;
    Ok(Data { data })
}

/// Runs all checks. If `secrets` holds the panel's keys, also checks the seals of the audit trail and whether all secrets can be
/// decrypted.
pub async fn run_all(db: &Db, secrets: Option<&Secrets>, now: Time) -> Result<DoctorReport> {
    let mut report = run_sql_checks(&mut &*db, now).await?;
    let Some(secrets) = secrets else { return Ok(report) };
    let started_at = Instant::now();
    let violations = match verify::verify_all(db, secrets).await {
        Err(Error::Storage(StorageError { kind: StorageErrorKind::Setup, text })) => vec![text],
        result => result?,
    };
    let rule = "No sealed entry of the audit trail was changed.";
    add_check(&mut report, "audit_chain", rule, violations, started_at);
    let started_at = Instant::now();
    let violations = rotation::find_unreadable(db, secrets).await?;
    let rule = "Every sealed secret can be decrypted with a configured key.";
    add_check(&mut report, "secrets_open", rule, violations, started_at);
    Ok(report)
}

fn add_check(
    report: &mut DoctorReport,
    name: &str,
    rule: &str,
    violations: Vec<String>,
    started_at: Instant,
) {
    report.healthy &= violations.is_empty();
    report.checks.push(DoctorCheck {
        name: name.into(),
        rule: rule.into(),
        violation_count: i64::try_from(violations.len()).unwrap_or(i64::MAX),
        examples: violations.into_iter().take(5).collect(),
        took_ms: elapsed_ms(started_at),
    });
}

fn elapsed_ms(started_at: Instant) -> i64 {
    i64::try_from(started_at.elapsed().as_millis()).unwrap_or(i64::MAX)
}

/// Runs the SQL checks one after the other, so that the database can also process requests.
pub async fn run_sql_checks(db: &mut impl SqlExecutor, now: Time) -> Result<DoctorReport> {
    let mut checks = Vec::new();
    for check in checks::all_checks() {
        checks.push(run_check(db, check, now).await?);
    }
    Ok(DoctorReport { healthy: checks.iter().all(|check| check.violation_count == 0), checks })
}

async fn run_check(db: &mut impl SqlExecutor, check: &Check, now: Time) -> Result<DoctorCheck> {
    let started_at = Instant::now();
    let sql = Sql::new("SELECT CAST(id AS TEXT), count(*) OVER () FROM (")
        .append((check.select_violations)(now))
        .push(") AS broken ORDER BY 1 LIMIT ?")
        .bind(MAX_EXAMPLES);
    let rows: Vec<(String, i64)> = db.fetch_all(sql).await?;
    Ok(DoctorCheck {
        name: check.name.into(),
        rule: check.rule.into(),
        violation_count: rows.first().map_or(0, |row| row.1),
        examples: rows.into_iter().map(|row| format!("{} {}", check.record_noun, row.0)).collect(),
        took_ms: elapsed_ms(started_at),
    })
}

/// Formats the report as text with one line per check.
#[must_use]
pub fn format_report(report: &DoctorReport) -> String {
    let mut text = String::new();
    for check in &report.checks {
        match check.violation_count {
            0 => text.push_str(&format!("ok      {} ({} ms)\n", check.name, check.took_ms)),
            violation_count => text.push_str(&format!(
                "FAILED  {}: {violation_count} violation{}, such as {}\n        {}\n",
                check.name,
                if violation_count == 1 { "" } else { "s" },
                check.examples.join(", "),
                check.rule
            )),
        }
    }
    let failed_count = report.checks.iter().filter(|check| check.violation_count > 0).count();
    let summary = match failed_count {
        0 => format!("All {} checks passed.\n", report.checks.len()),
        _ => format!("{failed_count} of {} checks failed.\n", report.checks.len()),
    };
    text + &summary
}
