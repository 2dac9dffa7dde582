//! The stream of one connection. A request head is the request line and the headers. The stream counts the bytes of unfinished
//! heads within the memory budget of request bodies, because their sender is not authenticated yet, and rejects heads that are
//! too long. Writing fails if the client stops reading the response. This module must never parse the bytes.

use std::io::{Error, ErrorKind, IoSlice, Result};
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, ready};

use axum::http::Request;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;

use crate::http::bodies::{BodyBudget, Reservation, Sender};
use crate::http::shutdown::LingeringClose;
use crate::http::stall_timer::StallTimer;
use crate::metrics::CONNECTIONS_CLOSED;

/// Maximum length of a request head, in bytes. The query of a list with forty columns takes 10 KiB.
pub(crate) const MAX_HEAD_BYTES: usize = 32 * 1024;
/// Maximum size of hyper's read buffer, in bytes. It exceeds `MAX_HEAD_BYTES` by two reads, so that this stream rejects a long head
/// before hyper does.
pub(crate) const MAX_READ_BUFFER_BYTES: usize = MAX_HEAD_BYTES + 16 * 1024;
pub(crate) const HEAD_TOO_LONG_MESSAGE: &str =
    "The URL and the headers are longer than 32 KiB together. Shorten the URL or send fewer headers.";
/// Maximum length of one read, in bytes. If a read filled hyper's first buffer of 8 KiB, hyper would double the next buffer, up to
/// [`MAX_READ_BUFFER_BYTES`] for each connection that sends fast. The budget does not count that memory.
const MAX_READ_BYTES: usize = 8 * 1024 - 1;
/// Maximum number of bytes of a rejected head that the server reads and discards, so that the client can read the response before
/// the connection is reset.
const MAX_DISCARDED_BYTES: usize = 512 * 1024;
/// Number of bytes of a head that a connection may send without a reservation. Browsers send one to two kilobytes. With the default
/// `limits.connections`, up to 4 MB are outside of the budget.
const UNRESERVED_BYTES: usize = 4 * 1024;
/// The memory of longer heads is reserved in steps of this many bytes.
const RESERVATION_STEP_BYTES: usize = 16 * 1024;

/// Counts the bytes that one connection has received of its next request head.
#[derive(Debug, Clone)]
pub(crate) struct HeadMeter(Arc<Mutex<HeadCount>>);

#[derive(Debug)]
struct HeadCount {
    /// False while a request runs, because `bodies` counts its body; stays false after an upgrade of the connection.
    is_counting: bool,
    received_bytes: usize,
    reserved_bytes: usize,
    reservation: Reservation,
}

impl HeadMeter {
    pub(crate) fn new(budget: &Arc<BodyBudget>, sender: Sender) -> Self {
        let reservation = budget.empty_reservation(sender);
        Self(Arc::new(Mutex::new(HeadCount {
            is_counting: true,
            received_bytes: 0,
            reserved_bytes: 0,
            reservation,
        })))
    }

    /// Stops counting and releases the reservation. Called when a head is complete, because the request then reserves the memory.
    pub(crate) fn pause(&self) {
        let mut head_count = self.lock();
        head_count.is_counting = false;
        head_count.received_bytes = 0;
        head_count.reserved_bytes = 0;
        head_count.reservation.release_bytes();
    }

    /// Resumes counting. Called when the response is complete, because the next head may arrive.
    pub(crate) fn resume(&self) {
        self.lock().is_counting = true;
    }

    /// Counts received bytes. Returns false if the unfinished head had already reached the maximum length.
    ///
    /// # Errors
    /// The budget is used up.
    fn count(&self, bytes: usize) -> Result<bool> {
        let mut head_count = self.lock();
        if !head_count.is_counting {
            return Ok(true);
        }
        if head_count.received_bytes >= MAX_HEAD_BYTES {
            return Ok(false);
        }
        head_count.received_bytes = head_count.received_bytes.saturating_add(bytes);
        let needed_bytes = match head_count.received_bytes {
            received_bytes if received_bytes <= UNRESERVED_BYTES => 0,
            received_bytes => received_bytes.next_multiple_of(RESERVATION_STEP_BYTES),
        };
        if needed_bytes > head_count.reserved_bytes {
            let additional_bytes = needed_bytes - head_count.reserved_bytes;
            let to_io_error = |_| Error::other("unfinished request heads reached their memory limit");
            head_count.reservation.grow(additional_bytes).map_err(to_io_error)?;
            head_count.reserved_bytes = needed_bytes;
        }
        Ok(true)
    }

