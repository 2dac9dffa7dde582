//! Reads a request: metadata, path, query and body. Errors name every invalid field.

use std::collections::HashSet;
use std::net::IpAddr;
use std::ops::Deref;
use std::sync::Arc;

use axum::RequestPartsExt as _;
use axum::body::{Body, Bytes};
use axum::extract::RawPathParams;
use axum::http::{HeaderMap, Request, header, request::Parts};
use panel_contract::endpoint::{ApiBody, BodyKind, Endpoint, Op, PathArgs, Query};
use panel_contract::fields::FieldErrors;
use panel_contract::{form, text_checks};
use panel_kernel::error::{Error, Result};
use panel_kernel::rejection::RejectionKind;
use panel_kernel::request_meta::{FileKind, RequestMeta};
use sha2::{Digest, Sha256};

use crate::app::App;
use crate::http::bodies::{self, Reservation, Sender};
use crate::http::forwarded::ClientAddress;
use crate::http::multipart;
use crate::http::session_cookie::{self, PresentedToken};
use panel_platform::config::Config;

/// Longest `Idempotency-Key`, in characters.
const MAX_KEY_CHARS: usize = 255;
/// The largest number of fields in a query: forty columns of DataTables have 300, and a decoded field takes about 100 bytes.
const MAX_QUERY_FIELDS: usize = 10_000;

/// The typed parts of a request.
pub struct Req<E: Endpoint>(Arc<ReqParts<E>>);

/// The target of [`Req`]'s `Deref`.
pub struct ReqParts<E: Endpoint> {
    /// Arguments in the path.
    pub path: E::Path,
    pub query: E::Query,
    pub body: E::Body,
}

impl<E: Endpoint> Clone for Req<E> {
    fn clone(&self) -> Self {
        Self(Arc::clone(&self.0))
    }
}

impl<E: Endpoint> Deref for Req<E> {
    type Target = ReqParts<E>;
    fn deref(&self) -> &ReqParts<E> {
        &self.0
    }
}

/// A request with its body and decoded query, before they are parsed into the endpoint's types.
pub(crate) struct RawRequest {
    pub(crate) head: Parts,
    pub(crate) path: Vec<String>,
    pub(crate) query: Vec<(String, String)>,
    /// Empty if `fields` holds the body.
    pub(crate) body: Bytes,
    /// The fields of a multipart body, files as data URLs.
    pub(crate) fields: Option<Vec<(String, String)>>,
    reservation: Option<Reservation>,
}

impl RawRequest {
    /// Reads the body up to `limit` bytes.
    pub(crate) async fn read(
        app: &App,
        request: Request<Body>,
        is_signed_in: bool,
        limit: usize,
    ) -> Result<Self> {
        let (mut head, body) = request.into_parts();
        let path = path_arguments(&mut head).await;
        let sender = Sender { ip: client_address(&head).ip, is_signed_in };
        let collected = bodies::collect(&app.bodies, &app.config, &head, body, sender, limit).await?;
        // The query is decoded after the body has arrived: it takes many times its bytes, which a slow client must not occupy.
        let query = query_pairs(&head)?;
        let (body, reservation) = (collected.bytes, collected.reservation);
        let (body, fields) = match multipart::parse_boundary(&head.headers) {
            // The fields replace the body from here on, so the body is freed.
            Some(boundary) => (Bytes::new(), Some(multipart::parse_fields(body, boundary).await?)),
            None => (body, None),
        };
        Ok(Self { head, path, query, body, fields, reservation })
    }

    /// Frees the raw body. The reservation stays for the parsed values.
    pub(crate) fn into_reservation(self) -> Option<Reservation> {
        let Self { reservation, body, fields, .. } = self;
        drop((body, fields));
        reservation.map(|mut reservation| {
            reservation.release_decode_permit();
            reservation
        })
    }

    /// SHA-256 over query and body, for idempotency.
    pub(crate) fn digest(&self) -> [u8; 32] {
        let mut hash = Sha256::new();
        hash.update(self.head.uri.query().unwrap_or_default().as_bytes());
        hash.update([0]);
        match &self.fields {
            None => hash.update(&self.body),
            // A client chooses another boundary for each request, so the digest covers the fields.
            Some(fields) => {
                for (name, value) in fields {
                    hash.update(name.len().to_be_bytes());
                    hash.update(name.as_bytes());
                    hash.update(value.len().to_be_bytes());
                    hash.update(value.as_bytes());
                }
            }
        }
        hash.finalize().into()
    }

