//! Endpoints for the health of the server and for the OpenAPI document. `metrics_page` serves the metrics.

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
    api.route::<Healthz, _, _, _>(healthz)
        .route::<Readyz, _, _, _>(readyz)
        .route_with_response::<Metrics, _, _>(metrics_page::serve_metrics)
        .route_with_response::<OpenApi, _, _>(serve_openapi_document)
}

fn healthy_response() -> Health {
    Health { status: "ok".into(), version: env!("CARGO_PKG_VERSION").into() }
}

async fn healthz(_ctx: Ctx, _req: Req<Healthz>) -> Result<Health> {
    Ok(healthy_response())
}

/// Checks that the database responds and accepts a write: a server that can only read is not ready.
async fn readyz(ctx: Ctx, _req: Req<Readyz>) -> Result<Health> {
    if *ctx.app.stop.borrow() {
        let message = "This server is stopping; send requests to another one.";
        return Err(Error::rejected(RejectionKind::Unavailable, "server_stopping", message));
    }
    ctx.app.readiness.check(&ctx.app).await?;
    Ok(healthy_response())
}

async fn serve_openapi_document(ctx: Ctx, _req: Req<OpenApi>) -> Result<Response> {
    let bytes = ctx
        .app
        .openapi_document
        .get_or_init(|| routes::openapi_document().to_string().into_bytes().into())
        .clone();
    Ok(([(header::CONTENT_TYPE, HeaderValue::from_static("application/json"))], bytes).into_response())
}
