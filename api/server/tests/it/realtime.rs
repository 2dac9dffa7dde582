//! The WebSocket channel, tested with the Pusher protocol as clients use it.

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

both! {
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

    /// Connects as pusher-js does. Returns the socket and its id.
    async fn connect(host: &str) -> (Self, String) {
        let mut socket = Self::open(host, "panel", "protocol=7&client=js&version=8.6.0&flash=false").await;
        let frame = socket.frame().await;
        assert_eq!(frame["event"], "pusher:connection_established");
        let data: Value = serde_json::from_str(frame["data"].as_str().unwrap()).unwrap();
        assert_eq!(data["activity_timeout"], 2);
        let id = data["socket_id"].as_str().unwrap().to_owned();
        assert!(protocol::is_socket_id(&id), "{id}");
        (socket, id)
    }

    async fn next_message(&mut self) -> ServerMessage {
        let next = tokio::time::timeout(Duration::from_secs(8), self.0.next()).await;
        match next.unwrap().unwrap().unwrap() {
            Message::Text(text) => ServerMessage::Frame(serde_json::from_str(&text).unwrap()),
            Message::Close(frame) => ServerMessage::Closed(frame.map_or(0, |frame| frame.code.into())),
            other => panic!("{other:?}"),
        }
    }

    async fn frame(&mut self) -> Value {
        match self.next_message().await {
            ServerMessage::Frame(frame) => frame,
            ServerMessage::Closed(code) => panic!("closed with {code}"),
        }
    }

    async fn send_frame(&mut self, frame: &Value) {
        self.0.send(Message::text(frame.to_string())).await.unwrap();
    }

    async fn subscribe(&mut self, auth: &str, channel: &str) -> Value {
        self.send_frame(&json!({"event": "pusher:subscribe", "data": {"auth": auth, "channel": channel}}))
            .await;
        self.frame().await
    }

    /// Waits for the next event of this name and returns its count.
    async fn wait_for_count(&mut self, event: &str) -> i64 {
        loop {
            let frame = self.frame().await;
            if frame["event"] == event {
                assert_eq!(frame["channel"], "private-admin");
                let data: Value = serde_json::from_str(frame["data"].as_str().unwrap()).unwrap();
                return data["count"].as_i64().unwrap();
            }
        }
    }
}

/// Signs a subscription as Laravel Echo does: a form post with the bearer token.
async fn sign(served: &TestServer, token: &str, socket_id: &str) -> String {
    let body = format!("socket_id={socket_id}&channel_name=private-admin");
    let answer = served
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
    assert_eq!(answer.status, 200, "{answer:?}");
    answer.json()["auth"].as_str().unwrap().to_owned()
}

async fn connect_and_subscribe(served: &TestServer, token: &str) -> Socket {
    let (mut socket, id) = Socket::connect(&served.host()).await;
    let auth = sign(served, token, &id).await;
    let answer = socket.subscribe(&auth, "private-admin").await;
    assert_eq!(
        answer,
        json!({"event": "pusher_internal:subscription_succeeded", "channel": "private-admin", "data": "{}"})
    );
    socket
}

const IN_MODERATION: &str = "orders-in-moderation-count-changed";

async fn a_subscribed_client_receives_changes(dialect: Dialect) {
    let served = TestServer::on(dialect).await;
    served.panel.fill(20, 1_000).await;
    let before = served.request("GET", "/api/v1/admin/websockets/init", Some("owner"), None).await.json();
    let before = before["data"]["ordersInModerationCount"].as_i64().unwrap();
    let mut socket = connect_and_subscribe(&served, "owner").await;
    socket.send_frame(&json!({"event": "pusher:ping", "data": {}})).await;
    loop {
        // The first poll after the start publishes all counters.
        let frame = socket.frame().await;
        if frame["event"] == "pusher:pong" {
            assert_eq!(frame["data"], "{}");
            break;
        }
    }
    let mark_orders =
        Sql::new("UPDATE orders SET status = 'in_moderation' WHERE status = 'stopped' AND id < ?").bind(600);
    let changed = i64::try_from(served.panel.execute(mark_orders).await).unwrap();
    assert!(changed > 0);
    served.panel.app.live.notify_change();
    while socket.wait_for_count(IN_MODERATION).await != before + changed {}
    let orders_without_provider = async || {
        let counters =
            served.request("GET", "/api/v1/admin/websockets/init", Some("owner"), None).await.json();
        counters["data"]["ordersWithNoActiveProvidersCount"].as_i64().unwrap()
    };
    let before = orders_without_provider().await;
    let mark_orders = "UPDATE orders SET has_no_active_providers = TRUE WHERE status = 'in_processing' AND NOT has_no_active_providers";
    let changed = i64::try_from(served.panel.execute(Sql::new(mark_orders)).await).unwrap();
    assert!(changed > 0 && orders_without_provider().await == before + changed);
    served.panel.app.live.notify_change();
    while socket.wait_for_count("orders-with-no-active-providers-count-changed").await != before + changed {}
    served.stop().await;
    loop {
        match socket.next_message().await {
            ServerMessage::Frame(_) => {}
            ServerMessage::Closed(code) => break assert_eq!(code, 4100),
        }
    }
}