    /// Parses path, query and body of endpoint `E`. Consumes the multipart fields.
    pub(crate) fn parse<E: Endpoint>(&mut self) -> Result<Req<E>> {
        let texts: Vec<&str> = self.path.iter().map(String::as_str).collect();
        let path = E::Path::parse(&texts).ok_or_else(|| {
            Error::rejected(
                RejectionKind::NotFound,
                "not_found",
                "There is no such record. Ids are positive whole numbers.",
            )
        })?;
        // Both query and body are parsed, so that the error names everything that is wrong with the request.
        match (E::Query::parse_deferring_errors(&self.query), self.parse_body::<E::Body>(&E::OP)) {
            (Ok(query), Ok(body)) => Ok(Req(Arc::new(ReqParts { path, query, body }))),
            (Ok(_), Err(error)) => Err(error),
            (Err(errors), Ok(_)) => Err(errors.into()),
            (Err(errors), Err(error)) => Err(error.with_fields(errors)),
        }
    }

    fn parse_body<B: ApiBody>(&mut self, op: &Op) -> Result<B> {
        if B::KIND == BodyKind::None && self.fields.is_none() {
            // Clients may send `{}` for an empty body.
            return Ok(FieldErrors::from_json(if self.body.is_empty() { b"{}" } else { &self.body })?);
        }
        // Any body may be sent as a form with bracketed names.
        if let Some(fields) = self.fields.take() {
            return merge_errors(check_texts::<B>(&fields), parse_form(op, fields));
        }
        let content_type = self
            .head
            .headers
            .get(header::CONTENT_TYPE)
            .and_then(|value| value.to_str().ok())
            .unwrap_or("application/json");
        let essence = content_type.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
        match essence.as_str() {
            "application/x-www-form-urlencoded" => parse_encoded_form(op, &self.body),
            _ if B::KIND == BodyKind::Upload => {
                merge_errors(text_checks::check_json(&self.body), self.parse_upload::<B>(op))
            }
            "application/json" if B::KIND == BodyKind::Fields => Ok(FieldErrors::from_json(&self.body)?),
            "application/json" => {
                merge_errors(text_checks::check_json(&self.body), FieldErrors::from_json(&self.body))
            }
            _ => Err(Error::rejected(
                RejectionKind::UnsupportedMediaType,
                "unsupported_media_type",
                "Send the body as application/json, application/x-www-form-urlencoded or multipart/form-data.",
            )),
        }
    }

    /// Parses a JSON body with images, which may name a method in `_method` as forms do.
    fn parse_upload<B: ApiBody>(&self, op: &Op) -> Result<B> {
        if !self.body.windows(9).any(|part| part == b"\"_method\"") {
            return Ok(FieldErrors::from_json(&self.body)?);
        }
        let mut body: serde_json::Map<String, serde_json::Value> = FieldErrors::from_json(&self.body)?;
        let method = body.remove(form::METHOD_FIELD);
        let body = serde_json::to_vec(&body).map_err(|error| Error::Internal(error.to_string()))?;
        let check_result =
            method.map_or(Ok(()), |method| check_method(op, method.as_str().unwrap_or_default()));
        merge_errors(check_result, FieldErrors::from_json(&body))
    }
}

/// Parses an encoded form. A form without brackets in its names may repeat the name of a field with several values, as HTML forms
/// do.
fn parse_encoded_form<B: ApiBody>(op: &Op, body: &[u8]) -> Result<B> {
    let text =
        std::str::from_utf8(body).map_err(|_| FieldErrors::single("body", "The body must be UTF-8."))?;
    if B::KIND == BodyKind::Json && !text.split('&').any(is_flattened) {
        let pairs = decode_pairs(text)?;
        return merge_errors(check_texts::<B>(&pairs), parse_form_without_brackets(pairs));
    }
    // Counted before they are decoded: a field of two bytes takes fifty.
    form::check_field_count(text.split('&').count(), form::MAX_FIELDS)?;
    let fields = decode_pairs(text)?;
    merge_errors(check_texts::<B>(&fields), parse_form(op, fields))
}

/// Refuses hidden characters in the texts of a form, except in forms of the reseller API, whose handler checks the only name that
/// it accepts and has its own error format.
fn check_texts<B: ApiBody>(fields: &[(String, String)]) -> Result<(), FieldErrors> {
    if B::KIND == BodyKind::Fields { Ok(()) } else { text_checks::check_form(fields) }
}

/// Whether the name of an encoded pair shows that the form is flattened: it has brackets or is `_method`.
fn is_flattened(pair: &str) -> bool {
    let name = pair.split('=').next().unwrap_or_default();
    name.contains('[') || name.to_ascii_lowercase().contains("%5b") || name == form::METHOD_FIELD
}

