//! The WebSocket channel, tested with the messages of the Pusher protocol that clients send.

use std::time::Duration;

use futures_util::{SinkExt as _, StreamExt as _};
use panel_contract::moment::Time;
use panel_kernel::clock::FixedClock;
use panel_kernel::random::Random;
use panel_platform::db::{Dialect, Sql};
use panel_platform::live::protocol;
use panel_server::app::App;
use panel_server::run::RunningServer;
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio_tungstenite::tungstenite::client::IntoClientRequest as _;
use tokio_tungstenite::tungstenite::protocol::Message;
use tokio_tungstenite::{MaybeTlsStream, WebSocketStream, connect_async};

use crate::panel::{NOW, Panel};
use crate::test_server::TestServer;

test_both_databases! {
    a_subscribed_client_receives_changes;
    a_socket_is_closed_when_its_session_ends;
}

struct Socket(WebSocketStream<MaybeTlsStream<TcpStream>>);

#[derive(Debug, PartialEq)]
enum ServerMessage {
    Frame(Value),
    Closed(u16),
}

impl Socket {
    async fn open(host: &str, key: &str, query: &str) -> Self {
        Self(connect_async(format!("ws://{host}/ws/app/{key}?{query}")).await.unwrap().0)
    }

    /// Connects with the query of pusher-js. Returns the socket and its id.
    async fn connect(host: &str) -> (Self, String) {
        let mut socket = Self::open(host, "panel", "protocol=7&client=js&version=8.6.0&flash=false").await;
        let frame = socket.receive_frame().await;
        assert_eq!(frame["event"], "pusher:connection_established");
        let data: Value = serde_json::from_str(frame["data"].as_str().unwrap()).unwrap();
        assert_eq!(data["activity_timeout"], 2);
        let socket_id = data["socket_id"].as_str().unwrap().to_owned();
        assert!(protocol::is_socket_id(&socket_id), "{socket_id}");
        (socket, socket_id)
    }

    async fn receive_message(&mut self) -> ServerMessage {
        let next = tokio::time::timeout(Duration::from_secs(8), self.0.next()).await;
        match next.unwrap().unwrap().unwrap() {
            Message::Text(text) => ServerMessage::Frame(serde_json::from_str(&text).unwrap()),
            Message::Close(frame) => ServerMessage::Closed(frame.map_or(0, |frame| frame.code.into())),
            other_server => panic!("{other_server:?}"),
        }
    }

    async fn receive_frame(&mut self) -> Value {
        match self.receive_message().await {
            ServerMessage::Frame(frame) => frame,
            ServerMessage::Closed(code) => panic!("closed with {code}"),
        }
    }

    async fn send_frame(&mut self, frame: &Value) {
        self.0.send(Message::text(frame.to_string())).await.unwrap();
    }

    async fn subscribe(&mut self, signature: &str, channel: &str) -> Value {
        self.send_frame(
            &json!({"event": "pusher:subscribe", "data": {"auth": signature, "channel": channel}}),
        )
        .await;
        self.receive_frame().await
    }

    /// Waits for the next event with this name. Returns the count of the event.
    async fn wait_for_count(&mut self, event: &str) -> i64 {
        loop {
            let frame = self.receive_frame().await;
            if frame["event"] == event {
                assert_eq!(frame["channel"], "private-admin");
                let data: Value = serde_json::from_str(frame["data"].as_str().unwrap()).unwrap();
                return data["count"].as_i64().unwrap();
            }
        }
    }
}

/// Requests the signature of a subscription with a form and the bearer token, as Laravel Echo does.
async fn request_signature(server: &TestServer, token: &str, socket_id: &str) -> String {
    let body = format!("socket_id={socket_id}&channel_name=private-admin");
    let response = server
        .send(
            |request| {
                request
                    .bearer_auth(token)
                    .header("content-type", "application/x-www-form-urlencoded")
                    .body(body)
            },
            "POST",
            "/broadcasting/auth",
        )
        .await;
    assert_eq!(response.status, 200, "{response:?}");
    response.json()["auth"].as_str().unwrap().to_owned()
}

