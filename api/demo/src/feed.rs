//! A fake server of channel feeds. Tests publish entries and simulate failures; in a demo the channels publish entries
//! automatically.

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

/// Behavior of the fake feed server.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum FeedBehavior {
    #[default]
    Rss,
    /// An Atom feed whose entries have an update time but no publication time.
    AtomUpdatedOnly,
    Json,
    /// Responds with an HTML page and status 200.
    HtmlPage,
    /// The first two thirds of an RSS feed.
    Truncated,
    /// Responds with status 500.
    ServerError,
    /// Responds with status 302.
    Redirect,
    /// Responds with status 429 and a `Retry-After` of two hours.
    RateLimited,
}

#[derive(Debug, Clone)]
struct FeedEntry {
    url: String,
    published_at: Time,
}

pub struct FakeFeeds {
    /// URL template of a channel's feed, for the setting of the server under test.
    pub url_template: String,
    shared: SharedState,
}

#[derive(Clone)]
struct SharedState {
    /// Bodies by channel. Such a channel responds with its body instead of a feed.
    fixed_bodies: Arc<Mutex<BTreeMap<String, String>>>,
    channel_entries: Arc<Mutex<BTreeMap<String, Vec<FeedEntry>>>>,
    behavior: Arc<Mutex<FeedBehavior>>,
    request_count: Arc<Mutex<usize>>,
    clock: Arc<dyn Clock>,
    publish_interval: Option<Duration>,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl FakeFeeds {
    /// Listens on a loopback port until the process exits. With a `publish_interval`, every channel publishes an entry at that
    /// interval.
    pub async fn start(clock: Arc<dyn Clock>, publish_interval: Option<Duration>) -> std::io::Result<Self> {
        let listener = TcpListener::bind(SocketAddr::from(([127, 0, 0, 1], 0))).await?;
        let url_template = format!("http://{}/feed?of={{url}}&type={{type}}", listener.local_addr()?);
        let shared = SharedState {
            fixed_bodies: Arc::default(),
            channel_entries: Arc::default(),
            behavior: Arc::default(),
            request_count: Arc::default(),
            clock,
            publish_interval: publish_interval.filter(|interval| !interval.is_zero()),
        };
        let router = Router::new().fallback(handle_request).with_state(shared.clone());
        tokio::spawn(async move { axum::serve(listener, router).await });
        Ok(Self { url_template, shared })
    }

    pub fn publish(&self, channel: &str, url: &str, published_at: Time) {
        let entry = FeedEntry { url: url.to_owned(), published_at };
        lock(&self.shared.channel_entries).entry(channel.to_owned()).or_default().push(entry);
    }

    /// Sets the body that a channel returns instead of a feed.
    pub fn set_body(&self, channel: &str, body: String) {
        lock(&self.shared.fixed_bodies).insert(channel.to_owned(), body);
    }

    pub fn set_behavior(&self, behavior: FeedBehavior) {
        *lock(&self.shared.behavior) = behavior;
    }

    pub fn request_count(&self) -> usize {
        *lock(&self.shared.request_count)
    }
}

async fn handle_request(
    State(feeds): State<SharedState>,
    Query(query): Query<BTreeMap<String, String>>,
) -> Response {
    *lock(&feeds.request_count) += 1;
    let channel = query.get("of").map_or("", String::as_str);
    if let Some(body) = lock(&feeds.fixed_bodies).get(channel) {
        return feed_response("application/xml", body.clone());
    }
    let entries = feeds.entries(channel);
    let behavior = *lock(&feeds.behavior);
    match behavior {
        FeedBehavior::Rss => feed_response("application/rss+xml", format_rss(&entries)),
        FeedBehavior::AtomUpdatedOnly => feed_response("application/atom+xml", format_atom(&entries)),
        FeedBehavior::Json => feed_response("application/feed+json", format_json_feed(&entries)),
        FeedBehavior::HtmlPage => feed_response(
            "text/html",
            "<!doctype html><title>Sign in</title><h1>Checking your browser</h1></html>".into(),
        ),
        FeedBehavior::Truncated => {
            let feed = format_rss(&entries);
            feed_response("application/rss+xml", feed[..feed.len() * 2 / 3].to_owned())
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

fn feed_response(content_type: &'static str, body: String) -> Response {
    ([(header::CONTENT_TYPE, content_type)], body).into_response()
}

impl SharedState {
    /// Entries of a channel, newest first.
    fn entries(&self, channel: &str) -> Vec<FeedEntry> {
        let mut entries = lock(&self.channel_entries).get(channel).cloned().unwrap_or_default();
        if let Some(interval_micros) = self.publish_interval.map(duration_micros) {
            // Each channel publishes at a different time of the interval.
            let offset_micros =
                channel.bytes().fold(0_i64, |sum, byte| (sum * 31 + i64::from(byte)) % interval_micros);
            let newest_number = (self.clock.now().0 - offset_micros) / interval_micros;
            let numbered_entry = |number: i64| FeedEntry {
                url: format!("https://video.example/watch/{:x}-{number:x}", offset_micros % 65_536),
                published_at: Time(number * interval_micros + offset_micros),
            };
            entries.extend((newest_number - MAX_ENTRIES + 1..=newest_number).map(numbered_entry));
        }
        entries.reverse();
        entries
    }
}

fn to_date_time(time: Time) -> DateTime<chrono::Utc> {
    DateTime::from_timestamp_micros(time.0).unwrap_or_default()
}

fn format_rss(entries: &[FeedEntry]) -> String {
    let mut text = String::from(r#"<?xml version="1.0"?><rss version="2.0"><channel><title>Channel</title>"#);
    for entry in entries {
        // Writing to a `String` never fails.
        let _ = write!(
            text,
            "<item><title>Content</title><link>{}</link><pubDate>{}</pubDate></item>",
            entry.url,
            to_date_time(entry.published_at).to_rfc2822()
        );
    }
    text + "</channel></rss>"
}

fn format_atom(entries: &[FeedEntry]) -> String {
    let mut text =
        String::from(r#"<feed xmlns="http://www.w3.org/2005/Atom"><title>Channel</title><id>c</id>"#);
    for entry in entries {
        let (url, updated) = (&entry.url, to_date_time(entry.published_at).to_rfc3339());
        let _ = write!(
            text,
            r#"<entry><id>{url}</id><title>Content</title><link href="{url}"/><updated>{updated}</updated></entry>"#
        );
    }
    text + "</feed>"
}

fn format_json_feed(entries: &[FeedEntry]) -> String {
    let item = |entry: &FeedEntry| {
        let published = to_date_time(entry.published_at).to_rfc3339();
        json!({ "id": entry.url, "url": entry.url, "content_text": "x", "date_published": published })
    };
    let items: Vec<_> = entries.iter().map(item).collect();
    json!({ "version": "https://jsonfeed.org/version/1.1", "title": "Channel", "items": items }).to_string()
}