/// Parses a form without brackets: as an HTML form, or if no name is repeated as a form with brackets, which accepts 1 and 0 as
/// true and false. Returns the errors of the attempt with fewer errors.
fn parse_form_without_brackets<B: ApiBody>(pairs: Vec<(String, String)>) -> Result<B, FieldErrors> {
    let errors = match FieldErrors::from_pairs(&pairs) {
        Ok(body) => return Ok(body),
        Err(errors) => errors,
    };
    let mut names = HashSet::new();
    if !pairs.iter().all(|(name, _)| names.insert(name.clone())) {
        return Err(errors);
    }
    match form::parse(pairs) {
        Err(other_errors) if other_errors.0.len() >= errors.0.len() => Err(errors),
        result => result,
    }
}

/// Parses a form. Its `_method` must be one that the endpoint accepts.
fn parse_form<B: ApiBody>(op: &Op, fields: Vec<(String, String)>) -> Result<B> {
    let mut methods = fields.iter().filter(|(name, _)| name == form::METHOD_FIELD);
    let check_result = methods.try_for_each(|(_, method)| check_method(op, method.trim()));
    merge_errors(check_result, form::parse(fields))
}

/// Refuses a request whose `_method` belongs to another endpoint.
fn check_method(op: &Op, method: &str) -> Result<(), FieldErrors> {
    if op.accepts_method(method) {
        return Ok(());
    }
    let message = format!(
        "This endpoint accepts {}, not {method:.20}. Send {} here, or send the request to the endpoint of that method.",
        op.method, op.method
    );
    Err(FieldErrors::single(form::METHOD_FIELD, message))
}

/// The parsed input, or the errors of both results.
fn merge_errors<B, E: Into<Error>>(
    check_result: Result<(), FieldErrors>,
    parse_result: Result<B, E>,
) -> Result<B> {
    match (check_result, parse_result.map_err(Into::into)) {
        (Ok(()), parse_result) => parse_result,
        (Err(errors), Ok(_)) => Err(errors.into()),
        (Err(errors), Err(error)) => Err(error.with_fields(errors)),
    }
}

async fn path_arguments(head: &mut Parts) -> Vec<String> {
    match head.extract::<RawPathParams>().await {
        Ok(parameters) => parameters.iter().map(|(_, value)| value.to_owned()).collect(),
        Err(_) => vec![String::new()],
    }
}

/// The decoded query of at most [`MAX_QUERY_FIELDS`] fields.
fn query_pairs(head: &Parts) -> Result<Vec<(String, String)>> {
    let text = head.uri.query().unwrap_or_default();
    if text.bytes().filter(|byte| *byte == b'&').count() >= MAX_QUERY_FIELDS {
        return Err(FieldErrors::single(
            "query",
            format!("The query has too many fields. Send at most {MAX_QUERY_FIELDS}."),
        )
        .into());
    }
    decode_pairs(text)
}

/// Decodes `a=b&c=d`. Bytes that are not UTF-8 are refused, not replaced.
fn decode_pairs(text: &str) -> Result<Vec<(String, String)>> {
    text.split('&')
        .filter(|pair| !pair.is_empty())
        .map(|pair| {
            let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
            Ok((percent_decode(name)?, percent_decode(value)?))
        })
        .collect()
}

fn percent_decode(text: &str) -> Result<String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut remaining_bytes = text.bytes();
    while let Some(byte) = remaining_bytes.next() {
        bytes.push(match byte {
            b'+' => b' ',
            b'%' => {
                let digits = [remaining_bytes.next().unwrap_or(0), remaining_bytes.next().unwrap_or(0)];
                std::str::from_utf8(&digits)
                    .ok()
                    .filter(|digits| digits.bytes().all(|digit| digit.is_ascii_hexdigit()))
                    .and_then(|digits| u8::from_str_radix(digits, 16).ok())
                    .ok_or_else(|| {
                        FieldErrors::single(
                            "query",
                            "A percent sign must be followed by two hexadecimal digits.",
                        )
                    })?
            }
            plain => plain,
        });
    }
    let text = String::from_utf8(bytes)
        .map_err(|_| FieldErrors::single("query", "Names and values must be UTF-8."))?;
    if text.contains('\0') {
        return Err(FieldErrors::single("query", "Names and values must not contain NUL.").into());
    }
    Ok(text)
}

