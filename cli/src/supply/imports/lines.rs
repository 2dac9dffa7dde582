//! The lines of a file of what a panel sells: what an export writes of each service, and what an import makes of a line.
//! Pure.

use std::collections::BTreeMap;

use panel_contract::external_services::{ImportServiceItem, ImportableService};
use panel_contract::ids::{ImportableServiceId, RecordId};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value, json};

use crate::sheet::Schema;
use crate::sheet::field::{Field, Kind};
use crate::sheet::line::Line;

pub(super) const fn field(name: &'static str, kind: Kind) -> Field {
    Field { name, kind, clears: true, listed: true }
}

/// The columns that an import reads; the others only tell what the line is.
const EDITED: &[Field] = &[
    field("name", Kind::Text),
    field("price", Kind::Money),
    field("margin_percent", Kind::Fraction),
    field("network_id", Kind::Whole),
    field("service_type_id", Kind::Whole),
    field("promotable_checker_group_id", Kind::Whole),
    field("description", Kind::Text),
    field("sync_params", Kind::Flag),
    field("sync_prices", Kind::Flag),
    field("sync_labels", Kind::Flag),
    field("sync_name", Kind::Flag),
    field("sync_meta", Kind::Flag),
    field("sync_service_details", Kind::Flag),
    field("sync_description_field", Kind::Flag),
    field("sync_short_description", Kind::Flag),
    field("sync_reviews", Kind::Flag),
];

/// What the panel asked when the file was written: a line whose panel asks something else by now is refused.
const COMPARED: &[Field] =
    &[field("external_panel_price", Kind::Money), field("provider_price", Kind::Money)];

/// What helps to decide; an import passes over it.
const SHOWN: &[Field] = &[
    field("external_panel_service_id", Kind::Text),
    field("type", Kind::Text),
    field("category", Kind::Text),
    field("lowest_price", Kind::Text),
    field("pricing_per", Kind::Text),
];

/// A file of services to import.
pub(super) static SCHEMA: Schema = Schema {
    one: "service",
    parts: &[SHOWN, COMPARED, EDITED],
    id_advice: "it holds the ids that external-panels services shows",
};

/// What the lines of a file are imported as: services or packages.
pub(super) trait Lines: 'static {
    /// A line as it is sent.
    type Item: Serialize + DeserializeOwned + Clone + std::fmt::Debug;

    /// A line that says nothing but the service.
    fn item(id: ImportableServiceId) -> Self::Item;

    /// The columns of the file.
    const SCHEMA: &'static Schema;
    /// Columns that help to decide; an import passes over them.
    const SHOWN: &'static [Field];
    /// Columns whose empty cell is a value; any other empty cell leaves the field to the import.
    const EMPTIED: &'static [&'static str];

    /// What is wrong with the fields of a line together; a field that cannot be sent is taken out.
    fn check(fields: &mut Map<String, Value>) -> Vec<(&'static str, String)>;
}

/// How a file of services is read, checked and sent.
pub(super) struct Services;

impl Lines for Services {
    type Item = ImportServiceItem;

    fn item(id: ImportableServiceId) -> ImportServiceItem {
        ImportServiceItem::new(id)
    }

    const SCHEMA: &'static Schema = &SCHEMA;
    const SHOWN: &'static [Field] = SHOWN;
    const EMPTIED: &'static [&'static str] = &["description"];

    fn check(fields: &mut Map<String, Value>) -> Vec<(&'static str, String)> {
        let is_both = fields.contains_key("price") && fields.contains_key("margin_percent");
        let both = ("margin_percent", "give a price or a margin, not both".to_owned());
        is_both.then_some(both).into_iter().collect()
    }
}

/// A line as it would be imported.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Judged<I> {
    pub(super) line: u64,
    /// Its id in the list of the panel's services, where the line has one.
    pub(super) id: Option<ImportableServiceId>,
    pub(super) item: I,
    /// What is wrong: the field where one is, and why.
    pub(super) faults: Vec<(String, String)>,
}

/// What each line says, with what can be seen to be wrong without asking the panel.
pub(super) fn judge<L: Lines>(lines: &[Line]) -> Vec<Judged<L::Item>> {
    let mut seen: BTreeMap<RecordId, u64> = BTreeMap::new();
    let judge_one = |line: &Line| {
        let mut judged = one::<L>(line);
        match line.id {
            None => judged.fault("id", "a line needs the id of a service of the panel".to_owned()),
            Some(id) => match seen.get(&id) {
                Some(first) => judged.fault("id", format!("service {id} is on line {first} already")),
                None => {
                    seen.insert(id, line.line);
                }
            },
        }
        judged
    };
    lines.iter().map(judge_one).collect()
}

