//! Collecting the bodies of requests. Every frame is copied, because a frame keeps the whole read buffer that it was cut
//! from (8 KiB for a body that comes byte by byte). The copy grows within the endpoint's limit and within a budget of the
//! whole process; beyond a megabyte it is a file, and of such bodies one at a time is in memory. A body that comes too
//! slowly is cut off, and a whole one is asked how much it takes once it is decoded. Nothing here knows what a body means.

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
use rate::{MinimumRate, RateVerdict};
use spool::Spool;

pub use budget::BodyBudget;
pub(crate) use budget::{Reservation, Sender};

/// The smallest buffer of a body, in bytes.
const SMALLEST_BUFFER: usize = 1024;
/// The largest buffer of an unfinished body, in bytes; longer bodies have several. Buffers that doubled up to a megabyte
/// took several times their reservation, as the allocator keeps freed memory of each size for a while.
const BLOCK_BYTES: usize = 16 * 1024;
/// Blocks of an unfinished body in memory; what comes beyond them makes it a file. Bodies without images have no more.
const BLOCKS_IN_MEMORY: usize = 64;
/// How long a large body waits in its file for those before it, which are decoded within a second or two.
const LONGEST_TURN: Duration = Duration::from_secs(20);
/// What a refused caller waits: most bodies are whole within a second or cut off soon after the grace.
const RETRY_AFTER_SECS: u64 = 5;

/// A whole body.
#[derive(Debug)]
pub(crate) struct Collected {
    pub(crate) bytes: Bytes,
    /// Kept until the request is answered, as what is read from the body takes its memory next; none for an empty body.
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
) -> Result<Collected> {
    let declared = declared_length(&head.headers);
    let limits = &config.limits;
    if declared.is_some_and(|length| length > limit) {
        linger::drain(&head.headers, body);
        return Err(BodyError::TooLarge.into_error(limits, limit));
    }
    if body.is_end_stream() {
        return Ok(Collected { bytes: Bytes::new(), reservation: None });
    }
    let rate = MinimumRate {
        grace: Duration::from_secs(limits.body_grace_seconds),
        bytes_per_second: limits.body_bytes_per_second,
    };
    let likely = declared.unwrap_or(limit);
    let begun = budget.begin(sender, head_bytes(head)).map_err(BodyError::from);
    let received = match begun {
        Ok(reservation) => {
            let folder = config.data_dir.clone();
            Unfinished::new(limit, likely, reservation, folder).receive(&mut body, rate).await
        }
        Err(error) => Err(error),
    };
    let mut collected = received.map_err(|error| {
        linger::drain(&head.headers, body);
        error.into_error(limits, limit)
    })?;
    let memory = values::decoded_bytes(&head.headers, &collected.bytes, sender.is_signed_in)?;
    if let Some(reservation) = &mut collected.reservation {
        let grown = reservation.grow(memory).map_err(BodyError::from);
        grown.map_err(|error| error.into_error(limits, limit))?;
    }
    Ok(collected)
}

/// Why a body was not collected.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum BodyError {
    /// The address sends or holds as much as it may.
    Address,
    /// The budget is used up.
    Full,
    TooSlow,
    TooLarge,
    /// The file of a large body cannot be written.
    NoFile,
    /// The connection broke, or what came is no HTTP.
    BrokenOff,
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
    /// What the caller reads. The connection ends with it, as the rest of the body is not read.
    fn into_error(self, limits: &Limits, limit: usize) -> Error {
        let error = match self {
            Self::Address => {
                let message = format!(
                    "Your address sends too many request bodies at the same time (at most {}, and only a share of the server's memory). Let them finish and send this one again in {RETRY_AFTER_SECS} seconds.",
                    limits.bodies_per_address
                );
                refused("address");
                Error::rejected(RejectionKind::TooManyRequests, "too_many_bodies", message)
                    .retry_after_secs(RETRY_AFTER_SECS)
            }
            Self::Full => {
                let message = format!(
                    "The server receives as many request bodies as its memory allows; send this one again in {RETRY_AFTER_SECS} seconds."
                );
                refused("full");
                Error::rejected(RejectionKind::Unavailable, "bodies_full", message)
                    .retry_after_secs(RETRY_AFTER_SECS)
            }
            Self::TooSlow => {
                let rate = limits.body_bytes_per_second;
                let message =
                    format!("The request body arrives too slowly: send at least {rate} bytes a second.");
                refused("slow");
                Error::rejected(RejectionKind::RequestTimeout, "body_too_slow", message)
            }
            Self::TooLarge => {
                let message = format!("The body is too large: send at most {limit} bytes.");
                Error::rejected(RejectionKind::TooLarge, "payload_too_large", message)
            }
            Self::NoFile => {
                refused("file");
                return Error::Fault("a request body cannot be written to data_dir".into())
                    .closing_connection();
            }
            Self::BrokenOff => {
                let message = "The body ended before its end; send it again.";
                Error::rejected(RejectionKind::Malformed, "body_unreadable", message)
            }
        };
        error.closing_connection()
    }
}

