//! What is in use is not archived or deleted, every use is named, and nothing archived comes into use again.

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
use crate::withdrawals::methods;

both! {
    each_use_of_a_service_is_named_and_its_button_agrees;
    an_archived_service_comes_into_no_use;
    an_undo_brings_no_archived_service_into_use;
    an_answered_target_goes_with_the_last_open_order;
    panels_grades_and_pages_name_their_uses;
    a_panel_of_the_settings_is_not_archived;
    what_is_of_a_network_keeps_its_types_and_services_there;
    an_offer_and_a_move_at_the_same_moment_leave_one;
    a_quest_and_a_payment_method_name_their_uses;
    a_use_and_an_archive_at_the_same_moment_leave_one;
    a_promotion_and_an_archive_at_the_same_moment_leave_one;
    what_recurs_and_an_archive_at_the_same_moment_leave_one;
}

const SERVICE: &str = "/api/v1/admin/services/1";
const PACKAGES: &str = "/api/v1/admin/packages";
const OFFERS: &str = "/api/v1/admin/special-offers";
const DISCOUNTS: &str = "/api/v1/admin/discounts";
const QUESTS: &str = "/api/v1/admin/free-trial-quests";

impl Panel {
    async fn step(&self, path: &str, what: &str) -> Answer {
        self.post(&format!("{path}/{what}"), &json!({})).await
    }

    /// Archives service 1 behind the back of its uses.
    async fn archive_service(&self, away: bool) {
        self.exec(Sql::new("UPDATE services SET is_archived = ? WHERE id = 1").bind(away)).await;
    }
}

fn package() -> Value {
    json!({ "name": "Starter", "network_id": 1, "package_contents": [{ "id": PLAIN, "quantity": 1_000 }] })
}

fn offer() -> Value {
    json!({ "name": "Hot", "network_id": 1, "place": "home_page", "position": "second", "services": [PLAIN] })
}

fn discount() -> Value {
    let from = Time(NOW - 1_000_000).to_string();
    json!({ "name": "Sale", "valid_from": from, "services": [{ "id": PLAIN, "discount_percent": "0.1" }] })
}

fn quest() -> Value {
    json!({ "translations": { "en": { "name": "Post" } }, "service_id": PLAIN, "quantity": 100 })
}

async fn each_use_of_a_service_is_named_and_its_button_agrees(dialect: Dialect) {
    let panel = Panel::shop(dialect, 3, 0).await;
    let is_archivable = async || panel.data(SERVICE).await["actions"]["archivable"] == true;
    assert!(is_archivable().await);
    for (path, body, end, kind) in [
        (PACKAGES, package(), "archive", "packages: Starter ("),
        (OFFERS, offer(), "archive", "special offers: Hot ("),
        (DISCOUNTS, discount(), "complete", "discounts: Sale ("),
        (DISCOUNTS, discount(), "archive", "discounts: Sale ("),
        (QUESTS, quest(), "archive", "quests: Post ("),
    ] {
        let id = panel.made(path, body).await["id"].clone();
        let refused = panel.step(SERVICE, "archive").await;
        assert_eq!(refused.says(), (409, "service_in_use".into()), "{path}");
        assert!(refused.text.contains(kind), "{path}: {}", refused.text);
        assert!(!is_archivable().await, "{path}");
        let one = format!("{path}/{id}");
        assert_eq!(panel.step(&one, end).await.status, 200, "{path}");
        assert!(is_archivable().await, "{path} {end}: it is no use any more");
    }
    let drip = "INSERT INTO drip_feeds (id, name, url, status, user_id, service_id, quantity, runs, minutes_between_runs, price, cost, created_at, updated_at)
      VALUES (1, 'Slow', 'https://v.example/', 'in_processing', 1, 1, 100, 2, 60, 0, 0, 1, 1)";
    let channel = "INSERT INTO subscriptions (id, name, url, type, user_id, status, billing_type, contents_limit, created_at, updated_at)
      VALUES (1, 'Channel', 'https://v.example/', 'channel', 1, 'in_processing', 'per_content', 5, 1, 1)";
    let gets = "INSERT INTO subscription_services (subscription_id, service_id, quantity) VALUES (1, 1, 100)";
    for sql in [drip, channel, gets] {
        panel.exec(Sql::new(sql)).await;
    }
    let refused = panel.step(SERVICE, "archive").await;
    assert!(refused.text.contains("drip-feeds in progress: Slow (1)"), "{}", refused.text);
    assert!(refused.text.contains("subscriptions in progress: Channel (1)"), "{}", refused.text);
    assert!(!is_archivable().await);
    panel.exec(Sql::new("UPDATE drip_feeds SET status = 'canceled'")).await;
    assert!(!is_archivable().await);
    panel.exec(Sql::new("UPDATE subscriptions SET status = 'completed'")).await;
    assert!(is_archivable().await);
    assert_eq!(panel.step(SERVICE, "archive").await.status, 200);
}

