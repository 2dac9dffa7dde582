//! The stream of one connection. It counts the bytes of request heads before their requests begin, within the budget of
//! bodies, as nothing is known of their sender, and refuses heads that are too long. It ends when the client does not read
//! what is sent. Never looks into what it counts.

use std::io::{Error, ErrorKind, IoSlice, Result};
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, ready};

use axum::http::Request;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;

use crate::http::bodies::{BodyBudget, Reservation, Sender};
use crate::http::shutdown::Parting;
use crate::http::writes::StallTimer;
use crate::metrics::CONNECTIONS_CLOSED;

/// Longest request head, address and headers together: forty columns of DataTables are 10 KiB.
pub(crate) const HEAD_BYTES: usize = 32 * 1024;
/// hyper's own bound, which no head reaches before this stream refuses it: two reads more.
pub(crate) const BUFFER_BYTES: usize = HEAD_BYTES + 16 * 1024;
/// The message for a client whose request head is too long.
pub(crate) const TOO_LONG: &str =
    "The request's address and headers are longer than 32 KiB together; send less in them.";
/// What is read at once, in bytes. A read that fills hyper's first buffer of 8 KiB makes it double the next one, up to
/// [`BUFFER_BYTES`], for each connection that sends fast and beyond any budget.
const READ_BYTES: usize = 8 * 1024 - 1;
/// How much of a head that was refused is read and dropped, so that its client reads the answer before a reset.
const DRAINED_BYTES: usize = 512 * 1024;
/// What every connection may send of a head without a reservation, in bytes: browsers send one to two kilobytes. Times
/// `limits.connections` it is 4 MB that no budget counts.
const FREE_BYTES: usize = 4 * 1024;
/// Longer heads are reserved in steps of this many bytes.
const STEP_BYTES: usize = 16 * 1024;

/// What one connection has sent of its next head.
#[derive(Debug, Clone)]
pub(crate) struct HeadMeter(Arc<Mutex<Counted>>);

#[derive(Debug)]
struct Counted {
    /// Off while a request runs, as bodies are counted where they are collected, and for good after an upgrade.
    is_on: bool,
    received: usize,
    reserved: usize,
    reservation: Reservation,
}

impl HeadMeter {
    /// For a connection of `sender`.
    pub(crate) fn new(budget: &Arc<BodyBudget>, sender: Sender) -> Self {
        let reservation = budget.empty(sender);
        Self(Arc::new(Mutex::new(Counted { is_on: true, received: 0, reserved: 0, reservation })))
    }

    /// A head is whole: its request runs, and its memory is that of the request.
    pub(crate) fn pause(&self) {
        let mut counted = self.lock();
        counted.is_on = false;
        counted.received = 0;
        counted.reserved = 0;
        counted.reservation.clear();
    }

    /// The request is answered: the next head may come.
    pub(crate) fn resume(&self) {
        self.lock().is_on = true;
    }

    /// Counts what was read; an error when the budget has no room for it. False when what came before was a head's
    /// beginning already longer than a head.
    fn count(&self, bytes: usize) -> Result<bool> {
        let mut counted = self.lock();
        if !counted.is_on {
            return Ok(true);
        }
        if counted.received >= HEAD_BYTES {
            return Ok(false);
        }
        counted.received = counted.received.saturating_add(bytes);
        let needed = match counted.received {
            received if received <= FREE_BYTES => 0,
            received => received.next_multiple_of(STEP_BYTES),
        };
        if needed > counted.reserved {
            let more = needed - counted.reserved;
            let refused = |_| Error::other("unfinished request heads take as much memory as they may");
            counted.reservation.grow(more).map_err(refused)?;
            counted.reserved = needed;
        }
        Ok(true)
    }

    fn lock(&self) -> MutexGuard<'_, Counted> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A stream whose heads are counted; when the budget is used up, reading fails and the connection ends.
#[derive(Debug)]
pub(crate) struct MeteredStream {
    /// None once it is dropped.
    stream: Option<TcpStream>,
    meter: HeadMeter,
    writes: StallTimer,
    parting: Parting,
    /// Of a head that was refused: how many bytes of it were dropped since.
    drained: Option<usize>,
}

impl MeteredStream {
    pub(crate) fn new(stream: TcpStream, meter: HeadMeter, writes: StallTimer, parting: Parting) -> Self {
        Self { stream: Some(stream), meter, writes, parting, drained: None }
    }

    fn stream(&mut self) -> Result<&mut TcpStream> {
        self.stream.as_mut().ok_or_else(|| Error::from(ErrorKind::NotConnected))
    }

    /// Answers a head that is too long. hyper knows of no request yet, and its own answer has no body.
    fn refuse(&mut self) {
        CONNECTIONS_CLOSED.with(["head"]).increment(1);
        let body = serde_json::json!({ "message": TOO_LONG, "code": "request_head_too_long" }).to_string();
        let answer = format!(
            "HTTP/1.1 431 Request Header Fields Too Large\r\ncontent-type: application/json\r\nconnection: close\r\ncontent-length: {}\r\n\r\n{body}",
            body.len()
        );
        if let Ok(stream) = self.stream() {
            drop(stream.try_write(answer.as_bytes()));
        }
        self.drained = Some(0);
    }

    /// Drops what was read of a refused head; false once it was enough.
    fn drain(&mut self, bytes: usize) -> bool {
        let drained = self.drained.unwrap_or(0).saturating_add(bytes);
        self.drained = Some(drained);
        bytes > 0 && drained <= DRAINED_BYTES
    }
}

impl Drop for MeteredStream {
    fn drop(&mut self) {
        if let Some(stream) = self.stream.take() {
            self.parting.let_go(stream);
        }
    }
}

/// How long the head of a request was in bytes, measured before anything is added to it.
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
        // Read by way of the stack: a part of hyper's buffer can be handed out only after it was filled with zeros, which
        // makes the system back all of it by memory, for connections that send a few bytes or none.
        let mut part = [0; READ_BYTES];
        let part = &mut part[..buf.remaining().min(READ_BYTES)];
        loop {
            let stream = self.stream()?;
            ready!(stream.poll_read_ready(cx))?;
            match stream.try_read(part) {
                Ok(read) if self.drained.is_some() => {
                    if !self.drain(read) {
                        return Poll::Ready(Err(Error::other("a request head was too long")));
                    }
                }
                Ok(read) => match self.meter.count(read) {
                    Ok(true) => {
                        buf.put_slice(&part[..read]);
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
        let written = Pin::new(self.stream()?).poll_write(cx, bytes);
        self.writes.observe(cx, written)
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
        let written = Pin::new(self.stream()?).poll_write_vectored(cx, slices);
        self.writes.observe(cx, written)
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
        let one = meter(1);
        one.count(FREE_BYTES).unwrap();
        assert_eq!(budget.reserved(), 0);
        one.count(1).unwrap();
        assert_eq!(budget.reserved(), STEP_BYTES);
        // The share of an address is the largest body with its overhead: 17 KiB.
        assert!(one.count(STEP_BYTES).is_err());
        let others: Vec<_> = (2..=4).map(meter).collect();
        assert!(others.iter().all(|meter| meter.count(STEP_BYTES).is_ok()));
        assert!(meter(5).count(STEP_BYTES).is_err(), "64 KiB are used up");
        one.pause();
        assert_eq!(budget.reserved(), 3 * STEP_BYTES);
        one.count(1 << 20).unwrap();
        one.resume();
        one.count(FREE_BYTES).unwrap();
        one.count(1).unwrap();
        drop((one, others));
        assert_eq!(budget.reserved(), 0);
    }
}
