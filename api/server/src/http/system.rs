//! Endpoints about the server itself: health, metrics, the OpenAPI document.

use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse as _, Response};
use panel_contract::endpoints::system::{Healthz, Metrics, OpenApi, Readyz};
use panel_contract::orders::OrderStatus;
use panel_contract::system::Health;

use crate::db::{Source as _, Sql, counts};
use crate::http::api::Api;
use crate::http::error::{ApiError, Result};
use crate::http::{Ctx, Req};
use crate::jobs;

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

async fn readyz(ctx: Ctx, _req: Req<Readyz>) -> Result<Health> {
    let looked = (&mut ctx.db()).one::<(i64,)>(Sql::new("SELECT count(*) FROM settings")).await;
    looked.map_err(|error| {
        tracing::warn!(%error, "not ready");
        ApiError::told(
            StatusCode::SERVICE_UNAVAILABLE,
            "database_unreachable",
            "The database cannot be reached or is not migrated.",
        )
    })?;
    Ok(health())
}

/// Only for whoever knows the token, or sits on the same machine; nobody else learns that it exists.
async fn metrics(ctx: Ctx, _req: Req<Metrics>) -> Result<Response> {
    let token = ctx.app.config.metrics_token.as_deref().map(|token| crate::auth::sessions::hash(token));
    let knows = token.is_some_and(|token| ctx.meta.token_hash.is_some_and(|given| token == given));
    if !knows && !ctx.meta.ip.is_loopback() {
        return Err(super::layers::no_route(&ctx.meta.path));
    }
    let mut text = ctx.app.metrics.render();
    for status in OrderStatus::ALL {
        let n = counts::count(&mut ctx.db(), "orders", status.as_str()).await?;
        text.push_str(&format!("panel_orders{{status=\"{status}\"}} {n}\n"));
    }
    let (waiting, oldest) = jobs::store::depth(ctx.db()).await?;
    let age = oldest.map_or(0, |oldest| (ctx.now().0 - oldest).max(0) / 1_000_000);
    let sockets = ctx.app.live.open_sockets();
    text.push_str(&format!(
        "panel_outbox_depth {waiting}\npanel_outbox_oldest_seconds {age}\npanel_ws_connections {sockets}\n"
    ));
    Ok(([(header::CONTENT_TYPE, HeaderValue::from_static("text/plain; version=0.0.4; charset=utf-8"))], text)
        .into_response())
}

async fn openapi(ctx: Ctx, _req: Req<OpenApi>) -> Result<Response> {
    let bytes =
        ctx.app.openapi.get_or_init(|| super::routes::document().to_string().into_bytes().into()).clone();
    Ok(([(header::CONTENT_TYPE, HeaderValue::from_static("application/json"))], bytes).into_response())
}
