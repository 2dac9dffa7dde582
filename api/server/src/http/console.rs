//! Serves the console's files. A path that is neither a file nor an endpoint is a page of the console, which is `index.html`.

use axum::extract::Request;
use axum::http::{HeaderValue, Method, StatusCode, header};
use axum::response::{IntoResponse as _, Response};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use panel_console::EmbeddedFile;
use panel_contract::session::CaptchaProvider;

use crate::app::App;
use crate::auth::captcha;
use crate::http::layers;
use panel_platform::config::CaptchaConfig;

/// `index.html` contains this placeholder instead of the nonce of the content security policy.
const NONCE_PLACEHOLDER: &str = "__NONCE__";

/// The origins of the configured captcha's scripts and frames, each after a space. The content security policy of every page allows
/// them, because a staff member can sign in on every page, for example on `/orders` after the session expired.
fn captcha_origins(captcha: &CaptchaConfig) -> &'static str {
    if captcha.site_key.is_none() {
        return "";
    }
    match captcha::detect_provider(captcha) {
        CaptchaProvider::Recaptcha => " https://www.google.com https://www.gstatic.com",
        CaptchaProvider::Hcaptcha => " https://hcaptcha.com https://*.hcaptcha.com",
        CaptchaProvider::Turnstile => " https://challenges.cloudflare.com",
    }
}

pub(crate) async fn serve(
    axum::extract::State(app): axum::extract::State<App>,
    request: Request,
) -> Response {
    let path = request.uri().path();
    let is_page = !path.starts_with("/api/") && !path.rsplit('/').next().unwrap_or_default().contains('.');
    if !matches!(*request.method(), Method::GET | Method::HEAD) || path.starts_with("/api/") {
        return layers::fallback(request).await;
    }
    match panel_console::file(path.trim_start_matches('/')) {
        Some(file) if path != "/" && path != "/index.html" => file_response(path, file),
        _ if is_page || path == "/index.html" => page_response(&app),
        _ => layers::fallback(request).await,
    }
}

fn file_response(path: &str, file: EmbeddedFile) -> Response {
    let media_type = HeaderValue::try_from(with_charset(file.metadata.mimetype()))
        .unwrap_or(HeaderValue::from_static("application/octet-stream"));
    // File names below assets/ contain a hash of the content, so these files never change.
    let cache_control =
        if path.starts_with("/assets/") { "public, max-age=31536000, immutable" } else { "no-cache" };
    (
        [
            (header::CONTENT_TYPE, media_type),
            (header::CACHE_CONTROL, HeaderValue::from_static(cache_control)),
        ],
        file.data,
    )
        .into_response()
}

/// Adds the charset UTF-8, which all files of the console have, to the media type of a text.
fn with_charset(media_type: &str) -> String {
    let is_text = media_type.starts_with("text/")
        || media_type.ends_with("+xml")
        || media_type.ends_with("/javascript");
    if is_text && !media_type.contains("charset") {
        format!("{media_type}; charset=utf-8")
    } else {
        media_type.to_owned()
    }
}

fn page_response(app: &App) -> Response {
    let Some(file) = panel_console::file("index.html") else { return StatusCode::NOT_FOUND.into_response() };
    let nonce = STANDARD.encode(app.random.bytes::<16>());
    let html = String::from_utf8_lossy(&file.data).replace(NONCE_PLACEHOLDER, &nonce);
    let captcha_origins = captcha_origins(&app.config.captcha);
    let policy = format!(
        "default-src 'none'; script-src 'self'{captcha_origins}; style-src 'self' 'nonce-{nonce}'{captcha_origins}; img-src 'self' data: blob:; font-src 'self'; \
         connect-src 'self'{captcha_origins}; frame-src 'self'{captcha_origins}; manifest-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'; object-src 'none'"
    );
    let mut response = html.into_response();
    let headers = response.headers_mut();
    let fixed_headers = [
        (header::CONTENT_TYPE, "text/html; charset=utf-8"),
        (header::CACHE_CONTROL, "no-cache"),
        (header::HeaderName::from_static("cross-origin-opener-policy"), "same-origin"),
        (
            header::HeaderName::from_static("permissions-policy"),
            "camera=(), microphone=(), geolocation=(), payment=()",
        ),
    ];
    for (name, value) in fixed_headers {
        headers.insert(name, HeaderValue::from_static(value));
    }
    if let Ok(policy) = HeaderValue::try_from(policy) {
        headers.insert(header::CONTENT_SECURITY_POLICY, policy);
    }
    response
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_media_types_have_a_charset() {
        for (media_type, expected_type) in [
            ("text/css", "text/css; charset=utf-8"),
            ("text/javascript", "text/javascript; charset=utf-8"),
            ("application/javascript", "application/javascript; charset=utf-8"),
            ("image/svg+xml", "image/svg+xml; charset=utf-8"),
            ("text/html; charset=utf-8", "text/html; charset=utf-8"),
            ("font/woff2", "font/woff2"),
            ("application/json", "application/json"),
        ] {
            assert_eq!(with_charset(media_type), expected_type);
        }
    }
}
