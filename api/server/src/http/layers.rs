//! Middleware of every request: request id, log line, metrics, limits, headers, panics, unknown routes.

use std::collections::BTreeSet;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::time::Instant;

use axum::extract::{ConnectInfo, MatchedPath, Request, State};
use axum::http::{HeaderMap, HeaderName, HeaderValue, Method, header};
use axum::middleware::Next;
use axum::response::Response;
use futures_util::FutureExt as _;
use panel_contract::endpoint::Endpoint as _;
use panel_contract::endpoint::Op;
use panel_contract::endpoints;
use panel_contract::endpoints::intake::CallReseller;
use panel_contract::ids::UserId;
use panel_kernel::error::Error;
use panel_kernel::rejection::RejectionKind;
use panel_platform::metrics::{GaugeHandle, SharedString};
use panel_platform::telemetry::spans;
use panel_platform::telemetry::stats::UnitStats;
use tower_http::cors::{AllowOrigin, CorsLayer};
use tracing::{Instrument as _, Span};

use crate::app::App;
use crate::http::error::{RejectionCode, error_response};
use crate::http::forwarded::ClientAddress;
use crate::http::heads::{self, HeadLength};
use crate::http::rates::RateLimited;
use crate::http::request::request_id;
use crate::http::session_cookie::presented_token;
use crate::http::trace_context;
use crate::metrics::{ACTIVE_REQUESTS, REJECTIONS, REQUEST_DURATION};

const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");

/// The outermost layer: gives the request an id, finds the client's address, and logs, measures and traces the request.
pub(crate) async fn trace(State(app): State<App>, mut request: Request, next: Next) -> Response {
    let started = Instant::now();
    let id = accept_or_create_request_id(request.headers());
    request.headers_mut().insert(REQUEST_ID, id.clone());
    let peer = request.extensions().get::<ConnectInfo<SocketAddr>>().map(|ConnectInfo(peer)| peer.ip());
    let client = peer.map(|peer| ClientAddress::of(peer, request.headers(), |ip| app.config.trusts(ip)));
    if let Some(client) = client {
        request.extensions_mut().insert(client);
    }
    let method = request.method().clone();
    let route = request.extensions().get::<MatchedPath>().cloned();
    let route = route.as_ref().map_or("other", MatchedPath::as_str);
    let stats = Arc::new(UnitStats::default());
    let span = spans::request(method_label(&method), route, id.to_str().unwrap_or_default());
    trace_context::continue_trace(&span, request.headers(), || {
        trace_context::is_trusted_sender(&app, peer, client)
    });
    let active = ActiveRequest::new();
    let response_future = UnitStats::scope(Arc::clone(&stats), next.run(request));
    let mut response = response_future.instrument(span.clone()).await;
    drop(active);
    response.headers_mut().insert(REQUEST_ID, id.clone());
    let completed = CompletedRequest { method: &method, route, started, stats: &stats, response: &response };
    completed.record(&span);
    completed.log(&id, client.map(|client| client.ip));
    response
}

/// A request with its response, for metrics, span and log line.
struct CompletedRequest<'a> {
    method: &'a Method,
    route: &'a str,
    started: Instant,
    stats: &'a UnitStats,
    response: &'a Response,
}

impl CompletedRequest<'_> {
    fn status(&self) -> u16 {
        self.response.status().as_u16()
    }

    fn actor(&self) -> Option<i64> {
        self.response.extensions().get::<ActorId>().map(|actor| actor.0.get())
    }

    fn code(&self) -> Option<&'static str> {
        self.response.extensions().get::<RejectionCode>().map(|code| code.0)
    }

    /// Records metrics, and the outcome on the span.
    fn record(&self, span: &Span) {
        let (status, code) = (self.status(), self.code());
        let route = SharedString::from(self.route.to_owned());
        let labels = [method_label(self.method).into(), route, status.to_string().into()];
        REQUEST_DURATION.with_labels(labels).record(self.started.elapsed());
        if let Some(code) = code {
            REJECTIONS.with_labels([code]).increment(1);
        }
        span.record("http.response.status_code", i64::from(status));
        span.record("actor_id", self.actor());
        span.record("error.code", code);
        span.record("statements", spans::to_i64(self.stats.statements()));
        span.record("rows", spans::to_i64(self.stats.rows()));
        span.record("db_ms", spans::to_i64(self.stats.db_ms()));
        if status >= 500 {
            span.record("otel.status_code", "ERROR");
        }
    }

    /// Writes the request's log line. It never has the query, a body or a token: the route's template is enough to find the code.
    fn log(&self, id: &HeaderValue, client: Option<IpAddr>) {
        tracing::info!(
            request_id = id.to_str().unwrap_or_default(),
            method = %self.method,
            route = self.route,
            status = self.status(),
            ms = u64::try_from(self.started.elapsed().as_millis()).unwrap_or(u64::MAX),
            statements = self.stats.statements(),
            rows = self.stats.rows(),
            db_ms = self.stats.db_ms(),
            actor = self.actor(),
            code = self.code(),
            client = client.map(tracing::field::display),
            "request"
        );
    }
}

