//! Tests the change log of the catalogue: its entries, its search, and its exports.

use panel_contract::change_logs::{ChangeAction, ChangeModel};
use panel_contract::ids::RecordId;
use panel_platform::db::{Dialect, Sql, SqlExecutor as _};
use panel_server::catalogue::change_logs::CHANGE_LOGS;
use panel_server::records::change_log::ChangedRecord;
use panel_server::records::changes;
use serde_json::json;

use crate::panel::Panel;

test_both_databases! {
    each_changed_field_is_an_entry;
    a_search_finds_the_entries_of_a_record_by_its_name;
}

/// Auto-promotion is exempt: its ids belong to three tables, so its entries contain the name of the record (see `auto_promotions`).
#[test]
fn the_search_covers_the_names_of_every_kind_of_record() {
    for model in ChangeModel::ALL.iter().filter(|model| **model != ChangeModel::AutoPromotion) {
        let expected_condition = format!("c.type = '{model}'");
        assert!(
            CHANGE_LOGS
                .global_search
                .iter()
                .any(|target| target.condition == Some(expected_condition.as_str())),
            "the search does not cover the names of {model}"
        );
    }
}

const CHANGE_LOGS_PATH: &str = "/api/v1/admin/services/logs";

async fn each_changed_field_is_an_entry(dialect: Dialect) {
    let panel = Panel::start(dialect).await;
    let changed_service = |action, id| {
        let id = RecordId::new(id);
        ChangedRecord { action, model: ChangeModel::Service, id, name: "Likes" }
    };
    let mut work = panel.begin_work().await;
    changes::record(
        &mut work,
        changed_service(ChangeAction::Created, 4),
        &json!({}),
        &json!({"name": "Likes"}),
    )
    .await
    .unwrap();
    let (old_values, new_values) = (
        json!({"min_price": "1", "name": "Likes", "hint": null}),
        json!({"min_price": "2", "name": "Likes", "hint": "=1+1"}),
    );
    changes::record(&mut work, changed_service(ChangeAction::Updated, 4), &old_values, &new_values)
        .await
        .unwrap();
    changes::record(&mut work, changed_service(ChangeAction::Archived, 5), &json!({}), &json!({}))
        .await
        .unwrap();
    work.finish(()).await.unwrap();
    let page = panel.get(&format!("{CHANGE_LOGS_PATH}?columns[0][data]=target_id&columns[0][search][value]=4&columns[1][data]=id&order[0][column]=1&order[0][dir]=asc")).await.json();
    assert_eq!((&page["recordsTotal"], &page["recordsFiltered"]), (&json!(4), &json!(3)));
    let row = |index: usize| {
        let row = &page["data"][index];
        (
            row["action_type"].clone(),
            row["information"].clone(),
            row["old_value"].clone(),
            row["new_value"].clone(),
        )
    };
    assert_eq!(row(0), (json!("created"), json!("Likes"), json!(null), json!(null)));
    let updates = [row(1), row(2)];
    assert!(updates.contains(&(json!("updated"), json!("Min price"), json!("1"), json!("2"))), "{page}");
    assert!(updates.contains(&(json!("updated"), json!("Hint"), json!(null), json!("=1+1"))), "{page}");
    let choices = panel.get(&format!("{CHANGE_LOGS_PATH}/collections")).await.json();
    assert_eq!(choices["data"]["action_types"][0], json!({"type": "created", "label": "Created"}));
    assert!(
        (&mut &panel.app.db).execute(Sql::new("DELETE FROM change_logs")).await.is_err(),
        "the change log must be append-only"
    );
    let csv = panel.get_as("owner", CHANGE_LOGS_PATH, "text/csv").await.text;
    assert!(csv.contains("'=1+1"), "an exported string must not become a formula: {csv}");
}

/// A search finds the entries of a record by its current name, and by an earlier name in an entry.
async fn a_search_finds_the_entries_of_a_record_by_its_name(dialect: Dialect) {
    let panel = Panel::start(dialect).await;
    panel.insert_generated_records(50, 30).await;
    // A new service, because the generated records already have entries.
    let insert_service_sql = "INSERT INTO services (id, service_type_id, name, min_quantity, max_quantity, min_price, default_price, created_at, updated_at)
        SELECT 9000, min(id), 'Zebra stripes', 1, 1000, 1, 1, 1, 1 FROM service_types";
    panel.execute(Sql::new(insert_service_sql)).await;
    let id = RecordId::new(9000);
    let changed_record = |model| ChangedRecord { action: ChangeAction::Updated, model, id, name: "" };
    let mut work = panel.begin_work().await;
    let (old_values, new_values) = (json!({"name": "Quagga stripes"}), json!({"name": "Zebra stripes"}));
    changes::record(&mut work, changed_record(ChangeModel::Service), &old_values, &new_values).await.unwrap();
    let (old_values, new_values) = (json!({"min_price": "1"}), json!({"min_price": "2"}));
    changes::record(&mut work, changed_record(ChangeModel::Service), &old_values, &new_values).await.unwrap();
    changes::record(&mut work, changed_record(ChangeModel::Coupon), &old_values, &new_values).await.unwrap();
    work.finish(()).await.unwrap();
    for (search_text, expected_count) in [("zebra", 2), ("QUAGGA", 1), ("zebra+price", 1), ("giraffe", 0)] {
        let page = panel.get(&format!("{CHANGE_LOGS_PATH}?search[value]={search_text}")).await.json();
        assert_eq!(page["recordsFiltered"], expected_count, "{search_text}: {page}");
    }
}
