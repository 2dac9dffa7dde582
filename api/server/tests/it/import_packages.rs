//! Tests imports of packages that staff edited: the server stores every field, and the error response lists every invalid field of
//! every package. The server converts prices of the external panel; a fixed cost is already in the currency of this panel.

use panel_contract::amount::Money;
use panel_demo::panel::FakePanel;
use panel_demo::panel::state::FakeService;
use panel_platform::db::{Dialect, Sql};
use serde_json::{Value, json};

use crate::imports::{PACKAGE_ID, start_panel_with_external_panel};
use crate::panel::Panel;

test_both_databases! {
    every_field_of_a_package_is_imported;
    every_invalid_field_of_every_package_is_named;
    prices_of_the_external_panel_are_converted_and_fixed_costs_are_not;
    the_preview_gives_a_reason_if_a_service_cannot_be_a_package;
}

const PANELS: &str = "/api/v1/admin/external-panels";
const IMPORT_PACKAGES: &str = "/api/v1/admin/external-panels/import-packages";

fn set_rate(fake_panel: &FakePanel, id: i64, rate: &str) {
    fake_panel.state().services.get_mut(&id).unwrap().rate = rate.parse::<Money>().unwrap();
}

fn add_package(fake_panel: &FakePanel, id: i64, name: &'static str) {
    let rate = "5".parse::<Money>().unwrap();
    fake_panel.state().add_service(
        id,
        FakeService {
            rate,
            service_type: "Package",
            min_quantity: 1,
            max_quantity: 1,
            ..FakeService::with_name(name)
        },
    );
}

impl Panel {
    /// The imported package with this name.
    async fn fetch_package_by_name(&self, name: &str) -> Value {
        let sql = Sql::new("SELECT id FROM provider_packages WHERE name = ?").bind(name);
        let id = self.fetch_number(sql).await;
        self.get_data(&format!("/api/v1/admin/providers-packages/{id}")).await
    }
}

async fn every_field_of_a_package_is_imported(dialect: Dialect) {
    let (panel, fake_panel) = start_panel_with_external_panel(dialect).await;
    add_package(&fake_panel, 105, "Big pack");
    let ids = panel.fetch_panel_services(&["104", "105"]).await;
    let packages = json!([
        { "id": ids[0], "name": " Begin ", "type": "manual", "fixed_cost": "12.34", "networkId": 2, "sync": true },
        { "id": ids[1], "discount_fraction": "0.125" },
    ]);
    let import_result =
        panel.post_data(IMPORT_PACKAGES, json!({ "external_panel_id": 1, "packages": packages })).await;
    assert_eq!(
        (&import_result["created"], &import_result["items"][0]["price"]),
        (&json!(2), &json!("12.34"))
    );
    let begin_package = panel.fetch_package_by_name("Begin").await;
    assert_eq!((&begin_package["type"], &begin_package["fixed_cost"]), (&json!("manual"), &json!("12.34")));
    assert_eq!((&begin_package["network"]["id"], &begin_package["sync"]), (&json!(2), &json!(true)));
    let big_package = panel.fetch_package_by_name("Big pack").await;
    assert_eq!((&big_package["type"], &big_package["fixed_cost"]), (&json!("auto"), &Value::Null));
    assert_eq!((&big_package["discount_fraction"], &big_package["sync"]), (&json!("0.125"), &json!(false)));
}

async fn every_invalid_field_of_every_package_is_named(dialect: Dialect) {
    let (panel, fake_panel) = start_panel_with_external_panel(dialect).await;
    add_package(&fake_panel, 105, "Big pack");
    add_package(&fake_panel, 106, "Small pack");
    let ids = panel.fetch_panel_services(&["101", "104", "105", "106"]).await;
    let packages = json!([
        { "id": ids[0], "name": "" },
        { "id": ids[1], "name": " ", "network_id": 77, "fixed_cost": "1.234", "discount_fraction": "1.5" },
        { "id": ids[2], "fixed_cost": "-1", "discount_fraction": "0.1" },
        { "id": ids[3], "discount_fraction": "0.1234" },
    ]);
    let body = json!({ "external_panel_id": 1, "packages": packages });
    let response = panel.post(IMPORT_PACKAGES, &body).await;
    assert_eq!(response.status, 422, "{}", response.text);
    let json = response.json();
    let mut fields: Vec<&String> = json["errors"].as_object().unwrap().keys().collect();
    fields.sort();
    let expected_fields = [
        "packages.0.id",
        "packages.1.discount_fraction",
        "packages.1.fixed_cost",
        "packages.1.name",
        "packages.1.network_id",
        "packages.2.discount_fraction",
        "packages.2.fixed_cost",
        "packages.3.discount_fraction",
    ];
    assert_eq!(fields, expected_fields);
    assert_eq!(panel.fetch_number(Sql::new("SELECT count(*) FROM provider_packages")).await, 0);
}

