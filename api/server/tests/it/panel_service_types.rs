//! Every service type of the reseller API from import to delivery: the targets that it needs are asked, the order is sent
//! with the right parameters and completed, and an order that lacks something is refused without a charge. The same where
//! the external panel is one of this product.

use std::collections::BTreeMap;
use std::sync::Arc;

use panel_contract::ids::ExternalPanelId;
use panel_contract::panel_service_types::PanelParameter as P;
use panel_contract::panel_service_types::PanelServiceType as T;
use panel_contract::panel_service_types::{PanelParameter, PanelServiceType, QuantitySource};
use panel_contract::permission::Permission;
use panel_demo::panel::FakePanel;
use panel_demo::panel::world::{Offer, World};
use panel_platform::db::{Dialect, Source as _, Sql};
use panel_server::operations::drip_feeds::run;
use panel_server::supply::dispatch;
use panel_server::supply::imports::sync;
use panel_server::supply::panels::seal;
use serde_json::{Value, json};

use crate::intake::{call, key, order_of};
use crate::panel::Panel;
use crate::served::Served;
use crate::shop;

both! {
    every_type_is_imported_sold_and_delivered;
    an_order_that_lacks_an_answer_is_refused_and_not_charged;
    what_a_type_does_not_take_is_refused_and_not_charged;
    what_cannot_be_sold_is_refused_at_import;
    what_cannot_be_imported_is_found_by_its_reason;
    a_panel_of_this_product_sells_the_same_types;
    answers_are_forwarded_where_the_panel_takes_them;
    a_provider_serves_only_services_that_ask_for_what_its_type_needs;
    a_type_that_changes_takes_the_service_off_sale;
    drip_feeds_and_subscriptions_ask_too;
    packages_ask_for_each_of_their_services;
    a_package_is_made_of_an_imported_one_and_follows_it;
}

const TOKEN: &str = "token-of-ours";
const IMPORT: &str = "/api/v1/admin/external-panels/import-services";
const ORDERS: &str = "/api/v1/admin/orders";

/// What an order of each type answers; every list has three lines, as three are ordered.
const CASES: [(PanelServiceType, &[(PanelParameter, &str)]); 16] = [
    (T::Default, &[]),
    (T::Package, &[]),
    (T::CustomComments, &[(P::Comments, "one\ntwo\nthree")]),
    (T::CustomCommentsPackage, &[(P::Comments, "one\ntwo\nthree")]),
    (T::CommentLikes, &[(P::Username, "@anna")]),
    (T::CommentReplies, &[(P::Username, "@anna"), (P::Comments, "one\ntwo\nthree")]),
    (T::Mentions, &[(P::Usernames, "anna\nben")]),
    (T::MentionsWithHashtags, &[(P::Usernames, "anna\nben"), (P::Hashtags, "red\nblue")]),
    (T::MentionsCustomList, &[(P::Usernames, "anna\nben\ncarl")]),
    (T::MentionsHashtag, &[(P::Hashtag, "red")]),
    (T::MentionsUserFollowers, &[(P::Username, "@anna")]),
    (T::MentionsMediaLikers, &[(P::Media, "https://photo.example/p/1")]),
    (T::Poll, &[(P::AnswerNumber, "2")]),
    (T::InvitesFromGroups, &[(P::Groups, "https://a.example\nhttps://b.example")]),
    (T::Seo, &[(P::Keywords, "shoes\nboots")]),
    (
        T::WebTraffic,
        &[(P::Country, "DE"), (P::Device, "4"), (P::TypeOfTraffic, "1"), (P::GoogleKeyword, "shoes")],
    ),
];

/// The id of a type's service at the fake panel.
fn there(kind: PanelServiceType) -> i64 {
    101 + i64::try_from(T::ALL.iter().position(|known| *known == kind).unwrap()).unwrap()
}

fn quantity(kind: PanelServiceType) -> i64 {
    if kind.is_package() { 1 } else { 3 }
}

async fn buyer(dialect: Dialect) -> Panel {
    let panel = Panel::with(dialect, |config| {
        config.outbound.allow_http = true;
        config.outbound.allowed_networks = vec!["127.0.0.0/8".parse().unwrap()];
        config.outbound.seconds = 5;
        config.outbound.panel_calls_per_second = 10_000;
    })
    .await;
    shop::fill(&panel.app.db, 3, 0).await;
    panel.staff("ada", &[Permission::ViewUsers, Permission::ManageApiKeys]).await;
    panel
}

