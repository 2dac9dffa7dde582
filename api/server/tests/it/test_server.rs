//! A panel that listens on a port, and an HTTP client for it.

use std::net::SocketAddr;

use panel_client::Client;
use panel_platform::db::Dialect;
use panel_server::router::serve;
use panel_server::run::RunningServer;
use serde_json::Value;
use tokio::net::TcpListener;

use crate::panel::Panel;

pub(crate) struct TestServer {
    pub(crate) panel: Panel,
    address: SocketAddr,
    running: Option<RunningServer>,
    http: reqwest::Client,
}

#[derive(Debug)]
pub(crate) struct HttpResponse {
    pub(crate) status: u16,
    pub(crate) headers: reqwest::header::HeaderMap,
    pub(crate) text: String,
}

impl HttpResponse {
    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.text).unwrap_or_else(|_| panic!("the response is not JSON: {self:?}"))
    }

    pub(crate) fn header(&self, name: &str) -> &str {
        self.headers.get(name).map_or("", |value| value.to_str().unwrap())
    }
}

impl TestServer {
    pub(crate) async fn start(dialect: Dialect) -> Self {
        Self::serve(Panel::start(dialect).await).await
    }

    pub(crate) async fn serve(panel: Panel) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let running = RunningServer::start(panel.app.clone(), listener).unwrap();
        Self { panel, address: running.address, running: Some(running), http: client() }
    }

    /// Serves without workers, because they add entries to the audit trail during a long test.
    pub(crate) async fn without_workers(panel: Panel) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        tokio::spawn(serve::serve(panel.app.clone(), listener));
        Self { panel, address, running: None, http: client() }
    }

    /// `host:port`.
    pub(crate) fn host(&self) -> String {
        self.address.to_string()
    }

    /// The client library with the token of a staff member. The token is the name of the staff member.
    pub(crate) fn client(&self, token: &str) -> Client {
        Client::builder(format!("http://{}", self.host())).token(token).build().unwrap()
    }

    /// Sends a request; `body` is JSON text, which may be invalid.
    pub(crate) async fn request(
        &self,
        method: &str,
        path: &str,
        token: Option<&str>,
        body: Option<&str>,
    ) -> HttpResponse {
        self.send(
            |request| {
                let request = match token {
                    Some(token) => request.bearer_auth(token),
                    None => request,
                };
                match body {
                    Some(body) => request.header("content-type", "application/json").body(body.to_owned()),
                    None => request,
                }
            },
            method,
            path,
        )
        .await
    }

    /// Sends a request with the headers and the body that `build` adds.
    pub(crate) async fn send(
        &self,
        build: impl FnOnce(reqwest::RequestBuilder) -> reqwest::RequestBuilder,
        method: &str,
        path: &str,
    ) -> HttpResponse {
        let request = self.http.request(method.parse().unwrap(), format!("http://{}{path}", self.host()));
        let response = build(request).send().await.unwrap();
        let (status, headers) = (response.status().as_u16(), response.headers().clone());
        HttpResponse { status, headers, text: response.text().await.unwrap() }
    }

    /// Stops the server as SIGTERM does.
    pub(crate) async fn stop(mut self) {
        self.running.take().unwrap().stop().await;
    }
}

#[expect(clippy::disallowed_methods, reason = "tests send requests like an external client")]
pub(crate) fn client() -> reqwest::Client {
    reqwest::Client::new()
}
