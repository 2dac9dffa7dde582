//! The change log of the catalogue: its entries, its search, and its exports.

use panel_contract::change_logs::{ChangeAction, ChangeModel};
use panel_contract::ids::RecordId;
use panel_platform::db::{Dialect, Source as _, Sql};
use panel_server::catalogue::change_logs::CHANGE_LOGS;
use panel_server::records::change_log::{ChangedRecord, record};
use serde_json::json;

use crate::panel::Panel;

both! {
    each_changed_field_is_an_entry;
    a_record_is_found_by_its_name;
}

/// Auto-promotion is exempt: its ids are of three tables, so its entries contain the name of the record, see `auto_promotions`.
#[test]
fn the_search_covers_the_names_of_every_kind_of_record() {
    for model in ChangeModel::ALL.iter().filter(|model| **model != ChangeModel::AutoPromotion) {
        let only = format!("c.type = '{model}'");
        assert!(
            CHANGE_LOGS.global_search.iter().any(|target| target.condition == Some(only.as_str())),
            "{model}"
        );
    }
}

const LOGS: &str = "/api/v1/admin/services/logs";

async fn each_changed_field_is_an_entry(dialect: Dialect) {
    let panel = Panel::on(dialect).await;
    let changed = |action, id| {
        let id = RecordId::new(id);
        ChangedRecord { action, model: ChangeModel::Service, id, name: "Likes" }
    };
    let mut work = panel.begin_work().await;
    record(&mut work, changed(ChangeAction::Created, 4), &json!({}), &json!({"name": "Likes"}))
        .await
        .unwrap();
    let (old, new) = (
        json!({"min_price": "1", "name": "Likes", "hint": null}),
        json!({"min_price": "2", "name": "Likes", "hint": "=1+1"}),
    );
    record(&mut work, changed(ChangeAction::Updated, 4), &old, &new).await.unwrap();
    record(&mut work, changed(ChangeAction::Archived, 5), &json!({}), &json!({})).await.unwrap();
    work.finish(()).await.unwrap();
    let page = panel.get(&format!("{LOGS}?columns[0][data]=target_id&columns[0][search][value]=4&columns[1][data]=id&order[0][column]=1&order[0][dir]=asc")).await.json();
    assert_eq!((&page["recordsTotal"], &page["recordsFiltered"]), (&json!(4), &json!(3)));
    let row = |at: usize| {
        let row = &page["data"][at];
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
    let choices = panel.get(&format!("{LOGS}/collections")).await.json();
    assert_eq!(choices["data"]["action_types"][0], json!({"type": "created", "label": "Created"}));
    assert!(
        (&mut &panel.app.db).execute(Sql::new("DELETE FROM change_logs")).await.is_err(),
        "the change log is append-only"
    );
    let csv = panel.get_as("owner", LOGS, "text/csv").await.text;
    assert!(csv.contains("'=1+1"), "a text is exported without becoming a formula: {csv}");
}

/// A search finds the entries of a record by its current name, and by an earlier name in an entry.
async fn a_record_is_found_by_its_name(dialect: Dialect) {
    let panel = Panel::on(dialect).await;
    panel.fill(50, 30).await;
    // A new service, because the filled records already have entries.
    let service = "INSERT INTO services (id, service_type_id, name, min_quantity, max_quantity, min_price, default_price, created_at, updated_at)
        SELECT 9000, min(id), 'Zebra stripes', 1, 1000, 1, 1, 1, 1 FROM service_types";
    panel.execute(Sql::new(service)).await;
    let id = RecordId::new(9000);
    let changed = |model| ChangedRecord { action: ChangeAction::Updated, model, id, name: "" };
    let mut work = panel.begin_work().await;
    let (old, new) = (json!({"name": "Quagga stripes"}), json!({"name": "Zebra stripes"}));
    record(&mut work, changed(ChangeModel::Service), &old, &new).await.unwrap();
    let (old, new) = (json!({"min_price": "1"}), json!({"min_price": "2"}));
    record(&mut work, changed(ChangeModel::Service), &old, &new).await.unwrap();
    record(&mut work, changed(ChangeModel::Coupon), &old, &new).await.unwrap();
    work.finish(()).await.unwrap();
    for (text, expected) in [("zebra", 2), ("QUAGGA", 1), ("zebra+price", 1), ("giraffe", 0)] {
        let page = panel.get(&format!("{LOGS}?search[value]={text}")).await.json();
        assert_eq!(page["recordsFiltered"], expected, "{text}: {page}");
    }
}
