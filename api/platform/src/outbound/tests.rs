//! Tests the outbound client against correct and broken servers on this machine.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use panel_contract::moment::Time;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpListener;
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::ServerConfig;
use tokio_rustls::rustls::pki_types::{CertificateDer, PrivateKeyDer, PrivatePkcs8KeyDer};

use super::*;

fn outbound_with(allowed: &[&str], allow_http: bool) -> OutboundClient {
    let allowed_networks = allowed.iter().map(|network| network.parse().unwrap()).collect();
    OutboundClient::new(&OutboundConfig {
        allowed_networks,
        allow_http,
        timeout_seconds: 2,
        ..OutboundConfig::default()
    })
    .unwrap()
}

fn local_outbound() -> OutboundClient {
    outbound_with(&["127.0.0.0/8", "::1/128"], true)
}

/// Starts a server that sends these bytes to every connection; returns its address.
async fn serve_bytes(response: impl Into<Vec<u8>>) -> String {
    let (listener, response) = (TcpListener::bind("127.0.0.1:0").await.unwrap(), response.into());
    let address = listener.local_addr().unwrap();
    tokio::spawn(async move {
        loop {
            let (mut socket, _) = listener.accept().await.unwrap();
            let response = response.clone();
            tokio::spawn(async move {
                drop(socket.read(&mut [0; 4_096]).await);
                drop(socket.write_all(&response).await);
            });
        }
    });
    format!("http://{address}/")
}

/// Starts a server that accepts connections and never responds; returns its address.
async fn start_unresponsive_server() -> String {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(async move {
        let mut connections = Vec::new();
        loop {
            connections.push(listener.accept().await.unwrap());
        }
    });
    format!("http://{address}/")
}

