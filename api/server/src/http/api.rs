//! The router made from the endpoint table: one row, one handler; guard, retries and idempotency come with it.

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
use panel_contract::endpoint::{Endpoint, Kind, Op, Who, Wire as _};
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
use crate::http::request::{Raw, Req, meta_of, request_id};
use crate::http::session_cookie;
use panel_platform::db::retry::{self, RetryPolicy};

/// Seconds after which a request that took too long may be sent again.
const GIVEN_UP_SECS: u64 = 2;

/// How much is done for an answer.
#[derive(Debug, Clone, Copy)]
struct Effort {
    /// How often the handler is run where another transaction is in the way.
    retries: RetryPolicy,
    /// How long all tries together may take.
    timeout: Duration,
}

/// A handler with the parsed request it answers. Each call is one attempt.
type BoundHandler = Box<dyn Fn(Ctx) -> BoxFuture<'static, Result<Response>> + Send + Sync>;

/// Parses a request into an endpoint's types and binds the handler to it; fails with the wrong fields.
type Parser = Box<dyn Fn(&mut Raw) -> Result<BoundHandler> + Send + Sync>;

/// Makes the answer to an error, with the request's id.
type ErrorAnswer = fn(Error, &str) -> Response;

/// An endpoint without its types. The code that admits a caller, reads the body, retries and answers is compiled once
/// for all of them instead of once for each: about three hundred copies took minutes of every build.
struct ErasedEndpoint {
    op: Op,
    /// How its request body travels, which decides how large it may be.
    body: Kind,
    admission: Admission,
    parse: Parser,
    error_answer: ErrorAnswer,
}

