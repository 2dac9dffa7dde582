//! Retries: which requests, how often, and with which headers.

use std::time::Duration;

use panel_client::Error;
use panel_client::request::Request;
use panel_client::retry::Retry;
use panel_contract::common::DryRun;
use panel_contract::endpoint::{EmptyBody, EmptyQuery};
use panel_contract::ids::OrderId;
use panel_contract::orders::OrderIds;
use serde_json::json;

use crate::stub::{Stub, problem, reply, truncated_response};

fn refund() -> axum::http::Response<axum::body::Body> {
    reply(200, &json!({ "data": { "amount": "12.5" } }))
}

fn outcome() -> axum::http::Response<axum::body::Body> {
    let totals = json!({ "orders": 1, "returned": "0", "users": 0 });
    reply(200, &json!({ "processed": 1, "skipped": [], "totals": totals, "dry_run": false }))
}

#[tokio::test]
async fn a_read_is_retried_until_it_succeeds() {
    let stub = Stub::new(|_, n| match n {
        0 => problem(503, "not_ready"),
        1 => truncated_response(),
        _ => refund(),
    })
    .await;
    let answer = stub.client().refund_amount(OrderId::new(7), &EmptyQuery {}, &EmptyBody {}).await.unwrap();
    assert_eq!(answer.data.amount.to_string(), "12.5");
    let requests = stub.requests();
    assert_eq!(requests.len(), 3);
    assert_eq!(requests[2].path, "/api/v1/admin/orders/7/refund-amount");
    assert_eq!(requests[2].header("authorization"), Some("Bearer pnl_test"));
}

#[tokio::test]
async fn a_write_is_retried_only_with_its_key() {
    let stub = Stub::new(|_, n| if n == 3 { outcome() } else { problem(503, "not_ready") }).await;
    let client = stub.client();
    let body = OrderIds { order_ids: vec![OrderId::new(7)] };
    let error = client.pause_orders((), &DryRun::NO, &body).await.unwrap_err();
    assert_eq!((error.status(), stub.requests().len()), (Some(503), 1));

    client.with_idempotency_key("k-1").pause_orders((), &DryRun::NO, &body).await.unwrap();
    let requests = &stub.requests()[1..];
    assert_eq!(requests.len(), 3);
    assert!(
        requests
            .iter()
            .all(|one| one.header("idempotency-key") == Some("k-1") && one.body == requests[0].body)
    );
}

#[tokio::test]
async fn a_write_with_a_lost_response_is_repeated_with_its_key() {
    let stub = Stub::new(|_, n| if n == 0 { truncated_response() } else { outcome() }).await;
    let body = OrderIds { order_ids: vec![OrderId::new(7)] };
    assert!(stub.client().pause_orders((), &DryRun::NO, &body).await.unwrap_err().is_transport());
    stub.client().once().pause_orders((), &DryRun::NO, &body).await.unwrap();
}

#[tokio::test]
async fn waits_for_the_first_attempt_that_is_still_running() {
    let stub =
        Stub::new(|_, n| if n == 0 { problem(409, "idempotency_key_in_use") } else { outcome() }).await;
    let body = OrderIds { order_ids: vec![OrderId::new(7)] };
    stub.client().once().pause_orders((), &DryRun::NO, &body).await.unwrap();
    assert_eq!(stub.requests().len(), 2);
}

#[tokio::test]
async fn respects_retry_after() {
    let stub = Stub::new(|_, n| {
        let mut response = problem(429, "too_many_attempts");
        let seconds = if n == 0 { "2" } else { "3600" };
        response.headers_mut().insert("retry-after", seconds.parse().unwrap());
        response
    })
    .await;
    let waits = std::sync::Arc::new(std::sync::Mutex::new(Vec::new()));
    let seen = std::sync::Arc::clone(&waits);
    let client = stub
        .builder()
        .watch(move |what| {
            if let panel_client::watch::ClientEvent::Waiting { wait, .. } = what {
                seen.lock().unwrap().push(*wait);
            }
        })
        .build()
        .unwrap();
    let body = OrderIds { order_ids: vec![OrderId::new(7)] };
    let error = client.pause_orders((), &DryRun::NO, &body).await.unwrap_err();
    assert!(error.is_throttled());
    assert_eq!(error.retry_after(), Some(Duration::from_secs(3_600)));
    assert_eq!(*waits.lock().unwrap(), [Duration::from_secs(2)], "an hour is for the caller to decide");
}

