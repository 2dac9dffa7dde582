//! The server rejects some request bodies before it decodes them or while the client still sends them. The client gets the error.

use axum::body::Body;
use axum::http::{Request, header};
use panel_platform::db::Dialect;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

use crate::panel::Panel;
use crate::test_server::TestServer;

test_both_databases! {
    the_number_of_form_fields_is_checked_before_decoding;
    a_client_that_still_sends_its_body_gets_the_error;
    reads_bodies_up_to_the_limit;
}

fn form_request(path: &str, body: String) -> Request<Body> {
    Request::post(path)
        .header(header::AUTHORIZATION, "Bearer owner")
        .header(header::CONTENT_TYPE, "application/x-www-form-urlencoded")
        .body(body.into())
        .unwrap()
}

/// The last field cannot be decoded, so a form within the limit fails with the error of the decoder.
async fn the_number_of_form_fields_is_checked_before_decoding(dialect: Dialect) {
    let panel = Panel::start(dialect).await;
    for (path, field_count, message) in [
        ("/api/v2", 1_000, "hexadecimal"),
        ("/api/v2", 1_001, "Send at most 1000 fields."),
        ("/api/v1/admin/orders/cancel", 100_000, "hexadecimal"),
        ("/api/v1/admin/orders/cancel", 100_001, "too_many_values"),
    ] {
        let body = format!("{}b=%", "a=1&".repeat(field_count - 1));
        let response = panel.send_request(form_request(path, body)).await;
        assert!(response.text.contains(message), "{path} {field_count}: {}", response.text);
    }
}

async fn a_client_that_still_sends_its_body_gets_the_error(dialect: Dialect) {
    let server = TestServer::start(dialect).await;
    let limit = server.panel.app.config.limits.body_bytes;
    let mut stream = TcpStream::connect(server.host()).await.unwrap();
    let request_head = format!(
        "POST /login HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: {}\r\n\r\n",
        limit + 1
    );
    stream.write_all(request_head.as_bytes()).await.unwrap();
    stream.write_all(&vec![b' '; 300_000]).await.unwrap();
    let mut response = Vec::new();
    // Fails if the server resets the connection before the client has read the response.
    stream.read_to_end(&mut response).await.unwrap();
    let response = String::from_utf8(response).unwrap();
    assert!(response.starts_with("HTTP/1.1 413 ") && response.contains("payload_too_large"), "{response}");
}

async fn reads_bodies_up_to_the_limit(dialect: Dialect) {
    let server = TestServer::start(dialect).await;
    let limit = server.panel.app.config.uploads.request_bytes;
    let send_body_of = |byte_count| {
        let request = Request::post("/api/v1/admin/banners")
            .header(header::AUTHORIZATION, "Bearer owner")
            .header(header::CONTENT_TYPE, "application/json")
            .body(Body::from(format!("{{}}{}", " ".repeat(byte_count - 2))))
            .unwrap();
        server.panel.send_request(request)
    };
    for byte_count in [1 << 20, (1 << 20) + 1, limit] {
        assert_eq!(
            send_body_of(byte_count).await.status,
            422,
            "the server must read {byte_count} bytes completely"
        );
    }
    assert_eq!(server.panel.app.body_budget.reserved_bytes(), 0);
}
