//! The one place that puts requests on the wire: token, retries, refresh on refusal, error answers.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use panel_contract::error::Problem;
use reqwest::header::{AUTHORIZATION, HeaderMap, LOCATION, RETRY_AFTER};
use url::Url;

use crate::client::Inner;
use crate::confirm::CONFIRMATION_REQUIRED;
use crate::error::{Error, Refused, Result};
use crate::request::{Answer, Request};
use crate::token::Token;
use crate::watch::Seen;

/// An answer that is no error: whole, or open after its headers.
enum Reply {
    Whole(Answer),
    Open(reqwest::Response),
}

impl Inner {
    /// Sends until there is a whole answer, or no sense in trying again.
    pub(crate) async fn send(self: &Arc<Self>, request: &Request) -> Result<Answer> {
        match self.persist(request, true).await? {
            Reply::Whole(answer) => Ok(answer),
            Reply::Open(response) => whole(request, response).await,
        }
    }

    /// The same up to the headers: the body comes bit by bit, and is not repeated when it breaks.
    pub(crate) async fn open(self: &Arc<Self>, request: &Request) -> Result<reqwest::Response> {
        match self.persist(request, false).await? {
            Reply::Open(response) => Ok(response),
            Reply::Whole(_) => Err(Error::Setup("an open answer was asked for".into())),
        }
    }

    async fn persist(self: &Arc<Self>, request: &Request, to_the_end: bool) -> Result<Reply> {
        let url = self.url(request);
        let (mut attempt, mut renewed, mut confirmed, mut waited) = (1, false, false, Duration::ZERO);
        loop {
            let token = if request.signed { self.fresh_token(request).await } else { None };
            let mut result = self.attempt(request, &url, token.as_ref(), attempt).await.map(Reply::Open);
            if to_the_end && let Ok(Reply::Open(response)) = result {
                result = whole(request, response).await.map(Reply::Whole);
            }
            let error = match result {
                Ok(reply) => return Ok(reply),
                Err(error) => error,
            };
            // A 401 was not acted on: with another token the same request may go out again, once.
            if error.is_unauthenticated() && request.refreshes && !renewed {
                renewed = true;
                if token.is_some() && self.renew(token.as_ref()).await {
                    continue;
                }
            }
            // Refused before anything was done: once the caller has confirmed who they are, it goes out again.
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
            self.tell(&Seen::Waiting { why: &error.to_string(), wait, attempt, is_outage });
            self.world.sleep(wait).await;
            waited += wait;
            attempt += 1;
        }
    }

    /// One try; an error answer is an error.
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
        self.tell(&Seen::Answered { method, target, status, took: started.elapsed(), attempt });
        let response = result.map_err(|source| transport(request, source))?;
        if response.status().is_success() { Ok(response) } else { Err(refusal(request, response).await) }
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

/// The token of an answer's `Authorization` header, as signing in and refreshing give it.
pub(crate) fn token_of(headers: &HeaderMap) -> Option<&str> {
    headers.get(AUTHORIZATION)?.to_str().ok()?.strip_prefix("Bearer ")
}

pub(crate) fn transport(request: &Request, source: reqwest::Error) -> Error {
    // The address is in `what` and could carry what was searched for.
    Error::Transport { what: request.what(), source: source.without_url() }
}

async fn whole(request: &Request, response: reqwest::Response) -> Result<Answer> {
    let (status, headers) = (response.status().as_u16(), response.headers().clone());
    let body = response.bytes().await.map_err(|source| transport(request, source))?;
    Ok(Answer { status, headers, body })
}

async fn refusal(request: &Request, response: reqwest::Response) -> Error {
    let (status, headers) = (response.status(), response.headers().clone());
    let seconds = headers.get(RETRY_AFTER).and_then(|value| value.to_str().ok()?.trim().parse().ok());
    let body = match response.bytes().await {
        Ok(body) => body,
        Err(source) => return transport(request, source),
    };
    let problem = serde_json::from_slice(&body).unwrap_or_else(|_| stranger(status, &headers));
    Error::Refused(Box::new(Refused {
        status: status.as_u16(),
        problem,
        retry_after: seconds.map(Duration::from_secs),
    }))
}

/// An error answer that is not a panel's own.
fn stranger(status: reqwest::StatusCode, headers: &HeaderMap) -> Problem {
    let text = |name| headers.get(name).and_then(|value: &reqwest::header::HeaderValue| value.to_str().ok());
    let message = match text(LOCATION.as_str()) {
        Some(place) if status.is_redirection() => {
            format!("The server sends us to {place}; use that address.")
        }
        _ => format!("The server answered {status} without saying why; is this a panel's address?"),
    };
    Problem {
        skipped: Vec::new(),
        second_factor: None,
        message,
        errors: BTreeMap::new(),
        code: format!("http_{}", status.as_u16()),
        request_id: text("x-request-id").unwrap_or_default().to_owned(),
    }
}
