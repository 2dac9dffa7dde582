//! Packages of a panel as staff edit them before an import: every field is taken, every wrong field of every line is named,
//! and what the panel asks is converted, while a fixed cost is in our currency already.

use panel_contract::amount::Money;
use panel_demo::panel::FakePanel;
use panel_demo::panel::world::Offer;
use panel_platform::db::{Dialect, Sql};
use serde_json::{Value, json};

use crate::imports::shop;
use crate::panel::Panel;

both! {
    every_field_of_a_package_is_taken;
    every_wrong_field_of_every_package_is_named;
    what_the_panel_asks_is_converted_and_a_fixed_cost_is_not;
    the_dialog_names_what_cannot_be_a_package;
}

const PANELS: &str = "/api/v1/admin/external-panels";
const IMPORT: &str = "/api/v1/admin/external-panels/import-packages";

fn price(theirs: &FakePanel, id: i64, rate: &str) {
    theirs.world().offers.get_mut(&id).unwrap().rate = rate.parse::<Money>().unwrap();
}

fn sell_pack(theirs: &FakePanel, id: i64, name: &'static str) {
    let rate = "5".parse::<Money>().unwrap();
    theirs.world().sell(id, Offer { rate, kind: "Package", min: 1, max: 1, ..Offer::plain(name) });
}

impl Panel {
    /// The imported package of this name.
    async fn package_of(&self, name: &str) -> Value {
        let sql = Sql::new("SELECT id FROM provider_packages WHERE name = ?").bind(name);
        let id = self.number(sql).await;
        self.data(&format!("/api/v1/admin/providers-packages/{id}")).await
    }
}

async fn every_field_of_a_package_is_taken(dialect: Dialect) {
    let (panel, theirs) = shop(dialect).await;
    sell_pack(&theirs, 105, "Big pack");
    let ids = panel.fetched(&["104", "105"]).await;
    let packages = json!([
        { "id": ids[0], "name": " Begin ", "type": "manual", "fixed_cost": "12.34", "networkId": 2, "sync": true },
        { "id": ids[1], "discount_percent": "0.125" },
    ]);
    let made = panel.made(IMPORT, json!({ "external_panel_id": 1, "packages": packages })).await;
    assert_eq!((&made["created"], &made["items"][0]["price"]), (&json!(2), &json!("12.34")));
    let begin = panel.package_of("Begin").await;
    assert_eq!((&begin["type"], &begin["fixed_cost"]), (&json!("manual"), &json!("12.34")));
    assert_eq!((&begin["network"]["id"], &begin["sync"]), (&json!(2), &json!(true)));
    let big = panel.package_of("Big pack").await;
    assert_eq!((&big["type"], &big["fixed_cost"]), (&json!("auto"), &Value::Null));
    assert_eq!((&big["discount_percent"], &big["sync"]), (&json!("0.125"), &json!(false)));
}

async fn every_wrong_field_of_every_package_is_named(dialect: Dialect) {
    let (panel, theirs) = shop(dialect).await;
    sell_pack(&theirs, 105, "Big pack");
    sell_pack(&theirs, 106, "Small pack");
    let ids = panel.fetched(&["101", "104", "105", "106"]).await;
    let packages = json!([
        { "id": ids[0], "name": "" },
        { "id": ids[1], "name": " ", "network_id": 77, "fixed_cost": "1.234", "discount_percent": "1.5" },
        { "id": ids[2], "fixed_cost": "-1", "discount_percent": "0.1" },
        { "id": ids[3], "discount_percent": "0.1234" },
    ]);
    let body = json!({ "external_panel_id": 1, "packages": packages });
    let answer = panel.post(IMPORT, &body).await;
    assert_eq!(answer.status, 422, "{}", answer.text);
    let answer = answer.json();
    let mut fields: Vec<&String> = answer["errors"].as_object().unwrap().keys().collect();
    fields.sort();
    let expected = [
        "packages.0.id",
        "packages.1.discount_percent",
        "packages.1.fixed_cost",
        "packages.1.name",
        "packages.1.network_id",
        "packages.2.discount_percent",
        "packages.2.fixed_cost",
        "packages.3.discount_percent",
    ];
    assert_eq!(fields, expected);
    assert_eq!(panel.number(Sql::new("SELECT count(*) FROM provider_packages")).await, 0);
}

