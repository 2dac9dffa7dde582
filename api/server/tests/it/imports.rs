//! Importing what a panel sells, and following it: exact prices, nothing twice, nothing at a loss, and a yes or no before
//! anything that looks like a mistake.

use std::sync::Arc;

use panel_contract::amount::Money;
use panel_contract::ids::ExternalPanelId;
use panel_demo::panel::world::{Offer, World};
use panel_demo::panel::{FakeBehavior, FakePanel};
use panel_platform::db::{Dialect, Source as _, Sql};
use panel_server::background::worker;
use panel_server::supply::imports::sync;
use panel_server::supply::panels::seal;
use serde_json::{Value, json};

use crate::panel::{NOW, Panel};

both! {
    services_are_imported_at_exact_prices;
    a_dry_run_answers_the_same_and_writes_nothing;
    what_is_wrong_is_named_by_place_and_id;
    providers_and_packages_are_imported_alone;
    a_panel_is_asked_and_its_words_are_told;
    what_is_no_list_changes_nothing;
    prices_names_and_bounds_follow_once;
    a_jump_waits_for_a_yes_or_no;
    what_vanishes_goes_off_sale_and_comes_back;
    many_that_vanish_at_once_wait;
    nothing_is_sold_at_a_loss;
    all_providers_of_a_service_count_at_a_sync;
    a_service_that_becomes_a_package_is_asked_by_the_piece;
    own_prices_rise_with_what_the_panel_asks;
    descriptions_and_what_a_service_can_do_follow;
    panels_are_asked_by_themselves_every_hour;
    twenty_thousand_are_imported_set_wise;
}

pub(crate) const KEY: &str = "token-of-ours";
const IMPORT: &str = "/api/v1/admin/external-panels/import-services";
const PANELS: &str = "/api/v1/admin/external-panels";
const CHANGES: &str = "/api/v1/admin/external-panels/sync-changes";

fn money(text: &str) -> Money {
    text.parse().unwrap()
}

/// Our panel with an external one of id 1 that sells three services and a package.
pub(crate) async fn shop(dialect: Dialect) -> (Panel, FakePanel) {
    let panel = Panel::with(dialect, |config| {
        config.outbound.allow_http = true;
        config.outbound.allowed_networks = vec!["127.0.0.0/8".parse().unwrap()];
        config.outbound.seconds = 5;
    })
    .await;
    let mut world = World::new(KEY);
    world.sell(101, Offer { rate: money("0.9"), ..Offer::plain("Likes  fast\u{7}") });
    world.sell(102, Offer { rate: money("0.000001"), ..Offer::plain("Views") });
    world.sell(103, Offer { rate: money("2"), ..Offer::plain("Followers") });
    world.sell(
        104,
        Offer { rate: money("5"), kind: "Package", min: 1, max: 1, ..Offer::plain("Starter pack") },
    );
    let theirs = FakePanel::start(world, Arc::new(panel.clock.clone())).await.unwrap();
    for sql in [
        "INSERT INTO networks (id, name, created_at, updated_at) VALUES (1, 'Instagram', 1, 1), (2, 'TikTok', 1, 1)",
        "INSERT INTO service_types (network_id, name, created_at, updated_at) VALUES (1, 'Likes', 1, 1), (2, 'Views', 1, 1)",
    ] {
        panel.exec(Sql::new(sql)).await;
    }
    let sealed = seal(&panel.app, ExternalPanelId::new(1), KEY).unwrap();
    let sql = Sql::new(
        "INSERT INTO external_panels (id, name, endpoint, api_token_sealed, sync_services, sync_prices, sync_name, sync_params, created_at, updated_at)
         VALUES (1, 'Upstream', ?, ?, TRUE, TRUE, TRUE, TRUE, 1, 1)",
    );
    panel.exec(sql.bind(theirs.url.clone()).bind(sealed)).await;
    (panel, theirs)
}

impl Panel {
    /// Asks the panel, and says the ids of its services by theirs.
    pub(crate) async fn fetched(&self, there: &[&str]) -> Vec<i64> {
        self.made(&format!("{PANELS}/1/available-services"), json!({})).await;
        self.kept(there).await
    }

    pub(crate) async fn kept(&self, there: &[&str]) -> Vec<i64> {
        let mut ids = Vec::new();
        for id in there {
            let sql = Sql::new("SELECT id FROM external_panel_services WHERE external_panel_service_id = ?");
            ids.push(self.number(sql.bind(*id)).await);
        }
        ids
    }

    pub(crate) async fn setting(&self, key: &str, value: &str) {
        let sql = Sql::new(
            "INSERT INTO settings (key, value, updated_at) VALUES (?, ?, 1) ON CONFLICT (key) DO UPDATE SET value = excluded.value",
        );
        self.exec(sql.bind(key).bind(value)).await;
    }

    /// The three services, imported with a margin of 0.3; the ids of ours.
    async fn imported(&self) -> Vec<i64> {
        let ids = self.fetched(&["101", "102", "103"]).await;
        let services: Vec<Value> = ids.iter().map(|id| json!({ "id": id })).collect();
        let body = json!({ "external_panel_id": 1, "services": services, "margin_percent": "0.3", "service_type_id": 1 });
        self.made(IMPORT, body).await;
        let sql = Sql::new(
            "SELECT s.id FROM services s JOIN providers p ON p.id = s.imported_provider_id ORDER BY p.external_panel_service_id",
        );
        (&mut &self.app.db).all::<(i64,)>(sql).await.unwrap().into_iter().map(|(id,)| id).collect()
    }

