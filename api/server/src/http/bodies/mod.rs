//! Collects request bodies. Every frame is copied, because a frame holds the whole read buffer that it was cut from (8 KiB for a
//! body that arrives byte by byte). The copy grows within the endpoint's limit and within a budget of the process. A body above
//! a megabyte is a file until it is complete, and one such body at a time is in memory. A body that arrives too slowly is
//! refused, and the memory of its decoded values is reserved before it is parsed. This module never parses a body.

mod budget;
mod linger;
mod rate;
mod spool;
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

use crate::metrics::BODIES_REFUSED;
use budget::BudgetRefusal;
use panel_platform::config::{Config, Limits};
use rate::{MinimumRate, RateDecision};
use spool::Spool;

pub use budget::BodyBudget;
pub(crate) use budget::{Reservation, Sender};

/// The smallest buffer of a body, in bytes.
const MIN_BUFFER_BYTES: usize = 1024;
/// The largest buffer of an unfinished body, in bytes; longer bodies have several. Buffers that double up to a megabyte would
/// use several times their reservation, because the allocator keeps freed memory of each size for a while.
const BLOCK_BYTES: usize = 16 * 1024;
/// Blocks of an unfinished body in memory; a longer body becomes a file. Bodies without images are shorter.
const BLOCKS_IN_MEMORY: usize = 64;
/// How long a large body waits in its file for the large bodies before it, each of which is decoded within a second or two.
const LARGE_BODY_TIMEOUT: Duration = Duration::from_secs(20);
/// The `Retry-After` of a refused caller: most bodies are complete within a second or refused soon after the grace period.
const RETRY_AFTER_SECS: u64 = 5;

#[derive(Debug)]
pub(crate) struct CollectedBody {
    pub(crate) bytes: Bytes,
    /// Held until the response, because the parsed body uses as much memory; `None` for an empty body.
    pub(crate) reservation: Option<Reservation>,
}

/// Collects a body of at most `limit` bytes.
pub(crate) async fn collect(
    budget: &Arc<BodyBudget>,
    config: &Config,
    head: &Parts,
    mut body: Body,
    sender: Sender,
    limit: usize,
) -> Result<CollectedBody> {
    let declared = declared_length(&head.headers);
    let limits = &config.limits;
    if declared.is_some_and(|length| length > limit) {
        linger::drain(&head.headers, body);
        return Err(BodyError::TooLarge.into_error(limits, limit));
    }
    if body.is_end_stream() {
        return Ok(CollectedBody { bytes: Bytes::new(), reservation: None });
    }
    let rate = MinimumRate {
        grace: Duration::from_secs(limits.body_grace_seconds),
        bytes_per_second: limits.body_bytes_per_second,
    };
    let expected_bytes = declared.unwrap_or(limit);
    let reservation = budget.begin(sender, head_bytes(head)).map_err(BodyError::from);
    let receive_result = match reservation {
        Ok(reservation) => {
            let folder = config.data_dir.clone();
            UnfinishedBody::new(limit, expected_bytes, reservation, folder).receive(&mut body, rate).await
        }
        Err(error) => Err(error),
    };
    let mut collected = receive_result.map_err(|error| {
        linger::drain(&head.headers, body);
        error.into_error(limits, limit)
    })?;
    let decoded_bytes = values::decoded_bytes(&head.headers, &collected.bytes, sender.is_signed_in)?;
    if let Some(reservation) = &mut collected.reservation {
        let grow_result = reservation.grow(decoded_bytes).map_err(BodyError::from);
        grow_result.map_err(|error| error.into_error(limits, limit))?;
    }
    Ok(collected)
}

/// The reason why a body was refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum BodyError {
    /// The address has reached its limit of bodies or bytes.
    Address,
    /// The budget is used up.
    Full,
    TooSlow,
    TooLarge,
    /// The file of a large body cannot be written or read.
    FileError,
    /// The connection broke, or the bytes were no valid HTTP.
    Interrupted,
}

impl From<BudgetRefusal> for BodyError {
    fn from(refusal: BudgetRefusal) -> Self {
        match refusal {
            BudgetRefusal::Address => Self::Address,
            BudgetRefusal::Full => Self::Full,
        }
    }
}

