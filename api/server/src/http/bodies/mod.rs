//! Receives request bodies within the limits of the endpoint and the memory budget of the process. This module must never parse a
//! body.
//!
//! It copies every frame, because a frame keeps its whole read buffer in memory: 8 KiB per frame, even for a frame of one byte. A body above one megabyte is stored in a file until it is complete, and one such body at a time is in memory. A body that
//! arrives too slowly is rejected. The memory of the parsed values is reserved before the body is parsed.

mod body_file;
mod budget;
mod linger;
mod rate;
mod values;

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use axum::body::{Body, Bytes, HttpBody as _};
use axum::http::request::Parts;
use axum::http::{HeaderMap, header};
use http_body_util::BodyExt as _;
use panel_kernel::error::{Error, Result};
use panel_kernel::rejection::RejectionKind;
use tokio::time::{Instant, timeout};

use crate::metrics::BODIES_REJECTED;
use body_file::BodyFile;
use budget::BudgetError;
use panel_platform::config::{Config, Limits};
use rate::{MinimumRate, RateDecision};

pub use budget::BodyBudget;
pub(crate) use budget::{Reservation, Sender};

/// Minimum size of a body's buffer, in bytes.
const MIN_BUFFER_BYTES: usize = 1024;
/// Maximum size of a buffer of an unfinished body, in bytes; longer bodies have several buffers. Buffers that double up to a
/// megabyte would use several times their reservation, because the allocator does not immediately return freed memory of each
/// size.
const BLOCK_BYTES: usize = 16 * 1024;
/// Maximum number of blocks of an unfinished body in memory; a longer body is stored in a file. Bodies without images are shorter.
const MAX_BLOCKS_IN_MEMORY: usize = 64;
/// Maximum time for which a large body waits in its file for the large bodies before it. The handler needs a second or two to decode
/// one large body.
const LARGE_BODY_TIMEOUT: Duration = Duration::from_secs(20);
/// The `Retry-After` of a rejected request: most bodies are complete within a second or rejected soon after the grace period.
const RETRY_AFTER_SECS: u64 = 5;

#[derive(Debug)]
pub(crate) struct CollectedBody {
    pub(crate) bytes: Bytes,
    /// Must be held until the response is complete, because the parsed body uses the memory. `None` for an empty body.
    pub(crate) reservation: Option<Reservation>,
}

/// Receives a body of at most `limit` bytes.
pub(crate) async fn receive_body(
    budget: &Arc<BodyBudget>,
    config: &Config,
    head: &Parts,
    mut body: Body,
    sender: Sender,
    limit: usize,
) -> Result<CollectedBody> {
    let content_length = content_length(&head.headers);
    let limits = &config.limits;
    if content_length.is_some_and(|length| length > limit) {
        linger::discard_rest(&head.headers, body);
        return Err(BodyError::TooLarge.into_error(limits, limit));
    }
    if body.is_end_stream() {
        return Ok(CollectedBody { bytes: Bytes::new(), reservation: None });
    }
    let rate = MinimumRate {
        grace_period: Duration::from_secs(limits.body_grace_seconds),
        bytes_per_second: limits.body_bytes_per_second,
    };
    let expected_bytes = content_length.unwrap_or(limit);
    let reservation = budget.reserve_body(sender, head_bytes(head)).map_err(BodyError::from);
    let receive_result = match reservation {
        Ok(reservation) => {
            let folder = config.data_dir.clone();
            UnfinishedBody::new(limit, expected_bytes, reservation, folder).receive(&mut body, rate).await
        }
        Err(error) => Err(error),
    };
    let mut collected = receive_result.map_err(|error| {
        linger::discard_rest(&head.headers, body);
        error.into_error(limits, limit)
    })?;
    let values_bytes = values::parsed_values_bytes(&head.headers, &collected.bytes, sender.is_signed_in)?;
    if let Some(reservation) = &mut collected.reservation {
        let grow_result = reservation.grow(values_bytes).map_err(BodyError::from);
        grow_result.map_err(|error| error.into_error(limits, limit))?;
    }
    Ok(collected)
}

