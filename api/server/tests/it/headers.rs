//! Tests properties of all HTTP responses: request ids, security headers, unknown routes and methods, rate limits, the console's
//! page and health checks.

use panel_platform::db::Dialect;

use crate::panel::Panel;
use crate::test_server::TestServer;

test_both_databases! {
    health_and_metrics_endpoints_respond;
}

async fn health_and_metrics_endpoints_respond(dialect: Dialect) {
    let server = TestServer::start(dialect).await;
    server.panel.insert_generated_records(20, 100).await;
    for path in ["/healthz", "/readyz"] {
        let response = server.request("GET", path, None, None).await;
        assert_eq!((response.status, response.json()["status"].as_str()), (200, Some("ok")), "{path}");
    }
    let metrics = server.request("GET", "/metrics", None, None).await;
    assert_eq!(metrics.header("content-type"), "text/plain; version=0.0.4; charset=utf-8");
    assert!(metrics.text.contains("panel_orders{status=\"completed\"} 88"), "{}", metrics.text);
    for family in ["http_server_request_duration_seconds", "panel_outbox_depth", "panel_db_pool_in_use"] {
        assert_eq!(metrics.text.matches(&format!("# TYPE {family} ")).count(), 1, "{family}");
    }
    assert!(metrics.text.ends_with('\n'));
    // An unconfigured proxy on this machine must not make the metrics public.
    for header in
        ["x-forwarded-for", "x-forwarded-proto", "x-forwarded-host", "x-real-ip", "forwarded", "via"]
    {
        let proxied_response =
            server.send(|request| request.header(header, "127.0.0.1"), "GET", "/metrics").await;
        assert_eq!(
            (proxied_response.status, proxied_response.json()["code"].as_str()),
            (404, Some("route_not_found"))
        );
    }
}

#[tokio::test]
async fn requests_for_metrics_from_other_machines_need_the_token() {
    let panel = Panel::with_config(Dialect::Sqlite, |config| {
        config.metrics_token = Some("let me see".into());
        config.trusted_proxies = vec!["127.0.0.0/8".parse().unwrap()];
    });
    let server = TestServer::serve(panel.await).await;
    let get_from_other_machine = |token: Option<&'static str>| {
        server.send(
            move |request| {
                let request = request.header("x-forwarded-for", "10.0.0.1, 203.0.113.9");
                match token {
                    Some(token) => request.bearer_auth(token),
                    None => request,
                }
            },
            "GET",
            "/metrics",
        )
    };
    assert_eq!(get_from_other_machine(None).await.status, 404);
    assert_eq!(get_from_other_machine(Some("guess")).await.status, 404);
    assert_eq!(get_from_other_machine(Some("let me see")).await.status, 200);
    // A trusted proxy on this machine adds no header, or forwards a header that the client forged.
    assert_eq!(server.request("GET", "/metrics", None, None).await.status, 404);
    let forged_header = |request: reqwest::RequestBuilder| request.header("x-forwarded-for", "127.0.0.1");
    assert_eq!(server.send(forged_header, "GET", "/metrics").await.status, 404);
    assert_eq!(server.request("GET", "/metrics", Some("let me see"), None).await.status, 200);
}

