//! PATCH requests change only the fields of the body: one test sends an empty body to every PATCH endpoint and compares the whole
//! database.

use std::collections::BTreeMap;

use panel_contract::endpoint::Op;
use panel_contract::endpoints;
use panel_contract::permission::Permission;
use panel_platform::db::{Dialect, Sql, SqlExecutor};
use serde_json::{Value, json};

use crate::panel::Panel;

test_both_databases! {
    an_empty_patch_changes_nothing;
    a_patch_of_a_personal_price_changes_only_the_given_fields;
    a_patch_of_a_role_changes_only_the_given_fields;
    a_patch_of_roles_and_permissions_changes_only_the_given_list;
}

/// The path of a PATCH endpoint with the ids of existing records. An endpoint that is missing here fails the test.
fn path_with_ids(op: &Op, (network, service_type): (i64, i64)) -> String {
    let ids: &[i64] = match op.id {
        "update_grade" | "update_user" | "update_external_panel" | "sync_payment_methods" => &[2],
        "update_coupon" => &[4],
        "update_user_service" => &[3, 1],
        "update_auto_refill_params" => &[4],
        "update_staff" | "sync_grants" => &[HELPER_ID],
        "update_role" => &[1],
        "update_auto_promotion_network" => &[network],
        "update_auto_promotion_service_type" => &[service_type],
        "bulk_update_services" | "bulk_update_packages" | "update_own_profile" => &[],
        "rename_passkey" => &[1],
        unknown_op => panic!("{unknown_op}: add the ids of a record for its path"),
    };
    let mut ids = ids.iter();
    let segment = |segment: &str| match segment.starts_with('{') {
        true => ids.next().unwrap().to_string(),
        false => segment.to_owned(),
    };
    op.path.split('/').map(segment).collect::<Vec<_>>().join("/")
}

/// The staff member that the tests change.
const HELPER_ID: i64 = 1_000_002;

impl Panel {
    /// A panel with generated records, a role, a staff member with this role, and a personal price with every field set.
    async fn with_every_field_set(dialect: Dialect) -> Self {
        let panel = Self::start(dialect).await;
        panel.insert_generated_records(20, 60).await;
        panel.create_staff("helper", &[Permission::ViewOrders]).await;
        let role_body = json!({ "name": "Support", "permissions": ["view orders", "view users"] });
        assert_eq!(panel.post("/api/v1/admin/roles", &role_body).await.status, 200);
        let (id,): (i64,) =
            (&mut &panel.app.db).fetch_one(Sql::new("SELECT max(id) FROM users")).await.unwrap();
        let grants_body = json!({ "roles": [1], "permissions": ["view orders"] });
        assert_eq!(
            panel
                .send_patch(&format!("/api/v1/admin/users/{id}/sync-roles-and-permissions"), &grants_body)
                .await
                .0,
            200
        );
        assert_eq!(id, HELPER_ID);
        let methods_body = json!({ "payment_methods": [1, 3] });
        assert_eq!(
            panel.send_patch("/api/v1/admin/users/2/sync-payment-methods", &methods_body).await.0,
            200
        );
        panel.execute(Sql::new(SET_EVERY_PRICE_FIELD)).await;
        let insert_passkey_sql = "INSERT INTO passkeys (user_id, credential_id, credential, name, created_at) SELECT id, 'a', '{}', 'Laptop', 1 FROM users WHERE name = 'owner'";
        panel.execute(Sql::new(insert_passkey_sql)).await;
        let promoted_services_body = json!({ "services": [1] });
        let response = panel.post("/api/v1/admin/auto-promotions/services", &promoted_services_body).await;
        assert_eq!(response.status, 200, "{}", response.text);
        panel
    }

    async fn send_patch(&self, path: &str, body: &Value) -> (u16, Value) {
        let response = self.send("owner", "PATCH", path, body, None).await;
        (response.status.as_u16(), response.json())
    }

    /// All rows of all tables, except for the tables that every request changes.
    pub(crate) async fn fetch_all_rows(&self) -> BTreeMap<String, Vec<String>> {
        let db = &mut &self.app.db;
        let is_sqlite = self.app.db.dialect() == Dialect::Sqlite;
        let columns_sql = match is_sqlite {
            true => {
                "SELECT m.name, c.name FROM sqlite_master m, pragma_table_info(m.name) c WHERE m.type = 'table' AND m.sql NOT LIKE 'CREATE VIRTUAL%'
                  AND m.name NOT LIKE '%fts%' AND m.name NOT LIKE 'sqlite_%' ORDER BY m.name, c.cid"
            }
            false => {
                "SELECT CAST(table_name AS TEXT), CAST(column_name AS TEXT) FROM information_schema.columns
                  WHERE table_schema = 'public' ORDER BY table_name, ordinal_position"
            }
        };
        let mut tables: BTreeMap<String, Vec<String>> = BTreeMap::new();
        for (table, column) in db.fetch_all::<(String, String)>(Sql::new(columns_sql)).await.unwrap() {
            tables.entry(table).or_default().push(column);
        }
        tables.retain(|table, _| !table.starts_with('_') && table != "sessions");
        let mut rows_by_table = BTreeMap::new();
        for (table, columns) in tables {
            let column_text = |column: &String| match is_sqlite {
                true => format!("'{column}=' || quote(\"{column}\")"),
                false => format!("'{column}=' || COALESCE(CAST(\"{column}\" AS TEXT), 'NULL')"),
            };
            let row_text = columns.iter().map(column_text).collect::<Vec<_>>().join(" || ' ' || ");
            let sql = Sql::new(format!("SELECT {row_text} FROM \"{table}\" ORDER BY 1").leak());
            let rows: Vec<(String,)> =
                db.fetch_all(sql).await.unwrap_or_else(|error| panic!("{table}: {error}"));
            rows_by_table.insert(table, rows.into_iter().map(|(row,)| row).collect());
        }
        rows_by_table
    }
}