async fn connect_and_subscribe(server: &TestServer, token: &str) -> Socket {
    let (mut socket, socket_id) = Socket::connect(&server.host()).await;
    let signature = request_signature(server, token, &socket_id).await;
    let response = socket.subscribe(&signature, "private-admin").await;
    assert_eq!(
        response,
        json!({"event": "pusher_internal:subscription_succeeded", "channel": "private-admin", "data": "{}"})
    );
    socket
}

const MODERATION_EVENT: &str = "orders-in-moderation-count-changed";

async fn a_subscribed_client_receives_changes(dialect: Dialect) {
    let server = TestServer::start(dialect).await;
    server.panel.insert_generated_records(20, 1_000).await;
    let counters = server.request("GET", "/api/v1/admin/websockets/init", Some("owner"), None).await.json();
    let count_before = counters["data"]["ordersInModerationCount"].as_i64().unwrap();
    let mut socket = connect_and_subscribe(&server, "owner").await;
    socket.send_frame(&json!({"event": "pusher:ping", "data": {}})).await;
    loop {
        // The first poll after the start publishes all counters.
        let frame = socket.receive_frame().await;
        if frame["event"] == "pusher:pong" {
            assert_eq!(frame["data"], "{}");
            break;
        }
    }
    let update_orders_sql =
        Sql::new("UPDATE orders SET status = 'in_moderation' WHERE status = 'stopped' AND id < ?").bind(600);
    let changed_count = i64::try_from(server.panel.execute(update_orders_sql).await).unwrap();
    assert!(changed_count > 0);
    server.panel.app.live.notify_change();
    while socket.wait_for_count(MODERATION_EVENT).await != count_before + changed_count {}
    let fetch_count_without_provider = async || {
        let counters =
            server.request("GET", "/api/v1/admin/websockets/init", Some("owner"), None).await.json();
        counters["data"]["ordersWithNoActiveProvidersCount"].as_i64().unwrap()
    };
    let count_before = fetch_count_without_provider().await;
    let update_orders_sql = "UPDATE orders SET has_no_active_providers = TRUE WHERE status = 'in_processing' AND NOT has_no_active_providers";
    let changed_count = i64::try_from(server.panel.execute(Sql::new(update_orders_sql)).await).unwrap();
    assert!(changed_count > 0 && fetch_count_without_provider().await == count_before + changed_count);
    server.panel.app.live.notify_change();
    while socket.wait_for_count("orders-with-no-active-providers-count-changed").await
        != count_before + changed_count
    {}
    server.stop().await;
    loop {
        match socket.receive_message().await {
            ServerMessage::Frame(_) => {}
            ServerMessage::Closed(code) => break assert_eq!(code, 4100),
        }
    }
}

async fn a_socket_is_closed_when_its_session_ends(dialect: Dialect) {
    let server = TestServer::start(dialect).await;
    server.panel.create_staff("mo", &[panel_contract::permission::Permission::ViewOrders]).await;
    for name in ["idle", "aged"] {
        server.panel.create_staff(name, &[panel_contract::permission::Permission::ViewOrders]).await;
    }
    let (mut owner_socket, mut mo_socket) =
        (connect_and_subscribe(&server, "owner").await, connect_and_subscribe(&server, "mo").await);
    let (mut idle_socket, mut aged_socket) =
        (connect_and_subscribe(&server, "idle").await, connect_and_subscribe(&server, "aged").await);
    // Sessions end after a week without use, or 30 days after sign-in.
    for (age_session_sql, days_ago) in [
        ("UPDATE sessions SET last_used_at = ? WHERE family_id = 'idle'", 7),
        ("UPDATE sessions SET signed_in_at = ? WHERE family_id = 'aged'", 30),
    ] {
        server.panel.execute(Sql::new(age_session_sql).bind(NOW - days_ago * 86_400_000_000)).await;
    }
    let response = server.request("POST", "/logout", Some("owner"), None).await;
    assert_eq!(response.status, 204);
    server
        .panel
        .execute(Sql::new("UPDATE users SET status = 'deactivated', deactivated_at = 1 WHERE name = 'mo'"))
        .await;
    for socket in [&mut owner_socket, &mut mo_socket, &mut idle_socket, &mut aged_socket] {
        loop {
            match socket.receive_message().await {
                ServerMessage::Closed(code) => break assert_eq!(code, 4009),
                ServerMessage::Frame(frame) if frame["event"] == "pusher:error" => {
                    assert_eq!(frame["data"]["code"], 4009)
                }
                ServerMessage::Frame(_) => {}
            }
        }
    }
}

