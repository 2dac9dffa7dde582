//! The router made from the endpoint table: one row, one handler; guard, retries and idempotency come with it.

use std::future::Future;

use axum::Router;
use axum::body::Body;
use axum::extract::State;
use axum::http::{HeaderValue, Request, StatusCode};
use axum::response::Response;
use axum::routing::{MethodFilter, on};
use panel_contract::endpoint::{Endpoint, Op, Who};
use panel_contract::permission::Permission;
use std::sync::Arc;

use crate::app::App;
use crate::auth;
use crate::http::context::Ctx;
use crate::http::error::{ApiError, Result, Stored};
use crate::http::reply::{IntoReply, json};
use crate::http::request::{Raw, Req, meta_of, request_id};

/// Largest request body of an ordinary endpoint, in bytes: 10,000 ids are a tenth of it.
pub const BODY_LIMIT: usize = 1 << 20;
/// How often a transaction that lost against another is run in all.
const ATTEMPTS: u32 = 4;

/// Endpoints with their handlers.
#[derive(Default)]
pub struct Api {
    router: Router<App>,
    ops: Vec<Op>,
    doc: crate::http::openapi::Doc,
}

impl Api {
    /// Ties endpoint `E` to its handler; a wrong request or answer type does not compile.
    #[must_use]
    pub fn on<E, H, F, R>(self, handler: H) -> Self
    where
        E: Endpoint,
        H: Fn(Ctx, Req<E>) -> F + Clone + Send + Sync + 'static,
        F: Future<Output = Result<R>> + Send,
        R: IntoReply<E::Answer> + 'static,
    {
        self.raw::<E, _, _>(move |ctx, request| {
            let answer = handler(ctx, request);
            async move { answer.await?.into_reply() }
        })
    }

    /// Ties endpoint `E` to a handler that makes the HTTP answer itself (lists, streams, documents).
    #[must_use]
    pub fn raw<E, H, F>(mut self, handler: H) -> Self
    where
        E: Endpoint,
        H: Fn(Ctx, Req<E>) -> F + Clone + Send + Sync + 'static,
        F: Future<Output = Result<Response>> + Send,
    {
        let serve = move |State(app): State<App>, request: Request<Body>| {
            let handler = handler.clone();
            async move { serve::<E, _, _>(app, request, handler).await }
        };
        self.router = self.router.route(E::OP.path, on(method_of(&E::OP), serve));
        self.ops.push(E::OP);
        self.doc.add::<E>();
        self
    }

    /// Adds another room's endpoints.
    #[must_use]
    pub fn with(self, add: impl FnOnce(Self) -> Self) -> Self {
        add(self)
    }

    /// What is served.
    #[must_use]
    pub fn ops(&self) -> &[Op] {
        &self.ops
    }

    /// The routes and the OpenAPI document.
    #[must_use]
    pub fn into_parts(self) -> (Router<App>, crate::http::openapi::Doc) {
        (self.router, self.doc)
    }
}

fn method_of(op: &Op) -> MethodFilter {
    match op.method {
        "POST" => MethodFilter::POST,
        "PUT" => MethodFilter::PUT,
        "PATCH" => MethodFilter::PATCH,
        "DELETE" => MethodFilter::DELETE,
        _ => MethodFilter::GET,
    }
}

async fn serve<E, H, F>(app: App, request: Request<Body>, handler: H) -> Response
where
    E: Endpoint,
    H: Fn(Ctx, Req<E>) -> F + Send + Sync,
    F: Future<Output = Result<Response>> + Send,
{
    let request_id = request_id(request.headers());
    match attempt::<E, H, F>(app, request, &handler).await {
        Ok(response) => response,
        Err(ApiError::Replay(stored)) => {
            replay(*stored).unwrap_or_else(|error| error.into_answer(&request_id))
        }
        Err(error) => error.into_answer(&request_id),
    }
}

async fn attempt<E, H, F>(app: App, request: Request<Body>, handler: &H) -> Result<Response>
where
    E: Endpoint,
    H: Fn(Ctx, Req<E>) -> F + Send + Sync,
    F: Future<Output = Result<Response>> + Send,
{
    // Who calls is settled before a byte of the body is read.
    let caller = admit(&app, request.headers(), &E::OP).await?;
    let raw = Raw::read(request, BODY_LIMIT).await?;
    let meta = Arc::new(meta_of::<E>(&raw)?);
    let ctx = Ctx { app, meta, caller: caller.map(Arc::new) };
    let request = raw.understand::<E>()?;
    for attempt in 1..ATTEMPTS {
        match handler(ctx.clone(), request.clone()).await {
            Err(error) if error.is_worth_a_retry() => tracing::debug!(attempt, op = E::OP.id, "another try"),
            other => return other,
        }
    }
    handler(ctx, request).await
}

/// Lets the caller of `op` in, or says why not.
async fn admit(
    app: &App,
    headers: &axum::http::HeaderMap,
    op: &Op,
) -> Result<Option<crate::http::caller::Caller>> {
    let caller = match op.who {
        Who::Public => return Ok(None),
        Who::Bearer | Who::AnyOf(_) => auth::sessions::authenticate(app, headers, op).await?,
    };
    match op.who {
        Who::AnyOf(permissions) if !permissions.iter().any(|permission| caller.may(*permission)) => {
            Err(not_allowed(permissions))
        }
        _ => Ok(Some(caller)),
    }
}

fn not_allowed(permissions: &[Permission]) -> ApiError {
    let names: Vec<_> = permissions.iter().map(|permission| format!("\"{permission}\"")).collect();
    let message = format!("This action is unauthorized. It needs the permission {}.", names.join(" or "));
    ApiError::forbidden("forbidden", message)
}

fn replay(stored: Stored) -> Result<Response> {
    let status = StatusCode::from_u16(stored.status).unwrap_or(StatusCode::OK);
    let mut response = json(status, Ok(stored.body.into_bytes()))?;
    response.headers_mut().insert("idempotent-replayed", HeaderValue::from_static("true"));
    Ok(response)
}
