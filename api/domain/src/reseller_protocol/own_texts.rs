//! Additional fields of a service that panels of this product send: texts and labels. Pure. A missing field is none, and none removes
//! no text here.

use serde_json::{Map, Value};

/// Field of the call by which the client asks for these texts; other panels of this field never get it.
pub const ASKED_BY: (&str, &str) = ("texts", "1");
/// Most labels of a service that are read.
const MOST_LABELS: usize = 50;
/// Longest label name that is read, in characters, as labels have it.
const LONGEST_LABEL: usize = 100;

/// Texts and labels of a service; a field that the panel does not have is none.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct OwnTexts {
    /// Short description.
    pub short_description: Option<String>,
    /// Title for search engines.
    pub meta_title: Option<String>,
    /// Description for search engines.
    pub meta_description: Option<String>,
    /// Reviews.
    pub reviews: Option<String>,
    /// English names of the labels, sorted, each once; an empty list says that there are none.
    pub labels: Option<Vec<String>>,
}

impl OwnTexts {
    /// Reads them from an entry of the panel's list.
    #[must_use]
    pub fn read(fields: &Map<String, Value>) -> Self {
        let text = |value: Option<&Value>| {
            let text = value.and_then(Value::as_str).map(str::trim).unwrap_or_default();
            (!text.is_empty()).then(|| text.to_owned())
        };
        let meta = fields.get("meta").and_then(Value::as_object);
        let of_meta = |name: &str| text(meta.and_then(|meta| meta.get(name)));
        Self {
            short_description: text(fields.get("short_description")),
            meta_title: of_meta("title"),
            meta_description: of_meta("description"),
            reviews: text(fields.get("reviews")),
            labels: fields.get("labels").and_then(Value::as_array).map(|names| labels(names)),
        }
    }
}

fn labels(names: &[Value]) -> Vec<String> {
    let line = |name: &str| name.split_whitespace().collect::<Vec<_>>().join(" ");
    let short =
        |name: String| name.chars().filter(|letter| !letter.is_control()).take(LONGEST_LABEL).collect();
    let names = names.iter().take(MOST_LABELS).filter_map(Value::as_str);
    let mut names: Vec<String> =
        names.map(|name| short(line(name))).filter(|name: &String| !name.is_empty()).collect();
    names.sort();
    names.dedup();
    names
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn missing_fields_are_none_and_labels_are_bounded() {
        let read = |value: Value| OwnTexts::read(value.as_object().unwrap());
        assert_eq!(
            read(serde_json::json!({ "service": 1, "labels": "new", "meta": [] })),
            OwnTexts::default()
        );
        let said = read(serde_json::json!({
            "short_description": " Fast ", "reviews": "", "meta": { "title": "Buy", "description": 5 },
            "labels": ["New\nest", "Hot", "Hot", "", 7, "x".repeat(300)],
        }));
        assert_eq!(said.short_description.as_deref(), Some("Fast"));
        assert_eq!(
            (said.meta_title.as_deref(), said.meta_description, said.reviews),
            (Some("Buy"), None, None)
        );
        let labels = said.labels.unwrap();
        assert_eq!((&*labels[0], &*labels[1], labels[2].len()), ("Hot", "New est", 100));
        assert_eq!(read(serde_json::json!({ "labels": [] })).labels, Some(vec![]));
    }
}
