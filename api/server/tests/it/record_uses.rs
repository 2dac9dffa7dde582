//! A record that others use cannot be archived or deleted, the error names each use, and an archived record gets no new use.

use futures_util::future::join;
use panel_contract::ids::UserId;
use panel_contract::moment::Time;
use panel_contract::orders::OrderStatus;
use panel_contract::payments::BalanceType;
use panel_platform::db::{Dialect, Sql};
use panel_server::context::Ctx;
use panel_server::operations::drip_feeds::run::{self, NewDripFeed};
use panel_server::operations::orders::place::NewOrder;
use serde_json::{Value, json};

use crate::panel::{Answer, NOW, Panel};
use crate::shop::PLAIN;
use crate::withdrawals::add_payment_methods;

both! {
    the_error_names_each_use_of_a_service_and_the_archivable_flag_agrees;
    an_archived_service_gets_no_new_use;
    an_undo_is_refused_where_its_service_is_archived;
    a_target_can_be_deleted_after_the_last_open_order_with_a_value_for_it;
    errors_name_the_uses_of_panels_grades_and_pages;
    an_external_panel_that_a_setting_names_cannot_be_archived;
    a_service_type_in_use_cannot_move_to_another_network;
    of_a_concurrent_offer_and_service_move_one_succeeds;
    errors_name_the_uses_of_a_quest_and_a_payment_method;
    of_a_concurrent_package_and_service_archival_one_succeeds;
    of_a_concurrent_promotion_and_service_archival_one_succeeds;
    of_a_concurrent_drip_feed_and_service_archival_one_succeeds;
}

const SERVICE: &str = "/api/v1/admin/services/1";
const PACKAGES: &str = "/api/v1/admin/packages";
const OFFERS: &str = "/api/v1/admin/special-offers";
const DISCOUNTS: &str = "/api/v1/admin/discounts";
const QUESTS: &str = "/api/v1/admin/free-trial-quests";

impl Panel {
    async fn post_step(&self, path: &str, step: &str) -> Answer {
        self.post(&format!("{path}/{step}"), &json!({})).await
    }

    /// Sets the flag of service 1 in the database, without the check for uses.
    async fn set_service_archived(&self, is_archived: bool) {
        self.execute(Sql::new("UPDATE services SET is_archived = ? WHERE id = 1").bind(is_archived)).await;
    }
}

fn package_body() -> Value {
    json!({ "name": "Starter", "network_id": 1, "package_contents": [{ "id": PLAIN, "quantity": 1_000 }] })
}

fn offer_body() -> Value {
    json!({ "name": "Hot", "network_id": 1, "place": "home_page", "position": "second", "services": [PLAIN] })
}

fn discount_body() -> Value {
    let from = Time(NOW - 1_000_000).to_string();
    json!({ "name": "Sale", "valid_from": from, "services": [{ "id": PLAIN, "discount_fraction": "0.1" }] })
}

fn quest_body() -> Value {
    json!({ "translations": { "en": { "name": "Post" } }, "service_id": PLAIN, "quantity": 100 })
}

