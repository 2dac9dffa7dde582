//! Reduces a feed to its outline: the first entries with their links, ids and dates. Uses no recursion, and needs time proportional
//! to the size of the feed.
//!
//! The feed parser is recursive. It copies authors and the descriptions of media groups into each entry, and base URLs into each
//! element. So a feed of 2 MiB could make the parser allocate gigabytes. Therefore the parser gets only the outline: four levels, 500 entries, 16
//! elements per entry, and URLs of limited length.

use panel_kernel::untrusted_data::{
    MAX_DEPTH, UntrustedDataError, XmlLimits, XmlToken, XmlTokenKind, check_json, scan_xml,
};
use serde::de::{IgnoredAny, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize};

use super::MAX_ENTRIES;

/// Maximum number of elements of one entry in the outline.
const MAX_ELEMENTS: usize = 16;
/// Maximum size of a tag in the outline, and of the text of an element, in bytes.
const MAX_TAG_BYTES: usize = 4 << 10;
/// Maximum size of a tag with a base URL (`xml:base`), in bytes. This limit is smaller, because the parser copies the base URL into
/// each link.
const MAX_BASE_BYTES: usize = 1 << 10;
/// Maximum size of the XML declaration `<?xml …?>`, in bytes.
const MAX_DECLARATION_BYTES: usize = 1 << 10;
/// Local names of the elements that hold the id, link or time of publication of an entry.
const ENTRY_ELEMENTS: [&[u8]; 6] = [b"link", b"guid", b"id", b"pubDate", b"published", b"date"];

/// Builds the outline of a feed. The error is a sentence for staff.
pub(super) fn build_outline(body: &[u8]) -> Result<Vec<u8>, String> {
    if body.trim_ascii_start().starts_with(b"{") {
        build_json_outline(body)
    } else {
        build_xml_outline(body).map_err(error_message)
    }
}

fn error_message(error: UntrustedDataError) -> String {
    let problem = match error {
        UntrustedDataError::TooDeep { limit } => format!("The feed nests deeper than {limit} levels"),
        UntrustedDataError::TooManyValues { limit } => format!("The feed holds more than {limit} values"),
        UntrustedDataError::TooManyAttributes { limit } => {
            format!("An element of the feed has more than {limit} attributes")
        }
        UntrustedDataError::TagTooLong { limit } => format!("A tag of the feed is longer than {limit} bytes"),
        UntrustedDataError::Malformed(reason) if reason.ends_with("is not closed") => {
            format!("The feed ends in the middle ({reason})")
        }
        UntrustedDataError::Malformed(reason) => format!("The feed is not well-formed XML ({reason})"),
    };
    format!("{problem}, so it was not read.")
}

#[derive(Deserialize, Serialize)]
struct JsonFeed {
    version: String,
    #[serde(default)]
    title: String,
    #[serde(deserialize_with = "deserialize_first_items")]
    items: Vec<JsonItem>,
}

#[derive(Deserialize, Serialize)]
struct JsonItem {
    id: Option<String>,
    url: Option<String>,
    external_url: Option<String>,
    date_published: Option<String>,
}

fn build_json_outline(body: &[u8]) -> Result<Vec<u8>, String> {
    check_json(body, MAX_DEPTH).map_err(error_message)?;
    let feed: JsonFeed = serde_json::from_slice(body).map_err(|_| super::NOT_A_FEED_MESSAGE.to_owned())?;
    serde_json::to_vec(&feed).map_err(|error| error.to_string())
}

fn deserialize_first_items<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<JsonItem>, D::Error> {
    struct FirstItems;
    impl<'de> Visitor<'de> for FirstItems {
        type Value = Vec<JsonItem>;
        fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
            f.write_str("a list of items")
        }
        fn visit_seq<A: SeqAccess<'de>>(self, mut sequence: A) -> Result<Self::Value, A::Error> {
            let mut items = Vec::new();
            while items.len() < MAX_ENTRIES {
                let Some(item) = sequence.next_element()? else { return Ok(items) };
                items.push(item);
            }
            while sequence.next_element::<IgnoredAny>()?.is_some() {}
            Ok(items)
        }
    }
    deserializer.deserialize_seq(FirstItems)
}