/// Our panel with an external one of id 1, which sells a service of every type and one of an unknown type.
async fn panels(dialect: Dialect) -> (Panel, FakePanel) {
    let panel = buyer(dialect).await;
    let mut world = World::new(TOKEN);
    for kind in T::ALL {
        world.sell(there(*kind), Offer { kind: kind.as_str(), min: 1, ..Offer::plain(kind.as_str()) });
    }
    world.sell(200, Offer { kind: "Something New", ..Offer::plain("New") });
    let theirs = FakePanel::start(world, Arc::new(panel.clock.clone())).await.unwrap();
    panel.joined(&theirs.url, TOKEN).await;
    (panel, theirs)
}

impl Panel {
    async fn joined(&self, url: &str, token: &str) {
        let sealed = seal(&self.app, ExternalPanelId::new(1), token).unwrap();
        let sql = Sql::new(
            "INSERT INTO external_panels (id, name, endpoint, api_token_sealed, sync_services, created_at, updated_at) VALUES (1, 'Upstream', ?, ?, TRUE, 1, 1)",
        );
        self.exec(sql.bind(url).bind(sealed)).await;
        self.made("/api/v1/admin/external-panels/1/available-services", json!({})).await;
    }

    /// The panel's services by their types' words.
    async fn listed(&self) -> BTreeMap<String, i64> {
        let sql =
            Sql::new("SELECT type, id FROM external_panel_services WHERE gone_at IS NULL ORDER BY id DESC");
        (&mut &self.app.db).all::<(String, i64)>(sql).await.unwrap().into_iter().collect()
    }

    async fn import(&self, ids: &[i64]) -> Vec<i64> {
        let services: Vec<Value> = ids.iter().map(|id| json!({ "id": id })).collect();
        self.made(IMPORT, json!({ "external_panel_id": 1, "services": services, "service_type_id": 1 }))
            .await;
        let sql = Sql::new("SELECT id FROM services WHERE imported_provider_id IS NOT NULL ORDER BY id");
        (&mut &self.app.db).all::<(i64,)>(sql).await.unwrap().into_iter().map(|(id,)| id).collect()
    }

    /// Imports a service of every type that is sold; ours by type.
    async fn imported_types(&self) -> BTreeMap<PanelServiceType, i64> {
        let listed = self.listed().await;
        let ids: Vec<i64> = CASES.iter().map(|(kind, _)| listed[kind.as_str()]).collect();
        self.import(&ids).await;
        let sql =
            Sql::new("SELECT panel_service_type, id FROM services WHERE imported_provider_id IS NOT NULL");
        (&mut &self.app.db).all::<(PanelServiceType, i64)>(sql).await.unwrap().into_iter().collect()
    }

    async fn due(&self) {
        for _ in 0..50 {
            if dispatch::cycle(&self.app).await.unwrap() == 0 {
                return;
            }
        }
        panic!("there is always something due");
    }

    async fn main_balance(&self) -> i64 {
        self.number(Sql::new("SELECT balance_main FROM users WHERE id = 1")).await
    }

    fn staff_order(&self, service: i64, url: &str, quantity: i64, given: &[(PanelParameter, &str)]) -> Value {
        let targets: BTreeMap<&str, &str> = given.iter().map(|(one, text)| (one.texts().0, *text)).collect();
        json!({ "user_id": 1, "service_id": service, "url": url, "quantity": quantity, "targets": targets })
    }
}

fn link(kind: PanelServiceType, who: &str) -> String {
    format!("https://video.example/{}/{who}", there(kind))
}

fn fields(service: i64, link: &str, more: &str, given: &[(PanelParameter, &str)]) -> String {
    let given: String = given
        .iter()
        .map(|(one, text)| format!("&{one}={}", text.replace('\n', "%0A").replace('@', "%40")))
        .collect();
    format!("action=add&service={service}&link={link}{more}{given}")
}

/// What a program sends of the quantity: nothing where the type counts it by itself.
fn counted(kind: PanelServiceType) -> &'static str {
    if kind.quantity() == QuantitySource::Named { "&quantity=3" } else { "" }
}

/// Whether an order arrived with exactly what its type takes.
fn assert_sent(theirs: &FakePanel, kind: PanelServiceType, link: &str, given: &[(PanelParameter, &str)]) {
    let world = theirs.world();
    let sent = world
        .orders
        .values()
        .find(|order| order.link == link)
        .unwrap_or_else(|| panic!("{kind} was not sent"));
    let mut wanted: BTreeMap<&str, &str> = given.iter().map(|(one, text)| (one.as_str(), *text)).collect();
    let service = there(kind).to_string();
    wanted.extend([("action", "add"), ("service", service.as_str()), ("link", link)]);
    if kind.quantity() == QuantitySource::Named {
        wanted.insert("quantity", "3");
    }
    let fields: BTreeMap<&str, &str> =
        sent.fields.iter().map(|(name, text)| (name.as_str(), text.as_str())).collect();
    assert_eq!(fields, wanted, "{kind}");
}

