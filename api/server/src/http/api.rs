//! The router of the endpoint table: one handler for each row. It adds authorization, retries and idempotency.

use std::future::Future;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::body::{Body, HttpBody as _};
use axum::extract::State;
use axum::http::{HeaderMap, HeaderValue, Request, StatusCode};
use axum::response::Response;
use axum::routing::{MethodFilter, on};
use futures_util::future::BoxFuture;
use panel_contract::endpoint::{AccessRule, ApiBody as _, BodyKind, Endpoint, Op};
use panel_contract::permission::Permission;
use panel_kernel::actor::{Actor, StaffMember};
use panel_kernel::error::{Error, Result, StoredAnswer};
use panel_kernel::rejection::RejectionKind;
use tokio::time::{Instant, timeout};

use crate::app::App;
use crate::auth;
use crate::context::Ctx;
use crate::http::error::error_response;
use crate::http::layers::ActorId;
use crate::http::reply::{IntoReply, json};
use crate::http::request::{RawRequest, Req, request_id, request_meta};
use crate::http::session_cookie;
use panel_platform::db::retry::{self, RetryPolicy};

/// The `Retry-After` of a request that timed out, in seconds.
const RETRY_AFTER_SECS: u64 = 2;

/// The retries and the time that one request may use.
#[derive(Debug, Clone, Copy)]
struct RetryBudget {
    /// How often the handler runs again after a conflict with another transaction.
    retries: RetryPolicy,
    /// The time for all attempts together.
    timeout: Duration,
}

/// A handler with its parsed request. Each call is one attempt.
type BoundHandler = Box<dyn Fn(Ctx) -> BoxFuture<'static, Result<Response>> + Send + Sync>;

/// Parses a request into an endpoint's types and binds the handler to it. The error names the invalid fields.
type Parser = Box<dyn Fn(&mut RawRequest) -> Result<BoundHandler> + Send + Sync>;

/// Turns an error into a response; the text is the request id.
type ErrorResponder = fn(Error, &str) -> Response;

/// An endpoint without its types. The code that authenticates the caller, reads the body, retries and responds is compiled once
/// instead of once per endpoint: about three hundred copies took minutes of every build.
struct ErasedEndpoint {
    op: Op,
    /// The kind of the request body, which decides its size limit.
    body: BodyKind,
    session_lookup: SessionLookup,
    parse: Parser,
    error_responder: ErrorResponder,
}

/// Where the caller's session is read from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum SessionLookup {
    /// The database, before the handler runs.
    Database,
    /// The session cache, if it has the session. The handler must not write, and must check [`StaffMember::access_version`] in
    /// the statement that reads its result. If the check fails, or after any other error, the session is read from the database.
    Cached,
}

/// Endpoints with their handlers.
#[derive(Default)]
pub struct Api {
    router: Router<App>,
    ops: Vec<Op>,
    document: crate::http::openapi::OpenApiDocument,
}

impl Api {
    /// Mounts the handler of endpoint `E`. A handler with other request or response types does not compile.
    #[must_use]
    pub fn on<E, H, F, R>(self, handler: H) -> Self
    where
        E: Endpoint,
        H: Fn(Ctx, Req<E>) -> F + Clone + Send + Sync + 'static,
        F: Future<Output = Result<R>> + Send + 'static,
        R: IntoReply<E::Response> + 'static,
    {
        self.raw::<E, _, _>(move |ctx, request| {
            let undo_ctx = ctx.clone();
            let handler_future = handler(ctx, request);
            async move { handler_future.await?.into_reply(undo_ctx.undo_offer()) }
        })
    }

    /// Mounts a handler of endpoint `E` that makes the HTTP response itself (lists, streams, documents).
    #[must_use]
    pub fn raw<E, H, F>(self, handler: H) -> Self
    where
        E: Endpoint,
        H: Fn(Ctx, Req<E>) -> F + Clone + Send + Sync + 'static,
        F: Future<Output = Result<Response>> + Send + 'static,
    {
        self.with_lookup(SessionLookup::Database, handler)
    }

    /// Documents the filters of list endpoint `E`, whose custom handler calls `lists::serve_list`. [`Api::table`] documents its
    /// endpoint itself.
    ///
    /// # Panics
    /// If the table belongs to another endpoint, so that a server with such a mistake does not start.
    #[must_use]
    pub fn described_by<E: Endpoint>(mut self, table: &'static panel_platform::table::Table) -> Self {
        assert_eq!(E::OP.id, table.list.op.id, "the list {} belongs to another endpoint", table.name());
        self.document.describe(E::OP.id, table);
        self
    }

    /// As [`Api::raw`], with the given session lookup.
    pub(crate) fn with_lookup<E, H, F>(self, session_lookup: SessionLookup, handler: H) -> Self
    where
        E: Endpoint,
        H: Fn(Ctx, Req<E>) -> F + Clone + Send + Sync + 'static,
        F: Future<Output = Result<Response>> + Send + 'static,
    {
        self.mount::<E>(session_lookup, parser::<E, H, F>(handler), error_response)
    }