impl BodyError {
    /// The error for the caller. It closes the connection, because the rest of the body is not read.
    fn into_error(self, limits: &Limits, limit: usize) -> Error {
        let error = match self {
            Self::Address => {
                let message = format!(
                    "Too many request bodies arrive from your address at the same time: at most {}, with a limited part of the server's memory. Let them finish and send this request again in {RETRY_AFTER_SECS} seconds.",
                    limits.bodies_per_address
                );
                count_refusal("address");
                Error::rejected(RejectionKind::TooManyRequests, "too_many_bodies", message)
                    .retry_after_secs(RETRY_AFTER_SECS)
            }
            Self::Full => {
                let message = format!(
                    "The server has no memory for more request bodies. Send this request again in {RETRY_AFTER_SECS} seconds."
                );
                count_refusal("full");
                Error::rejected(RejectionKind::Unavailable, "bodies_full", message)
                    .retry_after_secs(RETRY_AFTER_SECS)
            }
            Self::TooSlow => {
                let rate = limits.body_bytes_per_second;
                let message =
                    format!("The request body arrived too slowly. Send at least {rate} bytes per second.");
                count_refusal("slow");
                Error::rejected(RejectionKind::RequestTimeout, "body_too_slow", message)
            }
            Self::TooLarge => {
                let message = format!("The request body is too large. Send at most {limit} bytes.");
                Error::rejected(RejectionKind::TooLarge, "payload_too_large", message)
            }
            Self::FileError => {
                count_refusal("file");
                return Error::Internal("a request body cannot be written to data_dir".into())
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

fn count_refusal(reason: &'static str) {
    BODIES_REFUSED.with_labels([reason]).increment(1);
}

/// A body that is still being received.
struct UnfinishedBody {
    /// The beginning of a large body, before the blocks.
    spool: Option<Spool>,
    folder: PathBuf,
    /// Full blocks, then the buffer that is being filled.
    blocks: Vec<Vec<u8>>,
    buffer: Vec<u8>,
    received: usize,
    limit: usize,
    /// The length that the client announced, or the limit, in bytes: the buffers together are not larger.
    expected_bytes: usize,
    reservation: Reservation,
}

impl UnfinishedBody {
    fn new(limit: usize, expected_bytes: usize, reservation: Reservation, folder: PathBuf) -> Self {
        Self {
            spool: None,
            folder,
            blocks: Vec::new(),
            buffer: Vec::new(),
            received: 0,
            limit,
            expected_bytes,
            reservation,
        }
    }

    async fn receive(mut self, body: &mut Body, rate: MinimumRate) -> Result<CollectedBody, BodyError> {
        let started = Instant::now();
        loop {
            let RateDecision::Wait(wait_time) = rate.decide(self.received, started.elapsed()) else {
                return Err(BodyError::TooSlow);
            };
            match timeout(wait_time, body.frame()).await {
                // No frame in time: decide again with the elapsed time.
                Err(_) => {}
                Ok(None) => break,
                Ok(Some(Err(_))) => return Err(BodyError::Interrupted),
                // Trailers are ignored.
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
        if self.received + data.len() > self.limit {
            return Err(BodyError::TooLarge);
        }
        let mut remaining = data;
        while !remaining.is_empty() {
            if self.buffer.len() == BLOCK_BYTES {
                self.blocks.push(std::mem::take(&mut self.buffer));
                if self.blocks.len() == BLOCKS_IN_MEMORY {
                    self.write_blocks().await?;
                }
            }
            let (part, next) = remaining.split_at(remaining.len().min(BLOCK_BYTES - self.buffer.len()));
            self.reserve_buffer(part.len())?;
            self.buffer.extend_from_slice(part);
            self.received += part.len();
            remaining = next;
        }
        Ok(())
    }

    /// Reserves memory before it is allocated.
    fn reserve_buffer(&mut self, bytes: usize) -> Result<(), BodyError> {
        let length = self.buffer.len() + bytes;
        let expected_bytes = self.expected_bytes.saturating_sub(self.received - self.buffer.len());
        let capacity = capacity_for(length, expected_bytes);
        if capacity > self.buffer.capacity() {
            self.reservation.grow(capacity - self.buffer.capacity())?;
            self.buffer.reserve_exact(capacity - self.buffer.len());
        }
        Ok(())
    }

    /// Moves the blocks to the file. They stay reserved, so that the budget bounds the disk space as well.
    async fn write_blocks(&mut self) -> Result<(), BodyError> {
        let spool = match self.spool.take() {
            Some(spool) => spool,
            None => Spool::create(self.folder.clone()).await.map_err(log_file_error)?,
        };
        self.spool = Some(spool.write(std::mem::take(&mut self.blocks)).await.map_err(log_file_error)?);
        Ok(())
    }

    async fn finish(mut self) -> Result<CollectedBody, BodyError> {
        self.reservation.finish();
        if self.spool.is_none() {
            return Ok(self.join());
        }
        let remaining = std::mem::take(&mut self.buffer);
        self.blocks.push(remaining);
        self.write_blocks().await?;
        let wait_result = timeout(LARGE_BODY_TIMEOUT, self.reservation.wait_for_large_body_turn()).await;
        wait_result.map_err(|_| BodyError::Full)?;
        let bytes = match self.spool.take() {
            Some(spool) => spool.read().await.map_err(log_file_error)?,
            None => Vec::new(),
        };
        Ok(CollectedBody { bytes: bytes.into(), reservation: Some(self.reservation) })
    }

    /// Joins the blocks. A body of several blocks is in memory twice for this moment, which has no `await`.
    fn join(self) -> CollectedBody {
        let reservation = Some(self.reservation);
        if self.blocks.is_empty() {
            return CollectedBody { bytes: self.buffer.into(), reservation };
        }
        let mut bytes = Vec::with_capacity(self.received);
        for block in self.blocks.into_iter().chain([self.buffer]) {
            bytes.extend_from_slice(&block);
        }
        CollectedBody { bytes: bytes.into(), reservation }
    }
}

#[expect(clippy::needless_pass_by_value, reason = "for map_err")]
fn log_file_error(error: std::io::Error) -> BodyError {
    tracing::error!(%error, "failed to store a large request body in data_dir");
    BodyError::FileError
}

/// The capacity of a buffer for `length` bytes, at most a block: it doubles, but not beyond `expected_bytes` while that is enough.
fn capacity_for(length: usize, expected_bytes: usize) -> usize {
    length.next_power_of_two().max(MIN_BUFFER_BYTES).min(expected_bytes).max(length)
}

/// The memory of a request head in bytes: at least its URL and its headers.
fn head_bytes(head: &Parts) -> usize {
    let address = head.uri.path_and_query().map_or(0, |text| text.as_str().len());
    head.headers.iter().map(|(name, value)| name.as_str().len() + value.len()).sum::<usize>() + address
}

fn declared_length(headers: &HeaderMap) -> Option<usize> {
    headers.get(header::CONTENT_LENGTH)?.to_str().ok()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicUsize, Ordering};

    use futures_util::{StreamExt as _, stream};

    use super::*;
    use panel_platform::config::OVERHEAD_BYTES;

    const NO_MINIMUM: MinimumRate = MinimumRate { grace: Duration::from_secs(3_600), bytes_per_second: 1 };

    fn unfinished(budget: &Arc<BodyBudget>, limit: usize) -> UnfinishedBody {
        let sender = Sender { ip: [203, 0, 113, 1].into(), is_signed_in: false };
        let reservation = budget.begin(sender, 0).unwrap();
        UnfinishedBody::new(limit, limit, reservation, std::env::temp_dir())
    }

    fn budget() -> Arc<BodyBudget> {
        Arc::new(BodyBudget::new(&Limits::default()))
    }

    /// A frame of one byte. The counter shows how many frames are alive, because a real frame holds a whole read buffer.
    struct Frame(Arc<AtomicUsize>);

    impl AsRef<[u8]> for Frame {
        fn as_ref(&self) -> &[u8] {
            b"x"
        }
    }

    impl Drop for Frame {
        fn drop(&mut self) {
            self.0.fetch_sub(1, Ordering::SeqCst);
        }
    }

    #[test]
    fn buffers_double_up_to_the_expected_length() {
        let sizes = [1, 1_024, 1_025, 7_000, BLOCK_BYTES].map(|length| capacity_for(length, 1_000_000));
        assert_eq!(sizes, [1_024, 1_024, 2_048, 8_192, BLOCK_BYTES]);
        assert_eq!(capacity_for(9_000, 10_000), 10_000);
        assert_eq!(capacity_for(1, 7), 7, "not larger than the announced length");
        assert_eq!(capacity_for(9, 7), 9, "larger than the announced length if more bytes arrive");
    }

    #[tokio::test]
    async fn each_frame_is_dropped_before_the_next() {
        let (alive, budget) = (Arc::new(AtomicUsize::new(0)), budget());
        let highest = Arc::new(AtomicUsize::new(0));
        let (counted, peak, reserved) = (Arc::clone(&alive), Arc::clone(&highest), Arc::clone(&budget));
        let frames = stream::iter(0..5_000).map(move |_| {
            let now = counted.fetch_add(1, Ordering::SeqCst) + 1;
            peak.fetch_max(now, Ordering::SeqCst);
            assert!(reserved.reserved() <= OVERHEAD_BYTES + 8_192, "{}", reserved.reserved());
            Ok::<_, std::convert::Infallible>(Bytes::from_owner(Frame(Arc::clone(&counted))))
        });
        let collected =
            unfinished(&budget, 1 << 20).receive(&mut Body::from_stream(frames), NO_MINIMUM).await.unwrap();
        assert_eq!(collected.bytes, "x".repeat(5_000));
        assert_eq!((alive.load(Ordering::SeqCst), highest.load(Ordering::SeqCst)), (0, 1));
        assert_eq!(budget.reserved(), 8_192, "the body stays reserved, its overhead does not");
        drop(collected);
        assert_eq!(budget.reserved(), 0);
    }

    #[tokio::test]
    async fn a_body_that_stops_is_too_slow_and_releases_its_memory() {
        let budget = budget();
        let first = stream::iter([Ok::<_, std::convert::Infallible>("{")]);
        let rate = MinimumRate { grace: Duration::from_millis(1), bytes_per_second: 1_000 };
        let mut body = Body::from_stream(first.chain(stream::pending()));
        assert_eq!(unfinished(&budget, 100).receive(&mut body, rate).await.unwrap_err(), BodyError::TooSlow);
        assert_eq!(budget.reserved(), 0);
    }

    #[tokio::test]
    async fn accepts_a_body_at_the_limit_and_refuses_one_byte_more() {
        let budget = budget();
        let collected =
            unfinished(&budget, 3_000).receive(&mut Body::from(vec![b'x'; 3_000]), NO_MINIMUM).await.unwrap();
        assert_eq!((collected.bytes.len(), budget.reserved()), (3_000, 3_000));
        let too_large =
            unfinished(&budget, 3_000).receive(&mut Body::from(vec![b'x'; 3_001]), NO_MINIMUM).await;
        assert_eq!(too_large.unwrap_err(), BodyError::TooLarge);
        assert_eq!(budget.reserved(), 3_000);
    }

    #[tokio::test]
    async fn long_bodies_are_whole_and_in_order() {
        let budget = budget();
        let text: Vec<u8> = (0..100_003_u32).map(|index| u8::try_from(index % 251).unwrap()).collect();
        for size in [1, 7_000, BLOCK_BYTES, 50_000] {
            let frames: Vec<_> = text.chunks(size).map(<[u8]>::to_vec).collect();
            let frames = frames.into_iter().map(Ok::<_, std::convert::Infallible>);
            let mut body = Body::from_stream(stream::iter(frames));
            let collected = unfinished(&budget, text.len()).receive(&mut body, NO_MINIMUM).await.unwrap();
            assert!(collected.bytes == text, "in frames of {size}");
            assert_eq!(budget.reserved(), text.len());
        }
        assert_eq!(budget.reserved(), 0);
    }

    #[tokio::test]
    async fn bodies_beyond_a_megabyte_are_files_and_one_at_a_time_is_in_memory() {
        let (budget, mib) = (budget(), BLOCKS_IN_MEMORY * BLOCK_BYTES);
        let text: Vec<u8> = (0..3 * mib).map(|index| u8::try_from(index % 251).unwrap()).collect();
        let send = |length: usize, folder: PathBuf| {
            let sender = Sender { ip: [203, 0, 113, 1].into(), is_signed_in: true };
            let unfinished = UnfinishedBody::new(3 * mib, length, budget.begin(sender, 0).unwrap(), folder);
            let mut body = Body::from(text[..length].to_vec());
            async move { unfinished.receive(&mut body, NO_MINIMUM).await }
        };
        let missing_folder = PathBuf::from("/nowhere/at/all");
        assert!(send(mib, missing_folder.clone()).await.is_ok());
        assert_eq!(send(mib + 1, missing_folder).await.unwrap_err(), BodyError::FileError);
        let first = send(3 * mib, std::env::temp_dir()).await.unwrap();
        assert!(first.bytes == text);
        let mut second = std::pin::pin!(send(mib + 1, std::env::temp_dir()));
        let early_result = timeout(Duration::from_millis(50), second.as_mut()).await;
        assert!(early_result.is_err(), "one large body is in memory");
        drop(first);
        assert!(second.await.unwrap().bytes == text[..=mib]);
        assert_eq!(budget.reserved(), 0);
    }

    #[tokio::test]
    async fn refuses_a_growing_body_beyond_the_share_of_its_address() {
        let limits = Limits { body_bytes: 4_096, public_bodies_bytes: 32 * 1024, ..Limits::default() };
        let budget = Arc::new(BodyBudget::new(&limits));
        let large =
            unfinished(&budget, 1 << 20).receive(&mut Body::from(vec![b'x'; 8_192]), NO_MINIMUM).await;
        assert_eq!(large.unwrap_err(), BodyError::Address);
        assert_eq!(budget.reserved(), 0);
    }
}
