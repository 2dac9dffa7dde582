//! Compares the lines of a file with the current services, field by field. This module does no I/O.

use std::collections::BTreeMap;

use panel_contract::ids::{RecordId, ServiceId};
use serde_json::{Map, Value, json};

use super::fields::{SCHEMA, find_field, merge_texts};
use crate::sheet::field::Field;
use crate::sheet::line::Line;

/// The changes and errors of one line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct LineDiff {
    pub(super) line_number: u64,
    pub(super) id: Option<ServiceId>,
    pub(super) changed_fields: Vec<FieldChange>,
    /// All texts in all languages after the change; `None` if no text changes.
    pub(super) translations: Option<Value>,
    /// The errors: the name of the field (empty for an error of the whole line) and the message.
    pub(super) errors: Vec<(&'static str, String)>,
}

/// Identifies a line in a run: by the service's id, or by the line number of a new service.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct LineKey {
    pub(super) is_new: bool,
    pub(super) id: RecordId,
}

/// The result of a line for which panelctl sent a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct LineOutcome {
    pub(super) result: &'static str,
    /// Why the line was skipped.
    pub(super) message: Option<String>,
}

impl LineOutcome {
    /// An outcome without a message.
    pub(super) const fn without_message(result: &'static str) -> Self {
        Self { result, message: None }
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct FieldChange {
    pub(super) name: &'static str,
    pub(super) old_value: String,
    pub(super) new_value: String,
}

/// The comparison stops after this number of errors, because the report has a row for each.
pub(super) const MAX_ERRORS: usize = 1_000;

/// Fields that a new service requires.
const REQUIRED_FIELDS: &[&str] = &["name", "service_type_id", "default_price"];

impl LineDiff {
    /// `new`, `changed`, `same` or `error`.
    pub(super) fn result(&self) -> &'static str {
        match (self.errors.is_empty(), self.id, self.changed_fields.is_empty()) {
            (false, ..) => "error",
            (true, None, _) => "new",
            (true, Some(_), false) => "changed",
            (true, Some(_), true) => "same",
        }
    }

    /// The body of the request that applies the changes.
    pub(super) fn body(&self) -> Value {
        let to_body_entry = |change: &FieldChange| {
            let field = find_field(change.name).filter(|field| !field.is_translated())?;
            Some((change.name.to_owned(), field.to_json_value(&change.new_value)))
        };
        let translations = self.translations.iter().map(|texts| ("translations".to_owned(), texts.clone()));
        Value::Object(self.changed_fields.iter().filter_map(to_body_entry).chain(translations).collect())
    }

    /// The key of the line in a run.
    pub(super) fn key(&self) -> LineKey {
        let line_as_id = RecordId::new(i64::try_from(self.line_number).unwrap_or(i64::MAX));
        LineKey { is_new: self.id.is_none(), id: self.id.map_or(line_as_id, ServiceId::as_record_id) }
    }

    /// Describes the changes for people, one string per field.
    pub(super) fn describe_changes(&self) -> impl Iterator<Item = String> + '_ {
        let name = self.id.map_or_else(|| "new service".to_owned(), |id| format!("service {id}"));
        let line_number = self.line_number;
        self.changed_fields.iter().map(move |change| match self.id {
            Some(_) => format!(
                "line {line_number}, {name}: {} {:?} → {:?}",
                change.name, change.old_value, change.new_value
            ),
            None => format!("line {line_number}, {name}: {} {:?}", change.name, change.new_value),
        })
    }

    /// The rows of the report: one for each changed field, or one for the whole line. Without an outcome, panelctl sent no request
    /// for the line.
    pub(super) fn report_rows(&self, outcome: Option<&LineOutcome>) -> Vec<Value> {
        let row = |result: &str,
                   field: Option<&str>,
                   old: Option<&str>,
                   new: Option<&str>,
                   message: Option<&str>| {
            json!({ "line": self.line_number, "id": self.id, "result": result, "field": field, "old": old, "new": new, "message": message })
        };
        if !self.errors.is_empty() {
            let error_row = |(name, error): &(&'static str, String)| {
                row("error", Some(name).filter(|name| !name.is_empty()).copied(), None, None, Some(error))
            };
            return self.errors.iter().map(error_row).collect();
        }
        if self.changed_fields.is_empty() {
            return vec![row("same", None, None, None, None)];
        }
        let old_value_of = |change: &FieldChange| self.id.map(|_| change.old_value.clone());
        let (result, message) = match outcome {
            Some(outcome) => (outcome.result, outcome.message.as_deref()),
            None => ("not sent", None),
        };
        self.changed_fields
            .iter()
            .map(|change| {
                row(
                    result,
                    Some(change.name),
                    old_value_of(change).as_deref(),
                    Some(&change.new_value),
                    message,
                )
            })
            .collect()
    }
}

/// Compares the lines with the current services, until there are [`MAX_ERRORS`] errors.
pub(super) fn diff_lines(
    lines: &[Line],
    current_services: &BTreeMap<ServiceId, Map<String, Value>>,
) -> Vec<LineDiff> {
    let (mut first_lines, mut error_count): (BTreeMap<ServiceId, u64>, _) = (BTreeMap::new(), 0);
    let diff_line_once = |line: &Line| {
        let id: Option<ServiceId> = line.id.map(RecordId::typed_as);
        let mut diff = diff_line(line, id.and_then(|id| current_services.get(&id)));
        if let Some(id) = id {
            if let Some(first_line) = first_lines.get(&id) {
                diff.errors.push(("id", format!("service {id} is already on line {first_line}")));
            }
            first_lines.entry(id).or_insert(line.line_number);
        }
        diff
    };
    let is_within_limit = |diff: &LineDiff| {
        let was_within_limit = error_count < MAX_ERRORS;
        error_count += diff.errors.len();
        was_within_limit
    };
    lines.iter().map(diff_line_once).take_while(is_within_limit).collect()
}

