//! What a file would change, field by field: pure.

use std::collections::BTreeMap;

use panel_contract::ids::{RecordId, ServiceId};
use serde_json::{Map, Value, json};

use super::fields::{SCHEMA, field, translated};
use crate::sheet::field::Field;
use crate::sheet::line::Line;

/// What one line comes to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Judged {
    pub(super) line: u64,
    pub(super) id: Option<ServiceId>,
    pub(super) fields: Vec<Changed>,
    /// The texts in all languages as they would be, where one of them changes.
    pub(super) translations: Option<Value>,
    /// What is wrong: the field where one is, and why.
    pub(super) faults: Vec<(&'static str, String)>,
}

/// What a line is known by to a run: the service's id, or the line of a new one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Key {
    pub(super) is_new: bool,
    pub(super) id: RecordId,
}

/// What became of a line that was sent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Outcome {
    pub(super) result: &'static str,
    /// Why it was skipped.
    pub(super) message: Option<String>,
}

impl Outcome {
    /// An outcome that says it all.
    pub(super) const fn plain(result: &'static str) -> Self {
        Self { result, message: None }
    }
}

/// A field that would be another.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Changed {
    pub(super) name: &'static str,
    pub(super) old: String,
    pub(super) new: String,
}

/// Faults after which a file is not judged any further: each becomes a row for a person.
pub(super) const MAX_FAULTS: usize = 1_000;

/// Fields that a new service cannot be without.
const NEEDED: &[&str] = &["name", "service_type_id", "default_price"];

impl Judged {
    /// `new`, `changed`, `same` or `error`.
    pub(super) fn result(&self) -> &'static str {
        match (self.faults.is_empty(), self.id, self.fields.is_empty()) {
            (false, ..) => "error",
            (true, None, _) => "new",
            (true, Some(_), false) => "changed",
            (true, Some(_), true) => "same",
        }
    }

    /// The body that makes it so.
    pub(super) fn body(&self) -> Value {
        let one = |changed: &Changed| {
            let field = field(changed.name).filter(|field| !field.is_translated())?;
            Some((changed.name.to_owned(), field.value(&changed.new)))
        };
        let translations = self.translations.iter().map(|all| ("translations".to_owned(), all.clone()));
        Value::Object(self.fields.iter().filter_map(one).chain(translations).collect())
    }

    /// By what a run knows it.
    pub(super) fn key(&self) -> Key {
        let line = RecordId::new(i64::try_from(self.line).unwrap_or(i64::MAX));
        Key { is_new: self.id.is_none(), id: self.id.map_or(line, ServiceId::record) }
    }

    /// What would change, a line of text for each field.
    pub(super) fn words(&self) -> impl Iterator<Item = String> + '_ {
        let name = self.id.map_or_else(|| "new service".to_owned(), |id| format!("service {id}"));
        let line = self.line;
        self.fields.iter().map(move |one| match self.id {
            Some(_) => format!("line {line}, {name}: {} {:?} → {:?}", one.name, one.old, one.new),
            None => format!("line {line}, {name}: {} {:?}", one.name, one.new),
        })
    }

    /// Rows to be shown: one for each field, or one for the whole line. Without an outcome the line was not sent.
    pub(super) fn rows(&self, outcome: Option<&Outcome>) -> Vec<Value> {
        let row = |result: &str,
                   field: Option<&str>,
                   old: Option<&str>,
                   new: Option<&str>,
                   message: Option<&str>| {
            json!({ "line": self.line, "id": self.id, "result": result, "field": field, "old": old, "new": new, "message": message })
        };
        if !self.faults.is_empty() {
            let fault = |(name, why): &(&'static str, String)| {
                row("error", Some(name).filter(|name| !name.is_empty()).copied(), None, None, Some(why))
            };
            return self.faults.iter().map(fault).collect();
        }
        if self.fields.is_empty() {
            return vec![row("same", None, None, None, None)];
        }
        let old = |changed: &Changed| self.id.map(|_| changed.old.clone());
        let (result, message) = match outcome {
            Some(outcome) => (outcome.result, outcome.message.as_deref()),
            None => ("not sent", None),
        };
        self.fields
            .iter()
            .map(|one| row(result, Some(one.name), old(one).as_deref(), Some(&one.new), message))
            .collect()
    }
}

/// Judges the lines until there are [`MAX_FAULTS`]; `now` has the services as they are.
pub(super) fn judge(lines: &[Line], now: &BTreeMap<ServiceId, Map<String, Value>>) -> Vec<Judged> {
    let (mut seen, mut faults): (BTreeMap<ServiceId, u64>, _) = (BTreeMap::new(), 0);
    let judge_one = |line: &Line| {
        let id: Option<ServiceId> = line.id.map(RecordId::known_as);
        let mut judged = one(line, id.and_then(|id| now.get(&id)));
        if let Some(id) = id {
            if let Some(first) = seen.get(&id) {
                judged.faults.push(("id", format!("service {id} is on line {first} already")));
            }
            seen.entry(id).or_insert(line.line);
        }
        judged
    };
    let is_before_the_last_fault = |judged: &Judged| {
        let goes_on = faults < MAX_FAULTS;
        faults += judged.faults.len();
        goes_on
    };
    lines.iter().map(judge_one).take_while(is_before_the_last_fault).collect()
}

