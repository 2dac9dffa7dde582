//! Tests each service type of the reseller API from import to delivery: the order form requires the targets of the type, the
//! dispatcher sends the right parameters, and the server rejects an incomplete order without a charge. One test sends the same
//! orders through another server of this product, which resells the services.

use std::collections::BTreeMap;
use std::sync::Arc;

use panel_contract::ids::ExternalPanelId;
use panel_contract::panel_service_types::PanelParameter as P;
use panel_contract::panel_service_types::PanelServiceType as T;
use panel_contract::panel_service_types::{PanelParameter, PanelServiceType, QuantitySource};
use panel_contract::permission::Permission;
use panel_demo::panel::FakePanel;
use panel_demo::panel::state::{FakePanelState, FakeService};
use panel_platform::db::{Dialect, Sql, SqlExecutor as _};
use panel_server::operations::drip_feeds::run;
use panel_server::supply::dispatch;
use panel_server::supply::imports::sync;
use panel_server::supply::panels::seal_token;
use serde_json::{Value, json};

use crate::panel::Panel;
use crate::placing_orders::{create_api_key, parse_order_id, send_reseller_request};
use crate::shop;
use crate::test_server::TestServer;

test_both_databases! {
    imports_sells_and_delivers_every_service_type;
    rejects_an_order_without_a_required_target_and_charges_nothing;
    rejects_a_parameter_that_the_service_type_does_not_accept;
    rejects_importing_service_types_that_cannot_be_sold;
    filters_external_services_by_the_reason_that_prevents_an_import;
    resells_every_service_type_through_another_server_of_this_product;
    forwards_only_target_values_that_the_external_service_accepts;
    links_a_provider_only_to_services_with_the_targets_its_type_requires;
    sync_deactivates_a_service_whose_panel_service_type_changed;
    drip_feeds_and_subscriptions_require_the_same_targets;
    a_package_requires_the_targets_of_each_of_its_services;
    a_package_created_from_a_provider_package_is_synced;
}

const API_TOKEN: &str = "test-token";
const IMPORT_PATH: &str = "/api/v1/admin/external-panels/import-services";
const ORDERS_PATH: &str = "/api/v1/admin/orders";

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

/// The id of the fake external panel's service of this type.
fn external_service_id(service_type: PanelServiceType) -> i64 {
    101 + i64::try_from(T::ALL.iter().position(|candidate| *candidate == service_type).unwrap()).unwrap()
}

fn order_quantity(service_type: PanelServiceType) -> i64 {
    if service_type.is_package() { 1 } else { 3 }
}

async fn start_empty_shop(dialect: Dialect) -> Panel {
    let panel = Panel::with_config(dialect, |config| {
        config.outbound.allow_http = true;
        config.outbound.allowed_networks = vec!["127.0.0.0/8".parse().unwrap()];
        config.outbound.timeout_seconds = 5;
        config.outbound.panel_calls_per_second = 10_000;
    })
    .await;
    shop::insert_shop_records(&panel.app.db, 3, 0).await;
    panel.create_staff("ada", &[Permission::ViewUsers, Permission::ManageApiKeys]).await;
    panel
}

