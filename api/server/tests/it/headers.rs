//! What stands around every answer: ids, headers, unknown routes, methods, limits, the console's page, health.

use panel_platform::db::Dialect;

use crate::panel::Panel;
use crate::served::Served;

both! {
    health_and_metrics_answer;
}

async fn health_and_metrics_answer(dialect: Dialect) {
    let served = Served::on(dialect).await;
    served.panel.fill(20, 100).await;
    for path in ["/healthz", "/readyz"] {
        let got = served.ask("GET", path, None, None).await;
        assert_eq!((got.status, got.json()["status"].as_str()), (200, Some("ok")), "{path}");
    }
    let metrics = served.ask("GET", "/metrics", None, None).await;
    assert_eq!(metrics.header("content-type"), "text/plain; version=0.0.4; charset=utf-8");
    assert!(metrics.text.contains("panel_orders{status=\"completed\"} 88"), "{}", metrics.text);
    for family in ["http_server_request_duration_seconds", "panel_outbox_depth", "panel_db_pool_in_use"] {
        assert_eq!(metrics.text.matches(&format!("# TYPE {family} ")).count(), 1, "{family}");
    }
    assert!(metrics.text.ends_with('\n'));
    // A proxy on this machine that is not configured must not open it to the world.
    for header in
        ["x-forwarded-for", "x-forwarded-proto", "x-forwarded-host", "x-real-ip", "forwarded", "via"]
    {
        let proxied = served.send(|request| request.header(header, "127.0.0.1"), "GET", "/metrics").await;
        assert_eq!((proxied.status, proxied.json()["code"].as_str()), (404, Some("route_not_found")));
    }
}

#[tokio::test]
async fn metrics_from_elsewhere_want_the_token() {
    let panel = Panel::with(Dialect::Sqlite, |config| {
        config.metrics_token = Some("let me see".into());
        config.trusted_proxies = vec!["127.0.0.0/8".parse().unwrap()];
    });
    let served = Served::start(panel.await).await;
    let as_if_from = |token: Option<&'static str>| {
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
    assert_eq!(as_if_from(None).await.status, 404);
    assert_eq!(as_if_from(Some("guess")).await.status, 404);
    assert_eq!(as_if_from(Some("let me see")).await.status, 200);
    // A trusted proxy on this machine that adds no header, or passes on one that the client invented.
    assert_eq!(served.ask("GET", "/metrics", None, None).await.status, 404);
    let invented = |request: reqwest::RequestBuilder| request.header("x-forwarded-for", "127.0.0.1");
    assert_eq!(served.send(invented, "GET", "/metrics").await.status, 404);
    assert_eq!(served.ask("GET", "/metrics", Some("let me see"), None).await.status, 200);
}

#[tokio::test]
async fn every_answer_carries_its_headers() {
    let panel = Panel::with(Dialect::Sqlite, |config| {
        config.cors_origins = vec!["https://console.example".into()];
        config.public_url = Some("https://panel.example".into());
    });
    let served = Served::start(panel.await).await;
    for (method, path) in [
        ("GET", "/healthz"),
        ("GET", "/api/v1/nope"),
        ("PUT", "/login"),
        ("GET", "/orders"),
        ("GET", "/docs"),
        ("POST", "/login"),
    ] {
        let got =
            served.send(|request| request.header("origin", "https://console.example"), method, path).await;
        for (name, value) in [
            ("x-content-type-options", "nosniff"),
            ("referrer-policy", "no-referrer"),
            ("cross-origin-resource-policy", "same-origin"),
            ("strict-transport-security", "max-age=31536000; includeSubDomains"),
            ("access-control-allow-origin", "https://console.example"),
        ] {
            assert_eq!(got.header(name), value, "{method} {path} {name}");
        }
        let policy = got.header("content-security-policy");
        for rule in ["default-src 'none'", "object-src 'none'", "base-uri 'none'", "frame-ancestors 'none'"] {
            assert!(policy.contains(rule), "{method} {path} {policy}");
        }
        assert!(got.header("access-control-expose-headers").contains("authorization"), "{method} {path}");
        let life = got.header("cache-control");
        assert!(
            life == "no-store" || (life == "no-cache" && got.text.starts_with("<!")),
            "{method} {path} {life}"
        );
    }
    for origin in ["https://evil.example", "null", "https://console.example.evil.example"] {
        let got = served.send(|request| request.header("origin", origin), "GET", "/healthz").await;
        assert_eq!(got.header("access-control-allow-origin"), "", "{origin}");
        assert!(got.headers.get_all("vary").iter().any(|value| value.to_str().unwrap().contains("origin")));
    }
}

#[tokio::test]
async fn request_ids_are_taken_over_when_they_are_plain() {
    let served = Served::on(Dialect::Sqlite).await;
    let with = |id: &'static str| {
        served.send(move |request| request.header("x-request-id", id), "GET", "/api/v1/nope")
    };
    assert_eq!(with("abc-123").await.header("x-request-id"), "abc-123");
    let long = "a".repeat(65);
    for odd in ["a b", "<script>", long.leak()] {
        let got = with(odd).await;
        let id = got.header("x-request-id");
        assert!(id != odd && id.len() == 32, "{id}");
        assert_eq!(got.json()["request_id"], id);
    }
}

