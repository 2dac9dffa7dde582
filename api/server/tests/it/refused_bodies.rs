//! Request bodies that the server refuses before decoding them or while the client still sends them: the client receives the error.

use axum::body::Body;
use axum::http::{Request, header};
use panel_platform::db::Dialect;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

use crate::panel::Panel;
use crate::test_server::TestServer;

both! {
    the_number_of_form_fields_is_checked_before_decoding;
    a_client_that_still_sends_its_body_receives_the_error;
    reads_bodies_up_to_the_limit;
}

fn form(path: &str, body: String) -> Request<Body> {
    Request::post(path)
        .header(header::AUTHORIZATION, "Bearer owner")
        .header(header::CONTENT_TYPE, "application/x-www-form-urlencoded")
        .body(body.into())
        .unwrap()
}

/// The last field cannot be decoded, so a form within the limit fails with the decoder's error.
async fn the_number_of_form_fields_is_checked_before_decoding(dialect: Dialect) {
    let panel = Panel::on(dialect).await;
    for (path, count, message) in [
        ("/api/v2", 1_000, "hexadecimal"),
        ("/api/v2", 1_001, "Send at most 1000 fields."),
        ("/api/v1/admin/orders/cancel", 100_000, "hexadecimal"),
        ("/api/v1/admin/orders/cancel", 100_001, "too_many_values"),
    ] {
        let body = format!("{}b=%", "a=1&".repeat(count - 1));
        let answer = panel.answer(form(path, body)).await;
        assert!(answer.text.contains(message), "{path} {count}: {}", answer.text);
    }
}

async fn a_client_that_still_sends_its_body_receives_the_error(dialect: Dialect) {
    let served = TestServer::on(dialect).await;
    let limit = served.panel.app.config.limits.body_bytes;
    let mut stream = TcpStream::connect(served.host()).await.unwrap();
    let head = format!(
        "POST /login HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: {}\r\n\r\n",
        limit + 1
    );
    stream.write_all(head.as_bytes()).await.unwrap();
    stream.write_all(&vec![b' '; 300_000]).await.unwrap();
    let mut answer = Vec::new();
    // Fails if the server resets the connection before the client has read the response.
    stream.read_to_end(&mut answer).await.unwrap();
    let answer = String::from_utf8(answer).unwrap();
    assert!(answer.starts_with("HTTP/1.1 413 ") && answer.contains("payload_too_large"), "{answer}");
}

async fn reads_bodies_up_to_the_limit(dialect: Dialect) {
    let served = TestServer::on(dialect).await;
    let limit = served.panel.app.config.uploads.request_bytes;
    let send = |length| {
        let request = Request::post("/api/v1/admin/banners")
            .header(header::AUTHORIZATION, "Bearer owner")
            .header(header::CONTENT_TYPE, "application/json")
            .body(Body::from(format!("{{}}{}", " ".repeat(length - 2))))
            .unwrap();
        served.panel.answer(request)
    };
    for length in [1 << 20, (1 << 20) + 1, limit] {
        assert_eq!(send(length).await.status, 422, "{length} bytes are read completely");
    }
    assert_eq!(served.panel.app.bodies.reserved(), 0);
}