    /// As [`Api::raw`], for endpoints with an error format of their own.
    #[must_use]
    pub(crate) fn raw_with_errors<E, H, F>(self, handler: H, error_responder: ErrorResponder) -> Self
    where
        E: Endpoint,
        H: Fn(Ctx, Req<E>) -> F + Clone + Send + Sync + 'static,
        F: Future<Output = Result<Response>> + Send + 'static,
    {
        self.mount::<E>(SessionLookup::Database, parser::<E, H, F>(handler), error_responder)
    }

    fn mount<E: Endpoint>(
        mut self,
        session_lookup: SessionLookup,
        parse: Parser,
        error_responder: ErrorResponder,
    ) -> Self {
        self.document.add::<E>();
        self.mount_erased(ErasedEndpoint {
            op: E::OP,
            body: E::Body::KIND,
            session_lookup,
            parse,
            error_responder,
        })
    }

    fn mount_erased(mut self, endpoint: ErasedEndpoint) -> Self {
        let op = endpoint.op;
        let endpoint = Arc::new(endpoint);
        let handler = move |State(app): State<App>, request: Request<Body>| {
            let endpoint = Arc::clone(&endpoint);
            async move { serve_request(app, request, &endpoint).await }
        };
        self.router = self.router.route(op.path, on(method_of(&op), handler));
        self.ops.push(op);
        self
    }

    /// Adds the endpoints of an area.
    #[must_use]
    pub fn with(self, register: impl FnOnce(Self) -> Self) -> Self {
        register(self)
    }

    #[must_use]
    pub fn ops(&self) -> &[Op] {
        &self.ops
    }