/// How a caller is let in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Admission {
    /// Looked up before anything else.
    Asked,
    /// Remembered, where they were seen lately: the handler, which writes nothing, makes sure of [`StaffMember::as_of`] in the
    /// statement that it answers by, and fails where it does not. Then, as after any error, they are looked up.
    Remembered,
}

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
        F: Future<Output = Result<R>> + Send + 'static,
        R: IntoReply<E::Answer> + 'static,
    {
        self.raw::<E, _, _>(move |ctx, request| {
            let offered = ctx.clone();
            let answer = handler(ctx, request);
            async move { answer.await?.into_reply(offered.undo_offer()) }
        })
    }

    /// Ties endpoint `E` to a handler that makes the HTTP answer itself (lists, streams, documents).
    #[must_use]
    pub fn raw<E, H, F>(self, handler: H) -> Self
    where
        E: Endpoint,
        H: Fn(Ctx, Req<E>) -> F + Clone + Send + Sync + 'static,
        F: Future<Output = Result<Response>> + Send + 'static,
    {
        self.by(Admission::Asked, handler)
    }

    /// Describes list endpoint `E`, which a handler of its own answers by `lists::serve::answer`, with the filters of
    /// its table. [`Api::table`] does it by itself.
    ///
    /// # Panics
    /// Where the table belongs to another endpoint, so that a server with such a mistake does not start.
    #[must_use]
    pub fn described_by<E: Endpoint>(mut self, table: &'static panel_platform::table::Table) -> Self {
        assert_eq!(E::OP.id, table.list.op.id, "the list {} belongs to another endpoint", table.name());
        self.doc.describe(E::OP.id, table);
        self
    }

    /// As [`Api::raw`]; how callers are let in is said.
    pub(crate) fn by<E, H, F>(self, admission: Admission, handler: H) -> Self
    where
        E: Endpoint,
        H: Fn(Ctx, Req<E>) -> F + Clone + Send + Sync + 'static,
        F: Future<Output = Result<Response>> + Send + 'static,
    {
        self.mount::<E>(admission, parser::<E, H, F>(handler), error_response)
    }

    /// As [`Api::raw`], for callers who read errors in another form than the API's own.
    #[must_use]
    pub(crate) fn raw_with_errors<E, H, F>(self, handler: H, error_answer: ErrorAnswer) -> Self
    where
        E: Endpoint,
        H: Fn(Ctx, Req<E>) -> F + Clone + Send + Sync + 'static,
        F: Future<Output = Result<Response>> + Send + 'static,
    {
        self.mount::<E>(Admission::Asked, parser::<E, H, F>(handler), error_answer)
    }

    fn mount<E: Endpoint>(mut self, admission: Admission, parse: Parser, error_answer: ErrorAnswer) -> Self {
        self.doc.add::<E>();
        self.mount_erased(ErasedEndpoint { op: E::OP, body: E::Body::KIND, admission, parse, error_answer })
    }

    fn mount_erased(mut self, endpoint: ErasedEndpoint) -> Self {
        let op = endpoint.op;
        let endpoint = Arc::new(endpoint);
        let serve = move |State(app): State<App>, request: Request<Body>| {
            let endpoint = Arc::clone(&endpoint);
            async move { serve(app, request, &endpoint).await }
        };
        self.router = self.router.route(op.path, on(method_of(&op), serve));
        self.ops.push(op);
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

/// Binds a handler to each request that is parsed for it.
fn parser<E, H, F>(handler: H) -> Parser
where
    E: Endpoint,
    H: Fn(Ctx, Req<E>) -> F + Clone + Send + Sync + 'static,
    F: Future<Output = Result<Response>> + Send + 'static,
{
    Box::new(move |raw: &mut Raw| {
        let (request, handler) = (raw.understand::<E>()?, handler.clone());
        Ok(Box::new(move |ctx| Box::pin(handler(ctx, request.clone()))))
    })
}

async fn serve(app: App, request: Request<Body>, endpoint: &ErasedEndpoint) -> Response {
    let request_id = request_id(request.headers());
    if let Err(error) = session_cookie::check_origin(&app.config, &endpoint.op, request.headers()) {
        return (endpoint.error_answer)(error, &request_id);
    }
    let (begun, timeout) = (Instant::now(), Duration::from_secs(app.config.limits.request_seconds));
    let recalled = recalled(&app, &request, endpoint);
    let once = Effort { retries: retry::REQUEST.once(), timeout };
    let (actor, answer) = match known(&app, recalled, endpoint, once).await {
        Some((actor, response)) => (Some(actor), Ok(response)),
        None => {
            // What was tried for a remembered caller has taken its part of the time.
            let effort = Effort { retries: retry::REQUEST, timeout: timeout.saturating_sub(begun.elapsed()) };
            asked(app, request, endpoint, effort).await
        }
    };
    let mut response = match answer {
        Ok(response) => response,
        Err(Error::Replay(stored)) => {
            replay(*stored).unwrap_or_else(|error| error_response(error, &request_id))
        }
        Err(error) => (endpoint.error_answer)(error, &request_id),
    };
    if let Some(actor) = actor {
        response.extensions_mut().insert(actor);
    }
    response
}

/// A caller who is remembered, with the request again; none for whoever sends a body.
fn recalled(
    app: &App,
    request: &Request<Body>,
    endpoint: &ErasedEndpoint,
) -> Option<(StaffMember, Request<Body>)> {
    if endpoint.admission != Admission::Remembered || !request.body().is_end_stream() {
        return None;
    }
    let caller = remembered(app, request.headers(), &endpoint.op)?;
    let mut again = Request::new(Body::empty());
    again.method_mut().clone_from(request.method());
    again.uri_mut().clone_from(request.uri());
    again.headers_mut().clone_from(request.headers());
    again.extensions_mut().clone_from(request.extensions());
    Some((caller, again))
}

/// What a remembered caller is answered. After any error there is nothing, as it may come of a caller who is another one by
/// now: the request is then served as if nobody were remembered.
async fn known(
    app: &App,
    recalled: Option<(StaffMember, Request<Body>)>,
    endpoint: &ErasedEndpoint,
    effort: Effort,
) -> Option<(ActorId, Response)> {
    let (caller, request) = recalled?;
    let actor = ActorId(caller.user_id);
    let answer = attempts(app.clone(), request, Some(Arc::new(caller)), endpoint, effort).await;
    answer.ok().map(|response| (actor, response))
}

/// Who calls is settled before a byte of the body is read.
async fn asked(
    app: App,
    request: Request<Body>,
    endpoint: &ErasedEndpoint,
    effort: Effort,
) -> (Option<ActorId>, Result<Response>) {
    // Again where that may succeed: a restart of the database breaks connections and must cost no request.
    let headers = request.headers();
    let admitted = || admit(&app, headers, &endpoint.op);
    let caller = match retry::retry(&app, retry::ADMISSION, admitted).await {
        Ok(caller) => caller.map(Arc::new),
        Err(error) => return (None, Err(error)),
    };
    let actor = caller.as_ref().map(|caller| ActorId(caller.user_id));
    (actor, attempts(app, request, caller, endpoint, effort).await)
}

async fn attempts(
    app: App,
    request: Request<Body>,
    caller: Option<Arc<StaffMember>>,
    endpoint: &ErasedEndpoint,
    effort: Effort,
) -> Result<Response> {
    let read_timeout = Duration::from_secs(app.config.limits.request_seconds);
    let limit = match endpoint.body {
        Kind::Upload => app.config.uploads.request_bytes,
        _ => app.config.limits.body_bytes,
    };
    let read = Raw::read(&app, request, caller.is_some(), limit);
    let mut raw = timeout(read_timeout, read).await.map_err(|_| {
        too_slow(RejectionKind::RequestTimeout, "The body did not arrive in time; send it again.")
            .closing_connection()
    })??;
    let meta = Arc::new(meta_of(&app.config, &raw, endpoint.op)?);
    if let Some(caller) = &caller {
        let is_export = meta.export.is_some();
        auth::confirmation::check_call(&endpoint.op, meta.dry_run, is_export, caller, app.clock.now())?;
    }
    let writes = endpoint.op.writes() && !meta.dry_run;
    let ctx = Ctx::new(app, meta, caller.map_or(Actor::Anonymous, Actor::Staff));
    // What is given up is rolled back, unless it was at its very end; a long list streams after its handler has answered.
    let handler = (endpoint.parse)(&mut raw)?;
    let reservation = raw.into_reservation();
    let answer =
        timeout(effort.timeout, retry::retry(&ctx.app, effort.retries, || handler(ctx.clone()))).await;
    // Until here: what was read from the body takes its memory while the handler runs.
    drop(reservation);
    answer
        .map_err(|_| too_slow(RejectionKind::Unavailable, given_up(writes)).retry_after_secs(GIVEN_UP_SECS))?
}

const fn given_up(writes: bool) -> &'static str {
    match writes {
        false => "This took too long and was given up; nothing was changed.",
        true => {
            "This took too long and was given up. Whether it was done is not known: look before you send it again, or repeat it under the same Idempotency-Key."
        }
    }
}

