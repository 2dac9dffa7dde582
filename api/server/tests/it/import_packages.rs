//! Packages of an external panel as staff edit them before an import: every field is stored, every wrong field of every package is
//! named, and prices of the panel are converted, while a fixed cost is already in the currency of this panel.

use panel_contract::amount::Money;
use panel_demo::panel::FakePanel;
use panel_demo::panel::state::FakeService;
use panel_platform::db::{Dialect, Sql};
use serde_json::{Value, json};

use crate::imports::panel_with_upstream;
use crate::panel::Panel;

both! {
    every_field_of_a_package_is_imported;
    every_wrong_field_of_every_package_is_named;
    prices_of_the_panel_are_converted_and_fixed_costs_are_not;
    the_preview_names_services_that_cannot_be_packages;
}

const PANELS: &str = "/api/v1/admin/external-panels";
const IMPORT: &str = "/api/v1/admin/external-panels/import-packages";

fn set_rate(fake_panel: &FakePanel, id: i64, rate: &str) {
    fake_panel.state().services.get_mut(&id).unwrap().rate = rate.parse::<Money>().unwrap();
}

fn sell_package(fake_panel: &FakePanel, id: i64, name: &'static str) {
    let rate = "5".parse::<Money>().unwrap();
    fake_panel
        .state()
        .add_service(id, FakeService { rate, kind: "Package", min: 1, max: 1, ..FakeService::plain(name) });
}

impl Panel {
    /// The imported package of this name.
    async fn package_named(&self, name: &str) -> Value {
        let sql = Sql::new("SELECT id FROM provider_packages WHERE name = ?").bind(name);
        let id = self.number(sql).await;
        self.get_data(&format!("/api/v1/admin/providers-packages/{id}")).await
    }
}

async fn every_field_of_a_package_is_imported(dialect: Dialect) {
    let (panel, fake_panel) = panel_with_upstream(dialect).await;
    sell_package(&fake_panel, 105, "Big pack");
    let ids = panel.fetch_panel_services(&["104", "105"]).await;
    let packages = json!([
        { "id": ids[0], "name": " Begin ", "type": "manual", "fixed_cost": "12.34", "networkId": 2, "sync": true },
        { "id": ids[1], "discount_fraction": "0.125" },
    ]);
    let imported = panel.post_data(IMPORT, json!({ "external_panel_id": 1, "packages": packages })).await;
    assert_eq!((&imported["created"], &imported["items"][0]["price"]), (&json!(2), &json!("12.34")));
    let begin = panel.package_named("Begin").await;
    assert_eq!((&begin["type"], &begin["fixed_cost"]), (&json!("manual"), &json!("12.34")));
    assert_eq!((&begin["network"]["id"], &begin["sync"]), (&json!(2), &json!(true)));
    let big = panel.package_named("Big pack").await;
    assert_eq!((&big["type"], &big["fixed_cost"]), (&json!("auto"), &Value::Null));
    assert_eq!((&big["discount_fraction"], &big["sync"]), (&json!("0.125"), &json!(false)));
}

async fn every_wrong_field_of_every_package_is_named(dialect: Dialect) {
    let (panel, fake_panel) = panel_with_upstream(dialect).await;
    sell_package(&fake_panel, 105, "Big pack");
    sell_package(&fake_panel, 106, "Small pack");
    let ids = panel.fetch_panel_services(&["101", "104", "105", "106"]).await;
    let packages = json!([
        { "id": ids[0], "name": "" },
        { "id": ids[1], "name": " ", "network_id": 77, "fixed_cost": "1.234", "discount_fraction": "1.5" },
        { "id": ids[2], "fixed_cost": "-1", "discount_fraction": "0.1" },
        { "id": ids[3], "discount_fraction": "0.1234" },
    ]);
    let body = json!({ "external_panel_id": 1, "packages": packages });
    let answer = panel.post(IMPORT, &body).await;
    assert_eq!(answer.status, 422, "{}", answer.text);
    let answer = answer.json();
    let mut fields: Vec<&String> = answer["errors"].as_object().unwrap().keys().collect();
    fields.sort();
    let expected = [
        "packages.0.id",
        "packages.1.discount_fraction",
        "packages.1.fixed_cost",
        "packages.1.name",
        "packages.1.network_id",
        "packages.2.discount_fraction",
        "packages.2.fixed_cost",
        "packages.3.discount_fraction",
    ];
    assert_eq!(fields, expected);
    assert_eq!(panel.number(Sql::new("SELECT count(*) FROM provider_packages")).await, 0);
}

