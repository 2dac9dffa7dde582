//! Checks of list declarations that compare several lists or are not possible at compile time.

use std::collections::BTreeSet;

use super::*;

#[test]
fn names_and_endpoints_of_lists_are_unique() {
    let names: BTreeSet<_> = ALL.iter().map(|list| list.name).collect();
    let operation_ids: BTreeSet<_> = ALL.iter().map(|list| list.op.id).collect();
    assert_eq!((names.len(), operation_ids.len()), (ALL.len(), ALL.len()));
    let lists =
        crate::endpoints::all().filter(|op| op.id.starts_with("list_") && operation_ids.contains(op.id));
    assert_eq!(lists.count(), ALL.len(), "the endpoint of a list is missing in the endpoint table");
}

#[test]
fn labels_are_in_sentence_case_and_differ_within_a_list() {
    for list in ALL {
        let labels = list.columns.iter().map(|column| column.label).filter(|label| !label.is_empty());
        let mut previous_labels = BTreeSet::new();
        for label in labels {
            assert!(label.starts_with(|first: char| !first.is_lowercase()), "{}: {label}", list.name);
            assert!(previous_labels.insert(label), "{}: two columns have the label {label}", list.name);
        }
    }
}

#[test]
fn a_list_with_the_labels_of_another_list_has_the_same_columns() {
    let lists_with_shared_labels: Vec<_> = ALL.iter().filter(|list| list.labels != list.name).collect();
    assert_eq!(lists_with_shared_labels.len(), 2);
    for list in lists_with_shared_labels {
        let label_list = ALL.iter().find(|other| other.name == list.labels).unwrap();
        assert!(std::ptr::eq(list.columns, label_list.columns), "{}", list.name);
    }
}

#[test]
fn terminals_show_default_columns_first_and_every_field_once() {
    for list in ALL {
        let fields: Vec<_> = list.all_terminal_columns().collect();
        let defaults: Vec<_> =
            fields.iter().take_while(|(_, is_default)| *is_default).map(|(column, _)| column.name).collect();
        assert_eq!(defaults, list.terminal_columns, "{}", list.name);
        let in_row = list.columns.iter().filter(|column| column.in_row && column.alias_of.is_none());
        assert_eq!(fields.len(), in_row.count(), "{}", list.name);
    }
}

#[test]
fn callers_may_write_names_in_camel_case() {
    let orders = &orders::ORDERS;
    assert_eq!(orders.column("createdAt").map(|column| column.name), Some("created_at"));
    assert_eq!(
        orders.column("user.telegramUsername").map(|column| column.name),
        Some("user.telegram_username")
    );
    assert_eq!(orders.filter("comboOrderId").map(|filter| filter.name), Some("combo_order_id"));
    assert!(orders.column("colour").is_none());
}

#[test]
fn the_extension_omits_default_values() {
    let orders = extension::list_to_json(&orders::ORDERS);
    assert_eq!(orders["columns"][0], serde_json::json!({ "name": "id", "kind": "id", "label": "ID" }));
    let approval =
        orders["columns"].as_array().unwrap().iter().find(|column| column["name"] == "approval").unwrap();
    assert_eq!(
        *approval,
        serde_json::json!({ "name": "approval", "kind": "enum", "enum": "Approval", "label": "Moderation", "shortLabel": "approval", "nullable": true })
    );
    assert_eq!(extension::list_to_json(&pages::PANEL_PAGES)["length"], 15);
}