/// Starts a server with a self-signed certificate; returns its address.
async fn serve_self_signed() -> String {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let certificate = CertificateDer::from(STANDARD.decode(CERTIFICATE).unwrap());
    let key = PrivateKeyDer::from(PrivatePkcs8KeyDer::from(STANDARD.decode(CERTIFICATE_KEY).unwrap()));
    let config = ServerConfig::builder().with_no_client_auth();
    let config = Arc::new(config.with_single_cert(vec![certificate], key).unwrap());
    tokio::spawn(async move {
        loop {
            let (socket, _) = listener.accept().await.unwrap();
            let acceptor = TlsAcceptor::from(Arc::clone(&config));
            tokio::spawn(async move {
                if let Ok(mut socket) = acceptor.accept(socket).await {
                    drop(socket.write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nno").await);
                }
            });
        }
    });
    format!("https://{address}/")
}

fn ok_response(body: &str) -> String {
    format!("HTTP/1.1 200 OK\r\ncontent-length: {}\r\n\r\n{body}", body.len())
}

#[tokio::test]
async fn rejects_names_that_resolve_to_private_addresses() {
    let outbound = outbound_with(&[], true);
    for url in ["http://localhost:1/", "https://localhost/", "https://127.0.0.1/", "http://[::1]/"] {
        let error = outbound.send(OutboundRequest::get(Purpose::ContentFeed, url)).await.unwrap_err();
        assert!(matches!(error, OutboundError::ForbiddenAddress(_)), "{url}: {error}");
        let error = outbound.check_url_before_storing(url).await.unwrap_err();
        assert!(matches!(error, OutboundError::ForbiddenAddress(_)), "{url}: {error}");
    }
    assert!(outbound.check_url_before_storing("https://8.8.8.8/hook").await.is_ok());
    assert!(local_outbound().check_url_before_storing("http://localhost:1/").await.is_ok());
    // A name that does not resolve is rejected when it is called, not when it is stored.
    assert!(outbound.check_url_before_storing("https://nowhere.invalid/hook").await.is_ok());
    let error = outbound
        .send(OutboundRequest::get(Purpose::ContentFeed, "https://nowhere.invalid/hook"))
        .await
        .unwrap_err();
    assert!(matches!(error, OutboundError::NotConnected(_)), "{error}");
}

#[tokio::test]
async fn rejects_a_name_with_one_private_address() {
    let guard = AddressGuard::new(vec!["127.0.0.0/8".parse().unwrap()], true);
    // localhost is 127.0.0.1 and, on systems with IPv6, ::1, which this guard does not allow.
    let addresses: Vec<_> = tokio::net::lookup_host(("localhost", 0)).await.unwrap().collect();
    let all_allowed = addresses.iter().all(|address| guard.allows(address.ip()));
    assert_eq!(resolve_allowed_addresses(&guard, "localhost").await.is_ok(), all_allowed);
    assert!(
        resolve_allowed_addresses(&AddressGuard::default(), "localhost")
            .await
            .unwrap_err()
            .is::<PrivateAddress>()
    );
}

#[tokio::test]
async fn returns_redirects_and_does_not_follow_them() {
    let target = serve_bytes(ok_response("no")).await;
    for status in [301, 302, 303, 307, 308] {
        let redirect = format!("HTTP/1.1 {status} Moved\r\nlocation: {target}\r\ncontent-length: 0\r\n\r\n");
        let url = serve_bytes(redirect).await;
        assert_eq!(
            local_outbound().send(OutboundRequest::get(Purpose::ContentFeed, &url)).await.unwrap().status,
            status
        );
        assert_eq!(
            local_outbound().post_form(Purpose::Captcha, &url, &[]).await.unwrap_err(),
            OutboundError::Status(status)
        );
    }
    assert_eq!(
        local_outbound().post_form(Purpose::Captcha, &target, &[("a", "b")]).await.unwrap().body,
        b"no"
    );
}

#[tokio::test]
async fn limits_or_truncates_large_responses() {
    let mut large = b"HTTP/1.1 200 OK\r\ncontent-length: 2000000\r\n\r\n".to_vec();
    large.resize(2_000_100, b'x');
    let mut without_length = b"HTTP/1.1 200 OK\r\n\r\n".to_vec();
    without_length.resize(2_000_100, b'x');
    for response in [large, without_length] {
        let url = serve_bytes(response).await;
        let error =
            local_outbound().send(OutboundRequest::get(Purpose::ContentFeed, &url)).await.unwrap_err();
        assert_eq!(error, OutboundError::TooLarge(MAX_RESPONSE_BYTES));
        let truncated =
            local_outbound().send(OutboundRequest::get(Purpose::ContentFeed, &url).truncate_at(10)).await;
        let truncated = truncated.unwrap();
        assert_eq!((truncated.body.as_slice(), truncated.is_truncated), (b"xxxxxxxxxx".as_slice(), true));
        let complete =
            local_outbound().send(OutboundRequest::get(Purpose::ContentFeed, &url).max_bytes(3 << 20)).await;
        assert!(complete.is_ok_and(|response| response.body.len() > 1_900_000 && !response.is_truncated));
    }
}

#[tokio::test]
async fn distinguishes_connection_errors_from_request_errors() {
    let closed_address = TcpListener::bind("127.0.0.1:0").await.unwrap().local_addr().unwrap();
    let error = local_outbound()
        .post_form(Purpose::Captcha, &format!("http://{closed_address}/?key=hidden"), &[])
        .await
        .unwrap_err();
    assert!(matches!(&error, OutboundError::NotConnected(text) if !text.contains("hidden")), "{error}");
    let incomplete = serve_bytes("HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\n{\"order\":").await;
    let empty = serve_bytes("").await;
    let not_http = serve_bytes("BEEP\r\n\r\n").await;
    for (case, url) in [("incomplete", incomplete), ("empty", empty), ("not HTTP", not_http)] {
        let error =
            local_outbound().send(OutboundRequest::get(Purpose::ContentFeed, &url)).await.unwrap_err();
        assert!(
            matches!(&error, OutboundError::NoCompleteResponse(text) if !text.contains("127.0.0.1")),
            "{case}: {error}"
        );
    }
    let timeout = Duration::from_millis(50);
    let error = local_outbound()
        .send(
            OutboundRequest::get(Purpose::ContentFeed, &start_unresponsive_server().await)
                .with_timeout(timeout),
        )
        .await
        .unwrap_err();
    assert!(matches!(&error, OutboundError::NoCompleteResponse(text) if text.contains("timeout")), "{error}");
}

#[tokio::test]
async fn rejects_an_untrusted_certificate() {
    let error = local_outbound()
        .send(OutboundRequest::get(Purpose::ContentFeed, &serve_self_signed().await))
        .await
        .unwrap_err();
    let text = error.to_string();
    assert!(matches!(error, OutboundError::NotConnected(_)) && text.contains("certificate"), "{text}");
}

#[tokio::test]
async fn sends_headers_and_rejects_invalid_ones() {
    let url = serve_bytes("HTTP/1.1 429 Slow\r\nretry-after: 120\r\ncontent-length: 4\r\n\r\nslow").await;
    let response = local_outbound().send(OutboundRequest::get(Purpose::ContentFeed, &url)).await.unwrap();
    assert_eq!((response.status, response.retry_after(Time(0))), (429, Some(Duration::from_secs(120))));
    assert_eq!(response.into_success_body().unwrap_err(), OutboundError::Status(429));
    let invalid = OutboundRequest::get(Purpose::ContentFeed, "http://127.0.0.1/")
        .header("x-mark", "a\r\nhost: elsewhere");
    assert!(matches!(local_outbound().send(invalid).await.unwrap_err(), OutboundError::InvalidRequest(_)));
}

#[test]
fn parses_retry_after_as_seconds_or_a_date() {
    let delay = |text: &str| {
        let retry_after = Some(text.to_owned());
        OutboundResponse { status: 429, retry_after, body: Vec::new(), is_truncated: false }
            .retry_after(Time(1_000_000_000))
            .map(|delay| delay.as_secs())
    };
    assert_eq!([delay("120"), delay(" 7 "), delay("-5"), delay("soon")], [Some(120), Some(7), Some(0), None]);
    assert_eq!(delay("Thu, 01 Jan 1970 00:18:40 GMT"), Some(120));
    assert_eq!(delay("Thu, 01 Jan 1970 00:00:00 GMT"), Some(0), "in the past");
    assert_eq!(delay("9200000000000000000"), Some(31_536_000), "at most a year");
}

/// A self-signed certificate for 127.0.0.1, valid until 2126.
const CERTIFICATE: &str = concat!(
    "MIIBkDCCATagAwIBAgIUB3PurUMNkn5q26zd056UcGbaiJMwCgYIKoZIzj0EAwIwFDESMBAGA1UEAwwJMTI3LjAuMC4xMCAX",
    "DTI2MTEyMjAwNTEyMloYDzIxMjYxMDI5MDA1MTIyWjAUMRIwEAYDVQQDDAkxMjcuMC4wLjEwWTATBgcqhkjOPQIBBggqhkjO",
    "PQMBBwNCAATypvi9lHYitW3fiLoieNv59cSdQIPRQSGosIQREFv99Bs7ur+7mbkOTnh9R50D/BtCjRB1gG9JXpdelv84KOqD",
    "o2QwYjAdBgNVHQ4EFgQUcuRqKY091ws0DU5ASDSZW7EW+fAwHwYDVR0jBBgwFoAUcuRqKY091ws0DU5ASDSZW7EW+fAwDwYD",
    "VR0TAQH/BAUwAwEB/zAPBgNVHREECDAGhwR/AAABMAoGCCqGSM49BAMCA0gAMEUCIQD9rNXy73KUKa5i0qck4xcU2UBBm0aU",
    "G6Jwbn89tpH/2QIgdZwT+iMr0l9nE2vgQZGXSzCTSduvoOM+xYJ776u/L7Y="
);
const CERTIFICATE_KEY: &str = concat!(
    "MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgv369TglPzpbLKK5JQaAsuMWfY8HxhDHLHBjJNerFCZKhRANC",
    "AATypvi9lHYitW3fiLoieNv59cSdQIPRQSGosIQREFv99Bs7ur+7mbkOTnh9R50D/BtCjRB1gG9JXpdelv84KOqD"
);
