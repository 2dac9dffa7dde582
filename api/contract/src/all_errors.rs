//! Finds all invalid fields of an input that serde rejected. serde stops at the first error, so this module deserializes each field
//! again, without the other fields. It must not decide whether an input is valid.

use serde_json::{Map, Value};

use crate::fields::{FieldErrors, to_user_message};

/// Maximum number of errors in one response.
const MAX_ERRORS: usize = 100;

/// JSON values that this module inserts for a missing required field, one after the other, to find the next missing field. Amounts
/// and times are strings.
const PLACEHOLDERS: [&str; 9] =
    ["0", "\"0\"", "\"2026-11-20 16:05:00\"", "\"2026-11-20\"", "false", "\"\"", "[]", "{}", "null"];

/// Why a value could not be deserialized.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct DeserializeError {
    /// Field names and element indices from the root to the invalid value.
    path: Vec<String>,
    /// Error message of serde.
    message: String,
}

impl DeserializeError {
    pub(crate) fn from_serde<E: std::fmt::Display>(error: &serde_path_to_error::Error<E>) -> Self {
        use serde_path_to_error::Segment;
        let name = |segment: &Segment| match segment {
            Segment::Seq { index } => Some(index.to_string()),
            Segment::Map { key } => Some(key.clone()),
            Segment::Enum { .. } | Segment::Unknown => None,
        };
        Self { path: error.path().iter().filter_map(name).collect(), message: error.inner().to_string() }
    }

    /// Name of the required field that is missing in the object at `depth`; `None` for any other error.
    fn missing_field_at(&self, depth: usize) -> Option<&str> {
        let message_end =
            self.message.strip_prefix("missing field `").filter(|_| self.path.len() == depth)?;
        message_end.split('`').next()
    }

    /// Whether the error is about the field of the last step: the type has no field with this name.
    fn is_unknown_field(&self, steps: &[Step]) -> bool {
        let message_end =
            self.message.strip_prefix("unknown field `").filter(|_| self.path.len() <= steps.len());
        let unknown_field = message_end.and_then(|text| text.split('`').next());
        steps.last().is_some_and(|step| !step.is_element && unknown_field == Some(step.name.as_str()))
    }

    /// Whether the error is about the value at `depth` or a part of the value, and not about a missing sibling field or about a
    /// parent of the wrong type. Errors in the fields of a flattened struct have no path.
    fn concerns_value_at(&self, depth: usize) -> bool {
        let has_no_path = depth == 1 && self.path.is_empty() && !self.message.starts_with("missing field");
        self.path.len() >= depth || self.message.starts_with("unknown field") || has_no_path
    }
}

/// A function that deserializes a value, drops it, and returns the error if the value is invalid.
pub(crate) type TryDeserialize<'r> = &'r dyn Fn(&Value) -> Result<(), DeserializeError>;

/// Finds all errors of `value`, whose deserialization failed with `first_error`.
pub(crate) fn find_all_errors(
    value: Value,
    first_error: FieldErrors,
    try_deserialize: TryDeserialize<'_>,
) -> FieldErrors {
    let mut finder = ErrorFinder { try_deserialize, steps: Vec::new(), errors: FieldErrors::default() };
    finder.check_parts(value);
    let mut errors = finder.errors;
    for (field, messages) in first_error.0 {
        let prefix = format!("{field}.");
        let has_error_below = |prefix: &str| errors.0.keys().any(|name| name.starts_with(prefix));
        // An element can have a different index in the form and in the parsed list. The errors must name the index in the form.
        let is_element = field.rsplit_once('.').is_some_and(|(list, index)| {
            index.parse::<usize>().is_ok() && has_error_below(&format!("{list}."))
        });
        // The first error is added only if the search found no error of its field or of a part of the field. The search cannot find
        // a duplicate field, for example.
        if !is_element && !has_error_below(&prefix) && !errors.0.contains_key(&field) {
            messages.into_iter().for_each(|message| errors.add(field.clone(), message));
        }
    }
    errors
}

/// A step of the path from the root to the value that is checked.
struct Step {
    /// Field name or element index, as in the request.
    name: String,
    is_element: bool,
}

struct ErrorFinder<'r> {
    try_deserialize: TryDeserialize<'r>,
    steps: Vec<Step>,
    errors: FieldErrors,
}