fn too_slow(kind: RejectionKind, message: &str) -> Error {
    Error::rejected(kind, "too_slow", message)
}

/// A remembered caller who may call `op`; whoever may not is looked up before that is said.
fn remembered(app: &App, headers: &HeaderMap, op: &Op) -> Option<StaffMember> {
    auth::sessions::remembered(app, headers).filter(|caller| !caller.must_enrol).filter(|caller| {
        match op.who {
            Who::Public => false,
            Who::Bearer => true,
            Who::AnyOf(permissions) => permissions.iter().any(|permission| caller.may(*permission)),
        }
    })
}

/// Lets the caller of `op` in, or says why not.
async fn admit(app: &App, headers: &HeaderMap, op: &Op) -> Result<Option<StaffMember>> {
    let caller = match op.who {
        Who::Public => return Ok(None),
        Who::Bearer | Who::AnyOf(_) => auth::sessions::authenticate(app, headers, op).await?,
    };
    auth::second_factor::check_call(op, &caller)?;
    match op.who {
        Who::AnyOf(permissions) if !permissions.iter().any(|permission| caller.may(*permission)) => {
            Err(not_allowed(permissions))
        }
        _ => Ok(Some(caller)),
    }
}

fn not_allowed(permissions: &[Permission]) -> Error {
    let names: Vec<_> = permissions.iter().map(|permission| format!("\"{permission}\"")).collect();
    let message = format!("This action is unauthorized. It needs the permission {}.", names.join(" or "));
    Error::forbidden("forbidden", message)
}

fn replay(stored: StoredAnswer) -> Result<Response> {
    let status = StatusCode::from_u16(stored.status).unwrap_or(StatusCode::OK);
    let mut response = json(status, Ok(stored.body.into_bytes()))?;
    response.headers_mut().insert("idempotent-replayed", HeaderValue::from_static("true"));
    Ok(response)
}
