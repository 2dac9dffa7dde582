//! The cookie with the console's session token. No script can read the cookie, and no page of another origin can use it.
//!
//! Other clients send a bearer token instead, which always takes precedence. A request that is authenticated by the cookie must
//! come from the panel's own pages. The browser reports the origin in `Sec-Fetch-Site` or `Origin`, which no page can forge.

use std::net::IpAddr;

use axum::http::{HeaderMap, HeaderName, header};
use panel_contract::endpoint::{AccessRule, Op};
use panel_kernel::error::{Error, Result};
use panel_kernel::request_meta::SessionCookie;

use crate::http::request::bearer_token;
use panel_platform::config::Config;

/// With `X-Panel-Session: cookie`, a client requests the token in a cookie instead of the `Authorization` header.
pub(crate) const SESSION_MODE_HEADER: HeaderName = HeaderName::from_static("x-panel-session");
const FETCH_SITE_HEADER: HeaderName = HeaderName::from_static("sec-fetch-site");

const fn cookie_name(cookie: SessionCookie) -> &'static str {
    match cookie {
        SessionCookie::Secure => "__Host-panel_session",
        SessionCookie::Plain => "panel_session",
    }
}

/// The value of `Set-Cookie` that stores a token.
#[must_use]
pub(crate) fn set_cookie(cookie: SessionCookie, token: &str, max_age_secs: i64) -> String {
    let secure = match cookie {
        SessionCookie::Secure => " Secure;",
        SessionCookie::Plain => "",
    };
    format!(
        "{}={token}; Path=/;{secure} HttpOnly; SameSite=Strict; Max-Age={max_age_secs}",
        cookie_name(cookie)
    )
}

/// The value of `Set-Cookie` that makes the browser delete the token.
#[must_use]
pub(crate) fn expired_cookie(cookie: SessionCookie) -> String {
    set_cookie(cookie, "", 0)
}

/// The session token of a request, and how the client sent it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum PresentedToken<'a> {
    /// `Authorization: Bearer …`.
    Bearer(&'a str),
    Cookie(&'a str, SessionCookie),
}

impl<'a> PresentedToken<'a> {
    pub(crate) const fn token(self) -> &'a str {
        match self {
            Self::Bearer(token) | Self::Cookie(token, _) => token,
        }
    }

    pub(crate) const fn is_cookie(self) -> bool {
        matches!(self, Self::Cookie(..))
    }
}

/// The session token of a request. A bearer token takes precedence over a cookie.
pub(crate) fn presented_token<'a>(config: &Config, headers: &'a HeaderMap) -> Option<PresentedToken<'a>> {
    if let Some(token) = bearer_token(headers) {
        return Some(PresentedToken::Bearer(token));
    }
    let find_token = |cookie: SessionCookie| {
        let values = headers.get_all(header::COOKIE).iter().filter_map(|value| value.to_str().ok());
        let mut pairs =
            values.flat_map(|value| value.split(';')).filter_map(|pair| pair.trim().split_once('='));
        let token = pairs.find(|(key, _)| *key == cookie_name(cookie)).map(|(_, token)| token);
        token.filter(|token| !token.is_empty()).map(|token| PresentedToken::Cookie(token, cookie))
    };
    // Another host of the same domain can set the plain cookie, but not the cookie with the prefix `__Host-`.
    find_token(SessionCookie::Secure)
        .or_else(|| find_token(SessionCookie::Plain).filter(|_| allows_plain_cookie(config, headers)))
}

/// Whether the panel may be served over plain HTTP at the host in the request's `Host` header.
fn allows_plain_cookie(config: &Config, headers: &HeaderMap) -> bool {
    let is_https = config.public_url.as_ref().is_some_and(|url| url.starts_with("https://"));
    !is_https || is_loopback(host_header(headers))
}

/// The cookie that the server sets for a new token; `None` if the client reads the token from the `Authorization` header. The
/// response to a request with the cookie must never have a token in that header, because a script could read it.
pub(crate) fn cookie_for_new_token(config: &Config, headers: &HeaderMap, op: &Op) -> Option<SessionCookie> {
    let requests_cookie = header_text(headers, &SESSION_MODE_HEADER) == "cookie";
    let current_cookie = match presented_token(config, headers) {
        Some(PresentedToken::Cookie(_, cookie)) => Some(cookie),
        _ => None,
    };
    if !requests_cookie && (op.access_rule == AccessRule::Public || current_cookie.is_none()) {
        return None;
    }
    if is_loopback(host_header(headers)) {
        return Some(SessionCookie::Plain);
    }
    Some(match header_text(headers, &header::ORIGIN).split_once("://") {
        Some(("http", _)) if allows_plain_cookie(config, headers) => SessionCookie::Plain,
        // A GET request has no `Origin` header, so the cookie's name does not change.
        None => current_cookie.unwrap_or(SessionCookie::Secure),
        Some(_) => SessionCookie::Secure,
    })
}