fn one(line: &Line, now: Option<&Map<String, Value>>) -> Judged {
    let id = line.id.map(RecordId::known_as);
    let mut judged =
        Judged { line: line.line, id, fields: Vec::new(), translations: None, faults: Vec::new() };
    if let Some(fault) = &line.fault {
        judged.faults.push(("", fault.clone()));
        return judged;
    }
    if let (Some(id), None) = (line.id, now) {
        judged.faults.push(("id", format!("there is no service {id}")));
        return judged;
    }
    for (field, cell) in line.cells.iter(&SCHEMA) {
        let name = field.name;
        // An empty cell of a new service leaves that to the panel.
        if now.is_none() && cell.trim().is_empty() {
            continue;
        }
        match field.canonical(cell) {
            Err(why) => judged.faults.push((name, why)),
            Ok(new) => {
                let old = now.map(|now| field.text_of(now));
                // What the panel has is written its way already, but for lists that nobody ordered.
                if old.as_deref().map(|old| field.canonical(old).unwrap_or_else(|_| old.to_owned()))
                    != Some(new.clone())
                {
                    judged.fields.push(Changed { name, old: old.unwrap_or_default(), new });
                }
            }
        }
    }
    judged.translations = translations(&judged, now);
    if now.is_none() {
        for name in NEEDED.iter().filter(|name| !judged.fields.iter().any(|field| field.name == **name)) {
            if !judged.faults.iter().any(|(field, _)| field == name) {
                judged.faults.push((name, "a new service needs it".to_owned()));
            }
        }
    }
    judged
}

/// All texts as they would be, where one changes in some language; an own name that changes with them is the English one.
fn translations(judged: &Judged, now: Option<&Map<String, Value>>) -> Option<Value> {
    let is_text = |changed: &&Changed| field(changed.name).is_some_and(Field::is_translated);
    judged.fields.iter().find(is_text)?;
    let texts = judged.fields.iter().filter(|changed| changed.name == "name" || is_text(changed));
    let texts: Vec<(&str, &str)> = texts.map(|changed| (changed.name, changed.new.as_str())).collect();
    Some(translated(now, &texts))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sheet::line::{Cells, Column};

    fn line(line: u64, id: Option<i64>, cells: &[(&'static str, &str)]) -> Line {
        let mut line = Line { line, id: id.map(RecordId::new), cells: Cells::default(), fault: None };
        for (name, cell) in cells {
            line.cells.push(Column::of(&SCHEMA, name).unwrap(), cell);
        }
        line
    }

    fn now() -> BTreeMap<ServiceId, Map<String, Value>> {
        let service = json!({ "id": 7, "name": "Likes", "service_type": { "id": 4 }, "default_price": "2.5", "slug": "a", "is_enabled": true });
        BTreeMap::from([(ServiceId::new(7), service.as_object().unwrap().clone())])
    }

    #[test]
    fn each_line_is_new_changed_same_or_wrong() {
        let lines = [
            line(2, Some(7), &[("name", "Likes"), ("default_price", "2.500"), ("is_enabled", "yes")]),
            line(3, Some(8), &[("name", "x")]),
            line(
                4,
                None,
                &[("name", "New"), ("service_type_id", "4"), ("default_price", "0.1"), ("slug", "")],
            ),
            line(5, None, &[("name", "Half")]),
            line(6, Some(7), &[("default_price", "3"), ("slug", "")]),
        ];
        let judged = judge(&lines, &now());
        let results: Vec<_> = judged.iter().map(Judged::result).collect();
        assert_eq!(results, ["same", "error", "new", "error", "error"]);
        assert_eq!(judged[2].body(), json!({ "name": "New", "service_type_id": 4, "default_price": "0.1" }));
        let faults: Vec<_> = judged[3].faults.iter().map(|fault| fault.0).collect();
        assert_eq!(faults, ["service_type_id", "default_price"]);
        assert!(judged[4].faults[0].1.contains("line 2 already"));
        let alone = judge(&lines[4..], &now());
        assert_eq!(
            (alone[0].result(), alone[0].body()),
            ("changed", json!({ "default_price": "3", "slug": null }))
        );
        assert_eq!(alone[0].rows(None)[0]["old"], "2.5");
        let wrong = line(9, Some(7), &[("default_price", "x"), ("min_price", "x")]);
        assert_eq!(
            judge(&vec![wrong; 10_000], &now()).len(),
            334,
            "the first has two faults, the others three"
        );
        let text = judge(&[line(2, Some(7), &[("name", "More"), ("name.de", "Mehr")])], &now());
        let texts = json!({ "en": { "name": "More" }, "de": { "name": "Mehr" } });
        assert_eq!(text[0].body(), json!({ "name": "More", "translations": texts }));
    }
}
