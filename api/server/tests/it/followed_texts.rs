//! Service texts, labels and quantity steps, which only a panel of this product publishes: it returns them on request, and a
//! panel that follows the service imports them. Other panels are never asked for them. A refusal from such a panel is known to
//! mean that it did not accept the order.

use std::sync::Arc;

use panel_contract::ids::ExternalPanelId;
use panel_contract::permission::Permission;
use panel_demo::panel::FakePanel;
use panel_demo::panel::world::{Offer, World};
use panel_platform::db::{Dialect, Source as _, Sql};
use panel_server::supply::dispatch;
use panel_server::supply::imports::sync;
use panel_server::supply::panels::seal;
use serde_json::{Value, json};

use crate::intake::{call, key};
use crate::panel::Panel;
use crate::served::Served;
use crate::shop;

both! {
    texts_and_labels_are_returned_on_request;
    texts_and_labels_of_a_panel_of_this_product_are_synced_once;
    other_panels_are_not_asked_for_texts;
    a_panel_that_only_a_package_follows_is_synced;
    a_quantity_step_is_imported_and_followed;
    an_order_refused_by_a_panel_of_this_product_fails_over;
}

const TOKEN: &str = "token-of-ours";
const IMPORT: &str = "/api/v1/admin/external-panels/import-services";
const FOLLOWS: &str =
    "sync_labels = TRUE, sync_meta = TRUE, sync_short_description = TRUE, sync_reviews = TRUE";

async fn panel(dialect: Dialect) -> Panel {
    let panel = Panel::with(dialect, |config| {
        config.outbound.allow_http = true;
        config.outbound.allowed_networks = vec!["127.0.0.0/8".parse().unwrap()];
        config.outbound.seconds = 5;
    })
    .await;
    shop::fill(&panel.app.db, 3, 0).await;
    panel.exec(Sql::new("UPDATE services SET api_access = TRUE")).await;
    panel.staff("ada", &[Permission::ViewUsers, Permission::ManageApiKeys]).await;
    panel
}

impl Panel {
    /// Connects external panel 1 of this kind and loads its services.
    async fn connected_to(&self, kind: &str, url: &str, token: &str) {
        let sealed = seal(&self.app, ExternalPanelId::new(1), token).unwrap();
        let sql = Sql::new(
            "INSERT INTO external_panels (id, name, type, endpoint, api_token_sealed, created_at, updated_at) VALUES (1, 'Upstream', ?, ?, ?, 1, 1)",
        );
        self.exec(sql.bind(kind).bind(url).bind(sealed)).await;
        self.made("/api/v1/admin/external-panels/1/available-services", json!({})).await;
    }

    /// Imports all services of the panel. Returns the id of our first service.
    async fn imported_first(&self) -> i64 {
        let ids = (&mut &self.app.db)
            .all::<(i64,)>(Sql::new("SELECT id FROM external_panel_services ORDER BY id"))
            .await
            .unwrap();
        let services: Vec<Value> = ids.into_iter().map(|(id,)| json!({ "id": id })).collect();
        let body = json!({ "external_panel_id": 1, "services": services, "service_type_id": 1 });
        self.made(IMPORT, body).await;
        let first = "SELECT s.id FROM services s JOIN providers p ON p.id = s.imported_provider_id ORDER BY p.external_panel_service_id LIMIT 1";
        self.number(Sql::new(first)).await
    }

    /// The changes of a sync, oldest first: field and new value.
    async fn followed(&self) -> Vec<(String, String)> {
        sync::run(&self.app, ExternalPanelId::new(1)).await.unwrap();
        let sql = Sql::new(
            "SELECT field, new_value FROM sync_changes WHERE sync_run_id = (SELECT max(id) FROM sync_runs) ORDER BY id",
        );
        (&mut &self.app.db).all(sql).await.unwrap()
    }
}

fn words(changes: &[(String, String)]) -> Vec<(&str, &str)> {
    changes.iter().map(|(field, new)| (field.as_str(), new.as_str())).collect()
}

/// The texts of the upstream's first service.
fn texts() -> Value {
    json!({
        "labels": ["New", "Hot"], "short_description": "Fast <b>likes</b>", "reviews": "Good.",
        "meta": { "title": "Buy likes", "description": "Likes for all" },
    })
}