async fn every_type_is_imported_sold_and_delivered(dialect: Dialect) {
    let (panel, theirs) = panels(dialect).await;
    let ours = panel.imported_types().await;
    assert_eq!(ours.len(), CASES.len());
    let key = key(&panel, 1).await;
    let sold = call(&panel, &key, "action=services").await;
    let mut placed = Vec::new();
    for (kind, given) in CASES {
        let id = ours[&kind];
        let shown = sold.as_array().unwrap().iter().find(|one| one["service"] == id).unwrap();
        assert_eq!((&shown["type"], &shown["rate"]), (&json!(kind), &json!("1")), "{kind}");
        assert!(shown.get("parameters").is_none(), "its type says it all: {shown}");
        let by_program = link(kind, "program");
        let said = call(&panel, &key, &fields(id, &by_program, counted(kind), given)).await;
        placed.push((kind, order_of(&said), by_program));
        let by_staff = link(kind, "staff");
        let made = panel.made(ORDERS, panel.staff_order(id, &by_staff, quantity(kind), given)).await;
        placed.push((kind, made["id"].as_i64().unwrap(), by_staff));
    }
    panel.due().await;
    for _ in 0..20 {
        panel.clock.advance_secs(60);
        panel.due().await;
    }
    for (kind, order, link) in placed {
        let given = CASES.iter().find(|case| case.0 == kind).unwrap().1;
        assert_sent(&theirs, kind, &link, given);
        assert_eq!(panel.order(order).await["status"], "completed", "{kind}");
    }
    panel.assert_healthy().await;
}

async fn an_order_that_lacks_an_answer_is_refused_and_not_charged(dialect: Dialect) {
    let (panel, theirs) = panels(dialect).await;
    let ours = panel.imported_types().await;
    let key = key(&panel, 1).await;
    let before = panel.main_balance().await;
    for (kind, given) in CASES {
        let (id, link) = (ours[&kind], link(kind, "x"));
        for missing in kind.required() {
            let rest: Vec<_> = given.iter().copied().filter(|(one, _)| one != missing).collect();
            let said = call(&panel, &key, &fields(id, &link, "&quantity=3", &rest)).await;
            assert!(said["error"].is_string(), "{kind} without {missing}: {said}");
            let refused = panel.post(ORDERS, &panel.staff_order(id, &link, quantity(kind), &rest)).await;
            assert_eq!(refused.status, 422, "{kind} without {missing}: {}", refused.text);
            let field = format!("targets.{}", missing.texts().0);
            assert!(refused.json()["errors"].get(&field).is_some(), "{}", refused.text);
        }
        if matches!(kind.quantity(), QuantitySource::LinesOf(_)) {
            let said = call(&panel, &key, &fields(id, &link, "&quantity=5", given)).await;
            assert!(
                said["error"].as_str().is_some_and(|words| words.contains("the text has 3")),
                "{kind}: {said}"
            );
        }
    }
    let visits = ours[&T::WebTraffic];
    let page = [(P::Country, "DE"), (P::Device, "4"), (P::TypeOfTraffic, "2")];
    let said = call(&panel, &key, &fields(visits, "https://a.example", "&quantity=3", &page)).await;
    assert!(said["error"].is_string(), "a page that visitors come from is missing: {said}");
    // Staff took the target away: what could not be delivered is not sold.
    panel.exec(Sql::new("DELETE FROM service_targets WHERE service_id = ?").bind(ours[&T::Poll])).await;
    let refused = panel.post(ORDERS, &panel.staff_order(ours[&T::Poll], "https://a.example", 3, &[])).await;
    assert!(refused.json()["errors"].get("service_id").is_some(), "{}", refused.text);
    assert_eq!((panel.main_balance().await, theirs.world().orders.len()), (before, 0));
    assert_eq!(panel.number(Sql::new("SELECT count(*) FROM orders")).await, 0);
}