async fn an_archived_service_comes_into_no_use(dialect: Dialect) {
    let panel = Panel::shop(dialect, 3, 0).await;
    for (path, body, field) in [
        (PACKAGES, package(), "package_contents.0.id"),
        (OFFERS, offer(), "services.0"),
        (DISCOUNTS, discount(), "services.0.id"),
        (QUESTS, quest(), "service_id"),
    ] {
        panel.archive_service(true).await;
        let refused = panel.post(path, &body).await;
        assert_eq!(refused.status, 422, "{path}: {}", refused.text);
        assert!(refused.json()["errors"][field].is_array(), "{path}: {}", refused.text);
        panel.archive_service(false).await;
        let made = panel.made(path, body).await;
        let one = format!("{path}/{}", made["id"]);
        assert_eq!(panel.step(&one, "archive").await.status, 200, "{path}");
        assert_eq!(panel.step(SERVICE, "archive").await.status, 200, "{path}: what is archived is no use");
        let back = panel.step(&one, "unarchive").await;
        assert_eq!(back.says(), (409, "service_archived".into()), "{path}");
        assert!(back.text.contains("Service 1 (1)"), "{path}: {}", back.text);
        assert_eq!(panel.step(SERVICE, "unarchive").await.status, 200);
        assert_eq!(panel.step(&one, "unarchive").await.status, 200, "{path}");
        // What it had before it may keep.
        panel.archive_service(true).await;
        if path == OFFERS || path == DISCOUNTS {
            let kept = panel.renew(&one, &json!({ "name": "Other" })).await;
            assert_eq!(kept.status, 200, "{path}: {}", kept.text);
        }
        panel.archive_service(false).await;
        assert_eq!(panel.step(&one, "archive").await.status, 200, "{path}");
    }
    // A discount that is over takes nothing off any service.
    let over = format!("{DISCOUNTS}/{}", panel.made(DISCOUNTS, discount()).await["id"]);
    for what in ["complete", "archive"] {
        assert_eq!(panel.step(&over, what).await.status, 200);
    }
    panel.archive_service(true).await;
    assert_eq!(panel.step(&over, "unarchive").await.json()["data"]["status"], "completed");
}

async fn an_undo_brings_no_archived_service_into_use(dialect: Dialect) {
    let panel = Panel::shop(dialect, 3, 0).await;
    let undo = async |answer: &Answer| {
        let body = json!({ "request_id": answer.json()["undo"]["request_id"] });
        panel.post("/api/v1/admin/undo", &body).await
    };
    for (path, body) in [(PACKAGES, package()), (OFFERS, offer()), (DISCOUNTS, discount()), (QUESTS, quest())]
    {
        let one = format!("{path}/{}", panel.made(path, body).await["id"]);
        let archived = panel.step(&one, "archive").await;
        assert_eq!(panel.step(SERVICE, "archive").await.status, 200);
        assert_eq!(undo(&archived).await.says(), (409, "undo_conflict".into()), "{path}");
        let restored = panel.step(SERVICE, "unarchive").await;
        assert_eq!(panel.step(&one, "unarchive").await.status, 200);
        assert_eq!(undo(&restored).await.says(), (409, "undo_conflict".into()), "{path} uses it again");
        assert_eq!(panel.step(&one, "archive").await.status, 200);
    }
}

