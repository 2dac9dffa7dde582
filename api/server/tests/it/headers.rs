//! What all HTTP answers share: request ids, headers, unknown routes and methods, rate limits, the console's page, health checks.

use panel_platform::db::Dialect;

use crate::panel::Panel;
use crate::test_server::TestServer;

both! {
    health_and_metrics_answer;
}

async fn health_and_metrics_answer(dialect: Dialect) {
    let served = TestServer::on(dialect).await;
    served.panel.fill(20, 100).await;
    for path in ["/healthz", "/readyz"] {
        let answer = served.request("GET", path, None, None).await;
        assert_eq!((answer.status, answer.json()["status"].as_str()), (200, Some("ok")), "{path}");
    }
    let metrics = served.request("GET", "/metrics", None, None).await;
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
        let proxied = served.send(|request| request.header(header, "127.0.0.1"), "GET", "/metrics").await;
        assert_eq!((proxied.status, proxied.json()["code"].as_str()), (404, Some("route_not_found")));
    }
}

#[tokio::test]
async fn metrics_need_the_token_from_other_machines() {
    let panel = Panel::with_config(Dialect::Sqlite, |config| {
        config.metrics_token = Some("let me see".into());
        config.trusted_proxies = vec!["127.0.0.0/8".parse().unwrap()];
    });
    let served = TestServer::start(panel.await).await;
    let from_other_machine = |token: Option<&'static str>| {
        served.send(
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
    assert_eq!(from_other_machine(None).await.status, 404);
    assert_eq!(from_other_machine(Some("guess")).await.status, 404);
    assert_eq!(from_other_machine(Some("let me see")).await.status, 200);
    // A trusted proxy on this machine that adds no header, or passes on a header that the client forged.
    assert_eq!(served.request("GET", "/metrics", None, None).await.status, 404);
    let forged_header = |request: reqwest::RequestBuilder| request.header("x-forwarded-for", "127.0.0.1");
    assert_eq!(served.send(forged_header, "GET", "/metrics").await.status, 404);
    assert_eq!(served.request("GET", "/metrics", Some("let me see"), None).await.status, 200);
}

#[tokio::test]
async fn every_answer_has_the_security_headers() {
    let panel = Panel::with_config(Dialect::Sqlite, |config| {
        config.cors_origins = vec!["https://console.example".into()];
        config.public_url = Some("https://panel.example".into());
    });
    let served = TestServer::start(panel.await).await;
    for (method, path) in [
        ("GET", "/healthz"),
        ("GET", "/api/v1/nope"),
        ("PUT", "/login"),
        ("GET", "/orders"),
        ("GET", "/docs"),
        ("POST", "/login"),
    ] {
        let answer =
            served.send(|request| request.header("origin", "https://console.example"), method, path).await;
        for (name, value) in [
            ("x-content-type-options", "nosniff"),
            ("referrer-policy", "no-referrer"),
            ("cross-origin-resource-policy", "same-origin"),
            ("strict-transport-security", "max-age=31536000; includeSubDomains"),
            ("access-control-allow-origin", "https://console.example"),
        ] {
            assert_eq!(answer.header(name), value, "{method} {path} {name}");
        }
        let policy = answer.header("content-security-policy");
        for rule in ["default-src 'none'", "object-src 'none'", "base-uri 'none'", "frame-ancestors 'none'"] {
            assert!(policy.contains(rule), "{method} {path} {policy}");
        }
        assert!(answer.header("access-control-expose-headers").contains("authorization"), "{method} {path}");
        let cache_control = answer.header("cache-control");
        assert!(
            cache_control == "no-store" || (cache_control == "no-cache" && answer.text.starts_with("<!")),
            "{method} {path} {cache_control}"
        );
    }
    for origin in ["https://evil.example", "null", "https://console.example.evil.example"] {
        let answer = served.send(|request| request.header("origin", origin), "GET", "/healthz").await;
        assert_eq!(answer.header("access-control-allow-origin"), "", "{origin}");
        assert!(
            answer.headers.get_all("vary").iter().any(|value| value.to_str().unwrap().contains("origin"))
        );
    }
}

#[tokio::test]
async fn valid_request_ids_of_clients_are_used() {
    let served = TestServer::on(Dialect::Sqlite).await;
    let with_request_id = |id: &'static str| {
        served.send(move |request| request.header("x-request-id", id), "GET", "/api/v1/nope")
    };
    assert_eq!(with_request_id("abc-123").await.header("x-request-id"), "abc-123");
    let long = "a".repeat(65);
    for invalid_id in ["a b", "<script>", long.leak()] {
        let answer = with_request_id(invalid_id).await;
        let id = answer.header("x-request-id");
        assert!(id != invalid_id && id.len() == 32, "{id}");
        assert_eq!(answer.json()["request_id"], id);
    }
}