async fn the_error_names_each_use_of_a_service_and_the_archivable_flag_agrees(dialect: Dialect) {
    let panel = Panel::shop(dialect, 3, 0).await;
    let is_archivable = async || panel.get_data(SERVICE).await["actions"]["archivable"] == true;
    assert!(is_archivable().await);
    for (path, body, final_step, use_text) in [
        (PACKAGES, package_body(), "archive", "packages: Starter ("),
        (OFFERS, offer_body(), "archive", "special offers: Hot ("),
        (DISCOUNTS, discount_body(), "complete", "discounts: Sale ("),
        (DISCOUNTS, discount_body(), "archive", "discounts: Sale ("),
        (QUESTS, quest_body(), "archive", "quests: Post ("),
    ] {
        let id = panel.post_data(path, body).await["id"].clone();
        let refused = panel.post_step(SERVICE, "archive").await;
        assert_eq!(refused.status_and_code(), (409, "service_in_use".into()), "{path}");
        assert!(refused.text.contains(use_text), "{path}: {}", refused.text);
        assert!(!is_archivable().await, "{path}");
        let record_path = format!("{path}/{id}");
        assert_eq!(panel.post_step(&record_path, final_step).await.status, 200, "{path}");
        assert!(is_archivable().await, "{path} {final_step}: it does not use the service any more");
    }
    let drip_feed = "INSERT INTO drip_feeds (id, name, url, status, user_id, service_id, quantity, runs, minutes_between_runs, price, cost, created_at, updated_at)
      VALUES (1, 'Slow', 'https://v.example/', 'in_processing', 1, 1, 100, 2, 60, 0, 0, 1, 1)";
    let subscription = "INSERT INTO subscriptions (id, name, url, type, user_id, status, billing_type, contents_limit, created_at, updated_at)
      VALUES (1, 'Channel', 'https://v.example/', 'channel', 1, 'in_processing', 'per_content', 5, 1, 1)";
    let subscription_service =
        "INSERT INTO subscription_services (subscription_id, service_id, quantity) VALUES (1, 1, 100)";
    for sql in [drip_feed, subscription, subscription_service] {
        panel.execute(Sql::new(sql)).await;
    }
    let refused = panel.post_step(SERVICE, "archive").await;
    assert!(refused.text.contains("drip-feeds in progress: Slow (1)"), "{}", refused.text);
    assert!(refused.text.contains("subscriptions in progress: Channel (1)"), "{}", refused.text);
    assert!(!is_archivable().await);
    panel.execute(Sql::new("UPDATE drip_feeds SET status = 'canceled'")).await;
    assert!(!is_archivable().await);
    panel.execute(Sql::new("UPDATE subscriptions SET status = 'completed'")).await;
    assert!(is_archivable().await);
    assert_eq!(panel.post_step(SERVICE, "archive").await.status, 200);
}

async fn an_archived_service_gets_no_new_use(dialect: Dialect) {
    let panel = Panel::shop(dialect, 3, 0).await;
    for (path, body, field) in [
        (PACKAGES, package_body(), "package_contents.0.id"),
        (OFFERS, offer_body(), "services.0"),
        (DISCOUNTS, discount_body(), "services.0.id"),
        (QUESTS, quest_body(), "service_id"),
    ] {
        panel.set_service_archived(true).await;
        let refused = panel.post(path, &body).await;
        assert_eq!(refused.status, 422, "{path}: {}", refused.text);
        assert!(refused.json()["errors"][field].is_array(), "{path}: {}", refused.text);
        panel.set_service_archived(false).await;
        let created = panel.post_data(path, body).await;
        let record_path = format!("{path}/{}", created["id"]);
        assert_eq!(panel.post_step(&record_path, "archive").await.status, 200, "{path}");
        assert_eq!(
            panel.post_step(SERVICE, "archive").await.status,
            200,
            "{path}: an archived record counts as no use"
        );
        let restored = panel.post_step(&record_path, "unarchive").await;
        assert_eq!(restored.status_and_code(), (409, "service_archived".into()), "{path}");
        assert!(restored.text.contains("Service 1 (1)"), "{path}: {}", restored.text);
        assert_eq!(panel.post_step(SERVICE, "unarchive").await.status, 200);
        assert_eq!(panel.post_step(&record_path, "unarchive").await.status, 200, "{path}");
        // A record that already contains the service keeps it.
        panel.set_service_archived(true).await;
        if path == OFFERS || path == DISCOUNTS {
            let renamed = panel.put(&record_path, &json!({ "name": "Other" })).await;
            assert_eq!(renamed.status, 200, "{path}: {}", renamed.text);
        }
        panel.set_service_archived(false).await;
        assert_eq!(panel.post_step(&record_path, "archive").await.status, 200, "{path}");
    }
    // A completed discount can be restored with an archived service, because it changes no price.
    let discount_path = format!("{DISCOUNTS}/{}", panel.post_data(DISCOUNTS, discount_body()).await["id"]);
    for step in ["complete", "archive"] {
        assert_eq!(panel.post_step(&discount_path, step).await.status, 200);
    }
    panel.set_service_archived(true).await;
    assert_eq!(panel.post_step(&discount_path, "unarchive").await.json()["data"]["status"], "completed");
}