/// Every type beside every parameter: what an order of it does not take is refused with the parameter's name.
async fn what_a_type_does_not_take_is_refused_and_not_charged(dialect: Dialect) {
    let (panel, theirs) = panels(dialect).await;
    let ours = panel.imported_types().await;
    panel.exec(Sql::new("UPDATE services SET drip_feed_is_allowed = TRUE, can_speedup = TRUE")).await;
    let key = key(&panel, 1).await;
    let before = panel.main_balance().await;
    let refused = async |fields: &str, part: &str| {
        let said = call(&panel, &key, fields).await;
        let why = said["error"].as_str().unwrap_or_default();
        assert!(why.contains(part), "{fields}: {said}");
    };
    let of_subscriptions = ["min", "max", "posts", "old_posts", "delay", "expiry", "period"];
    for (kind, given) in CASES {
        let add = fields(ours[&kind], &link(kind, "x"), counted(kind), given);
        for parameter in P::ALL.iter().filter(|one| !kind.takes(**one)) {
            let part = format!("This service takes no {parameter}");
            refused(&format!("{add}&{parameter}=1"), &part).await;
            refused(&format!("{add}&runs=2&interval=5&{parameter}=1"), &part).await;
        }
        refused(&format!("{add}&keyword=1"), "This service takes no keyword").await;
        for name in of_subscriptions {
            refused(&format!("{add}&{name}=1"), &format!("An order takes no {name}")).await;
        }
        for name in ["speedup", "guarantee", "child_id"] {
            let part = format!("An order with runs takes no {name}");
            refused(&format!("{add}&runs=2&interval=5&{name}=1"), &part).await;
            refused(&format!("{add}&{name}=-1"), &format!("Incorrect {name}")).await;
            refused(&format!("{add}&{name}=x"), &format!("Incorrect {name}")).await;
        }
        refused(&format!("{add}&runs=0"), "Incorrect runs").await;
        refused(&format!("{add}&runs=-2"), "Incorrect runs").await;
        if kind.is_package() {
            refused(&format!("{add}&quantity=3"), "sold one package at a time").await;
        }
    }
    let follow = format!("action=add&service={}&username=x&min=1&max=3", ours[&T::Default]);
    let others = [
        "runs",
        "interval",
        "coupon",
        "order_widget",
        "speedup",
        "guarantee",
        "customer_country",
        "child_id",
        "keyword",
    ];
    let answers = P::ALL.iter().filter(|one| **one != P::Username).map(|one| one.as_str());
    for name in others.into_iter().chain(answers) {
        refused(&format!("{follow}&{name}=1"), &format!("A subscription takes no {name}")).await;
    }
    assert_eq!((panel.main_balance().await, theirs.world().orders.len()), (before, 0));
    let written = "SELECT (SELECT count(*) FROM orders) + (SELECT count(*) FROM drip_feeds) + (SELECT count(*) FROM subscriptions)";
    assert_eq!(panel.number(Sql::new(written)).await, 0);
}

async fn a_provider_serves_only_services_that_ask_for_what_its_type_needs(dialect: Dialect) {
    let (panel, theirs) = panels(dialect).await;
    let ours = panel.imported_types().await;
    let provider_of = async |kind: PanelServiceType| {
        let sql = Sql::new("SELECT id FROM providers WHERE external_panel_service_id = ?");
        panel.number(sql.bind(there(kind).to_string())).await
    };
    let (plain, comments) = (provider_of(T::Default).await, provider_of(T::CustomComments).await);
    let service = |kind: PanelServiceType| format!("/api/v1/admin/services/{}", ours[&kind]);
    let put = async |path: &str, body: Value| panel.send("owner", "PUT", path, &body, None).await;
    let refused = put(&service(T::Default), json!({ "providers": [plain, comments] })).await;
    assert_eq!(refused.status, 422, "{}", refused.text);
    let why = refused.json()["errors"]["providers"][0].as_str().unwrap().to_owned();
    assert!(why.contains("Custom Comments and needs comments"), "{why}");
    let refused = put(
        &format!("/api/v1/admin/providers/{comments}"),
        json!({ "services": [ours[&T::CustomComments], ours[&T::Default]] }),
    )
    .await;
    assert_eq!(refused.status, 422, "{}", refused.text);
    assert!(refused.json()["errors"].get("services").is_some(), "{}", refused.text);
    // A service whose orders have comments may go to both.
    let both = put(&service(T::CustomComments), json!({ "providers": [comments, plain] })).await;
    assert_eq!(both.status, 200, "{}", both.text);
    assert_eq!(both.json()["data"]["panel_service_type"], "Custom Comments");
    let list = panel.get("/api/v1/admin/services?panel_service_type=Custom%20Comments").await.json();
    assert_eq!(list["data"][0]["panel_service_type"], "Custom Comments", "{list}");
    // An order without comments is not moved there, and the choices leave that provider out.
    let order = panel.made(ORDERS, panel.staff_order(ours[&T::Default], "https://a.example", 3, &[])).await;
    let id = order["id"].as_i64().unwrap();
    let change = json!({ "order_ids": [id], "provider_id": comments });
    let refused = panel.post("/api/v1/admin/orders/change-provider", &change).await;
    assert_eq!(refused.status, 422, "{}", refused.text);
    assert!(refused.json()["errors"].get("provider_id").is_some(), "{}", refused.text);
    let choices = panel
        .get(&format!("/api/v1/admin/providers/available-for-order-recreate?order_id={id}"))
        .await
        .json();
    let ids: Vec<i64> =
        choices["items"].as_array().unwrap().iter().filter_map(|one| one["id"].as_i64()).collect();
    assert!(ids.contains(&plain) && !ids.contains(&comments), "{ids:?}");
    // Linked before the rule was there: the dispatcher takes the one that can deliver.
    let link = "INSERT INTO service_providers (service_id, provider_id, position) VALUES (?, ?, -1)";
    panel.exec(Sql::new(link).bind(ours[&T::Default]).bind(comments)).await;
    panel.due().await;
    assert_sent(&theirs, T::Default, "https://a.example", &[]);
    // What staff made goes off sale by a sync once its panel needs what it does not ask for.
    assert_eq!(put(&service(T::Default), json!({ "providers": [plain] })).await.status, 200);
    panel
        .exec(
            Sql::new("UPDATE services SET imported_provider_id = NULL WHERE id = ?").bind(ours[&T::Default]),
        )
        .await;
    theirs.world().offers.get_mut(&there(T::Default)).unwrap().kind = "Poll";
    sync::run(&panel.app, ExternalPanelId::new(1)).await.unwrap();
    let off =
        Sql::new("SELECT count(*) FROM services WHERE is_deactivated AND id = ?").bind(ours[&T::Default]);
    assert_eq!(panel.number(off).await, 1);
    panel.assert_healthy().await;
}