#[tokio::test]
async fn every_response_has_the_security_headers() {
    let panel = Panel::with_config(Dialect::Sqlite, |config| {
        config.cors_origins = vec!["https://console.example".into()];
        config.public_url = Some("https://panel.example".into());
    });
    let server = TestServer::serve(panel.await).await;
    for (method, path) in [
        ("GET", "/healthz"),
        ("GET", "/api/v1/nope"),
        ("PUT", "/login"),
        ("GET", "/orders"),
        ("GET", "/docs"),
        ("POST", "/login"),
    ] {
        let response =
            server.send(|request| request.header("origin", "https://console.example"), method, path).await;
        for (name, value) in [
            ("x-content-type-options", "nosniff"),
            ("referrer-policy", "no-referrer"),
            ("cross-origin-resource-policy", "same-origin"),
            ("strict-transport-security", "max-age=31536000; includeSubDomains"),
            ("access-control-allow-origin", "https://console.example"),
        ] {
            assert_eq!(response.header(name), value, "{method} {path} {name}");
        }
        let policy = response.header("content-security-policy");
        for rule in ["default-src 'none'", "object-src 'none'", "base-uri 'none'", "frame-ancestors 'none'"] {
            assert!(policy.contains(rule), "{method} {path} {policy}");
        }
        assert!(
            response.header("access-control-expose-headers").contains("authorization"),
            "{method} {path}"
        );
        let cache_control = response.header("cache-control");
        assert!(
            cache_control == "no-store" || (cache_control == "no-cache" && response.text.starts_with("<!")),
            "{method} {path} {cache_control}"
        );
    }
    for origin in ["https://evil.example", "null", "https://console.example.evil.example"] {
        let response = server.send(|request| request.header("origin", origin), "GET", "/healthz").await;
        assert_eq!(response.header("access-control-allow-origin"), "", "{origin}");
        assert!(
            response.headers.get_all("vary").iter().any(|value| value.to_str().unwrap().contains("origin"))
        );
    }
}

#[tokio::test]
async fn valid_request_ids_of_clients_are_kept() {
    let server = TestServer::start(Dialect::Sqlite).await;
    let send_with_request_id = |id: &'static str| {
        server.send(move |request| request.header("x-request-id", id), "GET", "/api/v1/nope")
    };
    assert_eq!(send_with_request_id("abc-123").await.header("x-request-id"), "abc-123");
    let long_id = "a".repeat(65);
    for invalid_id in ["a b", "<script>", long_id.leak()] {
        let response = send_with_request_id(invalid_id).await;
        let id = response.header("x-request-id");
        assert!(id != invalid_id && id.len() == 32, "{id}");
        assert_eq!(response.json()["request_id"], id);
    }
}

#[tokio::test]
async fn unknown_routes_and_methods_have_error_bodies() {
    let server = TestServer::start(Dialect::Sqlite).await;
    let response = server.request("GET", "/api/v1/nope", None, None).await;
    assert_eq!(
        (response.status, response.json()["message"].as_str()),
        (404, Some("The route api/v1/nope could not be found."))
    );
    let response = server.request("DELETE", "/login", None, None).await;
    assert_eq!((response.status, response.header("allow")), (405, "POST,GET,HEAD"));
    assert_eq!(
        response.json()["message"],
        "The DELETE method is not supported for route login. Supported methods: POST, GET."
    );
    let response = server.request("PATCH", "/api/v1/admin/saved-views/1", None, None).await;
    assert_eq!((response.status, response.header("allow")), (405, "PUT,DELETE"));
    for path in ["/login", "/orders", "/api/v1/profile", "/uploads/x.png"] {
        let response = server.request("TRACE", path, None, None).await;
        assert!(
            matches!(response.status, 404 | 405) && !response.text.contains("TRACE /"),
            "{path} {}",
            response.text
        );
    }
    let response = server.request("POST", "/nowhere", None, Some("{}")).await;
    assert_eq!((response.status, response.json()["code"].as_str()), (404, Some("route_not_found")));
}

#[tokio::test]
async fn pages_of_the_console_get_a_new_nonce() {
    let server = TestServer::start(Dialect::Sqlite).await;
    let parse_nonce = |policy: &str| {
        let (_, after_prefix) = policy.split_once("'nonce-").unwrap();
        after_prefix.split_once('\'').unwrap().0.to_owned()
    };
    let mut nonces = std::collections::BTreeSet::new();
    for path in ["/", "/orders", "/orders/7", "/login", "/setup?token=x", "/index.html"] {
        let response = server.request("GET", path, None, None).await;
        assert_eq!((response.status, response.header("cache-control")), (200, "no-cache"), "{path}");
        let policy = response.header("content-security-policy");
        assert!(!policy.contains("unsafe") && policy.contains("frame-ancestors 'none'"), "{policy}");
        assert!(nonces.insert(parse_nonce(policy)), "{path}");
        assert!(!response.text.contains("__NONCE__"), "{path}");
    }
    assert_eq!(server.request("GET", "/assets/none.js", None, None).await.status, 404);
}

