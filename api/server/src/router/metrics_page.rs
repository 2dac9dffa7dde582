//! `GET /metrics` in Prometheus' text format: recorded metrics, and gauges computed at the scrape. A scrape counts few rows:
//! from the database it reads materialized counts, due records up to a bound, and settings.

use std::time::Duration;

use axum::http::{HeaderValue, header};
use axum::response::{IntoResponse as _, Response};
use panel_contract::endpoints::system::Metrics;
use panel_contract::moment::Time;
use panel_contract::orders::OrderStatus;
use panel_kernel::error::Result;
use tokio::time::timeout;

use crate::app::panel_limits::PanelLimitState;
use crate::auth::sessions;
use crate::background::worker;
use crate::configuration::status;
use crate::context::Ctx;
use crate::http::{Req, layers};
use crate::metrics;
use crate::stores::backups;
use panel_kernel::circuit_breaker::BreakerState;
use panel_platform::db::counts;
use panel_platform::metrics::{catalogue, process};
use panel_platform::poller::workers::PollerBacklog;
use panel_platform::{jobs, quarantine};

const PROMETHEUS_TEXT: HeaderValue = HeaderValue::from_static("text/plain; version=0.0.4; charset=utf-8");

/// Timeout for the database; less than the ten seconds after which Prometheus gives up a scrape.
const DATABASE_TIMEOUT: Duration = Duration::from_secs(3);

/// Serves the metrics to callers with the token or on the same machine. All others get the response of an unknown route.
pub(super) async fn serve_metrics(ctx: Ctx, _req: Req<Metrics>) -> Result<Response> {
    let token = ctx.app.config.metrics_token.as_deref().map(sessions::hash);
    let has_token = token.is_some_and(|token| {
        ctx.meta.token_hash.is_some_and(|request_token_hash| token == request_token_hash)
    });
    if !has_token && !ctx.meta.is_local {
        return Err(layers::route_not_found(&ctx.meta.path));
    }
    let mut text = ctx.app.metrics.render();
    write_database(&ctx, &mut text);
    write_memory(&ctx, &mut text);
    write_panels(&ctx, &mut text);
    process::write_metrics(&mut text, ctx.app.started_at, env!("CARGO_PKG_VERSION"));
    let is_read = write_records_in_time(&ctx, &mut text).await;
    catalogue::DB_METRICS_READ.write_unlabeled(&mut text, f64::from(u8::from(is_read)));
    Ok(([(header::CONTENT_TYPE, PROMETHEUS_TEXT)], text).into_response())
}

/// Appends the metrics from the database, or none of them if reading fails or takes too long: during an outage the other
/// metrics are most needed.
async fn write_records_in_time(ctx: &Ctx, text: &mut String) -> bool {
    let mut records = String::new();
    match timeout(DATABASE_TIMEOUT, write_records(ctx, &mut records)).await {
        Ok(Ok(())) => {
            text.push_str(&records);
            return true;
        }
        Ok(Err(error)) if error.is_unavailable() => {}
        Ok(Err(error)) => tracing::error!(?error, "failed to read metrics from the database"),
        Err(_) => tracing::warn!("timed out reading metrics from the database"),
    }
    false
}

/// Database connections of this process.
fn write_database(ctx: &Ctx, text: &mut String) {
    let db = ctx.db();
    catalogue::DB_AVAILABLE.write_unlabeled(text, f64::from(u8::from(db.is_available())));
    catalogue::DB_POOL_IN_USE.write_unlabeled(text, db.in_use() as f64);
    let pools = db.pools();
    let states = pools.iter().flat_map(|(pool, size)| {
        [([*pool, "in_use"], f64::from(size.in_use)), ([*pool, "idle"], f64::from(size.idle))]
    });
    catalogue::DB_CONNECTIONS.write(text, states);
    catalogue::DB_CONNECTIONS_MAX
        .write(text, pools.iter().map(|(pool, size)| ([*pool], f64::from(size.max))));
}

fn write_memory(ctx: &Ctx, text: &mut String) {
    catalogue::WS_CONNECTIONS.write_unlabeled(text, ctx.app.live.open_sockets() as f64);
    metrics::BODY_BYTES.write_unlabeled(text, ctx.app.bodies.reserved() as f64);
}

/// Rate limits and circuit breakers of the panels that this process has called.
fn write_panels(ctx: &Ctx, text: &mut String) {
    let states = ctx.app.panel_limits.snapshot(ctx.now());
    let series = |value_of: fn(&PanelLimitState) -> f64| {
        states
            .iter()
            .map(move |state| ([state.external_panel_id.to_string()], value_of(state)))
            .collect::<Vec<_>>()
    };
    metrics::PANEL_BREAKER.write(text, series(|state| breaker_value(state.breaker)));
    metrics::PANEL_RATE_AVAILABLE.write(text, series(|state| state.available as f64));
    metrics::PANEL_RATE_BURST.write(text, series(|state| state.burst as f64));
}

const fn breaker_value(state: BreakerState) -> f64 {
    match state {
        BreakerState::Closed => 0.0,
        BreakerState::HalfOpen => 1.0,
        BreakerState::Open => 2.0,
    }
}

/// Appends the metrics from the database; nothing unless all of them could be read.
async fn write_records(ctx: &Ctx, text: &mut String) -> Result<()> {
    let mut orders = Vec::new();
    for status in OrderStatus::ALL {
        let count = counts::count(&mut ctx.db(), "orders", status.as_str()).await?;
        orders.push(([status.as_str()], count as f64));
    }
    let (unfinished_jobs, oldest_job_at) = jobs::store::read_queue_depth(ctx.db()).await?;
    let quarantined = quarantine::store::count_records(&mut ctx.db()).await?;
    let backlog = worker::workers(&ctx.app).read_backlogs(&ctx.app).await?;
    let backup = backups::load_health(&ctx.app, &mut ctx.db()).await?;
    let doctor = status::load_last_doctor_report(&mut ctx.db()).await?;
    let age_seconds = |since: i64| (ctx.now().0 - since).max(0) / 1_000_000;
    metrics::ORDERS.write(text, orders);
    catalogue::OUTBOX_DEPTH.write_unlabeled(text, unfinished_jobs as f64);
    catalogue::OUTBOX_OLDEST.write_unlabeled(text, oldest_job_at.map_or(0, age_seconds) as f64);
    let by_poller = |value_of: fn(&PollerBacklog, Time) -> i64| {
        backlog
            .iter()
            .map(move |poller_backlog| ([poller_backlog.poller], value_of(poller_backlog, ctx.now()) as f64))
            .collect::<Vec<_>>()
    };
    catalogue::POLLER_DUE.write(text, by_poller(|poller_backlog, _| poller_backlog.due));
    catalogue::POLLER_LAG.write(text, by_poller(PollerBacklog::lag_seconds));
    let records = [(["suspected"], quarantined.suspected), (["quarantined"], quarantined.quarantined)];
    catalogue::QUARANTINE_RECORDS.write(text, records.map(|(status, count)| (status, count as f64)));
    if let Some(Time(last_backup_at)) = backup.last_backup_at {
        metrics::BACKUP_AGE.write_unlabeled(text, age_seconds(last_backup_at) as f64);
    }
    metrics::BACKUP_OVERDUE.write_unlabeled(text, f64::from(u8::from(backup.is_overdue)));
    if let Some(doctor) = doctor {
        metrics::DOCTOR_BROKEN.write_unlabeled(text, doctor.broken.len() as f64);
        metrics::DOCTOR_CHECKED.write_unlabeled(text, (doctor.checked_at.0 / 1_000_000) as f64);
    }
    Ok(())
}