/// The reason why a body was rejected.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum BodyError {
    /// The address has reached its limit of unfinished bodies or of bytes.
    AddressLimitReached,
    /// The memory budget is used up.
    BudgetExhausted,
    TooSlow,
    TooLarge,
    /// The file of a large body cannot be written or read.
    FileError,
    /// The connection broke, or the bytes were not valid HTTP.
    Interrupted,
}

impl From<BudgetError> for BodyError {
    fn from(error: BudgetError) -> Self {
        match error {
            BudgetError::AddressLimitReached => Self::AddressLimitReached,
            BudgetError::Exhausted => Self::BudgetExhausted,
        }
    }
}

impl BodyError {
    /// The error for the client. It closes the connection, because the server does not read the rest of the body.
    fn into_error(self, limits: &Limits, limit: usize) -> Error {
        let error = match self {
            Self::AddressLimitReached => {
                let message = format!(
                    "Your address sends too many or too large request bodies at the same time (at most {} bodies). Wait until they are complete, and send this request again in {RETRY_AFTER_SECS} seconds.",
                    limits.bodies_per_address
                );
                count_rejection("address");
                Error::rejected(RejectionKind::TooManyRequests, "too_many_bodies", message)
                    .retry_after_secs(RETRY_AFTER_SECS)
            }
            Self::BudgetExhausted => {
                let message = format!(
                    "The server has no memory left for further request bodies. Send this request again in {RETRY_AFTER_SECS} seconds."
                );
                count_rejection("full");
                Error::rejected(RejectionKind::Unavailable, "bodies_full", message)
                    .retry_after_secs(RETRY_AFTER_SECS)
            }
            Self::TooSlow => {
                let bytes_per_second = limits.body_bytes_per_second;
                let message = format!(
                    "The request body arrived too slowly. Send at least {bytes_per_second} bytes per second."
                );
                count_rejection("slow");
                Error::rejected(RejectionKind::RequestTimeout, "body_too_slow", message)
            }
            Self::TooLarge => {
                let message = format!("The request body is too large. Send at most {limit} bytes.");
                Error::rejected(RejectionKind::TooLarge, "payload_too_large", message)
            }
            Self::FileError => {
                count_rejection("file");
                return Error::Internal("failed to store a request body in data_dir".into())
                    .closing_connection();
            }
            Self::Interrupted => {
                let message = "The request body is incomplete. Send the request again.";
                Error::rejected(RejectionKind::Malformed, "body_unreadable", message)
            }
        };
        error.closing_connection()
    }
}

fn count_rejection(reason: &'static str) {
    BODIES_REJECTED.with_labels([reason]).increment(1);
}

/// A body that is still being received.
struct UnfinishedBody {
    /// The start of a large body; the blocks follow. `None` for a body that fits into memory.
    file: Option<BodyFile>,
    folder: PathBuf,
    /// Full blocks; `buffer` follows them.
    blocks: Vec<Vec<u8>>,
    buffer: Vec<u8>,
    received_bytes: usize,
    limit: usize,
    /// The `Content-Length`, or the limit if there is none. The buffers together have at most this size.
    expected_bytes: usize,
    reservation: Reservation,
}

impl UnfinishedBody {
    fn new(limit: usize, expected_bytes: usize, reservation: Reservation, folder: PathBuf) -> Self {
        Self {
            file: None,
            folder,
            blocks: Vec::new(),
            buffer: Vec::new(),
            received_bytes: 0,
            limit,
            expected_bytes,
            reservation,
        }
    }

    async fn receive(mut self, body: &mut Body, rate: MinimumRate) -> Result<CollectedBody, BodyError> {
        let started_at = Instant::now();
        loop {
            let RateDecision::Wait(wait_time) = rate.decide(self.received_bytes, started_at.elapsed()) else {
                return Err(BodyError::TooSlow);
            };
            match timeout(wait_time, body.frame()).await {
                // No frame arrived in time. The loop decides again with the elapsed time.
                Err(_) => {}
                Ok(None) => break,
                Ok(Some(Err(_))) => return Err(BodyError::Interrupted),
                // A frame without data has trailers, which the server ignores.
                Ok(Some(Ok(frame))) => {
                    if let Ok(data) = frame.into_data() {
                        self.append(&data).await?;
                    }
                }
            }
        }
        self.finish().await
    }