/// Starts the panel under test and a fake external panel (id 1), which sells one service of every type and one of an unknown type.
async fn panel_with_external_panel(dialect: Dialect) -> (Panel, FakePanel) {
    let panel = start_empty_shop(dialect).await;
    let mut panel_state = FakePanelState::new(API_TOKEN);
    for service_type in T::ALL {
        panel_state.add_service(
            external_service_id(*service_type),
            FakeService {
                service_type: service_type.as_str(),
                min_quantity: 1,
                ..FakeService::with_name(service_type.as_str())
            },
        );
    }
    panel_state
        .add_service(200, FakeService { service_type: "Something New", ..FakeService::with_name("New") });
    let external_panel = FakePanel::start(panel_state, Arc::new(panel.clock.clone())).await.unwrap();
    panel.connect_external_panel(&external_panel.url, API_TOKEN).await;
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

    /// The ids of the external panel's services, by the name that the external panel gives to their type.
    async fn fetch_available_services(&self) -> BTreeMap<String, i64> {
        let sql = Sql::new(
            "SELECT type, id FROM external_panel_services WHERE vanished_at IS NULL ORDER BY id DESC",
        );
        (&mut &self.app.db).fetch_all::<(String, i64)>(sql).await.unwrap().into_iter().collect()
    }

    async fn import_services_by_id(&self, ids: &[i64]) -> Vec<i64> {
        let services: Vec<Value> = ids.iter().map(|id| json!({ "id": id })).collect();
        self.post_data(
            IMPORT_PATH,
            json!({ "external_panel_id": 1, "services": services, "service_type_id": 1 }),
        )
        .await;
        let sql = Sql::new("SELECT id FROM services WHERE imported_provider_id IS NOT NULL ORDER BY id");
        (&mut &self.app.db).fetch_all::<(i64,)>(sql).await.unwrap().into_iter().map(|(id,)| id).collect()
    }

    /// Imports one service of each type that this panel can sell. Returns the ids of the new services by type.
    async fn import_every_type(&self) -> BTreeMap<PanelServiceType, i64> {
        let available_ids = self.fetch_available_services().await;
        let ids: Vec<i64> =
            TARGET_VALUES.iter().map(|(service_type, _)| available_ids[service_type.as_str()]).collect();
        self.import_services_by_id(&ids).await;
        let sql =
            Sql::new("SELECT panel_service_type, id FROM services WHERE imported_provider_id IS NOT NULL");
        (&mut &self.app.db).fetch_all::<(PanelServiceType, i64)>(sql).await.unwrap().into_iter().collect()
    }

    async fn dispatch_until_idle(&self) {
        for _ in 0..50 {
            if dispatch::process_all_queues(&self.app).await.unwrap() == 0 {
                return;
            }
        }
        panic!("the dispatcher still finds due orders after 50 runs");
    }

    fn staff_order_body(
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

fn order_url(service_type: PanelServiceType, last_segment: &str) -> String {
    format!("https://video.example/{}/{last_segment}", external_service_id(service_type))
}

fn reseller_request(service: i64, link: &str, extra: &str, values: &[(PanelParameter, &str)]) -> String {
    let values: String = values
        .iter()
        .map(|(parameter, text)| format!("&{parameter}={}", text.replace('\n', "%0A").replace('@', "%40")))
        .collect();
    format!("action=add&service={service}&link={link}{extra}{values}")
}

/// The quantity field of a reseller API request: empty for types whose quantity follows from another field.
fn quantity_field(service_type: PanelServiceType) -> &'static str {
    if service_type.quantity_source() == QuantitySource::Explicit { "&quantity=3" } else { "" }
}

/// Asserts that the external panel received the order with exactly the fields that its type accepts.
fn assert_order_received(
    external_panel: &FakePanel,
    service_type: PanelServiceType,
    link: &str,
    values: &[(PanelParameter, &str)],
) {
    let panel_state = external_panel.state();
    let received_order = panel_state
        .orders
        .values()
        .find(|order| order.link == link)
        .unwrap_or_else(|| panic!("the external panel has no order of {service_type}"));
    let mut expected_fields: BTreeMap<&str, &str> =
        values.iter().map(|(parameter, text)| (parameter.as_str(), *text)).collect();
    let service = external_service_id(service_type).to_string();
    expected_fields.extend([("action", "add"), ("service", service.as_str()), ("link", link)]);
    if service_type.quantity_source() == QuantitySource::Explicit {
        expected_fields.insert("quantity", "3");
    }
    let fields: BTreeMap<&str, &str> =
        received_order.fields.iter().map(|(name, text)| (name.as_str(), text.as_str())).collect();
    assert_eq!(fields, expected_fields, "{service_type}");
}

async fn imports_sells_and_delivers_every_service_type(dialect: Dialect) {
    let (panel, external_panel) = panel_with_external_panel(dialect).await;
    let service_ids = panel.import_every_type().await;
    assert_eq!(service_ids.len(), TARGET_VALUES.len());
    let key = create_api_key(&panel, 1).await;
    let services = send_reseller_request(&panel, &key, "action=services").await;
    let mut placed_orders = Vec::new();
    for (service_type, values) in TARGET_VALUES {
        let id = service_ids[&service_type];
        let listed_service =
            services.as_array().unwrap().iter().find(|service| service["service"] == id).unwrap();
        assert_eq!(
            (&listed_service["type"], &listed_service["rate"]),
            (&json!(service_type), &json!("1")),
            "{service_type}"
        );
        assert!(
            listed_service.get("parameters").is_none(),
            "a listed service must not repeat the parameters that its type implies: {listed_service}"
        );
        let api_link = order_url(service_type, "program");
        let response = send_reseller_request(
            &panel,
            &key,
            &reseller_request(id, &api_link, quantity_field(service_type), values),
        )
        .await;
        placed_orders.push((service_type, parse_order_id(&response), api_link));
        let staff_link = order_url(service_type, "staff");
        let created_record = panel
            .post_data(
                ORDERS_PATH,
                panel.staff_order_body(id, &staff_link, order_quantity(service_type), values),
            )
            .await;
        placed_orders.push((service_type, created_record["id"].as_i64().unwrap(), staff_link));
    }
    panel.dispatch_until_idle().await;
    for _ in 0..20 {
        panel.clock.advance_secs(60);
        panel.dispatch_until_idle().await;
    }
    for (service_type, order, link) in placed_orders {
        let values = TARGET_VALUES.iter().find(|entry| entry.0 == service_type).unwrap().1;
        assert_order_received(&external_panel, service_type, &link, values);
        assert_eq!(panel.fetch_order(order).await["status"], "completed", "{service_type}");
    }
    panel.assert_healthy().await;
}

async fn rejects_an_order_without_a_required_target_and_charges_nothing(dialect: Dialect) {
    let (panel, external_panel) = panel_with_external_panel(dialect).await;
    let service_ids = panel.import_every_type().await;
    let key = create_api_key(&panel, 1).await;
    let balance_before = panel.fetch_main_balance(1).await;
    for (service_type, values) in TARGET_VALUES {
        let (id, link) = (service_ids[&service_type], order_url(service_type, "x"));
        for missing_parameter in service_type.required_parameters() {
            let other_values: Vec<_> =
                values.iter().copied().filter(|(parameter, _)| parameter != missing_parameter).collect();
            let response = send_reseller_request(
                &panel,
                &key,
                &reseller_request(id, &link, "&quantity=3", &other_values),
            )
            .await;
            assert!(response["error"].is_string(), "{service_type} without {missing_parameter}: {response}");
            let rejection = panel
                .post(
                    ORDERS_PATH,
                    &panel.staff_order_body(id, &link, order_quantity(service_type), &other_values),
                )
                .await;
            assert_eq!(
                rejection.status, 422,
                "{service_type} without {missing_parameter}: {}",
                rejection.text
            );
            let field = format!("targets.{}", missing_parameter.display_name());
            assert!(rejection.json()["errors"].get(&field).is_some(), "{}", rejection.text);
        }
        if matches!(service_type.quantity_source(), QuantitySource::LinesOf(_)) {
            let response =
                send_reseller_request(&panel, &key, &reseller_request(id, &link, "&quantity=5", values))
                    .await;
            assert!(
                response["error"].as_str().is_some_and(|message| message.contains("the text has 3")),
                "{service_type}: {response}"
            );
        }
    }
    let traffic_service = service_ids[&T::WebTraffic];
    let without_referrer = [(P::Country, "DE"), (P::Device, "4"), (P::TypeOfTraffic, "2")];
    let response = send_reseller_request(
        &panel,
        &key,
        &reseller_request(traffic_service, "https://a.example", "&quantity=3", &without_referrer),
    )
    .await;
    assert!(
        response["error"].is_string(),
        "an order of traffic from a referrer must name the referring page: {response}"
    );
    // Staff removed the required target from the service, so the server rejects orders that it could not deliver.
    panel
        .execute(Sql::new("DELETE FROM service_targets WHERE service_id = ?").bind(service_ids[&T::Poll]))
        .await;
    let rejection = panel
        .post(ORDERS_PATH, &panel.staff_order_body(service_ids[&T::Poll], "https://a.example", 3, &[]))
        .await;
    assert!(rejection.json()["errors"].get("service_id").is_some(), "{}", rejection.text);
    assert_eq!((panel.fetch_main_balance(1).await, external_panel.state().orders.len()), (balance_before, 0));
    assert_eq!(panel.fetch_number(Sql::new("SELECT count(*) FROM orders")).await, 0);
}

/// Tries every parameter with every type. The error of a parameter that the type does not accept names the parameter.
async fn rejects_a_parameter_that_the_service_type_does_not_accept(dialect: Dialect) {
    let (panel, external_panel) = panel_with_external_panel(dialect).await;
    let service_ids = panel.import_every_type().await;
    panel.execute(Sql::new("UPDATE services SET drip_feed_is_allowed = TRUE, can_speedup = TRUE")).await;
    let key = create_api_key(&panel, 1).await;
    let balance_before = panel.fetch_main_balance(1).await;
    let assert_rejected = async |request: &str, message_part: &str| {
        let response = send_reseller_request(&panel, &key, request).await;
        let message = response["error"].as_str().unwrap_or_default();
        assert!(message.contains(message_part), "{request}: {response}");
    };
    let subscription_fields = ["min", "max", "posts", "old_posts", "delay", "expiry", "period"];
    for (service_type, values) in TARGET_VALUES {
        let valid_request = reseller_request(
            service_ids[&service_type],
            &order_url(service_type, "x"),
            quantity_field(service_type),
            values,
        );
        for parameter in P::ALL.iter().filter(|parameter| !service_type.accepts(**parameter)) {
            let message_part = format!("This service takes no {parameter}");
            assert_rejected(&format!("{valid_request}&{parameter}=1"), &message_part).await;
            assert_rejected(&format!("{valid_request}&runs=2&interval=5&{parameter}=1"), &message_part).await;
        }
        assert_rejected(&format!("{valid_request}&keyword=1"), "This service takes no keyword").await;
        for name in subscription_fields {
            assert_rejected(&format!("{valid_request}&{name}=1"), &format!("An order takes no {name}")).await;
        }
        for name in ["speedup", "guarantee", "child_id"] {
            let message_part = format!("An order with runs takes no {name}");
            assert_rejected(&format!("{valid_request}&runs=2&interval=5&{name}=1"), &message_part).await;
            assert_rejected(&format!("{valid_request}&{name}=-1"), &format!("Incorrect {name}")).await;
            assert_rejected(&format!("{valid_request}&{name}=x"), &format!("Incorrect {name}")).await;
        }
        assert_rejected(&format!("{valid_request}&runs=0"), "Incorrect runs").await;
        assert_rejected(&format!("{valid_request}&runs=-2"), "Incorrect runs").await;
        if service_type.is_package() {
            assert_rejected(&format!("{valid_request}&quantity=3"), "sold one package at a time").await;
        }
    }
    let subscription_request =
        format!("action=add&service={}&username=x&min=1&max=3", service_ids[&T::Default]);
    let fields_of_orders = [
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
    for name in fields_of_orders.into_iter().chain(targets) {
        assert_rejected(
            &format!("{subscription_request}&{name}=1"),
            &format!("A subscription takes no {name}"),
        )
        .await;
    }
    assert_eq!((panel.fetch_main_balance(1).await, external_panel.state().orders.len()), (balance_before, 0));
    let count_inserted_rows_sql = "SELECT (SELECT count(*) FROM orders) + (SELECT count(*) FROM drip_feeds) + (SELECT count(*) FROM subscriptions)";
    assert_eq!(panel.fetch_number(Sql::new(count_inserted_rows_sql)).await, 0);
}

async fn links_a_provider_only_to_services_with_the_targets_its_type_requires(dialect: Dialect) {
    let (panel, external_panel) = panel_with_external_panel(dialect).await;
    let service_ids = panel.import_every_type().await;
    let fetch_provider_id = async |service_type: PanelServiceType| {
        let sql = Sql::new("SELECT id FROM providers WHERE external_panel_service_id = ?");
        panel.fetch_number(sql.bind(external_service_id(service_type).to_string())).await
    };
    let (default_provider, comments_provider) =
        (fetch_provider_id(T::Default).await, fetch_provider_id(T::CustomComments).await);
    let service_path =
        |service_type: PanelServiceType| format!("/api/v1/admin/services/{}", service_ids[&service_type]);
    let put = async |path: &str, body: Value| panel.send("owner", "PUT", path, &body, None).await;
    let rejection =
        put(&service_path(T::Default), json!({ "providers": [default_provider, comments_provider] })).await;
    assert_eq!(rejection.status, 422, "{}", rejection.text);
    let message = rejection.json()["errors"]["providers"][0].as_str().unwrap().to_owned();
    assert!(message.contains("Custom Comments and needs comments"), "{message}");
    let rejection = put(
        &format!("/api/v1/admin/providers/{comments_provider}"),
        json!({ "services": [service_ids[&T::CustomComments], service_ids[&T::Default]] }),
    )
    .await;
    assert_eq!(rejection.status, 422, "{}", rejection.text);
    assert!(rejection.json()["errors"].get("services").is_some(), "{}", rejection.text);
    // A service whose orders have comments may use both providers.
    let both_response =
        put(&service_path(T::CustomComments), json!({ "providers": [comments_provider, default_provider] }))
            .await;
    assert_eq!(both_response.status, 200, "{}", both_response.text);
    assert_eq!(both_response.json()["data"]["panel_service_type"], "Custom Comments");
    let service_list = panel.get("/api/v1/admin/services?panel_service_type=Custom%20Comments").await.json();
    assert_eq!(service_list["data"][0]["panel_service_type"], "Custom Comments", "{service_list}");
    // An order without comments cannot change to a provider that needs comments, and the provider is not in the list of choices.
    let order = panel
        .post_data(ORDERS_PATH, panel.staff_order_body(service_ids[&T::Default], "https://a.example", 3, &[]))
        .await;
    let id = order["id"].as_i64().unwrap();
    let change_body = json!({ "order_ids": [id], "provider_id": comments_provider });
    let rejection = panel.post("/api/v1/admin/orders/change-provider", &change_body).await;
    assert_eq!(rejection.status, 422, "{}", rejection.text);
    assert!(rejection.json()["errors"].get("provider_id").is_some(), "{}", rejection.text);
    let provider_choices = panel
        .get(&format!("/api/v1/admin/providers/available-for-order-recreate?order_id={id}"))
        .await
        .json();
    let ids: Vec<i64> = provider_choices["items"]
        .as_array()
        .unwrap()
        .iter()
        .filter_map(|provider| provider["id"].as_i64())
        .collect();
    assert!(ids.contains(&default_provider) && !ids.contains(&comments_provider), "{ids:?}");
    // The database may contain links from older versions without this rule. The dispatcher chooses a provider that can deliver.
    let insert_link_sql =
        "INSERT INTO service_providers (service_id, provider_id, position) VALUES (?, ?, -1)";
    panel.execute(Sql::new(insert_link_sql).bind(service_ids[&T::Default]).bind(comments_provider)).await;
    panel.dispatch_until_idle().await;
    assert_order_received(&external_panel, T::Default, "https://a.example", &[]);
    // A sync deactivates even a service that staff created if the external panel requires a parameter for which it has no target.
    assert_eq!(put(&service_path(T::Default), json!({ "providers": [default_provider] })).await.status, 200);
    panel
        .execute(
            Sql::new("UPDATE services SET imported_provider_id = NULL WHERE id = ?")
                .bind(service_ids[&T::Default]),
        )
        .await;
    external_panel.state().services.get_mut(&external_service_id(T::Default)).unwrap().service_type = "Poll";
    sync::run(&panel.app, ExternalPanelId::new(1)).await.unwrap();
    let count_deactivated_sql = Sql::new("SELECT count(*) FROM services WHERE is_deactivated AND id = ?")
        .bind(service_ids[&T::Default]);
    assert_eq!(panel.fetch_number(count_deactivated_sql).await, 1);
    panel.assert_healthy().await;
}

async fn rejects_importing_service_types_that_cannot_be_sold(dialect: Dialect) {
    let (panel, _external_panel) = panel_with_external_panel(dialect).await;
    let available_ids = panel.fetch_available_services().await;
    for (service_type, message_part) in
        [("Subscriptions", "which this panel cannot sell"), ("Something New", "does not know")]
    {
        let services = json!([{ "id": available_ids["Default"] }, { "id": available_ids[service_type] }]);
        let rejection = panel
            .post(IMPORT_PATH, &json!({ "external_panel_id": 1, "services": services, "service_type_id": 1 }))
            .await;
        assert_eq!(rejection.status, 422, "{}", rejection.text);
        let message = rejection.json()["errors"]["services.1.id"][0].as_str().unwrap().to_owned();
        assert!(message.contains(message_part), "{message}");
        let body =
            json!({ "external_panel_id": 1, "importable_services_ids": [available_ids[service_type]] });
        let provider = panel.post("/api/v1/admin/external-panels/import-providers", &body).await;
        assert_eq!(provider.status, 422, "{}", provider.text);
    }
    assert_eq!(
        panel
            .fetch_number(Sql::new("SELECT count(*) FROM services WHERE imported_provider_id IS NOT NULL"))
            .await,
        0
    );
    let rows = panel.get_data("/api/v1/admin/external-panels/1/services?length=50").await;
    let rejection = rows.as_array().unwrap().iter().filter(|row| row["rejection"].is_string());
    assert_eq!(rejection.count(), 2, "the list must show the reason before an import");
}

async fn filters_external_services_by_the_reason_that_prevents_an_import(dialect: Dialect) {
    let (panel, external_panel) = panel_with_external_panel(dialect).await;
    let types_with_reason = async |filter: &str| {
        let path = format!("/api/v1/admin/external-panels/1/services?length=50&{filter}");
        let rows = panel.get_data(&path).await;
        let mut rows: Vec<(String, Value)> = rows
            .as_array()
            .unwrap()
            .iter()
            .map(|row| (row["type"].as_str().unwrap().to_owned(), row["rejection_kind"].clone()))
            .collect();
        rows.sort_by(|a, b| a.0.cmp(&b.0));
        rows
    };
    let [unknown_type_row, subscriptions_row] =
        [("Something New", "unknown_type"), ("Subscriptions", "not_sold")]
            .map(|(service_type, reason)| (service_type.to_owned(), json!(reason)));
    assert_eq!(types_with_reason("rejection_kind=not_sold").await, std::slice::from_ref(&subscriptions_row));
    assert_eq!(
        types_with_reason("rejection_kind=unknown_type").await,
        std::slice::from_ref(&unknown_type_row)
    );
    assert_eq!(
        types_with_reason("rejection_kind=unknown_type,not_sold").await,
        [unknown_type_row.clone(), subscriptions_row.clone()]
    );
    assert_eq!(types_with_reason("is_rejected=1").await, [unknown_type_row, subscriptions_row.clone()]);
    let importable = types_with_reason("is_rejected=0").await;
    assert!(importable.len() == T::ALL.len() - 1 && importable.iter().all(|row| row.1.is_null()));
    // The next refresh stores the current type and reason, also if a newer version of this product decides differently.
    external_panel.state().services.get_mut(&200).unwrap().service_type = "Default";
    panel.execute(Sql::new("UPDATE external_panel_services SET rejection_kind = NULL")).await;
    panel.post_data("/api/v1/admin/external-panels/1/available-services", json!({})).await;
    assert_eq!(types_with_reason("is_rejected=1").await, [subscriptions_row]);
}

async fn resells_every_service_type_through_another_server_of_this_product(dialect: Dialect) {
    let (reseller, external_panel) = panel_with_external_panel(dialect).await;
    let reseller_services = reseller.import_every_type().await;
    let token = create_api_key(&reseller, 1).await;
    let reseller = TestServer::serve(reseller).await;
    let child_panel = start_empty_shop(dialect).await;
    child_panel.connect_external_panel(&format!("http://{}/api/v2", reseller.host()), &token).await;
    child_panel.execute(Sql::new("UPDATE external_panels SET type = 'socpanel'")).await;
    reseller.panel.execute(Sql::new("UPDATE users SET account_type = 'child_panel' WHERE id = 1")).await;
    let sql = Sql::new("UPDATE external_panel_services SET vanished_at = 1 WHERE name LIKE 'Service %'");
    child_panel.execute(sql).await;
    let imported_services = child_panel.import_every_type().await;
    assert_eq!(
        imported_services.len(),
        reseller_services.len(),
        "the reseller must list each service with its type"
    );
    let mut placed_orders = Vec::new();
    for (service_type, values) in TARGET_VALUES {
        let link = order_url(service_type, "chain");
        let created_record = child_panel
            .post_data(
                ORDERS_PATH,
                child_panel.staff_order_body(
                    imported_services[&service_type],
                    &link,
                    order_quantity(service_type),
                    values,
                ),
            )
            .await;
        placed_orders.push((service_type, created_record["id"].as_i64().unwrap(), link));
    }
    for _ in 0..60 {
        child_panel.dispatch_until_idle().await;
        reseller.panel.dispatch_until_idle().await;
        child_panel.clock.advance_secs(60);
        reseller.panel.clock.advance_secs(60);
    }
    for (service_type, order, link) in placed_orders {
        let values = TARGET_VALUES.iter().find(|entry| entry.0 == service_type).unwrap().1;
        assert_order_received(&external_panel, service_type, &link, values);
        assert_eq!(child_panel.fetch_order(order).await["status"], "completed", "{service_type}");
        let count_resold_sql =
            Sql::new("SELECT count(*) FROM orders WHERE child_id = ? AND is_child_panel AND url = ?");
        assert_eq!(
            reseller.panel.fetch_number(count_resold_sql.bind(order).bind(link)).await,
            1,
            "{service_type}: the reseller must store the order id of the child panel"
        );
    }
}

async fn forwards_only_target_values_that_the_external_service_accepts(dialect: Dialect) {
    let (panel, external_panel) = panel_with_external_panel(dialect).await;
    let parameters = vec![(P::Country, true), (P::Language, false)];
    external_panel.state().add_service(
        300,
        FakeService { parameters, min_quantity: 1, ..FakeService::with_name("By country") },
    );
    panel.post_data("/api/v1/admin/external-panels/1/available-services", json!({})).await;
    let by_country_sql =
        Sql::new("SELECT id FROM external_panel_services WHERE external_panel_service_id = '300'");
    let id = panel.fetch_number(by_country_sql).await;
    let service_id = panel.import_services_by_id(&[id]).await[0];
    let rejection =
        panel.post(ORDERS_PATH, &panel.staff_order_body(service_id, "https://a.example/1", 3, &[])).await;
    assert!(rejection.json()["errors"].get("targets.Country").is_some(), "{}", rejection.text);
    let values = [(P::Country, "DE"), (P::Language, "en")];
    panel.post_data(ORDERS_PATH, panel.staff_order_body(service_id, "https://a.example/1", 3, &values)).await;
    // Another service has the same targets, but its external service accepts neither parameter.
    let default_provider = panel.fetch_available_services().await["Default"];
    let sql = Sql::new("SELECT id FROM external_panel_services WHERE external_panel_service_id = '101'");
    assert_ne!(panel.fetch_number(sql.clone()).await, id, "{default_provider}");
    let other_service_id = panel.import_services_by_id(&[panel.fetch_number(sql).await]).await[1];
    let copy_targets_sql =
        "INSERT INTO service_targets (service_id, target_id, position, attachment, given_values)
        SELECT ?, target_id, position, 'optional', given_values FROM service_targets WHERE service_id = ?";
    panel.execute(Sql::new(copy_targets_sql).bind(other_service_id).bind(service_id)).await;
    let created_record = panel
        .post_data(ORDERS_PATH, panel.staff_order_body(other_service_id, "https://a.example/2", 3, &values))
        .await;
    panel.dispatch_until_idle().await;
    let received_fields: Vec<BTreeMap<String, String>> =
        external_panel.state().orders.values().map(|order| order.fields.clone()).collect();
    assert_eq!(
        (received_fields[0]["country"].as_str(), received_fields[0]["language"].as_str()),
        ("DE", "en")
    );
    assert!(!received_fields[1].contains_key("country"), "{received_fields:?}");
    let order = panel.fetch_order(created_record["id"].as_i64().unwrap()).await;
    assert_eq!(order["external_panel_orders"][0]["not_forwarded"], json!(["Country", "Language"]));
    let rows = panel.get_data("/api/v1/admin/external-panel-orders").await;
    assert_eq!(rows[0]["not_forwarded"], json!(["Country", "Language"]));
    // The server forwards a value by the parameter of the target, so a new name of the target has no effect.
    panel.execute(Sql::new("UPDATE targets SET name = 'Land' WHERE parameter = 'country'")).await;
    let body_with_renamed_target = json!({ "user_id": 1, "service_id": service_id, "url": "https://a.example/3", "quantity": 3, "targets": { "Land": "FR" } });
    panel.post_data(ORDERS_PATH, body_with_renamed_target).await;
    panel.execute(Sql::new("UPDATE targets SET name = 'Pays' WHERE parameter = 'country'")).await;
    panel.dispatch_until_idle().await;
    let panel_state = external_panel.state();
    assert_eq!(panel_state.orders.values().next_back().unwrap().fields["country"], "FR");
}

async fn sync_deactivates_a_service_whose_panel_service_type_changed(dialect: Dialect) {
    let (panel, external_panel) = panel_with_external_panel(dialect).await;
    let id = panel.fetch_available_services().await["Default"];
    let service_id = panel.import_services_by_id(&[id]).await[0];
    external_panel.state().services.get_mut(&external_service_id(T::Default)).unwrap().service_type = "Poll";
    sync::run(&panel.app, ExternalPanelId::new(1)).await.unwrap();
    let count_deactivated_sql =
        Sql::new("SELECT count(*) FROM services WHERE is_deactivated AND id = ?").bind(service_id);
    assert_eq!(
        panel.fetch_number(count_deactivated_sql.clone()).await,
        1,
        "the sync must deactivate the service, because it could not deliver orders of the former type"
    );
    sync::run(&panel.app, ExternalPanelId::new(1)).await.unwrap();
    assert_eq!(panel.fetch_number(count_deactivated_sql).await, 1);
    let count_deactivations_sql = "SELECT count(*) FROM sync_changes WHERE field = 'is_deactivated'";
    assert_eq!(
        panel.fetch_number(Sql::new(count_deactivations_sql)).await,
        1,
        "the second sync must not record a change"
    );
}

async fn drip_feeds_and_subscriptions_require_the_same_targets(dialect: Dialect) {
    let (panel, external_panel) = panel_with_external_panel(dialect).await;
    let service_ids = panel.import_every_type().await;
    panel.execute(Sql::new("UPDATE services SET drip_feed_is_allowed = TRUE")).await;
    let key = create_api_key(&panel, 1).await;
    let balance_before = panel.fetch_main_balance(1).await;
    let likes_service = service_ids[&T::CommentLikes];
    let drip_feed_fields = "&quantity=3&runs=2&interval=10";
    let response = send_reseller_request(
        &panel,
        &key,
        &reseller_request(likes_service, "https://a.example/1", drip_feed_fields, &[]),
    )
    .await;
    assert!(
        response["error"].is_string() && panel.fetch_main_balance(1).await == balance_before,
        "{response}"
    );
    let values = [(P::Username, "@anna")];
    let order_id_of_first_run = parse_order_id(
        &send_reseller_request(
            &panel,
            &key,
            &reseller_request(likes_service, "https://a.example/1", drip_feed_fields, &values),
        )
        .await,
    );
    panel.dispatch_until_idle().await;
    // The drip-feed uses the target values of its first order, although the service has no targets anymore.
    panel.execute(Sql::new("DELETE FROM service_targets WHERE service_id = ?").bind(likes_service)).await;
    for _ in 0..12 {
        panel.clock.advance_secs(60);
        panel.dispatch_until_idle().await;
        run::run_due(&panel.app).await.unwrap();
    }
    panel.dispatch_until_idle().await;
    assert_eq!(panel.fetch_order(order_id_of_first_run).await["status"], "completed");
    let usernames: Vec<String> =
        external_panel.state().orders.values().map(|order| order.fields["username"].clone()).collect();
    assert_eq!(usernames, ["@anna", "@anna"]);
    let subscription = format!("action=add&service={}&username=x&min=1&max=3", service_ids[&T::Mentions]);
    assert!(
        send_reseller_request(&panel, &key, &subscription).await["error"].is_string(),
        "the server must reject a subscription, because it has no target values for its orders"
    );
}

async fn a_package_requires_the_targets_of_each_of_its_services(dialect: Dialect) {
    let (panel, external_panel) = panel_with_external_panel(dialect).await;
    let service_ids = panel.import_every_type().await;
    let (likes_service, custom_comments) = (service_ids[&T::CommentLikes], service_ids[&T::CustomComments]);
    let contents = json!([{ "id": likes_service, "quantity": 3 }, { "id": custom_comments, "quantity": 2 }, { "id": service_ids[&T::Default], "quantity": 3 }]);
    let body = json!({ "name": "Talk", "network_id": 1, "package_contents": contents });
    let package = panel.post_data("/api/v1/admin/packages", body).await;
    let requested_target = &package["package_contents"][0]["requested_targets"][0];
    assert_eq!(
        (&requested_target["name"], &requested_target["is_required"], &requested_target["parameter"]),
        (&json!("Username"), &json!(true), &json!("username"))
    );
    assert_eq!(package["package_contents"][2]["requested_targets"], json!([]));
    let path = format!("/api/v1/admin/packages/{}/buy", package["id"]);
    let buy_body = |targets: Value| json!({ "user_id": 1, "url": "https://a.example/1", "targets": targets });
    let balance_before = panel.fetch_main_balance(1).await;
    let expect_invalid_fields = async |targets: Value| {
        let rejection = panel.post(&path, &buy_body(targets)).await;
        assert_eq!(rejection.status, 422, "{}", rejection.text);
        rejection.json()["errors"].as_object().unwrap().keys().cloned().collect::<Vec<_>>()
    };
    let (username_field, comments_field) =
        (format!("targets.{likes_service}.Username"), format!("targets.{custom_comments}.Comments"));
    let mut both_fields = vec![username_field.clone(), comments_field.clone()];
    both_fields.sort();
    assert_eq!(
        expect_invalid_fields(json!({})).await,
        both_fields,
        "one response must name every missing value"
    );
    let too_few_comments_body = json!({ likes_service.to_string(): { "Username": "@anna" }, custom_comments.to_string(): { "Comments": "one" } });
    assert_eq!(expect_invalid_fields(too_few_comments_body).await, [comments_field]);
    let unknown_service_body = json!({ likes_service.to_string(): { "Username": "@anna" }, custom_comments.to_string(): { "Comments": "one\ntwo" }, "999": {} });
    assert_eq!(expect_invalid_fields(unknown_service_body).await, ["targets.999"]);
    assert_eq!(panel.fetch_main_balance(1).await, balance_before, "a rejected purchase must not be charged");
    let complete_body = json!({ likes_service.to_string(): { "Username": "@anna" }, custom_comments.to_string(): { "Comments": "one\ntwo" } });
    panel.post_data(&path, buy_body(complete_body)).await;
    for _ in 0..20 {
        panel.dispatch_until_idle().await;
        panel.clock.advance_secs(60);
    }
    let received_values: Vec<Option<String>> = {
        let panel_state = external_panel.state();
        let find_value =
            |name: &str| panel_state.orders.values().find_map(|order| order.fields.get(name).cloned());
        vec![find_value("username"), find_value("comments")]
    };
    assert_eq!(received_values, [Some("@anna".to_owned()), Some("one\ntwo".to_owned())]);
    let count_open_sql = Sql::new("SELECT count(*) FROM orders WHERE status <> 'completed'");
    assert_eq!(panel.fetch_number(count_open_sql).await, 0);
    panel.assert_healthy().await;
}

async fn a_package_created_from_a_provider_package_is_synced(dialect: Dialect) {
    let (panel, external_panel) = panel_with_external_panel(dialect).await;
    let available_id = panel.fetch_available_services().await["Package"];
    let body = json!({ "external_panel_id": 1, "packages": [{ "id": available_id, "network_id": 1, "sync": true }] });
    panel.post_data("/api/v1/admin/external-panels/import-packages", body).await;
    let provider_package_id = panel.fetch_number(Sql::new("SELECT max(id) FROM provider_packages")).await;
    let packages_path = "/api/v1/admin/packages";
    let body = json!({ "provider_package_id": provider_package_id });
    let response_before_import = panel.post(packages_path, &body).await;
    assert_eq!(response_before_import.status, 422, "{}", response_before_import.text);
    let message =
        response_before_import.json()["errors"]["provider_package_id"][0].as_str().unwrap().to_owned();
    assert!(message.starts_with(&format!("Import service {}", external_service_id(T::Package))), "{message}");
    let imported_service_id = panel.import_services_by_id(&[available_id]).await[0];
    let created_record = panel.post_data(packages_path, body).await;
    assert_eq!(
        (
            &created_record["provider_package_id"],
            &created_record["sync"],
            &created_record["name"],
            &created_record["provider"]["name"]
        ),
        (&json!(provider_package_id), &json!(true), &json!("Package"), &json!("Upstream"))
    );
    assert_eq!(
        (&created_record["package_contents"][0]["id"], &created_record["total_cost"]),
        (&json!(imported_service_id), &json!("1"))
    );
    let path = format!("{packages_path}/{}", created_record["id"]);
    let other_response = panel.put(&path, &json!({ "provider_package_id": provider_package_id + 1 })).await;
    assert!(other_response.json()["errors"].get("provider_package_id").is_some(), "{}", other_response.text);
    let cheap_package_response = panel.put(&path, &json!({ "fixed_cost": "0.5" })).await;
    assert_eq!(cheap_package_response.status, 422, "{}", cheap_package_response.text);
    // A stored fixed cost may be lower than the cost of the services if the prices of the services rose later.
    panel
        .execute(
            Sql::new("UPDATE packages SET fixed_cost = 500000 WHERE id = ?")
                .bind(created_record["id"].as_i64()),
        )
        .await;
    assert_eq!(
        panel.get_data(&format!("/api/v1/admin/providers-packages/{provider_package_id}")).await["packages_count"],
        1
    );
    // The external panel renames the package and later stops selling it. The sync applies both changes.
    let fake_service = external_panel.state().services[&external_service_id(T::Package)].clone();
    external_panel.state().add_service(
        external_service_id(T::Package),
        FakeService { name: "Pack of hearts".into(), ..fake_service.clone() },
    );
    sync::run(&panel.app, ExternalPanelId::new(1)).await.unwrap();
    let synced_record = panel.get_data(&path).await;
    assert_eq!(
        (&synced_record["name"], &synced_record["translations"]["en"]["name"]),
        (&json!("Pack of hearts"), &json!("Pack of hearts"))
    );
    assert_eq!(
        synced_record["fixed_cost"], "1",
        "the sync must raise the fixed cost to the cost of the services"
    );
    external_panel.state().services.remove(&external_service_id(T::Package));
    sync::run(&panel.app, ExternalPanelId::new(1)).await.unwrap();
    assert_eq!(panel.get_data(&path).await["is_enabled"], false);
    external_panel.state().add_service(external_service_id(T::Package), fake_service);
    sync::run(&panel.app, ExternalPanelId::new(1)).await.unwrap();
    let package_sold_again = panel.get_data(&path).await;
    assert_eq!(
        (&package_sold_again["is_enabled"], &package_sold_again["name"]),
        (&json!(true), &json!("Package"))
    );
    let body = json!({ "user_id": 1, "url": "https://a.example/1" });
    panel.post_data(&format!("{path}/buy"), body).await;
    panel.dispatch_until_idle().await;
    assert_eq!(external_panel.state().orders.len(), 1);
}