/// Sets every field of the personal prices to a value that differs from the former default of an absent field.
const SET_EVERY_PRICE_FIELD: &str = "UPDATE user_services SET min_price = 1000000, default_price = 2000000, auto_refill_is_allowed = TRUE,
  auto_refill_once_fill_ppm = 250000, auto_refill_min_drop_ppm = 100000, auto_refill_max_drop_ppm = 900000,
  auto_refill_max_total_refilled_ppm = 500000, max_order_quantity_for_use_throttle = 100, order_quantity_ratio_ppm = 1200000, has_refill = TRUE";

async fn an_empty_patch_changes_nothing(dialect: Dialect) {
    let panel = Panel::with_every_field_set(dialect).await;
    let rows_before = panel.fetch_all_rows().await;
    assert!(rows_before["users"].len() > 20 && rows_before.len() > 60, "{:?}", rows_before.keys());
    panel.clock.advance_secs(1);
    let promoted_services_sql = Sql::new(
        "SELECT t.network_id, t.id FROM services s JOIN service_types t ON t.id = s.service_type_id WHERE s.id = 1",
    );
    let promoted_ids: (i64, i64) = (&mut &panel.app.db).fetch_one(promoted_services_sql).await.unwrap();
    for op in endpoints::all().filter(|op| op.method == "PATCH") {
        let (status, response) = panel.send_patch(&path_with_ids(op, promoted_ids), &json!({})).await;
        // The path of the caller's profile has no id. Bulk updates list their records in the body, so an empty body is invalid.
        let expected_status = if op.path.contains('{') || op.id == "update_own_profile" { 200 } else { 422 };
        assert_eq!(status, expected_status, "{}: {response}", op.id);
        let rows_after = panel.fetch_all_rows().await;
        for (table, rows) in &rows_before {
            assert_eq!(rows, &rows_after[table], "{} changed {table}", op.id);
        }
    }
}

async fn a_patch_of_a_personal_price_changes_only_the_given_fields(dialect: Dialect) {
    let panel = Panel::with_every_field_set(dialect).await;
    let path = "/api/v1/admin/users/3/user-services";
    let prices = panel.get(path).await.json()["data"].as_array().unwrap().clone();
    let mut expected_price = prices.iter().find(|price| price["id"] == 1).unwrap().clone();
    for (field, value) in [
        ("default_price", Value::Null),
        ("order_quantity_ratio", json!("1.5")),
        ("has_refill", json!(false)),
        ("min_price", json!("0.5")),
        ("max_order_quantity_for_use_throttle", Value::Null),
    ] {
        let (status, response) = panel.send_patch(&format!("{path}/1"), &json!({ field: value })).await;
        assert_eq!(status, 200, "{response}");
        expected_price[field] = value;
        expected_price["updated_at"] = response["data"]["updated_at"].clone();
        assert_eq!(response["data"], expected_price, "{field}");
    }
    // The server validates the record after the change, not only the fields of the body.
    let (status, response) =
        panel.send_patch(&format!("{path}/1"), &json!({ "default_price": "0.25" })).await;
    assert_eq!((status, response["errors"]["min_price"].is_array()), (422, true), "{response}");
}

async fn a_patch_of_a_role_changes_only_the_given_fields(dialect: Dialect) {
    let panel = Panel::with_every_field_set(dialect).await;
    let permission_names = |response: &Value| {
        let permissions = response["data"]["permissions"].as_array().unwrap().iter();
        permissions.map(|permission| permission["name"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    let (status, response) = panel.send_patch("/api/v1/admin/roles/1", &json!({ "name": "Desk" })).await;
    assert_eq!(
        (status, permission_names(&response)),
        (200, vec!["view users".to_owned(), "view orders".to_owned()])
    );
    let (status, response) =
        panel.send_patch("/api/v1/admin/roles/1", &json!({ "permissions": ["view users"] })).await;
    assert_eq!((status, &response["data"]["name"]), (200, &json!("Desk")));
    assert_eq!(permission_names(&response), ["view users"]);
}

async fn a_patch_of_roles_and_permissions_changes_only_the_given_list(dialect: Dialect) {
    let panel = Panel::with_every_field_set(dialect).await;
    let path = format!("/api/v1/admin/users/{HELPER_ID}/sync-roles-and-permissions");
    let (status, response) = panel.send_patch(&path, &json!({ "permissions": ["view users"] })).await;
    assert_eq!((status, &response["data"]["roles"][0]["name"]), (200, &json!("Support")), "{response}");
    let (status, response) = panel.send_patch(&path, &json!({ "roles": [] })).await;
    assert_eq!((status, &response["data"]["roles"]), (200, &json!([])), "{response}");
    assert_eq!(response["data"]["permissions"][0]["name"], "view users");
}
