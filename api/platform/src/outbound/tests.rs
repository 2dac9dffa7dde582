//! The guarded client against well-behaved and broken servers on this machine.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use panel_contract::moment::Time;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpListener;
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::ServerConfig;
use tokio_rustls::rustls::pki_types::{CertificateDer, PrivateKeyDer, PrivatePkcs8KeyDer};

use super::*;

fn configured(allowed: &[&str], allow_http: bool) -> Outbound {
    let allowed_networks = allowed.iter().map(|network| network.parse().unwrap()).collect();
    Outbound::new(&Config { allowed_networks, allow_http, seconds: 2, ..Config::default() }).unwrap()
}

fn local() -> Outbound {
    configured(&["127.0.0.0/8", "::1/128"], true)
}

/// Answers every connection with these bytes; its address.
async fn answering(answer: impl Into<Vec<u8>>) -> String {
    let (listener, answer) = (TcpListener::bind("127.0.0.1:0").await.unwrap(), answer.into());
    let address = listener.local_addr().unwrap();
    tokio::spawn(async move {
        loop {
            let (mut socket, _) = listener.accept().await.unwrap();
            let answer = answer.clone();
            tokio::spawn(async move {
                drop(socket.read(&mut [0; 4_096]).await);
                drop(socket.write_all(&answer).await);
            });
        }
    });
    format!("http://{address}/")
}

