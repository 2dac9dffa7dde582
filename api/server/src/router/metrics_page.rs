//! `GET /metrics` in the text format of Prometheus: recorded metrics, and gauges that are computed during the scrape. A scrape
//! reads few rows from the database: materialized counts, due records up to a maximum number, and settings.

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

const PROMETHEUS_MEDIA_TYPE: HeaderValue =
    HeaderValue::from_static("text/plain; version=0.0.4; charset=utf-8");

/// Timeout for the database; less than the ten seconds after which Prometheus gives up a scrape.
const DATABASE_TIMEOUT: Duration = Duration::from_secs(3);

/// Returns the metrics to callers with the metrics token or on the same machine. All other callers get the response of an
/// unknown route.
pub(super) async fn serve_metrics(ctx: Ctx, _req: Req<Metrics>) -> Result<Response> {
    let metrics_token_hash = ctx.app.config.metrics_token.as_deref().map(sessions::hash);
    let has_token = metrics_token_hash.is_some_and(|metrics_token_hash| {
        ctx.meta.token_hash.is_some_and(|request_token_hash| metrics_token_hash == request_token_hash)
    });
    if !has_token && !ctx.meta.is_local {
        return Err(layers::route_not_found(&ctx.meta.path));
    }
    let mut text = ctx.app.metrics_handle.render();
    write_connection_metrics(&ctx, &mut text);
    write_memory_metrics(&ctx, &mut text);
    write_external_panel_metrics(&ctx, &mut text);
    process::write_metrics(&mut text, ctx.app.started_at, env!("CARGO_PKG_VERSION"));
    let has_stored_metrics = write_stored_metrics_before_timeout(&ctx, &mut text).await;
    catalogue::DB_METRICS_READ.write_unlabeled(&mut text, f64::from(u8::from(has_stored_metrics)));
    Ok(([(header::CONTENT_TYPE, PROMETHEUS_MEDIA_TYPE)], text).into_response())
}

/// Appends the metrics from the database, and returns whether it did. If reading fails or takes too long, appends none of them:
/// operators need the other metrics most during an outage of the database.
async fn write_stored_metrics_before_timeout(ctx: &Ctx, text: &mut String) -> bool {
    let mut stored_metrics = String::new();
    match timeout(DATABASE_TIMEOUT, write_stored_metrics(ctx, &mut stored_metrics)).await {
        Ok(Ok(())) => {
            text.push_str(&stored_metrics);
            return true;
        }
        Ok(Err(error)) if error.is_unavailable() => {}
        Ok(Err(error)) => tracing::error!(?error, "failed to read metrics from the database"),
        Err(_) => tracing::warn!("timed out reading metrics from the database"),
    }
    false
}

/// Database connections of this process.
fn write_connection_metrics(ctx: &Ctx, text: &mut String) {
    let db = ctx.db();
    catalogue::DB_AVAILABLE.write_unlabeled(text, f64::from(u8::from(db.is_available())));
    catalogue::DB_POOL_IN_USE.write_unlabeled(text, db.in_use() as f64);
    let pools = db.pools();
    let connection_counts = pools.iter().flat_map(|(pool, size)| {
        [([*pool, "in_use"], f64::from(size.in_use)), ([*pool, "idle"], f64::from(size.idle))]
    });
    catalogue::DB_CONNECTIONS.write(text, connection_counts);
    catalogue::DB_CONNECTIONS_MAX
        .write(text, pools.iter().map(|(pool, size)| ([*pool], f64::from(size.max))));
}

fn write_memory_metrics(ctx: &Ctx, text: &mut String) {
    catalogue::WS_CONNECTIONS.write_unlabeled(text, ctx.app.live.open_sockets() as f64);
    metrics::BODY_BYTES.write_unlabeled(text, ctx.app.body_budget.reserved_bytes() as f64);
}

/// Rate limits and circuit breakers of the external panels to which this process has sent requests.
fn write_external_panel_metrics(ctx: &Ctx, text: &mut String) {
    let states = ctx.app.panel_limits.snapshot(ctx.now());
    let values_by_panel = |value_of: fn(&PanelLimitState) -> f64| {
        states
            .iter()
            .map(move |state| ([state.external_panel_id.to_string()], value_of(state)))
            .collect::<Vec<_>>()
    };
    metrics::PANEL_BREAKER.write(text, values_by_panel(|state| breaker_state_value(state.breaker)));
    metrics::PANEL_RATE_AVAILABLE.write(text, values_by_panel(|state| state.available_requests as f64));
    metrics::PANEL_RATE_BURST.write(text, values_by_panel(|state| state.burst as f64));
}

const fn breaker_state_value(state: BreakerState) -> f64 {
    match state {
        BreakerState::Closed => 0.0,
        BreakerState::HalfOpen => 1.0,
        BreakerState::Open => 2.0,
    }
}

/// Appends the metrics from the database; nothing unless all of them could be read.
async fn write_stored_metrics(ctx: &Ctx, text: &mut String) -> Result<()> {
    let mut order_counts = Vec::new();
    for status in OrderStatus::ALL {
        let count = counts::count(&mut ctx.db(), "orders", status.as_str()).await?;
        order_counts.push(([status.as_str()], count as f64));
    }
    let (unfinished_jobs, oldest_job_at) = jobs::store::read_queue_depth(ctx.db()).await?;
    let quarantine_counts = quarantine::store::count_records(&mut ctx.db()).await?;
    let backlogs = worker::workers(&ctx.app).read_backlogs(&ctx.app).await?;
    let backup_health = backups::load_health(&ctx.app, &mut ctx.db()).await?;
    let doctor_report = status::load_last_doctor_report(&mut ctx.db()).await?;
    let age_seconds = |start_micros: i64| (ctx.now().0 - start_micros).max(0) / 1_000_000;
    metrics::ORDERS.write(text, order_counts);
    catalogue::OUTBOX_DEPTH.write_unlabeled(text, unfinished_jobs as f64);
    catalogue::OUTBOX_OLDEST.write_unlabeled(text, oldest_job_at.map_or(0, age_seconds) as f64);
    let values_by_poller = |value_of: fn(&PollerBacklog, Time) -> i64| {
        backlogs
            .iter()
            .map(move |poller_backlog| ([poller_backlog.poller], value_of(poller_backlog, ctx.now()) as f64))
            .collect::<Vec<_>>()
    };
    catalogue::POLLER_DUE.write(text, values_by_poller(|poller_backlog, _| poller_backlog.due));
    catalogue::POLLER_LAG.write(text, values_by_poller(PollerBacklog::lag_seconds));
    let counts_by_status =
        [(["suspected"], quarantine_counts.suspected), (["quarantined"], quarantine_counts.quarantined)];
    catalogue::QUARANTINE_RECORDS.write(text, counts_by_status.map(|(status, count)| (status, count as f64)));
    if let Some(Time(last_backup_at)) = backup_health.last_backup_at {
        metrics::BACKUP_AGE.write_unlabeled(text, age_seconds(last_backup_at) as f64);
    }
    metrics::BACKUP_OVERDUE.write_unlabeled(text, f64::from(u8::from(backup_health.is_overdue)));
    if let Some(doctor_report) = doctor_report {
        metrics::DOCTOR_BROKEN.write_unlabeled(text, doctor_report.failed_checks.len() as f64);
        metrics::DOCTOR_CHECKED.write_unlabeled(text, (doctor_report.checked_at.0 / 1_000_000) as f64);
    }
    Ok(())
}
