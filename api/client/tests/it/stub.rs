//! A stub panel that answers as the test defines, and records its requests.

use std::sync::{Arc, Mutex};

use axum::body::{Body, Bytes};
use axum::extract::State;
use axum::http::{HeaderMap, Method, Response, Uri};
use futures_util::stream;
use panel_client::Client;
use panel_client::builder::Builder;
use panel_client::world::FixedEnvironment;
use panel_contract::moment::Time;
use serde_json::{Value, json};

/// The time in every test: 2026-11-20 00:00:00.
pub(crate) const NOW: Time = Time(1_795_132_800_000_000);

/// A recorded request.
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

type Answer = dyn Fn(&RecordedRequest, usize) -> Response<Body> + Send + Sync;
type Memory = Arc<Mutex<Vec<RecordedRequest>>>;

/// A stub that runs until the test ends.
#[derive(Clone)]
pub(crate) struct Stub {
    pub(crate) base: String,
    requests: Memory,
}

impl Stub {
    /// Answers every request with `answer`, which gets the request and its number, from 0.
    pub(crate) async fn new(
        answer: impl Fn(&RecordedRequest, usize) -> Response<Body> + Send + Sync + 'static,
    ) -> Self {
        let requests = Arc::new(Mutex::new(Vec::new()));
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let base = format!("http://{}", listener.local_addr().unwrap());
        let answer: Arc<Answer> = Arc::new(answer);
        let app = axum::Router::new().fallback(answer_one).with_state((Arc::clone(&requests), answer));
        tokio::spawn(async move { axum::serve(listener, app).await.unwrap() });
        Self { base, requests }
    }

    pub(crate) fn requests(&self) -> Vec<RecordedRequest> {
        self.requests.lock().unwrap().clone()
    }

    pub(crate) fn builder(&self) -> Builder {
        Client::builder(&self.base).world(FixedEnvironment(NOW))
    }

    pub(crate) fn client(&self) -> Client {
        self.builder().token("pnl_test").build().unwrap()
    }
}

async fn answer_one(
    State((requests, answer)): State<(Memory, Arc<Answer>)>,
    method: Method,
    uri: Uri,
    headers: HeaderMap,
    body: Bytes,
) -> Response<Body> {
    let url = url::Url::parse(&format!("http://stub{uri}")).unwrap();
    let query = url.query_pairs().into_owned().collect();
    let one = RecordedRequest { method, path: uri.path().to_owned(), query, headers, body };
    let n = {
        let mut requests = requests.lock().unwrap();
        requests.push(one.clone());
        requests.len() - 1
    };
    answer(&one, n)
}

/// A JSON response.
pub(crate) fn reply(status: u16, body: &Value) -> Response<Body> {
    let builder = Response::builder().status(status).header("content-type", "application/json");
    builder.body(Body::from(body.to_string())).unwrap()
}

/// An error response.
pub(crate) fn problem(status: u16, code: &str) -> Response<Body> {
    reply(status, &json!({ "message": format!("It is {code}."), "code": code, "request_id": "r1" }))
}

/// A truncated response.
pub(crate) fn truncated_response() -> Response<Body> {
    let pieces: [Result<Bytes, std::io::Error>; 2] =
        [Ok(Bytes::from_static(b"{\"data\":")), Err(std::io::Error::other("truncated"))];
    Response::builder().body(Body::from_stream(stream::iter(pieces))).unwrap()
}

/// A response with a session token.
pub(crate) fn signed_in(token: &str, expires_at: Time) -> Response<Body> {
    let user =
        json!({ "id": 1, "name": "Olga", "email": "olga@panel.test", "roles": [], "allPermissions": [] });
    let mut response = reply(200, &json!({ "user": user, "expires_at": expires_at }));
    response.headers_mut().insert("authorization", format!("Bearer {token}").parse().unwrap());
    response
}