async fn an_answered_target_goes_with_the_last_open_order(dialect: Dialect) {
    let panel = Panel::shop(dialect, 3, 0).await;
    let targets = "/api/v1/admin/targets";
    let target = json!({ "name": "Countries", "target_type_id": 1, "selectable_values": ["DE", "FR"] });
    let id = panel.made(targets, target).await["id"].clone();
    assert_eq!(panel.renew(SERVICE, &json!({ "targets": [id] })).await.status, 200);
    let plain = NewOrder::plain(UserId::new(1), PLAIN, "https://video.example/1", 100);
    let placed = panel.place(&NewOrder { targets: vec![("Countries".into(), "DE".into())], ..plain }).await;
    assert_eq!(placed.status, OrderStatus::InProcessing);
    assert_eq!(panel.renew(SERVICE, &json!({ "targets": [] })).await.status, 200);
    let one = format!("{targets}/{id}");
    let delete = async || panel.call("127.0.0.1", Some("owner"), "DELETE", &one, &Value::Null).await;
    let refused = delete().await;
    assert_eq!(refused.says(), (409, "target_in_use".into()));
    assert!(refused.text.contains("orders that are not finished: Service 1 ("), "{}", refused.text);
    let done = panel.step(&format!("/api/v1/admin/orders/{}", placed.id), "complete").await;
    assert_eq!(done.status, 200, "{}", done.text);
    let gone = delete().await;
    assert_eq!(gone.status, 204, "{}", gone.text);
    let order = panel.order(placed.id).await.to_string();
    assert!(order.contains("Countries") && order.contains("\"DE\""), "{order}");
}

async fn panels_grades_and_pages_name_their_uses(dialect: Dialect) {
    let panel = Panel::shop(dialect, 15, 0).await;
    let grade =
        panel.made("/api/v1/admin/grades", json!({ "translations": { "en": { "name": "Gold" } } })).await;
    let id = grade["id"].as_i64().unwrap();
    panel.exec(Sql::new("UPDATE users SET grade_id = ? WHERE id <= 12").bind(id)).await;
    let refused = panel.step(&format!("/api/v1/admin/grades/{id}"), "archive").await;
    assert_eq!(refused.says(), (409, "grade_in_use".into()));
    assert!(refused.text.contains("customers: Customer 1 (1), Customer 2 (2)"), "{}", refused.text);
    assert!(refused.text.contains("Customer 10 (10) and 2 more"), "{}", refused.text);
    let page =
        panel.made("/api/v1/admin/panel-pages", json!({ "name": "Questions", "route_name": "faq" })).await;
    let page = format!("/api/v1/admin/panel-pages/{}", page["id"]);
    let item = panel.made("/api/v1/admin/panel-menu-items", json!({ "name": "Help", "url": "/faq" })).await;
    let refused = panel.step(&page, "archive").await;
    assert_eq!(refused.says(), (409, "page_in_use".into()));
    assert!(refused.text.contains("menu items: Help ("), "{}", refused.text);
    assert_eq!(
        panel.step(&format!("/api/v1/admin/panel-menu-items/{}", item["id"]), "archive").await.status,
        200
    );
    let gone = panel.step(&page, "archive").await;
    assert_eq!(gone.status, 200, "{}", gone.text);
    panel.exec(Sql::new("INSERT INTO external_panels (id, name, endpoint, created_at, updated_at) VALUES (7, 'North', 'https://north.example/api/v2', 1, 1)")).await;
    panel
        .exec(Sql::new(
            "UPDATE providers SET external_panel_id = 7, external_panel_service_id = '3' WHERE id = 1",
        ))
        .await;
    let north = "/api/v1/admin/external-panels/7";
    let refused = panel.step(north, "archive").await;
    assert_eq!(refused.says(), (409, "external_panel_in_use".into()));
    assert!(refused.text.contains("providers: Provider 1 (1)"), "{}", refused.text);
    assert_eq!(panel.data(north).await["actions"]["archivable"], false);
}