#[tokio::test]
async fn invalid_connections_get_an_error_code_and_are_closed() {
    let server = TestServer::start(Dialect::Sqlite).await;
    for (key, query, code) in [
        ("other", "protocol=7", 4001),
        ("panel", "", 4008),
        ("panel", "protocol=seven", 4006),
        ("panel", "protocol=6", 4007),
    ] {
        let mut socket = Socket::open(&server.host(), key, query).await;
        let frame = socket.receive_frame().await;
        assert_eq!((&frame["event"], &frame["data"]["code"]), (&json!("pusher:error"), &json!(code)));
        assert_eq!(socket.receive_message().await, ServerMessage::Closed(code));
    }
}

#[tokio::test]
async fn a_signature_is_valid_for_one_socket_and_one_channel() {
    let server = TestServer::start(Dialect::Sqlite).await;
    let (mut socket, socket_id) = Socket::connect(&server.host()).await;
    let (_other, other_id) = Socket::connect(&server.host()).await;
    let other_signature = request_signature(&server, "owner", &other_id).await;
    for (signature, channel) in [
        ("panel:00", "private-admin"),
        ("", "private-admin"),
        (&other_signature, "private-admin"),
        (&other_signature, "private-x"),
    ] {
        let response = socket.subscribe(signature, channel).await;
        assert_eq!(
            (&response["event"], &response["channel"]),
            (&json!("pusher:subscription_error"), &json!(channel))
        );
        let data: Value = serde_json::from_str(response["data"].as_str().unwrap()).unwrap();
        assert_eq!((&data["type"], &data["status"]), (&json!("AuthError"), &json!(401)));
    }
    // A rejected subscription does not close the connection.
    let signature = request_signature(&server, "owner", &socket_id).await;
    assert_eq!(
        socket.subscribe(&signature, "private-admin").await["event"],
        "pusher_internal:subscription_succeeded"
    );
}

#[tokio::test]
async fn only_the_admin_channel_is_signed() {
    let server = TestServer::start(Dialect::Sqlite).await;
    let request_signature = |body: Value| {
        let body = body.to_string();
        let server = &server;
        async move { server.request("POST", "/broadcasting/auth", Some("owner"), Some(&body)).await }
    };
    let response = request_signature(json!({"socket_id": "1.2", "channel_name": "private-admin"})).await;
    assert_eq!(response.status, 200);
    let response =
        request_signature(json!({"socket_id": "1.2:private-admin", "channel_name": "private-admin"})).await;
    assert!(response.status == 422 && response.json()["errors"]["socket_id"].is_array(), "{response:?}");
    let response = request_signature(json!({"socket_id": "1.2", "channel_name": "private-other"})).await;
    assert!(
        response.status == 403 && !response.json()["message"].as_str().unwrap().is_empty(),
        "{response:?}"
    );
}