async fn what_cannot_be_sold_is_refused_at_import(dialect: Dialect) {
    let (panel, _theirs) = panels(dialect).await;
    let listed = panel.listed().await;
    for (word, part) in [("Subscriptions", "cannot be sold here"), ("Something New", "does not know")] {
        let services = json!([{ "id": listed["Default"] }, { "id": listed[word] }]);
        let refused = panel
            .post(IMPORT, &json!({ "external_panel_id": 1, "services": services, "service_type_id": 1 }))
            .await;
        assert_eq!(refused.status, 422, "{}", refused.text);
        let why = refused.json()["errors"]["services.1.id"][0].as_str().unwrap().to_owned();
        assert!(why.contains(part), "{why}");
        let body = json!({ "external_panel_id": 1, "importable_services_ids": [listed[word]] });
        let provider = panel.post("/api/v1/admin/external-panels/import-providers", &body).await;
        assert_eq!(provider.status, 422, "{}", provider.text);
    }
    assert_eq!(
        panel.number(Sql::new("SELECT count(*) FROM services WHERE imported_provider_id IS NOT NULL")).await,
        0
    );
    let rows = panel.data("/api/v1/admin/external-panels/1/services?length=50").await;
    let refused = rows.as_array().unwrap().iter().filter(|row| row["refusal"].is_string());
    assert_eq!(refused.count(), 2, "the list says so before");
}

async fn what_cannot_be_imported_is_found_by_its_reason(dialect: Dialect) {
    let (panel, theirs) = panels(dialect).await;
    let found = async |filter: &str| {
        let path = format!("/api/v1/admin/external-panels/1/services?length=50&{filter}");
        let rows = panel.data(&path).await;
        let mut found: Vec<(String, Value)> = rows
            .as_array()
            .unwrap()
            .iter()
            .map(|row| (row["type"].as_str().unwrap().to_owned(), row["refusal_kind"].clone()))
            .collect();
        found.sort_by(|one, other| one.0.cmp(&other.0));
        found
    };
    let [new, subscriptions] = [("Something New", "unknown_type"), ("Subscriptions", "not_sold")]
        .map(|(kind, why)| (kind.to_owned(), json!(why)));
    assert_eq!(found("refusal_kind=not_sold").await, std::slice::from_ref(&subscriptions));
    assert_eq!(found("refusal_kind=unknown_type").await, std::slice::from_ref(&new));
    assert_eq!(found("refusal_kind=unknown_type,not_sold").await, [new.clone(), subscriptions.clone()]);
    assert_eq!(found("is_refused=1").await, [new, subscriptions.clone()]);
    let importable = found("is_refused=0").await;
    assert!(importable.len() == T::ALL.len() - 1 && importable.iter().all(|row| row.1.is_null()));
    // What the panel says later counts, and so does what this version of the product can sell.
    theirs.world().offers.get_mut(&200).unwrap().kind = "Default";
    panel.exec(Sql::new("UPDATE external_panel_services SET refusal_kind = NULL")).await;
    panel.made("/api/v1/admin/external-panels/1/available-services", json!({})).await;
    assert_eq!(found("is_refused=1").await, [subscriptions]);
}

