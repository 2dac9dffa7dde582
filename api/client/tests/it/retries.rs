//! Retries: which requests the client retries, how often, and with which headers.

use std::time::Duration;

use panel_client::Error;
use panel_client::request::Request;
use panel_client::retry::RetryPolicy;
use panel_contract::common::DryRun;
use panel_contract::endpoint::{EmptyBody, EmptyQuery};
use panel_contract::ids::OrderId;
use panel_contract::orders::OrderIds;
use serde_json::json;

use crate::stub::{Stub, error_response, json_response, truncated_response};

fn refund_amount_response() -> axum::http::Response<axum::body::Body> {
    json_response(200, &json!({ "data": { "amount": "12.5" } }))
}

fn bulk_response() -> axum::http::Response<axum::body::Body> {
    let totals = json!({ "orders": 1, "refunded": "0", "users": 0 });
    json_response(200, &json!({ "processed": 1, "skipped": [], "totals": totals, "dry_run": false }))
}

#[tokio::test]
async fn a_read_is_retried_until_it_succeeds() {
    let stub = Stub::new(|_, index| match index {
        0 => error_response(503, "not_ready"),
        1 => truncated_response(),
        _ => refund_amount_response(),
    })
    .await;
    let response = stub.client().refund_amount(OrderId::new(7), &EmptyQuery {}, &EmptyBody {}).await.unwrap();
    assert_eq!(response.data.amount.to_string(), "12.5");
    let requests = stub.requests();
    assert_eq!(requests.len(), 3);
    assert_eq!(requests[2].path, "/api/v1/admin/orders/7/refund-amount");
    assert_eq!(requests[2].header("authorization"), Some("Bearer pnl_test"));
}

#[tokio::test]
async fn a_write_is_retried_only_with_its_key() {
    let stub =
        Stub::new(|_, index| if index == 3 { bulk_response() } else { error_response(503, "not_ready") })
            .await;
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
            .all(|request| request.header("idempotency-key") == Some("k-1")
                && request.body == requests[0].body)
    );
}

#[tokio::test]
async fn a_write_with_a_lost_response_is_repeated_with_its_key() {
    let stub = Stub::new(|_, index| if index == 0 { truncated_response() } else { bulk_response() }).await;
    let body = OrderIds { order_ids: vec![OrderId::new(7)] };
    assert!(stub.client().pause_orders((), &DryRun::NO, &body).await.unwrap_err().is_transport());
    stub.client().with_new_idempotency_key().pause_orders((), &DryRun::NO, &body).await.unwrap();
}

#[tokio::test]
async fn retries_while_the_panel_still_processes_the_first_attempt() {
    let stub =
        Stub::new(
            |_, index| {
                if index == 0 { error_response(409, "idempotency_key_in_use") } else { bulk_response() }
            },
        )
        .await;
    let body = OrderIds { order_ids: vec![OrderId::new(7)] };
    stub.client().with_new_idempotency_key().pause_orders((), &DryRun::NO, &body).await.unwrap();
    assert_eq!(stub.requests().len(), 2);
}

#[tokio::test]
async fn respects_retry_after() {
    let stub = Stub::new(|_, index| {
        let mut response = error_response(429, "too_many_attempts");
        let seconds = if index == 0 { "2" } else { "3600" };
        response.headers_mut().insert("retry-after", seconds.parse().unwrap());
        response
    })
    .await;
    let waits = std::sync::Arc::new(std::sync::Mutex::new(Vec::new()));
    let recorder = std::sync::Arc::clone(&waits);
    let client = stub
        .builder()
        .on_event(move |event| {
            if let panel_client::events::ClientEvent::Waiting { delay, .. } = event {
                recorder.lock().unwrap().push(*delay);
            }
        })
        .build()
        .unwrap();
    let body = OrderIds { order_ids: vec![OrderId::new(7)] };
    let error = client.pause_orders((), &DryRun::NO, &body).await.unwrap_err();
    assert!(error.is_rate_limited());
    assert_eq!(error.retry_after(), Some(Duration::from_secs(3_600)));
    assert_eq!(*waits.lock().unwrap(), [Duration::from_secs(2)], "an hour is longer than `max_delay`");
}

