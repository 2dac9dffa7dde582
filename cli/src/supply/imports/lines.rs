//! The lines of a file with services of an external panel: builds them for an export and parses them for an import. This module does no I/O.

use std::collections::BTreeMap;

use panel_contract::external_services::{ImportServiceItem, ImportableService};
use panel_contract::ids::{ImportableServiceId, RecordId};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value, json};

use crate::sheet::Schema;
use crate::sheet::field::{Field, FieldKind};
use crate::sheet::line::Line;

pub(super) const fn import_field(name: &'static str, kind: FieldKind) -> Field {
    Field { name, kind, can_be_empty: true, is_in_list: true }
}

/// The columns that an import reads.
const IMPORTED_FIELDS: &[Field] = &[
    import_field("name", FieldKind::Text),
    import_field("price", FieldKind::Money),
    import_field("margin_fraction", FieldKind::Fraction),
    import_field("network_id", FieldKind::WholeNumber),
    import_field("service_type_id", FieldKind::WholeNumber),
    import_field("promotable_checker_group_id", FieldKind::WholeNumber),
    import_field("description", FieldKind::Text),
    import_field("sync_params", FieldKind::Flag),
    import_field("sync_prices", FieldKind::Flag),
    import_field("sync_labels", FieldKind::Flag),
    import_field("sync_name", FieldKind::Flag),
    import_field("sync_meta", FieldKind::Flag),
    import_field("sync_service_details", FieldKind::Flag),
    import_field("sync_description_field", FieldKind::Flag),
    import_field("sync_short_description", FieldKind::Flag),
    import_field("sync_reviews", FieldKind::Flag),
];

/// The prices at the time of the export. The server rejects a line if its prices have changed.
const EXPECTED_PRICES: &[Field] = &[
    import_field("external_panel_price", FieldKind::Money),
    import_field("provider_price", FieldKind::Money),
];

/// Informational columns, which an import ignores.
const INFO_FIELDS: &[Field] = &[
    import_field("external_panel_service_id", FieldKind::Text),
    import_field("type", FieldKind::Text),
    import_field("category", FieldKind::Text),
    import_field("lowest_price", FieldKind::Text),
    import_field("pricing_per", FieldKind::Text),
];

pub(super) static SCHEMA: Schema = Schema {
    singular: "service",
    field_groups: &[INFO_FIELDS, EXPECTED_PRICES, IMPORTED_FIELDS],
    id_advice: "add it with the ids from external-panels services",
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
    fn check_dependent_fields(fields: &mut Map<String, Value>) -> Vec<(&'static str, String)>;
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

    fn check_dependent_fields(fields: &mut Map<String, Value>) -> Vec<(&'static str, String)> {
        let has_price_and_margin = fields.contains_key("price") && fields.contains_key("margin_fraction");
        let message = ("margin_fraction", "specify a price or a margin, not both".to_owned());
        has_price_and_margin.then_some(message).into_iter().collect()
    }
}

/// A parsed line with its errors.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ImportLine<I> {
    pub(super) line_number: u64,
    /// The id of the service in `external-panels services`.
    pub(super) id: Option<ImportableServiceId>,
    pub(super) item: I,
    /// The errors: the name of the field (empty for an error of the whole line) and the message.
    pub(super) errors: Vec<(String, String)>,
}

/// Parses the lines, and finds the errors that panelctl can find without the server.
pub(super) fn parse_lines<L: LineFormat>(lines: &[Line]) -> Vec<ImportLine<L::Item>> {
    let mut first_lines: BTreeMap<RecordId, u64> = BTreeMap::new();
    let parse = |line: &Line| {
        let mut parsed_line = parse_line::<L>(line);
        match line.id {
            None => parsed_line
                .add_error("id", "a line requires the id of a service of the external panel".to_owned()),
            Some(id) => match first_lines.get(&id) {
                Some(first_line) => {
                    parsed_line.add_error("id", format!("service {id} is already on line {first_line}"))
                }
                None => {
                    first_lines.insert(id, line.line_number);
                }
            },
        }
        parsed_line
    };
    lines.iter().map(parse).collect()
}

fn parse_line<L: LineFormat>(line: &Line) -> ImportLine<L::Item> {
    let id: Option<ImportableServiceId> = line.id.map(RecordId::typed_as);
    // A line without an id is an error, so panelctl never sends its item. The item only holds the other fields for the report.
    let item_id = id.unwrap_or(ImportableServiceId::new(0));
    let mut parsed_line =
        ImportLine { line_number: line.line_number, id, item: L::new_item(item_id), errors: Vec::new() };
    if let Some(error) = &line.error {
        parsed_line.add_error("", error.clone());
        return parsed_line;
    }
    let mut item = Map::from_iter([("id".to_owned(), json!(item_id))]);
    for (field, cell) in line.cells.iter(L::SCHEMA) {
        if L::INFO_FIELDS.iter().any(|info_field| info_field.name == field.name) {
            continue;
        }
        match field.canonicalize(cell) {
            Err(error) => parsed_line.add_error(field.name, error),
            Ok(text) if text.is_empty() && !L::CLEARABLE_FIELDS.contains(&field.name) => {}
            Ok(text) if field.kind == FieldKind::Text => {
                item.insert(field.name.to_owned(), text.into());
            }
            Ok(text) => {
                item.insert(field.name.to_owned(), field.to_json_value(&text));
            }
        }
    }
    for (field, error) in L::check_dependent_fields(&mut item) {
        parsed_line.add_error(field, error);
    }
    match serde_json::from_value(Value::Object(item)) {
        Ok(item) => parsed_line.item = item,
        Err(error) => parsed_line.add_error("", error.to_string()),
    }
    parsed_line
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
pub(super) fn to_export_line(service: &ImportableService) -> Map<String, Value> {
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
    use crate::sheet::line::{Cells, SheetColumn};

    fn build_line(line_number: u64, id: Option<i64>, cells: &[(&'static str, &str)]) -> Line {
        let mut line = Line { line_number, id: id.map(RecordId::new), cells: Cells::default(), error: None };
        for (name, cell) in cells {
            line.cells.push(SheetColumn::from_name(&SCHEMA, name).unwrap(), cell);
        }
        line
    }

    #[test]
    fn parses_valid_lines() {
        let lines = [
            build_line(
                2,
                Some(7),
                &[("name", "Likes"), ("price", "1 000.50"), ("sync_name", "yes"), ("type", "x")],
            ),
            build_line(
                3,
                Some(8),
                &[("name", ""), ("price", ""), ("description", ""), ("margin_fraction", "0.3")],
            ),
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
            build_line(2, Some(7), &[("price", "1,5"), ("network_id", "x"), ("sync_name", "maybe")]),
            build_line(3, Some(7), &[("price", "1"), ("margin_fraction", "0.1")]),
            build_line(4, None, &[("name", "New")]),
        ];
        let parsed = parse_lines::<Services>(&lines);
        let error_fields =
            |index: usize| parsed[index].errors.iter().map(|(field, _)| field.as_str()).collect::<Vec<_>>();
        assert_eq!(error_fields(0), ["price", "network_id", "sync_name"]);
        assert_eq!(error_fields(1), ["margin_fraction", "id"]);
        assert_eq!(error_fields(2), ["id"]);
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
        assert_eq!(json!(item), all_fields, "the test must list all fields");
        for name in all_fields.as_object().unwrap().keys().filter(|name| *name != "id") {
            assert!(SCHEMA.find_field(name).is_some(), "{name}");
        }
    }
}
