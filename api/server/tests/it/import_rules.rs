//! The rule by which a panel's new services are imported by themselves: stored, obeyed by syncs, each service once, and what
//! cannot be imported is noted where staff see it.

use std::sync::Arc;

use panel_contract::permission::Permission;
use panel_demo::panel::FakePanel;
use panel_demo::panel::world::{Offer, World};
use panel_platform::db::{Dialect, Source as _, Sql};
use serde_json::{Value, json};

use crate::imports::{KEY, shop};
use crate::panel::Panel;

both! {
    a_rule_is_stored_read_and_audited;
    wrong_fields_of_a_rule_are_named_at_once;
    new_services_are_imported_by_the_rule_once;
    a_whole_catalogue_is_not_new;
    a_list_of_the_former_address_is_left_aside;
    what_the_rule_cannot_import_is_noted;
    without_a_rule_nothing_is_imported_and_staff_see_it;
    a_sync_imports_a_thousand_at_most;
    what_a_rule_names_is_in_use;
}

const RULE: &str = "/api/v1/admin/external-panels/1/import-rule";

/// Our panel with a rule that is on, and whose list was asked before.
async fn ruled(dialect: Dialect, rule: Value) -> (Panel, FakePanel) {
    let (panel, theirs) = shop(dialect).await;
    panel
        .exec(Sql::new("UPDATE external_panels SET sync_services = FALSE, resale_margin_ppm = 100000"))
        .await;
    panel.fetched(&[]).await;
    panel.clock.advance_secs(60);
    let mut whole = json!({ "is_enabled": true });
    whole.as_object_mut().unwrap().extend(rule.as_object().unwrap().clone());
    let stored = panel.renew(RULE, &whole).await;
    assert_eq!(stored.status, 200, "{}", stored.text);
    panel.clock.advance_secs(60);
    (panel, theirs)
}

impl Panel {
    async fn sold_here(&self) -> i64 {
        self.number(Sql::new("SELECT count(*) FROM services")).await
    }
}

async fn a_rule_is_stored_read_and_audited(dialect: Dialect) {
    let (panel, _theirs) = shop(dialect).await;
    panel.exec(Sql::new("UPDATE external_panels SET sync_services = FALSE")).await;
    panel.fetched(&[]).await;
    let none = panel.data(RULE).await;
    assert_eq!(
        (&none["is_enabled"], &none["enabled_since"], &none["updated_at"]),
        (&json!(false), &Value::Null, &Value::Null)
    );
    let group =
        "INSERT INTO promotable_checker_groups (id, name, service_type_type) VALUES (4, 'Posts', 'Youtube')";
    panel.exec(Sql::new(group)).await;
    let rule = json!({
        "is_enabled": true, "margin_percent": "0.4", "network_id": 1, "service_type_id": 1, "keep_categories": true,
        "promotable_checker_group_id": 4, "sync_params": false, "sync_prices": true, "sync_labels": false, "sync_name": true, "sync_meta": false,
        "sync_service_details": true, "sync_description_field": false, "sync_short_description": true, "sync_reviews": false,
        "categories": ["Likes"], "types": ["Default", "Poll"], "name_contains": "a", "name_excludes": "b", "price_from": "0.1", "price_to": "9",
    });
    let tried = panel.renew(&format!("{RULE}?dry_run=1"), &rule).await;
    assert_eq!((tried.status.as_u16(), panel.data(RULE).await), (200, none), "{}", tried.text);
    let stored = panel.renew(RULE, &rule).await.json()["data"].clone();
    for (field, value) in rule.as_object().unwrap() {
        assert_eq!(&stored[field], value, "{field}");
    }
    assert!(stored["enabled_since"].is_string() && panel.data(RULE).await == stored, "{stored}");
    let shown = panel.data("/api/v1/admin/external-panels/1").await;
    assert_eq!(shown["sync_services"], true, "it is the panel's switch");
    let trail = panel.get("/api/v1/admin/audits?length=1").await.text;
    assert!(
        trail.contains("import_rule.margin_percent") && trail.contains("external_panel.updated"),
        "{trail}"
    );
    // Another save on what was read before is refused; the switch of the panel switches the rule.
    let stale = json!({ "updated_at": "2020-01-01 00:00:00.000000" });
    assert!([409, 422].contains(&panel.renew(RULE, &stale).await.status.as_u16()));
    let off = panel
        .send("owner", "PATCH", "/api/v1/admin/external-panels/1", &json!({ "sync_services": false }), None)
        .await;
    assert_eq!(off.status, 200, "{}", off.text);
    let off = panel.data(RULE).await;
    assert_eq!(
        (&off["is_enabled"], &off["enabled_since"], &off["margin_percent"]),
        (&json!(false), &Value::Null, &json!("0.4"))
    );
    panel.staff("bob", &[Permission::ViewServices]).await;
    assert_eq!(panel.send("bob", "PUT", RULE, &rule, None).await.status, 403);
    assert_eq!(panel.get("/api/v1/admin/external-panels/9/import-rule").await.status, 404);
    panel.exec(Sql::new("UPDATE external_panels SET is_archived = TRUE")).await;
    assert_eq!(panel.renew(RULE, &rule).await.status, 409);
}

