//! A stub panel that responds as the test defines, and records the requests.

use std::sync::{Arc, Mutex};

use axum::body::{Body, Bytes};
use axum::extract::State;
use axum::http::{HeaderMap, Method, Response, Uri};
use futures_util::stream;
use panel_client::Client;
use panel_client::builder::Builder;
use panel_client::environment::FixedEnvironment;
use panel_contract::moment::Time;
use serde_json::{Value, json};

/// The current time in every test: 2026-11-20 00:00:00 UTC.
pub(crate) const NOW: Time = Time(1_795_132_800_000_000);

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct RecordedRequest {
    pub(crate) method: Method,
    pub(crate) path: String,
    pub(crate) query: Vec<(String, String)>,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Bytes,
}

impl RecordedRequest {
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name)?.to_str().ok()
    }
    pub(crate) fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap()
    }
    pub(crate) fn query(&self, name: &str) -> Option<&str> {
        self.query.iter().find(|(key, _)| key == name).map(|(_, value)| value.as_str())
    }
}

type Handler = dyn Fn(&RecordedRequest, usize) -> Response<Body> + Send + Sync;
type RecordedRequests = Arc<Mutex<Vec<RecordedRequest>>>;

/// A stub panel, which runs until the test ends.
#[derive(Clone)]
pub(crate) struct Stub {
    pub(crate) base_url: String,
    requests: RecordedRequests,
}

impl Stub {
    /// Starts a stub that calls `handler` with every request and its index, from 0.
    pub(crate) async fn new(
        handler: impl Fn(&RecordedRequest, usize) -> Response<Body> + Send + Sync + 'static,
    ) -> Self {
        let requests = Arc::new(Mutex::new(Vec::new()));
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let base_url = format!("http://{}", listener.local_addr().unwrap());
        let handler: Arc<Handler> = Arc::new(handler);
        let app = axum::Router::new().fallback(respond).with_state((Arc::clone(&requests), handler));
        tokio::spawn(async move { axum::serve(listener, app).await.unwrap() });
        Self { base_url, requests }
    }

    pub(crate) fn requests(&self) -> Vec<RecordedRequest> {
        self.requests.lock().unwrap().clone()
    }

    pub(crate) fn builder(&self) -> Builder {
        Client::builder(&self.base_url).environment(FixedEnvironment(NOW))
    }

    pub(crate) fn client(&self) -> Client {
        self.builder().token("pnl_test").build().unwrap()
    }
}

async fn respond(
    State((requests, handler)): State<(RecordedRequests, Arc<Handler>)>,
    method: Method,
    uri: Uri,
    headers: HeaderMap,
    body: Bytes,
) -> Response<Body> {
    let url = url::Url::parse(&format!("http://stub{uri}")).unwrap();
    let query = url.query_pairs().into_owned().collect();
    let request = RecordedRequest { method, path: uri.path().to_owned(), query, headers, body };
    let request_index = {
        let mut requests = requests.lock().unwrap();
        requests.push(request.clone());
        requests.len() - 1
    };
    handler(&request, request_index)
}

pub(crate) fn json_response(status: u16, body: &Value) -> Response<Body> {
    let builder = Response::builder().status(status).header("content-type", "application/json");
    builder.body(Body::from(body.to_string())).unwrap()
}

pub(crate) fn error_response(status: u16, code: &str) -> Response<Body> {
    json_response(status, &json!({ "message": format!("It is {code}."), "code": code, "request_id": "r1" }))
}

pub(crate) fn truncated_response() -> Response<Body> {
    let chunks: [Result<Bytes, std::io::Error>; 2] =
        [Ok(Bytes::from_static(b"{\"data\":")), Err(std::io::Error::other("truncated"))];
    Response::builder().body(Body::from_stream(stream::iter(chunks))).unwrap()
}

pub(crate) fn sign_in_response(token: &str, expires_at: Time) -> Response<Body> {
    let user =
        json!({ "id": 1, "name": "Olga", "email": "olga@panel.test", "roles": [], "allPermissions": [] });
    let mut response = json_response(200, &json!({ "user": user, "expires_at": expires_at }));
    response.headers_mut().insert("authorization", format!("Bearer {token}").parse().unwrap());
    response
}