async fn prices_of_the_external_panel_are_converted_and_fixed_costs_are_not(dialect: Dialect) {
    let (panel, fake_panel) = start_panel_with_external_panel(dialect).await;
    panel.set_setting("currencies.exchange_rates", r#"{"EUR":"0.7"}"#).await;
    panel.execute(Sql::new("UPDATE external_panels SET currency = 'EUR'")).await;
    let id = panel.fetch_panel_services(&["104"]).await[0];
    let import_body = json!({ "external_panel_id": 1, "packages": [{ "id": id, "fixed_cost": "8" }] });
    let import_result = panel.post_data(IMPORT_PACKAGES, import_body).await;
    let item = &import_result["items"][0];
    // 5 / 0.7, rounded up.
    assert_eq!((&item["external_panel_price"], &item["provider_price"]), (&json!("5"), &json!("7.142858")));
    assert_eq!(item["price"], "8");
    let import_body = json!({ "external_panel_id": 1, "services": [{ "id": id }], "service_type_id": 1 });
    panel.post_data(&format!("{PANELS}/import-services"), import_body).await;
    let provider_package = panel.fetch_package_by_name("Starter pack").await;
    let content_price = |package: &Value| package["contents"][0]["price"].clone();
    assert_eq!(
        (&provider_package["fixed_cost"], content_price(&provider_package)),
        (&json!("8"), json!("7.142858"))
    );
    let body = json!({ "provider_package_id": provider_package["id"], "sync": true, "network_id": 1 });
    let package = panel.post_data("/api/v1/admin/packages", body).await;
    assert_eq!(package["fixed_cost"], "8");
    set_rate(&fake_panel, PACKAGE_ID, "6");
    let run = panel.run_sync().await;
    assert_eq!(run["error"], Value::Null, "{run}");
    let provider_package = panel.fetch_package_by_name("Starter pack").await;
    assert_eq!(
        (&provider_package["fixed_cost"], content_price(&provider_package)),
        (&json!("8"), json!("8.571429"))
    );
    // The fixed cost of the package on sale rises to the new cost at the external panel, rounded up to whole cents.
    let package = panel.get_data(&format!("/api/v1/admin/packages/{}", package["id"])).await;
    assert_eq!(package["fixed_cost"], "8.58");
}

async fn the_preview_gives_a_reason_if_a_service_cannot_be_a_package(dialect: Dialect) {
    let (panel, fake_panel) = start_panel_with_external_panel(dialect).await;
    add_package(&fake_panel, 105, "Big pack");
    let ids = panel.fetch_panel_services(&["101", "104", "105"]).await;
    let import_body = json!({ "external_panel_id": 1, "services": [{ "id": ids[1] }], "service_type_id": 1 });
    panel.post_data(&format!("{PANELS}/import-services"), import_body).await;
    panel.post_data(IMPORT_PACKAGES, json!({ "external_panel_id": 1, "packages": [{ "id": ids[2] }] })).await;
    let preview_body = |as_packages: bool| json!({ "ids": ids, "as_packages": as_packages });
    let path = format!("{PANELS}/1/services");
    let lines = panel.post_data(&path, preview_body(true)).await;
    let rejection_reason_of = |index: usize| lines[index]["rejection"].as_str().unwrap_or_default();
    assert!(rejection_reason_of(0).contains("not a package"), "{lines}");
    assert_eq!(lines[1]["rejection"], Value::Null, "a service on sale can also be imported as a package");
    assert!(rejection_reason_of(2).contains("already imported as provider package"), "{lines}");
    let lines = panel.post_data(&path, preview_body(false)).await;
    assert!(lines[1]["rejection"].as_str().unwrap().contains("as provider"), "{lines}");
    assert_eq!(lines[2]["rejection"], Value::Null, "a package can also be imported as a service");
    let rows = panel.get_data(&format!("{path}?length=50")).await;
    let actions_of = |index: usize| {
        let row = rows.as_array().unwrap().iter().find(|row| row["id"] == json!(ids[index])).unwrap();
        row["actions"].clone()
    };
    let expected_actions =
        |service: bool, package: bool| json!({ "importable": service, "importable_as_package": package });
    assert_eq!(
        [0, 1, 2].map(actions_of),
        [expected_actions(true, false), expected_actions(false, true), expected_actions(true, false)]
    );
}
