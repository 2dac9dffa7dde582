//! Finds all wrong fields of a refused input. serde stops at the first error, so this module deserializes each field on its own
//! again. It never decides whether an input is valid.

use serde_json::{Map, Value};

use crate::fields::{FieldErrors, user_message};

/// Maximum number of errors in one response.
const MOST: usize = 100;

/// Placeholder values for a missing required field, so that the next missing field is found. Amounts and times are texts.
const FILLERS: [&str; 9] =
    ["0", "\"0\"", "\"2026-11-20 16:05:00\"", "\"2026-11-20\"", "false", "\"\"", "[]", "{}", "null"];

/// Why a value could not be deserialized.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Fault {
    /// Path from the root.
    path: Vec<String>,
    /// Error message of serde.
    sentence: String,
}

impl Fault {
    /// The fault of a failed deserialization.
    pub(crate) fn of<E: std::fmt::Display>(error: &serde_path_to_error::Error<E>) -> Self {
        use serde_path_to_error::Segment;
        let name = |segment: &Segment| match segment {
            Segment::Seq { index } => Some(index.to_string()),
            Segment::Map { key } => Some(key.clone()),
            Segment::Enum { .. } | Segment::Unknown => None,
        };
        Self { path: error.path().iter().filter_map(name).collect(), sentence: error.inner().to_string() }
    }

    /// The field that is missing at `depth`.
    fn missing_at(&self, depth: usize) -> Option<&str> {
        let rest = self.sentence.strip_prefix("missing field `").filter(|_| self.path.len() == depth)?;
        rest.split('`').next()
    }

    /// Whether the last of these steps is an unknown field.
    fn is_unknown(&self, steps: &[Step]) -> bool {
        let rest = self.sentence.strip_prefix("unknown field `").filter(|_| self.path.len() <= steps.len());
        let unknown = rest.and_then(|rest| rest.split('`').next());
        steps.last().is_some_and(|step| !step.is_element && unknown == Some(step.name.as_str()))
    }

    /// Whether the fault concerns the value at `depth` and not its surroundings: a missing sibling field, or a list in place of an
    /// object. Fields of flattened inputs have no path.
    fn is_of_part(&self, depth: usize) -> bool {
        let has_no_path = depth == 1 && self.path.is_empty() && !self.sentence.starts_with("missing field");
        self.path.len() >= depth || self.sentence.starts_with("unknown field") || has_no_path
    }
}

/// Deserializes a value only to find its fault.
pub(crate) type Read<'r> = &'r dyn Fn(&Value) -> Result<(), Fault>;

/// The errors of `value`, which `read` refused with `first`.
pub(crate) fn all(value: Value, first: FieldErrors, read: Read<'_>) -> FieldErrors {
    let mut probe = Probe { read, steps: Vec::new(), errors: FieldErrors::default() };
    probe.within(value);
    let mut errors = probe.errors;
    for (field, messages) in first.0 {
        let below = format!("{field}.");
        let is_below = |place: &str| errors.0.keys().any(|known| known.starts_with(place));
        // Elements can have other indices in the form than in the parsed list: errors name the indices of the form.
        let is_element = field
            .rsplit_once('.')
            .is_some_and(|(list, number)| number.parse::<usize>().is_ok() && is_below(&format!("{list}.")));
        // A field is named as a whole where none of its parts is, such as a duplicate field.
        if !is_element && !is_below(&below) && !errors.0.contains_key(&field) {
            messages.into_iter().for_each(|message| errors.add(field.clone(), message));
        }
    }
    errors
}

/// A step of the path from the root to the probed value.
struct Step {
    /// Field name or element index, as in the request.
    name: String,
    is_element: bool,
}

struct Probe<'r> {
    read: Read<'r>,
    steps: Vec<Step>,
    errors: FieldErrors,
}