async fn an_undo_is_refused_where_its_service_is_archived(dialect: Dialect) {
    let panel = Panel::shop(dialect, 3, 0).await;
    let undo = async |answer: &Answer| {
        let body = json!({ "request_id": answer.json()["undo"]["request_id"] });
        panel.post("/api/v1/admin/undo", &body).await
    };
    for (path, body) in [
        (PACKAGES, package_body()),
        (OFFERS, offer_body()),
        (DISCOUNTS, discount_body()),
        (QUESTS, quest_body()),
    ] {
        let record_path = format!("{path}/{}", panel.post_data(path, body).await["id"]);
        let archived = panel.post_step(&record_path, "archive").await;
        assert_eq!(panel.post_step(SERVICE, "archive").await.status, 200);
        assert_eq!(undo(&archived).await.status_and_code(), (409, "undo_conflict".into()), "{path}");
        let restored = panel.post_step(SERVICE, "unarchive").await;
        assert_eq!(panel.post_step(&record_path, "unarchive").await.status, 200);
        assert_eq!(
            undo(&restored).await.status_and_code(),
            (409, "undo_conflict".into()),
            "{path} uses it again"
        );
        assert_eq!(panel.post_step(&record_path, "archive").await.status, 200);
    }
}

async fn a_target_can_be_deleted_after_the_last_open_order_with_a_value_for_it(dialect: Dialect) {
    let panel = Panel::shop(dialect, 3, 0).await;
    let targets = "/api/v1/admin/targets";
    let target = json!({ "name": "Countries", "target_type_id": 1, "selectable_values": ["DE", "FR"] });
    let id = panel.post_data(targets, target).await["id"].clone();
    assert_eq!(panel.put(SERVICE, &json!({ "targets": [id] })).await.status, 200);
    let plain = NewOrder::plain(UserId::new(1), PLAIN, "https://video.example/1", 100);
    let placed = panel.place(&NewOrder { targets: vec![("Countries".into(), "DE".into())], ..plain }).await;
    assert_eq!(placed.status, OrderStatus::InProcessing);
    assert_eq!(panel.put(SERVICE, &json!({ "targets": [] })).await.status, 200);
    let record_path = format!("{targets}/{id}");
    let delete = async || panel.call("127.0.0.1", Some("owner"), "DELETE", &record_path, &Value::Null).await;
    let refused = delete().await;
    assert_eq!(refused.status_and_code(), (409, "target_in_use".into()));
    assert!(refused.text.contains("orders that are not finished: Service 1 ("), "{}", refused.text);
    let completed = panel.post_step(&format!("/api/v1/admin/orders/{}", placed.id), "complete").await;
    assert_eq!(completed.status, 200, "{}", completed.text);
    let deleted = delete().await;
    assert_eq!(deleted.status, 204, "{}", deleted.text);
    let order = panel.order(placed.id).await.to_string();
    assert!(order.contains("Countries") && order.contains("\"DE\""), "{order}");
}

async fn errors_name_the_uses_of_panels_grades_and_pages(dialect: Dialect) {
    let panel = Panel::shop(dialect, 15, 0).await;
    let grade = panel
        .post_data("/api/v1/admin/grades", json!({ "translations": { "en": { "name": "Gold" } } }))
        .await;
    let id = grade["id"].as_i64().unwrap();
    panel.execute(Sql::new("UPDATE users SET grade_id = ? WHERE id <= 12").bind(id)).await;
    let refused = panel.post_step(&format!("/api/v1/admin/grades/{id}"), "archive").await;
    assert_eq!(refused.status_and_code(), (409, "grade_in_use".into()));
    assert!(refused.text.contains("customers: Customer 1 (1), Customer 2 (2)"), "{}", refused.text);
    assert!(refused.text.contains("Customer 10 (10) and 2 more"), "{}", refused.text);
    let page = panel
        .post_data("/api/v1/admin/panel-pages", json!({ "name": "Questions", "route_name": "faq" }))
        .await;
    let page = format!("/api/v1/admin/panel-pages/{}", page["id"]);
    let item =
        panel.post_data("/api/v1/admin/panel-menu-items", json!({ "name": "Help", "url": "/faq" })).await;
    let refused = panel.post_step(&page, "archive").await;
    assert_eq!(refused.status_and_code(), (409, "page_in_use".into()));
    assert!(refused.text.contains("menu items: Help ("), "{}", refused.text);
    assert_eq!(
        panel.post_step(&format!("/api/v1/admin/panel-menu-items/{}", item["id"]), "archive").await.status,
        200
    );
    let deleted = panel.post_step(&page, "archive").await;
    assert_eq!(deleted.status, 200, "{}", deleted.text);
    panel.execute(Sql::new("INSERT INTO external_panels (id, name, endpoint, created_at, updated_at) VALUES (7, 'North', 'https://north.example/api/v2', 1, 1)")).await;
    panel
        .execute(Sql::new(
            "UPDATE providers SET external_panel_id = 7, external_panel_service_id = '3' WHERE id = 1",
        ))
        .await;
    let north = "/api/v1/admin/external-panels/7";
    let refused = panel.post_step(north, "archive").await;
    assert_eq!(refused.status_and_code(), (409, "external_panel_in_use".into()));
    assert!(refused.text.contains("providers: Provider 1 (1)"), "{}", refused.text);
    assert_eq!(panel.get_data(north).await["actions"]["archivable"], false);
}

