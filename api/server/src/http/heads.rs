//! The stream of one connection. It counts the bytes of unfinished request heads within the budget of request bodies,
//! because their sender is not authenticated yet, and refuses heads that are too long. It fails when the client stops reading
//! the response. It never parses the bytes.

use std::io::{Error, ErrorKind, IoSlice, Result};
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, ready};

use axum::http::Request;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;

use crate::http::bodies::{BodyBudget, Reservation, Sender};
use crate::http::shutdown::LingeringClose;
use crate::http::writes::StallTimer;
use crate::metrics::CONNECTIONS_CLOSED;

/// Longest request head in bytes, URL and headers together: forty columns of DataTables take 10 KiB.
pub(crate) const MAX_HEAD_BYTES: usize = 32 * 1024;
/// The limit of hyper's buffer in bytes: two reads more than `MAX_HEAD_BYTES`, so that this stream refuses a long head first.
pub(crate) const BUFFER_BYTES: usize = MAX_HEAD_BYTES + 16 * 1024;
/// The message for a client whose request head is too long.
pub(crate) const HEAD_TOO_LONG_MESSAGE: &str =
    "The URL and the headers are longer than 32 KiB together. Shorten the URL or send fewer headers.";
/// Largest read, in bytes. A read that fills hyper's first buffer of 8 KiB makes hyper double the next one, up to
/// [`BUFFER_BYTES`], for each connection that sends fast. No budget counts that memory.
const READ_BYTES: usize = 8 * 1024 - 1;
/// How many bytes of a refused head are read and dropped, so that the client reads the response before the connection is reset.
const MAX_DRAINED_BYTES: usize = 512 * 1024;
/// How many bytes of a head every connection may send without a reservation: browsers send one to two kilobytes. With the
/// default `limits.connections`, up to 4 MB are outside of the budget.
const UNRESERVED_BYTES: usize = 4 * 1024;
/// Longer heads are reserved in steps of this many bytes.
const RESERVATION_STEP_BYTES: usize = 16 * 1024;

/// Counts the bytes that one connection has sent of its next request head.
#[derive(Debug, Clone)]
pub(crate) struct HeadMeter(Arc<Mutex<HeadCount>>);

#[derive(Debug)]
struct HeadCount {
    /// False while a request runs, because `bodies` counts its body, and forever after an upgrade.
    is_counting: bool,
    received: usize,
    reserved: usize,
    reservation: Reservation,
}

impl HeadMeter {
    pub(crate) fn new(budget: &Arc<BodyBudget>, sender: Sender) -> Self {
        let reservation = budget.empty_reservation(sender);
        Self(Arc::new(Mutex::new(HeadCount { is_counting: true, received: 0, reserved: 0, reservation })))
    }

    /// Stops counting when a head is complete: from then on the request accounts for the memory.
    pub(crate) fn pause(&self) {
        let mut head_count = self.lock();
        head_count.is_counting = false;
        head_count.received = 0;
        head_count.reserved = 0;
        head_count.reservation.clear();
    }

    /// Counts again when the response is complete, because the next head may arrive.
    pub(crate) fn resume(&self) {
        self.lock().is_counting = true;
    }

    /// Counts bytes that were read. Returns false if the unfinished head had already reached the maximum length.
    ///
    /// # Errors
    /// When the budget has no room for the bytes.
    fn count(&self, bytes: usize) -> Result<bool> {
        let mut head_count = self.lock();
        if !head_count.is_counting {
            return Ok(true);
        }
        if head_count.received >= MAX_HEAD_BYTES {
            return Ok(false);
        }
        head_count.received = head_count.received.saturating_add(bytes);
        let needed_bytes = match head_count.received {
            received if received <= UNRESERVED_BYTES => 0,
            received => received.next_multiple_of(RESERVATION_STEP_BYTES),
        };
        if needed_bytes > head_count.reserved {
            let additional_bytes = needed_bytes - head_count.reserved;
            let to_io_error = |_| Error::other("unfinished request heads reached their memory limit");
            head_count.reservation.grow(additional_bytes).map_err(to_io_error)?;
            head_count.reserved = needed_bytes;
        }
        Ok(true)
    }

    fn lock(&self) -> MutexGuard<'_, HeadCount> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A stream whose request heads are counted. When the budget is used up, reading fails and the connection ends.
#[derive(Debug)]
pub(crate) struct MeteredStream {
    /// `None` once the stream is dropped.
    stream: Option<TcpStream>,
    meter: HeadMeter,
    stall_timer: StallTimer,
    lingering_close: LingeringClose,
    /// The number of dropped bytes of a refused head; `None` if no head was refused.
    drained_bytes: Option<usize>,
}

impl MeteredStream {
    pub(crate) fn new(
        stream: TcpStream,
        meter: HeadMeter,
        stall_timer: StallTimer,
        lingering_close: LingeringClose,
    ) -> Self {
        Self { stream: Some(stream), meter, stall_timer, lingering_close, drained_bytes: None }
    }

    fn stream(&mut self) -> Result<&mut TcpStream> {
        self.stream.as_mut().ok_or_else(|| Error::from(ErrorKind::NotConnected))
    }