    pub(crate) async fn service(&self, id: i64) -> Value {
        self.data(&format!("/api/v1/admin/services/{id}")).await
    }

    /// Follows the panel; the run as it is logged.
    pub(crate) async fn follows(&self) -> Value {
        sync::run(&self.app, ExternalPanelId::new(1)).await.unwrap();
        self.get(&format!("{PANELS}/sync-runs")).await.json()["data"][0].clone()
    }

    /// Changes in a state, oldest first: field, old, new.
    async fn changes(&self, state: &str) -> Vec<String> {
        let query = format!("{CHANGES}?columns[0][data]=state&columns[0][search][value]={state}");
        let mut rows = self.get(&query).await.json()["data"].as_array().unwrap().clone();
        rows.reverse();
        let text = |row: &Value, name: &str| row[name].as_str().unwrap().to_owned();
        rows.iter()
            .map(|row| {
                format!("{} {} {}", text(row, "field"), text(row, "old_value"), text(row, "new_value"))
            })
            .collect()
    }

    async fn waiting(&self) -> i64 {
        self.number(Sql::new("SELECT max(id) FROM sync_changes WHERE state = 'held'")).await
    }

    /// Everything that an import or a sync could write.
    async fn traces(&self) -> Vec<i64> {
        let mut counts = Vec::new();
        for table in [
            "SELECT count(*) FROM services",
            "SELECT count(*) FROM providers",
            "SELECT count(*) FROM service_providers",
            "SELECT count(*) FROM translations",
            "SELECT count(*) FROM audits",
            "SELECT count(*) FROM change_logs",
            "SELECT count(*) FROM sync_changes",
            "SELECT COALESCE(max(updated_at), 0) FROM services",
            "SELECT COALESCE(max(updated_at), 0) FROM providers",
            "SELECT COALESCE(max(updated_at), 0) FROM external_panel_services",
        ] {
            counts.push(self.number(Sql::new(table)).await);
        }
        counts
    }
}