#[tokio::test]
async fn every_page_may_load_the_configured_captcha_only() {
    for (verify_url, provider, host) in [
        ("https://www.google.com/recaptcha/api/siteverify", "recaptcha", "https://www.gstatic.com"),
        ("https://api.hcaptcha.com/siteverify", "hcaptcha", "https://*.hcaptcha.com"),
        (
            "https://challenges.cloudflare.com/turnstile/v0/siteverify",
            "turnstile",
            "https://challenges.cloudflare.com",
        ),
    ] {
        let panel = Panel::with_config(Dialect::Sqlite, |config| {
            config.captcha.verify_url = Some(verify_url.into());
            config.captcha.site_key = Some("k".into());
        });
        let server = TestServer::serve(panel.await).await;
        let settings = server.request("GET", "/settings", None, None).await.json();
        assert_eq!(settings["data"]["captcha_provider"], provider);
        for path in ["/login", "/orders", "/orders/7"] {
            let response = server.request("GET", path, None, None).await;
            let policy = response.header("content-security-policy");
            assert_eq!(policy.matches(host).count(), 4, "{path}: {policy}");
            let other_hosts =
                ["gstatic", "hcaptcha", "cloudflare"].iter().filter(|other| !host.contains(**other));
            assert!(other_hosts.clone().all(|other| !policy.contains(other)), "{path}: {policy}");
        }
    }
    let server = TestServer::serve(Panel::with_config(Dialect::Sqlite, |_| ()).await).await;
    let response = server.request("GET", "/login", None, None).await;
    assert!(!response.header("content-security-policy").contains("https://"));
}

#[tokio::test]
async fn requests_over_the_limit_get_retry_after() {
    let panel = Panel::with_config(Dialect::Sqlite, |config| config.limits.requests_per_minute = 3);
    let server = TestServer::serve(panel.await).await;
    for remaining in ["2", "1", "0"] {
        let response = server.request("GET", "/api/v1/profile", Some("owner"), None).await;
        assert_eq!(
            (response.status, response.header("x-ratelimit-limit"), response.header("x-ratelimit-remaining")),
            (200, "3", remaining)
        );
    }
    let response = server.request("GET", "/api/v1/profile", Some("owner"), None).await;
    assert_eq!((response.status, response.json()["message"].as_str()), (429, Some("Too Many Attempts.")));
    let retry_after_secs: u64 = response.header("retry-after").parse().unwrap();
    assert!((1..=21).contains(&retry_after_secs), "Retry-After is {retry_after_secs} seconds");
    // Another client has its own limit.
    assert_eq!(server.request("GET", "/settings", None, None).await.status, 200);
}

#[tokio::test]
async fn requests_with_invalid_tokens_share_the_limit_of_their_address() {
    let panel = Panel::with_config(Dialect::Sqlite, |config| config.limits.address_requests_per_minute = 3);
    let server = TestServer::serve(panel.await).await;
    let mut last_status = 0;
    for number in 0..5 {
        last_status =
            server.request("GET", "/api/v1/profile", Some(&format!("pnl_{number}")), None).await.status;
    }
    assert_eq!(last_status, 429);
}

#[tokio::test]
async fn the_server_stops_while_connections_are_open() {
    let server = TestServer::start(Dialect::Sqlite).await;
    let host = server.host();
    let idle_stream = tokio::net::TcpStream::connect(&host).await.unwrap();
    assert_eq!(server.request("GET", "/healthz", None, None).await.status, 200);
    let started = std::time::Instant::now();
    server.stop().await;
    assert!(started.elapsed() < std::time::Duration::from_secs(3), "{:?}", started.elapsed());
    assert!(tokio::net::TcpStream::connect(&host).await.is_err());
    drop(idle_stream);
}