fn refused(reason: &'static str) {
    BODIES_REFUSED.with([reason]).increment(1);
}

/// A body that is still being received.
struct Unfinished {
    /// What came before the blocks, of a large body.
    spool: Option<Spool>,
    folder: PathBuf,
    /// Full blocks, then the buffer that is being filled.
    blocks: Vec<Vec<u8>>,
    buffer: Vec<u8>,
    received: usize,
    limit: usize,
    /// The length that the client announced, or the limit: the buffers together are not larger.
    likely: usize,
    reservation: Reservation,
}

impl Unfinished {
    fn new(limit: usize, likely: usize, reservation: Reservation, folder: PathBuf) -> Self {
        Self {
            spool: None,
            folder,
            blocks: Vec::new(),
            buffer: Vec::new(),
            received: 0,
            limit,
            likely,
            reservation,
        }
    }

    async fn receive(mut self, body: &mut Body, rate: MinimumRate) -> Result<Collected, BodyError> {
        let began = Instant::now();
        loop {
            let RateVerdict::Wait(left) = rate.judge(self.received, began.elapsed()) else {
                return Err(BodyError::TooSlow);
            };
            match timeout(left, body.frame()).await {
                // No frame in time: the rule is asked again, with the time that went by.
                Err(_) => {}
                Ok(None) => break,
                Ok(Some(Err(_))) => return Err(BodyError::BrokenOff),
                // Trailers are left alone.
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
        let mut rest = data;
        while !rest.is_empty() {
            if self.buffer.len() == BLOCK_BYTES {
                self.blocks.push(std::mem::take(&mut self.buffer));
                if self.blocks.len() == BLOCKS_IN_MEMORY {
                    self.write_blocks().await?;
                }
            }
            let (part, next) = rest.split_at(rest.len().min(BLOCK_BYTES - self.buffer.len()));
            self.make_room(part.len())?;
            self.buffer.extend_from_slice(part);
            self.received += part.len();
            rest = next;
        }
        Ok(())
    }

    /// Reserves memory before it is allocated.
    fn make_room(&mut self, bytes: usize) -> Result<(), BodyError> {
        let length = self.buffer.len() + bytes;
        let likely = self.likely.saturating_sub(self.received - self.buffer.len());
        let capacity = capacity_for(length, likely);
        if capacity > self.buffer.capacity() {
            self.reservation.grow(capacity - self.buffer.capacity())?;
            self.buffer.reserve_exact(capacity - self.buffer.len());
        }
        Ok(())
    }

    /// Moves the blocks to the file. They stay reserved, so that the budget bounds what is on disk as well.
    async fn write_blocks(&mut self) -> Result<(), BodyError> {
        let spool = match self.spool.take() {
            Some(spool) => spool,
            None => Spool::create(self.folder.clone()).await.map_err(no_file)?,
        };
        self.spool = Some(spool.write(std::mem::take(&mut self.blocks)).await.map_err(no_file)?);
        Ok(())
    }

    async fn finish(mut self) -> Result<Collected, BodyError> {
        self.reservation.finish();
        if self.spool.is_none() {
            return Ok(self.join());
        }
        let rest = std::mem::take(&mut self.buffer);
        self.blocks.push(rest);
        self.write_blocks().await?;
        let turn = timeout(LONGEST_TURN, self.reservation.take_turn()).await;
        turn.map_err(|_| BodyError::Full)?;
        let bytes = match self.spool.take() {
            Some(spool) => spool.read().await.map_err(no_file)?,
            None => Vec::new(),
        };
        Ok(Collected { bytes: bytes.into(), reservation: Some(self.reservation) })
    }

    /// Joins the blocks. For this moment, in which nothing is awaited, a body of several blocks is there twice.
    fn join(self) -> Collected {
        let reservation = Some(self.reservation);
        if self.blocks.is_empty() {
            return Collected { bytes: self.buffer.into(), reservation };
        }
        let mut whole = Vec::with_capacity(self.received);
        for block in self.blocks.into_iter().chain([self.buffer]) {
            whole.extend_from_slice(&block);
        }
        Collected { bytes: whole.into(), reservation }
    }
}

#[expect(clippy::needless_pass_by_value, reason = "for map_err")]
fn no_file(error: std::io::Error) -> BodyError {
    tracing::error!(%error, "failed to keep a large request body in data_dir");
    BodyError::NoFile
}

/// The size of a buffer for `length` bytes, at most a block: doubled each time, and not beyond `likely` while that is
/// enough.
fn capacity_for(length: usize, likely: usize) -> usize {
    length.next_power_of_two().max(SMALLEST_BUFFER).min(likely).max(length)
}

/// What a head takes: at least its address and its headers.
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

    const NEVER: MinimumRate = MinimumRate { grace: Duration::from_secs(3_600), bytes_per_second: 1 };

    fn unfinished(budget: &Arc<BodyBudget>, limit: usize) -> Unfinished {
        let sender = Sender { ip: [203, 0, 113, 1].into(), is_signed_in: false };
        let reservation = budget.begin(sender, 0).unwrap();
        Unfinished::new(limit, limit, reservation, std::env::temp_dir())
    }

    fn budget() -> Arc<BodyBudget> {
        Arc::new(BodyBudget::new(&Limits::default()))
    }

    /// One byte that stands for the read buffer it was cut from: counted while it lives.
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
    fn buffers_double_up_to_what_is_likely() {
        let sizes = [1, 1_024, 1_025, 7_000, BLOCK_BYTES].map(|length| capacity_for(length, 1_000_000));
        assert_eq!(sizes, [1_024, 1_024, 2_048, 8_192, BLOCK_BYTES]);
        assert_eq!(capacity_for(9_000, 10_000), 10_000);
        assert_eq!(capacity_for(1, 7), 7, "no more than is announced");
        assert_eq!(capacity_for(9, 7), 9, "an announcement may be wrong");
    }

    #[tokio::test]
    async fn no_frame_outlives_the_next() {
        let (alive, budget) = (Arc::new(AtomicUsize::new(0)), budget());
        let most = Arc::new(AtomicUsize::new(0));
        let (counted, peak, seen) = (Arc::clone(&alive), Arc::clone(&most), Arc::clone(&budget));
        let frames = stream::iter(0..5_000).map(move |_| {
            let now = counted.fetch_add(1, Ordering::SeqCst) + 1;
            peak.fetch_max(now, Ordering::SeqCst);
            assert!(seen.reserved() <= OVERHEAD_BYTES + 8_192, "{}", seen.reserved());
            Ok::<_, std::convert::Infallible>(Bytes::from_owner(Frame(Arc::clone(&counted))))
        });
        let collected =
            unfinished(&budget, 1 << 20).receive(&mut Body::from_stream(frames), NEVER).await.unwrap();
        assert_eq!(collected.bytes, "x".repeat(5_000));
        assert_eq!((alive.load(Ordering::SeqCst), most.load(Ordering::SeqCst)), (0, 1));
        assert_eq!(budget.reserved(), 8_192, "the body stays reserved, its overhead does not");
        drop(collected);
        assert_eq!(budget.reserved(), 0);
    }

    #[tokio::test]
    async fn a_body_that_stops_is_too_slow_and_frees_what_it_held() {
        let budget = budget();
        let first = stream::iter([Ok::<_, std::convert::Infallible>("{")]);
        let rate = MinimumRate { grace: Duration::from_millis(1), bytes_per_second: 1_000 };
        let mut body = Body::from_stream(first.chain(stream::pending()));
        assert_eq!(unfinished(&budget, 100).receive(&mut body, rate).await.unwrap_err(), BodyError::TooSlow);
        assert_eq!(budget.reserved(), 0);
    }

    #[tokio::test]
    async fn the_last_byte_of_the_limit_is_taken_and_one_more_is_not() {
        let budget = budget();
        let whole =
            unfinished(&budget, 3_000).receive(&mut Body::from(vec![b'x'; 3_000]), NEVER).await.unwrap();
        assert_eq!((whole.bytes.len(), budget.reserved()), (3_000, 3_000));
        let more = unfinished(&budget, 3_000).receive(&mut Body::from(vec![b'x'; 3_001]), NEVER).await;
        assert_eq!(more.unwrap_err(), BodyError::TooLarge);
        assert_eq!(budget.reserved(), 3_000);
    }

    #[tokio::test]
    async fn long_bodies_are_whole_and_in_order() {
        let budget = budget();
        let text: Vec<u8> = (0..100_003_u32).map(|at| u8::try_from(at % 251).unwrap()).collect();
        for size in [1, 7_000, BLOCK_BYTES, 50_000] {
            let frames: Vec<_> = text.chunks(size).map(<[u8]>::to_vec).collect();
            let frames = frames.into_iter().map(Ok::<_, std::convert::Infallible>);
            let mut body = Body::from_stream(stream::iter(frames));
            let whole = unfinished(&budget, text.len()).receive(&mut body, NEVER).await.unwrap();
            assert!(whole.bytes == text, "in frames of {size}");
            assert_eq!(budget.reserved(), text.len());
        }
        assert_eq!(budget.reserved(), 0);
    }

    #[tokio::test]
    async fn beyond_a_megabyte_a_body_is_a_file_and_one_of_them_in_memory() {
        let (budget, mib) = (budget(), BLOCKS_IN_MEMORY * BLOCK_BYTES);
        let text: Vec<u8> = (0..3 * mib).map(|at| u8::try_from(at % 251).unwrap()).collect();
        let send = |length: usize, folder: PathBuf| {
            let sender = Sender { ip: [203, 0, 113, 1].into(), is_signed_in: true };
            let unfinished = Unfinished::new(3 * mib, length, budget.begin(sender, 0).unwrap(), folder);
            let mut body = Body::from(text[..length].to_vec());
            async move { unfinished.receive(&mut body, NEVER).await }
        };
        let nowhere = PathBuf::from("/nowhere/at/all");
        assert!(send(mib, nowhere.clone()).await.is_ok());
        assert_eq!(send(mib + 1, nowhere).await.unwrap_err(), BodyError::NoFile);
        let first = send(3 * mib, std::env::temp_dir()).await.unwrap();
        assert!(first.bytes == text);
        let mut second = std::pin::pin!(send(mib + 1, std::env::temp_dir()));
        let too_soon = timeout(Duration::from_millis(50), second.as_mut()).await;
        assert!(too_soon.is_err(), "one large body is in memory");
        drop(first);
        assert!(second.await.unwrap().bytes == text[..=mib]);
        assert_eq!(budget.reserved(), 0);
    }

    #[tokio::test]
    async fn a_body_beyond_the_share_of_its_address_is_refused_as_it_grows() {
        let limits = Limits { body_bytes: 4_096, public_bodies_bytes: 32 * 1024, ..Limits::default() };
        let budget = Arc::new(BodyBudget::new(&limits));
        let large = unfinished(&budget, 1 << 20).receive(&mut Body::from(vec![b'x'; 8_192]), NEVER).await;
        assert_eq!(large.unwrap_err(), BodyError::Address);
        assert_eq!(budget.reserved(), 0);
    }
}
