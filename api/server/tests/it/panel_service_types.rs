//! Every service type of the reseller API from import to delivery: the order form requires the targets of the type, the
//! dispatcher sends the right parameters, and the server refuses an incomplete order without a charge. One test runs the same
//! orders through a second instance of this product in the middle.

use std::collections::BTreeMap;
use std::sync::Arc;

use panel_contract::ids::ExternalPanelId;
use panel_contract::panel_service_types::PanelParameter as P;
use panel_contract::panel_service_types::PanelServiceType as T;
use panel_contract::panel_service_types::{PanelParameter, PanelServiceType, QuantitySource};
use panel_contract::permission::Permission;
use panel_demo::panel::FakePanel;
use panel_demo::panel::state::{FakePanelState, FakeService};
use panel_platform::db::{Dialect, Source as _, Sql};
use panel_server::operations::drip_feeds::run;
use panel_server::supply::dispatch;
use panel_server::supply::imports::sync;
use panel_server::supply::panels::seal_token;
use serde_json::{Value, json};

use crate::intake::{call, create_api_key, order_id};
use crate::panel::Panel;
use crate::shop;
use crate::test_server::TestServer;

both! {
    imports_sells_and_delivers_every_service_type;
    refuses_an_order_without_a_required_target_and_charges_nothing;
    refuses_a_parameter_that_the_service_type_does_not_accept;
    refuses_to_import_service_types_that_cannot_be_sold;
    filters_panel_services_by_the_reason_they_cannot_be_imported;
    resells_every_service_type_through_another_socpanel;
    forwards_only_target_values_that_the_external_service_accepts;
    links_a_provider_only_to_services_with_the_targets_its_type_requires;
    sync_deactivates_a_service_whose_panel_service_type_changed;
    drip_feeds_and_subscriptions_require_the_same_targets;
    a_package_requires_the_targets_of_each_of_its_services;
    a_package_created_from_an_imported_one_is_kept_in_sync;
}

const TOKEN: &str = "test-token";
const IMPORT: &str = "/api/v1/admin/external-panels/import-services";
const ORDERS: &str = "/api/v1/admin/orders";

