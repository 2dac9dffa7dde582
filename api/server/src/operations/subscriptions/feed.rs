//! The feed of a channel: where it is, and what contents it names. Pure: who reads a feed believes nothing in it but
//! addresses and dates.

use std::panic::{AssertUnwindSafe, catch_unwind};

use feed_rs::model::Feed;
use panel_contract::moment::Time;
use url::Url;

use crate::outbound::fill;

/// Entries of one feed that are looked at, from its top.
const MOST_ENTRIES: usize = 500;
/// Longest address of a content, in bytes: longer ones do not fit an index.
const LONGEST: usize = 2_000;

/// A content as a feed names it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Item {
    /// Its address; a content is known by it.
    pub(super) url: String,
    /// When it was published, where the feed says so. When it last changed does not make it new.
    pub(super) published_at: Option<Time>,
}

/// Where the feed of a channel is: what the panel's setting makes of it, else the channel's own address.
pub(super) fn address(template: Option<&str>, channel: &str, kind: &str) -> Option<String> {
    match template {
        Some(template) => Some(fill(template, &[("url", channel), ("type", kind)])),
        None => is_address(channel).then(|| channel.to_owned()),
    }
}

/// Whether a channel is an address rather than a name.
pub(super) fn is_address(channel: &str) -> bool {
    channel.contains("://")
}

/// The contents of a feed (RSS, Atom or JSON Feed) in its order; what is none, or not all of one, is an error.
pub(super) fn read(body: &[u8], base: &str) -> Result<Vec<Item>, String> {
    if !is_whole(body) {
        return Err("the answer is no feed, or ends in the middle of one".into());
    }
    let feed = parsed(body, base).ok_or("the answer is no feed (RSS, Atom or JSON Feed)")?;
    let items = feed.entries.into_iter().take(MOST_ENTRIES).filter_map(|entry| {
        let link = entry.links.iter().find(|link| link.rel.as_deref().is_none_or(|rel| rel == "alternate"));
        let text = link.map_or(entry.id.as_str(), |link| link.href.as_str());
        let published_at = entry.published.map(|at| Time(at.timestamp_micros()));
        Some(Item { url: page(text)?, published_at })
    });
    Ok(items.collect())
}

/// What strangers send is read by a parser that panics at some of it (feed-rs 3.0.0: an author with `（`, a duration of
/// twenty digits): that is no feed either.
fn parsed(body: &[u8], base: &str) -> Option<Feed> {
    let parser = feed_rs::parser::Builder::new().base_uri(Some(base)).build();
    catch_unwind(AssertUnwindSafe(|| parser.parse(body))).ok()?.ok()
}

/// Whether a document ends as one does: a parser may take the first half of a feed for all of it.
fn is_whole(body: &[u8]) -> bool {
    let text = body.trim_ascii();
    match (text.first(), text.last()) {
        (Some(b'{'), Some(b'}')) => true,
        // The byte order mark of UTF-8 may come first.
        (Some(b'<' | 0xef), Some(b'>')) => {
            let ends: [&[u8]; 3] = [b"</rss>", b"</feed>", b"</rdf:RDF>"];
            ends.iter().any(|end| text.ends_with(end))
        }
        _ => false,
    }
}

/// An address that an order can be for, written as addresses are.
fn page(text: &str) -> Option<String> {
    let url = Url::parse(text.trim()).ok()?;
    let is_web = matches!(url.scheme(), "http" | "https") && url.has_host();
    let text = String::from(url);
    (is_web && text.len() <= LONGEST).then_some(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    const RSS: &str = r#"<?xml version="1.0"?><rss version="2.0"><channel><title>A</title><link>https://a.example/</link>
      <item><title>2</title><link>https://a.example/2</link><pubDate>Fri, 20 Nov 2026 10:00:00 GMT</pubDate></item>
      <item><title>1</title><link>/1</link></item>
      <item><title>bad</title><link>javascript:alert(1)</link></item></channel></rss>"#;
    const ATOM: &str = r#"<feed xmlns="http://www.w3.org/2005/Atom"><title>A</title><id>x</id><updated>2026-11-20T10:00:00Z</updated>
      <entry><id>yt:1</id><title>1</title><link rel="self" href="https://a.example/self"/><link rel="alternate" href="https://a.example/1"/>
        <updated>2026-11-21T10:00:00Z</updated></entry></feed>"#;
    const JSON: &str = r#"{"version":"https://jsonfeed.org/version/1.1","title":"A","items":[{"id":"1","url":"https://a.example/1","content_text":"x","date_published":"2026-11-20T10:00:00Z"}]}"#;

    fn urls(text: &str) -> Vec<(String, Option<i64>)> {
        let items = read(text.as_bytes(), "https://a.example/feed").unwrap();
        items.into_iter().map(|item| (item.url, item.published_at.map(|at| at.0))).collect()
    }

    #[test]
    fn feeds_of_every_kind_name_their_contents() {
        let at = Some(1_795_168_800_000_000);
        assert_eq!(
            urls(RSS),
            [("https://a.example/2".into(), at), ("https://a.example/1".to_owned(), None)],
            "relative addresses belong to the feed's, and only web pages are contents"
        );
        assert_eq!(urls(ATOM), [("https://a.example/1".into(), None)], "a change is no publication");
        assert_eq!(urls(JSON), [("https://a.example/1".into(), at)]);
    }

    #[test]
    fn what_the_parser_panics_at_is_no_feed() {
        let with = |text: &str| RSS.replace("<title>2</title>", text);
        let author = "<author>\u{5c71}\u{7530}\u{592a}\u{90ce}\u{ff08}taro@example.jp\u{ff09}</author>";
        let long = r#"<itunes:duration xmlns:itunes="http://www.itunes.com/dtds/podcast-1.0.dtd">99999999999999999999</itunes:duration>"#;
        assert_eq!(urls(&with("<author>taro@example.jp</author>")).len(), 2);
        for text in [author, long] {
            assert!(read(with(text).as_bytes(), "https://a.example/").is_err(), "{text}");
        }
    }

    #[test]
    fn what_is_no_whole_feed_is_an_error() {
        for text in [RSS, ATOM, JSON] {
            for part in [text.len() / 2, text.len() * 3 / 4, text.len() - 7] {
                assert!(read(&text.as_bytes()[..part], "https://a.example/").is_err(), "{}", &text[..part]);
            }
        }
        for text in ["", "{}", "[]", "<!doctype html><title>Sign in</title></html>", "<html></html>", "\u{0}"]
        {
            assert!(read(text.as_bytes(), "https://a.example/").is_err(), "{text}");
        }
    }

    #[test]
    fn the_setting_says_where_a_feed_is() {
        let of = |template, channel| address(template, channel, "youtube");
        assert_eq!(of(None, "https://a.example/@b").as_deref(), Some("https://a.example/@b"));
        assert_eq!(of(None, "@b"), None);
        let bridge = Some("https://bridge.example/{type}?u={url}");
        assert_eq!(of(bridge, "@b").as_deref(), Some("https://bridge.example/youtube?u=%40b"));
        let address = of(bridge, "https://a.example/x?y=1&z").unwrap();
        assert_eq!(address, "https://bridge.example/youtube?u=https%3A%2F%2Fa.example%2Fx%3Fy%3D1%26z");
    }
}
