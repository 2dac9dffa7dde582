//! The live channel against a stub websocket: events, reconnects and a silent panel.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use axum::Json;
use axum::extract::State;
use axum::extract::ws::{Message, WebSocket, WebSocketUpgrade};
use axum::routing::{get, post};
use panel_client::Client;
use panel_client::environment::FixedEnvironment;
use panel_client::realtime::{Counter, LiveEvent};
use serde_json::{Value, json};

use crate::stub::NOW;

/// Sends one counter event and closes the connection. On the third connection, sends a permanent error instead.
async fn serve_connection(mut socket: WebSocket, connection_index: usize) {
    let mut send_event = async |event: &str, data: &str| {
        let frame = json!({ "event": event, "channel": "private-admin", "data": data }).to_string();
        socket.send(Message::text(frame)).await.unwrap();
        socket.recv().await
    };
    if connection_index == 2 {
        send_event("pusher:error", r#"{"code":4001,"message":"App key is not known."}"#).await;
        return;
    }
    let connection_data = r#"{"socket_id":"1.2","activity_timeout":30}"#;
    let Some(Ok(Message::Text(text))) = send_event("pusher:connection_established", connection_data).await
    else {
        panic!("no subscription")
    };
    let frame: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(frame["data"], json!({ "auth": "key:signature-of-1.2", "channel": "private-admin" }));
    assert!(
        matches!(send_event("pusher:ping", "{}").await, Some(Ok(Message::Text(text))) if text.contains("pusher:pong"))
    );
    for (event, data) in [
        ("pusher_internal:subscription_succeeded", "{}".to_owned()),
        ("orders-in-moderation-count-changed", json!({ "count": 47 + connection_index }).to_string()),
    ] {
        let frame = json!({ "event": event, "channel": "private-admin", "data": data }).to_string();
        socket.send(Message::text(frame)).await.unwrap();
    }
}

/// Subscribes a client and then sends nothing more.
async fn stay_silent_after_subscribing(mut socket: WebSocket) {
    for (event, data) in [
        ("pusher:connection_established", r#"{"socket_id":"1.2","activity_timeout":2}"#),
        ("pusher_internal:subscription_succeeded", "{}"),
    ] {
        let frame = json!({ "event": event, "channel": "private-admin", "data": data }).to_string();
        socket.send(Message::text(frame)).await.unwrap();
    }
    while socket.recv().await.is_some() {}
}

async fn start_panel() -> String {
    serve(|socket, index| Box::pin(serve_connection(socket, index))).await
}

type ConnectionHandler = fn(WebSocket, usize) -> std::pin::Pin<Box<dyn Future<Output = ()> + Send>>;

async fn serve(handler: ConnectionHandler) -> String {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let base_url = format!("http://{}", listener.local_addr().unwrap());
    let connections = Arc::new(AtomicUsize::new(0));
    let upgrade = async move |State(count): State<Arc<AtomicUsize>>, upgrade: WebSocketUpgrade| {
        let index = count.fetch_add(1, Ordering::SeqCst);
        upgrade.on_upgrade(move |socket| handler(socket, index))
    };
    let counters = json!({ "data": {
        "ordersInModerationCount": 1, "ordersInProcessingCount": 2,
        "ordersWithNoActiveProvidersCount": 3, "freeTrialsInPendingCount": 4,
    }});
    let authorize = async |Json(body): Json<Value>| {
        let socket_id = body["socket_id"].as_str().unwrap();
        Json(json!({ "auth": format!("key:signature-of-{socket_id}") }))
    };
    let app = axum::Router::new()
        .route("/settings", get(async || Json(public_settings())))
        .route("/api/v1/admin/websockets/init", get(async move || Json(counters)))
        .route("/broadcasting/auth", post(authorize))
        .route("/ws/app/key", get(upgrade))
        .with_state(connections);
    tokio::spawn(async move { axum::serve(listener, app).await.unwrap() });
    base_url
}

fn public_settings() -> Value {
    json!({ "data": {
        "inhouse": false, "favicon": null, "panel_name": "Test", "is_child": false, "light_logo": null,
        "dark_logo": null, "mobile_logo": null, "panel_id": 1, "captcha_is_enabled": false,
        "captcha_site_key": null, "logo_destination_url": null, "logo_alt": null,
        "default_referral_program_fraction": "0.05", "currency_symbol": "$", "needs_setup": false,
        "realtime": { "key": "key", "path": "/ws" },
    }})
}

#[tokio::test]
async fn reconnects_until_an_error_is_permanent() {
    let client = Client::builder(start_panel().await)
        .token("pnl_x")
        .environment(FixedEnvironment(NOW))
        .build()
        .unwrap();
    let mut channel = client.open_live_channel();
    for count in [47, 48] {
        let Some(LiveEvent::Connected(counters)) = channel.next().await else { panic!("not connected") };
        let values = Counter::ALL.map(|counter| counter.value_in(&counters));
        assert_eq!(values, [1, 2, 3, 4]);
        let counter = Counter::OrdersInModeration;
        assert_eq!(channel.next().await, Some(LiveEvent::CounterChanged { counter, count }));
        let Some(LiveEvent::Disconnected { retry_in: Some(_), .. }) = channel.next().await else {
            panic!("not disconnected")
        };
    }
    let reason = "App key is not known.".to_owned();
    assert_eq!(
        channel.next().await,
        Some(LiveEvent::Disconnected { reason, is_silent: false, retry_in: None })
    );
    assert_eq!(channel.next().await, None);
}

#[tokio::test]
async fn detects_a_silent_panel_within_five_seconds() {
    let base_url = serve(|socket, _| Box::pin(stay_silent_after_subscribing(socket))).await;
    let client = Client::builder(base_url).token("pnl_x").environment(FixedEnvironment(NOW)).build().unwrap();
    let mut channel = client.open_live_channel();
    let Some(LiveEvent::Connected(_)) = channel.next().await else { panic!("not connected") };
    let started = std::time::Instant::now();
    let Some(LiveEvent::Disconnected { is_silent: true, retry_in: Some(_), .. }) = channel.next().await
    else {
        panic!("not disconnected")
    };
    let elapsed = started.elapsed();
    assert!(elapsed < std::time::Duration::from_secs(5), "{elapsed:?}");
}