    async fn append(&mut self, data: &[u8]) -> Result<(), BodyError> {
        if self.received_bytes + data.len() > self.limit {
            return Err(BodyError::TooLarge);
        }
        let mut remaining = data;
        while !remaining.is_empty() {
            if self.buffer.len() == BLOCK_BYTES {
                self.blocks.push(std::mem::take(&mut self.buffer));
                if self.blocks.len() == MAX_BLOCKS_IN_MEMORY {
                    self.write_blocks().await?;
                }
            }
            let (part, rest) = remaining.split_at(remaining.len().min(BLOCK_BYTES - self.buffer.len()));
            self.reserve_buffer(part.len())?;
            self.buffer.extend_from_slice(part);
            self.received_bytes += part.len();
            remaining = rest;
        }
        Ok(())
    }

    /// Reserves memory for the buffer, then enlarges the buffer.
    fn reserve_buffer(&mut self, bytes: usize) -> Result<(), BodyError> {
        let length = self.buffer.len() + bytes;
        let remaining_bytes = self.expected_bytes.saturating_sub(self.received_bytes - self.buffer.len());
        let capacity = capacity_for(length, remaining_bytes);
        if capacity > self.buffer.capacity() {
            self.reservation.grow(capacity - self.buffer.capacity())?;
            self.buffer.reserve_exact(capacity - self.buffer.len());
        }
        Ok(())
    }

    /// Moves the blocks to the file. They stay reserved, so that the budget bounds the disk space as well.
    async fn write_blocks(&mut self) -> Result<(), BodyError> {
        let file = match self.file.take() {
            Some(file) => file,
            None => BodyFile::create(self.folder.clone()).await.map_err(log_file_error)?,
        };
        self.file = Some(file.append(std::mem::take(&mut self.blocks)).await.map_err(log_file_error)?);
        Ok(())
    }

    async fn finish(mut self) -> Result<CollectedBody, BodyError> {
        self.reservation.mark_complete();
        if self.file.is_none() {
            return Ok(self.join_blocks());
        }
        self.blocks.push(std::mem::take(&mut self.buffer));
        self.write_blocks().await?;
        let wait_result = timeout(LARGE_BODY_TIMEOUT, self.reservation.wait_for_large_body_permit()).await;
        wait_result.map_err(|_| BodyError::BudgetExhausted)?;
        let bytes = match self.file.take() {
            Some(file) => file.read_all().await.map_err(log_file_error)?,
            None => Vec::new(),
        };
        Ok(CollectedBody { bytes: bytes.into(), reservation: Some(self.reservation) })
    }

    /// Joins the blocks. A body of several blocks is in memory twice during this function. The function has no `await`, so each thread
    /// has at most one such body.
    fn join_blocks(self) -> CollectedBody {
        let reservation = Some(self.reservation);
        if self.blocks.is_empty() {
            return CollectedBody { bytes: self.buffer.into(), reservation };
        }
        let mut bytes = Vec::with_capacity(self.received_bytes);
        for block in self.blocks.into_iter().chain([self.buffer]) {
            bytes.extend_from_slice(&block);
        }
        CollectedBody { bytes: bytes.into(), reservation }
    }
}

#[expect(clippy::needless_pass_by_value, reason = "map_err passes the error by value")]
fn log_file_error(error: std::io::Error) -> BodyError {
    tracing::error!(%error, "failed to store a large request body in data_dir");
    BodyError::FileError
}

/// The capacity of a buffer for `length` bytes, at most a block. The capacity doubles, but does not exceed `expected_bytes`
/// unless more bytes arrive.
fn capacity_for(length: usize, expected_bytes: usize) -> usize {
    length.next_power_of_two().max(MIN_BUFFER_BYTES).min(expected_bytes).max(length)
}