async fn texts_and_labels_are_returned_on_request(dialect: Dialect) {
    let theirs = panel(dialect).await;
    let token = key(&theirs, 1).await;
    let english = json!({ "name": "Service 1", "description": "Long", "short_description": "Short", "reviews": "Good.",
        "meta_title": "Buy", "meta_description": "All of it" });
    let body = json!({ "translations": { "en": english } });
    assert_eq!(theirs.renew("/api/v1/admin/services/1", &body).await.status, 200);
    theirs.made("/api/v1/admin/services/labels", json!({ "name": "New", "services": [1] })).await;
    let plain = call(&theirs, &token, "action=services").await;
    for field in ["desc", "labels", "meta", "short_description", "reviews"] {
        assert!(plain[0].get(field).is_none(), "{field} is returned without a request for texts: {plain}");
    }
    let with_texts = call(&theirs, &token, "action=services&texts=1").await;
    let field_of = |field: &str| with_texts[0][field].clone();
    assert_eq!(
        (field_of("desc"), field_of("short_description"), field_of("reviews")),
        (json!("Long"), json!("Short"), json!("Good."))
    );
    assert_eq!(field_of("meta"), json!({ "title": "Buy", "description": "All of it" }));
    assert_eq!((field_of("labels"), &with_texts[1]["labels"]), (json!(["New"]), &json!([])));
    // A panel of this product imports the texts.
    let theirs = Served::start(theirs).await;
    let ours = panel(dialect).await;
    ours.connected_to("socpanel", &format!("http://{}/api/v2", theirs.host()), &token).await;
    let service = ours.imported_first().await;
    for update in ["UPDATE services SET ", "UPDATE external_panels SET "] {
        ours.exec(Sql::new(update).push(FOLLOWS)).await;
    }
    let changes = ours.followed().await;
    let wanted = [
        ("short_description", "Short"),
        ("meta_title", "Buy"),
        ("meta_description", "All of it"),
        ("reviews", "Good."),
        ("labels", "New"),
    ];
    assert_eq!(words(&changes), wanted);
    let here = ours.data(&format!("/api/v1/admin/services/{service}")).await;
    assert_eq!(here["translations"]["en"]["meta_title"], "Buy");
}

async fn a_quantity_step_is_imported_and_followed(dialect: Dialect) {
    let theirs = panel(dialect).await;
    let token = key(&theirs, 1).await;
    let step = async |step: i64| {
        assert_eq!(
            theirs.renew("/api/v1/admin/services/1", &json!({ "quantity_step": step })).await.status,
            200
        );
    };
    step(50).await;
    let plain = call(&theirs, &token, "action=services").await;
    assert!(plain[0].get("step").is_none(), "the step is returned without a request for texts: {plain}");
    let with_texts = call(&theirs, &token, "action=services&texts=1").await;
    assert_eq!((&with_texts[0]["step"], &with_texts[1]["step"]), (&json!("50"), &json!("1")));
    let theirs = Served::start(theirs).await;
    let ours = panel(dialect).await;
    ours.connected_to("socpanel", &format!("http://{}/api/v2", theirs.host()), &token).await;
    let service = ours.imported_first().await;
    let path = format!("/api/v1/admin/services/{service}");
    let here = ours.data(&path).await;
    assert_eq!(here["quantity_step"], 50);
    let least = here["min_quantity"].as_i64().unwrap();
    let odd = json!({ "user_id": 2, "service_id": service, "url": "https://video.example/1", "quantity": least + 10 });
    let refused = ours.post("/api/v1/admin/orders", &odd).await;
    assert!(
        refused.json()["errors"]["quantity"].is_array(),
        "it is refused before it is charged: {}",
        refused.text
    );
    // The step is synced together with the quantity limits.
    let step = async |step: i64| {
        let body = json!({ "quantity_step": step });
        assert_eq!(theirs.panel.renew("/api/v1/admin/services/1", &body).await.status, 200);
    };
    step(25).await;
    assert!(ours.followed().await.is_empty(), "the panel's switch is off");
    ours.exec(Sql::new("UPDATE external_panels SET sync_params = TRUE")).await;
    ours.exec(Sql::new("UPDATE services SET sync_params = TRUE")).await;
    assert_eq!(words(&ours.followed().await), [("quantity_step", "25")]);
    assert_eq!(ours.data(&path).await["quantity_step"], 25);
    assert!(ours.followed().await.is_empty(), "nothing differs any more");
}

