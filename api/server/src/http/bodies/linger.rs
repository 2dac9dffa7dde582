//! Lingering close: a connection that closes while its client still sends is reset, and the reset may reach the client
//! before it has read the response. So the server reads and drops the rest of the body for a moment while it sends the response.

use std::time::Duration;

use axum::body::{Body, HttpBody as _};
use axum::http::{HeaderMap, header};
use http_body_util::BodyExt as _;
use tokio::time::timeout;

/// The longest time for which the server reads the rest of a body.
const MAX_DURATION: Duration = Duration::from_secs(1);
/// The largest number of bytes that the server drops: more than a client's and a server's socket buffers hold by default.
const MAX_DROPPED_BYTES: usize = 512 * 1024;

/// Reads and drops the rest of a refused body in a task of its own.
pub(super) fn drain(headers: &HeaderMap, mut body: Body) {
    // A client that waits for 100 Continue sends nothing, and hyper would send that status as soon as the body is read.
    if body.is_end_stream() || headers.contains_key(header::EXPECT) {
        return;
    }
    tokio::spawn(timeout(MAX_DURATION, async move {
        let mut dropped_bytes = 0;
        while let Some(Ok(frame)) = body.frame().await
            && dropped_bytes <= MAX_DROPPED_BYTES
        {
            dropped_bytes += frame.data_ref().map_or(0, |data| data.len());
        }
    }));
}
