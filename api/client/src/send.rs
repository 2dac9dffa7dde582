//! The only module that sends requests: token, retries, refresh after a 401, error responses.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use panel_contract::error::ErrorBody;
use reqwest::header::{AUTHORIZATION, HeaderMap, LOCATION, RETRY_AFTER};
use url::Url;

use crate::client::Inner;
use crate::confirm::CONFIRMATION_REQUIRED;
use crate::error::{Error, Refused, Result};
use crate::request::{Answer, Request};
use crate::token::Token;
use crate::watch::ClientEvent;

/// A successful response: complete, or open after its headers.
enum Reply {
    Complete(Answer),
    Open(reqwest::Response),
}

impl Inner {
    /// Sends until there is a complete response or retrying is pointless.
    pub(crate) async fn send(self: &Arc<Self>, request: &Request) -> Result<Answer> {
        match self.send_with_retries(request, true).await? {
            Reply::Complete(answer) => Ok(answer),
            Reply::Open(response) => read_complete(request, response).await,
        }
    }

    /// Like [`Inner::send`], up to the headers: the body is streamed, and is not retried if it breaks.
    pub(crate) async fn open(self: &Arc<Self>, request: &Request) -> Result<reqwest::Response> {
        match self.send_with_retries(request, false).await? {
            Reply::Open(response) => Ok(response),
            Reply::Complete(_) => Err(Error::Setup("an open response was requested".into())),
        }
    }

    async fn send_with_retries(self: &Arc<Self>, request: &Request, read_body: bool) -> Result<Reply> {
        let url = self.url(request);
        let (mut attempt, mut renewed, mut confirmed, mut waited) = (1, false, false, Duration::ZERO);
        loop {
            let token = if request.signed { self.fresh_token(request).await } else { None };
            let mut result = self.attempt(request, &url, token.as_ref(), attempt).await.map(Reply::Open);
            if read_body && let Ok(Reply::Open(response)) = result {
                result = read_complete(request, response).await.map(Reply::Complete);
            }
            let error = match result {
                Ok(reply) => return Ok(reply),
                Err(error) => error,
            };
            // The panel did not process a request that it answered with 401: it may be sent once more with another token.
            if error.is_unauthenticated() && request.refreshes && !renewed {
                renewed = true;
                if token.is_some() && self.renew(token.as_ref()).await {
                    continue;
                }
            }
            // Refused before it was processed: after the confirmation it is sent again.
            if error.code() == Some(CONFIRMATION_REQUIRED) && !confirmed {
                confirmed = true;
                if self.confirm().await? {
                    continue;
                }
            }
            let chance = self.world.chance();
            let Some(wait) = self.retry.wait(&error, attempt, waited, request.is_repeatable(), chance) else {
                return Err(error);
            };
            let is_outage = error.is_outage();
            self.notify(&ClientEvent::Waiting { why: &error.to_string(), wait, attempt, is_outage });
            self.world.sleep(wait).await;
            waited += wait;
            attempt += 1;
        }
    }

    /// One attempt; an error response becomes an error.
    async fn attempt(
        &self,
        request: &Request,
        url: &Url,
        token: Option<&Token>,
        attempt: u32,
    ) -> Result<reqwest::Response> {
        let mut sent =
            self.http.request(request.method.clone(), url.clone()).headers(request.headers.clone());
        if let Some(token) = token {
            sent = sent.bearer_auth(&token.text);
        }
        if let Some(key) = &request.key {
            sent = sent.header("Idempotency-Key", key);
        }
        if let Some(body) = &request.body {
            sent = sent.body(body.clone());
        }
        let started = Instant::now();
        let result = sent.send().await;
        let target = &url[url::Position::BeforePath..];
        let status = result.as_ref().ok().map(|response| response.status().as_u16());
        let method = request.method.as_str();
        self.notify(&ClientEvent::Answered { method, target, status, took: started.elapsed(), attempt });
        let response = result.map_err(|source| transport(request, source))?;
        if response.status().is_success() {
            Ok(response)
        } else {
            Err(error_response(request, response).await)
        }
    }

    fn url(&self, request: &Request) -> Url {
        let mut url = self.base.clone();
        let (path, query) = request.path.split_once('?').unwrap_or((&request.path, ""));
        url.set_path(&format!("{}{path}", self.base.path().trim_end_matches('/')));
        url.set_query((!query.is_empty()).then_some(query));
        if !request.query.is_empty() {
            url.query_pairs_mut().extend_pairs(&request.query);
        }
        url
    }
}

/// The token in a response's `Authorization` header, after signing in and refreshing.
pub(crate) fn token_of(headers: &HeaderMap) -> Option<&str> {
    headers.get(AUTHORIZATION)?.to_str().ok()?.strip_prefix("Bearer ")
}

pub(crate) fn transport(request: &Request, source: reqwest::Error) -> Error {
    // `what` has the path; the full URL could contain search terms.
    Error::Transport { what: request.what(), source: source.without_url() }
}

async fn read_complete(request: &Request, response: reqwest::Response) -> Result<Answer> {
    let (status, headers) = (response.status().as_u16(), response.headers().clone());
    let body = response.bytes().await.map_err(|source| transport(request, source))?;
    Ok(Answer { status, headers, body })
}

async fn error_response(request: &Request, response: reqwest::Response) -> Error {
    let (status, headers) = (response.status(), response.headers().clone());
    let seconds = headers.get(RETRY_AFTER).and_then(|value| value.to_str().ok()?.trim().parse().ok());
    let body = match response.bytes().await {
        Ok(body) => body,
        Err(source) => return transport(request, source),
    };
    let problem = serde_json::from_slice(&body).unwrap_or_else(|_| foreign_error(status, &headers));
    Error::Refused(Box::new(Refused {
        status: status.as_u16(),
        problem,
        retry_after: seconds.map(Duration::from_secs),
    }))
}

/// The body for an error response that does not come from a panel.
fn foreign_error(status: reqwest::StatusCode, headers: &HeaderMap) -> ErrorBody {
    let text = |name| headers.get(name).and_then(|value: &reqwest::header::HeaderValue| value.to_str().ok());
    let message = match text(LOCATION.as_str()) {
        Some(place) if status.is_redirection() => {
            format!("The server redirects to {place}; use that address.")
        }
        _ => format!("The server answered {status} without a reason. Check that this is the URL of a panel."),
    };
    ErrorBody {
        skipped: Vec::new(),
        second_factor: None,
        message,
        errors: BTreeMap::new(),
        code: format!("http_{}", status.as_u16()),
        request_id: text("x-request-id").unwrap_or_default().to_owned(),
    }
}