fn diff_line(line: &Line, current_service: Option<&Map<String, Value>>) -> LineDiff {
    let id = line.id.map(RecordId::typed_as);
    let mut diff = LineDiff {
        line_number: line.line_number,
        id,
        changed_fields: Vec::new(),
        translations: None,
        errors: Vec::new(),
    };
    if let Some(error) = &line.error {
        diff.errors.push(("", error.clone()));
        return diff;
    }
    if let (Some(id), None) = (line.id, current_service) {
        diff.errors.push(("id", format!("service {id} does not exist")));
        return diff;
    }
    for (field, cell) in line.cells.iter(&SCHEMA) {
        let name = field.name;
        // If the cell of a new service is empty, the server uses its default value.
        if current_service.is_none() && cell.trim().is_empty() {
            continue;
        }
        match field.canonicalize(cell) {
            Err(error) => diff.errors.push((name, error)),
            Ok(new_value) => {
                let old_value = current_service.map(|service| field.format_cell(service));
                // Values of the server are already canonical, except lists without a defined order.
                if old_value
                    .as_deref()
                    .map(|text| field.canonicalize(text).unwrap_or_else(|_| text.to_owned()))
                    != Some(new_value.clone())
                {
                    diff.changed_fields.push(FieldChange {
                        name,
                        old_value: old_value.unwrap_or_default(),
                        new_value,
                    });
                }
            }
        }
    }
    diff.translations = merge_translations(&diff, current_service);
    if current_service.is_none() {
        for name in REQUIRED_FIELDS
            .iter()
            .filter(|name| !diff.changed_fields.iter().any(|field| field.name == **name))
        {
            if !diff.errors.iter().any(|(field, _)| field == name) {
                diff.errors.push((name, "required for a new service".to_owned()));
            }
        }
    }
    diff
}

/// Returns all texts after the change; `None` if no text changes. The field `name` is the English name.
fn merge_translations(diff: &LineDiff, current_service: Option<&Map<String, Value>>) -> Option<Value> {
    let is_text = |change: &&FieldChange| find_field(change.name).is_some_and(Field::is_translated);
    diff.changed_fields.iter().find(is_text)?;
    let texts = diff.changed_fields.iter().filter(|change| change.name == "name" || is_text(change));
    let texts: Vec<(&str, &str)> = texts.map(|change| (change.name, change.new_value.as_str())).collect();
    Some(merge_texts(current_service, &texts))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sheet::line::{Cells, SheetColumn};

    fn build_line(line_number: u64, id: Option<i64>, cells: &[(&'static str, &str)]) -> Line {
        let mut line = Line { line_number, id: id.map(RecordId::new), cells: Cells::default(), error: None };
        for (name, cell) in cells {
            line.cells.push(SheetColumn::from_name(&SCHEMA, name).unwrap(), cell);
        }
        line
    }

    fn current_services() -> BTreeMap<ServiceId, Map<String, Value>> {
        let service = json!({ "id": 7, "name": "Likes", "service_type": { "id": 4 }, "default_price": "2.5", "slug": "a", "is_enabled": true });
        BTreeMap::from([(ServiceId::new(7), service.as_object().unwrap().clone())])
    }

    #[test]
    fn each_line_is_new_changed_same_or_an_error() {
        let lines = [
            build_line(2, Some(7), &[("name", "Likes"), ("default_price", "2.500"), ("is_enabled", "yes")]),
            build_line(3, Some(8), &[("name", "x")]),
            build_line(
                4,
                None,
                &[("name", "New"), ("service_type_id", "4"), ("default_price", "0.1"), ("slug", "")],
            ),
            build_line(5, None, &[("name", "Half")]),
            build_line(6, Some(7), &[("default_price", "3"), ("slug", "")]),
        ];
        let diffs = diff_lines(&lines, &current_services());
        let results: Vec<_> = diffs.iter().map(LineDiff::result).collect();
        assert_eq!(results, ["same", "error", "new", "error", "error"]);
        assert_eq!(diffs[2].body(), json!({ "name": "New", "service_type_id": 4, "default_price": "0.1" }));
        let errors: Vec<_> = diffs[3].errors.iter().map(|error| error.0).collect();
        assert_eq!(errors, ["service_type_id", "default_price"]);
        assert!(diffs[4].errors[0].1.contains("already on line 2"));
        let last_line_diffs = diff_lines(&lines[4..], &current_services());
        assert_eq!(
            (last_line_diffs[0].result(), last_line_diffs[0].body()),
            ("changed", json!({ "default_price": "3", "slug": null }))
        );
        assert_eq!(last_line_diffs[0].report_rows(None)[0]["old"], "2.5");
        let invalid_line = build_line(9, Some(7), &[("default_price", "x"), ("min_price", "x")]);
        assert_eq!(
            diff_lines(&vec![invalid_line; 10_000], &current_services()).len(),
            334,
            "the comparison must stop after 1000 errors: two of the first line, three of each later line"
        );
        let text_diffs = diff_lines(
            &[build_line(2, Some(7), &[("name", "More"), ("name.de", "Mehr")])],
            &current_services(),
        );
        let texts = json!({ "en": { "name": "More" }, "de": { "name": "Mehr" } });
        assert_eq!(text_diffs[0].body(), json!({ "name": "More", "translations": texts }));
    }
}
