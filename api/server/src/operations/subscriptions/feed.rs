//! The feed of a channel: where it is, and what contents it names. It believes nothing in a feed but addresses and dates,
//! and its parser sees no more than the outline of one, on a thread whose stack has a known size. It asks for nothing and
//! writes nothing.

mod outline;

use memchr::memmem;
use panel_contract::moment::Time;
use panel_kernel::foreign::parse_on_own_stack;
use tokio::sync::Semaphore;
use url::Url;

use panel_platform::outbound::fill;

/// Entries of one feed that are looked at, from its top.
const MOST_ENTRIES: usize = 500;
/// Feeds that are parsed at the same time, by the whole process: each may hold some tens of megabytes.
static PARSERS: Semaphore = Semaphore::const_new(2);
/// What staff read of anything else.
const NO_FEED: &str = "the answer is no feed (RSS, Atom or JSON Feed)";
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

/// The contents of a feed (RSS, Atom or JSON Feed) in its order; what is none, or not all of one, is an error. It waits for
/// a parser, of which few work at the same time, and holds up no other task.
pub(super) async fn read(body: Vec<u8>, base: String) -> Result<Vec<Item>, String> {
    let unread = |_| NO_FEED.to_owned();
    let _turn = PARSERS.acquire().await.map_err(|error| error.to_string())?;
    tokio::task::spawn_blocking(move || {
        parse_on_own_stack(|| items(&body, &base)).map_err(|_| NO_FEED.to_owned())?
    })
    .await
    .map_err(unread)?
}

/// Reads a feed where it stands. The parser panics at some feeds: that is the caller's to catch.
fn items(body: &[u8], base: &str) -> Result<Vec<Item>, String> {
    if !is_whole(body) {
        return Err("the answer is no feed, or ends in the middle of one".into());
    }
    if !may_be_a_feed(body) {
        return Err(NO_FEED.into());
    }
    let parser = feed_rs::parser::Builder::new().base_uri(Some(base)).build();
    let feed = parser.parse(outline::outline(body)?.as_slice()).map_err(|_| NO_FEED.to_owned())?;
    let items = feed.entries.into_iter().take(MOST_ENTRIES).filter_map(|entry| {
        let link = entry.links.iter().find(|link| link.rel.as_deref().is_none_or(|rel| rel == "alternate"));
        let text = link.map_or(entry.id.as_str(), |link| link.href.as_str());
        let published_at = entry.published.map(|at| Time(at.timestamp_micros()));
        Some(Item { url: page(text)?, published_at })
    });
    Ok(items.collect())
}

/// Whether a document begins and ends as one does: a parser may take the first half of a feed for all of it. The outline
/// makes sure that its elements are closed; comments may follow them, as caches add theirs.
fn is_whole(body: &[u8]) -> bool {
    let text = body.trim_ascii();
    // The byte order mark of UTF-8 may come first.
    matches!((text.first(), text.last()), (Some(b'{'), Some(b'}')) | (Some(b'<' | 0xef), Some(b'>')))
}