async fn a_panel_of_the_settings_is_not_archived(dialect: Dialect) {
    let panel = Panel::shop(dialect, 3, 0).await;
    panel.exec(Sql::new("INSERT INTO external_panels (id, name, endpoint, created_at, updated_at) VALUES (7, 'North', 'https://north.example/api/v2', 1, 1), (77, 'South', 'https://south.example/api/v2', 1, 1)")).await;
    let set = async |value: Value| {
        panel.post("/api/v1/admin/settings", &json!({ "social_value_external_panel_id": value })).await
    };
    assert_eq!(set(json!(77)).await.status, 200);
    let (north, south) = ("/api/v1/admin/external-panels/7", "/api/v1/admin/external-panels/77");
    assert_eq!(panel.data(south).await["actions"]["archivable"], false);
    let refused = panel.step(south, "archive").await;
    assert_eq!(refused.says(), (409, "external_panel_in_use".into()));
    assert!(refused.text.contains("panel settings: social_value_external_panel_id."), "{}", refused.text);
    assert_eq!(panel.step(north, "archive").await.status, 200, "7 is not 77");
    let archived = set(json!(7)).await;
    assert_eq!(archived.status, 422, "{}", archived.text);
    assert!(archived.json()["errors"]["social_value_external_panel_id"].is_array(), "{}", archived.text);
    assert_eq!(set(Value::Null).await.status, 200);
    assert_eq!(panel.data(south).await["actions"]["archivable"], true);
    assert_eq!(panel.step(south, "archive").await.status, 200);
}

impl Panel {
    /// A second network with a service type of its own, and a second type of the first network.
    async fn networks(&self) {
        for sql in [
            "INSERT INTO networks (id, name, created_at, updated_at) VALUES (2, 'Music', 1, 1)",
            "INSERT INTO service_types (id, network_id, name, created_at, updated_at) VALUES (2, 2, 'Plays', 1, 1), (3, 1, 'Likes', 1, 1)",
        ] {
            self.exec(Sql::new(sql)).await;
        }
    }

    async fn delete_offer(&self, path: &str) {
        assert_eq!(self.step(path, "archive").await.status, 200);
        let gone = self.send("owner", "DELETE", path, &json!({}), None).await;
        assert!(gone.status.is_success(), "{}", gone.text);
    }

    async fn change_type(&self, network: i64) -> Answer {
        let body = json!({ "panel_service_type": { "network": network } });
        self.renew("/api/v1/admin/service-types/1", &body).await
    }
}