impl Probe<'_> {
    /// Probes the parts of a wrong value.
    fn within(&mut self, value: Value) {
        match value {
            Value::Object(fields) => self.fields(fields),
            Value::Array(elements) => {
                for (at, element) in elements.into_iter().enumerate() {
                    self.part(Step { name: at.to_string(), is_element: true }, element);
                }
            }
            _ => {}
        }
    }

    fn fields(&mut self, fields: Map<String, Value>) {
        let (mut right, mut wrong) = (Map::new(), Vec::new());
        for (name, value) in fields {
            match self.part(Step { name: name.clone(), is_element: false }, value) {
                Some(value) => drop(right.insert(name, value)),
                None => wrong.push(name),
            }
        }
        self.missing(right, &wrong);
    }

    /// Probes one part on its own. Returns a valid part and records the errors of a wrong one.
    fn part(&mut self, step: Step, value: Value) -> Option<Value> {
        if self.errors.0.len() >= MOST {
            return None;
        }
        self.steps.push(step);
        let (value, fault) = self.alone(value);
        let depth = self.steps.len();
        let fault = fault.filter(|fault| fault.is_of_part(depth));
        let Some(fault) = fault else {
            self.steps.pop();
            return Some(value);
        };
        let known = self.errors.0.len();
        // The content of an unknown field has no known fields.
        if !fault.is_unknown(&self.steps) {
            self.within(value);
        }
        if self.errors.0.len() == known {
            self.note(&fault);
        }
        self.steps.pop();
        None
    }

    /// Records the missing required fields next to the valid ones.
    fn missing(&mut self, right: Map<String, Value>, wrong: &[String]) {
        let depth = self.steps.len();
        let (mut fields, mut fault) = self.alone(Value::Object(right));
        while let Some(name) = fault.as_ref().and_then(|fault| fault.missing_at(depth)).map(str::to_owned) {
            if self.errors.0.len() >= MOST {
                return;
            }
            if let Some(fault) = fault.filter(|_| !wrong.contains(&name)) {
                self.note(&fault);
            }
            (fields, fault) = self.filled(fields, &name);
            let is_stuck = fault.as_ref().and_then(|fault| fault.path.get(depth)) == Some(&name)
                || fault.as_ref().and_then(|fault| fault.missing_at(depth)) == Some(&name);
            if is_stuck {
                return;
            }
        }
    }

    /// Fills a missing field with a placeholder that deserializes.
    fn filled(&self, mut fields: Value, name: &str) -> (Value, Option<Fault>) {
        let mut words: Vec<Value> =
            FILLERS.iter().filter_map(|text| serde_json::from_str(text).ok()).collect();
        let mut last = None;
        while !words.is_empty() {
            let Value::Object(map) = &mut fields else { break };
            map.insert(name.to_owned(), words.remove(0));
            let fault;
            (fields, fault) = self.alone(fields);
            match fault.filter(|fault| fault.path.get(self.steps.len()).is_some_and(|at| at == name)) {
                Some(fault) => {
                    // The error of a string enum lists the allowed values.
                    if let Some(word) =
                        fault.sentence.split("expected").nth(1).and_then(|text| text.split('`').nth(1))
                        && words.len() < FILLERS.len()
                        && fault.sentence.starts_with("unknown variant")
                    {
                        words = vec![Value::String(word.to_owned())];
                    }
                    last = Some(fault);
                }
                None => return self.alone(fields),
            }
        }
        (fields, last)
    }

    /// Deserializes a value at its path without siblings, and returns it with the fault.
    fn alone(&self, value: Value) -> (Value, Option<Fault>) {
        let wrap = |inner, step: &Step| match step.is_element {
            true => Value::Array(vec![inner]),
            false => Value::Object(Map::from_iter([(step.name.clone(), inner)])),
        };
        let whole = self.steps.iter().rev().fold(value, wrap);
        let fault = (self.read)(&whole).err();
        let unwrap = |outer, _: &Step| match outer {
            Value::Array(mut elements) => elements.pop().unwrap_or_default(),
            Value::Object(fields) => fields.into_iter().next().map_or(Value::Null, |(_, inner)| inner),
            other => other,
        };
        (self.steps.iter().fold(whole, unwrap), fault)
    }

    fn note(&mut self, fault: &Fault) {
        let own = self.steps.iter().map(|step| step.name.as_str());
        let below = fault.path.iter().skip(self.steps.len()).map(String::as_str);
        let path = own.chain(below).collect::<Vec<_>>().join(".");
        let (field, sentence) = user_message(&path, &fault.sentence);
        self.errors.add(field, sentence);
    }
}

#[cfg(test)]
mod tests {
    use serde::Deserialize;

    use super::*;
    use crate::amount::Money;
    use crate::common::Translations;
    use crate::moment::Time;
    use crate::payments::BalanceType;

    #[derive(Debug, Deserialize)]
    #[serde(deny_unknown_fields)]
    #[expect(dead_code, reason = "only read")]
    struct Input {
        name: String,
        ids: Vec<i64>,
        kind: BalanceType,
        amount: Money,
        at: Time,
        rows: Vec<Row>,
        #[serde(default)]
        note: Option<String>,
        #[serde(default)]
        translations: Option<Translations>,
    }