async fn a_panel_of_this_product_sells_the_same_types(dialect: Dialect) {
    let (middle, theirs) = panels(dialect).await;
    let sold = middle.imported_types().await;
    let token = key(&middle, 1).await;
    let middle = Served::start(middle).await;
    let ours = buyer(dialect).await;
    ours.joined(&format!("http://{}/api/v2", middle.host()), &token).await;
    ours.exec(Sql::new("UPDATE external_panels SET type = 'socpanel'")).await;
    middle.panel.exec(Sql::new("UPDATE users SET account_type = 'child_panel' WHERE id = 1")).await;
    let sql = Sql::new("UPDATE external_panel_services SET gone_at = 1 WHERE name LIKE 'Service %'");
    ours.exec(sql).await;
    let here = ours.imported_types().await;
    assert_eq!(here.len(), sold.len(), "each under its true type");
    let mut placed = Vec::new();
    for (kind, given) in CASES {
        let link = link(kind, "chain");
        let made = ours.made(ORDERS, ours.staff_order(here[&kind], &link, quantity(kind), given)).await;
        placed.push((kind, made["id"].as_i64().unwrap(), link));
    }
    for _ in 0..60 {
        ours.due().await;
        middle.panel.due().await;
        ours.clock.advance_secs(60);
        middle.panel.clock.advance_secs(60);
    }
    for (kind, order, link) in placed {
        let given = CASES.iter().find(|case| case.0 == kind).unwrap().1;
        assert_sent(&theirs, kind, &link, given);
        assert_eq!(ours.order(order).await["status"], "completed", "{kind}");
        let theirs =
            Sql::new("SELECT count(*) FROM orders WHERE child_id = ? AND is_child_panel AND url = ?");
        assert_eq!(middle.panel.number(theirs.bind(order).bind(link)).await, 1, "{kind}: our id of it");
    }
}

async fn answers_are_forwarded_where_the_panel_takes_them(dialect: Dialect) {
    let (panel, theirs) = panels(dialect).await;
    let takes = vec![(P::Country, true), (P::Language, false)];
    theirs.world().sell(300, Offer { parameters: takes, min: 1, ..Offer::plain("By country") });
    panel.made("/api/v1/admin/external-panels/1/available-services", json!({})).await;
    let wanted = Sql::new("SELECT id FROM external_panel_services WHERE external_panel_service_id = '300'");
    let id = panel.number(wanted).await;
    let ours = panel.import(&[id]).await[0];
    let refused = panel.post(ORDERS, &panel.staff_order(ours, "https://a.example/1", 3, &[])).await;
    assert!(refused.json()["errors"].get("targets.Country").is_some(), "{}", refused.text);
    let given = [(P::Country, "DE"), (P::Language, "en")];
    panel.made(ORDERS, panel.staff_order(ours, "https://a.example/1", 3, &given)).await;
    // Another service asks the same of its customers, and its panel takes neither.
    let plain = panel.listed().await["Default"];
    let sql = Sql::new("SELECT id FROM external_panel_services WHERE external_panel_service_id = '101'");
    assert_ne!(panel.number(sql.clone()).await, id, "{plain}");
    let other = panel.import(&[panel.number(sql).await]).await[1];
    let copied = "INSERT INTO service_targets (service_id, target_id, position, attachment, given_values)
        SELECT ?, target_id, position, 'optional', given_values FROM service_targets WHERE service_id = ?";
    panel.exec(Sql::new(copied).bind(other).bind(ours)).await;
    let made = panel.made(ORDERS, panel.staff_order(other, "https://a.example/2", 3, &given)).await;
    panel.due().await;
    let sent: Vec<BTreeMap<String, String>> =
        theirs.world().orders.values().map(|order| order.fields.clone()).collect();
    assert_eq!((sent[0]["country"].as_str(), sent[0]["language"].as_str()), ("DE", "en"));
    assert!(!sent[1].contains_key("country"), "{sent:?}");
    let order = panel.order(made["id"].as_i64().unwrap()).await;
    assert_eq!(order["external_panel_orders"][0]["not_forwarded"], json!(["Country", "Language"]));
    let rows = panel.data("/api/v1/admin/external-panel-orders").await;
    assert_eq!(rows[0]["not_forwarded"], json!(["Country", "Language"]));
    // The answer is the target's, whatever it is called by now.
    panel.exec(Sql::new("UPDATE targets SET name = 'Land' WHERE parameter = 'country'")).await;
    let renamed = json!({ "user_id": 1, "service_id": ours, "url": "https://a.example/3", "quantity": 3, "targets": { "Land": "FR" } });
    panel.made(ORDERS, renamed).await;
    panel.exec(Sql::new("UPDATE targets SET name = 'Pays' WHERE parameter = 'country'")).await;
    panel.due().await;
    let world = theirs.world();
    assert_eq!(world.orders.values().next_back().unwrap().fields["country"], "FR");
}

