//! Builds the URL of the feed of a channel, and parses the contents of a feed. The server uses only the URLs and dates of a feed.
//! The parser gets the outline of a feed instead of the whole document, and runs on a thread with a stack of known size. Sends no
//! requests.

mod outline;

use memchr::memmem;
use panel_contract::moment::Time;
use panel_kernel::untrusted_data::parse_on_new_thread;
use tokio::sync::Semaphore;
use url::Url;

use panel_platform::outbound::fill_template;

/// Maximum number of entries that are read, beginning with the first entry of the feed.
const MAX_ENTRIES: usize = 500;
/// Limits the number of feeds that the process parses at the same time, because parsing one feed may need tens of megabytes.
static PARSER_PERMITS: Semaphore = Semaphore::const_new(2);
/// The error message for a document that is not a feed. Staff see it.
const NOT_A_FEED_MESSAGE: &str = "The response is not a feed (RSS, Atom or JSON Feed).";
/// Maximum length of the URL of a content, in bytes. A longer URL does not fit into a database index.
const MAX_URL_BYTES: usize = 2_000;

/// A content in a feed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct FeedItem {
    /// Identifies the content within its subscription.
    pub(super) url: String,
    /// Time of publication, if the feed contains it. A content that is changed later keeps this time, so it does not become new.
    pub(super) published_at: Option<Time>,
}

/// Returns the URL of the feed of a channel: the template of the setting `content_feed_url` with its placeholders replaced, or,
/// without a template, the URL of the channel. `None` if the channel has only a name and there is no template.
pub(super) fn build_feed_url(template: Option<&str>, channel: &str, kind: &str) -> Option<String> {
    match template {
        Some(template) => Some(fill_template(template, &[("url", channel), ("type", kind)])),
        None => is_url(channel).then(|| channel.to_owned()),
    }
}

/// Whether a channel is a URL rather than a name.
pub(super) fn is_url(channel: &str) -> bool {
    channel.contains("://")
}

/// Parses a feed (RSS, Atom or JSON Feed) and returns its contents in the order of the feed. For any other document, and for an
/// incomplete feed, returns an error message for staff. Waits for a parser permit, and parses on a blocking thread.
pub(super) async fn parse_feed(body: Vec<u8>, base_url: String) -> Result<Vec<FeedItem>, String> {
    let _permit = PARSER_PERMITS.acquire().await.map_err(|error| error.to_string())?;
    tokio::task::spawn_blocking(move || {
        parse_on_new_thread(|| parse_items(&body, &base_url)).map_err(|_| NOT_A_FEED_MESSAGE.to_owned())?
    })
    .await
    .map_err(|_| NOT_A_FEED_MESSAGE.to_owned())?
}

/// Parses a feed on the current thread. The parser panics on some feeds, and the caller must catch the panic.
fn parse_items(body: &[u8], base_url: &str) -> Result<Vec<FeedItem>, String> {
    if !is_complete(body) {
        return Err("The response is not a feed, or ends in the middle of one.".into());
    }
    if !may_be_a_feed(body) {
        return Err(NOT_A_FEED_MESSAGE.into());
    }
    let parser = feed_rs::parser::Builder::new().base_uri(Some(base_url)).build();
    let feed =
        parser.parse(outline::build_outline(body)?.as_slice()).map_err(|_| NOT_A_FEED_MESSAGE.to_owned())?;
    let items = feed.entries.into_iter().take(MAX_ENTRIES).filter_map(|entry| {
        let link = entry.links.iter().find(|link| link.rel.as_deref().is_none_or(|rel| rel == "alternate"));
        let text = link.map_or(entry.id.as_str(), |link| link.href.as_str());
        let published_at = entry.published.map(|published| Time(published.timestamp_micros()));
        Some(FeedItem { url: parse_page_url(text)?, published_at })
    });
    Ok(items.collect())
}

/// Whether a document begins and ends like a complete feed. This is checked because a parser may accept the first half of a feed.
/// The outline checks that all elements are closed. Comments may follow the feed, because caches add them.
fn is_complete(body: &[u8]) -> bool {
    let text = body.trim_ascii();
    // 0xef begins the byte order mark of UTF-8.
    matches!((text.first(), text.last()), (Some(b'{'), Some(b'}')) | (Some(b'<' | 0xef), Some(b'>')))
}

/// Whether a document contains the root element of a feed anywhere: this distinguishes a damaged feed from a sign-in page.
fn may_be_a_feed(body: &[u8]) -> bool {
    let roots: [&[u8]; 3] = [b"<rss", b"feed", b"RDF"];
    body.trim_ascii_start().starts_with(b"{") || roots.iter().any(|root| memmem::find(body, root).is_some())
}

