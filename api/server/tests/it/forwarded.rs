//! The client's IP address behind proxies. The tests write the header lines of clients and proxies to a socket.

use panel_contract::permission::Permission;
use panel_platform::db::{Dialect, Source as _, Sql};
use serde_json::json;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

use crate::panel::Panel;
use crate::people::PASSWORD;
use crate::test_server::TestServer;

/// Signs in with these `X-Forwarded-For` lines; returns the IP address that the panel recorded for the session.
async fn recorded_address(served: &TestServer, lines: &[&str]) -> String {
    let body = json!({ "email": "anna@panel.test", "password": PASSWORD }).to_string();
    let mut request = format!(
        "POST /login HTTP/1.1\r\nhost: x\r\nconnection: close\r\ncontent-type: application/json\r\ncontent-length: {}\r\n",
        body.len()
    );
    for line in lines {
        request.push_str(&format!("X-Forwarded-For: {line}\r\n"));
    }
    request.push_str("\r\n");
    let mut stream = TcpStream::connect(served.host()).await.unwrap();
    stream.write_all((request + &body).as_bytes()).await.unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).await.unwrap();
    assert!(answer.starts_with("HTTP/1.1 200 "), "{lines:?}: {answer}");
    let sql = Sql::new("SELECT ip_address FROM sessions ORDER BY id DESC LIMIT 1");
    (&mut &served.panel.app.db).fetch_one::<(String,)>(sql).await.unwrap().0
}

#[tokio::test]
async fn forged_addresses_are_ignored() {
    let panel = Panel::with_config(Dialect::Sqlite, |config| {
        config.trusted_proxies = vec!["127.0.0.0/8".parse().unwrap(), "10.0.0.0/8".parse().unwrap()];
        config.limits.logins_per_minute = 1_000;
    });
    let served = TestServer::without_workers(panel.await).await;
    served.panel.create_user("anna@panel.test", &[Permission::ViewOrders]).await;
    for (lines, client) in [
        (&["203.0.113.9"][..], "203.0.113.9"),
        (&["192.0.2.1, 203.0.113.9"], "203.0.113.9"),
        // A line of the client, and after it the line of the proxy.
        (&["192.0.2.1", "203.0.113.9"], "203.0.113.9"),
        (&["10.0.0.9", "192.0.2.1, 10.0.0.8", "203.0.113.9:52000, 10.0.0.2"], "203.0.113.9"),
        (&["192.0.2.1", "[2001:db8::9]:443"], "2001:db8::9"),
        (&["192.0.2.1", "unknown"], "127.0.0.1"),
        (&["192.0.2.1", "bogus, 10.0.0.2:8080"], "10.0.0.2"),
        (&[], "127.0.0.1"),
    ] {
        assert_eq!(recorded_address(&served, lines).await, client, "{lines:?}");
    }
    // Forty forgeries: each is a line of the client above the line that the proxy writes.
    for n in 0..40 {
        let forged = format!("192.0.2.{n}, 10.0.0.{n}");
        assert_eq!(recorded_address(&served, &[&forged, "203.0.113.9"]).await, "203.0.113.9");
    }
}

#[tokio::test]
async fn headers_of_untrusted_peers_are_ignored() {
    let panel = Panel::with_config(Dialect::Sqlite, |config| config.limits.logins_per_minute = 1_000);
    let served = TestServer::without_workers(panel.await).await;
    served.panel.create_user("anna@panel.test", &[Permission::ViewOrders]).await;
    assert_eq!(recorded_address(&served, &["192.0.2.1"]).await, "127.0.0.1");
}
