//! A fake counter service: it reports the units that the fake panels delivered, and simulates failures of real counters.

use std::collections::{BTreeMap, HashMap};
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, PoisonError};

use axum::Router;
use axum::extract::{Query, State};
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse as _, Response};
use panel_contract::moment::Time;
use panel_kernel::clock::Clock;
use serde_json::json;
use tokio::net::TcpListener;

use super::state::{FakePanelState, START_COUNT};
use super::{FakeBehavior, html_page, json_response, lock, truncated_response};

/// A running fake counter.
pub struct FakeCounter {
    /// URL template, for the server's setting.
    pub url: String,
    shared: SharedState,
}

#[derive(Clone)]
struct SharedState {
    panel_states: Vec<Arc<Mutex<FakePanelState>>>,
    token: Option<String>,
    behavior: Arc<Mutex<FakeBehavior>>,
    /// Counts by URL that replace the computed counts.
    fixed_counts: Arc<Mutex<HashMap<String, i64>>>,
    requests: Arc<Mutex<Vec<BTreeMap<String, String>>>>,
    /// Additional fields of the counter's responses.
    extra_fields: Arc<Mutex<serde_json::Map<String, serde_json::Value>>>,
    clock: Arc<dyn Clock>,
}

impl FakeCounter {
    /// Runs until the process exits. If `token` is set, requests must send it as their bearer token.
    pub async fn start(
        panels: &[super::FakePanel],
        token: Option<&str>,
        clock: Arc<dyn Clock>,
    ) -> std::io::Result<Self> {
        let listener = TcpListener::bind(SocketAddr::from(([127, 0, 0, 1], 0))).await?;
        let url =
            format!("http://{}/count?url={{url}}&type={{type}}&network={{network}}", listener.local_addr()?);
        let shared = SharedState {
            panel_states: panels.iter().map(|panel| Arc::clone(&panel.shared.panel_state)).collect(),
            token: token.map(str::to_owned),
            behavior: Arc::default(),
            fixed_counts: Arc::default(),
            requests: Arc::default(),
            extra_fields: Arc::default(),
            clock,
        };
        let router = Router::new().fallback(handle_request).with_state(shared.clone());
        tokio::spawn(async move { axum::serve(listener, router).await });
        Ok(Self { url, shared })
    }

    pub fn set_behavior(&self, behavior: FakeBehavior) {
        *lock(&self.shared.behavior) = behavior;
    }

    /// Sets a fixed count for a URL.
    pub fn set_count(&self, url: &str, count: i64) {
        self.shared.fixed_counts.lock().unwrap_or_else(PoisonError::into_inner).insert(url.to_owned(), count);
    }

    /// Sets additional fields of the counter's responses; `extra_fields` is a JSON object.
    pub fn set_extra_fields(&self, extra_fields: &serde_json::Value) {
        *lock(&self.shared.extra_fields) = extra_fields.as_object().cloned().unwrap_or_default();
    }

    /// The query parameters of each request so far, oldest first.
    pub fn requests(&self) -> Vec<BTreeMap<String, String>> {
        lock(&self.shared.requests).clone()
    }
}

async fn handle_request(
    State(counter): State<SharedState>,
    Query(query): Query<BTreeMap<String, String>>,
    headers: HeaderMap,
) -> Response {
    let url = query.get("url").cloned().unwrap_or_default();
    lock(&counter.requests).push(query);
    let authorization = headers.get(header::AUTHORIZATION).and_then(|value| value.to_str().ok());
    if counter.token.as_ref().is_some_and(|token| authorization != Some(&format!("Bearer {token}"))) {
        return (StatusCode::UNAUTHORIZED, "Unauthorized").into_response();
    }
    let fixed_count = lock(&counter.fixed_counts).get(&url).copied();
    let count = fixed_count.unwrap_or_else(|| computed_count(&counter, &url));
    let mut correct_body = json!({ "count": count });
    for (name, value) in lock(&counter.extra_fields).clone() {
        correct_body[name] = value;
    }
    let behavior = *lock(&counter.behavior);
    match behavior {
        FakeBehavior::HtmlPage => html_page(),
        FakeBehavior::NoResponse => std::future::pending().await,
        FakeBehavior::Truncated => truncated_response(&correct_body),
        FakeBehavior::BadGateway => (StatusCode::BAD_GATEWAY, "Bad gateway").into_response(),
        FakeBehavior::RateLimited => (StatusCode::TOO_MANY_REQUESTS, "slow down").into_response(),
        FakeBehavior::EmptyData => json_response(StatusCode::OK, &json!({ "count": null })),
        FakeBehavior::UnknownStatuses => {
            json_response(StatusCode::OK, &json!({ "count": format!("{count}K") }))
        }
        FakeBehavior::ErrorsAs4xx => {
            json_response(StatusCode::NOT_FOUND, &json!({ "error": "no such address" }))
        }
        _ => json_response(StatusCode::OK, &correct_body),
    }
}

/// The start count plus the units that all panels delivered to a URL.
fn computed_count(counter: &SharedState, url: &str) -> i64 {
    let now: Time = counter.clock.now();
    START_COUNT
        + counter
            .panel_states
            .iter()
            .map(|panel_state| lock(panel_state).delivered_quantity(url, now))
            .sum::<i64>()
}