async fn a_socket_is_closed_when_its_session_ends(dialect: Dialect) {
    let served = TestServer::on(dialect).await;
    served.panel.create_staff("mo", &[panel_contract::permission::Permission::ViewOrders]).await;
    for name in ["idle", "aged"] {
        served.panel.create_staff(name, &[panel_contract::permission::Permission::ViewOrders]).await;
    }
    let (mut owner_socket, mut mo_socket) =
        (connect_and_subscribe(&served, "owner").await, connect_and_subscribe(&served, "mo").await);
    let (mut idle_socket, mut aged_socket) =
        (connect_and_subscribe(&served, "idle").await, connect_and_subscribe(&served, "aged").await);
    // Sessions end after a week without use, or 30 days after sign-in.
    for (age_session, days) in [
        ("UPDATE sessions SET last_used_at = ? WHERE family_id = 'idle'", 7),
        ("UPDATE sessions SET signed_in_at = ? WHERE family_id = 'aged'", 30),
    ] {
        served.panel.execute(Sql::new(age_session).bind(NOW - days * 86_400_000_000)).await;
    }
    let answer = served.request("POST", "/logout", Some("owner"), None).await;
    assert_eq!(answer.status, 204);
    served
        .panel
        .execute(Sql::new("UPDATE users SET status = 'deactivated', deactivated_at = 1 WHERE name = 'mo'"))
        .await;
    for socket in [&mut owner_socket, &mut mo_socket, &mut idle_socket, &mut aged_socket] {
        loop {
            match socket.next_message().await {
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
    let served = TestServer::on(Dialect::Sqlite).await;
    for (key, query, code) in [
        ("other", "protocol=7", 4001),
        ("panel", "", 4008),
        ("panel", "protocol=seven", 4006),
        ("panel", "protocol=6", 4007),
    ] {
        let mut socket = Socket::open(&served.host(), key, query).await;
        let frame = socket.frame().await;
        assert_eq!((&frame["event"], &frame["data"]["code"]), (&json!("pusher:error"), &json!(code)));
        assert_eq!(socket.next_message().await, ServerMessage::Closed(code));
    }
}

#[tokio::test]
async fn signatures_are_for_one_socket_and_one_channel() {
    let served = TestServer::on(Dialect::Sqlite).await;
    let (mut socket, id) = Socket::connect(&served.host()).await;
    let (_other, other_id) = Socket::connect(&served.host()).await;
    let other_signature = sign(&served, "owner", &other_id).await;
    for (auth, channel) in [
        ("panel:00", "private-admin"),
        ("", "private-admin"),
        (&other_signature, "private-admin"),
        (&other_signature, "private-x"),
    ] {
        let answer = socket.subscribe(auth, channel).await;
        assert_eq!(
            (&answer["event"], &answer["channel"]),
            (&json!("pusher:subscription_error"), &json!(channel))
        );
        let data: Value = serde_json::from_str(answer["data"].as_str().unwrap()).unwrap();
        assert_eq!((&data["type"], &data["status"]), (&json!("AuthError"), &json!(401)));
    }
    // A refused subscription does not close the connection.
    let auth = sign(&served, "owner", &id).await;
    assert_eq!(
        socket.subscribe(&auth, "private-admin").await["event"],
        "pusher_internal:subscription_succeeded"
    );
}

#[tokio::test]
async fn only_the_admin_channel_is_signed() {
    let served = TestServer::on(Dialect::Sqlite).await;
    let request_signature = |body: Value| {
        let body = body.to_string();
        let served = &served;
        async move { served.request("POST", "/broadcasting/auth", Some("owner"), Some(&body)).await }
    };
    let answer = request_signature(json!({"socket_id": "1.2", "channel_name": "private-admin"})).await;
    assert_eq!(answer.status, 200);
    let answer =
        request_signature(json!({"socket_id": "1.2:private-admin", "channel_name": "private-admin"})).await;
    assert!(answer.status == 422 && answer.json()["errors"]["socket_id"].is_array(), "{answer:?}");
    let answer = request_signature(json!({"socket_id": "1.2", "channel_name": "private-other"})).await;
    assert!(answer.status == 403 && !answer.json()["message"].as_str().unwrap().is_empty(), "{answer:?}");
}

#[tokio::test]
async fn malformed_frames_get_an_error() {
    let served = TestServer::on(Dialect::Sqlite).await;
    let (mut socket, _) = Socket::connect(&served.host()).await;
    for text in ["", "[", "{}", "[1]", "{\"event\":7}", "{\"event\":\"nonsense\"}", &"[".repeat(9_000)] {
        socket.0.send(Message::text(text)).await.unwrap();
        let frame = socket.frame().await;
        assert_eq!(
            (&frame["event"], &frame["data"]["code"]),
            (&json!("pusher:error"), &json!(4200)),
            "{text}"
        );
    }
    socket.send_frame(&json!({"event": "client-typing", "channel": "private-admin", "data": {}})).await;
    assert_eq!(socket.frame().await["data"]["code"], 4301);
    socket.0.send(Message::text("x".repeat(20_000))).await.unwrap();
    // A frame over the size limit closes this connection only.
    let closed = tokio::time::timeout(Duration::from_secs(5), async {
        while let Some(Ok(message)) = socket.0.next().await {
            if message.is_close() {
                break;
            }
        }
    });
    closed.await.unwrap();
    Socket::connect(&served.host()).await;
}

#[tokio::test]
async fn foreign_origins_may_not_connect() {
    let panel = Panel::with_config(Dialect::Sqlite, |config| {
        config.cors_origins = vec!["https://console.example".into()]
    });
    let served = TestServer::start(panel.await).await;
    let connect = |origin: String| {
        let mut request =
            format!("ws://{}/ws/app/panel?protocol=7", served.host()).into_client_request().unwrap();
        request.headers_mut().insert("origin", origin.parse().unwrap());
        async move { connect_async(request).await.is_ok() }
    };
    assert!(connect(format!("http://{}", served.host())).await);
    assert!(connect("https://console.example".into()).await);
    for origin in ["https://evil.example", "null", "https://console.example.evil.example"] {
        assert!(!connect(origin.to_owned()).await, "{origin}");
    }
}

#[tokio::test]
async fn sockets_over_the_limit_are_closed() {
    let served =
        TestServer::start(Panel::with_config(Dialect::Sqlite, |config| config.limits.sockets = 1).await)
            .await;
    let first = connect_and_subscribe(&served, "owner").await;
    let mut second = Socket::open(&served.host(), "panel", "protocol=7").await;
    assert_eq!(second.frame().await["data"]["code"], 4100);
    assert_eq!(second.next_message().await, ServerMessage::Closed(4100));
    drop(first);
    tokio::time::sleep(Duration::from_millis(200)).await;
    Socket::connect(&served.host()).await;
}

#[tokio::test]
async fn subscribed_sockets_replace_unsubscribed_ones() {
    let panel = Panel::with_config(Dialect::Sqlite, |config| {
        config.limits.sockets = 3;
        config.limits.unsubscribed_sockets = 2;
    });
    let served = TestServer::start(panel.await).await;
    let mut first = connect_and_subscribe(&served, "owner").await;
    let (mut oldest, _) = Socket::connect(&served.host()).await;
    let (mut newer, _) = Socket::connect(&served.host()).await;
    // The limit is reached; an authenticated socket replaces the oldest one that has not subscribed.
    let _second = connect_and_subscribe(&served, "owner").await;
    assert_eq!(oldest.frame().await["data"]["code"], 4100);
    assert_eq!(oldest.next_message().await, ServerMessage::Closed(4100));
    let _third = connect_and_subscribe(&served, "owner").await;
    assert_eq!(newer.frame().await["data"]["code"], 4100);
    assert_eq!(newer.next_message().await, ServerMessage::Closed(4100));
    let mut fourth = Socket::open(&served.host(), "panel", "protocol=7").await;
    assert_eq!(fourth.frame().await["data"]["code"], 4100);
    first.send_frame(&json!({"event": "pusher:ping", "data": {}})).await;
    while first.frame().await["event"] != "pusher:pong" {}
}

#[tokio::test]
async fn sockets_leave_connections_for_requests() {
    let panel = Panel::with_config(Dialect::Sqlite, |config| config.limits.connections = 4);
    let served = TestServer::without_workers(panel.await).await;
    let mut sockets = Vec::new();
    for _ in 0..3 {
        sockets.push(Socket::connect(&served.host()).await);
    }
    for _ in 0..3 {
        // Each new socket replaces an older one, so one connection always stays free for requests.
        sockets.push(Socket::connect(&served.host()).await);
        let mut request = TcpStream::connect(served.host()).await.unwrap();
        request.write_all(b"GET /healthz HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n").await.unwrap();
        let mut answer = String::new();
        request.read_to_string(&mut answer).await.unwrap();
        assert!(answer.starts_with("HTTP/1.1 200 "), "{answer}");
    }
}

#[tokio::test]
async fn sockets_that_do_not_subscribe_in_time_are_closed() {
    let panel = Panel::with_config(Dialect::Sqlite, |config| config.limits.socket_subscribe_seconds = 1);
    let served = TestServer::start(panel.await).await;
    let mut subscriber = connect_and_subscribe(&served, "owner").await;
    subscriber
        .send_frame(&json!({"event": "pusher:unsubscribe", "data": {"channel": "private-admin"}}))
        .await;
    let (mut unsubscribed, _) = Socket::connect(&served.host()).await;
    // Frames do not extend the deadline to subscribe.
    unsubscribed.send_frame(&json!({"event": "pusher:ping", "data": {}})).await;
    assert_eq!(unsubscribed.frame().await["event"], "pusher:pong");
    assert_eq!(unsubscribed.frame().await["data"]["code"], 4100);
    assert_eq!(unsubscribed.next_message().await, ServerMessage::Closed(4100));
    subscriber.send_frame(&json!({"event": "pusher:ping", "data": {}})).await;
    while subscriber.frame().await["event"] != "pusher:pong" {}
}

/// Two processes share one PostgreSQL database: each accepts subscriptions that the other signed, and receives the other's
/// changes and sign-outs.
#[tokio::test]
async fn two_processes_share_subscriptions_changes_and_sign_outs() {
    let served = TestServer::on(Dialect::Postgres).await;
    served.panel.fill(20, 1_000).await;
    let mut config = served.panel.app.config.clone();
    config.limits.requests_per_minute = 100_000;
    let clock = std::sync::Arc::new(FixedClock::at(Time(NOW)));
    let app = App::start(config, clock, Random::seeded(8)).await.unwrap();
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let other = RunningServer::start(app, listener).unwrap();

    let (mut socket, id) = Socket::connect(&other.address.to_string()).await;
    let auth = sign(&served, "owner", &id).await;
    assert_eq!(
        socket.subscribe(&auth, "private-admin").await["event"],
        "pusher_internal:subscription_succeeded"
    );
    let mark_orders = Sql::new("UPDATE orders SET status = 'in_moderation' WHERE status = 'in_processing'");
    let changed = served.panel.execute(mark_orders).await;
    assert!(changed > 0);
    served.panel.app.live.notify_change();
    while socket.wait_for_count("orders-in-processing-count-changed").await != 0 {}
    served.request("POST", "/logout", Some("owner"), None).await;
    loop {
        if let ServerMessage::Closed(code) = socket.next_message().await {
            break assert_eq!(code, 4009);
        }
    }
    other.stop().await;
    served.stop().await;
}
