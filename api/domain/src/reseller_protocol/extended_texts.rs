//! Additional fields of a service that panels of this product send: texts and labels. A missing field is `None`; synchronization
//! then keeps the current text. Pure functions.

use serde_json::{Map, Value};

/// Name and value of the request field by which a client requests these texts. This panel sends it only to panels of this
/// product.
pub const REQUEST_FIELD: (&str, &str) = ("texts", "1");
/// Maximum number of labels of a service; further labels are ignored.
const MAX_LABELS: usize = 50;
/// Maximum length of a label name in characters; longer names are truncated.
const MAX_LABEL_CHARS: usize = 100;

/// Texts and labels of a service. A field that the panel does not send is `None`.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ExtendedTexts {
    pub short_description: Option<String>,
    /// Title for search engines.
    pub meta_title: Option<String>,
    /// Description for search engines.
    pub meta_description: Option<String>,
    pub reviews: Option<String>,
    /// English names of the labels, sorted and without duplicates; empty if the service has no labels.
    pub labels: Option<Vec<String>>,
}

impl ExtendedTexts {
    /// Parses the fields of one service in the service list of an external panel.
    #[must_use]
    pub fn parse(fields: &Map<String, Value>) -> Self {
        let text = |value: Option<&Value>| {
            let text = value.and_then(Value::as_str).map(str::trim).unwrap_or_default();
            (!text.is_empty()).then(|| text.to_owned())
        };
        let meta = fields.get("meta").and_then(Value::as_object);
        let meta_text = |name: &str| text(meta.and_then(|meta| meta.get(name)));
        Self {
            short_description: text(fields.get("short_description")),
            meta_title: meta_text("title"),
            meta_description: meta_text("description"),
            reviews: text(fields.get("reviews")),
            labels: fields.get("labels").and_then(Value::as_array).map(|names| parse_labels(names)),
        }
    }
}

fn parse_labels(names: &[Value]) -> Vec<String> {
    let to_single_line = |name: &str| name.split_whitespace().collect::<Vec<_>>().join(" ");
    let truncate =
        |name: String| name.chars().filter(|char| !char.is_control()).take(MAX_LABEL_CHARS).collect();
    let names = names.iter().take(MAX_LABELS).filter_map(Value::as_str);
    let mut names: Vec<String> =
        names.map(|name| truncate(to_single_line(name))).filter(|name: &String| !name.is_empty()).collect();
    names.sort();
    names.dedup();
    names
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn missing_fields_are_none_and_labels_are_bounded() {
        let parse = |value: Value| ExtendedTexts::parse(value.as_object().unwrap());
        assert_eq!(
            parse(serde_json::json!({ "service": 1, "labels": "new", "meta": [] })),
            ExtendedTexts::default()
        );
        let texts = parse(serde_json::json!({
            "short_description": " Fast ", "reviews": "", "meta": { "title": "Buy", "description": 5 },
            "labels": ["New\nest", "Hot", "Hot", "", 7, "x".repeat(300)],
        }));
        assert_eq!(texts.short_description.as_deref(), Some("Fast"));
        assert_eq!(
            (texts.meta_title.as_deref(), texts.meta_description, texts.reviews),
            (Some("Buy"), None, None)
        );
        let labels = texts.labels.unwrap();
        assert_eq!((&*labels[0], &*labels[1], labels[2].len()), ("Hot", "New est", 100));
        assert_eq!(parse(serde_json::json!({ "labels": [] })).labels, Some(vec![]));
    }
}
