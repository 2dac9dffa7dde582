//! Binds a handler to each endpoint of the endpoint table, and adds authorization, retries and idempotency.

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
use crate::http::request::{RawRequest, Req, extract_request_meta, request_id};
use crate::http::session_cookie;
use crate::http::typed_response::{IntoApiResponse, json_response};
use panel_platform::db::retry::{self, RetryPolicy};

/// The `Retry-After` of a request that timed out, in seconds.
const RETRY_AFTER_SECS: u64 = 2;

#[derive(Debug, Clone, Copy)]
struct RetryBudget {
    /// Retries of the handler after a conflict with another transaction.
    retry_policy: RetryPolicy,
    /// For all attempts together.
    timeout: Duration,
}

/// A handler together with its parsed request. Each call of the function is one attempt.
type BoundHandler = Box<dyn Fn(Ctx) -> BoxFuture<'static, Result<Response>> + Send + Sync>;

/// Parses a request to the endpoint's types, and binds the handler to it. The error names the invalid fields.
type RequestParser = Box<dyn Fn(&mut RawRequest) -> Result<BoundHandler> + Send + Sync>;

/// Converts an error to a response. The string is the request id.
type ErrorResponder = fn(Error, &str) -> Response;

/// An endpoint without its types. The code that authenticates the user, reads the body, retries and responds is compiled once
/// instead of for each endpoint; about three hundred copies took minutes of every build.
struct ErasedEndpoint {
    op: Op,
    /// Determines the size limit of the body.
    body_kind: BodyKind,
    session_lookup: SessionLookup,
    parse: RequestParser,
    error_responder: ErrorResponder,
}

/// The source of the user's session.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum SessionLookup {
    /// The database, before the handler runs.
    Database,
    /// The session cache, if it has the session. The handler must not write, and the statement that reads its result must check
    /// [`StaffMember::access_version`]. After any error, also of this check, the server reads the session from the database and
    /// runs the handler again.
    Cached,
}

/// Collects endpoints with their handlers.
#[derive(Default)]
pub struct Api {
    router: Router<App>,
    ops: Vec<Op>,
    document: crate::http::openapi::OpenApiDocument,
}

impl Api {
    /// Binds a handler to endpoint `E`. A handler with other request or response types does not compile.
    #[must_use]
    pub fn route<E, H, F, R>(self, handler: H) -> Self
    where
        E: Endpoint,
        H: Fn(Ctx, Req<E>) -> F + Clone + Send + Sync + 'static,
        F: Future<Output = Result<R>> + Send + 'static,
        R: IntoApiResponse<E::Response> + 'static,
    {
        self.route_with_response::<E, _, _>(move |ctx, request| {
            let undo_ctx = ctx.clone();
            let handler_future = handler(ctx, request);
            async move { handler_future.await?.into_api_response(undo_ctx.undo_offer()) }
        })
    }

    /// Binds a handler to endpoint `E` that creates the HTTP response itself (lists, streams, documents).
    #[must_use]
    pub fn route_with_response<E, H, F>(self, handler: H) -> Self
    where
        E: Endpoint,
        H: Fn(Ctx, Req<E>) -> F + Clone + Send + Sync + 'static,
        F: Future<Output = Result<Response>> + Send + 'static,
    {
        self.with_lookup(SessionLookup::Database, handler)
    }

    /// Documents the filters of list endpoint `E`, whose custom handler calls `lists::serve_list`. [`Api::list_route`] documents
    /// its endpoint itself.
    ///
    /// # Panics
    /// The table belongs to another endpoint. A server with such a mistake must not start.
    #[must_use]
    pub fn describe_list<E: Endpoint>(mut self, table: &'static panel_platform::table::Table) -> Self {
        assert_eq!(E::OP.id, table.list.op.id, "the list {} belongs to another endpoint", table.name());
        self.document.set_list(E::OP.id, table);
        self
    }

