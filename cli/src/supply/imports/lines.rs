//! The lines of a file with services of an external panel: builds them for an export and parses them for an import. No I/O.

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
    Field { name, kind, can_be_empty: true, is_in_list: true }
}

/// The columns that an import reads.
const IMPORTED_FIELDS: &[Field] = &[
    field("name", Kind::Text),
    field("price", Kind::Money),
    field("margin_fraction", Kind::Fraction),
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

/// The prices at the time of the export. The panel refuses a line if its prices have changed.
const EXPECTED_PRICES: &[Field] =
    &[field("external_panel_price", Kind::Money), field("provider_price", Kind::Money)];

/// Informational columns, which an import ignores.
const INFO_FIELDS: &[Field] = &[
    field("external_panel_service_id", Kind::Text),
    field("type", Kind::Text),
    field("category", Kind::Text),
    field("lowest_price", Kind::Text),
    field("pricing_per", Kind::Text),
];

pub(super) static SCHEMA: Schema = Schema {
    singular: "service",
    field_groups: &[INFO_FIELDS, EXPECTED_PRICES, IMPORTED_FIELDS],
    id_advice: "it holds the ids of external-panels services",
};

/// The format of the lines of a file: services or packages.
pub(super) trait LineFormat: 'static {
    /// The type of a line in the request.
    type Item: Serialize + DeserializeOwned + Clone + std::fmt::Debug;

    /// Creates a line with only the id of the service.
    fn new_item(id: ImportableServiceId) -> Self::Item;

    /// The columns of the file.
    const SCHEMA: &'static Schema;
    /// Informational columns, which an import ignores.
    const INFO_FIELDS: &'static [Field];
    /// Columns in which an empty cell clears the field. In other columns an empty cell means the default value of the import.
    const CLEARABLE_FIELDS: &'static [&'static str];

    /// Checks fields of a line that depend on each other, and removes invalid fields. Returns the errors by field.
    fn check(fields: &mut Map<String, Value>) -> Vec<(&'static str, String)>;
}

/// The format of a file of services.
pub(super) struct Services;

impl LineFormat for Services {
    type Item = ImportServiceItem;

    fn new_item(id: ImportableServiceId) -> ImportServiceItem {
        ImportServiceItem::new(id)
    }

    const SCHEMA: &'static Schema = &SCHEMA;
    const INFO_FIELDS: &'static [Field] = INFO_FIELDS;
    const CLEARABLE_FIELDS: &'static [&'static str] = &["description"];

    fn check(fields: &mut Map<String, Value>) -> Vec<(&'static str, String)> {
        let has_price_and_margin = fields.contains_key("price") && fields.contains_key("margin_fraction");
        let message = ("margin_fraction", "specify a price or a margin, not both".to_owned());
        has_price_and_margin.then_some(message).into_iter().collect()
    }
}

/// A parsed line with its errors.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ImportLine<I> {
    pub(super) line: u64,
    /// The id of the service in `external-panels services`.
    pub(super) id: Option<ImportableServiceId>,
    pub(super) item: I,
    /// The errors: the name of the field (empty for an error of the whole line) and the message.
    pub(super) errors: Vec<(String, String)>,
}

/// Parses the lines, and finds the errors that do not require the panel.
pub(super) fn parse_lines<L: LineFormat>(lines: &[Line]) -> Vec<ImportLine<L::Item>> {
    let mut first_lines: BTreeMap<RecordId, u64> = BTreeMap::new();
    let parse = |line: &Line| {
        let mut parsed = parse_line::<L>(line);
        match line.id {
            None => parsed.add_error("id", "a line requires the id of a service of the panel".to_owned()),
            Some(id) => match first_lines.get(&id) {
                Some(first_line) => {
                    parsed.add_error("id", format!("service {id} is already on line {first_line}"))
                }
                None => {
                    first_lines.insert(id, line.line);
                }
            },
        }
        parsed
    };
    lines.iter().map(parse).collect()
}