/// Each order is valid for the imported service, but not for the limits that the upstream's staff set since.
async fn an_order_refused_by_a_panel_of_this_product_fails_over(dialect: Dialect) {
    let theirs = panel(dialect).await;
    let token = key(&theirs, 1).await;
    let group = "INSERT INTO promotable_checker_groups (id, name, service_type_type, checkers) VALUES (9, 'Posts', 'Instagram', '[\"https://instagram.com/*\"]')";
    theirs.exec(Sql::new(group)).await;
    let theirs = Served::start(theirs).await;
    let ours = panel(dialect).await;
    ours.connected_to("socpanel", &format!("http://{}/api/v2", theirs.host()), &token).await;
    let service = ours.imported_first().await;
    for (n, change, quantity, words) in [
        (1, "min_quantity = 500", 110, "Quantity less than minimal 500"),
        (2, "min_quantity = 100, max_quantity = 105", 110, "Quantity more than maximum 105"),
        (
            3,
            "max_quantity = 1000, quantity_step = 50",
            110,
            "Incorrect request: Order 100 to 1000 in steps of 50",
        ),
        (4, "quantity_step = 1, promotable_checker_group_id = 9", 110, "Incorrect link"),
        (
            5,
            "promotable_checker_group_id = NULL, countries = '[\"DE\"]', api_access = FALSE",
            110,
            "Incorrect service ID",
        ),
    ] {
        theirs.panel.exec(Sql::new("UPDATE services SET ").push(change).push(" WHERE id = 1")).await;
        let url = format!("https://video.example/{n}");
        let body = json!({ "user_id": 1, "service_id": service, "url": url, "quantity": quantity });
        let order = ours.made("/api/v1/admin/orders", body).await["id"].as_i64().unwrap();
        for _ in 0..5 {
            dispatch::cycle(&ours.app).await.unwrap();
        }
        let attempt = ours.order(order).await["external_panel_orders"][0].clone();
        assert_eq!(attempt["status"], "Canceled", "{words}: {attempt}");
        assert!(attempt.to_string().contains(words), "{words}: {attempt}");
    }
    let taken = Sql::new("SELECT count(*) FROM orders");
    assert_eq!(theirs.panel.number(taken).await, 0);
    let unknown = Sql::new("SELECT count(*) FROM external_panel_orders WHERE status = 'Creating'");
    assert_eq!(ours.number(unknown).await, 0, "no order waits for a staff member");
}

async fn texts_and_labels_of_a_panel_of_this_product_are_synced_once(dialect: Dialect) {
    let ours = panel(dialect).await;
    let mut world = World::new(TOKEN);
    world.sell(101, Offer { texts: texts(), ..Offer::plain("Likes") });
    let theirs = FakePanel::start(world, Arc::new(ours.clock.clone())).await.unwrap();
    ours.connected_to("socpanel", &theirs.url, TOKEN).await;
    let service = ours.imported_first().await;
    let path = format!("/api/v1/admin/services/{service}");
    let known = ours.made("/api/v1/admin/services/labels", json!({ "name": "Hot" })).await["id"].clone();
    assert!(ours.followed().await.is_empty(), "no switch is on");
    ours.exec(Sql::new("UPDATE services SET ").push(FOLLOWS)).await;
    assert!(ours.followed().await.is_empty(), "the panel's switches are off");
    ours.exec(Sql::new("UPDATE external_panels SET ").push(FOLLOWS)).await;
    ours.exec(Sql::new("UPDATE services SET sync_reviews = FALSE")).await;
    let wanted = [
        ("short_description", "Fast likes"),
        ("meta_title", "Buy likes"),
        ("meta_description", "Likes for all"),
        ("labels", "Hot, New"),
    ];
    assert_eq!(words(&ours.followed().await), wanted);
    assert!(ours.followed().await.is_empty(), "nothing differs any more");
    let here = ours.data(&path).await;
    let english = &here["translations"]["en"];
    assert_eq!(
        (&english["short_description"], &english["meta_description"], english.get("reviews")),
        (&json!("Fast likes"), &json!("Likes for all"), None)
    );
    let labels = here["labels"].as_array().unwrap();
    assert!(labels.len() == 2 && labels.contains(&known), "Hot is the one that was there: {labels:?}");
    let made = Sql::new("SELECT count(*) FROM audits WHERE event = 'label.created'");
    assert_eq!(ours.number(made).await, 2, "one by staff, one by the sync");
    // A text that the upstream removed stays here; removed labels are removed.
    theirs.world().sell(101, Offer { texts: json!({ "labels": ["New"] }), ..Offer::plain("Likes") });
    assert_eq!(words(&ours.followed().await), [("labels", "New")]);
    assert_eq!(ours.data(&path).await["translations"]["en"]["meta_title"], "Buy likes");
    // The label that marks services with comments stays too, whatever the upstream calls its own.
    let comments = ours
        .made("/api/v1/admin/services/labels", json!({ "name": "Comments", "is_custom_comments": true }))
        .await;
    let attach = Sql::new("INSERT INTO service_labels (service_id, label_id) SELECT id, ? FROM services");
    ours.exec(attach.bind(comments["id"].as_i64())).await;
    assert!(ours.followed().await.is_empty());
    theirs.world().sell(101, Offer { texts: json!({ "labels": ["Comments"] }), ..Offer::plain("Likes") });
    assert_eq!(words(&ours.followed().await), [("labels", "Comments")]);
    let own = "SELECT count(*) FROM service_labels x JOIN labels l ON l.id = x.label_id WHERE l.name = 'Comments' AND l.is_custom_comments";
    let services = ours.number(Sql::new("SELECT count(*) FROM services")).await;
    assert_eq!(ours.number(Sql::new(own)).await, services);
    // An older version, which returns no labels at all, removes none either.
    theirs.world().sell(101, Offer::plain("Likes"));
    assert!(ours.followed().await.is_empty());
}