/// The target values of an order of each type. Lists have three lines, because each order is for a quantity of 3.
const TARGET_VALUES: [(PanelServiceType, &[(PanelParameter, &str)]); 16] = [
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

/// The id of the fake panel's service of this type.
fn external_service_id(kind: PanelServiceType) -> i64 {
    101 + i64::try_from(T::ALL.iter().position(|candidate| *candidate == kind).unwrap()).unwrap()
}

fn quantity(kind: PanelServiceType) -> i64 {
    if kind.is_package() { 1 } else { 3 }
}

async fn empty_shop(dialect: Dialect) -> Panel {
    let panel = Panel::with_config(dialect, |config| {
        config.outbound.allow_http = true;
        config.outbound.allowed_networks = vec!["127.0.0.0/8".parse().unwrap()];
        config.outbound.timeout_seconds = 5;
        config.outbound.panel_calls_per_second = 10_000;
    })
    .await;
    shop::fill(&panel.app.db, 3, 0).await;
    panel.create_staff("ada", &[Permission::ViewUsers, Permission::ManageApiKeys]).await;
    panel
}

/// The panel under test and a fake external panel (id 1) that sells one service of every type and one of an unknown type.
async fn panel_with_external_panel(dialect: Dialect) -> (Panel, FakePanel) {
    let panel = empty_shop(dialect).await;
    let mut panel_state = FakePanelState::new(TOKEN);
    for kind in T::ALL {
        panel_state.add_service(
            external_service_id(*kind),
            FakeService { kind: kind.as_str(), min: 1, ..FakeService::plain(kind.as_str()) },
        );
    }
    panel_state.add_service(200, FakeService { kind: "Something New", ..FakeService::plain("New") });
    let external_panel = FakePanel::start(panel_state, Arc::new(panel.clock.clone())).await.unwrap();
    panel.connect_external_panel(&external_panel.url, TOKEN).await;
    (panel, external_panel)
}

impl Panel {
    async fn connect_external_panel(&self, url: &str, token: &str) {
        let sealed = seal_token(&self.app, ExternalPanelId::new(1), token).unwrap();
        let sql = Sql::new(
            "INSERT INTO external_panels (id, name, endpoint, api_token_sealed, sync_services, created_at, updated_at) VALUES (1, 'Upstream', ?, ?, TRUE, 1, 1)",
        );
        self.execute(sql.bind(url).bind(sealed)).await;
        self.post_data("/api/v1/admin/external-panels/1/available-services", json!({})).await;
    }

    /// The ids of the external panel's services, by the panel's name of their type.
    async fn available_services(&self) -> BTreeMap<String, i64> {
        let sql = Sql::new(
            "SELECT type, id FROM external_panel_services WHERE vanished_at IS NULL ORDER BY id DESC",
        );
        (&mut &self.app.db).fetch_all::<(String, i64)>(sql).await.unwrap().into_iter().collect()
    }

    async fn import(&self, ids: &[i64]) -> Vec<i64> {
        let services: Vec<Value> = ids.iter().map(|id| json!({ "id": id })).collect();
        self.post_data(IMPORT, json!({ "external_panel_id": 1, "services": services, "service_type_id": 1 }))
            .await;
        let sql = Sql::new("SELECT id FROM services WHERE imported_provider_id IS NOT NULL ORDER BY id");
        (&mut &self.app.db).fetch_all::<(i64,)>(sql).await.unwrap().into_iter().map(|(id,)| id).collect()
    }

    /// Imports one service of every type that can be sold, and returns the ids of the new services by type.
    async fn import_every_type(&self) -> BTreeMap<PanelServiceType, i64> {
        let available = self.available_services().await;
        let ids: Vec<i64> = TARGET_VALUES.iter().map(|(kind, _)| available[kind.as_str()]).collect();
        self.import(&ids).await;
        let sql =
            Sql::new("SELECT panel_service_type, id FROM services WHERE imported_provider_id IS NOT NULL");
        (&mut &self.app.db).fetch_all::<(PanelServiceType, i64)>(sql).await.unwrap().into_iter().collect()
    }

    async fn dispatch_until_idle(&self) {
        for _ in 0..50 {
            if dispatch::cycle(&self.app).await.unwrap() == 0 {
                return;
            }
        }
        panic!("the dispatcher still finds due orders after 50 cycles");
    }

    fn staff_order(
        &self,
        service: i64,
        url: &str,
        quantity: i64,
        values: &[(PanelParameter, &str)],
    ) -> Value {
        let targets: BTreeMap<&str, &str> =
            values.iter().map(|(parameter, text)| (parameter.display_name(), *text)).collect();
        json!({ "user_id": 1, "service_id": service, "url": url, "quantity": quantity, "targets": targets })
    }
}

fn link(kind: PanelServiceType, last_segment: &str) -> String {
    format!("https://video.example/{}/{last_segment}", external_service_id(kind))
}

fn add_request(service: i64, link: &str, extra: &str, values: &[(PanelParameter, &str)]) -> String {
    let values: String = values
        .iter()
        .map(|(parameter, text)| format!("&{parameter}={}", text.replace('\n', "%0A").replace('@', "%40")))
        .collect();
    format!("action=add&service={service}&link={link}{extra}{values}")
}

/// The quantity field of a reseller API request: empty for types whose quantity follows from another field.
fn quantity_field(kind: PanelServiceType) -> &'static str {
    if kind.quantity_source() == QuantitySource::Explicit { "&quantity=3" } else { "" }
}

/// Asserts that the external panel received the order with exactly the fields that its type accepts.
fn assert_sent(
    external_panel: &FakePanel,
    kind: PanelServiceType,
    link: &str,
    values: &[(PanelParameter, &str)],
) {
    let panel_state = external_panel.state();
    let sent = panel_state
        .orders
        .values()
        .find(|order| order.link == link)
        .unwrap_or_else(|| panic!("the external panel has no order of {kind}"));
    let mut expected: BTreeMap<&str, &str> =
        values.iter().map(|(parameter, text)| (parameter.as_str(), *text)).collect();
    let service = external_service_id(kind).to_string();
    expected.extend([("action", "add"), ("service", service.as_str()), ("link", link)]);
    if kind.quantity_source() == QuantitySource::Explicit {
        expected.insert("quantity", "3");
    }
    let fields: BTreeMap<&str, &str> =
        sent.fields.iter().map(|(name, text)| (name.as_str(), text.as_str())).collect();
    assert_eq!(fields, expected, "{kind}");
}