impl ErrorFinder<'_> {
    /// Checks the fields or elements of an invalid value.
    fn check_parts(&mut self, value: Value) {
        match value {
            Value::Object(fields) => self.check_fields(fields),
            Value::Array(elements) => {
                for (index, element) in elements.into_iter().enumerate() {
                    self.check_part(Step { name: index.to_string(), is_element: true }, element);
                }
            }
            _ => {}
        }
    }

    fn check_fields(&mut self, fields: Map<String, Value>) {
        let (mut valid_fields, mut invalid_names) = (Map::new(), Vec::new());
        for (name, value) in fields {
            match self.check_part(Step { name: name.clone(), is_element: false }, value) {
                Some(value) => drop(valid_fields.insert(name, value)),
                None => invalid_names.push(name),
            }
        }
        self.add_missing_fields(valid_fields, &invalid_names);
    }

    /// Checks one field or element without its siblings. Returns the value if it is valid, otherwise adds its errors.
    fn check_part(&mut self, step: Step, value: Value) -> Option<Value> {
        if self.errors.0.len() >= MAX_ERRORS {
            return None;
        }
        self.steps.push(step);
        let (value, error) = self.deserialize_alone(value);
        let depth = self.steps.len();
        let error = error.filter(|error| error.concerns_value_at(depth));
        let Some(error) = error else {
            self.steps.pop();
            return Some(value);
        };
        let previous_error_count = self.errors.0.len();
        // An unknown field has no type, so its content cannot be checked.
        if !error.is_unknown_field(&self.steps) {
            self.check_parts(value);
        }
        if self.errors.0.len() == previous_error_count {
            self.add_error(&error);
        }
        self.steps.pop();
        None
    }

    /// Adds an error for each missing required field of an object with these valid fields. `invalid_names` are the names of the
    /// fields that have errors already.
    fn add_missing_fields(&mut self, valid_fields: Map<String, Value>, invalid_names: &[String]) {
        let depth = self.steps.len();
        let (mut fields, mut error) = self.deserialize_alone(Value::Object(valid_fields));
        while let Some(name) =
            error.as_ref().and_then(|error| error.missing_field_at(depth)).map(str::to_owned)
        {
            if self.errors.0.len() >= MAX_ERRORS {
                return;
            }
            if let Some(error) = error.filter(|_| !invalid_names.contains(&name)) {
                self.add_error(&error);
            }
            (fields, error) = self.fill_missing_field(fields, &name);
            let placeholder_is_invalid = error.as_ref().and_then(|error| error.path.get(depth))
                == Some(&name)
                || error.as_ref().and_then(|error| error.missing_field_at(depth)) == Some(&name);
            if placeholder_is_invalid {
                return;
            }
        }
    }

    /// Fills a missing field with the first valid placeholder. Returns the object and its next error.
    fn fill_missing_field(&self, mut fields: Value, name: &str) -> (Value, Option<DeserializeError>) {
        let mut placeholders: Vec<Value> =
            PLACEHOLDERS.iter().filter_map(|text| serde_json::from_str(text).ok()).collect();
        let mut last_error = None;
        while !placeholders.is_empty() {
            let Value::Object(map) = &mut fields else { break };
            map.insert(name.to_owned(), placeholders.remove(0));
            let error;
            (fields, error) = self.deserialize_alone(fields);
            match error.filter(|error| error.path.get(self.steps.len()).is_some_and(|step| step == name)) {
                Some(error) => {
                    // The error of a string enum lists the allowed values, so the first of them becomes the only placeholder.
                    if let Some(allowed) =
                        error.message.split("expected").nth(1).and_then(|text| text.split('`').nth(1))
                        && placeholders.len() < PLACEHOLDERS.len()
                        && error.message.starts_with("unknown variant")
                    {
                        placeholders = vec![Value::String(allowed.to_owned())];
                    }
                    last_error = Some(error);
                }
                None => return self.deserialize_alone(fields),
            }
        }
        (fields, last_error)
    }

    /// Deserializes the root with only this value at the current path, without siblings. Returns the value and its error.
    fn deserialize_alone(&self, value: Value) -> (Value, Option<DeserializeError>) {
        let wrap_in_parent = |inner, step: &Step| match step.is_element {
            true => Value::Array(vec![inner]),
            false => Value::Object(Map::from_iter([(step.name.clone(), inner)])),
        };
        let root = self.steps.iter().rev().fold(value, wrap_in_parent);
        let error = (self.try_deserialize)(&root).err();
        let take_child = |outer, _: &Step| match outer {
            Value::Array(mut elements) => elements.pop().unwrap_or_default(),
            Value::Object(fields) => fields.into_iter().next().map_or(Value::Null, |(_, inner)| inner),
            scalar => scalar,
        };
        (self.steps.iter().fold(root, take_child), error)
    }

    fn add_error(&mut self, error: &DeserializeError) {
        let current_path = self.steps.iter().map(|step| step.name.as_str());
        let path_below = error.path.iter().skip(self.steps.len()).map(String::as_str);
        let path = current_path.chain(path_below).collect::<Vec<_>>().join(".");
        let (field, message) = to_user_message(&path, &error.message);
        self.errors.add(field, message);
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
    #[expect(dead_code, reason = "the fields are only deserialized")]
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
    #[expect(dead_code, reason = "the fields are only deserialized")]
    struct Row {
        id: i64,
        is_on: bool,
    }

    fn invalid_json_fields(json: &str) -> Vec<String> {
        FieldErrors::from_json::<Input>(json.as_bytes()).unwrap_err().0.into_keys().collect()
    }

    fn invalid_form_fields(fields: &[(&str, &str)]) -> Vec<String> {
        let fields = fields.iter().map(|(name, value)| ((*name).into(), (*value).into())).collect();
        crate::form::parse::<Input>(fields).unwrap_err().0.into_keys().collect()
    }

    fn invalid_query_fields(parameters: &[(&str, &str)]) -> Vec<String> {
        #[derive(Debug, Deserialize)]
        #[serde(deny_unknown_fields)]
        #[expect(dead_code, reason = "the fields are only deserialized")]
        struct QueryInput {
            page: i64,
            kind: BalanceType,
            #[serde(default)]
            ids: Vec<i64>,
        }
        let pairs: Vec<_> =
            parameters.iter().map(|(name, value)| ((*name).into(), (*value).into())).collect();
        FieldErrors::from_pairs::<QueryInput>(&pairs).unwrap_err().0.into_keys().collect()
    }

    const VALID_FIELDS: &str =
        r#""name":"a","ids":[1],"kind":"main","amount":"1","at":"2026-11-20 16:05:00","rows":[]"#;

    #[test]
    fn errors_name_every_missing_field() {
        assert_eq!(invalid_json_fields("{}"), ["amount", "at", "ids", "kind", "name", "rows"]);
        assert_eq!(invalid_json_fields(r#"{"name":"a","ids":[]}"#), ["amount", "at", "kind", "rows"]);
        assert_eq!(invalid_form_fields(&[("name", "a")]), ["amount", "at", "ids", "kind", "rows"]);
        assert_eq!(invalid_query_fields(&[]), ["kind", "page"]);
    }

    #[test]
    fn errors_name_every_invalid_field() {
        let valid = VALID_FIELDS;
        assert!(FieldErrors::from_json::<Input>(format!("{{{valid}}}").as_bytes()).is_ok());
        let invalid = r#"{"name":7,"ids":[1,"x",2,"y"],"kind":"z","amount":[],"at":"never","rows":[{"id":"a","is_on":2,"more":1},{}],
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
        assert_eq!(invalid_json_fields(invalid), expected);
        assert_eq!(invalid_json_fields(&format!("{{{valid},\"name\":\"b\",\"note\":1}}")), ["name", "note"]);
        let invalid = [("ids[0]", "1"), ("ids[7]", "x"), ("kind", "z"), ("rows[0][id]", "x"), ("other", "1")];
        let expected = ["amount", "at", "ids.7", "kind", "name", "other", "rows.0.id", "rows.0.is_on"];
        assert_eq!(invalid_form_fields(&invalid), expected);
        assert_eq!(
            invalid_query_fields(&[("page", "x"), ("kind", "z"), ("more", "1")]),
            ["kind", "more", "page"]
        );
    }

    #[test]
    fn errors_name_an_unknown_field_but_not_its_content() {
        let body = r#"{"other":{"id":3,"email":"x"},"list":[1,{"a":2}],"rows":[{"id":1,"is_on":true,"more":{"a":[{}]}}]}"#;
        let missing_fields = ["amount", "at", "ids", "kind"];
        let unknown_fields: Vec<_> = invalid_json_fields(body)
            .into_iter()
            .filter(|field| !missing_fields.contains(&field.as_str()))
            .collect();
        assert_eq!(unknown_fields, ["list", "name", "other", "rows.0.more"]);
        let unknown_fields = invalid_form_fields(&[("other[email]", "x"), ("rows[0][name][name]", "y")]);
        assert!(
            unknown_fields.contains(&"other".to_owned())
                && unknown_fields.contains(&"rows.0.name".to_owned()),
            "{unknown_fields:?}"
        );
        assert!(
            !unknown_fields
                .iter()
                .any(|field| field.starts_with("other.") || field.starts_with("rows.0.name."))
        );
    }

    #[test]
    fn limits_the_number_of_errors() {
        let ids = vec!["\"x\""; 5_000].join(",");
        let text = format!("{{{},\"ids\":[{ids}]}}", VALID_FIELDS.replace(",\"ids\":[1]", ""));
        assert!(invalid_json_fields(&text).len() <= MAX_ERRORS + 1);
    }
}