    /// The routes and the OpenAPI document.
    pub fn into_parts(self) -> (Router<App>, crate::http::openapi::OpenApiDocument) {
        (self.router, self.document)
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

/// The parser that binds `handler` to each parsed request.
fn parser<E, H, F>(handler: H) -> Parser
where
    E: Endpoint,
    H: Fn(Ctx, Req<E>) -> F + Clone + Send + Sync + 'static,
    F: Future<Output = Result<Response>> + Send + 'static,
{
    Box::new(move |raw: &mut RawRequest| {
        let (request, handler) = (raw.parse::<E>()?, handler.clone());
        Ok(Box::new(move |ctx| Box::pin(handler(ctx, request.clone()))))
    })
}

async fn serve_request(app: App, request: Request<Body>, endpoint: &ErasedEndpoint) -> Response {
    let request_id = request_id(request.headers());
    if let Err(error) = session_cookie::check_origin(&app.config, &endpoint.op, request.headers()) {
        return (endpoint.error_responder)(error, &request_id);
    }
    let (started, timeout) = (Instant::now(), Duration::from_secs(app.config.limits.request_seconds));
    let cached_request = cached_request(&app, &request, endpoint);
    let single_attempt = RetryBudget { retries: retry::REQUEST_POLICY.with_single_attempt(), timeout };
    let (actor, result) = match respond_to_cached_caller(&app, cached_request, endpoint, single_attempt).await
    {
        Some((actor, response)) => (Some(actor), Ok(response)),
        None => {
            // The attempt with the cached session has used a part of the time.
            let budget = RetryBudget {
                retries: retry::REQUEST_POLICY,
                timeout: timeout.saturating_sub(started.elapsed()),
            };
            respond_authenticated(app, request, endpoint, budget).await
        }
    };
    let mut response = match result {
        Ok(response) => response,
        Err(Error::Replay(stored)) => {
            replay_response(*stored).unwrap_or_else(|error| error_response(error, &request_id))
        }
        Err(error) => (endpoint.error_responder)(error, &request_id),
    };
    if let Some(actor) = actor {
        response.extensions_mut().insert(actor);
    }
    response
}

/// A caller with a cached session, and a copy of the request; `None` for a request with a body.
fn cached_request(
    app: &App,
    request: &Request<Body>,
    endpoint: &ErasedEndpoint,
) -> Option<(StaffMember, Request<Body>)> {
    if endpoint.session_lookup != SessionLookup::Cached || !request.body().is_end_stream() {
        return None;
    }
    let caller = cached_caller(app, request.headers(), &endpoint.op)?;
    let mut request_copy = Request::new(Body::empty());
    request_copy.method_mut().clone_from(request.method());
    request_copy.uri_mut().clone_from(request.uri());
    request_copy.headers_mut().clone_from(request.headers());
    request_copy.extensions_mut().clone_from(request.extensions());
    Some((caller, request_copy))
}

/// The response to a caller with a cached session. After any error `None`, because the cached session may be outdated: the request
/// is then served again with the session from the database.
async fn respond_to_cached_caller(
    app: &App,
    cached_request: Option<(StaffMember, Request<Body>)>,
    endpoint: &ErasedEndpoint,
    budget: RetryBudget,
) -> Option<(ActorId, Response)> {
    let (caller, request) = cached_request?;
    let actor = ActorId(caller.user_id);
    let result = read_and_handle(app.clone(), request, Some(Arc::new(caller)), endpoint, budget).await;
    result.ok().map(|response| (actor, response))
}

/// Authenticates the caller in the database before a byte of the body is read, then runs the handler.
async fn respond_authenticated(
    app: App,
    request: Request<Body>,
    endpoint: &ErasedEndpoint,
    budget: RetryBudget,
) -> (Option<ActorId>, Result<Response>) {
    // The lookup is retried: a restart of the database breaks connections, and must not fail the request.
    let headers = request.headers();
    let authorize = || authorize_caller(&app, headers, &endpoint.op);
    let caller = match retry::retry(&app, retry::SESSION_LOOKUP_POLICY, authorize).await {
        Ok(caller) => caller.map(Arc::new),
        Err(error) => return (None, Err(error)),
    };
    let actor = caller.as_ref().map(|caller| ActorId(caller.user_id));
    (actor, read_and_handle(app, request, caller, endpoint, budget).await)
}

async fn read_and_handle(
    app: App,
    request: Request<Body>,
    caller: Option<Arc<StaffMember>>,
    endpoint: &ErasedEndpoint,
    budget: RetryBudget,
) -> Result<Response> {
    let read_timeout = Duration::from_secs(app.config.limits.request_seconds);
    let limit = match endpoint.body {
        BodyKind::Upload => app.config.uploads.request_bytes,
        _ => app.config.limits.body_bytes,
    };
    let read_request = RawRequest::read(&app, request, caller.is_some(), limit);
    let mut raw = timeout(read_timeout, read_request).await.map_err(|_| {
        too_slow(
            RejectionKind::RequestTimeout,
            "The request body did not arrive in time. Send the request again.",
        )
        .closing_connection()
    })??;
    let meta = Arc::new(request_meta(&app.config, &raw, endpoint.op)?);
    if let Some(caller) = &caller {
        let is_export = meta.export.is_some();
        auth::confirmation::check_call(&endpoint.op, meta.dry_run, is_export, caller, app.clock.now())?;
    }
    let is_write = endpoint.op.is_write() && !meta.dry_run;
    let ctx = Ctx::new(app, meta, caller.map_or(Actor::Anonymous, Actor::Staff));
    // A handler that times out is rolled back, unless its commit had begun. A long list streams after its handler has returned.
    let handler = (endpoint.parse)(&mut raw)?;
    let reservation = raw.into_reservation();
    let result =
        timeout(budget.timeout, retry::retry(&ctx.app, budget.retries, || handler(ctx.clone()))).await;
    // The reservation is held until here, because the parsed body uses the memory while the handler runs.
    drop(reservation);
    result.map_err(|_| {
        too_slow(RejectionKind::Unavailable, timeout_message(is_write)).retry_after_secs(RETRY_AFTER_SECS)
    })?
}

const fn timeout_message(is_write: bool) -> &'static str {
    match is_write {
        false => "The request took too long and was canceled. Nothing was changed. Try again.",
        true => {
            "The request took too long and was canceled. It may have been completed: check before you send it again, or repeat it with the same Idempotency-Key."
        }
    }
}

fn too_slow(kind: RejectionKind, message: &str) -> Error {
    Error::rejected(kind, "too_slow", message)
}

/// The caller with a cached session who may call `op`. A caller without the permission is looked up in the database before the
/// refusal.
fn cached_caller(app: &App, headers: &HeaderMap, op: &Op) -> Option<StaffMember> {
    auth::sessions::cached_caller(app, headers).filter(|caller| !caller.must_enrol).filter(|caller| match op
        .access_rule
    {
        AccessRule::Public => false,
        AccessRule::Bearer => true,
        AccessRule::AnyOf(permissions) => permissions.iter().any(|permission| caller.may(*permission)),
    })
}

/// Authenticates the caller of `op` and checks the permission.
async fn authorize_caller(app: &App, headers: &HeaderMap, op: &Op) -> Result<Option<StaffMember>> {
    let caller = match op.access_rule {
        AccessRule::Public => return Ok(None),
        AccessRule::Bearer | AccessRule::AnyOf(_) => auth::sessions::authenticate(app, headers, op).await?,
    };
    auth::second_factor::check_call(op, &caller)?;
    match op.access_rule {
        AccessRule::AnyOf(permissions) if !permissions.iter().any(|permission| caller.may(*permission)) => {
            Err(not_allowed(permissions))
        }
        _ => Ok(Some(caller)),
    }
}

fn not_allowed(permissions: &[Permission]) -> Error {
    let names: Vec<_> = permissions.iter().map(|permission| format!("\"{permission}\"")).collect();
    let message = format!(
        "This action needs the permission {}. Ask an administrator to grant it to you.",
        names.join(" or ")
    );
    Error::forbidden("forbidden", message)
}

fn replay_response(stored: StoredAnswer) -> Result<Response> {
    let status = StatusCode::from_u16(stored.status).unwrap_or(StatusCode::OK);
    let mut response = json(status, Ok(stored.body.into_bytes()))?;
    response.headers_mut().insert("idempotent-replayed", HeaderValue::from_static("true"));
    Ok(response)
}
