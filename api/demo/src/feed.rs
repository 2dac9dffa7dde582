//! Fake channel feeds: tests publish entries and simulate failures; in a demo the channels publish automatically.

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
use panel_contract::moment::{Time, duration_micros};
use panel_kernel::clock::Clock;
use serde_json::json;
use tokio::net::TcpListener;

/// Maximum number of entries of a feed, as on the large networks.
const MAX_ENTRIES: i64 = 15;

/// Behavior of the feed server.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum FeedBehavior {
    #[default]
    Rss,
    /// Atom whose entries have only an update time.
    AtomUpdatedOnly,
    Json,
    /// An HTML page with status 200.
    HtmlPage,
    /// The first two thirds of an RSS feed.
    Truncated,
    /// Status 500.
    ServerError,
    /// Status 302.
    Redirect,
    /// Status 429 with a `Retry-After` of two hours.
    RateLimited,
}

#[derive(Debug, Clone)]
struct Entry {
    url: String,
    published_at: Time,
}

/// A running fake feed server.
pub struct FakeFeeds {
    /// URL template of a channel's feed, for the server's setting.
    pub url_template: String,
    shared: SharedState,
}

#[derive(Clone)]
struct SharedState {
    /// Bodies by channel; a channel in it returns its body instead of a feed of its entries.
    fixed_bodies: Arc<Mutex<BTreeMap<String, String>>>,
    channels: Arc<Mutex<BTreeMap<String, Vec<Entry>>>>,
    behavior: Arc<Mutex<FeedBehavior>>,
    call_count: Arc<Mutex<usize>>,
    clock: Arc<dyn Clock>,
    publish_interval: Option<Duration>,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl FakeFeeds {
    /// Listens on a loopback port until the process ends. With a `publish_interval`, every channel publishes an entry at that
    /// interval.
    pub async fn start(clock: Arc<dyn Clock>, publish_interval: Option<Duration>) -> std::io::Result<Self> {
        let listener = TcpListener::bind(SocketAddr::from(([127, 0, 0, 1], 0))).await?;
        let url_template = format!("http://{}/feed?of={{url}}&type={{type}}", listener.local_addr()?);
        let shared = SharedState {
            fixed_bodies: Arc::default(),
            channels: Arc::default(),
            behavior: Arc::default(),
            call_count: Arc::default(),
            clock,
            publish_interval: publish_interval.filter(|interval| !interval.is_zero()),
        };
        let router = Router::new().fallback(handle_request).with_state(shared.clone());
        tokio::spawn(async move { axum::serve(listener, router).await });
        Ok(Self { url_template, shared })
    }

    /// Publishes an entry on a channel.
    pub fn publish(&self, channel: &str, url: &str, published_at: Time) {
        let entry = Entry { url: url.to_owned(), published_at };
        lock(&self.shared.channels).entry(channel.to_owned()).or_default().push(entry);
    }

    /// Sets the body that a channel returns instead of a feed of its entries.
    pub fn set_body(&self, channel: &str, body: String) {
        lock(&self.shared.fixed_bodies).insert(channel.to_owned(), body);
    }

    pub fn set_behavior(&self, behavior: FeedBehavior) {
        *lock(&self.shared.behavior) = behavior;
    }

    pub fn call_count(&self) -> usize {
        *lock(&self.shared.call_count)
    }
}

async fn handle_request(
    State(feeds): State<SharedState>,
    Query(query): Query<BTreeMap<String, String>>,
) -> Response {
    *lock(&feeds.call_count) += 1;
    let channel = query.get("of").map_or("", String::as_str);
    if let Some(body) = lock(&feeds.fixed_bodies).get(channel) {
        return respond("application/xml", body.clone());
    }
    let entries = feeds.entries(channel);
    let behavior = *lock(&feeds.behavior);
    match behavior {
        FeedBehavior::Rss => respond("application/rss+xml", rss(&entries)),
        FeedBehavior::AtomUpdatedOnly => respond("application/atom+xml", atom(&entries)),
        FeedBehavior::Json => respond("application/feed+json", json_feed(&entries)),
        FeedBehavior::HtmlPage => respond(
            "text/html",
            "<!doctype html><title>Sign in</title><h1>Checking your browser</h1></html>".into(),
        ),
        FeedBehavior::Truncated => {
            let feed = rss(&entries);
            respond("application/rss+xml", feed[..feed.len() * 2 / 3].to_owned())
        }
        FeedBehavior::ServerError => (StatusCode::INTERNAL_SERVER_ERROR, "Server error").into_response(),
        FeedBehavior::RateLimited => {
            (StatusCode::TOO_MANY_REQUESTS, [(header::RETRY_AFTER, "7200")], "").into_response()
        }
        FeedBehavior::Redirect => {
            (StatusCode::FOUND, [(header::LOCATION, "/feed?of=elsewhere")], "").into_response()
        }
    }
}

fn respond(content_type: &'static str, body: String) -> Response {
    ([(header::CONTENT_TYPE, content_type)], body).into_response()
}

impl SharedState {
    /// Entries of a channel, newest first.
    fn entries(&self, channel: &str) -> Vec<Entry> {
        let mut entries = lock(&self.channels).get(channel).cloned().unwrap_or_default();
        if let Some(interval_micros) = self.publish_interval.map(duration_micros) {
            // Each channel publishes at a different time of the interval.
            let shift =
                channel.bytes().fold(0_i64, |sum, byte| (sum * 31 + i64::from(byte)) % interval_micros);
            let newest = (self.clock.now().0 - shift) / interval_micros;
            let entry_number = |n: i64| Entry {
                url: format!("https://video.example/watch/{:x}-{n:x}", shift % 65_536),
                published_at: Time(n * interval_micros + shift),
            };
            entries.extend((newest - MAX_ENTRIES + 1..=newest).map(entry_number));
        }
        entries.reverse();
        entries
    }
}

fn date_time(time: Time) -> DateTime<chrono::Utc> {
    DateTime::from_timestamp_micros(time.0).unwrap_or_default()
}

fn rss(entries: &[Entry]) -> String {
    let mut text = String::from(r#"<?xml version="1.0"?><rss version="2.0"><channel><title>Channel</title>"#);
    for entry in entries {
        // Writing to a `String` never fails.
        let _ = write!(
            text,
            "<item><title>Content</title><link>{}</link><pubDate>{}</pubDate></item>",
            entry.url,
            date_time(entry.published_at).to_rfc2822()
        );
    }
    text + "</channel></rss>"
}

fn atom(entries: &[Entry]) -> String {
    let mut text =
        String::from(r#"<feed xmlns="http://www.w3.org/2005/Atom"><title>Channel</title><id>c</id>"#);
    for entry in entries {
        let (url, updated) = (&entry.url, date_time(entry.published_at).to_rfc3339());
        let _ = write!(
            text,
            r#"<entry><id>{url}</id><title>Content</title><link href="{url}"/><updated>{updated}</updated></entry>"#
        );
    }
    text + "</feed>"
}

fn json_feed(entries: &[Entry]) -> String {
    let item = |entry: &Entry| {
        let published = date_time(entry.published_at).to_rfc3339();
        json!({ "id": entry.url, "url": entry.url, "content_text": "x", "date_published": published })
    };
    let items: Vec<_> = entries.iter().map(item).collect();
    json!({ "version": "https://jsonfeed.org/version/1.1", "title": "Channel", "items": items }).to_string()
}