async fn a_type_that_changes_takes_the_service_off_sale(dialect: Dialect) {
    let (panel, theirs) = panels(dialect).await;
    let id = panel.listed().await["Default"];
    let ours = panel.import(&[id]).await[0];
    theirs.world().offers.get_mut(&there(T::Default)).unwrap().kind = "Poll";
    sync::run(&panel.app, ExternalPanelId::new(1)).await.unwrap();
    let off = Sql::new("SELECT count(*) FROM services WHERE is_deactivated AND id = ?").bind(ours);
    assert_eq!(panel.number(off.clone()).await, 1, "its orders could not be delivered");
    sync::run(&panel.app, ExternalPanelId::new(1)).await.unwrap();
    assert_eq!(panel.number(off).await, 1);
    let logged = "SELECT count(*) FROM sync_changes WHERE field = 'is_deactivated'";
    assert_eq!(panel.number(Sql::new(logged)).await, 1, "said once");
}

async fn drip_feeds_and_subscriptions_ask_too(dialect: Dialect) {
    let (panel, theirs) = panels(dialect).await;
    let ours = panel.imported_types().await;
    panel.exec(Sql::new("UPDATE services SET drip_feed_is_allowed = TRUE")).await;
    let key = key(&panel, 1).await;
    let before = panel.main_balance().await;
    let likes = ours[&T::CommentLikes];
    let runs = "&quantity=3&runs=2&interval=10";
    let said = call(&panel, &key, &fields(likes, "https://a.example/1", runs, &[])).await;
    assert!(said["error"].is_string() && panel.main_balance().await == before, "{said}");
    let given = [(P::Username, "@anna")];
    let first = order_of(&call(&panel, &key, &fields(likes, "https://a.example/1", runs, &given)).await);
    panel.due().await;
    // What was agreed stays, whatever the service asks by now.
    panel.exec(Sql::new("DELETE FROM service_targets WHERE service_id = ?").bind(likes)).await;
    for _ in 0..12 {
        panel.clock.advance_secs(60);
        panel.due().await;
        run::run_due(&panel.app).await.unwrap();
    }
    panel.due().await;
    assert_eq!(panel.order(first).await["status"], "completed");
    let names: Vec<String> =
        theirs.world().orders.values().map(|order| order.fields["username"].clone()).collect();
    assert_eq!(names, ["@anna", "@anna"]);
    let subscription = format!("action=add&service={}&username=x&min=1&max=3", ours[&T::Mentions]);
    assert!(call(&panel, &key, &subscription).await["error"].is_string(), "its contents answer nothing");
}

async fn packages_ask_for_each_of_their_services(dialect: Dialect) {
    let (panel, theirs) = panels(dialect).await;
    let ours = panel.imported_types().await;
    let (likes, remarks) = (ours[&T::CommentLikes], ours[&T::CustomComments]);
    let contents = json!([{ "id": likes, "quantity": 3 }, { "id": remarks, "quantity": 2 }, { "id": ours[&T::Default], "quantity": 3 }]);
    let body = json!({ "name": "Talk", "network_id": 1, "package_contents": contents });
    let package = panel.made("/api/v1/admin/packages", body).await;
    let asks = &package["package_contents"][0]["asks"][0];
    assert_eq!(
        (&asks["name"], &asks["is_required"], &asks["parameter"]),
        (&json!("Username"), &json!(true), &json!("username"))
    );
    assert_eq!(package["package_contents"][2]["asks"], json!([]));
    let path = format!("/api/v1/admin/packages/{}/buy", package["id"]);
    let buy = |targets: Value| json!({ "user_id": 1, "url": "https://a.example/1", "targets": targets });
    let before = panel.main_balance().await;
    let names = async |targets: Value| {
        let refused = panel.post(&path, &buy(targets)).await;
        assert_eq!(refused.status, 422, "{}", refused.text);
        refused.json()["errors"].as_object().unwrap().keys().cloned().collect::<Vec<_>>()
    };
    let (username, comments) = (format!("targets.{likes}.Username"), format!("targets.{remarks}.Comments"));
    let mut both = vec![username.clone(), comments.clone()];
    both.sort();
    assert_eq!(names(json!({})).await, both, "all that is missing is named at once");
    let few =
        json!({ likes.to_string(): { "Username": "@anna" }, remarks.to_string(): { "Comments": "one" } });
    assert_eq!(names(few).await, [comments]);
    let more = json!({ likes.to_string(): { "Username": "@anna" }, remarks.to_string(): { "Comments": "one\ntwo" }, "999": {} });
    assert_eq!(names(more).await, ["targets.999"]);
    assert_eq!(panel.main_balance().await, before, "nothing was charged");
    let good = json!({ likes.to_string(): { "Username": "@anna" }, remarks.to_string(): { "Comments": "one\ntwo" } });
    panel.made(&path, buy(good)).await;
    for _ in 0..20 {
        panel.due().await;
        panel.clock.advance_secs(60);
    }
    let sent: Vec<Option<String>> = {
        let world = theirs.world();
        let text = |name: &str| world.orders.values().find_map(|order| order.fields.get(name).cloned());
        vec![text("username"), text("comments")]
    };
    assert_eq!(sent, [Some("@anna".to_owned()), Some("one\ntwo".to_owned())]);
    let open = Sql::new("SELECT count(*) FROM orders WHERE status <> 'completed'");
    assert_eq!(panel.number(open).await, 0);
    panel.assert_healthy().await;
}

