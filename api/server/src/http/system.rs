//! Endpoints about the server itself: health, metrics, the OpenAPI document.

use axum::http::{HeaderValue, header};
use axum::response::{IntoResponse as _, Response};
use panel_contract::endpoints::system::{Healthz, Metrics, OpenApi, Readyz};
use panel_contract::orders::OrderStatus;
use panel_contract::system::Health;
use panel_kernel::error::{Error, Result};
use panel_kernel::rejection::RejectionKind;

use crate::backup::schedule;
use crate::context::Ctx;
use crate::http::Req;
use crate::http::api::Api;
use panel_platform::db::counts;
use panel_platform::jobs;
use panel_platform::quarantine;

/// Adds them.
pub fn routes(api: Api) -> Api {
    api.on::<Healthz, _, _, _>(healthz)
        .on::<Readyz, _, _, _>(readyz)
        .raw::<Metrics, _, _>(metrics)
        .raw::<OpenApi, _, _>(openapi)
}

fn health() -> Health {
    Health { status: "ok".into(), version: env!("CARGO_PKG_VERSION").into() }
}

async fn healthz(_ctx: Ctx, _req: Req<Healthz>) -> Result<Health> {
    Ok(health())
}

/// The database answers and takes a change: a server that can only read is not ready.
async fn readyz(ctx: Ctx, _req: Req<Readyz>) -> Result<Health> {
    if *ctx.app.stop.borrow() {
        let message = "This server is stopping; send requests to another one.";
        return Err(Error::rejected(RejectionKind::Unavailable, "server_stopping", message));
    }
    ctx.app.readiness.check(&ctx.app).await?;
    Ok(health())
}

/// Only for whoever knows the token, or sits on the same machine; nobody else learns that it exists.
async fn metrics(ctx: Ctx, _req: Req<Metrics>) -> Result<Response> {
    let token = ctx.app.config.metrics_token.as_deref().map(crate::auth::sessions::hash);
    let knows = token.is_some_and(|token| ctx.meta.token_hash.is_some_and(|given| token == given));
    if !knows && !ctx.meta.is_local {
        return Err(super::layers::no_route(&ctx.meta.path));
    }
    let mut text = ctx.app.metrics.render();
    match database_gauges(&ctx, &mut text).await {
        // An outage is when the other numbers are wanted most.
        Err(error) if error.is_gone() => {}
        gauges => gauges?,
    }
    let one = |n: i64| [(String::new(), n)];
    let is_available = i64::from(ctx.db().is_available());
    gauge(&mut text, "panel_db_available", "Whether the database answers.", &one(is_available));
    let sockets = i64::try_from(ctx.app.live.open_sockets()).unwrap_or(i64::MAX);
    gauge(&mut text, "panel_ws_connections", "Live sockets that are open.", &one(sockets));
    let bodies = i64::try_from(ctx.app.bodies.reserved()).unwrap_or(i64::MAX);
    gauge(&mut text, "panel_request_body_bytes", "Memory reserved for request bodies.", &one(bodies));
    gauge(&mut text, "panel_db_pool_in_use", "Database connections at work.", &one(ctx.db().in_use()));
    Ok(([(header::CONTENT_TYPE, HeaderValue::from_static("text/plain; version=0.0.4; charset=utf-8"))], text)
        .into_response())
}

/// Adds the numbers that are read from the database.
async fn database_gauges(ctx: &Ctx, text: &mut String) -> Result<()> {
    let mut orders = Vec::new();
    for status in OrderStatus::ALL {
        let n = counts::count(&mut ctx.db(), "orders", status.as_str()).await?;
        orders.push((format!("{{status=\"{status}\"}}"), n));
    }
    let (waiting, oldest) = jobs::store::depth(ctx.db()).await?;
    let age = oldest.map_or(0, |oldest| (ctx.now().0 - oldest).max(0) / 1_000_000);
    let quarantined = quarantine::store::counts(&mut ctx.db()).await?;
    gauge(text, "panel_orders", "Orders by status.", &orders);
    let one = |n: i64| [(String::new(), n)];
    gauge(text, "panel_outbox_depth", "Jobs that wait.", &one(waiting));
    gauge(text, "panel_outbox_oldest_seconds", "Age of the oldest job that waits.", &one(age));
    let records = [
        ("{status=\"suspected\"}".to_owned(), quarantined.suspected),
        ("{status=\"quarantined\"}".to_owned(), quarantined.quarantined),
    ];
    gauge(text, "panel_quarantine_records", "Records whose work may have ended a process.", &records);
    let backup = schedule::health(&ctx.app, &mut ctx.db()).await?;
    if let Some(last) = backup.last {
        let age = (ctx.now().0 - last.0).max(0) / 1_000_000;
        gauge(text, "panel_backup_age_seconds", "Time since the last backup was begun.", &one(age));
    }
    let overdue = i64::from(backup.overdue);
    gauge(text, "panel_backup_overdue", "1 where the last backup is too old.", &one(overdue));
    Ok(())
}

fn gauge(text: &mut String, name: &str, help: &str, series: &[(String, i64)]) {
    text.push_str(&format!("# HELP {name} {help}\n# TYPE {name} gauge\n"));
    for (labels, value) in series {
        text.push_str(&format!("{name}{labels} {value}\n"));
    }
}

async fn openapi(ctx: Ctx, _req: Req<OpenApi>) -> Result<Response> {
    let bytes =
        ctx.app.openapi.get_or_init(|| super::routes::document().to_string().into_bytes().into()).clone();
    Ok(([(header::CONTENT_TYPE, HeaderValue::from_static("application/json"))], bytes).into_response())
}