async fn an_external_panel_that_a_setting_names_cannot_be_archived(dialect: Dialect) {
    let panel = Panel::shop(dialect, 3, 0).await;
    panel.execute(Sql::new("INSERT INTO external_panels (id, name, endpoint, created_at, updated_at) VALUES (7, 'North', 'https://north.example/api/v2', 1, 1), (77, 'South', 'https://south.example/api/v2', 1, 1)")).await;
    let set = async |value: Value| {
        panel.post("/api/v1/admin/settings", &json!({ "social_value_external_panel_id": value })).await
    };
    assert_eq!(set(json!(77)).await.status, 200);
    let (north, south) = ("/api/v1/admin/external-panels/7", "/api/v1/admin/external-panels/77");
    assert_eq!(panel.get_data(south).await["actions"]["archivable"], false);
    let refused = panel.post_step(south, "archive").await;
    assert_eq!(refused.status_and_code(), (409, "external_panel_in_use".into()));
    assert!(refused.text.contains("panel settings: social_value_external_panel_id."), "{}", refused.text);
    assert_eq!(panel.post_step(north, "archive").await.status, 200, "7 is not 77");
    let archived = set(json!(7)).await;
    assert_eq!(archived.status, 422, "{}", archived.text);
    assert!(archived.json()["errors"]["social_value_external_panel_id"].is_array(), "{}", archived.text);
    assert_eq!(set(Value::Null).await.status, 200);
    assert_eq!(panel.get_data(south).await["actions"]["archivable"], true);
    assert_eq!(panel.post_step(south, "archive").await.status, 200);
}

impl Panel {
    /// Adds network 2 with service type 2, and service type 3 to network 1.
    async fn add_network_and_types(&self) {
        for sql in [
            "INSERT INTO networks (id, name, created_at, updated_at) VALUES (2, 'Music', 1, 1)",
            "INSERT INTO service_types (id, network_id, name, created_at, updated_at) VALUES (2, 2, 'Plays', 1, 1), (3, 1, 'Likes', 1, 1)",
        ] {
            self.execute(Sql::new(sql)).await;
        }
    }

    async fn delete_offer(&self, path: &str) {
        assert_eq!(self.post_step(path, "archive").await.status, 200);
        let deleted = self.send("owner", "DELETE", path, &json!({}), None).await;
        assert!(deleted.status.is_success(), "{}", deleted.text);
    }

    async fn change_type(&self, network: i64) -> Answer {
        let body = json!({ "panel_service_type": { "network": network } });
        self.put("/api/v1/admin/service-types/1", &body).await
    }
}