/// The staff member who sent the request, for the log line.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ActorId(pub(crate) UserId);

/// The method as a metric label. Unknown methods share one label, so that a caller cannot create metric series.
fn method_label(method: &Method) -> &'static str {
    match *method {
        Method::GET => "GET",
        Method::HEAD => "HEAD",
        Method::POST => "POST",
        Method::PUT => "PUT",
        Method::PATCH => "PATCH",
        Method::DELETE => "DELETE",
        Method::OPTIONS => "OPTIONS",
        _ => "_OTHER",
    }
}

/// Counts a request as active until it is dropped.
struct ActiveRequest(GaugeHandle);

impl ActiveRequest {
    fn new() -> Self {
        let gauge = ACTIVE_REQUESTS.unlabeled();
        gauge.increment(1);
        Self(gauge)
    }
}

impl Drop for ActiveRequest {
    fn drop(&mut self) {
        self.0.decrement(1);
    }
}

/// The request id that the caller sent, if it is 1 to 64 letters, digits and hyphens; else a new one.
fn accept_or_create_request_id(headers: &HeaderMap) -> HeaderValue {
    let is_plain = |value: &&HeaderValue| {
        let bytes = value.as_bytes();
        (1..=64).contains(&bytes.len())
            && bytes.iter().all(|byte| byte.is_ascii_alphanumeric() || *byte == b'-')
    };
    let new_id = || {
        HeaderValue::try_from(uuid::Uuid::now_v7().simple().to_string())
            .unwrap_or(HeaderValue::from_static("none"))
    };
    headers.get(REQUEST_ID).filter(is_plain).cloned().unwrap_or_else(new_id)
}

/// Refuses a request whose URL and headers are too long together.
pub(crate) async fn limit_head(request: Request, next: Next) -> Response {
    let length = request.extensions().get::<HeadLength>();
    if length.is_none_or(|length| length.0 <= heads::MAX_HEAD_BYTES) {
        return next.run(request).await;
    }
    let error =
        Error::rejected(RejectionKind::HeadTooLarge, "request_head_too_long", heads::HEAD_TOO_LONG_MESSAGE);
    error_response(error, &request_id(request.headers()))
}

/// Limits requests per token (per address if the request has no token), and always per address.
pub(crate) async fn limit_rate(State(app): State<App>, request: Request, next: Next) -> Response {
    let ip = request.extensions().get::<ClientAddress>().map(|client| client.ip);
    // The address is counted too: otherwise a client could evade the limit with invented tokens.
    if let Some(ip) = ip
        && let Err(limited) = app.rates.check_address(ip)
    {
        return rate_limited_response(&request, limited);
    }
    // The reseller API has the caller's key in the body, so its handler counts requests per key.
    if request.uri().path() == CallReseller::OP.path {
        return next.run(request).await;
    }
    let key = presented_token(&app.config, request.headers()).map_or_else(
        || ip.map(|ip| ip.to_string()).unwrap_or_default(),
        |token| panel_platform::db::sql::hex(&crate::auth::sessions::hash(token.token())),
    );
    match app.rates.check_caller(&key) {
        Err(limited) => rate_limited_response(&request, limited),
        Ok(rate) => {
            let mut response = next.run(request).await;
            let headers = response.headers_mut();
            headers.insert(RATE_LIMIT, HeaderValue::from(rate.limit));
            headers.insert(RATE_REMAINING, HeaderValue::from(rate.remaining));
            response
        }
    }
}

const RATE_LIMIT: HeaderName = HeaderName::from_static("x-ratelimit-limit");
const RATE_REMAINING: HeaderName = HeaderName::from_static("x-ratelimit-remaining");

fn rate_limited_response(request: &Request, limited: RateLimited) -> Response {
    let mut response = error_response(Error::throttled(limited.wait_secs), &request_id(request.headers()));
    response.headers_mut().insert(RATE_LIMIT, HeaderValue::from(limited.limit));
    response.headers_mut().insert(RATE_REMAINING, HeaderValue::from(0));
    response
}