    /// Like [`Api::route_with_response`], with a session lookup.
    pub(crate) fn with_lookup<E, H, F>(self, session_lookup: SessionLookup, handler: H) -> Self
    where
        E: Endpoint,
        H: Fn(Ctx, Req<E>) -> F + Clone + Send + Sync + 'static,
        F: Future<Output = Result<Response>> + Send + 'static,
    {
        self.mount::<E>(session_lookup, request_parser::<E, H, F>(handler), error_response)
    }

    /// Like [`Api::route_with_response`], for an endpoint with another error format.
    #[must_use]
    pub(crate) fn route_with_error_format<E, H, F>(self, handler: H, error_responder: ErrorResponder) -> Self
    where
        E: Endpoint,
        H: Fn(Ctx, Req<E>) -> F + Clone + Send + Sync + 'static,
        F: Future<Output = Result<Response>> + Send + 'static,
    {
        self.mount::<E>(SessionLookup::Database, request_parser::<E, H, F>(handler), error_responder)
    }

    fn mount<E: Endpoint>(
        mut self,
        session_lookup: SessionLookup,
        parse: RequestParser,
        error_responder: ErrorResponder,
    ) -> Self {
        self.document.add::<E>();
        self.mount_erased(ErasedEndpoint {
            op: E::OP,
            body_kind: E::Body::KIND,
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
        self.router = self.router.route(op.path, on(method_filter(&op), handler));
        self.ops.push(op);
        self
    }

    /// Adds the endpoints that `register` binds.
    #[must_use]
    pub fn with(self, register: impl FnOnce(Self) -> Self) -> Self {
        register(self)
    }

    #[must_use]
    pub fn ops(&self) -> &[Op] {
        &self.ops
    }

    /// Returns the routes and the OpenAPI document.
    pub fn into_parts(self) -> (Router<App>, crate::http::openapi::OpenApiDocument) {
        (self.router, self.document)
    }
}

fn method_filter(op: &Op) -> MethodFilter {
    match op.method {
        "POST" => MethodFilter::POST,
        "PUT" => MethodFilter::PUT,
        "PATCH" => MethodFilter::PATCH,
        "DELETE" => MethodFilter::DELETE,
        _ => MethodFilter::GET,
    }
}

/// Creates the parser that binds `handler` to each parsed request.
fn request_parser<E, H, F>(handler: H) -> RequestParser
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
    let (started_at, timeout) = (Instant::now(), Duration::from_secs(app.config.limits.request_seconds));
    let cached_request = copy_request_with_cached_session(&app, &request, endpoint);
    let single_attempt_budget =
        RetryBudget { retry_policy: retry::REQUEST_POLICY.with_single_attempt(), timeout };
    let (actor, result) =
        match respond_with_cached_session(&app, cached_request, endpoint, single_attempt_budget).await {
            Some((actor, response)) => (Some(actor), Ok(response)),
            None => {
                // The attempt with the cached session may have used a part of the time.
                let budget = RetryBudget {
                    retry_policy: retry::REQUEST_POLICY,
                    timeout: timeout.saturating_sub(started_at.elapsed()),
                };
                authenticate_and_respond(app, request, endpoint, budget).await
            }
        };
    let mut response = match result {
        Ok(response) => response,
        Err(Error::Replay(stored_response)) => {
            replay_response(*stored_response).unwrap_or_else(|error| error_response(error, &request_id))
        }
        Err(error) => (endpoint.error_responder)(error, &request_id),
    };
    if let Some(actor) = actor {
        response.extensions_mut().insert(actor);
    }
    response
}

/// Returns the user with a cached session, and a copy of the request; `None` if there is no such session or the request has a body.
fn copy_request_with_cached_session(
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

/// Runs the handler with the cached session. Returns `None` after any error, because the cached session may be outdated; the server
/// then serves the request again with the session from the database.
async fn respond_with_cached_session(
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

/// Authenticates the user in the database before the server reads the body, then runs the handler.
async fn authenticate_and_respond(
    app: App,
    request: Request<Body>,
    endpoint: &ErasedEndpoint,
    budget: RetryBudget,
) -> (Option<ActorId>, Result<Response>) {
    // Retries the lookup, because a restart of the database breaks connections, and the request must not fail because of it.
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
    let limit = match endpoint.body_kind {
        BodyKind::Upload => app.config.uploads.request_bytes,
        _ => app.config.limits.body_bytes,
    };
    let read_request = RawRequest::read(&app, request, caller.is_some(), limit);
    let mut raw = timeout(read_timeout, read_request).await.map_err(|_| {
        timeout_error(
            RejectionKind::RequestTimeout,
            "The request body did not arrive in time. Send the request again.",
        )
        .closing_connection()
    })??;
    let meta = Arc::new(extract_request_meta(&app.config, &raw, endpoint.op)?);
    if let Some(caller) = &caller {
        let is_export = meta.export.is_some();
        auth::confirmation::check_request(&endpoint.op, meta.dry_run, is_export, caller, app.clock.now())?;
    }
    let is_write = endpoint.op.is_write() && !meta.dry_run;
    let ctx = Ctx::new(app, meta, caller.map_or(Actor::Anonymous, Actor::Staff));
    // The timeout rolls the handler's transaction back, unless the commit has started. The timeout does not include streaming a
    // long list, because that happens after the handler has returned.
    let handler = (endpoint.parse)(&mut raw)?;
    let reservation = raw.into_reservation();
    let result =
        timeout(budget.timeout, retry::retry(&ctx.app, budget.retry_policy, || handler(ctx.clone()))).await;
    // The parsed body uses the reserved memory while the handler runs.
    drop(reservation);
    result.map_err(|_| {
        timeout_error(RejectionKind::Unavailable, timeout_message(is_write))
            .retry_after_secs(RETRY_AFTER_SECS)
    })?
}

const fn timeout_message(is_write: bool) -> &'static str {
    match is_write {
        false => "The request took too long and was canceled. No data was changed. Try again.",
        true => {
            "The request took too long and was canceled. Its changes may have been saved: check before you send it again, or repeat it with the same Idempotency-Key."
        }
    }
}

fn timeout_error(kind: RejectionKind, message: &str) -> Error {
    Error::rejected(kind, "too_slow", message)
}

/// The user with a cached session who may call `op`. If the cached permissions do not suffice, the server reads them from the
/// database before it rejects the request.
fn cached_caller(app: &App, headers: &HeaderMap, op: &Op) -> Option<StaffMember> {
    auth::sessions::cached_caller(app, headers).filter(|caller| !caller.must_enrol).filter(|caller| match op
        .access_rule
    {
        AccessRule::Public => false,
        AccessRule::Bearer => true,
        AccessRule::AnyOf(permissions) => {
            permissions.iter().any(|permission| caller.has_permission(*permission))
        }
    })
}

/// Authenticates the user and checks the permission for `op`.
async fn authorize_caller(app: &App, headers: &HeaderMap, op: &Op) -> Result<Option<StaffMember>> {
    let caller = match op.access_rule {
        AccessRule::Public => return Ok(None),
        AccessRule::Bearer | AccessRule::AnyOf(_) => auth::sessions::authenticate(app, headers, op).await?,
    };
    auth::second_factor::check_request(op, &caller)?;
    match op.access_rule {
        AccessRule::AnyOf(permissions)
            if !permissions.iter().any(|permission| caller.has_permission(*permission)) =>
        {
            Err(permission_error(permissions))
        }
        _ => Ok(Some(caller)),
    }
}

fn permission_error(permissions: &[Permission]) -> Error {
    let names: Vec<_> = permissions.iter().map(|permission| format!("\"{permission}\"")).collect();
    let message = format!(
        "This action needs the permission {}. Ask an administrator to grant it to you.",
        names.join(" or ")
    );
    Error::forbidden("forbidden", message)
}

fn replay_response(stored_response: StoredAnswer) -> Result<Response> {
    let status = StatusCode::from_u16(stored_response.status).unwrap_or(StatusCode::OK);
    let mut response = json_response(status, Ok(stored_response.body.into_bytes()))?;
    response.headers_mut().insert("idempotent-replayed", HeaderValue::from_static("true"));
    Ok(response)
}
