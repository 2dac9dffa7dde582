//! Lingering close: a connection that closes while its client still sends is reset, and the reset may reach the client
//! before the answer is read. So what comes next is read and dropped for a moment, while the answer goes out.

use std::time::Duration;

use axum::body::{Body, HttpBody as _};
use axum::http::{HeaderMap, header};
use http_body_util::BodyExt as _;
use tokio::time::timeout;

/// How long, at most.
const LONGEST: Duration = Duration::from_secs(1);
/// How many bytes, at most: more than a client's and a server's socket buffers hold by default.
const MOST_BYTES: usize = 512 * 1024;

/// Reads and drops what is left of a refused body, beside the answer.
pub(super) fn drain(headers: &HeaderMap, mut body: Body) {
    // A client that waits for 100 Continue sends nothing, and to read would ask it to.
    if body.is_end_stream() || headers.contains_key(header::EXPECT) {
        return;
    }
    tokio::spawn(timeout(LONGEST, async move {
        let mut dropped = 0;
        while let Some(Ok(frame)) = body.frame().await
            && dropped <= MOST_BYTES
        {
            dropped += frame.data_ref().map_or(0, |data| data.len());
        }
    }));
}
