//! Lingering close. If a connection closes while its client still sends, the kernel resets it, and the reset may reach the client
//! before the client has read the response. Therefore the server reads and discards the rest of the body for a short time while it
//! sends the response.

use std::time::Duration;

use axum::body::{Body, HttpBody as _};
use axum::http::{HeaderMap, header};
use http_body_util::BodyExt as _;
use tokio::time::timeout;

/// Maximum time for which the server reads the rest of a body.
const MAX_DURATION: Duration = Duration::from_secs(1);
/// Maximum number of bytes that the server discards: more than the default socket buffers of a client and the server hold.
const MAX_DISCARDED_BYTES: usize = 512 * 1024;

/// Reads and discards the rest of a rejected body in a separate task.
pub(super) fn discard_rest(headers: &HeaderMap, mut body: Body) {
    // A client that expects `100 Continue` has not sent the body, and reading would make hyper send that status.
    if body.is_end_stream() || headers.contains_key(header::EXPECT) {
        return;
    }
    tokio::spawn(timeout(MAX_DURATION, async move {
        let mut discarded_bytes = 0;
        while let Some(Ok(frame)) = body.frame().await
            && discarded_bytes <= MAX_DISCARDED_BYTES
        {
            discarded_bytes += frame.data_ref().map_or(0, |data| data.len());
        }
    }));
}