async fn what_the_panel_asks_is_converted_and_a_fixed_cost_is_not(dialect: Dialect) {
    let (panel, theirs) = shop(dialect).await;
    panel.setting("currencies.exchange_rates", r#"{"EUR":"0.7"}"#).await;
    panel.exec(Sql::new("UPDATE external_panels SET currency = 'EUR'")).await;
    let id = panel.fetched(&["104"]).await[0];
    let named = json!({ "external_panel_id": 1, "packages": [{ "id": id, "fixed_cost": "8" }] });
    let made = panel.made(IMPORT, named).await;
    let item = &made["items"][0];
    // 5 / 0.7, rounded up once.
    assert_eq!((&item["external_panel_price"], &item["provider_price"]), (&json!("5"), &json!("7.142858")));
    assert_eq!(item["price"], "8");
    let services = json!({ "external_panel_id": 1, "services": [{ "id": id }], "service_type_id": 1 });
    panel.made(&format!("{PANELS}/import-services"), services).await;
    let origin = panel.package_of("Starter pack").await;
    let content = |package: &Value| package["contents"][0]["price"].clone();
    assert_eq!((&origin["fixed_cost"], content(&origin)), (&json!("8"), json!("7.142858")));
    let body = json!({ "provider_package_id": origin["id"], "sync": true, "network_id": 1 });
    let package = panel.made("/api/v1/admin/packages", body).await;
    assert_eq!(package["fixed_cost"], "8");
    price(&theirs, 104, "6");
    let run = panel.follows().await;
    assert_eq!(run["error"], Value::Null, "{run}");
    let origin = panel.package_of("Starter pack").await;
    assert_eq!((&origin["fixed_cost"], content(&origin)), (&json!("8"), json!("8.571429")));
    // What is sold rises to what the panel takes by now, in whole cents.
    let package = panel.data(&format!("/api/v1/admin/packages/{}", package["id"])).await;
    assert_eq!(package["fixed_cost"], "8.58");
}

async fn the_dialog_names_what_cannot_be_a_package(dialect: Dialect) {
    let (panel, theirs) = shop(dialect).await;
    sell_pack(&theirs, 105, "Big pack");
    let ids = panel.fetched(&["101", "104", "105"]).await;
    let services = json!({ "external_panel_id": 1, "services": [{ "id": ids[1] }], "service_type_id": 1 });
    panel.made(&format!("{PANELS}/import-services"), services).await;
    panel.made(IMPORT, json!({ "external_panel_id": 1, "packages": [{ "id": ids[2] }] })).await;
    let asked = |as_packages: bool| json!({ "ids": ids, "as_packages": as_packages });
    let path = format!("{PANELS}/1/services");
    let lines = panel.made(&path, asked(true)).await;
    let refusal = |at: usize| lines[at]["refusal"].as_str().unwrap_or_default();
    assert!(refusal(0).contains("is no package"), "{lines}");
    assert_eq!(lines[1]["refusal"], Value::Null, "sold as a service, and as a package too");
    assert!(refusal(2).contains("imported already, as package"), "{lines}");
    let lines = panel.made(&path, asked(false)).await;
    assert!(lines[1]["refusal"].as_str().unwrap().contains("as provider"), "{lines}");
    assert_eq!(lines[2]["refusal"], Value::Null, "no service was made of it");
    let listed = panel.data(&format!("{path}?length=50")).await;
    let offered = |at: usize| {
        let row = listed.as_array().unwrap().iter().find(|row| row["id"] == json!(ids[at])).unwrap();
        row["actions"].clone()
    };
    let actions =
        |service: bool, package: bool| json!({ "importable": service, "importable_as_package": package });
    assert_eq!([0, 1, 2].map(offered), [actions(true, false), actions(false, true), actions(true, false)]);
}