/// A move is refused while a package, an offer or an import rule uses the type or service in its current network.
async fn a_service_type_in_use_cannot_move_to_another_network(dialect: Dialect) {
    let panel = Panel::shop(dialect, 3, 0).await;
    panel.add_network_and_types().await;
    let mut starter = package_body();
    starter["service_type_id"] = json!(1);
    let package_path = format!("{PACKAGES}/{}", panel.post_data(PACKAGES, starter).await["id"]);
    let offer_of_type = json!({ "name": "Types", "network_id": 1, "place": "home_page", "position": "second", "service_types": [1] });
    let offer_of_type = format!("{OFFERS}/{}", panel.post_data(OFFERS, offer_of_type).await["id"]);
    let offer_of_service = format!("{OFFERS}/{}", panel.post_data(OFFERS, offer_body()).await["id"]);
    for sql in [
        "INSERT INTO external_panels (id, name, endpoint, created_at, updated_at) VALUES (7, 'North', 'https://north.example/api/v2', 1, 1)",
        "INSERT INTO import_rules (external_panel_id, network_id, service_type_id, created_at, updated_at) VALUES (7, 1, 1, 1, 1)",
    ] {
        panel.execute(Sql::new(sql)).await;
    }
    let refused = panel.change_type(2).await;
    assert_eq!(refused.status_and_code(), (409, "service_type_in_use".into()));
    for use_text in [
        "packages: Starter (",
        "special offers: Types (",
        "Hot (",
        "rules by which new services are imported: North (7)",
        "before you move it to another network",
    ] {
        assert!(refused.text.contains(use_text), "{use_text}: {}", refused.text);
    }
    // A service can move to another type of its network, but not to a type of another network.
    assert_eq!(panel.put(SERVICE, &json!({ "service_type_id": 3 })).await.status, 200);
    let refused = panel.put(SERVICE, &json!({ "service_type_id": 2 })).await;
    assert_eq!(refused.status_and_code(), (409, "service_in_use".into()));
    assert!(refused.text.contains("special offers: Hot ("), "{}", refused.text);
    // Records that already mix two networks can still change their other fields.
    panel.execute(Sql::new("UPDATE service_types SET network_id = 2 WHERE id IN (1, 3)")).await;
    for path in [&package_path, &offer_of_type, &offer_of_service] {
        let renamed = panel.put(path, &json!({ "name": "Renamed" })).await;
        assert_eq!(renamed.status, 200, "{path}: {}", renamed.text);
    }
    let placed = panel.put(&package_path, &json!({ "network_id": 2 })).await;
    assert_eq!(placed.status, 200, "{}", placed.text);
    let placed = panel.put(&package_path, &json!({ "network_id": 1 })).await;
    assert!(placed.json()["errors"]["service_type_id"].is_array(), "{}", placed.text);
    for (path, change) in [
        (&package_path, json!({ "service_type_id": null })),
        (&offer_of_type, json!({ "service_types": [], "services": [2], "network_id": 2 })),
        (&offer_of_service, json!({ "services": [2], "network_id": 2 })),
    ] {
        let changed = panel.put(path, &change).await;
        assert_eq!(changed.status, 200, "{path}: {}", changed.text);
    }
    panel.execute(Sql::new("DELETE FROM import_rules")).await;
    assert_eq!(panel.put(SERVICE, &json!({ "service_type_id": 1 })).await.status, 200);
    let refused = panel.change_type(1).await;
    assert_eq!(refused.status_and_code(), (409, "service_type_in_use".into()));
    for path in [&offer_of_type, &offer_of_service] {
        panel.delete_offer(path).await;
    }
    assert_eq!(panel.change_type(1).await.status, 200);
}

async fn of_a_concurrent_offer_and_service_move_one_succeeds(dialect: Dialect) {
    let panel = Panel::shop(dialect, 3, 0).await;
    panel.add_network_and_types().await;
    for _ in 0..10 {
        let (body, other_type) = (offer_body(), json!({ "service_type_id": 2 }));
        let (created, move_answer) = join(panel.post(OFFERS, &body), panel.put(SERVICE, &other_type)).await;
        match (created.status.as_u16(), move_answer.status.as_u16()) {
            (200, 409) => {
                panel.delete_offer(&format!("{OFFERS}/{}", created.json()["data"]["id"])).await;
            }
            (422, 200) => {
                assert_eq!(panel.put(SERVICE, &json!({ "service_type_id": 1 })).await.status, 200)
            }
            other => panic!("{other:?}: {} {}", created.text, move_answer.text),
        }
    }
}

async fn errors_name_the_uses_of_a_quest_and_a_payment_method(dialect: Dialect) {
    let panel = Panel::shop(dialect, 3, 0).await;
    let quest_id = panel.post_data(QUESTS, quest_body()).await["id"].clone();
    let path = format!("{QUESTS}/{quest_id}");
    let request = Sql::new(
        "INSERT INTO free_trials (id, free_trial_quest_id, user_id, name, url, quantity, status, created_at)
         VALUES (7, ?, 1, 'Try', 'https://v.example/', 100, 'pending', 1)",
    );
    panel.execute(request.bind(quest_id.as_i64().unwrap())).await;
    assert_eq!(panel.get_data(&path).await["actions"]["archivable"], false);
    let refused = panel.post_step(&path, "archive").await;
    assert_eq!(refused.status_and_code(), (409, "quest_in_use".into()));
    assert!(refused.text.contains("pending free-trial requests: Try (7)"), "{}", refused.text);
    panel.execute(Sql::new("UPDATE free_trials SET status = 'rejected'")).await;
    assert_eq!(panel.post_step(&path, "archive").await.status, 200);
    // A widget can lose a method while another of its methods is enabled, but not its last one.
    add_payment_methods(&panel).await;
    let body = json!({ "name": "Blog", "user_id": 2, "payment_methods": [2, 1] });
    let widget = panel.post_data("/api/v1/admin/order-widgets", body).await["id"].clone();
    let method = |id: i64| format!("/api/v1/admin/payment-methods/{id}");
    assert_eq!(panel.post_step(&method(1), "disable").await.status, 200);
    assert_eq!(panel.get_data(&method(2)).await["actions"]["disable"], false);
    let refused = panel.post_step(&method(2), "disable").await;
    assert_eq!(refused.status_and_code(), (409, "payment_method_in_use".into()));
    assert!(
        refused.text.contains(&format!("order widgets without another method: Blog ({widget})")),
        "{}",
        refused.text
    );
    assert_eq!(panel.post_step(&method(1), "enable").await.status, 200);
    assert_eq!(panel.get_data(&method(2)).await["actions"]["disable"], true);
    assert_eq!(panel.post_step(&method(2), "disable").await.status, 200);
}