#[tokio::test]
async fn unknown_routes_and_methods_are_problems() {
    let served = Served::on(Dialect::Sqlite).await;
    let got = served.ask("GET", "/api/v1/nope", None, None).await;
    assert_eq!(
        (got.status, got.json()["message"].as_str()),
        (404, Some("The route api/v1/nope could not be found."))
    );
    let got = served.ask("DELETE", "/login", None, None).await;
    assert_eq!((got.status, got.header("allow")), (405, "POST,GET,HEAD"));
    assert_eq!(
        got.json()["message"],
        "The DELETE method is not supported for route login. Supported methods: POST, GET."
    );
    let got = served.ask("PATCH", "/api/v1/admin/saved-views/1", None, None).await;
    assert_eq!((got.status, got.header("allow")), (405, "PUT,DELETE"));
    for path in ["/login", "/orders", "/api/v1/profile", "/uploads/x.png"] {
        let got = served.ask("TRACE", path, None, None).await;
        assert!(matches!(got.status, 404 | 405) && !got.text.contains("TRACE /"), "{path} {}", got.text);
    }
    let got = served.ask("POST", "/nowhere", None, Some("{}")).await;
    assert_eq!((got.status, got.json()["code"].as_str()), (404, Some("route_not_found")));
}

#[tokio::test]
async fn pages_of_the_console_get_a_fresh_nonce() {
    let served = Served::on(Dialect::Sqlite).await;
    let nonce = |policy: &str| {
        let (_, rest) = policy.split_once("'nonce-").unwrap();
        rest.split_once('\'').unwrap().0.to_owned()
    };
    let mut seen = std::collections::BTreeSet::new();
    for path in ["/", "/orders", "/orders/7", "/login", "/setup?token=x", "/index.html"] {
        let got = served.ask("GET", path, None, None).await;
        assert_eq!((got.status, got.header("cache-control")), (200, "no-cache"), "{path}");
        let policy = got.header("content-security-policy");
        assert!(!policy.contains("unsafe") && policy.contains("frame-ancestors 'none'"), "{policy}");
        assert!(seen.insert(nonce(policy)), "{path}");
        assert!(!got.text.contains("__NONCE__"), "{path}");
    }
    assert_eq!(served.ask("GET", "/assets/none.js", None, None).await.status, 404);
}

#[tokio::test]
async fn every_page_may_load_the_captcha_of_its_provider_and_no_other() {
    for (verify_url, provider, host) in [
        ("https://www.google.com/recaptcha/api/siteverify", "recaptcha", "https://www.gstatic.com"),
        ("https://api.hcaptcha.com/siteverify", "hcaptcha", "https://*.hcaptcha.com"),
        (
            "https://challenges.cloudflare.com/turnstile/v0/siteverify",
            "turnstile",
            "https://challenges.cloudflare.com",
        ),
    ] {
        let panel = Panel::with(Dialect::Sqlite, |config| {
            config.captcha.verify_url = Some(verify_url.into());
            config.captcha.site_key = Some("k".into());
        });
        let served = Served::start(panel.await).await;
        let settings = served.ask("GET", "/settings", None, None).await.json();
        assert_eq!(settings["data"]["captcha_provider"], provider);
        for path in ["/login", "/orders", "/orders/7"] {
            let got = served.ask("GET", path, None, None).await;
            let policy = got.header("content-security-policy");
            assert_eq!(policy.matches(host).count(), 4, "{path}: {policy}");
            let strange =
                ["gstatic", "hcaptcha", "cloudflare"].iter().filter(|other| !host.contains(**other));
            assert!(strange.clone().all(|other| !policy.contains(other)), "{path}: {policy}");
        }
    }
    let served = Served::start(Panel::with(Dialect::Sqlite, |_| ()).await).await;
    let got = served.ask("GET", "/login", None, None).await;
    assert!(!got.header("content-security-policy").contains("https://"));
}

#[tokio::test]
async fn too_many_requests_wait() {
    let panel = Panel::with(Dialect::Sqlite, |config| config.limits.requests_per_minute = 3);
    let served = Served::start(panel.await).await;
    for left in ["2", "1", "0"] {
        let got = served.ask("GET", "/api/v1/profile", Some("owner"), None).await;
        assert_eq!(
            (got.status, got.header("x-ratelimit-limit"), got.header("x-ratelimit-remaining")),
            (200, "3", left)
        );
    }
    let got = served.ask("GET", "/api/v1/profile", Some("owner"), None).await;
    assert_eq!((got.status, got.json()["message"].as_str()), (429, Some("Too Many Attempts.")));
    let wait: u64 = got.header("retry-after").parse().unwrap();
    assert!((1..=21).contains(&wait), "{wait}");
    // Another caller is another matter.
    assert_eq!(served.ask("GET", "/settings", None, None).await.status, 200);
}

#[tokio::test]
async fn invented_tokens_do_not_get_around_the_limit() {
    let panel = Panel::with(Dialect::Sqlite, |config| config.limits.address_requests_per_minute = 3);
    let served = Served::start(panel.await).await;
    let mut last = 0;
    for n in 0..5 {
        last = served.ask("GET", "/api/v1/profile", Some(&format!("pnl_{n}")), None).await.status;
    }
    assert_eq!(last, 429);
}

#[tokio::test]
async fn it_stops_with_requests_in_hand() {
    let served = Served::on(Dialect::Sqlite).await;
    let host = served.host();
    let idle = tokio::net::TcpStream::connect(&host).await.unwrap();
    assert_eq!(served.ask("GET", "/healthz", None, None).await.status, 200);
    let began = std::time::Instant::now();
    served.stop().await;
    assert!(began.elapsed() < std::time::Duration::from_secs(3), "{:?}", began.elapsed());
    assert!(tokio::net::TcpStream::connect(&host).await.is_err());
    drop(idle);
}