fn parse_line<L: LineFormat>(line: &Line) -> ImportLine<L::Item> {
    let id: Option<ImportableServiceId> = line.id.map(RecordId::typed_as);
    // A line without an id is an error, so panelctl never sends its item, which only holds the other fields for the report.
    let item_id = id.unwrap_or(ImportableServiceId::new(0));
    let mut parsed = ImportLine { line: line.line, id, item: L::new_item(item_id), errors: Vec::new() };
    if let Some(error) = &line.error {
        parsed.add_error("", error.clone());
        return parsed;
    }
    let mut item = Map::from_iter([("id".to_owned(), json!(item_id))]);
    for (field, cell) in line.cells.iter(L::SCHEMA) {
        if L::INFO_FIELDS.iter().any(|info| info.name == field.name) {
            continue;
        }
        match field.canonicalize(cell) {
            Err(error) => parsed.add_error(field.name, error),
            Ok(text) if text.is_empty() && !L::CLEARABLE_FIELDS.contains(&field.name) => {}
            Ok(text) if field.kind == Kind::Text => {
                item.insert(field.name.to_owned(), text.into());
            }
            Ok(text) => {
                item.insert(field.name.to_owned(), field.json_value(&text));
            }
        }
    }
    for (field, error) in L::check(&mut item) {
        parsed.add_error(field, error);
    }
    match serde_json::from_value(Value::Object(item)) {
        Ok(item) => parsed.item = item,
        Err(error) => parsed.add_error("", error.to_string()),
    }
    parsed
}

impl<I> ImportLine<I> {
    /// The id of the line in a bulk run.
    pub(super) fn record_id(&self) -> Option<RecordId> {
        self.id.map(ImportableServiceId::as_record_id)
    }

    pub(super) fn add_error(&mut self, field: &str, error: String) {
        self.errors.push((field.to_owned(), error));
    }
}

/// Converts a service to a line of an export.
pub(super) fn export_line(service: &ImportableService) -> Map<String, Value> {
    let mut fields = match serde_json::to_value(service) {
        Ok(Value::Object(fields)) => fields,
        _ => Map::new(),
    };
    // A line has a price or a margin, never both; the price takes precedence.
    if service.price.is_some() {
        fields.remove("margin_fraction");
    }
    fields
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sheet::line::{Cells, Column};

    fn line(line: u64, id: Option<i64>, cells: &[(&'static str, &str)]) -> Line {
        let mut line = Line { line, id: id.map(RecordId::new), cells: Cells::default(), error: None };
        for (name, cell) in cells {
            line.cells.push(Column::from_name(&SCHEMA, name).unwrap(), cell);
        }
        line
    }

    #[test]
    fn parses_valid_lines() {
        let lines = [
            line(
                2,
                Some(7),
                &[("name", "Likes"), ("price", "1 000.50"), ("sync_name", "yes"), ("type", "x")],
            ),
            line(3, Some(8), &[("name", ""), ("price", ""), ("description", ""), ("margin_fraction", "0.3")]),
        ];
        let parsed = parse_lines::<Services>(&lines);
        assert!(parsed.iter().all(|line| line.errors.is_empty()), "{parsed:?}");
        let items: Vec<Value> = parsed.iter().map(|line| json!(line.item)).collect();
        assert_eq!(items[0], json!({ "id": 7, "name": "Likes", "price": "1000.5", "sync_name": true }));
        assert_eq!(items[1], json!({ "id": 8, "description": "", "margin_fraction": "0.3" }));
    }

    #[test]
    fn each_error_names_its_field() {
        let lines = [
            line(2, Some(7), &[("price", "1,5"), ("network_id", "x"), ("sync_name", "maybe")]),
            line(3, Some(7), &[("price", "1"), ("margin_fraction", "0.1")]),
            line(4, None, &[("name", "New")]),
        ];
        let parsed = parse_lines::<Services>(&lines);
        let fields =
            |index: usize| parsed[index].errors.iter().map(|(field, _)| field.as_str()).collect::<Vec<_>>();
        assert_eq!(fields(0), ["price", "network_id", "sync_name"]);
        assert_eq!(fields(1), ["margin_fraction", "id"]);
        assert_eq!(fields(2), ["id"]);
    }

    /// Every field of the contract has a column, so that a file can set everything that the console can.
    #[test]
    fn every_field_has_a_column() {
        let all_fields = json!({ "id": 1, "name": "a", "description": "a", "price": "1", "margin_fraction": "1",
            "external_panel_price": "1", "provider_price": "1", "network_id": 1, "service_type_id": 1,
            "promotable_checker_group_id": 1, "sync_params": true, "sync_prices": true, "sync_labels": true,
            "sync_name": true, "sync_meta": true, "sync_service_details": true, "sync_description_field": true,
            "sync_short_description": true, "sync_reviews": true });
        let item: ImportServiceItem = serde_json::from_value(all_fields.clone()).unwrap();
        assert_eq!(json!(item), all_fields, "the test lists all fields");
        for name in all_fields.as_object().unwrap().keys().filter(|name| *name != "id") {
            assert!(SCHEMA.field(name).is_some(), "{name}");
        }
    }
}
