//! Middleware that every request passes: request id, log line, metrics, limits, security headers, panics, unknown routes.

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
use panel_contract::endpoints::order_requests::CallReseller;
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

const REQUEST_ID_HEADER: HeaderName = HeaderName::from_static("x-request-id");

/// The outermost layer: sets the request id, determines the client's address, and logs, measures and traces the request.
pub(crate) async fn trace(State(app): State<App>, mut request: Request, next: Next) -> Response {
    let started_at = Instant::now();
    let id = accept_or_create_request_id(request.headers());
    request.headers_mut().insert(REQUEST_ID_HEADER, id.clone());
    let peer = request.extensions().get::<ConnectInfo<SocketAddr>>().map(|ConnectInfo(peer)| peer.ip());
    let client =
        peer.map(|peer| ClientAddress::from_request(peer, request.headers(), |ip| app.config.trusts(ip)));
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
    let active_request = ActiveRequest::new();
    let response_future = UnitStats::scope(Arc::clone(&stats), next.run(request));
    let mut response = response_future.instrument(span.clone()).await;
    drop(active_request);
    response.headers_mut().insert(REQUEST_ID_HEADER, id.clone());
    let completed_request =
        CompletedRequest { method: &method, route, started_at, stats: &stats, response: &response };
    completed_request.record(&span);
    completed_request.log(&id, client.map(|client| client.ip));
    response
}

