//! Tests which IP address the server records for a client behind proxies. The tests write the header lines of clients and proxies
//! to a socket.

use panel_contract::permission::Permission;
use panel_platform::db::{Dialect, Sql, SqlExecutor as _};
use serde_json::json;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

use crate::panel::Panel;
use crate::test_server::TestServer;
use crate::test_users::PASSWORD;

/// Signs in with these `X-Forwarded-For` lines and returns the IP address that the server recorded for the session.
async fn sign_in_and_get_address(server: &TestServer, header_lines: &[&str]) -> String {
    let body = json!({ "email": "anna@panel.test", "password": PASSWORD }).to_string();
    let mut request = format!(
        "POST /login HTTP/1.1\r\nhost: x\r\nconnection: close\r\ncontent-type: application/json\r\ncontent-length: {}\r\n",
        body.len()
    );
    for line in header_lines {
        request.push_str(&format!("X-Forwarded-For: {line}\r\n"));
    }
    request.push_str("\r\n");
    let mut stream = TcpStream::connect(server.host()).await.unwrap();
    stream.write_all((request + &body).as_bytes()).await.unwrap();
    let mut response = String::new();
    stream.read_to_string(&mut response).await.unwrap();
    assert!(response.starts_with("HTTP/1.1 200 "), "{header_lines:?}: {response}");
    let sql = Sql::new("SELECT ip_address FROM sessions ORDER BY id DESC LIMIT 1");
    (&mut &server.panel.app.db).fetch_one::<(String,)>(sql).await.unwrap().0
}

#[tokio::test]
async fn forged_addresses_are_ignored() {
    let panel = Panel::with_config(Dialect::Sqlite, |config| {
        config.trusted_proxies = vec!["127.0.0.0/8".parse().unwrap(), "10.0.0.0/8".parse().unwrap()];
        config.limits.logins_per_minute = 1_000;
    });
    let server = TestServer::without_workers(panel.await).await;
    server.panel.create_user("anna@panel.test", &[Permission::ViewOrders]).await;
    for (header_lines, expected_address) in [
        (&["203.0.113.9"][..], "203.0.113.9"),
        (&["192.0.2.1, 203.0.113.9"], "203.0.113.9"),
        // First the line of the client, then the line of the proxy.
        (&["192.0.2.1", "203.0.113.9"], "203.0.113.9"),
        (&["10.0.0.9", "192.0.2.1, 10.0.0.8", "203.0.113.9:52000, 10.0.0.2"], "203.0.113.9"),
        (&["192.0.2.1", "[2001:db8::9]:443"], "2001:db8::9"),
        (&["192.0.2.1", "unknown"], "127.0.0.1"),
        (&["192.0.2.1", "bogus, 10.0.0.2:8080"], "10.0.0.2"),
        (&[], "127.0.0.1"),
    ] {
        assert_eq!(
            sign_in_and_get_address(&server, header_lines).await,
            expected_address,
            "{header_lines:?}"
        );
    }
    // A client forges a line forty times; the proxy adds its own line below.
    for number in 0..40 {
        let forged_addresses = format!("192.0.2.{number}, 10.0.0.{number}");
        assert_eq!(
            sign_in_and_get_address(&server, &[&forged_addresses, "203.0.113.9"]).await,
            "203.0.113.9"
        );
    }
}

#[tokio::test]
async fn headers_of_untrusted_peers_are_ignored() {
    let panel = Panel::with_config(Dialect::Sqlite, |config| config.limits.logins_per_minute = 1_000);
    let server = TestServer::without_workers(panel.await).await;
    server.panel.create_user("anna@panel.test", &[Permission::ViewOrders]).await;
    assert_eq!(sign_in_and_get_address(&server, &["192.0.2.1"]).await, "127.0.0.1");
}