#[tokio::test]
async fn malformed_frames_get_an_error() {
    let server = TestServer::start(Dialect::Sqlite).await;
    let (mut socket, _) = Socket::connect(&server.host()).await;
    for frame_text in ["", "[", "{}", "[1]", "{\"event\":7}", "{\"event\":\"nonsense\"}", &"[".repeat(9_000)]
    {
        socket.0.send(Message::text(frame_text)).await.unwrap();
        let frame = socket.receive_frame().await;
        assert_eq!(
            (&frame["event"], &frame["data"]["code"]),
            (&json!("pusher:error"), &json!(4200)),
            "{frame_text}"
        );
    }
    socket.send_frame(&json!({"event": "client-typing", "channel": "private-admin", "data": {}})).await;
    assert_eq!(socket.receive_frame().await["data"]["code"], 4301);
    socket.0.send(Message::text("x".repeat(20_000))).await.unwrap();
    // A frame above the size limit closes only this connection.
    let wait_for_close = tokio::time::timeout(Duration::from_secs(5), async {
        while let Some(Ok(message)) = socket.0.next().await {
            if message.is_close() {
                break;
            }
        }
    });
    wait_for_close.await.unwrap();
    Socket::connect(&server.host()).await;
}

#[tokio::test]
async fn rejects_connections_from_other_origins() {
    let panel = Panel::with_config(Dialect::Sqlite, |config| {
        config.cors_origins = vec!["https://console.example".into()]
    });
    let server = TestServer::serve(panel.await).await;
    let can_connect_from = |origin: String| {
        let mut request =
            format!("ws://{}/ws/app/panel?protocol=7", server.host()).into_client_request().unwrap();
        request.headers_mut().insert("origin", origin.parse().unwrap());
        async move { connect_async(request).await.is_ok() }
    };
    assert!(can_connect_from(format!("http://{}", server.host())).await);
    assert!(can_connect_from("https://console.example".into()).await);
    for origin in ["https://evil.example", "null", "https://console.example.evil.example"] {
        assert!(!can_connect_from(origin.to_owned()).await, "{origin}");
    }
}

#[tokio::test]
async fn sockets_over_the_limit_are_closed() {
    let server =
        TestServer::serve(Panel::with_config(Dialect::Sqlite, |config| config.limits.sockets = 1).await)
            .await;
    let first_socket = connect_and_subscribe(&server, "owner").await;
    let mut second_socket = Socket::open(&server.host(), "panel", "protocol=7").await;
    assert_eq!(second_socket.receive_frame().await["data"]["code"], 4100);
    assert_eq!(second_socket.receive_message().await, ServerMessage::Closed(4100));
    drop(first_socket);
    tokio::time::sleep(Duration::from_millis(200)).await;
    Socket::connect(&server.host()).await;
}

#[tokio::test]
async fn subscribed_sockets_replace_unsubscribed_ones() {
    let panel = Panel::with_config(Dialect::Sqlite, |config| {
        config.limits.sockets = 3;
        config.limits.unsubscribed_sockets = 2;
    });
    let server = TestServer::serve(panel.await).await;
    let mut first_socket = connect_and_subscribe(&server, "owner").await;
    let (mut oldest_socket, _) = Socket::connect(&server.host()).await;
    let (mut newer_socket, _) = Socket::connect(&server.host()).await;
    // The limit is reached. A subscribed socket replaces the oldest socket without a subscription.
    let _second = connect_and_subscribe(&server, "owner").await;
    assert_eq!(oldest_socket.receive_frame().await["data"]["code"], 4100);
    assert_eq!(oldest_socket.receive_message().await, ServerMessage::Closed(4100));
    let _third = connect_and_subscribe(&server, "owner").await;
    assert_eq!(newer_socket.receive_frame().await["data"]["code"], 4100);
    assert_eq!(newer_socket.receive_message().await, ServerMessage::Closed(4100));
    let mut fourth_socket = Socket::open(&server.host(), "panel", "protocol=7").await;
    assert_eq!(fourth_socket.receive_frame().await["data"]["code"], 4100);
    first_socket.send_frame(&json!({"event": "pusher:ping", "data": {}})).await;
    while first_socket.receive_frame().await["event"] != "pusher:pong" {}
}