async fn imports_sells_and_delivers_every_service_type(dialect: Dialect) {
    let (panel, external_panel) = panel_with_external_panel(dialect).await;
    let service_ids = panel.import_every_type().await;
    assert_eq!(service_ids.len(), TARGET_VALUES.len());
    let key = create_api_key(&panel, 1).await;
    let services = call(&panel, &key, "action=services").await;
    let mut placed = Vec::new();
    for (kind, values) in TARGET_VALUES {
        let id = service_ids[&kind];
        let listed = services.as_array().unwrap().iter().find(|service| service["service"] == id).unwrap();
        assert_eq!((&listed["type"], &listed["rate"]), (&json!(kind), &json!("1")), "{kind}");
        assert!(listed.get("parameters").is_none(), "the type already implies the parameters: {listed}");
        let api_link = link(kind, "program");
        let response = call(&panel, &key, &add_request(id, &api_link, quantity_field(kind), values)).await;
        placed.push((kind, order_id(&response), api_link));
        let staff_link = link(kind, "staff");
        let created =
            panel.post_data(ORDERS, panel.staff_order(id, &staff_link, quantity(kind), values)).await;
        placed.push((kind, created["id"].as_i64().unwrap(), staff_link));
    }
    panel.dispatch_until_idle().await;
    for _ in 0..20 {
        panel.clock.advance_secs(60);
        panel.dispatch_until_idle().await;
    }
    for (kind, order, link) in placed {
        let values = TARGET_VALUES.iter().find(|entry| entry.0 == kind).unwrap().1;
        assert_sent(&external_panel, kind, &link, values);
        assert_eq!(panel.order(order).await["status"], "completed", "{kind}");
    }
    panel.assert_healthy().await;
}

async fn refuses_an_order_without_a_required_target_and_charges_nothing(dialect: Dialect) {
    let (panel, external_panel) = panel_with_external_panel(dialect).await;
    let service_ids = panel.import_every_type().await;
    let key = create_api_key(&panel, 1).await;
    let before = panel.main_balance(1).await;
    for (kind, values) in TARGET_VALUES {
        let (id, link) = (service_ids[&kind], link(kind, "x"));
        for missing in kind.required_parameters() {
            let others: Vec<_> =
                values.iter().copied().filter(|(parameter, _)| parameter != missing).collect();
            let response = call(&panel, &key, &add_request(id, &link, "&quantity=3", &others)).await;
            assert!(response["error"].is_string(), "{kind} without {missing}: {response}");
            let refused = panel.post(ORDERS, &panel.staff_order(id, &link, quantity(kind), &others)).await;
            assert_eq!(refused.status, 422, "{kind} without {missing}: {}", refused.text);
            let field = format!("targets.{}", missing.display_name());
            assert!(refused.json()["errors"].get(&field).is_some(), "{}", refused.text);
        }
        if matches!(kind.quantity_source(), QuantitySource::LinesOf(_)) {
            let response = call(&panel, &key, &add_request(id, &link, "&quantity=5", values)).await;
            assert!(
                response["error"].as_str().is_some_and(|message| message.contains("the text has 3")),
                "{kind}: {response}"
            );
        }
    }
    let visits = service_ids[&T::WebTraffic];
    let without_referrer = [(P::Country, "DE"), (P::Device, "4"), (P::TypeOfTraffic, "2")];
    let response =
        call(&panel, &key, &add_request(visits, "https://a.example", "&quantity=3", &without_referrer)).await;
    assert!(response["error"].is_string(), "traffic from a referrer needs its page: {response}");
    // Staff removed the target from the service: orders that could not be delivered are refused.
    panel
        .execute(Sql::new("DELETE FROM service_targets WHERE service_id = ?").bind(service_ids[&T::Poll]))
        .await;
    let refused =
        panel.post(ORDERS, &panel.staff_order(service_ids[&T::Poll], "https://a.example", 3, &[])).await;
    assert!(refused.json()["errors"].get("service_id").is_some(), "{}", refused.text);
    assert_eq!((panel.main_balance(1).await, external_panel.state().orders.len()), (before, 0));
    assert_eq!(panel.number(Sql::new("SELECT count(*) FROM orders")).await, 0);
}