/// Adds security headers to every response. Responses with pages set their own policy.
pub(crate) async fn security_headers(State(app): State<App>, request: Request, next: Next) -> Response {
    let mut response = next.run(request).await;
    let headers = response.headers_mut();
    let mut set_default = |name: HeaderName, value: &'static str| {
        headers.entry(name).or_insert(HeaderValue::from_static(value));
    };
    set_default(header::X_CONTENT_TYPE_OPTIONS, "nosniff");
    set_default(header::REFERRER_POLICY, "no-referrer");
    set_default(HeaderName::from_static("cross-origin-resource-policy"), "same-origin");
    set_default(header::CACHE_CONTROL, "no-store");
    set_default(
        header::CONTENT_SECURITY_POLICY,
        "default-src 'none'; object-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    );
    if app.config.public_url.as_ref().is_some_and(|url| url.starts_with("https://")) {
        set_default(header::STRICT_TRANSPORT_SECURITY, "max-age=31536000; includeSubDomains");
    }
    response
}

/// Turns a panic into an internal error: the log has the panic's message, the response does not.
pub(crate) async fn catch_panic(request: Request, next: Next) -> Response {
    let id = request_id(request.headers());
    // Unwinding drops the handler's values; an open transaction rolls back.
    std::panic::AssertUnwindSafe(next.run(request)).catch_unwind().await.unwrap_or_else(|panic| {
        let text = panic
            .downcast_ref::<String>()
            .cloned()
            .or_else(|| panic.downcast_ref::<&str>().map(|text| (*text).to_owned()));
        error_response(Error::Internal(format!("a handler panicked: {}", text.unwrap_or_default())), &id)
    })
}

/// The 404 for a path that is not in the endpoint table.
pub(crate) fn route_not_found(path: &str) -> Error {
    let path: String = path.trim_start_matches('/').chars().take(200).collect();
    Error::rejected(
        RejectionKind::NotFound,
        "route_not_found",
        format!("The route {path} could not be found."),
    )
}

/// Paths of endpoints outside of `/api/` that have no GET endpoint: a browser may open a page of the console there.
pub(crate) fn console_pages_outside_api(ops: &[Op]) -> BTreeSet<&'static str> {
    let paths_with_get: BTreeSet<&str> =
        ops.iter().filter(|op| op.method == "GET").map(|op| op.path).collect();
    let is_outside_api = |op: &&Op| !op.path.starts_with("/api/") && !op.path.starts_with("/broadcasting/");
    ops.iter()
        .filter(is_outside_api)
        .map(|op| op.path)
        .filter(|path| !paths_with_get.contains(path))
        .collect()
}

/// The 405 with the supported methods (axum adds them as `Allow`).
pub(crate) async fn method_not_allowed(request: Request) -> Response {
    let template = request.extensions().get::<MatchedPath>().map_or("", |path| path.as_str());
    let ops: Vec<Op> = endpoints::all().filter(|op| op.path == template).copied().collect();
    let mut methods: Vec<&str> = ops.iter().map(|op| op.method).collect();
    // A path that is not in the table is a page or the websocket.
    if ops.is_empty() || console_pages_outside_api(&ops).contains(&template) {
        methods.push("GET");
    }
    let methods = methods.join(", ");
    let route: String = request.uri().path().trim_start_matches('/').chars().take(200).collect();
    let message = format!(
        "The {} method is not supported for route {route}. Supported methods: {methods}.",
        request.method()
    );
    let error = Error::rejected(RejectionKind::MethodNotAllowed, "method_not_allowed", message);
    error_response(error, &request_id(request.headers()))
}

/// CORS for the exact origins of the configuration. Scripts there may read the token header.
pub(crate) fn cors(origins: &[String]) -> CorsLayer {
    let origins: Vec<HeaderValue> = origins.iter().filter_map(|origin| origin.parse().ok()).collect();
    CorsLayer::new()
        .allow_origin(AllowOrigin::list(origins))
        .allow_methods([Method::GET, Method::POST, Method::PUT, Method::PATCH, Method::DELETE])
        .allow_headers([
            header::AUTHORIZATION,
            header::CONTENT_TYPE,
            HeaderName::from_static("idempotency-key"),
            REQUEST_ID,
        ])
        .expose_headers([header::AUTHORIZATION, header::RETRY_AFTER, REQUEST_ID, RATE_LIMIT, RATE_REMAINING])
        .max_age(std::time::Duration::from_secs(600))
}

/// The 404 response of a request that matches no route.
pub(crate) async fn fallback(request: Request) -> Response {
    error_response(route_not_found(request.uri().path()), &request_id(request.headers()))
}