#[tokio::test]
async fn unknown_routes_and_methods_have_error_bodies() {
    let served = TestServer::on(Dialect::Sqlite).await;
    let answer = served.request("GET", "/api/v1/nope", None, None).await;
    assert_eq!(
        (answer.status, answer.json()["message"].as_str()),
        (404, Some("The route api/v1/nope could not be found."))
    );
    let answer = served.request("DELETE", "/login", None, None).await;
    assert_eq!((answer.status, answer.header("allow")), (405, "POST,GET,HEAD"));
    assert_eq!(
        answer.json()["message"],
        "The DELETE method is not supported for route login. Supported methods: POST, GET."
    );
    let answer = served.request("PATCH", "/api/v1/admin/saved-views/1", None, None).await;
    assert_eq!((answer.status, answer.header("allow")), (405, "PUT,DELETE"));
    for path in ["/login", "/orders", "/api/v1/profile", "/uploads/x.png"] {
        let answer = served.request("TRACE", path, None, None).await;
        assert!(
            matches!(answer.status, 404 | 405) && !answer.text.contains("TRACE /"),
            "{path} {}",
            answer.text
        );
    }
    let answer = served.request("POST", "/nowhere", None, Some("{}")).await;
    assert_eq!((answer.status, answer.json()["code"].as_str()), (404, Some("route_not_found")));
}

#[tokio::test]
async fn pages_of_the_console_get_a_new_nonce() {
    let served = TestServer::on(Dialect::Sqlite).await;
    let nonce = |policy: &str| {
        let (_, after_prefix) = policy.split_once("'nonce-").unwrap();
        after_prefix.split_once('\'').unwrap().0.to_owned()
    };
    let mut nonces = std::collections::BTreeSet::new();
    for path in ["/", "/orders", "/orders/7", "/login", "/setup?token=x", "/index.html"] {
        let answer = served.request("GET", path, None, None).await;
        assert_eq!((answer.status, answer.header("cache-control")), (200, "no-cache"), "{path}");
        let policy = answer.header("content-security-policy");
        assert!(!policy.contains("unsafe") && policy.contains("frame-ancestors 'none'"), "{policy}");
        assert!(nonces.insert(nonce(policy)), "{path}");
        assert!(!answer.text.contains("__NONCE__"), "{path}");
    }
    assert_eq!(served.request("GET", "/assets/none.js", None, None).await.status, 404);
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
        let served = TestServer::start(panel.await).await;
        let settings = served.request("GET", "/settings", None, None).await.json();
        assert_eq!(settings["data"]["captcha_provider"], provider);
        for path in ["/login", "/orders", "/orders/7"] {
            let answer = served.request("GET", path, None, None).await;
            let policy = answer.header("content-security-policy");
            assert_eq!(policy.matches(host).count(), 4, "{path}: {policy}");
            let other_hosts =
                ["gstatic", "hcaptcha", "cloudflare"].iter().filter(|other| !host.contains(**other));
            assert!(other_hosts.clone().all(|other| !policy.contains(other)), "{path}: {policy}");
        }
    }
    let served = TestServer::start(Panel::with_config(Dialect::Sqlite, |_| ()).await).await;
    let answer = served.request("GET", "/login", None, None).await;
    assert!(!answer.header("content-security-policy").contains("https://"));
}

#[tokio::test]
async fn requests_over_the_limit_get_retry_after() {
    let panel = Panel::with_config(Dialect::Sqlite, |config| config.limits.requests_per_minute = 3);
    let served = TestServer::start(panel.await).await;
    for remaining in ["2", "1", "0"] {
        let answer = served.request("GET", "/api/v1/profile", Some("owner"), None).await;
        assert_eq!(
            (answer.status, answer.header("x-ratelimit-limit"), answer.header("x-ratelimit-remaining")),
            (200, "3", remaining)
        );
    }
    let answer = served.request("GET", "/api/v1/profile", Some("owner"), None).await;
    assert_eq!((answer.status, answer.json()["message"].as_str()), (429, Some("Too Many Attempts.")));
    let retry_after_secs: u64 = answer.header("retry-after").parse().unwrap();
    assert!((1..=21).contains(&retry_after_secs), "{retry_after_secs}");
    // Another client has its own limit.
    assert_eq!(served.request("GET", "/settings", None, None).await.status, 200);
}

#[tokio::test]
async fn invalid_tokens_share_the_limit_of_their_address() {
    let panel = Panel::with_config(Dialect::Sqlite, |config| config.limits.address_requests_per_minute = 3);
    let served = TestServer::start(panel.await).await;
    let mut last_status = 0;
    for n in 0..5 {
        last_status = served.request("GET", "/api/v1/profile", Some(&format!("pnl_{n}")), None).await.status;
    }
    assert_eq!(last_status, 429);
}

#[tokio::test]
async fn the_server_stops_while_connections_are_open() {
    let served = TestServer::on(Dialect::Sqlite).await;
    let host = served.host();
    let idle = tokio::net::TcpStream::connect(&host).await.unwrap();
    assert_eq!(served.request("GET", "/healthz", None, None).await.status, 200);
    let started = std::time::Instant::now();
    served.stop().await;
    assert!(started.elapsed() < std::time::Duration::from_secs(3), "{:?}", started.elapsed());
    assert!(tokio::net::TcpStream::connect(&host).await.is_err());
    drop(idle);
}
