//! The doctor: checks all invariants of the data and names the records that violate them.
//!
//! It only reads. Each check is one statement, so it sees a consistent snapshot and can run while the panel works.

mod cash;
mod check;
mod checks;
mod counts;

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
use panel_platform::db::{Db, Source, Sql};
use panel_platform::secrets::{Secrets, rotation};

pub fn routes(api: Api) -> Api {
    api.on::<RunDoctor, _, _, _>(run_doctor)
}

async fn run_doctor(ctx: Ctx, _req: Req<RunDoctor>) -> Result<Data<DoctorReport>> {
    let data = run_all(ctx.db(), Some(&ctx.app.secrets), ctx.now()).await?;
    status::record_doctor_report(&mut ctx.db(), &data, ctx.now()).await?;
    Ok(Data { data })
}

/// Runs all checks. With the panel's keys, it also checks the seals of the audit trail and whether secrets can be decrypted.
pub async fn run_all(db: &Db, secrets: Option<&Secrets>, now: Time) -> Result<DoctorReport> {
    let mut report = run(&mut &*db, now).await?;
    let Some(secrets) = secrets else { return Ok(report) };
    let started = Instant::now();
    let violations = match verify::verify_all(db, secrets).await {
        Err(Error::Storage(StorageError { kind: StorageErrorKind::Setup, text })) => vec![text],
        result => result?,
    };
    let rule = "No sealed entry of the audit trail was changed.";
    add_check(&mut report, "audit_chain", rule, violations, started);
    let started = Instant::now();
    let violations = rotation::find_unreadable(db, secrets).await?;
    let rule = "Every sealed secret opens with a configured key.";
    add_check(&mut report, "secrets_open", rule, violations, started);
    Ok(report)
}

fn add_check(report: &mut DoctorReport, name: &str, rule: &str, violations: Vec<String>, started: Instant) {
    report.healthy &= violations.is_empty();
    report.checks.push(DoctorCheck {
        name: name.into(),
        rule: rule.into(),
        broken: i64::try_from(violations.len()).unwrap_or(i64::MAX),
        examples: violations.into_iter().take(5).collect(),
        took_ms: elapsed_ms(started),
    });
}

fn elapsed_ms(started: Instant) -> i64 {
    i64::try_from(started.elapsed().as_millis()).unwrap_or(i64::MAX)
}

/// Runs the SQL checks one after the other, to leave the database to other work.
pub async fn run(db: &mut impl Source, now: Time) -> Result<DoctorReport> {
    let mut checks = Vec::new();
    for check in checks::all() {
        checks.push(run_check(db, check, now).await?);
    }
    Ok(DoctorReport { healthy: checks.iter().all(|check| check.broken == 0), checks })
}

async fn run_check(db: &mut impl Source, check: &Check, now: Time) -> Result<DoctorCheck> {
    let started = Instant::now();
    let sql = Sql::new("SELECT CAST(id AS TEXT), count(*) OVER () FROM (")
        .append((check.select_violations)(now))
        .push(") AS broken ORDER BY 1 LIMIT ?")
        .bind(MAX_EXAMPLES);
    let rows: Vec<(String, i64)> = db.fetch_all(sql).await?;
    Ok(DoctorCheck {
        name: check.name.into(),
        rule: check.rule.into(),
        broken: rows.first().map_or(0, |row| row.1),
        examples: rows.into_iter().map(|row| format!("{} {}", check.record_noun, row.0)).collect(),
        took_ms: elapsed_ms(started),
    })
}

/// The report as text, one line per check.
#[must_use]
pub fn report_text(report: &DoctorReport) -> String {
    let mut text = String::new();
    for check in &report.checks {
        match check.broken {
            0 => text.push_str(&format!("ok      {} ({} ms)\n", check.name, check.took_ms)),
            broken => text.push_str(&format!(
                "BROKEN  {}: {broken}, such as {}\n        {}\n",
                check.name,
                check.examples.join(", "),
                check.rule
            )),
        }
    }
    let summary = match report.checks.iter().filter(|check| check.broken > 0).count() {
        0 => format!("All {} checks hold.\n", report.checks.len()),
        n => format!("{n} of {} checks are broken.\n", report.checks.len()),
    };
    text + &summary
}