#[tokio::test]
async fn a_write_with_a_key_waits_for_the_panels_database() {
    let stub = Stub::new(|_, n| {
        if n == 20 {
            return outcome();
        }
        let mut response = problem(503, if n == 0 { "outcome_unknown" } else { "database_unavailable" });
        response.headers_mut().insert("retry-after", "2".parse().unwrap());
        response
    })
    .await;
    let outages = std::sync::Arc::new(std::sync::atomic::AtomicU32::new(0));
    let seen = std::sync::Arc::clone(&outages);
    let client = stub
        .builder()
        .watch(move |what| {
            if let panel_client::watch::ClientEvent::Waiting { is_outage: true, .. } = what {
                seen.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
            }
        })
        .build()
        .unwrap();
    let body = OrderIds { order_ids: vec![OrderId::new(7)] };
    client.once().pause_orders((), &DryRun::NO, &body).await.unwrap();
    assert_eq!(stub.requests().len(), 21);
    assert_eq!(outages.load(std::sync::atomic::Ordering::Relaxed), 20);
}

#[tokio::test]
async fn errors_have_the_panels_message() {
    let stub = Stub::new(|_, n| match n {
        0 => problem(409, "order_not_cancelable"),
        1 => axum::http::Response::builder().status(500).body("<html>".into()).unwrap(),
        2 => axum::http::Response::builder()
            .status(301)
            .header("location", "https://elsewhere.example/")
            .body("".into())
            .unwrap(),
        _ => reply(200, &json!({ "data": "nonsense" })),
    })
    .await;
    let client = stub.client();
    let refund =
        async || client.refund_amount(OrderId::new(7), &EmptyQuery {}, &EmptyBody {}).await.unwrap_err();
    let error = refund().await;
    assert!(error.is_conflict() && error.to_string() == "It is order_not_cancelable.");
    assert_eq!(refund().await.code(), Some("http_500"));
    assert!(refund().await.to_string().contains("elsewhere.example"), "a redirect is not followed");
    assert!(matches!(refund().await, Error::Decode { .. }));
    assert_eq!(stub.requests().len(), 4);
}

#[tokio::test]
async fn an_unreachable_panel_is_a_transport_error() {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let base = format!("http://{}", listener.local_addr().unwrap());
    drop(listener);
    let client = panel_client::Client::builder(base).retry(Retry::NEVER).build().unwrap();
    let error = client.healthz((), &EmptyQuery {}, &EmptyBody {}).await.unwrap_err();
    assert!(error.is_transport() && error.is_transient());
    assert!(error.to_string().to_lowercase().contains("refused"), "{error}");
}

#[tokio::test]
async fn raw_requests_behave_like_typed_ones() {
    let stub = Stub::new(|_, _| reply(200, &json!({ "ok": true }))).await;
    let request = Request::new("delete", "/api/v1/x?y=1").unwrap().query(vec![("z".into(), "ä&".into())]);
    let answer = stub.client().request(&request.header("X-Test", "1").unwrap()).await.unwrap();
    assert_eq!((answer.status, &answer.body[..]), (200, &b"{\"ok\":true}"[..]));
    let request = &stub.requests()[0];
    assert_eq!((request.method.as_str(), request.header("x-test")), ("DELETE", Some("1")));
    assert_eq!((request.query("y"), request.query("z")), (Some("1"), Some("ä&")));
    assert!(Request::new("GET", "api").is_err() && Request::new("GET", "//evil.example/x").is_err());
    assert!(Request::new("G T", "/x").is_err());
    assert!(Request::new("GET", "/x").unwrap().header("authorization", "Bearer x").is_err());
}
