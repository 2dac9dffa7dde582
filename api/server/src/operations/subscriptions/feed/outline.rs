//! A feed without all that is not read of it: the first entries, and of each its links, ids and dates. Pure, flat, and its
//! time grows with the bytes alone.
//!
//! The parser of feeds recurses, copies a group's description into each of its groups, an author into each entry and a base
//! address into each element, so that a feed of 2 MiB can make it hold gigabytes. What it sees is this outline instead:
//! four levels, 500 entries, 16 elements in each, addresses of bounded length.

use panel_kernel::foreign::{ForeignDataError, MAX_DEPTH, XmlKind, XmlLimits, XmlPart, check_json, scan_xml};
use serde::de::{IgnoredAny, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize};

use super::MOST_ENTRIES;

/// Elements of one entry that are kept.
const MOST_ELEMENTS: usize = 16;
/// Bytes of a tag that is kept, and of the text of an element.
const LONGEST: usize = 4 << 10;
/// Bytes of a tag that says which address its links belong to: the parser copies it into each of them.
const LONGEST_BASE: usize = 1 << 10;
/// Elements of an entry that say what it is and when it was published, whatever their prefix.
const TELLING: [&[u8]; 6] = [b"link", b"guid", b"id", b"pubDate", b"published", b"date"];

/// The outline of a feed, or why it is none, in a sentence for staff.
pub(super) fn outline(body: &[u8]) -> Result<Vec<u8>, String> {
    if body.trim_ascii_start().starts_with(b"{") { of_json(body) } else { of_xml(body).map_err(refused) }
}

/// Why a feed is not read.
fn refused(error: ForeignDataError) -> String {
    let why = match error {
        ForeignDataError::TooDeep { limit } => format!("The feed nests deeper than {limit} levels"),
        ForeignDataError::TooManyValues { limit } => format!("The feed holds more than {limit} values"),
        ForeignDataError::TooManyAttributes { limit } => {
            format!("An element of the feed has more than {limit} attributes")
        }
        ForeignDataError::TagTooLong { limit } => format!("A tag of the feed is longer than {limit} bytes"),
        ForeignDataError::Malformed(why) if why.ends_with("is not closed") => {
            format!("The feed ends in the middle ({why})")
        }
        ForeignDataError::Malformed(why) => format!("The feed is not well-formed XML ({why})"),
    };
    format!("{why}, so it was not read.")
}

#[derive(Deserialize, Serialize)]
struct JsonFeed {
    version: String,
    #[serde(default)]
    title: String,
    #[serde(deserialize_with = "first_items")]
    items: Vec<JsonItem>,
}

#[derive(Deserialize, Serialize)]
struct JsonItem {
    id: Option<String>,
    url: Option<String>,
    external_url: Option<String>,
    date_published: Option<String>,
}

fn of_json(body: &[u8]) -> Result<Vec<u8>, String> {
    check_json(body, MAX_DEPTH).map_err(refused)?;
    let feed: JsonFeed = serde_json::from_slice(body).map_err(|_| super::NO_FEED.to_owned())?;
    serde_json::to_vec(&feed).map_err(|error| error.to_string())
}

fn first_items<'de, D: Deserializer<'de>>(source: D) -> Result<Vec<JsonItem>, D::Error> {
    struct First;
    impl<'de> Visitor<'de> for First {
        type Value = Vec<JsonItem>;
        fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
            f.write_str("a list of items")
        }
        fn visit_seq<A: SeqAccess<'de>>(self, mut all: A) -> Result<Self::Value, A::Error> {
            let mut items = Vec::new();
            while items.len() < MOST_ENTRIES {
                let Some(item) = all.next_element()? else { return Ok(items) };
                items.push(item);
            }
            while all.next_element::<IgnoredAny>()?.is_some() {}
            Ok(items)
        }
    }
    source.deserialize_seq(First)
}

fn of_xml(body: &[u8]) -> Result<Vec<u8>, ForeignDataError> {
    let mut outline = Outline::default();
    scan_xml(body, XmlLimits::default(), |part| outline.part(part))?;
    Ok(outline.out)
}

/// Where in the document the scan stands. Levels are those of [`XmlKind`]; an element at a level that is noted here is open.
#[derive(Default)]
struct Outline {
    out: Vec<u8>,
    /// The element that is left out with all that is in it.
    skipped: Option<usize>,
    /// Whether the element at level 2 is RSS's `channel`.
    is_in_channel: bool,
    /// The entry.
    entry: Option<usize>,
    /// The element of the entry that is kept.
    element: Option<Element>,
    /// How many entries, and how many elements of the last, were kept.
    entries: usize,
    elements: usize,
}

struct Element {
    level: usize,
    /// Where it begins in the outline: it is taken back where it turns out too long.
    from: usize,
    /// Where its text begins.
    text: usize,
    /// Whether another element began in it: the parser reads the text before that one only.
    is_read: bool,
}

impl Outline {
    fn part(&mut self, part: XmlPart<'_>) -> Result<(), ForeignDataError> {
        match part.kind {
            XmlKind::Start { name, level, is_empty } => {
                if self.skipped.is_none() && self.element.is_none() {
                    self.start(part.raw, name, level, is_empty)?;
                } else if let Some(element) = &mut self.element {
                    element.is_read = true;
                }
            }
            XmlKind::End { level } => self.end(part.raw, level),
            XmlKind::Text => self.text(part.raw),
            XmlKind::Instruction => {
                if self.out.is_empty() && part.raw.starts_with(b"<?xml") && part.raw.len() <= LONGEST_BASE {
                    self.out.extend_from_slice(part.raw);
                }
            }
            XmlKind::Other => {}
        }
        Ok(())
    }

