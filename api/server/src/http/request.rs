//! Reads and parses a request: metadata, path, query and body. Errors name every invalid field.

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

/// Maximum length of the `Idempotency-Key`.
const MAX_IDEMPOTENCY_KEY_CHARS: usize = 255;
/// Maximum number of fields of a query. A list with forty columns has 300; a decoded field needs about 100 bytes.
const MAX_QUERY_FIELDS: usize = 10_000;

/// A parsed request of endpoint `E`. Clones share the data.
pub struct Req<E: Endpoint>(Arc<ReqParts<E>>);

/// The parts of a parsed request.
pub struct ReqParts<E: Endpoint> {
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
    /// The arguments in the path.
    pub(crate) path_arguments: Vec<String>,
    pub(crate) query: Vec<(String, String)>,
    /// Empty if `fields` holds the body.
    pub(crate) body: Bytes,
    /// The fields of a multipart body, with files as data URLs; `None` for other bodies.
    pub(crate) fields: Option<Vec<(String, String)>>,
    /// Memory of the body; `None` without a body.
    reservation: Option<Reservation>,
}

impl RawRequest {
    /// Reads the request with a body of at most `limit` bytes.
    pub(crate) async fn read(
        app: &App,
        request: Request<Body>,
        is_signed_in: bool,
        limit: usize,
    ) -> Result<Self> {
        let (mut head, body) = request.into_parts();
        let path_arguments = extract_path_arguments(&mut head).await;
        let sender = Sender { ip: client_address(&head).ip, is_signed_in };
        let collected =
            bodies::receive_body(&app.body_budget, &app.config, &head, body, sender, limit).await?;
        // A decoded query needs many times its bytes. A slow client must not use that memory, so the query is decoded after the
        // body has arrived.
        let query = parse_query(&head)?;
        let (body, reservation) = (collected.bytes, collected.reservation);
        let (body, fields) = match multipart::parse_boundary(&head.headers) {
            // The fields replace the body, so its memory is freed here.
            Some(boundary) => (Bytes::new(), Some(multipart::parse_fields(body, boundary).await?)),
            None => (body, None),
        };
        Ok(Self { head, path_arguments, query, body, fields, reservation })
    }

    /// Frees the raw body and returns the reservation, which now covers the parsed values.
    pub(crate) fn into_reservation(self) -> Option<Reservation> {
        let Self { reservation, body, fields, .. } = self;
        drop((body, fields));
        reservation.map(|mut reservation| {
            reservation.release_decode_permit();
            reservation
        })
    }