fn build_xml_outline(body: &[u8]) -> Result<Vec<u8>, UntrustedDataError> {
    let mut builder = OutlineBuilder::default();
    scan_xml(body, XmlLimits::default(), |token| builder.push_token(token))?;
    Ok(builder.outline)
}

/// Builds the outline while the document is scanned. Each field with a level holds the level of an open element, as
/// [`XmlTokenKind`] counts levels.
#[derive(Default)]
struct OutlineBuilder {
    /// The outline up to the current position.
    outline: Vec<u8>,
    /// Level of the element that is skipped together with its content.
    skipped_level: Option<usize>,
    /// Whether the open element at level 2 is the element `channel` of RSS.
    is_in_channel: bool,
    /// Level of the current entry.
    entry_level: Option<usize>,
    /// The current element of the entry.
    element: Option<Element>,
    /// Number of entries in the outline.
    entry_count: usize,
    /// Number of elements of the last entry in the outline.
    element_count: usize,
}

struct Element {
    level: usize,
    /// Offset in the outline at which the element begins. An element whose text is too long is removed again.
    start_offset: usize,
    /// Offset in the outline at which the text of the element begins.
    text_offset: usize,
    /// Whether the element has a child element. The parser reads only the text before the first child.
    has_child: bool,
}

impl OutlineBuilder {
    fn push_token(&mut self, token: XmlToken<'_>) -> Result<(), UntrustedDataError> {
        match token.kind {
            XmlTokenKind::Start { name, level, is_empty } => {
                if self.skipped_level.is_none() && self.element.is_none() {
                    self.start_element(token.raw, name, level, is_empty)?;
                } else if let Some(element) = &mut self.element {
                    element.has_child = true;
                }
            }
            XmlTokenKind::End { level } => self.end_element(token.raw, level),
            XmlTokenKind::Text => self.push_text(token.raw),
            XmlTokenKind::Instruction => {
                if self.outline.is_empty()
                    && token.raw.starts_with(b"<?xml")
                    && token.raw.len() <= MAX_DECLARATION_BYTES
                {
                    self.outline.extend_from_slice(token.raw);
                }
            }
            XmlTokenKind::Other => {}
        }
        Ok(())
    }

    fn start_element(
        &mut self,
        tag: &[u8],
        name: &[u8],
        level: usize,
        is_empty: bool,
    ) -> Result<(), UntrustedDataError> {
        let local_name = name.rsplit(|byte| *byte == b':').next().unwrap_or_default();
        let max_bytes =
            if memchr::memmem::find(tag, b"xml:base").is_some() { MAX_BASE_BYTES } else { MAX_TAG_BYTES };
        let is_included = if self.entry_level.is_some() {
            ENTRY_ELEMENTS.contains(&local_name)
                && self.element_count < MAX_ELEMENTS
                && tag.len() <= max_bytes
        } else {
            self.is_outer_element_included(local_name, level)
        };
        if !is_included {
            self.skipped_level = (!is_empty).then_some(level);
            return Ok(());
        }
        if tag.len() > max_bytes {
            return Err(UntrustedDataError::TagTooLong { limit: max_bytes });
        }
        let start_offset = self.outline.len();
        self.outline.extend_from_slice(tag);
        if self.entry_level.is_some() {
            self.element_count += 1;
            let text_offset = self.outline.len();
            self.element =
                (!is_empty).then_some(Element { level, start_offset, text_offset, has_child: false });
        } else if matches!(local_name, b"item" | b"entry") && level > 1 {
            (self.entry_count, self.element_count) = (self.entry_count + 1, 0);
            self.entry_level = (!is_empty).then_some(level);
        } else if level == 2 {
            self.is_in_channel = !is_empty;
        }
        Ok(())
    }

