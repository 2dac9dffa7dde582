//! The only module that sends requests. It adds the token, refreshes it after a 401, retries, and parses error responses.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use panel_contract::error::ErrorBody;
use reqwest::header::{AUTHORIZATION, HeaderMap, LOCATION, RETRY_AFTER};
use url::Url;

use crate::client::ClientState;
use crate::confirm::CONFIRMATION_REQUIRED;
use crate::error::{ApiError, Error, Result};
use crate::events::ClientEvent;
use crate::request::{Request, Response};
use crate::token::Token;

/// A successful response: complete, or with a body that is not read yet.
enum SuccessfulResponse {
    Complete(Response),
    Streaming(reqwest::Response),
}

impl ClientState {
    /// Sends a request, with retries, and reads the whole body of the response.
    pub(crate) async fn send(self: &Arc<Self>, request: &Request) -> Result<Response> {
        match self.send_with_retries(request, true).await? {
            SuccessfulResponse::Complete(response) => Ok(response),
            SuccessfulResponse::Streaming(response) => read_response(request, response).await,
        }
    }

    /// Like [`ClientState::send`], but returns after the headers, so that the caller can stream the body. If the body breaks off,
    /// there is no retry.
    pub(crate) async fn send_streaming(self: &Arc<Self>, request: &Request) -> Result<reqwest::Response> {
        match self.send_with_retries(request, false).await? {
            SuccessfulResponse::Streaming(response) => Ok(response),
            SuccessfulResponse::Complete(_) => {
                Err(Error::Setup("The response was already read, although the caller streams it.".into()))
            }
        }
    }

    async fn send_with_retries(
        self: &Arc<Self>,
        request: &Request,
        read_body: bool,
    ) -> Result<SuccessfulResponse> {
        let url = self.request_url(request);
        let (mut attempt, mut token_was_replaced, mut user_was_asked) = (1, false, false);
        let mut total_wait = Duration::ZERO;
        loop {
            let token = if request.is_authenticated { self.token_for(request).await } else { None };
            let response = self.send_once(request, &url, token.as_ref(), attempt).await;
            let mut result = response.map(SuccessfulResponse::Streaming);
            if read_body && let Ok(SuccessfulResponse::Streaming(response)) = result {
                result = read_response(request, response).await.map(SuccessfulResponse::Complete);
            }
            let error = match result {
                Ok(response) => return Ok(response),
                Err(error) => error,
            };
            // The panel does not process a request to which it responds with 401, so any request may be sent once more with another
            // token.
            if error.is_unauthenticated() && request.may_refresh_token_first && !token_was_replaced {
                token_was_replaced = true;
                if token.is_some() && self.try_replace_token(token.as_ref()).await {
                    continue;
                }
            }
            // The panel did not process the request without a confirmation either, so any request may be sent again.
            if error.code() == Some(CONFIRMATION_REQUIRED) && !user_was_asked {
                user_was_asked = true;
                if self.confirm().await? {
                    continue;
                }
            }
            let random = self.environment.random_u64();
            let is_idempotent = request.is_idempotent();
            let delay =
                self.retry_policy.delay_before_retry(&error, attempt, total_wait, is_idempotent, random);
            let Some(delay) = delay else { return Err(error) };
            let is_outage = error.is_outage();
            self.notify(&ClientEvent::Waiting { error: &error.to_string(), delay, attempt, is_outage });
            self.environment.sleep(delay).await;
            total_wait += delay;
            attempt += 1;
        }
    }

    /// Sends the request once. An error response becomes an [`Error::Api`].
    async fn send_once(
        &self,
        request: &Request,
        url: &Url,
        token: Option<&Token>,
        attempt: u32,
    ) -> Result<reqwest::Response> {
        let mut http_request =
            self.http.request(request.method.clone(), url.clone()).headers(request.headers.clone());
        if let Some(token) = token {
            http_request = http_request.bearer_auth(&token.text);
        }
        if let Some(key) = &request.idempotency_key {
            http_request = http_request.header("Idempotency-Key", key);
        }
        if let Some(body) = &request.body {
            http_request = http_request.body(body.clone());
        }
        let started = Instant::now();
        let result = http_request.send().await;
        let target = &url[url::Position::BeforePath..];
        let status = result.as_ref().ok().map(|response| response.status().as_u16());
        let method = request.method.as_str();
        let duration = started.elapsed();
        self.notify(&ClientEvent::RequestEnded { method, target, status, duration, attempt });
        let response = result.map_err(|source| to_transport_error(request, source))?;
        if response.status().is_success() {
            Ok(response)
        } else {
            Err(read_error_response(request, response).await)
        }
    }

    fn request_url(&self, request: &Request) -> Url {
        let mut url = self.base_url.clone();
        let (path, query) = request.path.split_once('?').unwrap_or((&request.path, ""));
        url.set_path(&format!("{}{path}", self.base_url.path().trim_end_matches('/')));
        url.set_query((!query.is_empty()).then_some(query));
        if !request.query.is_empty() {
            url.query_pairs_mut().extend_pairs(&request.query);
        }
        url
    }
}

/// Parses the token in the `Authorization` header of a response to a sign-in or refresh.
pub(crate) fn parse_bearer_token(headers: &HeaderMap) -> Option<&str> {
    headers.get(AUTHORIZATION)?.to_str().ok()?.strip_prefix("Bearer ")
}

pub(crate) fn to_transport_error(request: &Request, source: reqwest::Error) -> Error {
    // The error has only the path of the URL, because the query may contain search terms.
    Error::Transport { request: request.label(), source: source.without_url() }
}

async fn read_response(request: &Request, response: reqwest::Response) -> Result<Response> {
    let (status, headers) = (response.status().as_u16(), response.headers().clone());
    let body = response.bytes().await.map_err(|source| to_transport_error(request, source))?;
    Ok(Response { status, headers, body })
}

async fn read_error_response(request: &Request, response: reqwest::Response) -> Error {
    let (status, headers) = (response.status(), response.headers().clone());
    let seconds = headers.get(RETRY_AFTER).and_then(|value| value.to_str().ok()?.trim().parse().ok());
    let body = match response.bytes().await {
        Ok(body) => body,
        Err(source) => return to_transport_error(request, source),
    };
    let problem = serde_json::from_slice(&body).unwrap_or_else(|_| build_error_body(status, &headers));
    Error::Api(Box::new(ApiError {
        status: status.as_u16(),
        problem,
        retry_after: seconds.map(Duration::from_secs),
    }))
}

/// Builds the body of an error response that is not in the format of the panel, for example from a proxy.
fn build_error_body(status: reqwest::StatusCode, headers: &HeaderMap) -> ErrorBody {
    let header_text =
        |name| headers.get(name).and_then(|value: &reqwest::header::HeaderValue| value.to_str().ok());
    let message = match header_text(LOCATION.as_str()) {
        Some(location) if status.is_redirection() => {
            format!("The server redirects to {location}. Use that address.")
        }
        _ => format!(
            "The server responded with {status} and no error message. Check that the URL is the URL of a panel."
        ),
    };
    ErrorBody {
        skipped: Vec::new(),
        second_factor: None,
        message,
        errors: BTreeMap::new(),
        code: format!("http_{}", status.as_u16()),
        request_id: header_text("x-request-id").unwrap_or_default().to_owned(),
    }
}