/// Every type with every parameter: the error of a parameter that the type does not accept names the parameter.
async fn refuses_a_parameter_that_the_service_type_does_not_accept(dialect: Dialect) {
    let (panel, external_panel) = panel_with_external_panel(dialect).await;
    let service_ids = panel.import_every_type().await;
    panel.execute(Sql::new("UPDATE services SET drip_feed_is_allowed = TRUE, can_speedup = TRUE")).await;
    let key = create_api_key(&panel, 1).await;
    let before = panel.main_balance(1).await;
    let assert_refused = async |request: &str, part: &str| {
        let response = call(&panel, &key, request).await;
        let message = response["error"].as_str().unwrap_or_default();
        assert!(message.contains(part), "{request}: {response}");
    };
    let subscription_fields = ["min", "max", "posts", "old_posts", "delay", "expiry", "period"];
    for (kind, values) in TARGET_VALUES {
        let add = add_request(service_ids[&kind], &link(kind, "x"), quantity_field(kind), values);
        for parameter in P::ALL.iter().filter(|parameter| !kind.accepts(**parameter)) {
            let part = format!("This service takes no {parameter}");
            assert_refused(&format!("{add}&{parameter}=1"), &part).await;
            assert_refused(&format!("{add}&runs=2&interval=5&{parameter}=1"), &part).await;
        }
        assert_refused(&format!("{add}&keyword=1"), "This service takes no keyword").await;
        for name in subscription_fields {
            assert_refused(&format!("{add}&{name}=1"), &format!("An order takes no {name}")).await;
        }
        for name in ["speedup", "guarantee", "child_id"] {
            let part = format!("An order with runs takes no {name}");
            assert_refused(&format!("{add}&runs=2&interval=5&{name}=1"), &part).await;
            assert_refused(&format!("{add}&{name}=-1"), &format!("Incorrect {name}")).await;
            assert_refused(&format!("{add}&{name}=x"), &format!("Incorrect {name}")).await;
        }
        assert_refused(&format!("{add}&runs=0"), "Incorrect runs").await;
        assert_refused(&format!("{add}&runs=-2"), "Incorrect runs").await;
        if kind.is_package() {
            assert_refused(&format!("{add}&quantity=3"), "sold one package at a time").await;
        }
    }
    let subscribe = format!("action=add&service={}&username=x&min=1&max=3", service_ids[&T::Default]);
    let other_fields = [
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
    let targets =
        P::ALL.iter().filter(|parameter| **parameter != P::Username).map(|parameter| parameter.as_str());
    for name in other_fields.into_iter().chain(targets) {
        assert_refused(&format!("{subscribe}&{name}=1"), &format!("A subscription takes no {name}")).await;
    }
    assert_eq!((panel.main_balance(1).await, external_panel.state().orders.len()), (before, 0));
    let inserted_rows = "SELECT (SELECT count(*) FROM orders) + (SELECT count(*) FROM drip_feeds) + (SELECT count(*) FROM subscriptions)";
    assert_eq!(panel.number(Sql::new(inserted_rows)).await, 0);
}

async fn links_a_provider_only_to_services_with_the_targets_its_type_requires(dialect: Dialect) {
    let (panel, external_panel) = panel_with_external_panel(dialect).await;
    let service_ids = panel.import_every_type().await;
    let provider_of = async |kind: PanelServiceType| {
        let sql = Sql::new("SELECT id FROM providers WHERE external_panel_service_id = ?");
        panel.number(sql.bind(external_service_id(kind).to_string())).await
    };
    let (plain, comments) = (provider_of(T::Default).await, provider_of(T::CustomComments).await);
    let service = |kind: PanelServiceType| format!("/api/v1/admin/services/{}", service_ids[&kind]);
    let put = async |path: &str, body: Value| panel.send("owner", "PUT", path, &body, None).await;
    let refused = put(&service(T::Default), json!({ "providers": [plain, comments] })).await;
    assert_eq!(refused.status, 422, "{}", refused.text);
    let message = refused.json()["errors"]["providers"][0].as_str().unwrap().to_owned();
    assert!(message.contains("Custom Comments and needs comments"), "{message}");
    let refused = put(
        &format!("/api/v1/admin/providers/{comments}"),
        json!({ "services": [service_ids[&T::CustomComments], service_ids[&T::Default]] }),
    )
    .await;
    assert_eq!(refused.status, 422, "{}", refused.text);
    assert!(refused.json()["errors"].get("services").is_some(), "{}", refused.text);
    // A service whose orders have comments may use both providers.
    let both = put(&service(T::CustomComments), json!({ "providers": [comments, plain] })).await;
    assert_eq!(both.status, 200, "{}", both.text);
    assert_eq!(both.json()["data"]["panel_service_type"], "Custom Comments");
    let list = panel.get("/api/v1/admin/services?panel_service_type=Custom%20Comments").await.json();
    assert_eq!(list["data"][0]["panel_service_type"], "Custom Comments", "{list}");
    // An order without comments cannot change to the provider that needs them, and the list of choices leaves it out.
    let order = panel
        .post_data(ORDERS, panel.staff_order(service_ids[&T::Default], "https://a.example", 3, &[]))
        .await;
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
        choices["items"].as_array().unwrap().iter().filter_map(|provider| provider["id"].as_i64()).collect();
    assert!(ids.contains(&plain) && !ids.contains(&comments), "{ids:?}");
    // A link from before this rule existed: the dispatcher chooses the provider that can deliver.
    let link = "INSERT INTO service_providers (service_id, provider_id, position) VALUES (?, ?, -1)";
    panel.execute(Sql::new(link).bind(service_ids[&T::Default]).bind(comments)).await;
    panel.dispatch_until_idle().await;
    assert_sent(&external_panel, T::Default, "https://a.example", &[]);
    // A sync deactivates even a service that staff created, once the panel requires a parameter without a target.
    assert_eq!(put(&service(T::Default), json!({ "providers": [plain] })).await.status, 200);
    panel
        .execute(
            Sql::new("UPDATE services SET imported_provider_id = NULL WHERE id = ?")
                .bind(service_ids[&T::Default]),
        )
        .await;
    external_panel.state().services.get_mut(&external_service_id(T::Default)).unwrap().kind = "Poll";
    sync::run(&panel.app, ExternalPanelId::new(1)).await.unwrap();
    let deactivated = Sql::new("SELECT count(*) FROM services WHERE is_deactivated AND id = ?")
        .bind(service_ids[&T::Default]);
    assert_eq!(panel.number(deactivated).await, 1);
    panel.assert_healthy().await;
}

async fn refuses_to_import_service_types_that_cannot_be_sold(dialect: Dialect) {
    let (panel, _external_panel) = panel_with_external_panel(dialect).await;
    let available = panel.available_services().await;
    for (kind, part) in [("Subscriptions", "cannot be sold here"), ("Something New", "does not know")] {
        let services = json!([{ "id": available["Default"] }, { "id": available[kind] }]);
        let refused = panel
            .post(IMPORT, &json!({ "external_panel_id": 1, "services": services, "service_type_id": 1 }))
            .await;
        assert_eq!(refused.status, 422, "{}", refused.text);
        let message = refused.json()["errors"]["services.1.id"][0].as_str().unwrap().to_owned();
        assert!(message.contains(part), "{message}");
        let body = json!({ "external_panel_id": 1, "importable_services_ids": [available[kind]] });
        let provider = panel.post("/api/v1/admin/external-panels/import-providers", &body).await;
        assert_eq!(provider.status, 422, "{}", provider.text);
    }
    assert_eq!(
        panel.number(Sql::new("SELECT count(*) FROM services WHERE imported_provider_id IS NOT NULL")).await,
        0
    );
    let rows = panel.get_data("/api/v1/admin/external-panels/1/services?length=50").await;
    let refused = rows.as_array().unwrap().iter().filter(|row| row["refusal"].is_string());
    assert_eq!(refused.count(), 2, "the list shows the reason before an import");
}

async fn filters_panel_services_by_the_reason_they_cannot_be_imported(dialect: Dialect) {
    let (panel, external_panel) = panel_with_external_panel(dialect).await;
    let types_with_reason = async |filter: &str| {
        let path = format!("/api/v1/admin/external-panels/1/services?length=50&{filter}");
        let rows = panel.get_data(&path).await;
        let mut rows: Vec<(String, Value)> = rows
            .as_array()
            .unwrap()
            .iter()
            .map(|row| (row["type"].as_str().unwrap().to_owned(), row["refusal_kind"].clone()))
            .collect();
        rows.sort_by(|a, b| a.0.cmp(&b.0));
        rows
    };
    let [unknown, subscriptions] = [("Something New", "unknown_type"), ("Subscriptions", "not_sold")]
        .map(|(kind, reason)| (kind.to_owned(), json!(reason)));
    assert_eq!(types_with_reason("refusal_kind=not_sold").await, std::slice::from_ref(&subscriptions));
    assert_eq!(types_with_reason("refusal_kind=unknown_type").await, std::slice::from_ref(&unknown));
    assert_eq!(
        types_with_reason("refusal_kind=unknown_type,not_sold").await,
        [unknown.clone(), subscriptions.clone()]
    );
    assert_eq!(types_with_reason("is_refused=1").await, [unknown, subscriptions.clone()]);
    let importable = types_with_reason("is_refused=0").await;
    assert!(importable.len() == T::ALL.len() - 1 && importable.iter().all(|row| row.1.is_null()));
    // The next refresh stores the current type and reason, also when a newer version of this product decides otherwise.
    external_panel.state().services.get_mut(&200).unwrap().kind = "Default";
    panel.execute(Sql::new("UPDATE external_panel_services SET refusal_kind = NULL")).await;
    panel.post_data("/api/v1/admin/external-panels/1/available-services", json!({})).await;
    assert_eq!(types_with_reason("is_refused=1").await, [subscriptions]);
}

async fn resells_every_service_type_through_another_socpanel(dialect: Dialect) {
    let (reseller, external_panel) = panel_with_external_panel(dialect).await;
    let reseller_services = reseller.import_every_type().await;
    let token = create_api_key(&reseller, 1).await;
    let reseller = TestServer::start(reseller).await;
    let child_panel = empty_shop(dialect).await;
    child_panel.connect_external_panel(&format!("http://{}/api/v2", reseller.host()), &token).await;
    child_panel.execute(Sql::new("UPDATE external_panels SET type = 'socpanel'")).await;
    reseller.panel.execute(Sql::new("UPDATE users SET account_type = 'child_panel' WHERE id = 1")).await;
    let sql = Sql::new("UPDATE external_panel_services SET vanished_at = 1 WHERE name LIKE 'Service %'");
    child_panel.execute(sql).await;
    let imported = child_panel.import_every_type().await;
    assert_eq!(imported.len(), reseller_services.len(), "the reseller lists each service under its own type");
    let mut placed = Vec::new();
    for (kind, values) in TARGET_VALUES {
        let link = link(kind, "chain");
        let created = child_panel
            .post_data(ORDERS, child_panel.staff_order(imported[&kind], &link, quantity(kind), values))
            .await;
        placed.push((kind, created["id"].as_i64().unwrap(), link));
    }
    for _ in 0..60 {
        child_panel.dispatch_until_idle().await;
        reseller.panel.dispatch_until_idle().await;
        child_panel.clock.advance_secs(60);
        reseller.panel.clock.advance_secs(60);
    }
    for (kind, order, link) in placed {
        let values = TARGET_VALUES.iter().find(|entry| entry.0 == kind).unwrap().1;
        assert_sent(&external_panel, kind, &link, values);
        assert_eq!(child_panel.order(order).await["status"], "completed", "{kind}");
        let resold =
            Sql::new("SELECT count(*) FROM orders WHERE child_id = ? AND is_child_panel AND url = ?");
        assert_eq!(
            reseller.panel.number(resold.bind(order).bind(link)).await,
            1,
            "{kind}: the reseller stores the order id of the child panel"
        );
    }
}

async fn forwards_only_target_values_that_the_external_service_accepts(dialect: Dialect) {
    let (panel, external_panel) = panel_with_external_panel(dialect).await;
    let parameters = vec![(P::Country, true), (P::Language, false)];
    external_panel
        .state()
        .add_service(300, FakeService { parameters, min: 1, ..FakeService::plain("By country") });
    panel.post_data("/api/v1/admin/external-panels/1/available-services", json!({})).await;
    let by_country =
        Sql::new("SELECT id FROM external_panel_services WHERE external_panel_service_id = '300'");
    let id = panel.number(by_country).await;
    let service_id = panel.import(&[id]).await[0];
    let refused = panel.post(ORDERS, &panel.staff_order(service_id, "https://a.example/1", 3, &[])).await;
    assert!(refused.json()["errors"].get("targets.Country").is_some(), "{}", refused.text);
    let values = [(P::Country, "DE"), (P::Language, "en")];
    panel.post_data(ORDERS, panel.staff_order(service_id, "https://a.example/1", 3, &values)).await;
    // Another service has the same targets, but its external service accepts neither parameter.
    let plain = panel.available_services().await["Default"];
    let sql = Sql::new("SELECT id FROM external_panel_services WHERE external_panel_service_id = '101'");
    assert_ne!(panel.number(sql.clone()).await, id, "{plain}");
    let other = panel.import(&[panel.number(sql).await]).await[1];
    let copied = "INSERT INTO service_targets (service_id, target_id, position, attachment, given_values)
        SELECT ?, target_id, position, 'optional', given_values FROM service_targets WHERE service_id = ?";
    panel.execute(Sql::new(copied).bind(other).bind(service_id)).await;
    let created = panel.post_data(ORDERS, panel.staff_order(other, "https://a.example/2", 3, &values)).await;
    panel.dispatch_until_idle().await;
    let sent: Vec<BTreeMap<String, String>> =
        external_panel.state().orders.values().map(|order| order.fields.clone()).collect();
    assert_eq!((sent[0]["country"].as_str(), sent[0]["language"].as_str()), ("DE", "en"));
    assert!(!sent[1].contains_key("country"), "{sent:?}");
    let order = panel.order(created["id"].as_i64().unwrap()).await;
    assert_eq!(order["external_panel_orders"][0]["not_forwarded"], json!(["Country", "Language"]));
    let rows = panel.get_data("/api/v1/admin/external-panel-orders").await;
    assert_eq!(rows[0]["not_forwarded"], json!(["Country", "Language"]));
    // The value is forwarded by the parameter of the target, so renaming the target changes nothing.
    panel.execute(Sql::new("UPDATE targets SET name = 'Land' WHERE parameter = 'country'")).await;
    let renamed = json!({ "user_id": 1, "service_id": service_id, "url": "https://a.example/3", "quantity": 3, "targets": { "Land": "FR" } });
    panel.post_data(ORDERS, renamed).await;
    panel.execute(Sql::new("UPDATE targets SET name = 'Pays' WHERE parameter = 'country'")).await;
    panel.dispatch_until_idle().await;
    let panel_state = external_panel.state();
    assert_eq!(panel_state.orders.values().next_back().unwrap().fields["country"], "FR");
}

async fn sync_deactivates_a_service_whose_panel_service_type_changed(dialect: Dialect) {
    let (panel, external_panel) = panel_with_external_panel(dialect).await;
    let id = panel.available_services().await["Default"];
    let service_id = panel.import(&[id]).await[0];
    external_panel.state().services.get_mut(&external_service_id(T::Default)).unwrap().kind = "Poll";
    sync::run(&panel.app, ExternalPanelId::new(1)).await.unwrap();
    let deactivated =
        Sql::new("SELECT count(*) FROM services WHERE is_deactivated AND id = ?").bind(service_id);
    assert_eq!(panel.number(deactivated.clone()).await, 1, "orders of the old type could not be delivered");
    sync::run(&panel.app, ExternalPanelId::new(1)).await.unwrap();
    assert_eq!(panel.number(deactivated).await, 1);
    let logged = "SELECT count(*) FROM sync_changes WHERE field = 'is_deactivated'";
    assert_eq!(panel.number(Sql::new(logged)).await, 1, "the second sync logs nothing");
}

async fn drip_feeds_and_subscriptions_require_the_same_targets(dialect: Dialect) {
    let (panel, external_panel) = panel_with_external_panel(dialect).await;
    let service_ids = panel.import_every_type().await;
    panel.execute(Sql::new("UPDATE services SET drip_feed_is_allowed = TRUE")).await;
    let key = create_api_key(&panel, 1).await;
    let before = panel.main_balance(1).await;
    let likes = service_ids[&T::CommentLikes];
    let runs = "&quantity=3&runs=2&interval=10";
    let response = call(&panel, &key, &add_request(likes, "https://a.example/1", runs, &[])).await;
    assert!(response["error"].is_string() && panel.main_balance(1).await == before, "{response}");
    let values = [(P::Username, "@anna")];
    let first =
        order_id(&call(&panel, &key, &add_request(likes, "https://a.example/1", runs, &values)).await);
    panel.dispatch_until_idle().await;
    // The drip-feed keeps the values of its order, although the service has no targets any more.
    panel.execute(Sql::new("DELETE FROM service_targets WHERE service_id = ?").bind(likes)).await;
    for _ in 0..12 {
        panel.clock.advance_secs(60);
        panel.dispatch_until_idle().await;
        run::run_due(&panel.app).await.unwrap();
    }
    panel.dispatch_until_idle().await;
    assert_eq!(panel.order(first).await["status"], "completed");
    let names: Vec<String> =
        external_panel.state().orders.values().map(|order| order.fields["username"].clone()).collect();
    assert_eq!(names, ["@anna", "@anna"]);
    let subscription = format!("action=add&service={}&username=x&min=1&max=3", service_ids[&T::Mentions]);
    assert!(
        call(&panel, &key, &subscription).await["error"].is_string(),
        "a subscription has no target values for its orders"
    );
}

async fn a_package_requires_the_targets_of_each_of_its_services(dialect: Dialect) {
    let (panel, external_panel) = panel_with_external_panel(dialect).await;
    let service_ids = panel.import_every_type().await;
    let (likes, custom_comments) = (service_ids[&T::CommentLikes], service_ids[&T::CustomComments]);
    let contents = json!([{ "id": likes, "quantity": 3 }, { "id": custom_comments, "quantity": 2 }, { "id": service_ids[&T::Default], "quantity": 3 }]);
    let body = json!({ "name": "Talk", "network_id": 1, "package_contents": contents });
    let package = panel.post_data("/api/v1/admin/packages", body).await;
    let target = &package["package_contents"][0]["asks"][0];
    assert_eq!(
        (&target["name"], &target["is_required"], &target["parameter"]),
        (&json!("Username"), &json!(true), &json!("username"))
    );
    assert_eq!(package["package_contents"][2]["asks"], json!([]));
    let path = format!("/api/v1/admin/packages/{}/buy", package["id"]);
    let buy = |targets: Value| json!({ "user_id": 1, "url": "https://a.example/1", "targets": targets });
    let before = panel.main_balance(1).await;
    let wrong_fields = async |targets: Value| {
        let refused = panel.post(&path, &buy(targets)).await;
        assert_eq!(refused.status, 422, "{}", refused.text);
        refused.json()["errors"].as_object().unwrap().keys().cloned().collect::<Vec<_>>()
    };
    let (username, comments) =
        (format!("targets.{likes}.Username"), format!("targets.{custom_comments}.Comments"));
    let mut both = vec![username.clone(), comments.clone()];
    both.sort();
    assert_eq!(wrong_fields(json!({})).await, both, "one response names every missing value");
    let too_few_comments = json!({ likes.to_string(): { "Username": "@anna" }, custom_comments.to_string(): { "Comments": "one" } });
    assert_eq!(wrong_fields(too_few_comments).await, [comments]);
    let unknown_service = json!({ likes.to_string(): { "Username": "@anna" }, custom_comments.to_string(): { "Comments": "one\ntwo" }, "999": {} });
    assert_eq!(wrong_fields(unknown_service).await, ["targets.999"]);
    assert_eq!(panel.main_balance(1).await, before, "nothing was charged");
    let complete = json!({ likes.to_string(): { "Username": "@anna" }, custom_comments.to_string(): { "Comments": "one\ntwo" } });
    panel.post_data(&path, buy(complete)).await;
    for _ in 0..20 {
        panel.dispatch_until_idle().await;
        panel.clock.advance_secs(60);
    }
    let sent: Vec<Option<String>> = {
        let panel_state = external_panel.state();
        let text = |name: &str| panel_state.orders.values().find_map(|order| order.fields.get(name).cloned());
        vec![text("username"), text("comments")]
    };
    assert_eq!(sent, [Some("@anna".to_owned()), Some("one\ntwo".to_owned())]);
    let open = Sql::new("SELECT count(*) FROM orders WHERE status <> 'completed'");
    assert_eq!(panel.number(open).await, 0);
    panel.assert_healthy().await;
}

async fn a_package_created_from_an_imported_one_is_kept_in_sync(dialect: Dialect) {
    let (panel, external_panel) = panel_with_external_panel(dialect).await;
    let available_id = panel.available_services().await["Package"];
    let body = json!({ "external_panel_id": 1, "packages": [{ "id": available_id, "network_id": 1, "sync": true }] });
    panel.post_data("/api/v1/admin/external-panels/import-packages", body).await;
    let origin = panel.number(Sql::new("SELECT max(id) FROM provider_packages")).await;
    let packages = "/api/v1/admin/packages";
    let body = json!({ "provider_package_id": origin });
    let too_early = panel.post(packages, &body).await;
    assert_eq!(too_early.status, 422, "{}", too_early.text);
    let message = too_early.json()["errors"]["provider_package_id"][0].as_str().unwrap().to_owned();
    assert!(message.starts_with(&format!("Import service {}", external_service_id(T::Package))), "{message}");
    let service = panel.import(&[available_id]).await[0];
    let created = panel.post_data(packages, body).await;
    assert_eq!(
        (&created["provider_package_id"], &created["sync"], &created["name"], &created["provider"]["name"]),
        (&json!(origin), &json!(true), &json!("Package"), &json!("Upstream"))
    );
    assert_eq!(
        (&created["package_contents"][0]["id"], &created["total_cost"]),
        (&json!(service), &json!("1"))
    );
    let path = format!("{packages}/{}", created["id"]);
    let other = panel.put(&path, &json!({ "provider_package_id": origin + 1 })).await;
    assert!(other.json()["errors"].get("provider_package_id").is_some(), "{}", other.text);
    let cheap = panel.put(&path, &json!({ "fixed_cost": "0.5" })).await;
    assert_eq!(cheap.status, 422, "{}", cheap.text);
    // A stored fixed cost may be below the cost of the services, because their prices rose afterwards.
    panel
        .execute(
            Sql::new("UPDATE packages SET fixed_cost = 500000 WHERE id = ?").bind(created["id"].as_i64()),
        )
        .await;
    assert_eq!(
        panel.get_data(&format!("/api/v1/admin/providers-packages/{origin}")).await["packages_count"],
        1
    );
    // The external panel renames the package and later stops selling it; the sync applies both.
    let pack = external_panel.state().services[&external_service_id(T::Package)].clone();
    external_panel.state().add_service(
        external_service_id(T::Package),
        FakeService { name: "Pack of hearts".into(), ..pack.clone() },
    );
    sync::run(&panel.app, ExternalPanelId::new(1)).await.unwrap();
    let synced = panel.get_data(&path).await;
    assert_eq!(
        (&synced["name"], &synced["translations"]["en"]["name"]),
        (&json!("Pack of hearts"), &json!("Pack of hearts"))
    );
    assert_eq!(synced["fixed_cost"], "1", "the fixed cost is raised to the cost of its services");
    external_panel.state().services.remove(&external_service_id(T::Package));
    sync::run(&panel.app, ExternalPanelId::new(1)).await.unwrap();
    assert_eq!(panel.get_data(&path).await["is_enabled"], false);
    external_panel.state().add_service(external_service_id(T::Package), pack);
    sync::run(&panel.app, ExternalPanelId::new(1)).await.unwrap();
    let sold_again = panel.get_data(&path).await;
    assert_eq!((&sold_again["is_enabled"], &sold_again["name"]), (&json!(true), &json!("Package")));
    let body = json!({ "user_id": 1, "url": "https://a.example/1" });
    panel.post_data(&format!("{path}/buy"), body).await;
    panel.dispatch_until_idle().await;
    assert_eq!(external_panel.state().orders.len(), 1);
}
