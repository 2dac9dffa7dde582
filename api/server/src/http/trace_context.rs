//! The `traceparent` header: a request continues the trace of its sender if the sender is trusted. The server never sends the
//! header.

use std::net::IpAddr;

use axum::http::HeaderMap;
use opentelemetry::Context;
use opentelemetry::trace::{SpanContext, SpanId, TraceContextExt as _, TraceFlags, TraceId, TraceState};
use tracing::Span;
use tracing_opentelemetry::OpenTelemetrySpanExt as _;

use crate::app::App;
use crate::http::forwarded::ClientAddress;

const TRACEPARENT: &str = "traceparent";

/// Makes `span` a part of the trace in the `traceparent` header, if the sender is trusted and the span is recorded.
pub(crate) fn continue_trace(span: &Span, headers: &HeaderMap, is_trusted_sender: impl FnOnce() -> bool) {
    if span.is_disabled() {
        return;
    }
    let header = headers.get(TRACEPARENT).and_then(|value| value.to_str().ok());
    let parent = header.filter(|_| is_trusted_sender()).and_then(parse_traceparent);
    if let Some(parent) = parent {
        // Without an exporter, the span has no trace to continue, and the error does not matter.
        drop(span.set_parent(Context::new().with_remote_span_context(parent)));
    }
}

/// Whether the sender is a trusted proxy, or a program on this machine that does not forward requests of other clients. Any other
/// sender must not choose trace ids or decide whether a trace is recorded.
pub(crate) fn is_trusted_sender(app: &App, peer: Option<IpAddr>, client: Option<ClientAddress>) -> bool {
    let (Some(peer), Some(client)) = (peer, client) else { return false };
    let peer = peer.to_canonical();
    app.config.trusts(peer) || (peer.is_loopback() && !client.is_proxied)
}

/// Parses `VERSION-TRACE-PARENT-FLAGS` in lower-case hexadecimal (W3C Trace Context). Later versions may append fields.
fn parse_traceparent(header: &str) -> Option<SpanContext> {
    let mut fields = header.split('-');
    let (version, trace_id, parent_id, flags) =
        (fields.next()?, fields.next()?, fields.next()?, fields.next()?);
    let is_hex = |text: &str, length| {
        text.len() == length && text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
    };
    let is_valid_version =
        is_hex(version, 2) && version != "ff" && (version != "00" || fields.next().is_none());
    if !is_valid_version || !is_hex(trace_id, 32) || !is_hex(parent_id, 16) || !is_hex(flags, 2) {
        return None;
    }
    let flags = TraceFlags::new(u8::from_str_radix(flags, 16).ok()?) & TraceFlags::SAMPLED;
    let (trace_id, parent_id) = (TraceId::from_hex(trace_id).ok()?, SpanId::from_hex(parent_id).ok()?);
    let context = SpanContext::new(trace_id, parent_id, flags, true, TraceState::NONE);
    context.is_valid().then_some(context)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rejects_malformed_headers() {
        let valid_header = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
        let context = parse_traceparent(valid_header).unwrap();
        assert_eq!(context.trace_id().to_string(), "0af7651916cd43dd8448eb211c80319c");
        assert_eq!(context.span_id().to_string(), "b7ad6b7169203331");
        assert!(context.is_sampled() && context.is_remote());
        assert!(parse_traceparent("01-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-00-later").is_some());
        for malformed_header in [
            "",
            "00",
            "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331",
            "ff-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
            "00-0AF7651916CD43DD8448EB211C80319C-b7ad6b7169203331-01",
            "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01-more",
            "00-00000000000000000000000000000000-b7ad6b7169203331-01",
            "00-0af7651916cd43dd8448eb211c80319c-0000000000000000-01",
            "00-0af7651916cd43dd8448eb211c80319-b7ad6b7169203331-01",
        ] {
            assert!(parse_traceparent(malformed_header).is_none(), "{malformed_header}");
        }
    }
}