    fn start(
        &mut self,
        tag: &[u8],
        name: &[u8],
        level: usize,
        is_empty: bool,
    ) -> Result<(), ForeignDataError> {
        let local = name.rsplit(|byte| *byte == b':').next().unwrap_or_default();
        let longest = if memchr::memmem::find(tag, b"xml:base").is_some() { LONGEST_BASE } else { LONGEST };
        let keeps = if self.entry.is_some() {
            TELLING.contains(&local) && self.elements < MOST_ELEMENTS && tag.len() <= longest
        } else {
            self.is_outer(local, level)
        };
        if !keeps {
            self.skipped = (!is_empty).then_some(level);
            return Ok(());
        }
        if tag.len() > longest {
            return Err(ForeignDataError::TagTooLong { limit: longest });
        }
        let from = self.out.len();
        self.out.extend_from_slice(tag);
        if self.entry.is_some() {
            self.elements += 1;
            let text = self.out.len();
            self.element = (!is_empty).then_some(Element { level, from, text, is_read: false });
        } else if matches!(local, b"item" | b"entry") && level > 1 {
            (self.entries, self.elements) = (self.entries + 1, 0);
            self.entry = (!is_empty).then_some(level);
        } else if level == 2 {
            self.is_in_channel = !is_empty;
        }
        Ok(())
    }

    /// Whether an element outside of entries is kept: the root, a channel, or one of the first entries.
    fn is_outer(&self, local: &[u8], level: usize) -> bool {
        let is_entry = matches!(local, b"item" | b"entry") && self.entries < MOST_ENTRIES;
        match level {
            1 => true,
            2 => is_entry || local == b"channel",
            3 => is_entry && self.is_in_channel,
            _ => false,
        }
    }

    fn end(&mut self, tag: &[u8], level: usize) {
        if let Some(skipped) = self.skipped {
            if skipped == level {
                self.skipped = None;
            }
            return;
        }
        if let Some(element) = &self.element {
            if element.level != level {
                return;
            }
            self.element = None;
        } else if self.entry == Some(level) {
            self.entry = None;
        } else if level == 2 {
            self.is_in_channel = false;
        }
        self.out.extend_from_slice(tag);
    }

    fn text(&mut self, text: &[u8]) {
        let Some(element) = self.element.as_ref().filter(|element| !element.is_read) else { return };
        if self.out.len() - element.text + text.len() > LONGEST {
            // Neither an address nor a date.
            self.out.truncate(element.from);
            self.skipped = Some(element.level);
            self.element = None;
        } else {
            self.out.extend_from_slice(text);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str) -> String {
        String::from_utf8(outline(text.as_bytes()).unwrap()).unwrap()
    }

    #[test]
    fn only_what_is_read_is_kept() {
        let rss = "<?xml version='1.0'?><rss version='2.0'><channel><title>A</title><link>x</link><image><link>y</link></image>\
                   <item><title>t</title><link>a<b/>c</link><m:group><m:link>z</m:link></m:group><guid>g</guid></item></channel></rss>";
        assert_eq!(
            of(rss),
            "<?xml version='1.0'?><rss version='2.0'><channel><item><link>a</link><guid>g</guid></item></channel></rss>"
        );
        let atom = "<feed><id>f</id><entry><id>1</id><link href='a'/><content><div><link/></div></content></entry><entry/></feed>";
        assert_eq!(of(atom), "<feed><entry><id>1</id><link href='a'/></entry><entry/></feed>");
        let rdf = "<rdf:RDF><channel><link>x</link></channel><item><link>a</link><dc:date>d</dc:date></item></rdf:RDF>";
        assert_eq!(
            of(rdf),
            "<rdf:RDF><channel></channel><item><link>a</link><dc:date>d</dc:date></item></rdf:RDF>"
        );
        let json = r#"{"version":"v","authors":[{"name":"A"}],"items":[{"id":"1","tags":[[1]],"url":"u"}]}"#;
        assert_eq!(
            of(json),
            r#"{"version":"v","title":"","items":[{"id":"1","url":"u","external_url":null,"date_published":null}]}"#
        );
    }

    #[test]
    fn numbers_and_lengths_are_bounded() {
        let entry = format!("<entry>{}<id>{}</id></entry>", "<link/>".repeat(30), "x".repeat(5_000));
        let text = of(&format!("<feed>{}</feed>", entry.repeat(600)));
        assert_eq!(
            text,
            format!("<feed>{}</feed>", format!("<entry>{}</entry>", "<link/>".repeat(16)).repeat(500))
        );
        let long = format!("<feed><entry><id>{}</id><link/></entry></feed>", "x".repeat(LONGEST + 1));
        assert_eq!(of(&long), "<feed><entry><link/></entry></feed>");
        let base = format!("<feed xml:base='{}'></feed>", "x".repeat(LONGEST_BASE));
        assert_eq!(
            outline(base.as_bytes()).unwrap_err(),
            "A tag of the feed is longer than 1024 bytes, so it was not read."
        );
    }
}