#[tokio::test]
async fn sockets_do_not_use_all_connections() {
    let panel = Panel::with_config(Dialect::Sqlite, |config| config.limits.connections = 4);
    let server = TestServer::without_workers(panel.await).await;
    let mut sockets = Vec::new();
    for _ in 0..3 {
        sockets.push(Socket::connect(&server.host()).await);
    }
    for _ in 0..3 {
        // Each new socket replaces an older socket, so one connection is always available for requests.
        sockets.push(Socket::connect(&server.host()).await);
        let mut request = TcpStream::connect(server.host()).await.unwrap();
        request.write_all(b"GET /healthz HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n").await.unwrap();
        let mut response = String::new();
        request.read_to_string(&mut response).await.unwrap();
        assert!(response.starts_with("HTTP/1.1 200 "), "{response}");
    }
}

#[tokio::test]
async fn sockets_that_do_not_subscribe_in_time_are_closed() {
    let panel = Panel::with_config(Dialect::Sqlite, |config| config.limits.socket_subscribe_seconds = 1);
    let server = TestServer::serve(panel.await).await;
    let mut subscribed_socket = connect_and_subscribe(&server, "owner").await;
    subscribed_socket
        .send_frame(&json!({"event": "pusher:unsubscribe", "data": {"channel": "private-admin"}}))
        .await;
    let (mut unsubscribed_socket, _) = Socket::connect(&server.host()).await;
    // Frames do not extend the deadline to subscribe.
    unsubscribed_socket.send_frame(&json!({"event": "pusher:ping", "data": {}})).await;
    assert_eq!(unsubscribed_socket.receive_frame().await["event"], "pusher:pong");
    assert_eq!(unsubscribed_socket.receive_frame().await["data"]["code"], 4100);
    assert_eq!(unsubscribed_socket.receive_message().await, ServerMessage::Closed(4100));
    subscribed_socket.send_frame(&json!({"event": "pusher:ping", "data": {}})).await;
    while subscribed_socket.receive_frame().await["event"] != "pusher:pong" {}
}

/// Two processes share one PostgreSQL database. Each process accepts subscriptions that the other process signed, and learns of the
/// changes and sign-outs of the other process.
#[tokio::test]
async fn two_processes_share_subscriptions_changes_and_sign_outs() {
    let server = TestServer::start(Dialect::Postgres).await;
    server.panel.insert_generated_records(20, 1_000).await;
    let mut config = server.panel.app.config.clone();
    config.limits.requests_per_minute = 100_000;
    let clock = std::sync::Arc::new(FixedClock::new(Time(NOW)));
    let app = App::start(config, clock, Random::seeded(8)).await.unwrap();
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let other_server = RunningServer::start(app, listener).unwrap();

    let (mut socket, socket_id) = Socket::connect(&other_server.address.to_string()).await;
    let signature = request_signature(&server, "owner", &socket_id).await;
    assert_eq!(
        socket.subscribe(&signature, "private-admin").await["event"],
        "pusher_internal:subscription_succeeded"
    );
    let update_orders_sql =
        Sql::new("UPDATE orders SET status = 'in_moderation' WHERE status = 'in_processing'");
    let changed_count = server.panel.execute(update_orders_sql).await;
    assert!(changed_count > 0);
    server.panel.app.live.notify_change();
    while socket.wait_for_count("orders-in-processing-count-changed").await != 0 {}
    server.request("POST", "/logout", Some("owner"), None).await;
    loop {
        if let ServerMessage::Closed(code) = socket.receive_message().await {
            break assert_eq!(code, 4009);
        }
    }
    other_server.stop().await;
    server.stop().await;
}