async fn wrong_fields_of_a_rule_are_named_at_once(dialect: Dialect) {
    let (panel, _theirs) = shop(dialect).await;
    panel.setting("min_margin_percent", r#""0.2""#).await;
    let wrong = async |body: Value| {
        let answer = panel.renew(RULE, &body).await;
        assert_eq!(answer.status, 422, "{}", answer.text);
        answer.json()["errors"].as_object().unwrap().keys().cloned().collect::<Vec<_>>()
    };
    let body = json!({ "is_enabled": true, "margin_percent": "0.1", "network_id": 7, "promotable_checker_group_id": 9, "types": ["Subscriptions"],
        "price_from": "2", "price_to": "1", "categories": [" "] });
    let wanted = [
        "categories.0",
        "margin_percent",
        "network_id",
        "price_to",
        "promotable_checker_group_id",
        "service_type_id",
        "types.0",
    ];
    assert_eq!(wrong(body).await, wanted);
    assert_eq!(
        wrong(json!({ "service_type_id": 9, "keep_categories": true })).await,
        ["network_id", "service_type_id"]
    );
    assert_eq!(wrong(json!({ "service_type_id": 1, "network_id": 2 })).await, ["network_id"]);
    let group = "INSERT INTO promotable_checker_groups (id, name, service_type_type) VALUES (4, 'Posts', 'Instagram')";
    panel.exec(Sql::new(group)).await;
    let other_kind = json!({ "service_type_id": 1, "promotable_checker_group_id": 4 });
    assert_eq!(wrong(other_kind).await, ["promotable_checker_group_id"]);
}

async fn new_services_are_imported_by_the_rule_once(dialect: Dialect) {
    let rule = json!({ "network_id": 1, "keep_categories": true, "margin_percent": "0.5", "name_excludes": "cheap", "price_to": "4", "sync_name": false });
    let (panel, theirs) = ruled(dialect, rule).await;
    assert_eq!(panel.follows().await["imported_count"], 0, "what was sold before is left alone");
    panel.setting("min_margin_percent", r#""0.6""#).await;
    {
        let mut world = theirs.world();
        world.sell(201, Offer { category: "Shares".into(), desc: "Quick".into(), ..Offer::plain("Shares") });
        world.sell(202, Offer { category: "Shares".into(), ..Offer::plain("Cheap shares") });
        world.sell(
            203,
            Offer { category: "Saves".into(), rate: "4.1".parse().unwrap(), ..Offer::plain("Saves") },
        );
    }
    panel.clock.advance_secs(3_600);
    let run = panel.follows().await;
    assert_eq!(
        (&run["new_count"], &run["imported_count"], &run["not_imported_count"]),
        (&json!(3), &json!(1), &json!(0)),
        "{run}"
    );
    let id = panel.number(Sql::new("SELECT id FROM services")).await;
    let shares = panel.service(id).await;
    assert_eq!(
        (&shares["name"], &shares["default_price"], &shares["min_price"]),
        (&json!("Shares"), &json!("1.6"), &json!("1.6"))
    );
    assert_eq!(
        (&shares["service_type"]["name"], &shares["translations"]["en"]["description"]),
        (&json!("Shares"), &json!("Quick"))
    );
    assert_eq!((&shares["sync_name"], &shares["sync_prices"]), (&json!(false), &json!(true)));
    // Archived by staff, it is not imported again; what the rule did not choose comes once it does.
    for sql in [
        "UPDATE services SET is_archived = TRUE",
        "UPDATE providers SET is_archived = TRUE, external_panel_service_id = '0'",
    ] {
        panel.exec(Sql::new(sql)).await;
    }
    theirs.world().offers.get_mut(&203).unwrap().rate = "4".parse().unwrap();
    panel.clock.advance_secs(3_600);
    let run = panel.follows().await;
    assert_eq!((&run["imported_count"], panel.sold_here().await), (&json!(1), 2), "{run}");
    panel.clock.advance_secs(3_600);
    assert_eq!(panel.follows().await["imported_count"], 0);
    let off = panel.renew(RULE, &json!({ "network_id": 1, "keep_categories": true })).await;
    assert_eq!(off.status, 200, "{}", off.text);
    theirs.world().sell(204, Offer::plain("Later"));
    panel.clock.advance_secs(3_600);
    assert_eq!(
        (&panel.follows().await["imported_count"], panel.sold_here().await),
        (&json!(0), 2),
        "it is off"
    );
}

async fn a_whole_catalogue_is_not_new(dialect: Dialect) {
    // The panel's switch was on before it had a rule, and its list was never asked.
    let (panel, theirs) = shop(dialect).await;
    let rule = json!({ "is_enabled": true, "network_id": 1, "keep_categories": true });
    assert_eq!(panel.renew(RULE, &rule).await.status, 200);
    assert_eq!(panel.follows().await["imported_count"], 0, "the first list is what was sold before");
    theirs.world().sell(201, Offer::plain("Shares"));
    panel.clock.advance_secs(3_600);
    assert_eq!(panel.follows().await["imported_count"], 1);
    // Another address may be another panel.
    let mut world = World::new(KEY);
    world.sell(901, Offer::plain("Other likes"));
    let other = FakePanel::start(world, Arc::new(panel.clock.clone())).await.unwrap();
    let moved = json!({ "endpoint": other.url, "api_token": KEY });
    let moved = panel.send("owner", "PATCH", "/api/v1/admin/external-panels/1", &moved, None).await;
    assert_eq!(moved.status, 200, "{}", moved.text);
    panel.clock.advance_secs(3_600);
    assert_eq!((&panel.follows().await["imported_count"], panel.sold_here().await), (&json!(0), 1));
    other.world().sell(902, Offer::plain("Other views"));
    panel.clock.advance_secs(3_600);
    assert_eq!((&panel.follows().await["imported_count"], panel.sold_here().await), (&json!(1), 2));
}

/// Staff move the panel to another address while a sync waits for its list.
async fn a_list_of_the_former_address_is_left_aside(dialect: Dialect) {
    let (panel, _theirs) = shop(dialect).await;
    let app = panel.app.clone();
    let answer = move || {
        let app = app.clone();
        async move {
            let moved = "UPDATE external_panels SET endpoint = 'https://other.example/api/v2'";
            (&mut &app.db).exec(Sql::new(moved)).await.unwrap();
            axum::Json(
                json!([{ "service": 1, "name": "Likes", "type": "Default", "category": "Likes", "rate": "1", "min": "1", "max": "10" }]),
            )
        }
    };
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let endpoint = format!("http://{}/api/v2", listener.local_addr().unwrap());
    let host = axum::Router::new().fallback(answer);
    tokio::spawn(async move { axum::serve(listener, host).await.unwrap() });
    panel.exec(Sql::new("UPDATE external_panels SET endpoint = ?").bind(endpoint)).await;
    let run = panel.follows().await;
    assert!(run["error"].as_str().unwrap().contains("endpoint changed"), "{run}");
    let kept = "SELECT count(*) FROM external_panel_services";
    assert_eq!((panel.number(Sql::new(kept)).await, panel.sold_here().await), (0, 0));
    let since = "SELECT count(*) FROM external_panels WHERE sync_services_at IS NOT NULL";
    assert_eq!(panel.number(Sql::new(since)).await, 0, "the first list of the new address is still to come");
}

async fn what_the_rule_cannot_import_is_noted(dialect: Dialect) {
    let (panel, theirs) = ruled(dialect, json!({ "service_type_id": 1 })).await;
    {
        let mut world = theirs.world();
        world.sell(201, Offer { kind: "Subscriptions", ..Offer::plain("New posts") });
        world.sell(202, Offer { kind: "Something New", ..Offer::plain("Strange") });
        world.sell(203, Offer::plain("Shares"));
    }
    let run = panel.follows().await;
    assert_eq!(
        (&run["imported_count"], &run["not_imported_count"], &run["error"]),
        (&json!(1), &json!(2), &Value::Null)
    );
    let noted = run["not_imported"].as_array().unwrap();
    assert_eq!(
        (&noted[0]["name"], &noted[0]["external_panel_service_id"]),
        (&json!("New posts"), &json!("201"))
    );
    assert!(noted[0]["reason"].as_str().unwrap().contains("cannot be sold here"), "{run}");
    assert!(noted[1]["reason"].as_str().unwrap().contains("does not know"), "{run}");
    let filtered = panel.get("/api/v1/admin/external-panels/sync-runs?columns[0][data]=not_imported_count&columns[0][search][value]=2").await;
    assert_eq!(filtered.json()["recordsFiltered"], 1, "{}", filtered.text);
}

async fn without_a_rule_nothing_is_imported_and_staff_see_it(dialect: Dialect) {
    let (panel, theirs) = shop(dialect).await;
    panel.fetched(&[]).await;
    panel.exec(Sql::new("UPDATE external_panels SET sync_services = FALSE")).await;
    panel.clock.advance_secs(60);
    let on = panel
        .send("owner", "PATCH", "/api/v1/admin/external-panels/1", &json!({ "sync_services": true }), None)
        .await;
    assert_eq!((on.status.as_u16(), &on.json()["data"]["sync_services"]), (200, &json!(true)), "{}", on.text);
    panel.clock.advance_secs(60);
    theirs.world().sell(201, Offer::plain("Shares"));
    let run = panel.follows().await;
    assert_eq!((&run["imported_count"], &run["not_imported_count"]), (&json!(0), &json!(1)));
    assert!(run["not_imported"][0]["reason"].as_str().unwrap().contains("import rule"), "{run}");
    assert_eq!(panel.sold_here().await, 0);
}

async fn a_sync_imports_a_thousand_at_most(dialect: Dialect) {
    let (panel, theirs) = ruled(dialect, json!({ "service_type_id": 1 })).await;
    for id in 1_000..2_100 {
        theirs.world().sell(id, Offer::plain(&format!("Service {id}")));
    }
    assert_eq!(panel.follows().await["imported_count"], 1_000);
    panel.clock.advance_secs(3_600);
    assert_eq!(panel.follows().await["imported_count"], 100);
    assert_eq!(panel.sold_here().await, 1_100);
}

async fn what_a_rule_names_is_in_use(dialect: Dialect) {
    let (panel, _theirs) = ruled(dialect, json!({ "service_type_id": 1, "network_id": 1 })).await;
    let refused =
        panel.call("127.0.0.1", Some("owner"), "DELETE", "/api/v1/admin/service-types/1", &Value::Null).await;
    assert!(refused.status == 409 && refused.text.contains("Upstream"), "{}", refused.text);
    let refused =
        panel.call("127.0.0.1", Some("owner"), "DELETE", "/api/v1/admin/networks/1", &Value::Null).await;
    assert!(refused.status == 409 && refused.text.contains("rules by which"), "{}", refused.text);
}
