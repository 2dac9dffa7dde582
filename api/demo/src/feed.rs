//! Fake channel feeds: for tests, which publish entries and simulate failures, and for a demo whose channels publish automatically.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use axum::Router;
use axum::extract::{Query, State};
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse as _, Response};
use chrono::DateTime;
use panel_contract::moment::{Time, micros};
use panel_kernel::clock::Clock;
use serde_json::json;
use tokio::net::TcpListener;

/// Maximum number of entries of a feed, as at the large networks.
const MAX_ENTRIES: i64 = 15;

/// Behavior of the feed server.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum FeedBehavior {
    /// RSS.
    #[default]
    Rss,
    /// Atom, with update times only.
    Undated,
    /// A JSON Feed.
    Json,
    /// An HTML page with status 200.
    Html,
    /// A truncated feed.
    Half,
    /// Status 500.
    Down,
    /// A redirect.
    Moved,
    /// Status 429 with a `Retry-After` of two hours.
    Busy,
}

/// An entry of a channel.
#[derive(Debug, Clone)]
struct Entry {
    url: String,
    at: Time,
}

/// A running fake feed server.
pub struct FakeFeeds {
    /// URL template of a channel's feed, for the panel's setting.
    pub template: String,
    state: Shared,
}

#[derive(Clone)]
struct Shared {
    /// Fixed responses by channel, instead of a feed of its entries.
    bodies: Arc<Mutex<BTreeMap<String, String>>>,
    channels: Arc<Mutex<BTreeMap<String, Vec<Entry>>>>,
    behavior: Arc<Mutex<FeedBehavior>>,
    calls: Arc<Mutex<usize>>,
    clock: Arc<dyn Clock>,
    publish_interval: Option<Duration>,
}

fn open<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl FakeFeeds {
    /// Listens on a loopback port until the process ends. With a publish_interval, every channel publishes something that
    /// often.
    pub async fn start(clock: Arc<dyn Clock>, publish_interval: Option<Duration>) -> std::io::Result<Self> {
        let listener = TcpListener::bind(SocketAddr::from(([127, 0, 0, 1], 0))).await?;
        let template = format!("http://{}/feed?of={{url}}&type={{type}}", listener.local_addr()?);
        let state = Shared {
            bodies: Arc::default(),
            channels: Arc::default(),
            behavior: Arc::default(),
            calls: Arc::default(),
            clock,
            publish_interval: publish_interval.filter(|publish_interval| !publish_interval.is_zero()),
        };
        let router = Router::new().fallback(answer).with_state(state.clone());
        tokio::spawn(async move { axum::serve(listener, router).await });
        Ok(Self { template, state })
    }

    /// Publishes an entry on a channel.
    pub fn publish(&self, channel: &str, url: &str, at: Time) {
        let entry = Entry { url: url.to_owned(), at };
        open(&self.state.channels).entry(channel.to_owned()).or_default().push(entry);
    }

    /// Sets a fixed response of a channel.
    pub fn serve(&self, channel: &str, body: String) {
        open(&self.state.bodies).insert(channel.to_owned(), body);
    }

    /// Sets the behavior.
    pub fn behave(&self, behavior: FeedBehavior) {
        *open(&self.state.behavior) = behavior;
    }

    /// Number of requests so far.
    pub fn calls(&self) -> usize {
        *open(&self.state.calls)
    }
}

async fn answer(State(feeds): State<Shared>, Query(query): Query<BTreeMap<String, String>>) -> Response {
    *open(&feeds.calls) += 1;
    let channel = query.get("of").map_or("", String::as_str);
    if let Some(body) = open(&feeds.bodies).get(channel) {
        return respond("application/xml", body.clone());
    }
    let entries = feeds.entries(channel);
    let behavior = *open(&feeds.behavior);
    match behavior {
        FeedBehavior::Rss => respond("application/rss+xml", rss(&entries)),
        FeedBehavior::Undated => respond("application/atom+xml", atom(&entries)),
        FeedBehavior::Json => respond("application/feed+json", json_feed(&entries)),
        FeedBehavior::Html => respond(
            "text/html",
            "<!doctype html><title>Sign in</title><h1>Checking your browser</h1></html>".into(),
        ),
        FeedBehavior::Half => {
            let whole = rss(&entries);
            respond("application/rss+xml", whole[..whole.len() * 2 / 3].to_owned())
        }
        FeedBehavior::Down => (StatusCode::INTERNAL_SERVER_ERROR, "Server error").into_response(),
        FeedBehavior::Busy => {
            (StatusCode::TOO_MANY_REQUESTS, [(header::RETRY_AFTER, "7200")], "").into_response()
        }
        FeedBehavior::Moved => {
            (StatusCode::FOUND, [(header::LOCATION, "/feed?of=elsewhere")], "").into_response()
        }
    }
}

fn respond(kind: &'static str, text: String) -> Response {
    ([(header::CONTENT_TYPE, kind)], text).into_response()
}

impl Shared {
    /// Entries of a channel, newest first.
    fn entries(&self, channel: &str) -> Vec<Entry> {
        let mut entries = open(&self.channels).get(channel).cloned().unwrap_or_default();
        if let Some(publish_interval) = self.publish_interval.map(micros) {
            // Channels publish at different times.
            let shift =
                channel.bytes().fold(0_i64, |sum, byte| (sum * 31 + i64::from(byte)) % publish_interval);
            let newest = (self.clock.now().0 - shift) / publish_interval;
            let invented = |n: i64| Entry {
                url: format!("https://video.example/watch/{:x}-{n:x}", shift % 65_536),
                at: Time(n * publish_interval + shift),
            };
            entries.extend((newest - MAX_ENTRIES + 1..=newest).map(invented));
        }
        entries.reverse();
        entries
    }
}

fn date(at: Time) -> DateTime<chrono::Utc> {
    DateTime::from_timestamp_micros(at.0).unwrap_or_default()
}

fn rss(entries: &[Entry]) -> String {
    let mut text = String::from(r#"<?xml version="1.0"?><rss version="2.0"><channel><title>Channel</title>"#);
    for entry in entries {
        // Writing to a `String` never fails.
        let _ = write!(
            text,
            "<item><title>Content</title><link>{}</link><pubDate>{}</pubDate></item>",
            entry.url,
            date(entry.at).to_rfc2822()
        );
    }
    text + "</channel></rss>"
}

fn atom(entries: &[Entry]) -> String {
    let mut text =
        String::from(r#"<feed xmlns="http://www.w3.org/2005/Atom"><title>Channel</title><id>c</id>"#);
    for entry in entries {
        let (url, at) = (&entry.url, date(entry.at).to_rfc3339());
        let _ = write!(
            text,
            r#"<entry><id>{url}</id><title>Content</title><link href="{url}"/><updated>{at}</updated></entry>"#
        );
    }
    text + "</feed>"
}

fn json_feed(entries: &[Entry]) -> String {
    let item = |entry: &Entry| json!({ "id": entry.url, "url": entry.url, "content_text": "x", "date_published": date(entry.at).to_rfc3339() });
    let items: Vec<_> = entries.iter().map(item).collect();
    json!({ "version": "https://jsonfeed.org/version/1.1", "title": "Channel", "items": items }).to_string()
}