/// A move leaves no package, offer or rule with what is of another network.
async fn what_is_of_a_network_keeps_its_types_and_services_there(dialect: Dialect) {
    let panel = Panel::shop(dialect, 3, 0).await;
    panel.networks().await;
    let mut starter = package();
    starter["service_type_id"] = json!(1);
    let package = format!("{PACKAGES}/{}", panel.made(PACKAGES, starter).await["id"]);
    let offer_of_type = json!({ "name": "Types", "network_id": 1, "place": "home_page", "position": "second", "service_types": [1] });
    let offer_of_type = format!("{OFFERS}/{}", panel.made(OFFERS, offer_of_type).await["id"]);
    let offer_of_service = format!("{OFFERS}/{}", panel.made(OFFERS, offer()).await["id"]);
    for sql in [
        "INSERT INTO external_panels (id, name, endpoint, created_at, updated_at) VALUES (7, 'North', 'https://north.example/api/v2', 1, 1)",
        "INSERT INTO import_rules (external_panel_id, network_id, service_type_id, created_at, updated_at) VALUES (7, 1, 1, 1, 1)",
    ] {
        panel.exec(Sql::new(sql)).await;
    }
    let refused = panel.change_type(2).await;
    assert_eq!(refused.says(), (409, "service_type_in_use".into()));
    for used in [
        "packages: Starter (",
        "special offers: Types (",
        "Hot (",
        "rules by which new services are imported: North (7)",
        "before you move it to another network",
    ] {
        assert!(refused.text.contains(used), "{used}: {}", refused.text);
    }
    // A service goes to another type of its network, and not to one of another.
    assert_eq!(panel.renew(SERVICE, &json!({ "service_type_id": 3 })).await.status, 200);
    let refused = panel.renew(SERVICE, &json!({ "service_type_id": 2 })).await;
    assert_eq!(refused.says(), (409, "service_in_use".into()));
    assert!(refused.text.contains("special offers: Hot ("), "{}", refused.text);
    // Where it happened before, the others of their fields still change.
    panel.exec(Sql::new("UPDATE service_types SET network_id = 2 WHERE id IN (1, 3)")).await;
    for path in [&package, &offer_of_type, &offer_of_service] {
        let renamed = panel.renew(path, &json!({ "name": "Renamed" })).await;
        assert_eq!(renamed.status, 200, "{path}: {}", renamed.text);
    }
    let placed = panel.renew(&package, &json!({ "network_id": 2 })).await;
    assert_eq!(placed.status, 200, "{}", placed.text);
    let placed = panel.renew(&package, &json!({ "network_id": 1 })).await;
    assert!(placed.json()["errors"]["service_type_id"].is_array(), "{}", placed.text);
    for (path, change) in [
        (&package, json!({ "service_type_id": null })),
        (&offer_of_type, json!({ "service_types": [], "services": [2], "network_id": 2 })),
        (&offer_of_service, json!({ "services": [2], "network_id": 2 })),
    ] {
        let changed = panel.renew(path, &change).await;
        assert_eq!(changed.status, 200, "{path}: {}", changed.text);
    }
    panel.exec(Sql::new("DELETE FROM import_rules")).await;
    assert_eq!(panel.renew(SERVICE, &json!({ "service_type_id": 1 })).await.status, 200);
    let refused = panel.change_type(1).await;
    assert_eq!(refused.says(), (409, "service_type_in_use".into()));
    for path in [&offer_of_type, &offer_of_service] {
        panel.delete_offer(path).await;
    }
    assert_eq!(panel.change_type(1).await.status, 200);
}

async fn an_offer_and_a_move_at_the_same_moment_leave_one(dialect: Dialect) {
    let panel = Panel::shop(dialect, 3, 0).await;
    panel.networks().await;
    for _ in 0..10 {
        let (body, there) = (offer(), json!({ "service_type_id": 2 }));
        let (made, moved) = join(panel.post(OFFERS, &body), panel.renew(SERVICE, &there)).await;
        match (made.status.as_u16(), moved.status.as_u16()) {
            (200, 409) => {
                panel.delete_offer(&format!("{OFFERS}/{}", made.json()["data"]["id"])).await;
            }
            (422, 200) => {
                assert_eq!(panel.renew(SERVICE, &json!({ "service_type_id": 1 })).await.status, 200)
            }
            other => panic!("{other:?}: {} {}", made.text, moved.text),
        }
    }
}

async fn a_quest_and_a_payment_method_name_their_uses(dialect: Dialect) {
    let panel = Panel::shop(dialect, 3, 0).await;
    let quest = panel.made(QUESTS, quest()).await["id"].clone();
    let path = format!("{QUESTS}/{quest}");
    let request = Sql::new(
        "INSERT INTO free_trials (id, free_trial_quest_id, user_id, name, url, quantity, status, created_at)
         VALUES (7, ?, 1, 'Try', 'https://v.example/', 100, 'pending', 1)",
    );
    panel.exec(request.bind(quest.as_i64().unwrap())).await;
    assert_eq!(panel.data(&path).await["actions"]["archivable"], false);
    let refused = panel.step(&path, "archive").await;
    assert_eq!(refused.says(), (409, "quest_in_use".into()));
    assert!(refused.text.contains("pending free-trial requests: Try (7)"), "{}", refused.text);
    panel.exec(Sql::new("UPDATE free_trials SET status = 'rejected'")).await;
    assert_eq!(panel.step(&path, "archive").await.status, 200);
    // A widget leaves out a method that is off; the last one that is on stays.
    methods(&panel).await;
    let body = json!({ "name": "Blog", "user_id": 2, "payment_methods": [2, 1] });
    let widget = panel.made("/api/v1/admin/order-widgets", body).await["id"].clone();
    let method = |id: i64| format!("/api/v1/admin/payment-methods/{id}");
    assert_eq!(panel.step(&method(1), "disable").await.status, 200);
    assert_eq!(panel.data(&method(2)).await["actions"]["disable"], false);
    let refused = panel.step(&method(2), "disable").await;
    assert_eq!(refused.says(), (409, "payment_method_in_use".into()));
    assert!(
        refused.text.contains(&format!("order widgets without another method: Blog ({widget})")),
        "{}",
        refused.text
    );
    assert_eq!(panel.step(&method(1), "enable").await.status, 200);
    assert_eq!(panel.data(&method(2)).await["actions"]["disable"], true);
    assert_eq!(panel.step(&method(2), "disable").await.status, 200);
}

