//! Endpoints about the server itself: health and the OpenAPI document. Metrics have their own module.

use axum::http::{HeaderValue, header};
use axum::response::{IntoResponse as _, Response};
use panel_contract::endpoints::system::{Healthz, Metrics, OpenApi, Readyz};
use panel_contract::system::Health;
use panel_kernel::error::{Error, Result};
use panel_kernel::rejection::RejectionKind;

use crate::context::Ctx;
use crate::http::Req;
use crate::http::api::Api;
use crate::router::{metrics_page, routes};

pub fn routes(api: Api) -> Api {
    api.on::<Healthz, _, _, _>(healthz)
        .on::<Readyz, _, _, _>(readyz)
        .raw::<Metrics, _, _>(metrics_page::serve_metrics)
        .raw::<OpenApi, _, _>(openapi)
}

fn health() -> Health {
    Health { status: "ok".into(), version: env!("CARGO_PKG_VERSION").into() }
}

async fn healthz(_ctx: Ctx, _req: Req<Healthz>) -> Result<Health> {
    Ok(health())
}

/// Checks that the database answers and accepts a write: a server that can only read is not ready.
async fn readyz(ctx: Ctx, _req: Req<Readyz>) -> Result<Health> {
    if *ctx.app.stop.borrow() {
        let message = "This server is stopping; send requests to another one.";
        return Err(Error::rejected(RejectionKind::Unavailable, "server_stopping", message));
    }
    ctx.app.readiness.check(&ctx.app).await?;
    Ok(health())
}

async fn openapi(ctx: Ctx, _req: Req<OpenApi>) -> Result<Response> {
    let bytes = ctx.app.openapi.get_or_init(|| routes::document().to_string().into_bytes().into()).clone();
    Ok(([(header::CONTENT_TYPE, HeaderValue::from_static("application/json"))], bytes).into_response())
}