/// Rejects a request with the cookie that a page of another origin sent.
pub(crate) fn check_origin(config: &Config, op: &Op, headers: &HeaderMap) -> Result<()> {
    if cookie_for_new_token(config, headers, op).is_none() {
        return Ok(());
    }
    let is_same_origin = match header_text(headers, &FETCH_SITE_HEADER) {
        "cross-site" | "same-site" => false,
        "same-origin" => true,
        _ => !op.is_write() || is_panel_origin(config, headers),
    };
    if is_same_origin {
        return Ok(());
    }
    let message = "This request came from another site. Open the panel and try again from there.";
    Err(Error::forbidden("cross_site_request", message))
}

/// Whether `Origin` names the host of the request or the configured `public_url`.
pub(crate) fn is_panel_origin(config: &Config, headers: &HeaderMap) -> bool {
    let origin = header_text(headers, &header::ORIGIN);
    let is_request_host =
        origin.split_once("://").is_some_and(|(_, authority)| authority == host_header(headers));
    is_request_host || config.public_url.as_deref().is_some_and(|url| url.trim_end_matches('/') == origin)
}

fn host_header(headers: &HeaderMap) -> &str {
    header_text(headers, &header::HOST)
}

fn header_text<'a>(headers: &'a HeaderMap, name: &HeaderName) -> &'a str {
    headers.get(name).and_then(|value| value.to_str().ok()).unwrap_or_default()
}

/// Whether a `Host` header contains a name or address of this machine.
fn is_loopback(host_header: &str) -> bool {
    let name = match host_header.strip_prefix('[') {
        Some(bracketed_ip) => bracketed_ip.split(']').next().unwrap_or_default(),
        None => host_header.split(':').next().unwrap_or_default(),
    };
    name == "localhost" || name.parse().is_ok_and(|ip: IpAddr| ip.is_loopback())
}

#[cfg(test)]
mod tests {
    use axum::http::HeaderValue;
    use panel_contract::endpoint::Endpoint as _;
    use panel_contract::endpoints::session::{Login, Logout, Refresh};

    use super::*;

    fn headers(pairs: &[(&'static str, &'static str)]) -> HeaderMap {
        let mut headers = HeaderMap::new();
        for (name, value) in pairs {
            headers.append(*name, HeaderValue::from_static(value));
        }
        headers
    }

    fn https_config() -> Config {
        Config { public_url: Some("https://panel.example.com".into()), ..Config::default() }
    }

    #[test]
    fn a_bearer_token_precedes_the_secure_cookie_which_precedes_the_plain_cookie() {
        let config = Config::default();
        let cookies =
            [("cookie", "a=1; panel_session=plain"), ("cookie", "__Host-panel_session=secure; b=2")];
        assert_eq!(presented_token(&config, &headers(&cookies)).unwrap().token(), "secure");
        let mut with_bearer = headers(&cookies);
        with_bearer.insert("authorization", HeaderValue::from_static("Bearer program"));
        assert_eq!(presented_token(&config, &with_bearer), Some(PresentedToken::Bearer("program")));
        // Basic authentication, as for a proxy, is not a session token.
        with_bearer.insert("authorization", HeaderValue::from_static("Basic eDp5"));
        assert_eq!(presented_token(&config, &with_bearer).unwrap().token(), "secure");
        for cookie_header in ["", "panel_session=", "xpanel_session=x", "panel_session"] {
            assert_eq!(
                presented_token(&config, &headers(&[("cookie", cookie_header)])),
                None,
                "{cookie_header}"
            );
        }
    }

    #[test]
    fn an_https_panel_ignores_the_plain_cookie_which_another_host_could_set() {
        let plain_cookie = ("cookie", "panel_session=tossed");
        assert_eq!(
            presented_token(&https_config(), &headers(&[plain_cookie, ("host", "panel.example.com")])),
            None
        );
        assert!(
            presented_token(&https_config(), &headers(&[plain_cookie, ("host", "localhost:8080")])).is_some()
        );
        assert!(
            presented_token(&Config::default(), &headers(&[plain_cookie, ("host", "10.0.0.5")])).is_some()
        );
    }

