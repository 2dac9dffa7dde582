//! A panel that serves on a port of its own, and a caller outside of it.

use std::net::SocketAddr;

use panel_client::Client;
use panel_platform::db::Dialect;
use panel_server::router::serve;
use panel_server::run::Running;
use serde_json::Value;
use tokio::net::TcpListener;

use crate::panel::Panel;

/// A panel that listens.
pub(crate) struct Served {
    pub(crate) panel: Panel,
    address: SocketAddr,
    running: Option<Running>,
    http: reqwest::Client,
}

/// An answer.
#[derive(Debug)]
pub(crate) struct Got {
    pub(crate) status: u16,
    pub(crate) headers: reqwest::header::HeaderMap,
    pub(crate) text: String,
}

impl Got {
    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.text).unwrap_or_else(|_| panic!("no JSON: {self:?}"))
    }

    pub(crate) fn header(&self, name: &str) -> &str {
        self.headers.get(name).map_or("", |value| value.to_str().unwrap())
    }
}

impl Served {
    pub(crate) async fn on(dialect: Dialect) -> Self {
        Self::start(Panel::on(dialect).await).await
    }

    pub(crate) async fn start(panel: Panel) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let running = Running::start(panel.app.clone(), listener).unwrap();
        Self { panel, address: running.address, running: Some(running), http: client() }
    }

    /// Serves without background work, which writes to the audit trail by itself when a test takes long enough.
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

    /// The client library as one of the staff.
    pub(crate) fn client(&self, who: &str) -> Client {
        Client::builder(format!("http://{}", self.host())).token(who).build().unwrap()
    }

    /// A request as it is; `body` is JSON.
    pub(crate) async fn ask(&self, method: &str, path: &str, token: Option<&str>, body: Option<&str>) -> Got {
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

    /// A request with whatever `shape` adds.
    pub(crate) async fn send(
        &self,
        shape: impl FnOnce(reqwest::RequestBuilder) -> reqwest::RequestBuilder,
        method: &str,
        path: &str,
    ) -> Got {
        let request = self.http.request(method.parse().unwrap(), format!("http://{}{path}", self.host()));
        let answer = shape(request).send().await.unwrap();
        let (status, headers) = (answer.status().as_u16(), answer.headers().clone());
        Got { status, headers, text: answer.text().await.unwrap() }
    }

    /// Stops it, as SIGTERM does.
    pub(crate) async fn stop(mut self) {
        self.running.take().unwrap().stop().await;
    }
}

#[expect(clippy::disallowed_methods, reason = "tests call from outside")]
pub(crate) fn client() -> reqwest::Client {
    reqwest::Client::new()
}