/// Parses and normalizes the URL of a content. `None` unless it is a web address that fits into an index.
fn parse_page_url(text: &str) -> Option<String> {
    let url = Url::parse(text.trim()).ok()?;
    let is_web = matches!(url.scheme(), "http" | "https") && url.has_host();
    let text = String::from(url);
    (is_web && text.len() <= MAX_URL_BYTES).then_some(text)
}

#[cfg(test)]
mod tests {
    use panel_fuzz::{FuzzTarget, json_documents, nest, xml_documents};

    use super::*;

    fn parse_now(body: &[u8]) -> Result<Vec<FeedItem>, String> {
        let parse = || parse_items(body, "https://a.example/feed");
        parse_on_new_thread(parse).unwrap_or_else(|_| panic!("the parser panicked"))
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
        let items = parse_now(text.as_bytes()).unwrap();
        items.into_iter().map(|item| (item.url, item.published_at.map(|time| time.0))).collect()
    }

    #[test]
    fn parses_contents_of_every_feed_format() {
        let published = Some(1_795_168_800_000_000);
        assert_eq!(
            urls(RSS),
            [("https://a.example/2".into(), published), ("https://a.example/1".to_owned(), None)],
            "relative URLs are resolved against the feed's, and only web pages are contents"
        );
        assert_eq!(
            urls(ATOM),
            [("https://a.example/1".into(), None)],
            "the time of an update is not the time of publication"
        );
        assert_eq!(urls(JSON), [("https://a.example/1".into(), published)]);
    }

    #[test]
    fn rejects_a_page_that_is_not_a_feed() {
        for page in [
            "<!doctype html><title>Sign in</title><h1>Checking</h1></html>",
            "<html><br></html>",
            "<style>a{}</style>",
        ] {
            assert_eq!(parse_now(page.as_bytes()).unwrap_err(), NOT_A_FEED_MESSAGE, "{page}");
        }
    }

    #[test]
    fn accepts_comments_after_a_feed_and_rejects_an_incomplete_one() {
        for feed in [RSS, ATOM] {
            assert_eq!(urls(&format!("{feed}\n<!-- cached 2026 -->\n<?x?> ")), urls(feed));
            let root_end = feed.trim_end().rfind("</").unwrap();
            for half in
                [&feed[..root_end], &feed[..feed.rfind("</title>").unwrap() + 8], &feed[..root_end + 4]]
            {
                assert!(parse_now(half.as_bytes()).is_err(), "{half}");
            }
        }
    }

    /// feed-rs 3.0.0 panics at an author with `（` and at a duration of twenty digits; neither is in the outline.
    #[test]
    fn unused_elements_of_a_feed_cause_no_error() {
        let rss_with = |text: &str| RSS.replace("<title>2</title>", text);
        let author = "<author>\u{5c71}\u{7530}\u{592a}\u{90ce}\u{ff08}taro@example.jp\u{ff09}</author>";
        let duration = r#"<itunes:duration xmlns:itunes="http://www.itunes.com/dtds/podcast-1.0.dtd">99999999999999999999</itunes:duration>"#;
        for text in [author, duration] {
            assert_eq!(urls(&rss_with(text)).len(), 2, "{text}");
        }
    }

    const TOO_DEEP: &str = "The feed nests deeper than 64 levels, so it was not read.";

    #[test]
    fn rejects_a_feed_that_nests_too_deeply() {
        for depth in [65, 2_000, 6_000, 60_000] {
            for (open, close) in [("<div>", "</div>"), ("<media:group>", "</media:group>")] {
                let deep = nest(open, "", close, depth);
                for text in [
                    RSS.replace("<title>2</title>", &deep),
                    ATOM.replace("<title>1</title>", &format!("<content type=\"xhtml\">{deep}</content>")),
                ] {
                    assert_eq!(parse_now(text.as_bytes()).unwrap_err(), TOO_DEEP);
                }
            }
            let text = JSON.replace("\"x\"", &nest("[", "", "]", depth));
            assert_eq!(parse_now(text.as_bytes()).unwrap_err(), TOO_DEEP);
        }
    }