/// The memory of a request head in bytes: its URL and its headers.
fn head_bytes(head: &Parts) -> usize {
    let url_length = head.uri.path_and_query().map_or(0, |path_and_query| path_and_query.as_str().len());
    head.headers.iter().map(|(name, value)| name.as_str().len() + value.len()).sum::<usize>() + url_length
}

fn content_length(headers: &HeaderMap) -> Option<usize> {
    headers.get(header::CONTENT_LENGTH)?.to_str().ok()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicUsize, Ordering};

    use futures_util::{StreamExt as _, stream};

    use super::*;
    use panel_platform::config::OVERHEAD_BYTES;

    const NO_MINIMUM_RATE: MinimumRate =
        MinimumRate { grace_period: Duration::from_secs(3_600), bytes_per_second: 1 };

    fn unfinished_body(budget: &Arc<BodyBudget>, limit: usize) -> UnfinishedBody {
        let sender = Sender { ip: [203, 0, 113, 1].into(), is_signed_in: false };
        let reservation = budget.reserve_body(sender, 0).unwrap();
        UnfinishedBody::new(limit, limit, reservation, std::env::temp_dir())
    }

    fn new_budget() -> Arc<BodyBudget> {
        Arc::new(BodyBudget::new(&Limits::default()))
    }

    /// A frame of one byte. The counter holds the number of frames that are not dropped; a real frame holds a whole read buffer.
    struct CountedFrame(Arc<AtomicUsize>);

    impl AsRef<[u8]> for CountedFrame {
        fn as_ref(&self) -> &[u8] {
            b"x"
        }
    }

    impl Drop for CountedFrame {
        fn drop(&mut self) {
            self.0.fetch_sub(1, Ordering::SeqCst);
        }
    }

    #[test]
    fn buffers_double_up_to_the_expected_length() {
        let sizes = [1, 1_024, 1_025, 7_000, BLOCK_BYTES].map(|length| capacity_for(length, 1_000_000));
        assert_eq!(sizes, [1_024, 1_024, 2_048, 8_192, BLOCK_BYTES]);
        assert_eq!(capacity_for(9_000, 10_000), 10_000);
        assert_eq!(capacity_for(1, 7), 7, "the capacity must not exceed the expected length");
        assert_eq!(capacity_for(9, 7), 9, "the capacity must suffice if more bytes arrive");
    }

    #[tokio::test]
    async fn each_frame_is_dropped_before_the_next() {
        let (frame_count, max_frame_count) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
        let budget = new_budget();
        let (frame_counter, max_frame_counter) = (Arc::clone(&frame_count), Arc::clone(&max_frame_count));
        let checked_budget = Arc::clone(&budget);
        let frames = stream::iter(0..5_000).map(move |_| {
            let current_count = frame_counter.fetch_add(1, Ordering::SeqCst) + 1;
            max_frame_counter.fetch_max(current_count, Ordering::SeqCst);
            let reserved_bytes = checked_budget.reserved_bytes();
            assert!(reserved_bytes <= OVERHEAD_BYTES + 8_192, "{reserved_bytes}");
            Ok::<_, std::convert::Infallible>(Bytes::from_owner(CountedFrame(Arc::clone(&frame_counter))))
        });
        let collected = unfinished_body(&budget, 1 << 20)
            .receive(&mut Body::from_stream(frames), NO_MINIMUM_RATE)
            .await
            .unwrap();
        assert_eq!(collected.bytes, "x".repeat(5_000));
        assert_eq!((frame_count.load(Ordering::SeqCst), max_frame_count.load(Ordering::SeqCst)), (0, 1));
        assert_eq!(budget.reserved_bytes(), 8_192, "only the body itself must stay reserved");
        drop(collected);
        assert_eq!(budget.reserved_bytes(), 0);
    }

    #[tokio::test]
    async fn a_body_that_stops_is_too_slow_and_releases_its_memory() {
        let budget = new_budget();
        let first_frame = stream::iter([Ok::<_, std::convert::Infallible>("{")]);
        let rate = MinimumRate { grace_period: Duration::from_millis(1), bytes_per_second: 1_000 };
        let mut body = Body::from_stream(first_frame.chain(stream::pending()));
        assert_eq!(
            unfinished_body(&budget, 100).receive(&mut body, rate).await.unwrap_err(),
            BodyError::TooSlow
        );
        assert_eq!(budget.reserved_bytes(), 0);
    }

    #[tokio::test]
    async fn accepts_a_body_at_the_limit_and_rejects_one_byte_more() {
        let budget = new_budget();
        let collected = unfinished_body(&budget, 3_000)
            .receive(&mut Body::from(vec![b'x'; 3_000]), NO_MINIMUM_RATE)
            .await
            .unwrap();
        assert_eq!((collected.bytes.len(), budget.reserved_bytes()), (3_000, 3_000));
        let too_large_result = unfinished_body(&budget, 3_000)
            .receive(&mut Body::from(vec![b'x'; 3_001]), NO_MINIMUM_RATE)
            .await;
        assert_eq!(too_large_result.unwrap_err(), BodyError::TooLarge);
        assert_eq!(budget.reserved_bytes(), 3_000);
    }

    #[tokio::test]
    async fn long_bodies_are_complete_and_in_order() {
        let budget = new_budget();
        let text: Vec<u8> = (0..100_003_u32).map(|index| u8::try_from(index % 251).unwrap()).collect();
        for frame_length in [1, 7_000, BLOCK_BYTES, 50_000] {
            let frames: Vec<_> = text.chunks(frame_length).map(<[u8]>::to_vec).collect();
            let frames = frames.into_iter().map(Ok::<_, std::convert::Infallible>);
            let mut body = Body::from_stream(stream::iter(frames));
            let collected =
                unfinished_body(&budget, text.len()).receive(&mut body, NO_MINIMUM_RATE).await.unwrap();
            assert!(collected.bytes == text, "frames of {frame_length} bytes");
            assert_eq!(budget.reserved_bytes(), text.len());
        }
        assert_eq!(budget.reserved_bytes(), 0);
    }

    #[tokio::test]
    async fn bodies_beyond_a_megabyte_are_files_and_one_at_a_time_is_in_memory() {
        let (budget, mib) = (new_budget(), MAX_BLOCKS_IN_MEMORY * BLOCK_BYTES);
        let text: Vec<u8> = (0..3 * mib).map(|index| u8::try_from(index % 251).unwrap()).collect();
        let send = |length: usize, folder: PathBuf| {
            let sender = Sender { ip: [203, 0, 113, 1].into(), is_signed_in: true };
            let unfinished_body =
                UnfinishedBody::new(3 * mib, length, budget.reserve_body(sender, 0).unwrap(), folder);
            let mut body = Body::from(text[..length].to_vec());
            async move { unfinished_body.receive(&mut body, NO_MINIMUM_RATE).await }
        };
        let missing_folder = PathBuf::from("/nowhere/at/all");
        assert!(send(mib, missing_folder.clone()).await.is_ok());
        assert_eq!(send(mib + 1, missing_folder).await.unwrap_err(), BodyError::FileError);
        let first = send(3 * mib, std::env::temp_dir()).await.unwrap();
        assert!(first.bytes == text);
        let mut second = std::pin::pin!(send(mib + 1, std::env::temp_dir()));
        let early_result = timeout(Duration::from_millis(50), second.as_mut()).await;
        assert!(early_result.is_err(), "the second large body must wait");
        drop(first);
        assert!(second.await.unwrap().bytes == text[..=mib]);
        assert_eq!(budget.reserved_bytes(), 0);
    }

    #[tokio::test]
    async fn rejects_a_growing_body_beyond_the_limit_of_its_address() {
        let limits = Limits { body_bytes: 4_096, public_bodies_bytes: 32 * 1024, ..Limits::default() };
        let budget = Arc::new(BodyBudget::new(&limits));
        let large_result = unfinished_body(&budget, 1 << 20)
            .receive(&mut Body::from(vec![b'x'; 8_192]), NO_MINIMUM_RATE)
            .await;
        assert_eq!(large_result.unwrap_err(), BodyError::AddressLimitReached);
        assert_eq!(budget.reserved_bytes(), 0);
    }
}