async fn other_panels_are_not_asked_for_texts(dialect: Dialect) {
    let ours = panel(dialect).await;
    let mut world = World::new(TOKEN);
    world.sell(101, Offer { texts: texts(), ..Offer::plain("Likes") });
    let theirs = FakePanel::start(world, Arc::new(ours.clock.clone())).await.unwrap();
    ours.connected_to("perfect_panel", &theirs.url, TOKEN).await;
    ours.imported_first().await;
    ours.exec(Sql::new("UPDATE services SET ").push(FOLLOWS)).await;
    // Sync switches stored before the server refused them for such panels.
    ours.exec(Sql::new("UPDATE external_panels SET ").push(FOLLOWS)).await;
    assert!(ours.followed().await.is_empty(), "such a panel is not asked for texts");
    let path = "/api/v1/admin/external-panels/1";
    let refused =
        ours.send("owner", "PATCH", path, &json!({ "sync_labels": true, "sync_packages": true }), None).await;
    assert_eq!(refused.status, 422, "{}", refused.text);
    for field in ["sync_labels", "sync_packages"] {
        assert!(refused.json()["errors"][field].is_array(), "{}", refused.text);
    }
}

async fn a_panel_that_only_a_package_follows_is_synced(dialect: Dialect) {
    let ours = panel(dialect).await;
    let theirs = FakePanel::start(World::new(TOKEN), Arc::new(ours.clock.clone())).await.unwrap();
    let mut pack = Offer::plain("Pack");
    (pack.kind, pack.min, pack.max) = ("Package", 1, 1);
    theirs.world().sell(104, pack);
    ours.connected_to("perfect_panel", &theirs.url, TOKEN).await;
    ours.imported_first().await;
    ours.exec(Sql::new("UPDATE external_panels SET sync_prices = FALSE")).await;
    assert_eq!(sync::enqueue_due(&ours.app).await.unwrap(), 0, "nothing follows it");
    let listed = ours.number(Sql::new("SELECT max(id) FROM external_panel_services")).await;
    let body = json!({ "external_panel_id": 1, "packages": [{ "id": listed }] });
    ours.made("/api/v1/admin/external-panels/import-packages", body).await;
    let origin = ours.number(Sql::new("SELECT max(id) FROM provider_packages")).await;
    let packages = "/api/v1/admin/packages";
    let placeless = ours.post(packages, &json!({ "provider_package_id": origin, "sync": true })).await;
    assert!(placeless.json()["errors"]["network_id"].is_array(), "{}", placeless.text);
    let body = json!({ "provider_package_id": origin, "sync": true, "network_id": 1 });
    let made = ours.made(packages, body).await;
    assert_eq!((&made["sync"], &made["network"]["id"]), (&json!(true), &json!(1)));
    assert_eq!(sync::enqueue_due(&ours.app).await.unwrap(), 1, "its package follows it");
    assert_eq!(sync::enqueue_due(&ours.app).await.unwrap(), 0, "within the hour it is not asked again");
    let path = format!("{packages}/{}", made["id"]);
    assert_eq!(ours.renew(&path, &json!({ "sync": false })).await.status, 200);
    ours.clock.advance_secs(3_700);
    assert_eq!(sync::enqueue_due(&ours.app).await.unwrap(), 0);
}
