//! Feeds of channels that are none: for tests, which publish what they want and make it behave badly, and for a demo whose
//! channels publish by themselves.

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

/// Entries that a feed has at most, as the large networks' have.
const LENGTH: i64 = 15;

/// How it answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Mood {
    /// RSS.
    #[default]
    Rss,
    /// Atom, whose entries say only when they changed.
    Undated,
    /// A JSON Feed.
    Json,
    /// A page for people, with 200.
    Html,
    /// Half of a feed.
    Half,
    /// 500.
    Down,
    /// Leads elsewhere.
    Moved,
    /// Wants to be left alone for two hours.
    Busy,
}

/// A content of a channel.
#[derive(Debug, Clone)]
struct Entry {
    url: String,
    at: Time,
}

/// Feeds that listen.
pub struct FakeFeeds {
    /// Where a channel's feed is, as the panel's setting has it.
    pub template: String,
    state: Shared,
}

#[derive(Clone)]
struct Shared {
    /// What a channel answers instead of a feed of its contents.
    bodies: Arc<Mutex<BTreeMap<String, String>>>,
    channels: Arc<Mutex<BTreeMap<String, Vec<Entry>>>>,
    mood: Arc<Mutex<Mood>>,
    calls: Arc<Mutex<usize>>,
    clock: Arc<dyn Clock>,
    rhythm: Option<Duration>,
}

fn open<T>(what: &Mutex<T>) -> MutexGuard<'_, T> {
    what.lock().unwrap_or_else(PoisonError::into_inner)
}

impl FakeFeeds {
    /// Listens on a port of this machine until the process ends. With a rhythm, every channel publishes
    /// something that often.
    pub async fn start(clock: Arc<dyn Clock>, rhythm: Option<Duration>) -> std::io::Result<Self> {
        let listener = TcpListener::bind(SocketAddr::from(([127, 0, 0, 1], 0))).await?;
        let template = format!("http://{}/feed?of={{url}}&type={{type}}", listener.local_addr()?);
        let state = Shared {
            bodies: Arc::default(),
            channels: Arc::default(),
            mood: Arc::default(),
            calls: Arc::default(),
            clock,
            rhythm: rhythm.filter(|rhythm| !rhythm.is_zero()),
        };
        let router = Router::new().fallback(answer).with_state(state.clone());
        tokio::spawn(async move { axum::serve(listener, router).await });
        Ok(Self { template, state })
    }

    /// A channel publishes a content.
    pub fn publish(&self, channel: &str, url: &str, at: Time) {
        let entry = Entry { url: url.to_owned(), at };
        open(&self.state.channels).entry(channel.to_owned()).or_default().push(entry);
    }

    /// A channel answers this text from now on, whatever it publishes.
    pub fn serve(&self, channel: &str, body: String) {
        open(&self.state.bodies).insert(channel.to_owned(), body);
    }

    /// How it answers from now on.
    pub fn behave(&self, mood: Mood) {
        *open(&self.state.mood) = mood;
    }

    /// How often it was asked.
    pub fn calls(&self) -> usize {
        *open(&self.state.calls)
    }
}

async fn answer(State(feeds): State<Shared>, Query(query): Query<BTreeMap<String, String>>) -> Response {
    *open(&feeds.calls) += 1;
    let channel = query.get("of").map_or("", String::as_str);
    if let Some(body) = open(&feeds.bodies).get(channel) {
        return said("application/xml", body.clone());
    }
    let entries = feeds.entries(channel);
    let mood = *open(&feeds.mood);
    match mood {
        Mood::Rss => said("application/rss+xml", rss(&entries)),
        Mood::Undated => said("application/atom+xml", atom(&entries)),
        Mood::Json => said("application/feed+json", json_feed(&entries)),
        Mood::Html => said(
            "text/html",
            "<!doctype html><title>Sign in</title><h1>Checking your browser</h1></html>".into(),
        ),
        Mood::Half => {
            let whole = rss(&entries);
            said("application/rss+xml", whole[..whole.len() * 2 / 3].to_owned())
        }
        Mood::Down => (StatusCode::INTERNAL_SERVER_ERROR, "Server error").into_response(),
        Mood::Busy => (StatusCode::TOO_MANY_REQUESTS, [(header::RETRY_AFTER, "7200")], "").into_response(),
        Mood::Moved => (StatusCode::FOUND, [(header::LOCATION, "/feed?of=elsewhere")], "").into_response(),
    }
}

fn said(kind: &'static str, text: String) -> Response {
    ([(header::CONTENT_TYPE, kind)], text).into_response()
}

impl Shared {
    /// Newest first.
    fn entries(&self, channel: &str) -> Vec<Entry> {
        let mut entries = open(&self.channels).get(channel).cloned().unwrap_or_default();
        if let Some(rhythm) = self.rhythm.map(micros) {
            // Channels do not publish at the same moment.
            let shift = channel.bytes().fold(0_i64, |sum, byte| (sum * 31 + i64::from(byte)) % rhythm);
            let newest = (self.clock.now().0 - shift) / rhythm;
            let invented = |n: i64| Entry {
                url: format!("https://video.example/watch/{:x}-{n:x}", shift % 65_536),
                at: Time(n * rhythm + shift),
            };
            entries.extend((newest - LENGTH + 1..=newest).map(invented));
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
        // Writing to a text never fails.
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