/// A request with its response, for metrics, span and log line.
struct CompletedRequest<'a> {
    method: &'a Method,
    route: &'a str,
    started_at: Instant,
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
        REQUEST_DURATION.with_labels(labels).record(self.started_at.elapsed());
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

    /// Writes the request's log line. It must never contain the query, a body or a token; the route is enough to find the code.
    fn log(&self, id: &HeaderValue, client: Option<IpAddr>) {
        tracing::info!(
            request_id = id.to_str().unwrap_or_default(),
            method = %self.method,
            route = self.route,
            status = self.status(),
            ms = u64::try_from(self.started_at.elapsed().as_millis()).unwrap_or(u64::MAX),
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

/// The method as a metric label. All unknown methods share one label, so that clients cannot create metric series.
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

/// The request id that the client sent if it consists of 1 to 64 letters, digits and hyphens; otherwise a new id.
fn accept_or_create_request_id(headers: &HeaderMap) -> HeaderValue {
    let is_valid_id = |value: &&HeaderValue| {
        let bytes = value.as_bytes();
        (1..=64).contains(&bytes.len())
            && bytes.iter().all(|byte| byte.is_ascii_alphanumeric() || *byte == b'-')
    };
    let new_id = || {
        HeaderValue::try_from(uuid::Uuid::now_v7().simple().to_string())
            .unwrap_or(HeaderValue::from_static("none"))
    };
    headers.get(REQUEST_ID_HEADER).filter(is_valid_id).cloned().unwrap_or_else(new_id)
}

/// Rejects a request whose URL and headers are too long together.
pub(crate) async fn limit_head(request: Request, next: Next) -> Response {
    let length = request.extensions().get::<HeadLength>();
    if length.is_none_or(|length| length.0 <= heads::MAX_HEAD_BYTES) {
        return next.run(request).await;
    }
    let error =
        Error::rejected(RejectionKind::HeadTooLarge, "request_head_too_long", heads::HEAD_TOO_LONG_MESSAGE);
    error_response(error, &request_id(request.headers()))
}

/// Limits requests per address, and also per token if the request has one.
pub(crate) async fn limit_rate(State(app): State<App>, request: Request, next: Next) -> Response {
    let ip = request.extensions().get::<ClientAddress>().map(|client| client.ip);
    // Without the limit per address, a client could send each request with another invented token.
    if let Some(ip) = ip
        && let Err(rate_limited) = app.request_rates.check_address(ip)
    {
        return rate_limited_response(&request, rate_limited);
    }
    // The reseller API sends the API key in the body, so its handler counts the requests per key.
    if request.uri().path() == CallReseller::OP.path {
        return next.run(request).await;
    }
    let key = presented_token(&app.config, request.headers()).map_or_else(
        || ip.map(|ip| ip.to_string()).unwrap_or_default(),
        |token| panel_platform::db::sql::hex(&crate::auth::sessions::hash(token.token())),
    );
    match app.request_rates.check_caller(&key) {
        Err(rate_limited) => rate_limited_response(&request, rate_limited),
        Ok(rate_status) => {
            let mut response = next.run(request).await;
            let headers = response.headers_mut();
            headers.insert(RATE_LIMIT_HEADER, HeaderValue::from(rate_status.limit));
            headers.insert(RATE_REMAINING_HEADER, HeaderValue::from(rate_status.remaining));
            response
        }
    }
}

const RATE_LIMIT_HEADER: HeaderName = HeaderName::from_static("x-ratelimit-limit");
const RATE_REMAINING_HEADER: HeaderName = HeaderName::from_static("x-ratelimit-remaining");

fn rate_limited_response(request: &Request, rate_limited: RateLimited) -> Response {
    let mut response =
        error_response(Error::throttled(rate_limited.wait_secs), &request_id(request.headers()));
    response.headers_mut().insert(RATE_LIMIT_HEADER, HeaderValue::from(rate_limited.limit));
    response.headers_mut().insert(RATE_REMAINING_HEADER, HeaderValue::from(0));
    response
}

/// Adds security headers to every response, except those that the handler has set, such as the content security policy of a page.
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

/// Converts a panic to an internal error. The panic's message is in the log, but not in the response.
pub(crate) async fn catch_panic(request: Request, next: Next) -> Response {
    let id = request_id(request.headers());
    // Unwinding drops the handler's variables, so an open transaction is rolled back.
    std::panic::AssertUnwindSafe(next.run(request)).catch_unwind().await.unwrap_or_else(|panic| {
        let panic_message = panic
            .downcast_ref::<String>()
            .cloned()
            .or_else(|| panic.downcast_ref::<&str>().map(|text| (*text).to_owned()));
        error_response(
            Error::Internal(format!("a handler panicked: {}", panic_message.unwrap_or_default())),
            &id,
        )
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

/// Paths outside of `/api/` that have endpoints but no GET endpoint. With GET, the server returns the console's page there.
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

/// The 405 response. It lists the supported methods; axum adds the header `Allow`.
pub(crate) async fn method_not_allowed(request: Request) -> Response {
    let template = request.extensions().get::<MatchedPath>().map_or("", |path| path.as_str());
    let ops: Vec<Op> = endpoints::all().filter(|op| op.path == template).copied().collect();
    let mut methods: Vec<&str> = ops.iter().map(|op| op.method).collect();
    // A path that is not in the endpoint table is a page or the websocket.
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

/// CORS for the configured origins. Scripts of these origins may read the header with the token.
pub(crate) fn cors(origins: &[String]) -> CorsLayer {
    let origins: Vec<HeaderValue> = origins.iter().filter_map(|origin| origin.parse().ok()).collect();
    CorsLayer::new()
        .allow_origin(AllowOrigin::list(origins))
        .allow_methods([Method::GET, Method::POST, Method::PUT, Method::PATCH, Method::DELETE])
        .allow_headers([
            header::AUTHORIZATION,
            header::CONTENT_TYPE,
            HeaderName::from_static("idempotency-key"),
            REQUEST_ID_HEADER,
        ])
        .expose_headers([
            header::AUTHORIZATION,
            header::RETRY_AFTER,
            REQUEST_ID_HEADER,
            RATE_LIMIT_HEADER,
            RATE_REMAINING_HEADER,
        ])
        .max_age(std::time::Duration::from_secs(600))
}

/// The 404 response of a request that matches no route.
pub(crate) async fn fallback(request: Request) -> Response {
    error_response(route_not_found(request.uri().path()), &request_id(request.headers()))
}