/// Accepts connections and never answers.
async fn silent() -> String {
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

/// A server with a certificate of no known authority.
async fn self_signed() -> String {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let certificate = CertificateDer::from(STANDARD.decode(CERTIFICATE).unwrap());
    let key = PrivateKeyDer::from(PrivatePkcs8KeyDer::from(STANDARD.decode(KEY).unwrap()));
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

fn ok(body: &str) -> String {
    format!("HTTP/1.1 200 OK\r\ncontent-length: {}\r\n\r\n{body}", body.len())
}

#[tokio::test]
async fn refuses_names_that_resolve_to_private_addresses() {
    let guarded = configured(&[], true);
    for url in ["http://localhost:1/", "https://localhost/", "https://127.0.0.1/", "http://[::1]/"] {
        let refused = guarded.send(Call::get(Purpose::ContentFeed, url)).await.unwrap_err();
        assert!(matches!(refused, OutboundError::Refused(_)), "{url}: {refused}");
        let refused = guarded.check_storable_address(url).await.unwrap_err();
        assert!(matches!(refused, OutboundError::Refused(_)), "{url}: {refused}");
    }
    assert!(guarded.check_storable_address("https://8.8.8.8/hook").await.is_ok());
    assert!(local().check_storable_address("http://localhost:1/").await.is_ok());
    // A name that does not resolve is refused when it is called, not when it is stored.
    assert!(guarded.check_storable_address("https://nowhere.invalid/hook").await.is_ok());
    let nowhere =
        guarded.send(Call::get(Purpose::ContentFeed, "https://nowhere.invalid/hook")).await.unwrap_err();
    assert!(matches!(nowhere, OutboundError::Unreached(_)), "{nowhere}");
}

#[tokio::test]
async fn one_private_address_refuses_a_name() {
    let guard = AddressGuard::new(vec!["127.0.0.0/8".parse().unwrap()], true);
    // localhost is 127.0.0.1 and, where there is IPv6, ::1, which is not allowed here.
    let found: Vec<_> = tokio::net::lookup_host(("localhost", 0)).await.unwrap().collect();
    let all_allowed = found.iter().all(|address| guard.allows(address.ip()));
    assert_eq!(resolve_allowed(&guard, "localhost").await.is_ok(), all_allowed);
    assert!(resolve_allowed(&AddressGuard::default(), "localhost").await.unwrap_err().is::<PrivateAddress>());
}

#[tokio::test]
async fn redirects_are_answers_and_not_followed() {
    let inside = answering(ok("no")).await;
    for status in [301, 302, 303, 307, 308] {
        let moved = format!("HTTP/1.1 {status} Moved\r\nlocation: {inside}\r\ncontent-length: 0\r\n\r\n");
        let moved = answering(moved).await;
        assert_eq!(local().send(Call::get(Purpose::ContentFeed, &moved)).await.unwrap().status, status);
        assert_eq!(
            local().post_form(Purpose::Captcha, &moved, &[]).await.unwrap_err(),
            OutboundError::Status(status)
        );
    }
    assert_eq!(local().post_form(Purpose::Captcha, &inside, &[("a", "b")]).await.unwrap().body, b"no");
}

#[tokio::test]
async fn answers_are_limited_or_cut() {
    let mut large = b"HTTP/1.1 200 OK\r\ncontent-length: 2000000\r\n\r\n".to_vec();
    large.resize(2_000_100, b'x');
    let mut endless = b"HTTP/1.1 200 OK\r\n\r\n".to_vec();
    endless.resize(2_000_100, b'x');
    for answer in [large, endless] {
        let url = answering(answer).await;
        let refused = local().send(Call::get(Purpose::ContentFeed, &url)).await.unwrap_err();
        assert_eq!(refused, OutboundError::TooLarge(MAX_RESPONSE_BYTES));
        let cut = local().send(Call::get(Purpose::ContentFeed, &url).truncate_at(10)).await.unwrap();
        assert_eq!((cut.body.as_slice(), cut.is_truncated), (b"xxxxxxxxxx".as_slice(), true));
        let whole = local().send(Call::get(Purpose::ContentFeed, &url).max_bytes(3 << 20)).await;
        assert!(whole.is_ok_and(|whole| whole.body.len() > 1_900_000 && !whole.is_truncated));
    }
}

#[tokio::test]
async fn unreached_and_failed_calls_are_different_errors() {
    let closed = TcpListener::bind("127.0.0.1:0").await.unwrap().local_addr().unwrap();
    let error =
        local().post_form(Purpose::Captcha, &format!("http://{closed}/?key=hidden"), &[]).await.unwrap_err();
    assert!(matches!(&error, OutboundError::Unreached(text) if !text.contains("hidden")), "{error}");
    let half = answering("HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\n{\"order\":").await;
    for (what, url) in
        [("half", half), ("nothing", answering("").await), ("noise", answering("BEEP\r\n\r\n").await)]
    {
        let error = local().send(Call::get(Purpose::ContentFeed, &url)).await.unwrap_err();
        assert!(
            matches!(&error, OutboundError::Failed(text) if !text.contains("127.0.0.1")),
            "{what}: {error}"
        );
    }
    let timeout = Duration::from_millis(50);
    let error = local()
        .send(Call::get(Purpose::ContentFeed, &silent().await).with_timeout(timeout))
        .await
        .unwrap_err();
    assert!(matches!(&error, OutboundError::Failed(text) if text.contains("too long")), "{error}");
}

#[tokio::test]
async fn certificates_are_verified() {
    let error = local().send(Call::get(Purpose::ContentFeed, &self_signed().await)).await.unwrap_err();
    let text = error.to_string();
    assert!(matches!(error, OutboundError::Unreached(_)) && text.contains("certificate"), "{text}");
}

#[tokio::test]
async fn sends_headers_and_refuses_invalid_ones() {
    let answer = "HTTP/1.1 429 Slow\r\nretry-after: 120\r\ncontent-length: 4\r\n\r\nslow";
    let answer = local().send(Call::get(Purpose::ContentFeed, &answering(answer).await)).await.unwrap();
    assert_eq!((answer.status, answer.retry_after(Time(0))), (429, Some(Duration::from_secs(120))));
    assert_eq!(answer.success().unwrap_err(), OutboundError::Status(429));
    let broken =
        Call::get(Purpose::ContentFeed, "http://127.0.0.1/").header("x-mark", "a\r\nhost: elsewhere");
    assert!(matches!(local().send(broken).await.unwrap_err(), OutboundError::Refused(_)));
}

#[test]
fn parses_retry_after_as_seconds_or_a_date() {
    let delay = |text: &str| {
        let retry_after = Some(text.to_owned());
        OutboundResponse { status: 429, retry_after, body: Vec::new(), is_truncated: false }
            .retry_after(Time(1_000_000_000))
            .map(|wait| wait.as_secs())
    };
    assert_eq!([delay("120"), delay(" 7 "), delay("-5"), delay("soon")], [Some(120), Some(7), Some(0), None]);
    assert_eq!(delay("Thu, 01 Jan 1970 00:18:40 GMT"), Some(120));
    assert_eq!(delay("Thu, 01 Jan 1970 00:00:00 GMT"), Some(0), "in the past");
    assert_eq!(delay("9200000000000000000"), Some(31_536_000), "a year at most");
}

/// For 127.0.0.1, signed by itself, until 2126.
const CERTIFICATE: &str = concat!(
    "MIIBkDCCATagAwIBAgIUB3PurUMNkn5q26zd056UcGbaiJMwCgYIKoZIzj0EAwIwFDESMBAGA1UEAwwJMTI3LjAuMC4xMCAX",
    "DTI2MTEyMjAwNTEyMloYDzIxMjYxMDI5MDA1MTIyWjAUMRIwEAYDVQQDDAkxMjcuMC4wLjEwWTATBgcqhkjOPQIBBggqhkjO",
    "PQMBBwNCAATypvi9lHYitW3fiLoieNv59cSdQIPRQSGosIQREFv99Bs7ur+7mbkOTnh9R50D/BtCjRB1gG9JXpdelv84KOqD",
    "o2QwYjAdBgNVHQ4EFgQUcuRqKY091ws0DU5ASDSZW7EW+fAwHwYDVR0jBBgwFoAUcuRqKY091ws0DU5ASDSZW7EW+fAwDwYD",
    "VR0TAQH/BAUwAwEB/zAPBgNVHREECDAGhwR/AAABMAoGCCqGSM49BAMCA0gAMEUCIQD9rNXy73KUKa5i0qck4xcU2UBBm0aU",
    "G6Jwbn89tpH/2QIgdZwT+iMr0l9nE2vgQZGXSzCTSduvoOM+xYJ776u/L7Y="
);
const KEY: &str = concat!(
    "MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgv369TglPzpbLKK5JQaAsuMWfY8HxhDHLHBjJNerFCZKhRANC",
    "AATypvi9lHYitW3fiLoieNv59cSdQIPRQSGosIQREFv99Bs7ur+7mbkOTnh9R50D/BtCjRB1gG9JXpdelv84KOqD"
);