    /// SHA-256 of query and body, which detects an idempotency key that a client reuses for another request.
    pub(crate) fn digest(&self) -> [u8; 32] {
        let mut hash = Sha256::new();
        hash.update(self.head.uri.query().unwrap_or_default().as_bytes());
        hash.update([0]);
        match &self.fields {
            None => hash.update(&self.body),
            // A repeated multipart request has another boundary, so the digest covers the fields instead of the body.
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
        let path_arguments: Vec<&str> = self.path_arguments.iter().map(String::as_str).collect();
        let path = E::Path::parse(&path_arguments).ok_or_else(|| {
            Error::rejected(
                RejectionKind::NotFound,
                "not_found",
                "The record does not exist. Ids are positive whole numbers.",
            )
        })?;
        // Parses both query and body, so that the error names all invalid fields of the request.
        match (E::Query::parse_deferring_errors(&self.query), self.parse_body::<E::Body>(&E::OP)) {
            (Ok(query), Ok(body)) => Ok(Req(Arc::new(ReqParts { path, query, body }))),
            (Ok(_), Err(error)) => Err(error),
            (Err(errors), Ok(_)) => Err(errors.into()),
            (Err(errors), Err(error)) => Err(error.with_fields(errors)),
        }
    }

    fn parse_body<B: ApiBody>(&mut self, op: &Op) -> Result<B> {
        if B::KIND == BodyKind::None && self.fields.is_none() {
            // Clients may send `{}` instead of an empty body.
            return Ok(FieldErrors::from_json(if self.body.is_empty() { b"{}" } else { &self.body })?);
        }
        // Clients may send any body as a form with brackets in the field names.
        if let Some(fields) = self.fields.take() {
            return merge_errors(check_texts::<B>(&fields), parse_form(op, fields));
        }
        let content_type = self
            .head
            .headers
            .get(header::CONTENT_TYPE)
            .and_then(|value| value.to_str().ok())
            .unwrap_or("application/json");
        let media_type = content_type.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
        match media_type.as_str() {
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

    /// Parses a JSON body with images. Like a form, it may contain the HTTP method in `_method`.
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

/// Parses a URL-encoded form. If no field name has brackets, a field name may occur several times, as in HTML forms.
fn parse_encoded_form<B: ApiBody>(op: &Op, body: &[u8]) -> Result<B> {
    let text =
        std::str::from_utf8(body).map_err(|_| FieldErrors::single("body", "The body must be UTF-8."))?;
    if B::KIND == BodyKind::Json && !text.split('&').any(is_flattened_pair) {
        let pairs = decode_pairs(text)?;
        return merge_errors(check_texts::<B>(&pairs), parse_form_without_brackets(pairs));
    }
    // Counts the fields before it decodes them, because a decoded field needs fifty bytes instead of two.
    form::check_field_count(text.split('&').count(), form::MAX_FIELDS)?;
    let fields = decode_pairs(text)?;
    merge_errors(check_texts::<B>(&fields), parse_form(op, fields))
}

/// Rejects invisible characters in the values of a form. Does not check forms of the reseller API, because their handler has its
/// own checks and error format.
fn check_texts<B: ApiBody>(fields: &[(String, String)]) -> Result<(), FieldErrors> {
    if B::KIND == BodyKind::Fields { Ok(()) } else { text_checks::check_form(fields) }
}

/// Whether an encoded pair shows that the form is flattened: its name has brackets or is `_method`.
fn is_flattened_pair(pair: &str) -> bool {
    let name = pair.split('=').next().unwrap_or_default();
    name.contains('[') || name.to_ascii_lowercase().contains("%5b") || name == form::METHOD_FIELD
}

/// Parses a form without brackets. First tries to parse it as an HTML form. If that fails and no field name is repeated, tries to
/// parse it as a form with brackets, which also accepts 1 and 0 as booleans. Returns the errors of the attempt with fewer errors.
fn parse_form_without_brackets<B: ApiBody>(pairs: Vec<(String, String)>) -> Result<B, FieldErrors> {
    let errors = match FieldErrors::from_pairs(&pairs) {
        Ok(body) => return Ok(body),
        Err(errors) => errors,
    };
    let mut distinct_names = HashSet::new();
    if !pairs.iter().all(|(name, _)| distinct_names.insert(name.clone())) {
        return Err(errors);
    }
    match form::parse(pairs) {
        Err(bracket_form_errors) if bracket_form_errors.0.len() >= errors.0.len() => Err(errors),
        result => result,
    }
}

/// Parses a form. If it has a field `_method`, the endpoint must accept that method.
fn parse_form<B: ApiBody>(op: &Op, fields: Vec<(String, String)>) -> Result<B> {
    let mut methods = fields.iter().filter(|(name, _)| name == form::METHOD_FIELD);
    let check_result = methods.try_for_each(|(_, method)| check_method(op, method.trim()));
    merge_errors(check_result, form::parse(fields))
}

/// Rejects a request whose `_method` belongs to another endpoint.
fn check_method(op: &Op, method: &str) -> Result<(), FieldErrors> {
    if op.accepts_method(method) {
        return Ok(());
    }
    let message = format!(
        "This endpoint accepts {}, not {method:.20}. Set _method to {}, or use the endpoint of the other method.",
        op.method, op.method
    );
    Err(FieldErrors::single(form::METHOD_FIELD, message))
}

/// Returns the parsed body, or the errors of both results.
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

async fn extract_path_arguments(head: &mut Parts) -> Vec<String> {
    match head.extract::<RawPathParams>().await {
        Ok(parameters) => parameters.iter().map(|(_, value)| value.to_owned()).collect(),
        Err(_) => vec![String::new()],
    }
}

/// Decodes the query, which may have at most [`MAX_QUERY_FIELDS`] fields.
fn parse_query(head: &Parts) -> Result<Vec<(String, String)>> {
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

/// Decodes `a=b&c=d`. Rejects bytes that are not UTF-8 instead of replacing them.
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
                let hex_digits = [remaining_bytes.next().unwrap_or(0), remaining_bytes.next().unwrap_or(0)];
                std::str::from_utf8(&hex_digits)
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
            byte => byte,
        });
    }
    let text = String::from_utf8(bytes)
        .map_err(|_| FieldErrors::single("query", "Names and values must be UTF-8."))?;
    if text.contains('\0') {
        return Err(FieldErrors::single("query", "Names and values must not contain NUL.").into());
    }
    Ok(text)
}

/// Extracts the metadata of a request from its head.
pub(crate) fn extract_request_meta(config: &Config, raw: &RawRequest, op: Op) -> Result<RequestMeta> {
    let headers = &raw.head.headers;
    let token = session_cookie::presented_token(config, headers);
    let header_text = |name: header::HeaderName| {
        headers.get(name).and_then(|value| value.to_str().ok()).unwrap_or_default()
    };
    let client = client_address(&raw.head);
    Ok(RequestMeta {
        op: Some(op),
        request_id: request_id(headers),
        ip: client.ip,
        is_local: client.ip.is_loopback() && !client.is_proxied,
        user_agent: header_text(header::USER_AGENT).chars().take(500).collect(),
        path: raw.head.uri.path().to_owned(),
        idempotency_key: parse_idempotency_key(headers)?,
        digest: raw.digest(),
        dry_run: raw
            .query
            .iter()
            .any(|(name, value)| name == "dry_run" && matches!(value.as_str(), "1" | "true")),
        export: FileKind::accepted(header_text(header::ACCEPT)),
        token_hash: token.map(|token| Sha256::digest(token.token().as_bytes()).into()),
        has_cookie_token: token.is_some_and(PresentedToken::is_cookie),
        cookie: session_cookie::cookie_for_new_token(config, headers, &op),
    })
}

/// The request id. The outermost layer has set the header.
pub(crate) fn request_id(headers: &HeaderMap) -> String {
    headers.get("x-request-id").and_then(|value| value.to_str().ok()).unwrap_or_default().to_owned()
}

/// The token of `Authorization: Bearer …`.
pub(crate) fn bearer_token(headers: &HeaderMap) -> Option<&str> {
    let value = headers.get(header::AUTHORIZATION)?.to_str().ok()?;
    let (scheme, token) = value.split_once(' ')?;
    (scheme.eq_ignore_ascii_case("bearer") && !token.trim().is_empty()).then_some(token.trim())
}

/// The client's address, which the outermost layer has determined. For a request without a connection, as in tests, the loopback
/// address.
fn client_address(head: &Parts) -> ClientAddress {
    let loopback = || ClientAddress::from_request(IpAddr::from([127, 0, 0, 1]), &head.headers, |_| false);
    head.extensions.get::<ClientAddress>().copied().unwrap_or_else(loopback)
}

fn parse_idempotency_key(headers: &HeaderMap) -> Result<Option<String>> {
    let Some(value) = headers.get("idempotency-key") else { return Ok(None) };
    let key = value.to_str().map(|text| text.trim().trim_matches('"')).unwrap_or_default();
    if key.is_empty() || key.len() > MAX_IDEMPOTENCY_KEY_CHARS {
        let message =
            format!("The Idempotency-Key must be 1 to {MAX_IDEMPOTENCY_KEY_CHARS} visible characters.");
        return Err(Error::rejected(RejectionKind::Malformed, "idempotency_key_invalid", message));
    }
    Ok(Some(key.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_brackets_in_names_make_a_form_flattened() {
        for pair in ["a[0]=1", "a%5B0%5D=1", "a%5b%5d", "_method=PUT"] {
            assert!(is_flattened_pair(pair), "{pair}");
        }
        for pair in ["comment=see+%5B5%5D", "comment=[5]", "comment=_method", "a"] {
            assert!(!is_flattened_pair(pair), "{pair}");
        }
    }

    #[test]
    fn decodes_pairs_and_rejects_invalid_encodings() {
        let pairs = decode_pairs("a%5B0%5D=x+y&b=%C3%BC&c").unwrap();
        assert_eq!(
            pairs,
            [("a[0]".into(), "x y".into()), ("b".into(), "ü".into()), ("c".to_owned(), String::new())]
        );
        for invalid_query in ["a=%", "a=%4", "a=%zz", "a=%+1", "a=%ff", "a=%00"] {
            assert!(decode_pairs(invalid_query).is_err(), "{invalid_query}");
        }
    }

    #[test]
    fn limits_the_fields_of_a_query() {
        let parse_query_with = |field_count: usize| {
            let uri = format!("/?{}", vec!["a"; field_count].join("&"));
            parse_query(&Request::get(uri).body(()).unwrap().into_parts().0)
        };
        assert_eq!(parse_query_with(MAX_QUERY_FIELDS).unwrap().len(), MAX_QUERY_FIELDS);
        assert!(parse_query_with(MAX_QUERY_FIELDS + 1).is_err());
    }

    #[test]
    fn fuzz_url_encoded_texts() {
        let texts = panel_fuzz::mutated_texts(
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