async fn of_a_concurrent_promotion_and_service_archival_one_succeeds(dialect: Dialect) {
    let panel = Panel::shop(dialect, 3, 0).await;
    let promotions = "/api/v1/admin/auto-promotions";
    for _ in 0..20 {
        let (body, empty) = (json!({ "services": [PLAIN] }), json!({}));
        let (archive, services) = (format!("{SERVICE}/archive"), format!("{promotions}/services"));
        let (created, archived) = join(panel.post(&services, &body), panel.post(&archive, &empty)).await;
        match (created.status.as_u16(), archived.status.as_u16()) {
            (200, 409) => {
                let record_path = format!("{promotions}/{}", created.json()["data"][0]["id"]);
                let deleted =
                    panel.call("127.0.0.1", Some("owner"), "DELETE", &record_path, &Value::Null).await;
                assert_eq!(deleted.status, 204, "{}", deleted.text);
            }
            (422, 200) => assert_eq!(panel.post_step(SERVICE, "unarchive").await.status, 200),
            other => panic!("{other:?}: {} {}", created.text, archived.text),
        }
    }
}

/// A drip-feed of an archived service would never order anything.
async fn of_a_concurrent_drip_feed_and_service_archival_one_succeeds(dialect: Dialect) {
    let panel = Panel::shop(dialect, 3, 0).await;
    panel.execute(Sql::new("UPDATE services SET drip_feed_is_allowed = TRUE WHERE id = 1")).await;
    for attempt in 0..20 {
        let (archive, empty) = (format!("{SERVICE}/archive"), json!({}));
        let start = async {
            let ctx = Ctx::system(panel.app.clone(), "test");
            let mut work = ctx.begin().await.unwrap();
            let new = NewDripFeed {
                user_id: UserId::new(1),
                service_id: PLAIN,
                url: format!("https://video.example/{attempt}"),
                quantity: 100,
                runs: 2,
                minutes_between_runs: 60,
                paying_balance: BalanceType::Main,
                country: None,
                targets: Vec::new(),
            };
            let id = run::start(&mut work, &new).await.ok()?;
            work.finish(()).await.ok()?;
            Some(id)
        };
        let (started, archived) = join(start, panel.post(&archive, &empty)).await;
        assert!(started.is_some() != (archived.status == 200), "{started:?}: {}", archived.text);
        panel.execute(Sql::new("UPDATE drip_feeds SET status = 'canceled'")).await;
        if archived.status == 200 {
            assert_eq!(panel.post_step(SERVICE, "unarchive").await.status, 200);
        }
    }
}

/// The second of the two requests is refused: no active package contains an archived service.
async fn of_a_concurrent_package_and_service_archival_one_succeeds(dialect: Dialect) {
    let panel = Panel::shop(dialect, 3, 0).await;
    for _ in 0..20 {
        let (body, empty) = (package_body(), json!({}));
        let archive = format!("{SERVICE}/archive");
        let (created, archived) = join(panel.post(PACKAGES, &body), panel.post(&archive, &empty)).await;
        match (created.status.as_u16(), archived.status.as_u16()) {
            (200, 409) => {
                let record_path = format!("{PACKAGES}/{}", created.json()["data"]["id"]);
                assert_eq!(panel.post_step(&record_path, "archive").await.status, 200);
            }
            (422, 200) => assert_eq!(panel.post_step(SERVICE, "unarchive").await.status, 200),
            other => panic!("{other:?}: {} {}", created.text, archived.text),
        }
    }
}