    fn lock(&self) -> MutexGuard<'_, HeadCount> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A TCP stream that counts the bytes of request heads. If the budget is used up, reading fails and the connection closes.
#[derive(Debug)]
pub(crate) struct MeteredStream {
    /// `None` once the stream is dropped.
    stream: Option<TcpStream>,
    meter: HeadMeter,
    stall_timer: StallTimer,
    lingering_close: LingeringClose,
    /// Number of discarded bytes of a rejected head; `None` if no head was rejected.
    discarded_bytes: Option<usize>,
}

impl MeteredStream {
    pub(crate) fn new(
        stream: TcpStream,
        meter: HeadMeter,
        stall_timer: StallTimer,
        lingering_close: LingeringClose,
    ) -> Self {
        Self { stream: Some(stream), meter, stall_timer, lingering_close, discarded_bytes: None }
    }

    fn stream(&mut self) -> Result<&mut TcpStream> {
        self.stream.as_mut().ok_or_else(|| Error::from(ErrorKind::NotConnected))
    }

    /// Writes the response to a head that is too long. hyper cannot do it: it has no request yet, and its own response has no body.
    fn reject_long_head(&mut self) {
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
        self.discarded_bytes = Some(0);
    }

    /// Counts discarded bytes of a rejected head. Returns false at the limit or at the end of the stream.
    fn discard(&mut self, bytes: usize) -> bool {
        let discarded_bytes = self.discarded_bytes.unwrap_or(0).saturating_add(bytes);
        self.discarded_bytes = Some(discarded_bytes);
        bytes > 0 && discarded_bytes <= MAX_DISCARDED_BYTES
    }
}

impl Drop for MeteredStream {
    fn drop(&mut self) {
        if let Some(stream) = self.stream.take() {
            self.lingering_close.close(stream);
        }
    }
}

/// Length of a request head in bytes, computed before the server adds headers to the request.
#[derive(Debug, Clone, Copy)]
pub(crate) struct HeadLength(pub(crate) usize);

impl HeadLength {
    /// Computes the length of the request line, the headers and the empty line after them.
    pub(crate) fn of_request<B>(request: &Request<B>) -> Self {
        let target_length = request.uri().path_and_query().map_or(0, |target| target.as_str().len());
        let request_line_length =
            request.method().as_str().len() + target_length + "  HTTP/1.1\r\n\r\n".len();
        let headers = request.headers().iter();
        Self(headers.fold(request_line_length, |sum, (name, value)| {
            sum + name.as_str().len() + value.len() + ": \r\n".len()
        }))
    }
}

impl AsyncRead for MeteredStream {
    fn poll_read(mut self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &mut ReadBuf<'_>) -> Poll<Result<()>> {
        // Reads into a buffer on the stack. hyper's buffer would have to be filled with zeros first, and then the system would back
        // all of it with memory, even for connections that send few or no bytes.
        let mut buffer = [0; MAX_READ_BYTES];
        let buffer = &mut buffer[..buf.remaining().min(MAX_READ_BYTES)];
        loop {
            let stream = self.stream()?;
            ready!(stream.poll_read_ready(cx))?;
            match stream.try_read(buffer) {
                Ok(bytes_read) if self.discarded_bytes.is_some() => {
                    if !self.discard(bytes_read) {
                        return Poll::Ready(Err(Error::other("a request head was too long")));
                    }
                }
                Ok(bytes_read) => match self.meter.count(bytes_read) {
                    Ok(true) => {
                        buf.put_slice(&buffer[..bytes_read]);
                        return Poll::Ready(Ok(()));
                    }
                    Ok(false) => self.reject_long_head(),
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
    fn the_memory_of_long_heads_is_reserved_until_their_request_starts() {
        let limits = Limits { body_bytes: 1024, public_bodies_bytes: 64 * 1024, ..Limits::default() };
        let budget = Arc::new(BodyBudget::new(&limits));
        let new_meter = |last_octet| {
            let sender = Sender { ip: IpAddr::from([203, 0, 113, last_octet]), is_signed_in: false };
            HeadMeter::new(&budget, sender)
        };
        let first_meter = new_meter(1);
        first_meter.count(UNRESERVED_BYTES).unwrap();
        assert_eq!(budget.reserved_bytes(), 0);
        first_meter.count(1).unwrap();
        assert_eq!(budget.reserved_bytes(), RESERVATION_STEP_BYTES);
        // The limit of an address is the largest body with its overhead: 17 KiB.
        assert!(first_meter.count(RESERVATION_STEP_BYTES).is_err());
        let other_meters: Vec<_> = (2..=4).map(new_meter).collect();
        assert!(other_meters.iter().all(|meter| meter.count(RESERVATION_STEP_BYTES).is_ok()));
        assert!(new_meter(5).count(RESERVATION_STEP_BYTES).is_err(), "64 KiB are used up");
        first_meter.pause();
        assert_eq!(budget.reserved_bytes(), 3 * RESERVATION_STEP_BYTES);
        first_meter.count(1 << 20).unwrap();
        first_meter.resume();
        first_meter.count(UNRESERVED_BYTES).unwrap();
        first_meter.count(1).unwrap();
        drop((first_meter, other_meters));
        assert_eq!(budget.reserved_bytes(), 0);
    }
}