/// The metadata of a request, from its head.
pub(crate) fn request_meta(config: &Config, raw: &RawRequest, op: Op) -> Result<RequestMeta> {
    let headers = &raw.head.headers;
    let token = session_cookie::presented_token(config, headers);
    let text = |name: header::HeaderName| {
        headers.get(name).and_then(|value| value.to_str().ok()).unwrap_or_default()
    };
    let client = client_address(&raw.head);
    Ok(RequestMeta {
        op: Some(op),
        request_id: request_id(headers),
        ip: client.ip,
        is_local: client.ip.is_loopback() && !client.is_proxied,
        user_agent: text(header::USER_AGENT).chars().take(500).collect(),
        path: raw.head.uri.path().to_owned(),
        idempotency_key: idempotency_key(headers)?,
        digest: raw.digest(),
        dry_run: raw
            .query
            .iter()
            .any(|(name, value)| name == "dry_run" && matches!(value.as_str(), "1" | "true")),
        export: FileKind::accepted(text(header::ACCEPT)),
        token_hash: token.map(|token| Sha256::digest(token.token().as_bytes()).into()),
        has_cookie_token: token.is_some_and(PresentedToken::is_cookie),
        cookie: session_cookie::cookie_for(config, headers, &op),
    })
}

/// The request id, which the outermost layer sets.
pub(crate) fn request_id(headers: &HeaderMap) -> String {
    headers.get("x-request-id").and_then(|value| value.to_str().ok()).unwrap_or_default().to_owned()
}

/// The token of `Authorization: Bearer …`.
pub(crate) fn bearer_token(headers: &HeaderMap) -> Option<&str> {
    let value = headers.get(header::AUTHORIZATION)?.to_str().ok()?;
    let (scheme, token) = value.split_once(' ')?;
    (scheme.eq_ignore_ascii_case("bearer") && !token.trim().is_empty()).then_some(token.trim())
}

/// The client's address, which the outermost layer determined; without a connection, this machine.
fn client_address(head: &Parts) -> ClientAddress {
    let local = || ClientAddress::of(IpAddr::from([127, 0, 0, 1]), &head.headers, |_| false);
    head.extensions.get::<ClientAddress>().copied().unwrap_or_else(local)
}

fn idempotency_key(headers: &HeaderMap) -> Result<Option<String>> {
    let Some(value) = headers.get("idempotency-key") else { return Ok(None) };
    let key = value.to_str().map(|text| text.trim().trim_matches('"')).unwrap_or_default();
    if key.is_empty() || key.len() > MAX_KEY_CHARS {
        let message = format!("The Idempotency-Key must be 1 to {MAX_KEY_CHARS} visible characters.");
        return Err(Error::rejected(RejectionKind::Malformed, "idempotency_key_invalid", message));
    }
    Ok(Some(key.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn brackets_in_a_value_do_not_make_a_flattened_form() {
        for pair in ["a[0]=1", "a%5B0%5D=1", "a%5b%5d", "_method=PUT"] {
            assert!(is_flattened(pair), "{pair}");
        }
        for pair in ["comment=see+%5B5%5D", "comment=[5]", "comment=_method", "a"] {
            assert!(!is_flattened(pair), "{pair}");
        }
    }

    #[test]
    fn decodes_strictly() {
        let pairs = decode_pairs("a%5B0%5D=x+y&b=%C3%BC&c").unwrap();
        assert_eq!(
            pairs,
            [("a[0]".into(), "x y".into()), ("b".into(), "ü".into()), ("c".to_owned(), String::new())]
        );
        for bad in ["a=%", "a=%4", "a=%zz", "a=%+1", "a=%ff", "a=%00"] {
            assert!(decode_pairs(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn limits_the_fields_of_a_query() {
        let query = |fields: usize| {
            let uri = format!("/?{}", vec!["a"; fields].join("&"));
            query_pairs(&Request::get(uri).body(()).unwrap().into_parts().0)
        };
        assert_eq!(query(MAX_QUERY_FIELDS).unwrap().len(), MAX_QUERY_FIELDS);
        assert!(query(MAX_QUERY_FIELDS + 1).is_err());
    }

    #[test]
    fn fuzz_url_encoded_texts() {
        let texts = panel_fuzz::texts(
            &["a%5Bb%5D=1&c=%C3%A9+x&d"],
            &["%", "%0", "%00", "%ff", "&", "=", "+", "\u{e9}"],
        );
        panel_fuzz::FuzzTarget::new("panel-server", "url_encoded").run(texts, |text| {
            if let Ok(pairs) = decode_pairs(text) {
                let length: usize = pairs.iter().map(|(name, value)| name.len() + value.len()).sum();
                assert!(length <= text.len());
            }
        });
    }
}