    #[test]
    fn the_deepest_accepted_feed_fits_the_stack() {
        let (media, itunes) = ("http://search.yahoo.com/mrss/", "http://www.itunes.com/dtds/podcast-1.0.dtd");
        // rss, channel and item are three of the 64 levels.
        for (name, namespace) in
            [("m:group", media), ("m:content", media), ("m:category", itunes), ("link", "")]
        {
            let open_tag = format!("<{name} xmlns:m=\"{namespace}\" text=\"x\">");
            let text = RSS.replace("<title>2</title>", &nest(&open_tag, "x", &format!("</{name}>"), 61));
            assert_eq!(parse_now(text.as_bytes()).map(|items| items.len()), Ok(2), "{name}");
        }
        let text = JSON.replace("\"x\"", &format!("\"x\",\"_x\":{}", nest("[", "", "]", 61)));
        assert_eq!(parse_now(text.as_bytes()).map(|items| items.len()), Ok(1));
    }

    /// Feeds of 2 MiB that made the parser allocate gigabytes or take quadratic time.
    #[test]
    fn reads_or_rejects_hostile_feeds_of_two_mebibytes_in_time() {
        const SIZE: usize = 2 << 20;
        let fill = |part: &str, reserved: usize| part.repeat((SIZE - reserved) / part.len());
        let half = "x".repeat(SIZE / 2);
        let media = "xmlns:m=\"http://search.yahoo.com/mrss/\"";
        let groups = fill(
            "<m:group xmlns:m=\"http://search.yahoo.com/mrss/\"><m:content url=\"http://a\"/></m:group>",
            SIZE / 2 + 400,
        );
        let spaces: String = (0..60).map(|index| format!(" xmlns:a{index}=\"b{index}\"")).collect();
        let attributes = fill(" a", 500);
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
            ("attributes of a tag", atom(&format!("<entry><link{attributes}/></entry>"), "")),
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
        for (label, text) in feeds {
            assert!(text.len() <= SIZE + (64 << 10), "{label}: {}", text.len());
            let started_at = std::time::Instant::now();
            let result = parse_now(text.as_bytes()).map(|items| items.len());
            let elapsed = started_at.elapsed();
            println!("{label}: {} bytes, {elapsed:?}: {result:?}", text.len());
            assert!(elapsed < std::time::Duration::from_secs(20), "{label} took {elapsed:?}");
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
        FuzzTarget::new("panel-server", "feeds").time_limit(std::time::Duration::from_secs(2)).run(
            xml_documents(NAMES, &[RSS, ATOM]),
            |text| {
                // Wrapped as a complete feed, because the parser rejects nearly all other texts.
                let wrapped =
                    [b"<feed xmlns=\"http://www.w3.org/2005/Atom\"><entry>", &text[..], b"</entry></feed>"];
                for text in [text.to_vec(), wrapped.concat()] {
                    let items = parse_now(&text).unwrap_or_default();
                    assert!(items.len() <= MAX_ENTRIES);
                    assert!(items.iter().all(|item| item.url.len() <= MAX_URL_BYTES));
                }
            },
        );
    }

    #[test]
    fn fuzz_json_feeds() {
        const NAMES: &[&str] =
            &["version", "title", "items", "id", "url", "external_url", "date_published", "authors", "name"];
        FuzzTarget::new("panel-server", "json_feeds").time_limit(std::time::Duration::from_secs(2)).run(
            json_documents(NAMES, &[JSON]),
            |text| {
                let items = parse_now(text).unwrap_or_default();
                assert!(items.len() <= MAX_ENTRIES);
            },
        );
    }

    #[test]
    fn an_incomplete_feed_is_an_error() {
        for text in [RSS, ATOM, JSON] {
            for part in [text.len() / 2, text.len() * 3 / 4, text.len() - 7] {
                assert!(parse_now(&text.as_bytes()[..part]).is_err(), "{}", &text[..part]);
            }
        }
        for text in ["", "{}", "[]", "<!doctype html><title>Sign in</title></html>", "<html></html>", "\u{0}"]
        {
            assert!(parse_now(text.as_bytes()).is_err(), "{text}");
        }
    }

    #[test]
    fn the_setting_determines_the_url_of_a_feed() {
        let url_of = |template, channel| build_feed_url(template, channel, "youtube");
        assert_eq!(url_of(None, "https://a.example/@b").as_deref(), Some("https://a.example/@b"));
        assert_eq!(url_of(None, "@b"), None);
        let bridge = Some("https://bridge.example/{type}?u={url}");
        assert_eq!(url_of(bridge, "@b").as_deref(), Some("https://bridge.example/youtube?u=%40b"));
        let url = url_of(bridge, "https://a.example/x?y=1&z").unwrap();
        assert_eq!(url, "https://bridge.example/youtube?u=https%3A%2F%2Fa.example%2Fx%3Fy%3D1%26z");
    }
}