    #[derive(Debug, Deserialize)]
    #[serde(deny_unknown_fields)]
    #[expect(dead_code, reason = "only read")]
    struct Row {
        id: i64,
        is_on: bool,
    }

    fn json(text: &str) -> Vec<String> {
        FieldErrors::from_json::<Input>(text.as_bytes()).unwrap_err().0.into_keys().collect()
    }

    fn form(text: &[(&str, &str)]) -> Vec<String> {
        let fields = text.iter().map(|(name, value)| ((*name).into(), (*value).into())).collect();
        crate::form::read::<Input>(fields).unwrap_err().0.into_keys().collect()
    }

    fn pairs(text: &[(&str, &str)]) -> Vec<String> {
        #[derive(Debug, Deserialize)]
        #[serde(deny_unknown_fields)]
        #[expect(dead_code, reason = "only read")]
        struct Plain {
            page: i64,
            kind: BalanceType,
            #[serde(default)]
            ids: Vec<i64>,
        }
        let fields: Vec<_> = text.iter().map(|(name, value)| ((*name).into(), (*value).into())).collect();
        FieldErrors::from_pairs::<Plain>(&fields).unwrap_err().0.into_keys().collect()
    }

    const RIGHT: &str =
        r#""name":"a","ids":[1],"kind":"main","amount":"1","at":"2026-11-20 16:05:00","rows":[]"#;

    #[test]
    fn errors_name_every_missing_field() {
        assert_eq!(json("{}"), ["amount", "at", "ids", "kind", "name", "rows"]);
        assert_eq!(json(r#"{"name":"a","ids":[]}"#), ["amount", "at", "kind", "rows"]);
        assert_eq!(form(&[("name", "a")]), ["amount", "at", "ids", "kind", "rows"]);
        assert_eq!(pairs(&[]), ["kind", "page"]);
    }

    #[test]
    fn errors_name_every_wrong_field() {
        let right = RIGHT;
        assert!(FieldErrors::from_json::<Input>(format!("{{{right}}}").as_bytes()).is_ok());
        let wrong = r#"{"name":7,"ids":[1,"x",2,"y"],"kind":"z","amount":[],"at":"never","rows":[{"id":"a","is_on":2,"more":1},{}],
            "note":{},"translations":{"en":{"name":5,"text":6}},"other":1}"#;
        let expected = [
            "amount",
            "at",
            "ids.1",
            "ids.3",
            "kind",
            "name",
            "note",
            "other",
            "rows.0.id",
            "rows.0.is_on",
            "rows.0.more",
            "rows.1.id",
            "rows.1.is_on",
            "translations.en.name",
            "translations.en.text",
        ];
        assert_eq!(json(wrong), expected);
        assert_eq!(json(&format!("{{{right},\"name\":\"b\",\"note\":1}}")), ["name", "note"]);
        let wrong = [("ids[0]", "1"), ("ids[7]", "x"), ("kind", "z"), ("rows[0][id]", "x"), ("other", "1")];
        let expected = ["amount", "at", "ids.7", "kind", "name", "other", "rows.0.id", "rows.0.is_on"];
        assert_eq!(form(&wrong), expected);
        assert_eq!(pairs(&[("page", "x"), ("kind", "z"), ("more", "1")]), ["kind", "more", "page"]);
    }

    #[test]
    fn errors_name_an_unknown_field_but_not_its_content() {
        let wrong = r#"{"other":{"id":3,"email":"x"},"list":[1,{"a":2}],"rows":[{"id":1,"is_on":true,"more":{"a":[{}]}}]}"#;
        let missing = ["amount", "at", "ids", "kind"];
        let named: Vec<_> =
            json(wrong).into_iter().filter(|field| !missing.contains(&field.as_str())).collect();
        assert_eq!(named, ["list", "name", "other", "rows.0.more"]);
        let named = form(&[("other[email]", "x"), ("rows[0][name][name]", "y")]);
        assert!(
            named.contains(&"other".to_owned()) && named.contains(&"rows.0.name".to_owned()),
            "{named:?}"
        );
        assert!(!named.iter().any(|field| field.starts_with("other.") || field.starts_with("rows.0.name.")));
    }

    #[test]
    fn limits_the_number_of_errors() {
        let ids = vec!["\"x\""; 5_000].join(",");
        let text = format!("{{{},\"ids\":[{ids}]}}", RIGHT.replace(",\"ids\":[1]", ""));
        assert!(json(&text).len() <= MOST + 1);
    }
}
