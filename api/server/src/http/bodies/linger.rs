//! Lingering close: a connection that closes while its client still sends is reset, and the reset may reach the client
//! before it has read the response. So the server reads and drops the rest of the body for a moment while it sends the response.

use std::time::Duration;

use axum::body::{Body, HttpBody as _};
use axum::http::{HeaderMap, header};
use http_body_util::BodyExt as _;
use tokio::time::timeout;

/// How long the server reads the rest, at most.
const MAX_DURATION: Duration = Duration::from_secs(1);
/// How many bytes the server drops, at most: more than a client's and a server's socket buffers hold by default.
const MAX_BYTES: usize = 512 * 1024;

/// Reads and drops the rest of a refused body in a task of its own.
pub(super) fn drain(headers: &HeaderMap, mut body: Body) {
    // A client that waits for 100 Continue sends nothing, and hyper would send that status as soon as the body is read.
    if body.is_end_stream() || headers.contains_key(header::EXPECT) {
        return;
    }
    tokio::spawn(timeout(MAX_DURATION, async move {
        let mut dropped = 0;
        while let Some(Ok(frame)) = body.frame().await
            && dropped <= MAX_BYTES
        {
            dropped += frame.data_ref().map_or(0, |data| data.len());
        }
    }));
}