async fn prices_of_the_panel_are_converted_and_fixed_costs_are_not(dialect: Dialect) {
    let (panel, fake_panel) = panel_with_upstream(dialect).await;
    panel.set_setting("currencies.exchange_rates", r#"{"EUR":"0.7"}"#).await;
    panel.execute(Sql::new("UPDATE external_panels SET currency = 'EUR'")).await;
    let id = panel.fetch_panel_services(&["104"]).await[0];
    let import = json!({ "external_panel_id": 1, "packages": [{ "id": id, "fixed_cost": "8" }] });
    let imported = panel.post_data(IMPORT, import).await;
    let item = &imported["items"][0];
    // 5 / 0.7, rounded up once.
    assert_eq!((&item["external_panel_price"], &item["provider_price"]), (&json!("5"), &json!("7.142858")));
    assert_eq!(item["price"], "8");
    let services = json!({ "external_panel_id": 1, "services": [{ "id": id }], "service_type_id": 1 });
    panel.post_data(&format!("{PANELS}/import-services"), services).await;
    let provider_package = panel.package_named("Starter pack").await;
    let content_price = |package: &Value| package["contents"][0]["price"].clone();
    assert_eq!(
        (&provider_package["fixed_cost"], content_price(&provider_package)),
        (&json!("8"), json!("7.142858"))
    );
    let body = json!({ "provider_package_id": provider_package["id"], "sync": true, "network_id": 1 });
    let package = panel.post_data("/api/v1/admin/packages", body).await;
    assert_eq!(package["fixed_cost"], "8");
    set_rate(&fake_panel, 104, "6");
    let run = panel.run_sync().await;
    assert_eq!(run["error"], Value::Null, "{run}");
    let provider_package = panel.package_named("Starter pack").await;
    assert_eq!(
        (&provider_package["fixed_cost"], content_price(&provider_package)),
        (&json!("8"), json!("8.571429"))
    );
    // The package on sale rises to the new cost at the panel, in whole cents.
    let package = panel.get_data(&format!("/api/v1/admin/packages/{}", package["id"])).await;
    assert_eq!(package["fixed_cost"], "8.58");
}

async fn the_preview_names_services_that_cannot_be_packages(dialect: Dialect) {
    let (panel, fake_panel) = panel_with_upstream(dialect).await;
    sell_package(&fake_panel, 105, "Big pack");
    let ids = panel.fetch_panel_services(&["101", "104", "105"]).await;
    let services = json!({ "external_panel_id": 1, "services": [{ "id": ids[1] }], "service_type_id": 1 });
    panel.post_data(&format!("{PANELS}/import-services"), services).await;
    panel.post_data(IMPORT, json!({ "external_panel_id": 1, "packages": [{ "id": ids[2] }] })).await;
    let preview = |as_packages: bool| json!({ "ids": ids, "as_packages": as_packages });
    let path = format!("{PANELS}/1/services");
    let lines = panel.post_data(&path, preview(true)).await;
    let refusal_of = |at: usize| lines[at]["refusal"].as_str().unwrap_or_default();
    assert!(refusal_of(0).contains("not a package"), "{lines}");
    assert_eq!(lines[1]["refusal"], Value::Null, "a service on sale can also be a package");
    assert!(refusal_of(2).contains("imported already, as package"), "{lines}");
    let lines = panel.post_data(&path, preview(false)).await;
    assert!(lines[1]["refusal"].as_str().unwrap().contains("as provider"), "{lines}");
    assert_eq!(lines[2]["refusal"], Value::Null, "no service was imported from it");
    let listed = panel.get_data(&format!("{path}?length=50")).await;
    let actions_of = |at: usize| {
        let row = listed.as_array().unwrap().iter().find(|row| row["id"] == json!(ids[at])).unwrap();
        row["actions"].clone()
    };
    let actions =
        |service: bool, package: bool| json!({ "importable": service, "importable_as_package": package });
    assert_eq!([0, 1, 2].map(actions_of), [actions(true, false), actions(false, true), actions(true, false)]);
}