    #[test]
    fn the_cookie_is_secure_unless_the_panel_is_served_over_http() {
        let config = Config::default();
        let cookie_of = |host_header: &'static str, origin: &'static str| {
            let request_headers =
                headers(&[("x-panel-session", "cookie"), ("host", host_header), ("origin", origin)]);
            cookie_for_new_token(&config, &request_headers, &Login::OP)
        };
        assert_eq!(cookie_of("127.0.0.1:8080", "http://127.0.0.1:8080"), Some(SessionCookie::Plain));
        assert_eq!(cookie_of("[::1]:8080", "http://[::1]:8080"), Some(SessionCookie::Plain));
        assert_eq!(cookie_of("panel.example.com", "https://panel.example.com"), Some(SessionCookie::Secure));
        assert_eq!(cookie_of("10.0.0.5:8080", "http://10.0.0.5:8080"), Some(SessionCookie::Plain));
        assert_eq!(cookie_of("panel.example.com", ""), Some(SessionCookie::Secure));
        let http_origin = headers(&[("x-panel-session", "cookie"), ("origin", "http://panel.example.com")]);
        assert_eq!(
            cookie_for_new_token(&https_config(), &http_origin, &Login::OP),
            Some(SessionCookie::Secure)
        );
        let plain_cookie_request = headers(&[("cookie", "panel_session=x"), ("host", "10.0.0.5")]);
        assert_eq!(
            cookie_for_new_token(&config, &plain_cookie_request, &Refresh::OP),
            Some(SessionCookie::Plain)
        );
        assert_eq!(
            cookie_for_new_token(&config, &plain_cookie_request, &Login::OP),
            None,
            "a sign-in must only set a cookie if the client requests one"
        );
        assert_eq!(
            cookie_for_new_token(&config, &headers(&[("authorization", "Bearer x")]), &Refresh::OP),
            None
        );
    }

    #[test]
    fn rejects_a_request_with_the_cookie_from_another_origin() {
        let config = Config::default();
        let cookie = ("cookie", "panel_session=x");
        let host_header = ("host", "10.0.0.5:8080");
        let is_rejected = |op: &Op, additional_headers: &[(&'static str, &'static str)]| {
            let pairs: Vec<_> =
                [cookie, host_header].into_iter().chain(additional_headers.iter().copied()).collect();
            check_origin(&config, op, &headers(&pairs)).is_err()
        };
        for site in ["cross-site", "same-site"] {
            assert!(is_rejected(
                &Logout::OP,
                &[("sec-fetch-site", site), ("origin", "http://10.0.0.5:8080")]
            ));
            assert!(
                is_rejected(&Refresh::OP, &[("sec-fetch-site", site)]),
                "a GET request must be rejected too"
            );
        }
        assert!(!is_rejected(&Logout::OP, &[("sec-fetch-site", "same-origin")]));
        assert!(!is_rejected(&Logout::OP, &[("origin", "http://10.0.0.5:8080")]));
        assert!(!is_rejected(&Refresh::OP, &[]));
        assert!(!is_rejected(&Refresh::OP, &[("sec-fetch-site", "none")]));
        for origin in ["", "null", "http://10.0.0.5", "http://10.0.0.5:8081", "http://x.example"] {
            assert!(is_rejected(&Logout::OP, &[("origin", origin)]), "{origin}");
        }
        assert!(is_rejected(&Logout::OP, &[]));
        assert!(is_rejected(&Logout::OP, &[("sec-fetch-site", "none")]));
        assert!(is_rejected(&Login::OP, &[("x-panel-session", "cookie"), ("sec-fetch-site", "cross-site")]));
        let bearer_token =
            headers(&[("authorization", "Bearer x"), cookie, ("sec-fetch-site", "cross-site")]);
        check_origin(&config, &Logout::OP, &bearer_token).unwrap();
        let request_through_proxy = headers(&[
            ("cookie", "__Host-panel_session=x"),
            ("host", "10.0.0.5:8080"),
            ("origin", "https://panel.example.com"),
        ]);
        check_origin(&https_config(), &Logout::OP, &request_through_proxy).unwrap();
    }

    #[test]
    fn scripts_cannot_read_the_cookie() {
        assert_eq!(
            set_cookie(SessionCookie::Secure, "pnl_x", 604_800),
            "__Host-panel_session=pnl_x; Path=/; Secure; HttpOnly; SameSite=Strict; Max-Age=604800"
        );
        assert_eq!(
            expired_cookie(SessionCookie::Plain),
            "panel_session=; Path=/; HttpOnly; SameSite=Strict; Max-Age=0"
        );
    }
}