async fn a_promotion_and_an_archive_at_the_same_moment_leave_one(dialect: Dialect) {
    let panel = Panel::shop(dialect, 3, 0).await;
    let promoted = "/api/v1/admin/auto-promotions";
    for _ in 0..20 {
        let (body, none) = (json!({ "services": [PLAIN] }), json!({}));
        let (archive, services) = (format!("{SERVICE}/archive"), format!("{promoted}/services"));
        let (made, archived) = join(panel.post(&services, &body), panel.post(&archive, &none)).await;
        match (made.status.as_u16(), archived.status.as_u16()) {
            (200, 409) => {
                let one = format!("{promoted}/{}", made.json()["data"][0]["id"]);
                let gone = panel.call("127.0.0.1", Some("owner"), "DELETE", &one, &Value::Null).await;
                assert_eq!(gone.status, 204, "{}", gone.text);
            }
            (422, 200) => assert_eq!(panel.step(SERVICE, "unarchive").await.status, 200),
            other => panic!("{other:?}: {} {}", made.text, archived.text),
        }
    }
}

/// A subscription and a drip-feed of an archived service would wait for ever.
async fn what_recurs_and_an_archive_at_the_same_moment_leave_one(dialect: Dialect) {
    let panel = Panel::shop(dialect, 3, 0).await;
    panel.exec(Sql::new("UPDATE services SET drip_feed_is_allowed = TRUE WHERE id = 1")).await;
    for at in 0..20 {
        let (archive, none) = (format!("{SERVICE}/archive"), json!({}));
        let start = async {
            let ctx = Ctx::system(panel.app.clone(), "test");
            let mut work = ctx.begin().await.unwrap();
            let new = NewDripFeed {
                user_id: UserId::new(1),
                service_id: PLAIN,
                url: format!("https://video.example/{at}"),
                quantity: 100,
                runs: 2,
                minutes_between_runs: 60,
                pays: BalanceType::Main,
                country: None,
                targets: Vec::new(),
            };
            let id = run::start(&mut work, &new).await.ok()?;
            work.finish(()).await.ok()?;
            Some(id)
        };
        let (started, archived) = join(start, panel.post(&archive, &none)).await;
        assert!(started.is_some() != (archived.status == 200), "{started:?}: {}", archived.text);
        panel.exec(Sql::new("UPDATE drip_feeds SET status = 'canceled'")).await;
        if archived.status == 200 {
            assert_eq!(panel.step(SERVICE, "unarchive").await.status, 200);
        }
    }
}

/// The first of the two wins and the other is refused: no running package has an archived service.
async fn a_use_and_an_archive_at_the_same_moment_leave_one(dialect: Dialect) {
    let panel = Panel::shop(dialect, 3, 0).await;
    for _ in 0..20 {
        let (body, none) = (package(), json!({}));
        let archive = format!("{SERVICE}/archive");
        let (made, archived) = join(panel.post(PACKAGES, &body), panel.post(&archive, &none)).await;
        match (made.status.as_u16(), archived.status.as_u16()) {
            (200, 409) => {
                let one = format!("{PACKAGES}/{}", made.json()["data"]["id"]);
                assert_eq!(panel.step(&one, "archive").await.status, 200);
            }
            (422, 200) => assert_eq!(panel.step(SERVICE, "unarchive").await.status, 200),
            other => panic!("{other:?}: {} {}", made.text, archived.text),
        }
    }
}