async fn a_package_is_made_of_an_imported_one_and_follows_it(dialect: Dialect) {
    let (panel, theirs) = panels(dialect).await;
    let listed = panel.listed().await["Package"];
    let body =
        json!({ "external_panel_id": 1, "packages": [{ "id": listed, "network_id": 1, "sync": true }] });
    panel.made("/api/v1/admin/external-panels/import-packages", body).await;
    let origin = panel.number(Sql::new("SELECT max(id) FROM provider_packages")).await;
    let packages = "/api/v1/admin/packages";
    let body = json!({ "provider_package_id": origin });
    let early = panel.post(packages, &body).await;
    assert_eq!(early.status, 422, "{}", early.text);
    let words = early.json()["errors"]["provider_package_id"][0].as_str().unwrap().to_owned();
    assert!(words.starts_with(&format!("Import service {}", there(T::Package))), "{words}");
    let service = panel.import(&[listed]).await[0];
    let made = panel.made(packages, body).await;
    assert_eq!(
        (&made["provider_package_id"], &made["sync"], &made["name"], &made["provider"]["name"]),
        (&json!(origin), &json!(true), &json!("Package"), &json!("Upstream"))
    );
    assert_eq!((&made["package_contents"][0]["id"], &made["total_cost"]), (&json!(service), &json!("1")));
    let path = format!("{packages}/{}", made["id"]);
    let other = panel.renew(&path, &json!({ "provider_package_id": origin + 1 })).await;
    assert!(other.json()["errors"].get("provider_package_id").is_some(), "{}", other.text);
    let cheap = panel.renew(&path, &json!({ "fixed_cost": "0.5" })).await;
    assert_eq!(cheap.status, 422, "{}", cheap.text);
    // As one that was enough before its services became dearer.
    panel
        .exec(Sql::new("UPDATE packages SET fixed_cost = 500000 WHERE id = ?").bind(made["id"].as_i64()))
        .await;
    assert_eq!(panel.data(&format!("/api/v1/admin/providers-packages/{origin}")).await["packages_count"], 1);
    // It is renamed and later gone; both are followed.
    let pack = theirs.world().offers[&there(T::Package)].clone();
    theirs.world().sell(there(T::Package), Offer { name: "Pack of hearts".into(), ..pack.clone() });
    sync::run(&panel.app, ExternalPanelId::new(1)).await.unwrap();
    let followed = panel.data(&path).await;
    assert_eq!(
        (&followed["name"], &followed["translations"]["en"]["name"]),
        (&json!("Pack of hearts"), &json!("Pack of hearts"))
    );
    assert_eq!(followed["fixed_cost"], "1", "never below what its services cost");
    theirs.world().offers.remove(&there(T::Package));
    sync::run(&panel.app, ExternalPanelId::new(1)).await.unwrap();
    assert_eq!(panel.data(&path).await["is_enabled"], false);
    theirs.world().sell(there(T::Package), pack);
    sync::run(&panel.app, ExternalPanelId::new(1)).await.unwrap();
    let back = panel.data(&path).await;
    assert_eq!((&back["is_enabled"], &back["name"]), (&json!(true), &json!("Package")));
    let bought = json!({ "user_id": 1, "url": "https://a.example/1" });
    panel.made(&format!("{path}/buy"), bought).await;
    panel.due().await;
    assert_eq!(theirs.world().orders.len(), 1);
}