/// Whether the root of a feed stands anywhere in a document; a page that asks to sign in is told from a damaged feed by it.
fn may_be_a_feed(body: &[u8]) -> bool {
    let roots: [&[u8]; 3] = [b"<rss", b"feed", b"RDF"];
    body.trim_ascii_start().starts_with(b"{") || roots.iter().any(|root| memmem::find(body, root).is_some())
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
    use panel_fuzz::{Run, deep, json_texts, xml_texts};

    use super::*;

    fn read_now(body: &[u8]) -> Result<Vec<Item>, String> {
        let read = || items(body, "https://a.example/feed");
        parse_on_own_stack(read).unwrap_or_else(|_| panic!("the parser panicked"))
    }

    const RSS: &str = r#"<?xml version="1.0"?><rss version="2.0"><channel><title>A</title><link>https://a.example/</link>
      <item><title>2</title><link>https://a.example/2</link><pubDate>Fri, 20 Nov 2026 10:00:00 GMT</pubDate></item>
      <item><title>1</title><link>/1</link></item>
      <item><title>bad</title><link>javascript:alert(1)</link></item></channel></rss>"#;
    const ATOM: &str = r#"<feed xmlns="http://www.w3.org/2005/Atom"><title>A</title><id>x</id><updated>2026-11-20T10:00:00Z</updated>
      <entry><id>yt:1</id><title>1</title><link rel="self" href="https://a.example/self"/><link rel="alternate" href="https://a.example/1"/>
        <updated>2026-11-21T10:00:00Z</updated></entry></feed>"#;
    const JSON: &str = r#"{"version":"https://jsonfeed.org/version/1.1","title":"A","items":[{"id":"1","url":"https://a.example/1","content_text":"x","date_published":"2026-11-20T10:00:00Z"}]}"#;

    fn urls(text: &str) -> Vec<(String, Option<i64>)> {
        let items = read_now(text.as_bytes()).unwrap();
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
    fn a_page_is_no_feed_however_it_is_written() {
        for page in [
            "<!doctype html><title>Sign in</title><h1>Checking</h1></html>",
            "<html><br></html>",
            "<style>a{}</style>",
        ] {
            assert_eq!(read_now(page.as_bytes()).unwrap_err(), NO_FEED, "{page}");
        }
    }

    #[test]
    fn comments_may_follow_a_feed_but_nothing_may_be_missing() {
        for feed in [RSS, ATOM] {
            assert_eq!(urls(&format!("{feed}\n<!-- cached 2026 -->\n<?x?> ")), urls(feed));
            let cut = feed.trim_end().rfind("</").unwrap();
            for half in [&feed[..cut], &feed[..feed.rfind("</title>").unwrap() + 8], &feed[..cut + 4]] {
                assert!(read_now(half.as_bytes()).is_err(), "{half}");
            }
        }
    }

    /// feed-rs 3.0.0 panics at an author with `（` and at a duration of twenty digits; neither is in the outline.
    #[test]
    fn what_is_not_read_of_a_feed_spoils_nothing() {
        let with = |text: &str| RSS.replace("<title>2</title>", text);
        let author = "<author>\u{5c71}\u{7530}\u{592a}\u{90ce}\u{ff08}taro@example.jp\u{ff09}</author>";
        let long = r#"<itunes:duration xmlns:itunes="http://www.itunes.com/dtds/podcast-1.0.dtd">99999999999999999999</itunes:duration>"#;
        for text in [author, long] {
            assert_eq!(urls(&with(text)).len(), 2, "{text}");
        }
    }

    const TOO_DEEP: &str = "The feed nests deeper than 64 levels, so it was not read.";

    #[test]
    fn a_feed_that_nests_deeply_is_refused() {
        for depth in [65, 2_000, 6_000, 60_000] {
            for (open, close) in [("<div>", "</div>"), ("<media:group>", "</media:group>")] {
                let deep = deep(open, "", close, depth);
                for text in [
                    RSS.replace("<title>2</title>", &deep),
                    ATOM.replace("<title>1</title>", &format!("<content type=\"xhtml\">{deep}</content>")),
                ] {
                    assert_eq!(read_now(text.as_bytes()).unwrap_err(), TOO_DEEP);
                }
            }
            let text = JSON.replace("\"x\"", &deep("[", "", "]", depth));
            assert_eq!(read_now(text.as_bytes()).unwrap_err(), TOO_DEEP);
        }
    }

    #[test]
    fn the_deepest_feed_that_is_read_fits_the_stack() {
        let (media, itunes) = ("http://search.yahoo.com/mrss/", "http://www.itunes.com/dtds/podcast-1.0.dtd");
        // rss, channel and item are three of the 64 levels.
        for (name, space) in [("m:group", media), ("m:content", media), ("m:category", itunes), ("link", "")]
        {
            let open = format!("<{name} xmlns:m=\"{space}\" text=\"x\">");
            let text = RSS.replace("<title>2</title>", &deep(&open, "x", &format!("</{name}>"), 61));
            assert_eq!(read_now(text.as_bytes()).map(|items| items.len()), Ok(2), "{name}");
        }
        let text = JSON.replace("\"x\"", &format!("\"x\",\"_x\":{}", deep("[", "", "]", 61)));
        assert_eq!(read_now(text.as_bytes()).map(|items| items.len()), Ok(1));
    }

    /// Feeds of 2 MiB that made the parser hold gigabytes or compare each part with every other.
    #[test]
    fn hostile_feeds_of_two_mebibytes_are_read_or_refused_soon() {
        const SIZE: usize = 2 << 20;
        let fill = |part: &str, before: usize| part.repeat((SIZE - before) / part.len());
        let half = "x".repeat(SIZE / 2);
        let media = "xmlns:m=\"http://search.yahoo.com/mrss/\"";
        let groups = fill(
            "<m:group xmlns:m=\"http://search.yahoo.com/mrss/\"><m:content url=\"http://a\"/></m:group>",
            SIZE / 2 + 400,
        );
        let spaces: String = (0..60).map(|at| format!(" xmlns:a{at}=\"b{at}\"")).collect();
        let words = fill(" a", 500);
        let atom = |inner: &str, root: &str| {
            format!("<feed xmlns=\"http://www.w3.org/2005/Atom\"{root}>{inner}</feed>")
        };
        let authors = fill("{\"name\":\"0123456789\"},", SIZE / 2 + 500);
        let items = fill("{\"id\":\"1\"},", SIZE / 2 + 500);
        let feeds = [
            (
                "media groups",
                RSS.replace(
                    "<title>2</title>",
                    &format!("<m:description {media}>{half}</m:description>{}", groups),
                ),
            ),
            (
                "a long base",
                atom(
                    &fill("<entry><link href=\"a\"/></entry>", SIZE / 2),
                    &format!(" xml:base=\"http://a/{}\"", "x".repeat(200_000)),
                ),
            ),
            (
                "many bases",
                atom(
                    &fill("<entry xml:base=\"a/b/c/\"><link xml:base=\"d/\" href=\"a\"/></entry>", 200),
                    " xml:base=\"http://a/\"",
                ),
            ),
            ("links", atom(&format!("<entry>{}</entry>", fill("<link href=\"a\"/>", 200)), "")),
            ("namespaces", atom(&fill(&format!("<entry{spaces}><id>a</id></entry>"), 2_000), "")),
            ("empty elements", atom(&fill("<a/>", 200), "")),
            ("words of a tag", atom(&format!("<entry><link{words}/></entry>"), "")),
            ("dates", atom(&format!("<entry><published>{}</published></entry>", fill("Mon, 1 ", 200)), "")),
            ("entities", atom(&format!("<entry><id>{}</id></entry>", fill("&amp;", 200)), "")),
            ("comments", atom(&fill("<!---->", 200), "")),
            (
                "authors",
                format!(
                    "{{\"version\":\"https://jsonfeed.org/version/1.1\",\"title\":\"\",\"authors\":[{authors}{{}}],\"items\":[{items}{{}}]}}"
                ),
            ),
            (
                "lists",
                format!(
                    "{{\"version\":\"https://jsonfeed.org/version/1.1\",\"title\":\"\",\"items\":[],\"a\":[{}0]}}",
                    fill("[],", 200)
                ),
            ),
        ];
        for (what, text) in feeds {
            assert!(text.len() <= SIZE + (64 << 10), "{what}: {}", text.len());
            let began = std::time::Instant::now();
            let read = read_now(text.as_bytes()).map(|items| items.len());
            let took = began.elapsed();
            println!("{what}: {} bytes, {took:?}: {read:?}", text.len());
            assert!(took < std::time::Duration::from_secs(20), "{what} took {took:?}");
        }
    }

    #[test]
    fn fuzz_feeds() {
        const NAMES: &[&str] = &[
            "rss",
            "feed",
            "rdf:RDF",
            "channel",
            "item",
            "entry",
            "link",
            "guid",
            "id",
            "pubDate",
            "published",
            "dc:date",
            "media:group",
            "media:content",
            "author",
            "content",
            "title",
        ];
        Run::new("panel-server", "feeds").slowest(std::time::Duration::from_secs(2)).on(
            xml_texts(NAMES, &[RSS, ATOM]),
            |text| {
                // Whole, or the parser would hardly see any.
                let whole =
                    [b"<feed xmlns=\"http://www.w3.org/2005/Atom\"><entry>", &text[..], b"</entry></feed>"];
                for text in [text.to_vec(), whole.concat()] {
                    let items = read_now(&text).unwrap_or_default();
                    assert!(items.len() <= MOST_ENTRIES);
                    assert!(items.iter().all(|item| item.url.len() <= LONGEST));
                }
            },
        );
    }

    #[test]
    fn fuzz_json_feeds() {
        const NAMES: &[&str] =
            &["version", "title", "items", "id", "url", "external_url", "date_published", "authors", "name"];
        Run::new("panel-server", "json_feeds").slowest(std::time::Duration::from_secs(2)).on(
            json_texts(NAMES, &[JSON]),
            |text| {
                let items = read_now(text).unwrap_or_default();
                assert!(items.len() <= MOST_ENTRIES);
            },
        );
    }

    #[test]
    fn what_is_no_whole_feed_is_an_error() {
        for text in [RSS, ATOM, JSON] {
            for part in [text.len() / 2, text.len() * 3 / 4, text.len() - 7] {
                assert!(read_now(&text.as_bytes()[..part]).is_err(), "{}", &text[..part]);
            }
        }
        for text in ["", "{}", "[]", "<!doctype html><title>Sign in</title></html>", "<html></html>", "\u{0}"]
        {
            assert!(read_now(text.as_bytes()).is_err(), "{text}");
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