    /// Whether the outline includes an element outside of entries: the root, a channel, or one of the first entries.
    fn is_outer_element_included(&self, local_name: &[u8], level: usize) -> bool {
        let is_entry = matches!(local_name, b"item" | b"entry") && self.entry_count < MAX_ENTRIES;
        match level {
            1 => true,
            2 => is_entry || local_name == b"channel",
            3 => is_entry && self.is_in_channel,
            _ => false,
        }
    }

    fn end_element(&mut self, tag: &[u8], level: usize) {
        if let Some(skipped_level) = self.skipped_level {
            if skipped_level == level {
                self.skipped_level = None;
            }
            return;
        }
        if let Some(element) = &self.element {
            if element.level != level {
                return;
            }
            self.element = None;
        } else if self.entry_level == Some(level) {
            self.entry_level = None;
        } else if level == 2 {
            self.is_in_channel = false;
        }
        self.outline.extend_from_slice(tag);
    }

    fn push_text(&mut self, text: &[u8]) {
        let Some(element) = self.element.as_ref().filter(|element| !element.has_child) else { return };
        if self.outline.len() - element.text_offset + text.len() > MAX_TAG_BYTES {
            // The text is too long for a URL or a date, so the element is removed again.
            self.outline.truncate(element.start_offset);
            self.skipped_level = Some(element.level);
            self.element = None;
        } else {
            self.outline.extend_from_slice(text);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn outline_text(text: &str) -> String {
        String::from_utf8(build_outline(text.as_bytes()).unwrap()).unwrap()
    }

    #[test]
    fn the_outline_has_only_ids_links_and_dates() {
        let rss = "<?xml version='1.0'?><rss version='2.0'><channel><title>A</title><link>x</link><image><link>y</link></image>\
                   <item><title>t</title><link>a<b/>c</link><m:group><m:link>z</m:link></m:group><guid>g</guid></item></channel></rss>";
        assert_eq!(
            outline_text(rss),
            "<?xml version='1.0'?><rss version='2.0'><channel><item><link>a</link><guid>g</guid></item></channel></rss>"
        );
        let atom = "<feed><id>f</id><entry><id>1</id><link href='a'/><content><div><link/></div></content></entry><entry/></feed>";
        assert_eq!(outline_text(atom), "<feed><entry><id>1</id><link href='a'/></entry><entry/></feed>");
        let rdf = "<rdf:RDF><channel><link>x</link></channel><item><link>a</link><dc:date>d</dc:date></item></rdf:RDF>";
        assert_eq!(
            outline_text(rdf),
            "<rdf:RDF><channel></channel><item><link>a</link><dc:date>d</dc:date></item></rdf:RDF>"
        );
        let json = r#"{"version":"v","authors":[{"name":"A"}],"items":[{"id":"1","tags":[[1]],"url":"u"}]}"#;
        assert_eq!(
            outline_text(json),
            r#"{"version":"v","title":"","items":[{"id":"1","url":"u","external_url":null,"date_published":null}]}"#
        );
    }

    #[test]
    fn limits_the_number_of_entries_and_the_size_of_elements() {
        let entry = format!("<entry>{}<id>{}</id></entry>", "<link/>".repeat(30), "x".repeat(5_000));
        let text = outline_text(&format!("<feed>{}</feed>", entry.repeat(600)));
        assert_eq!(
            text,
            format!("<feed>{}</feed>", format!("<entry>{}</entry>", "<link/>".repeat(16)).repeat(500))
        );
        let long_id =
            format!("<feed><entry><id>{}</id><link/></entry></feed>", "x".repeat(MAX_TAG_BYTES + 1));
        assert_eq!(outline_text(&long_id), "<feed><entry><link/></entry></feed>");
        let feed_with_long_base = format!("<feed xml:base='{}'></feed>", "x".repeat(MAX_BASE_BYTES));
        assert_eq!(
            build_outline(feed_with_long_base.as_bytes()).unwrap_err(),
            "A tag of the feed is longer than 1024 bytes, so it was not read."
        );
    }
}