async fn services_are_imported_at_exact_prices(dialect: Dialect) {
    let (panel, _theirs) = shop(dialect).await;
    panel.setting("currencies.exchange_rates", r#"{"EUR":"0.5"}"#).await;
    panel.exec(Sql::new("UPDATE external_panels SET currency = 'EUR'")).await;
    let ids = panel.fetched(&["101", "102", "103"]).await;
    let services = json!([
        { "id": ids[0], "network_id": 1, "sync_prices": false },
        { "id": ids[1], "name": "Reel views" },
        { "id": ids[2], "price": "7", "service_type_id": 2, "network_id": 2 },
    ]);
    let body = json!({ "external_panel_id": 1, "services": services, "margin_percent": "0.3", "service_type_id": 1 });
    let made = panel.made(IMPORT, body).await;
    assert_eq!((made["created"].as_i64(), made["dry_run"].as_bool()), (Some(3), Some(false)));
    // 0.9 EUR are 1.8 USD, and 30% on top 2.34.
    let shown = |item: &Value| {
        [&item["external_panel_price"], &item["provider_price"], &item["price"]].map(Clone::clone)
    };
    assert_eq!(shown(&made["items"][0]), ["0.9", "1.8", "2.34"]);
    assert_eq!(shown(&made["items"][1]), ["0.000001", "0.000002", "0.000003"]);
    assert_eq!(shown(&made["items"][2]), ["2", "4", "7"]);
    let sql = Sql::new("SELECT id FROM services ORDER BY id");
    let made: Vec<(i64,)> = (&mut &panel.app.db).all(sql).await.unwrap();
    assert_eq!(made.len(), 3);
    let first = panel.service(made[0].0).await;
    assert_eq!(
        (&first["name"], &first["default_price"], &first["min_price"]),
        (&json!("Likes fast"), &json!("2.34"), &json!("1.8"))
    );
    assert_eq!((&first["min_quantity"], &first["max_quantity"]), (&json!(10), &json!(10_000)));
    assert_eq!(
        (&first["sync_prices"], &first["sync_name"], &first["has_refill"]),
        (&json!(false), &json!(true), &json!(true))
    );
    assert_eq!(
        (&first["has_no_active_providers"], &first["providers"][0]["name"]),
        (&json!(false), &json!("Likes fast"))
    );
    assert_eq!(first["resale_margin_percent"], "0.3");
    let second = panel.service(made[1].0).await;
    assert_eq!(
        (&second["name"], &second["translations"]["en"]["name"]),
        (&json!("Reel views"), &json!("Reel views"))
    );
    let third = panel.service(made[2].0).await;
    assert_eq!(
        (&third["service_type"]["id"], &third["resale_margin_percent"]),
        (&json!(2), &json!("0.75")),
        "the margin of its own price"
    );
    let provider: (i64, String, i64, String) = (&mut &panel.app.db)
        .one(Sql::new("SELECT source_price, source_currency, source_pricing_per, external_panel_service_id FROM providers WHERE name = 'Likes fast'"))
        .await
        .unwrap();
    assert_eq!(provider, (900_000, "EUR".into(), 1_000, "101".into()));
    let listed = panel
        .get(&format!("{PANELS}/1/services?columns[0][data]=is_imported&columns[0][search][value]=1"))
        .await
        .json();
    assert_eq!(listed["recordsFiltered"], 3, "{listed}");
    let logged = panel.get("/api/v1/admin/services/logs?length=10").await.json();
    assert_eq!((&logged["recordsTotal"], &logged["data"][0]["action_type"]), (&json!(6), &json!("imported")));
    let priced =
        panel.made(&format!("{PANELS}/1/services"), json!({ "ids": [ids[0]], "margin_percent": "1" })).await;
    assert_eq!((&priced[0]["provider_price"], &priced[0]["price"]), (&json!("1.8"), &json!("3.6")));
}

async fn a_dry_run_answers_the_same_and_writes_nothing(dialect: Dialect) {
    let (panel, _theirs) = shop(dialect).await;
    let ids = panel.fetched(&["101", "103"]).await;
    let before = panel.traces().await;
    let services: Vec<Value> = ids.iter().map(|id| json!({ "id": id })).collect();
    let body = json!({ "external_panel_id": 1, "services": services, "margin_percent": "0.5", "service_type_id": 1 });
    let tried = panel.made(&format!("{IMPORT}?dry_run=1"), body.clone()).await;
    assert_eq!((panel.traces().await, tried["dry_run"].as_bool()), (before, Some(true)));
    let done = panel.made(IMPORT, body.clone()).await;
    assert_eq!((&tried["items"], &tried["created"]), (&done["items"], &done["created"]));
    let again = panel.post(IMPORT, &body).await;
    assert_eq!(again.status, 422, "nothing is imported twice: {}", again.text);
    assert!(again.text.contains("is imported already, as provider"), "{}", again.text);
}

async fn what_is_wrong_is_named_by_place_and_id(dialect: Dialect) {
    let (panel, _theirs) = shop(dialect).await;
    panel.setting("min_margin_percent", r#""0.2""#).await;
    let ids = panel.fetched(&["101", "102", "103"]).await;
    let faults = async |body: Value| {
        let answer = panel.post(IMPORT, &body).await;
        assert_eq!(answer.status, 422, "{}", answer.text);
        let errors = answer.json()["errors"].as_object().unwrap().clone();
        errors
            .into_iter()
            .map(|(field, words)| (field, words[0].as_str().unwrap().to_owned()))
            .collect::<Vec<_>>()
    };
    let services = json!([
        { "id": ids[0] },
        { "id": 99, "service_type_id": 1 },
        { "id": ids[1], "service_type_id": 1, "network_id": 2, "name": " " },
        { "id": ids[2], "service_type_id": 9, "price": "2.39", "promotable_checker_group_id": 4 },
    ]);
    let found = faults(json!({ "external_panel_id": 1, "services": services, "margin_percent": "11" })).await;
    let fields: Vec<&str> = found.iter().map(|(field, _)| field.as_str()).collect();
    let wanted = [
        "margin_percent",
        "services.0.service_type_id",
        "services.1.id",
        "services.2.name",
        "services.2.network_id",
        "services.3.promotable_checker_group_id",
        "services.3.service_type_id",
    ];
    assert_eq!(fields, wanted);
    assert!(found[2].1.contains("Service 99"), "{found:?}");
    // The least margin is judged once nothing else is wrong.
    let services = json!([{ "id": ids[0], "price": "0.1" }, { "id": ids[2], "price": "2.39" }]);
    let body = json!({ "external_panel_id": 1, "services": services, "margin_percent": "0.1", "service_type_id": 1 });
    let found = faults(body.clone()).await;
    let fields: Vec<&str> = found.iter().map(|(field, _)| field.as_str()).collect();
    assert_eq!(fields, ["margin_percent", "services.0.price", "services.1.price"]);
    assert!(found[2].1.contains("2.4 is the lowest possible price"), "{found:?}");
    assert_eq!(panel.post(IMPORT, &body).await.says().1, "below_least_margin");
    let asked = json!({ "ids": [ids[0]], "margin_percent": "0.1" });
    assert_eq!(panel.post(&format!("{PANELS}/1/services"), &asked).await.says().1, "below_least_margin");
    assert_eq!(faults(json!({ "external_panel_id": 1, "services": [] })).await[0].0, "services");
    let twice = json!([{ "id": ids[0] }, { "id": ids[0] }]);
    assert_eq!(faults(json!({ "external_panel_id": 1, "services": twice })).await[0].0, "services.1.id");
    assert_eq!(
        faults(json!({ "external_panel_id": 7, "services": [{ "id": 1 }] })).await[0].0,
        "external_panel_id"
    );
    // What another panel sells is none of this one's.
    for sql in [
        "INSERT INTO external_panels (id, name, endpoint, created_at, updated_at) VALUES (2, 'Other', 'https://other.example', 1, 1)",
        "INSERT INTO external_panel_services (id, external_panel_id, external_panel_service_id, name, type, category, rate, pricing_per, min_quantity, max_quantity, created_at, updated_at)
         VALUES (900, 2, '101', 'Likes', 'Default', '', 1, 1000, 1, 10, 1, 1)",
    ] {
        panel.exec(Sql::new(sql)).await;
    }
    let found =
        faults(json!({ "external_panel_id": 1, "services": [{ "id": 900, "service_type_id": 1 }] })).await;
    assert!(found[0].0 == "services.0.id" && found[0].1.contains("Service 900"), "{found:?}");
    panel.exec(Sql::new("UPDATE external_panels SET currency = 'RUB'")).await;
    let found =
        faults(json!({ "external_panel_id": 1, "services": [{ "id": ids[0], "service_type_id": 1 }] })).await;
    assert!(found[0].0 == "services.0.price" && found[0].1.contains("RUB"), "{found:?}");
}

async fn providers_and_packages_are_imported_alone(dialect: Dialect) {
    let (panel, _theirs) = shop(dialect).await;
    let ids = panel.fetched(&["101", "104"]).await;
    let body = json!({ "externalPanelId": 1, "importableServicesIds": [ids[0]] });
    let made = panel.made(&format!("{PANELS}/import-providers"), body.clone()).await;
    assert_eq!((&made["created"], &made["items"][0]["price"]), (&json!(1), &Value::Null));
    let again = panel.post(&format!("{PANELS}/import-providers"), &body).await;
    assert_eq!(
        again.json()["errors"].as_object().unwrap().keys().next().unwrap(),
        "importable_services_ids.0"
    );
    assert_eq!(panel.number(Sql::new("SELECT count(*) FROM services")).await, 0);
    let packages = |id: i64| json!({ "external_panel_id": 1, "packages": [{ "id": id, "network_id": 1, "type": "manual" }] });
    let path = format!("{PANELS}/import-packages");
    let wrong = panel.post(&path, &packages(ids[0])).await;
    assert!(wrong.status == 422 && wrong.text.contains("is no package"), "{}", wrong.text);
    let made = panel.made(&path, packages(ids[1])).await;
    assert_eq!(
        (&made["items"][0]["name"], &made["items"][0]["pricing_per"]),
        (&json!("Starter pack"), &json!(1))
    );
    let id = panel.number(Sql::new("SELECT id FROM provider_packages")).await;
    let package = panel.data(&format!("/api/v1/admin/providers-packages/{id}")).await;
    assert_eq!((&package["type"], &package["network"]["id"]), (&json!("manual"), &json!(1)));
    assert_eq!(
        (&package["contents"][0]["price"], &package["contents"][0]["pricing_per"]),
        (&json!("5"), &json!(1))
    );
    assert_eq!(panel.post(&path, &packages(ids[1])).await.status, 422, "nothing is imported twice");
}

async fn a_panel_is_asked_and_its_words_are_told(dialect: Dialect) {
    let (panel, theirs) = shop(dialect).await;
    let path = format!("{PANELS}/1/available-services");
    let now = panel.data(&path).await;
    assert_eq!((now.as_array().unwrap().len(), &now[0]["name"]), (4, &json!("Likes fast")));
    assert_eq!(panel.number(Sql::new("SELECT count(*) FROM external_panel_services")).await, 0, "only asked");
    let kept = panel.made(&path, json!({})).await;
    assert_eq!((&kept["services_count"], &kept["new_count"]), (&json!(4), &json!(4)));
    let before = panel.traces().await;
    panel.clock.advance_secs(60);
    let kept = panel.made(&path, json!({})).await;
    assert_eq!(
        (&kept["new_count"], &kept["changed_count"], &kept["gone_count"]),
        (&json!(0), &json!(0), &json!(0))
    );
    assert_eq!(panel.traces().await, before, "what is as it was is not written");
    theirs.world().key = "another".into();
    let refused = panel.get(&path).await;
    assert!(refused.status == 422 && refused.text.contains("Invalid API key"), "{}", refused.text);
    assert!(!refused.text.contains(KEY));
    theirs.behave(FakeBehavior::Empty);
    let refused = panel.post(&path, &json!({})).await;
    assert!(refused.status == 422 && refused.text.contains("no list of services"), "{}", refused.text);
    assert_eq!(panel.get(&format!("{PANELS}/9/available-services")).await.status, 404);
    assert_eq!(panel.get(&format!("{PANELS}/9/services")).await.status, 404);
}

async fn what_is_no_list_changes_nothing(dialect: Dialect) {
    let (panel, theirs) = shop(dialect).await;
    panel.imported().await;
    let before = panel.traces().await;
    for temper in [FakeBehavior::Empty, FakeBehavior::Html, FakeBehavior::Down, FakeBehavior::Half] {
        theirs.behave(temper);
        let run = panel.follows().await;
        assert!(!run["error"].is_null() && !run["ended_at"].is_null(), "{run}");
        panel.clock.advance_secs(3_600);
    }
    theirs.behave(FakeBehavior::Good);
    theirs.world().offers.clear();
    let run = panel.follows().await;
    assert!(run["error"].as_str().unwrap().contains("without services"), "{run}");
    assert_eq!(panel.traces().await, before);
    assert_eq!(panel.number(Sql::new("SELECT count(*) FROM external_panels WHERE sync_failed")).await, 1);
}

async fn prices_names_and_bounds_follow_once(dialect: Dialect) {
    let (panel, theirs) = shop(dialect).await;
    let ids = panel.imported().await;
    {
        let mut world = theirs.world();
        let likes = world.offers.get_mut(&101).unwrap();
        (likes.rate, likes.name, likes.min, likes.max) = (money("1"), "Likes new".into(), 20, 5_000);
    }
    let run = panel.follows().await;
    assert_eq!(
        (&run["applied_count"], &run["held_count"], &run["error"]),
        (&json!(6), &json!(0), &Value::Null)
    );
    let likes = panel.service(ids[0]).await;
    assert_eq!(
        (&likes["default_price"], &likes["min_price"], &likes["name"]),
        (&json!("1.3"), &json!("1"), &json!("Likes new"))
    );
    assert_eq!((&likes["min_quantity"], &likes["max_quantity"]), (&json!(20), &json!(5_000)));
    assert_eq!(likes["translations"]["en"]["name"], "Likes new");
    let log = panel
        .get("/api/v1/admin/services/logs?columns[0][data]=action_type&columns[0][search][value]=updated")
        .await
        .json();
    assert_eq!(log["recordsFiltered"], 6, "each change is in the change log: {log}");
    assert_eq!(panel.changes("applied").await.len(), 6);
    panel.clock.advance_secs(3_600);
    let before = panel.traces().await;
    let run = panel.follows().await;
    assert_eq!(
        (panel.traces().await, &run["applied_count"]),
        (before, &json!(0)),
        "a second time there is nothing to do"
    );
}

async fn a_jump_waits_for_a_yes_or_no(dialect: Dialect) {
    let (panel, theirs) = shop(dialect).await;
    let ids = panel.imported().await;
    theirs.world().offers.get_mut(&101).unwrap().rate = money("9");
    theirs.world().offers.get_mut(&103).unwrap().rate = money("1");
    let run = panel.follows().await;
    assert_eq!((&run["applied_count"], &run["held_count"]), (&json!(1), &json!(2)));
    assert_eq!(panel.changes("held").await, ["source_price 0.9 9", "source_price 2 1"]);
    assert_eq!(
        panel.changes("applied").await,
        ["is_deactivated false true"],
        "off sale while it waits, for it would be sold at a loss"
    );
    let likes = panel.service(ids[0]).await;
    assert_eq!((&likes["default_price"], &likes["is_deactivated"]), (&json!("1.17"), &json!(true)));
    assert_eq!(panel.follows().await["held_count"], 0, "the same is not asked twice");
    // No to the fall, and it is not asked again; yes to the rise.
    let no = panel.waiting().await;
    let refused = panel.made(&format!("{CHANGES}/{no}/refuse"), json!({})).await;
    assert_eq!((&refused["state"], &refused["decided_by"]["name"]), (&json!("refused"), &json!("owner")));
    assert_eq!(panel.follows().await["held_count"], 0);
    assert_eq!(panel.service(ids[2]).await["default_price"], "2.6");
    let yes = panel.waiting().await;
    let before = panel.traces().await;
    assert_eq!(panel.post(&format!("{CHANGES}/{yes}/accept?dry_run=1"), &json!({})).await.status, 200);
    assert_eq!(panel.traces().await, before);
    panel.made(&format!("{CHANGES}/{yes}/accept"), json!({})).await;
    let likes = panel.service(ids[0]).await;
    assert_eq!(
        (&likes["default_price"], &likes["min_price"], &likes["is_deactivated"]),
        (&json!("11.7"), &json!("9"), &json!(false))
    );
    for answer in ["accept", "refuse"] {
        assert_eq!(panel.post(&format!("{CHANGES}/{yes}/{answer}"), &json!({})).await.status, 409);
    }
    assert_eq!(panel.post(&format!("{CHANGES}/999/accept"), &json!({})).await.status, 404);
    let run = panel.follows().await;
    assert_eq!((&run["applied_count"], &run["held_count"]), (&json!(0), &json!(0)));
    // Another price is another question.
    theirs.world().offers.get_mut(&103).unwrap().rate = money("0.5");
    assert_eq!(panel.follows().await["held_count"], 1);
    theirs.world().offers.get_mut(&103).unwrap().rate = money("2");
    panel.follows().await;
    assert_eq!(panel.changes("outdated").await, ["source_price 2 0.5"]);
}

/// A service that its panel ended is not sold for another hour.
async fn what_vanishes_goes_off_sale_and_comes_back(dialect: Dialect) {
    let (panel, theirs) = shop(dialect).await;
    // As a panel of the ordinary kind has it: new services are not taken over, what is there is watched all the same.
    let off = "UPDATE external_panels SET sync_services = FALSE, sync_name = FALSE, sync_params = FALSE";
    panel.exec(Sql::new(off)).await;
    let ids = panel.imported().await;
    let gone = theirs.world().offers.remove(&103).unwrap();
    let stands = async || {
        let service = panel.service(ids[2]).await;
        (service["has_no_active_providers"] == true, service["is_deactivated"] == true)
    };
    let run = panel.follows().await;
    assert_eq!(
        (&run["gone_count"], &run["held_count"], &run["applied_count"]),
        (&json!(1), &json!(0), &json!(2))
    );
    assert_eq!(panel.changes("applied").await, ["availability true false", "is_deactivated false true"]);
    assert_eq!(stands().await, (true, true));
    assert_eq!(panel.follows().await["applied_count"], 0, "once");
    theirs.world().sell(103, gone.clone());
    assert_eq!(panel.follows().await["applied_count"], 2);
    assert_eq!(stands().await, (false, false));
    // The same where its price does not follow.
    panel.exec(Sql::new("UPDATE external_panels SET sync_prices = FALSE, sync_params = TRUE")).await;
    theirs.world().offers.remove(&103);
    panel.follows().await;
    assert_eq!(stands().await, (true, true));
    theirs.world().sell(103, gone.clone());
    panel.follows().await;
    assert_eq!(stands().await, (false, false));
    // With another provider it stays on sale, and what staff took off sale stays off.
    let second = Sql::new(
        "INSERT INTO service_providers (service_id, provider_id, position) VALUES (?, (SELECT imported_provider_id FROM services WHERE id = ?), 1)",
    );
    panel.exec(second.bind(ids[2]).bind(ids[0])).await;
    theirs.world().offers.remove(&103);
    panel.follows().await;
    assert_eq!(stands().await, (false, false));
    panel
        .exec(
            Sql::new("UPDATE services SET is_deactivated = TRUE, deactivated_by_sync_at = NULL WHERE id = ?")
                .bind(ids[2]),
        )
        .await;
    theirs.world().sell(103, gone);
    panel.follows().await;
    assert_eq!(stands().await, (false, true));
}

/// A panel that suddenly lists half of its services has a fault, until staff say otherwise.
async fn many_that_vanish_at_once_wait(dialect: Dialect) {
    let (panel, theirs) = shop(dialect).await;
    let there: Vec<i64> = (201..=208).collect();
    for id in &there {
        theirs.world().sell(*id, Offer { rate: money("2"), ..Offer::plain("Shares") });
    }
    let names: Vec<String> = there.iter().map(i64::to_string).collect();
    let listed = panel.fetched(&names.iter().map(String::as_str).collect::<Vec<_>>()).await;
    let services: Vec<Value> = listed.iter().map(|id| json!({ "id": id })).collect();
    panel.made(IMPORT, json!({ "external_panel_id": 1, "services": services, "service_type_id": 1 })).await;
    let gone: Vec<Offer> = there[..4].iter().map(|id| theirs.world().offers.remove(id).unwrap()).collect();
    let run = panel.follows().await;
    assert_eq!(
        (&run["gone_count"], &run["held_count"], &run["applied_count"]),
        (&json!(4), &json!(4), &json!(0))
    );
    assert_eq!(panel.changes("held").await, vec!["availability true false"; 4]);
    let off = async || {
        panel
            .number(Sql::new(
                "SELECT count(*) FROM services WHERE is_deactivated AND NOT has_active_providers",
            ))
            .await
    };
    assert_eq!(off().await, 0, "nothing changes before a yes");
    panel.made(&format!("{CHANGES}/{}/accept", panel.waiting().await), json!({})).await;
    assert_eq!(off().await, 1);
    assert_eq!(panel.follows().await["held_count"], 0, "asked once");
    // Those that come back before anybody decides are no question any more.
    for (id, offer) in there.iter().zip(gone) {
        theirs.world().sell(*id, offer);
    }
    panel.follows().await;
    assert_eq!(off().await, 0);
    assert_eq!(panel.changes("outdated").await, vec!["availability true false"; 3]);
}

async fn nothing_is_sold_at_a_loss(dialect: Dialect) {
    let (panel, theirs) = shop(dialect).await;
    let ids = panel.imported().await;
    panel.setting("min_margin_percent", r#""0.25""#).await;
    panel.exec(Sql::new("UPDATE services SET sync_prices = FALSE WHERE id = ?").bind(ids[0])).await;
    theirs.world().offers.get_mut(&101).unwrap().rate = money("1");
    theirs.world().offers.get_mut(&103).unwrap().rate = money("2.2");
    panel.follows().await;
    let fixed = panel.service(ids[0]).await;
    assert_eq!(
        (&fixed["default_price"], &fixed["is_deactivated"]),
        (&json!("1.17"), &json!(true)),
        "its price is its own, so it is off sale"
    );
    let follows = panel.service(ids[2]).await;
    assert_eq!(
        (&follows["default_price"], &follows["min_price"], &follows["is_deactivated"]),
        (&json!("2.86"), &json!("2.75"), &json!(false))
    );
    theirs.world().offers.get_mut(&101).unwrap().rate = money("0.93");
    panel.follows().await;
    assert_eq!(
        panel.service(ids[0]).await["is_deactivated"],
        false,
        "what a sync switched off, it brings back"
    );
    assert_eq!(
        panel.service(ids[0]).await["min_price"],
        "1.1625",
        "no discount goes below what is asked now"
    );
    let rates = panel.exec(Sql::new("UPDATE external_panels SET currency = 'RUB'")).await;
    let run = panel.follows().await;
    assert!(rates == 1 && run["error"].as_str().unwrap().contains("RUB"), "{run}");
    assert_eq!(run["applied_count"], 0);
}

async fn all_providers_of_a_service_count_at_a_sync(dialect: Dialect) {
    let (panel, theirs) = shop(dialect).await;
    let ids = panel.imported().await;
    panel.setting("min_margin_percent", r#""0.25""#).await;
    for sql in [
        "INSERT INTO providers (id, name, type, source_price, created_at, updated_at) VALUES (900, 'By hand', 'manual', 2000000, 1, 1)",
        "UPDATE services SET sync_prices = FALSE, default_price = 2400000 WHERE id = (SELECT min(id) FROM services)",
    ] {
        panel.exec(Sql::new(sql)).await;
    }
    for id in [ids[0], ids[2]] {
        let sql =
            Sql::new("INSERT INTO service_providers (service_id, provider_id, position) VALUES (?, 900, 1)");
        panel.exec(sql.bind(id)).await;
    }
    theirs.world().offers.get_mut(&101).unwrap().rate = money("1");
    theirs.world().offers.get_mut(&103).unwrap().rate = money("1.8");
    panel.follows().await;
    let fixed = panel.service(ids[0]).await;
    assert_eq!(fixed["is_deactivated"], true, "the second provider alone needs 2.5");
    let follows = panel.service(ids[2]).await;
    assert_eq!(
        (&follows["default_price"], &follows["min_price"], &follows["is_deactivated"]),
        (&json!("2.5"), &json!("2.5"), &json!(false))
    );
    panel.exec(Sql::new("UPDATE providers SET is_archived = TRUE WHERE id = 900")).await;
    panel.follows().await;
    assert_eq!(panel.service(ids[0]).await["is_deactivated"], false);
    assert_eq!(panel.service(ids[2]).await["default_price"], "2.34");
}

async fn a_service_that_becomes_a_package_is_asked_by_the_piece(dialect: Dialect) {
    let (panel, theirs) = shop(dialect).await;
    let ids = panel.imported().await;
    let asked =
        "SELECT source_price, source_pricing_per FROM providers WHERE external_panel_service_id = '103'";
    let asked = async || (&mut &panel.app.db).one::<(i64, i64)>(Sql::new(asked)).await.unwrap();
    assert_eq!(asked().await, (2_000_000, 1_000));
    theirs.world().offers.get_mut(&103).unwrap().kind = "Package";
    panel.follows().await;
    assert_eq!(
        panel.changes("held").await,
        ["source_price 2 2"],
        "each piece costs a thousand times as much"
    );
    assert_eq!(panel.service(ids[2]).await["is_deactivated"], true);
    assert_eq!(asked().await, (2_000_000, 1_000));
    panel.made(&format!("{CHANGES}/{}/accept", panel.waiting().await), json!({})).await;
    assert_eq!(asked().await, (2_000_000, 1));
    let service = panel.service(ids[2]).await;
    assert_eq!((&service["default_price"], &service["is_deactivated"]), (&json!("2600"), &json!(true)));
    let again = panel.follows().await;
    assert_eq!((&again["held_count"], &again["applied_count"]), (&json!(0), &json!(0)), "{again}");
}

async fn own_prices_rise_with_what_the_panel_asks(dialect: Dialect) {
    let (panel, theirs) = shop(dialect).await;
    let ids = panel.imported().await;
    panel.setting("min_margin_percent", r#""0.25""#).await;
    let alone = "UPDATE services SET sync_prices = FALSE, default_price = 2000000 WHERE id = ?";
    panel.exec(Sql::new(alone).bind(ids[0])).await;
    for (user, own, least) in
        [(901, Some(950_000), None), (902, Some(500_000), None), (903, Some(1_500_000), Some(900_000))]
    {
        let sql = Sql::new(
            "INSERT INTO users (id, name, email, created_at, updated_at) VALUES (?, 'Ann', ?, 1, 1)",
        );
        panel.exec(sql.bind(user).bind(format!("{user}@shop.example"))).await;
        let sql = Sql::new(
            "INSERT INTO user_services (user_id, service_id, default_price, min_price, created_at, updated_at) VALUES (?, ?, ?, ?, 1, 1)",
        );
        panel.exec(sql.bind(user).bind(ids[0]).bind(own).bind(least)).await;
    }
    theirs.world().offers.get_mut(&101).unwrap().rate = money("1");
    panel.follows().await;
    assert_eq!(
        panel.changes("applied").await,
        [
            "source_price 0.9 1",
            "min_price 0.9 1.25",
            "own_prices 0.9 1.25",
            "min_price 0.000001 0.000002",
            "min_price 2 2.5"
        ],
        "the least margin is new to the others as well"
    );
    let own = "SELECT COALESCE(default_price, 0), COALESCE(min_price, 0) FROM user_services ORDER BY user_id";
    let own: Vec<(i64, i64)> = (&mut &panel.app.db).all(Sql::new(own)).await.unwrap();
    assert_eq!(
        own,
        [(1_250_000, 0), (500_000, 0), (1_500_000, 1_250_000)],
        "what was agreed below the lowest price stays"
    );
    let audited = "SELECT count(*) FROM audits WHERE event = 'user.price_updated'";
    assert_eq!(panel.number(Sql::new(audited)).await, 2);
    let log = panel.get("/api/v1/admin/services/logs").await.text;
    assert!(log.contains("Own prices"), "{log}");
    panel.clock.advance_secs(3_600);
    assert_eq!(panel.follows().await["applied_count"], 0);
}

async fn descriptions_and_what_a_service_can_do_follow(dialect: Dialect) {
    let (panel, theirs) = shop(dialect).await;
    let on = "UPDATE external_panels SET sync_services = FALSE, sync_prices = FALSE, sync_name = FALSE, sync_params = FALSE,
        sync_description = TRUE, sync_service_details = TRUE";
    panel.exec(Sql::new(on)).await;
    let ids = panel.imported().await;
    assert_eq!(panel.service(ids[0]).await["has_refill"], true);
    {
        let mut world = theirs.world();
        let likes = world.offers.get_mut(&101).unwrap();
        (likes.refill, likes.desc) = (false, "<p>Fast</p><script>alert(1)</script>".into());
    }
    assert_eq!(sync::enqueue_due(&panel.app).await.unwrap(), 1, "these switches want it asked as well");
    assert_eq!(panel.follows().await["applied_count"], 2);
    let likes = panel.service(ids[0]).await;
    assert_eq!(
        (&likes["has_refill"], &likes["translations"]["en"]["description"]),
        (&json!(false), &json!("Fast\nalert(1)"))
    );
    let log = panel.get("/api/v1/admin/services/logs").await.text;
    assert!(log.contains("Description") && log.contains("Has refill"), "{log}");
    panel.clock.advance_secs(3_600);
    assert_eq!(panel.follows().await["applied_count"], 0, "once");
}

async fn panels_are_asked_by_themselves_every_hour(dialect: Dialect) {
    let (panel, theirs) = shop(dialect).await;
    assert_eq!(sync::enqueue_due(&panel.app).await.unwrap(), 1);
    assert_eq!(sync::enqueue_due(&panel.app).await.unwrap(), 0, "one process asks");
    worker::run_due(&panel.app).await.unwrap();
    assert_eq!(
        (theirs.calls().len(), panel.number(Sql::new("SELECT count(*) FROM sync_runs")).await),
        (1, 1)
    );
    panel.clock.advance_secs(3_599);
    assert_eq!(sync::enqueue_due(&panel.app).await.unwrap(), 0);
    panel.clock.advance_secs(1);
    assert_eq!(sync::enqueue_due(&panel.app).await.unwrap(), 1);
    let asked = panel.made(&format!("{PANELS}/1/sync"), json!({})).await;
    assert_eq!(asked["external_panel_id"], 1);
    worker::run_due(&panel.app).await.unwrap();
    assert_eq!(theirs.calls().len(), 3);
    panel.exec(Sql::new("UPDATE external_panels SET is_archived = TRUE, synced_at = NULL")).await;
    assert_eq!(sync::enqueue_due(&panel.app).await.unwrap(), 0);
    assert_eq!(panel.post(&format!("{PANELS}/1/sync"), &json!({})).await.status, 409);
    assert_eq!(panel.post(&format!("{PANELS}/9/sync"), &json!({})).await.status, 404);
    let who = Sql::new("SELECT count(*) FROM external_panels WHERE last_ok_at = ?").bind(NOW + 3_600_000_000);
    assert_eq!(panel.number(who).await, 1);
}

/// Says how long it took; bounds are the bench's, not a test's.
async fn twenty_thousand_are_imported_set_wise(dialect: Dialect) {
    let (panel, theirs) = shop(dialect).await;
    for id in 1_000..21_000 {
        theirs.world().sell(id, Offer::plain(&format!("Service {id}")));
    }
    let started = std::time::Instant::now();
    panel.made(&format!("{PANELS}/1/available-services"), json!({})).await;
    let fetched = started.elapsed();
    let sql = Sql::new("SELECT id FROM external_panel_services WHERE name LIKE 'Service %' ORDER BY id");
    let ids: Vec<(i64,)> = (&mut &panel.app.db).all(sql).await.unwrap();
    let services: Vec<Value> = ids.iter().map(|(id,)| json!({ "id": id })).collect();
    let body = json!({ "external_panel_id": 1, "services": services, "margin_percent": "0.3", "service_type_id": 1 });
    let started = std::time::Instant::now();
    let made = panel.made(IMPORT, body).await;
    eprintln!("{dialect:?}: fetched in {fetched:?}, imported in {:?}", started.elapsed());
    assert_eq!((&made["created"], made["items"].as_array().unwrap().len()), (&json!(20_000), 1_000));
    assert_eq!(panel.number(Sql::new("SELECT count(DISTINCT sorting) FROM services")).await, 20_000);
    for offer in theirs.world().offers.values_mut() {
        offer.rate = money("1.1");
    }
    // As PostgreSQL does by itself a minute later.
    panel.exec(Sql::new("ANALYZE")).await;
    let started = std::time::Instant::now();
    let run = panel.follows().await;
    eprintln!("{dialect:?}: followed in {:?}", started.elapsed());
    assert_eq!((&run["applied_count"], &run["error"]), (&json!(60_000), &Value::Null));
}