    /// Writes the response to a head that is too long. hyper has no request yet, and its own response has no body.
    fn refuse(&mut self) {
        CONNECTIONS_CLOSED.with_labels(["head"]).increment(1);
        let body = serde_json::json!({ "message": HEAD_TOO_LONG_MESSAGE, "code": "request_head_too_long" })
            .to_string();
        let response = format!(
            "HTTP/1.1 431 Request Header Fields Too Large\r\ncontent-type: application/json\r\nconnection: close\r\ncontent-length: {}\r\n\r\n{body}",
            body.len()
        );
        if let Ok(stream) = self.stream() {
            drop(stream.try_write(response.as_bytes()));
        }
        self.drained_bytes = Some(0);
    }

    /// Counts dropped bytes of a refused head. Returns false at the limit or at the end of the stream.
    fn drain(&mut self, bytes: usize) -> bool {
        let drained_bytes = self.drained_bytes.unwrap_or(0).saturating_add(bytes);
        self.drained_bytes = Some(drained_bytes);
        bytes > 0 && drained_bytes <= MAX_DRAINED_BYTES
    }
}

impl Drop for MeteredStream {
    fn drop(&mut self) {
        if let Some(stream) = self.stream.take() {
            self.lingering_close.close(stream);
        }
    }
}

/// The length of a request head in bytes, measured before the server adds headers to the request.
#[derive(Debug, Clone, Copy)]
pub(crate) struct HeadLength(pub(crate) usize);

impl HeadLength {
    /// The request line, the headers and the empty line after them.
    pub(crate) fn of<B>(request: &Request<B>) -> Self {
        let target = request.uri().path_and_query().map_or(0, |target| target.as_str().len());
        let line = request.method().as_str().len() + target + "  HTTP/1.1\r\n\r\n".len();
        let headers = request.headers().iter();
        Self(
            headers.fold(line, |sum, (name, value)| sum + name.as_str().len() + value.len() + ": \r\n".len()),
        )
    }
}

impl AsyncRead for MeteredStream {
    fn poll_read(mut self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &mut ReadBuf<'_>) -> Poll<Result<()>> {
        // Read into a buffer on the stack: hyper's own buffer must be filled with zeros before it can be used here, and then the
        // system backs all of it by memory, even for connections that send a few bytes or nfirst_meter.
        let mut buffer = [0; READ_BYTES];
        let buffer = &mut buffer[..buf.remaining().min(READ_BYTES)];
        loop {
            let stream = self.stream()?;
            ready!(stream.poll_read_ready(cx))?;
            match stream.try_read(buffer) {
                Ok(bytes_read) if self.drained_bytes.is_some() => {
                    if !self.drain(bytes_read) {
                        return Poll::Ready(Err(Error::other("a request head was too long")));
                    }
                }
                Ok(bytes_read) => match self.meter.count(bytes_read) {
                    Ok(true) => {
                        buf.put_slice(&buffer[..bytes_read]);
                        return Poll::Ready(Ok(()));
                    }
                    Ok(false) => self.refuse(),
                    Err(error) => return Poll::Ready(Err(error)),
                },
                Err(error) if error.kind() == ErrorKind::WouldBlock => {}
                Err(error) => return Poll::Ready(Err(error)),
            }
        }
    }
}

impl AsyncWrite for MeteredStream {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<Result<usize>> {
        let write_result = Pin::new(self.stream()?).poll_write(cx, bytes);
        self.stall_timer.observe(cx, write_result)
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Result<()>> {
        Pin::new(self.stream()?).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Result<()>> {
        Pin::new(self.stream()?).poll_shutdown(cx)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        slices: &[IoSlice<'_>],
    ) -> Poll<Result<usize>> {
        let write_result = Pin::new(self.stream()?).poll_write_vectored(cx, slices);
        self.stall_timer.observe(cx, write_result)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.as_ref().is_some_and(AsyncWrite::is_write_vectored)
    }
}

#[cfg(test)]
mod tests {
    use std::net::IpAddr;

    use super::*;
    use panel_platform::config::Limits;

    #[test]
    fn long_heads_are_reserved_until_their_request_begins() {
        let limits = Limits { body_bytes: 1024, public_bodies_bytes: 64 * 1024, ..Limits::default() };
        let budget = Arc::new(BodyBudget::new(&limits));
        let meter = |last| {
            let sender = Sender { ip: IpAddr::from([203, 0, 113, last]), is_signed_in: false };
            HeadMeter::new(&budget, sender)
        };
        let first_meter = meter(1);
        first_meter.count(UNRESERVED_BYTES).unwrap();
        assert_eq!(budget.reserved(), 0);
        first_meter.count(1).unwrap();
        assert_eq!(budget.reserved(), RESERVATION_STEP_BYTES);
        // The limit of an address is the largest body with its overhead: 17 KiB.
        assert!(first_meter.count(RESERVATION_STEP_BYTES).is_err());
        let others: Vec<_> = (2..=4).map(meter).collect();
        assert!(others.iter().all(|meter| meter.count(RESERVATION_STEP_BYTES).is_ok()));
        assert!(meter(5).count(RESERVATION_STEP_BYTES).is_err(), "64 KiB are used up");
        first_meter.pause();
        assert_eq!(budget.reserved(), 3 * RESERVATION_STEP_BYTES);
        first_meter.count(1 << 20).unwrap();
        first_meter.resume();
        first_meter.count(UNRESERVED_BYTES).unwrap();
        first_meter.count(1).unwrap();
        drop((first_meter, others));
        assert_eq!(budget.reserved(), 0);
    }
}
