//! Reduces a feed to its outline: the first entries with their links, ids and dates. Pure, without recursion, in time proportional
//! to the size of the feed.
//!
//! The feed parser recurses, copies a group's description into each of its groups, an author into each entry and a base address
//! into each element, so a feed of 2 MiB can make it allocate gigabytes. It therefore gets only the outline: four levels, 500
//! entries, 16 elements per entry, addresses of bounded length.

use panel_kernel::foreign::{ForeignDataError, MAX_DEPTH, XmlKind, XmlLimits, XmlPart, check_json, scan_xml};
use serde::de::{IgnoredAny, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize};

use super::MAX_ENTRIES;

/// Largest number of elements of one entry in the outline.
const MAX_ELEMENTS: usize = 16;
/// Largest size of a tag in the outline, and of the text of an element.
const MAX_TAG_BYTES: usize = 4 << 10;
/// Largest size of a tag with a base address (`xml:base`), because the parser copies that address into each link.
const MAX_BASE_BYTES: usize = 1 << 10;
/// Local names of the elements that hold the id, link or time of publication of an entry.
const ENTRY_ELEMENTS: [&[u8]; 6] = [b"link", b"guid", b"id", b"pubDate", b"published", b"date"];

/// Returns the outline of a feed. The error is a sentence for staff.
pub(super) fn outline(body: &[u8]) -> Result<Vec<u8>, String> {
    if body.trim_ascii_start().starts_with(b"{") {
        outline_of_json(body)
    } else {
        outline_of_xml(body).map_err(error_message)
    }
}

fn error_message(error: ForeignDataError) -> String {
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

fn outline_of_json(body: &[u8]) -> Result<Vec<u8>, String> {
    check_json(body, MAX_DEPTH).map_err(error_message)?;
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
            while items.len() < MAX_ENTRIES {
                let Some(item) = all.next_element()? else { return Ok(items) };
                items.push(item);
            }
            while all.next_element::<IgnoredAny>()?.is_some() {}
            Ok(items)
        }
    }
    source.deserialize_seq(First)
}

fn outline_of_xml(body: &[u8]) -> Result<Vec<u8>, ForeignDataError> {
    let mut outline = Outline::default();
    scan_xml(body, XmlLimits::default(), |part| outline.part(part))?;
    Ok(outline.out)
}

/// Position of the scan in the document. Levels are those of [`XmlKind`]; each level here belongs to an element that is still open.
#[derive(Default)]
struct Outline {
    out: Vec<u8>,
    /// Level of the element that is skipped together with its content.
    skipped: Option<usize>,
    /// Whether the element at level 2 is RSS's `channel`.
    is_in_channel: bool,
    /// Level of the current entry.
    entry: Option<usize>,
    /// The current element of the entry.
    element: Option<Element>,
    /// Number of entries in the outline.
    entries: usize,
    /// Number of elements of the last entry in the outline.
    elements: usize,
}

struct Element {
    level: usize,
    /// Offset in the outline where it begins; an element with a too long text is removed again.
    from: usize,
    /// Offset in the outline where its text begins.
    text: usize,
    /// Whether a child element began. The parser reads only the text before it.
    has_child: bool,
}

impl Outline {
    fn part(&mut self, part: XmlPart<'_>) -> Result<(), ForeignDataError> {
        match part.kind {
            XmlKind::Start { name, level, is_empty } => {
                if self.skipped.is_none() && self.element.is_none() {
                    self.start(part.raw, name, level, is_empty)?;
                } else if let Some(element) = &mut self.element {
                    element.has_child = true;
                }
            }
            XmlKind::End { level } => self.end(part.raw, level),
            XmlKind::Text => self.text(part.raw),
            XmlKind::Instruction => {
                if self.out.is_empty() && part.raw.starts_with(b"<?xml") && part.raw.len() <= MAX_BASE_BYTES {
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
        let max_bytes =
            if memchr::memmem::find(tag, b"xml:base").is_some() { MAX_BASE_BYTES } else { MAX_TAG_BYTES };
        let is_included = if self.entry.is_some() {
            ENTRY_ELEMENTS.contains(&local) && self.elements < MAX_ELEMENTS && tag.len() <= max_bytes
        } else {
            self.is_outer(local, level)
        };
        if !is_included {
            self.skipped = (!is_empty).then_some(level);
            return Ok(());
        }
        if tag.len() > max_bytes {
            return Err(ForeignDataError::TagTooLong { limit: max_bytes });
        }
        let from = self.out.len();
        self.out.extend_from_slice(tag);
        if self.entry.is_some() {
            self.elements += 1;
            let text = self.out.len();
            self.element = (!is_empty).then_some(Element { level, from, text, has_child: false });
        } else if matches!(local, b"item" | b"entry") && level > 1 {
            (self.entries, self.elements) = (self.entries + 1, 0);
            self.entry = (!is_empty).then_some(level);
        } else if level == 2 {
            self.is_in_channel = !is_empty;
        }
        Ok(())
    }

    /// Whether the outline includes an element outside of entries: the root, a channel, or one of the first entries.
    fn is_outer(&self, local: &[u8], level: usize) -> bool {
        let is_entry = matches!(local, b"item" | b"entry") && self.entries < MAX_ENTRIES;
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
        let Some(element) = self.element.as_ref().filter(|element| !element.has_child) else { return };
        if self.out.len() - element.text + text.len() > MAX_TAG_BYTES {
            // Too long for an address or a date.
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
    fn the_outline_has_only_ids_links_and_dates() {
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
    fn bounds_the_numbers_and_the_lengths() {
        let entry = format!("<entry>{}<id>{}</id></entry>", "<link/>".repeat(30), "x".repeat(5_000));
        let text = of(&format!("<feed>{}</feed>", entry.repeat(600)));
        assert_eq!(
            text,
            format!("<feed>{}</feed>", format!("<entry>{}</entry>", "<link/>".repeat(16)).repeat(500))
        );
        let long = format!("<feed><entry><id>{}</id><link/></entry></feed>", "x".repeat(MAX_TAG_BYTES + 1));
        assert_eq!(of(&long), "<feed><entry><link/></entry></feed>");
        let base = format!("<feed xml:base='{}'></feed>", "x".repeat(MAX_BASE_BYTES));
        assert_eq!(
            outline(base.as_bytes()).unwrap_err(),
            "A tag of the feed is longer than 1024 bytes, so it was not read."
        );
    }
}