fn one<L: Lines>(line: &Line) -> Judged<L::Item> {
    let id: Option<ImportableServiceId> = line.id.map(RecordId::known_as);
    // A line without an id is a fault and never sent; its item only says what else the line says.
    let item_id = id.unwrap_or(ImportableServiceId::new(0));
    let mut judged = Judged { line: line.line, id, item: L::item(item_id), faults: Vec::new() };
    if let Some(fault) = &line.fault {
        judged.fault("", fault.clone());
        return judged;
    }
    let mut item = Map::from_iter([("id".to_owned(), json!(item_id))]);
    for (field, cell) in line.cells.iter(L::SCHEMA) {
        if L::SHOWN.iter().any(|shown| shown.name == field.name) {
            continue;
        }
        match field.canonical(cell) {
            Err(why) => judged.fault(field.name, why),
            Ok(text) if text.is_empty() && !L::EMPTIED.contains(&field.name) => {}
            Ok(text) if field.kind == Kind::Text => {
                item.insert(field.name.to_owned(), text.into());
            }
            Ok(text) => {
                item.insert(field.name.to_owned(), field.value(&text));
            }
        }
    }
    for (field, why) in L::check(&mut item) {
        judged.fault(field, why);
    }
    match serde_json::from_value(Value::Object(item)) {
        Ok(item) => judged.item = item,
        Err(error) => judged.fault("", error.to_string()),
    }
    judged
}

impl<I> Judged<I> {
    /// By what a run knows it.
    pub(super) fn record(&self) -> Option<RecordId> {
        self.id.map(ImportableServiceId::record)
    }

    pub(super) fn fault(&mut self, field: &str, why: String) {
        self.faults.push((field.to_owned(), why));
    }
}

/// A service as a line of an export: what would be imported of it, unedited.
pub(super) fn exported(service: &ImportableService) -> Map<String, Value> {
    let mut fields = match serde_json::to_value(service) {
        Ok(Value::Object(fields)) => fields,
        _ => Map::new(),
    };
    // The price decides: a line has a price or a margin, never both.
    if service.price.is_some() {
        fields.remove("margin_percent");
    }
    fields
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

    #[test]
    fn a_line_says_what_is_imported() {
        let lines = [
            line(
                2,
                Some(7),
                &[("name", "Likes"), ("price", "1 000.50"), ("sync_name", "yes"), ("type", "x")],
            ),
            line(3, Some(8), &[("name", ""), ("price", ""), ("description", ""), ("margin_percent", "0.3")]),
        ];
        let judged = judge::<Services>(&lines);
        assert!(judged.iter().all(|one| one.faults.is_empty()), "{judged:?}");
        let items: Vec<Value> = judged.iter().map(|one| json!(one.item)).collect();
        assert_eq!(items[0], json!({ "id": 7, "name": "Likes", "price": "1000.5", "sync_name": true }));
        assert_eq!(items[1], json!({ "id": 8, "description": "", "margin_percent": "0.3" }));
    }

    #[test]
    fn each_fault_is_named_with_its_field() {
        let lines = [
            line(2, Some(7), &[("price", "1,5"), ("network_id", "x"), ("sync_name", "maybe")]),
            line(3, Some(7), &[("price", "1"), ("margin_percent", "0.1")]),
            line(4, None, &[("name", "New")]),
        ];
        let judged = judge::<Services>(&lines);
        let fields =
            |at: usize| judged[at].faults.iter().map(|(field, _)| field.as_str()).collect::<Vec<_>>();
        assert_eq!(fields(0), ["price", "network_id", "sync_name"]);
        assert_eq!(fields(1), ["margin_percent", "id"]);
        assert_eq!(fields(2), ["id"]);
    }

    /// Every field of the contract has a column, so that a file can say all that the console can.
    #[test]
    fn every_field_has_a_column() {
        let all = json!({ "id": 1, "name": "a", "description": "a", "price": "1", "margin_percent": "1",
            "external_panel_price": "1", "provider_price": "1", "network_id": 1, "service_type_id": 1,
            "promotable_checker_group_id": 1, "sync_params": true, "sync_prices": true, "sync_labels": true,
            "sync_name": true, "sync_meta": true, "sync_service_details": true, "sync_description_field": true,
            "sync_short_description": true, "sync_reviews": true });
        let item: ImportServiceItem = serde_json::from_value(all.clone()).unwrap();
        assert_eq!(json!(item), all, "all fields are named here");
        for name in all.as_object().unwrap().keys().filter(|name| *name != "id") {
            assert!(SCHEMA.field(name).is_some(), "{name}");
        }
    }
}
