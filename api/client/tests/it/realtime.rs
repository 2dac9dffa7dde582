//! Tests of the live channel against a stub socket.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use axum::Json;
use axum::extract::State;
use axum::extract::ws::{Message, WebSocket, WebSocketUpgrade};
use axum::routing::{get, post};
use panel_client::Client;
use panel_client::realtime::{Counter, Event};
use panel_client::world::FixedEnvironment;
use serde_json::{Value, json};

use crate::stub::NOW;

/// Sends one event and closes; the third connection gets an unauthenticated error.
async fn talk(mut socket: WebSocket, n: usize) {
    let mut say = async |event: &str, data: &str| {
        let frame = json!({ "event": event, "channel": "private-admin", "data": data }).to_string();
        socket.send(Message::text(frame)).await.unwrap();
        socket.recv().await
    };
    if n == 2 {
        say("pusher:error", r#"{"code":4001,"message":"App key is not known."}"#).await;
        return;
    }
    let hello = r#"{"socket_id":"1.2","activity_timeout":30}"#;
    let Some(Ok(Message::Text(text))) = say("pusher:connection_established", hello).await else {
        panic!("no subscription")
    };
    let frame: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(frame["data"], json!({ "auth": "key:signature-of-1.2", "channel": "private-admin" }));
    assert!(
        matches!(say("pusher:ping", "{}").await, Some(Ok(Message::Text(text))) if text.contains("pusher:pong"))
    );
    for (event, data) in [
        ("pusher_internal:subscription_succeeded", "{}".to_owned()),
        ("orders-in-moderation-count-changed", json!({ "count": 47 + n }).to_string()),
    ] {
        let frame = json!({ "event": event, "channel": "private-admin", "data": data }).to_string();
        socket.send(Message::text(frame)).await.unwrap();
    }
}

/// Accepts a client and then sends nothing more.
async fn stop_answering(mut socket: WebSocket) {
    for (event, data) in [
        ("pusher:connection_established", r#"{"socket_id":"1.2","activity_timeout":2}"#),
        ("pusher_internal:subscription_succeeded", "{}"),
    ] {
        let frame = json!({ "event": event, "channel": "private-admin", "data": data }).to_string();
        socket.send(Message::text(frame)).await.unwrap();
    }
    while socket.recv().await.is_some() {}
}

async fn panel() -> String {
    serve(|socket, n| Box::pin(talk(socket, n))).await
}

type Talk = fn(WebSocket, usize) -> std::pin::Pin<Box<dyn Future<Output = ()> + Send>>;

async fn serve(talk: Talk) -> String {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let base = format!("http://{}", listener.local_addr().unwrap());
    let connections = Arc::new(AtomicUsize::new(0));
    let upgrade = async move |State(count): State<Arc<AtomicUsize>>, upgrade: WebSocketUpgrade| {
        let n = count.fetch_add(1, Ordering::SeqCst);
        upgrade.on_upgrade(move |socket| talk(socket, n))
    };
    let counters = json!({ "data": {
        "ordersInModerationCount": 1, "ordersInProcessingCount": 2,
        "ordersWithNoActiveProvidersCount": 3, "freeTrialsInPendingCount": 4,
    }});
    let sign = async |Json(body): Json<Value>| {
        let socket_id = body["socket_id"].as_str().unwrap();
        Json(json!({ "auth": format!("key:signature-of-{socket_id}") }))
    };
    let app = axum::Router::new()
        .route("/settings", get(async || Json(settings())))
        .route("/api/v1/admin/websockets/init", get(async move || Json(counters)))
        .route("/broadcasting/auth", post(sign))
        .route("/ws/app/key", get(upgrade))
        .with_state(connections);
    tokio::spawn(async move { axum::serve(listener, app).await.unwrap() });
    base
}

fn settings() -> Value {
    json!({ "data": {
        "inhouse": false, "favicon": null, "panel_name": "Test", "is_child": false, "light_logo": null,
        "dark_logo": null, "mobile_logo": null, "panel_id": 1, "captcha_is_enabled": false,
        "captcha_site_key": null, "logo_destination_url": null, "logo_alt": null,
        "default_referral_program_percent": "0.05", "currency_symbol": "$", "needs_setup": false,
        "realtime": { "key": "key", "path": "/ws" },
    }})
}

#[tokio::test]
async fn reconnects_until_it_is_refused() {
    let client = Client::builder(panel().await).token("pnl_x").world(FixedEnvironment(NOW)).build().unwrap();
    let mut live = client.live();
    for count in [47, 48] {
        let Some(Event::Connected(counters)) = live.next().await else { panic!("not connected") };
        let values = Counter::ALL.map(|counter| counter.of(&counters));
        assert_eq!(values, [1, 2, 3, 4]);
        let counter = Counter::OrdersInModeration;
        assert_eq!(live.next().await, Some(Event::Counter { counter, count }));
        let Some(Event::Disconnected { retry_in: Some(_), .. }) = live.next().await else {
            panic!("still there")
        };
    }
    let why = "App key is not known.".to_owned();
    assert_eq!(live.next().await, Some(Event::Disconnected { why, is_silent: false, retry_in: None }));
    assert_eq!(live.next().await, None);
}

#[tokio::test]
async fn detects_a_silent_panel_within_five_seconds() {
    let address = serve(|socket, _| Box::pin(stop_answering(socket))).await;
    let client = Client::builder(address).token("pnl_x").world(FixedEnvironment(NOW)).build().unwrap();
    let mut live = client.live();
    let Some(Event::Connected(_)) = live.next().await else { panic!("not connected") };
    let begun = std::time::Instant::now();
    let Some(Event::Disconnected { is_silent: true, retry_in: Some(_), .. }) = live.next().await else {
        panic!("still there")
    };
    let passed = begun.elapsed();
    assert!(passed < std::time::Duration::from_secs(5), "{passed:?}");
}