#[tokio::test]
async fn a_write_with_a_key_waits_for_the_database_of_the_panel() {
    let stub = Stub::new(|_, index| {
        if index == 20 {
            return bulk_response();
        }
        let mut response =
            error_response(503, if index == 0 { "outcome_unknown" } else { "database_unavailable" });
        response.headers_mut().insert("retry-after", "2".parse().unwrap());
        response
    })
    .await;
    let outages = std::sync::Arc::new(std::sync::atomic::AtomicU32::new(0));
    let recorder = std::sync::Arc::clone(&outages);
    let client = stub
        .builder()
        .on_event(move |event| {
            if let panel_client::events::ClientEvent::Waiting { is_outage: true, .. } = event {
                recorder.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
            }
        })
        .build()
        .unwrap();
    let body = OrderIds { order_ids: vec![OrderId::new(7)] };
    client.with_new_idempotency_key().pause_orders((), &DryRun::NO, &body).await.unwrap();
    assert_eq!(stub.requests().len(), 21);
    assert_eq!(outages.load(std::sync::atomic::Ordering::Relaxed), 20);
}

#[tokio::test]
async fn errors_have_the_message_of_the_panel() {
    let stub = Stub::new(|_, index| match index {
        0 => error_response(409, "order_not_cancelable"),
        1 => axum::http::Response::builder().status(500).body("<html>".into()).unwrap(),
        2 => axum::http::Response::builder()
            .status(301)
            .header("location", "https://elsewhere.example/")
            .body("".into())
            .unwrap(),
        _ => json_response(200, &json!({ "data": "nonsense" })),
    })
    .await;
    let client = stub.client();
    let refund_error =
        async || client.refund_amount(OrderId::new(7), &EmptyQuery {}, &EmptyBody {}).await.unwrap_err();
    let error = refund_error().await;
    assert!(error.is_conflict() && error.to_string() == "It is order_not_cancelable.");
    assert_eq!(refund_error().await.code(), Some("http_500"));
    assert!(refund_error().await.to_string().contains("elsewhere.example"), "a redirect is not followed");
    assert!(matches!(refund_error().await, Error::Decode { .. }));
    assert_eq!(stub.requests().len(), 4);
}

#[tokio::test]
async fn an_unreachable_panel_is_a_transport_error() {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let base_url = format!("http://{}", listener.local_addr().unwrap());
    drop(listener);
    let client = panel_client::Client::builder(base_url).retry_policy(RetryPolicy::NEVER).build().unwrap();
    let error = client.healthz((), &EmptyQuery {}, &EmptyBody {}).await.unwrap_err();
    assert!(error.is_transport() && error.is_transient());
    assert!(error.to_string().to_lowercase().contains("refused"), "{error}");
}

#[tokio::test]
async fn raw_requests_behave_like_typed_ones() {
    let stub = Stub::new(|_, _| json_response(200, &json!({ "ok": true }))).await;
    let request = Request::new("delete", "/api/v1/x?y=1").unwrap().query(vec![("z".into(), "ä&".into())]);
    let response = stub.client().request(&request.header("X-Test", "1").unwrap()).await.unwrap();
    assert_eq!((response.status, &response.body[..]), (200, &b"{\"ok\":true}"[..]));
    let request = &stub.requests()[0];
    assert_eq!((request.method.as_str(), request.header("x-test")), ("DELETE", Some("1")));
    assert_eq!((request.query("y"), request.query("z")), (Some("1"), Some("ä&")));
    assert!(Request::new("GET", "api").is_err() && Request::new("GET", "//evil.example/x").is_err());
    assert!(Request::new("G T", "/x").is_err());
    assert!(Request::new("GET", "/x").unwrap().header("authorization", "Bearer x").is_err());
}
