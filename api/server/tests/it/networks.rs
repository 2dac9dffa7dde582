//! Networks and service types: editing, translations, and sorting of networks, their service types and their services.

use panel_platform::db::{Dialect, Sql, SqlExecutor as _};
use serde_json::{Value, json};

use crate::panel::Panel;

test_both_databases! {
    creates_and_updates_a_network;
    a_service_type_has_the_type_youtube_by_default;
    creates_and_moves_a_service_type_with_a_unique_slug;
    rejects_invalid_networks_and_service_types_and_names_the_fields;
    sorts_networks_service_types_and_services;
    rejects_sorting_a_list_that_changed_meanwhile;
    sorts_three_thousand_services_in_one_request;
    rejects_deleting_records_in_use_and_names_their_users;
}

const NETWORKS_PATH: &str = "/api/v1/admin/networks";
const SERVICE_TYPES_PATH: &str = "/api/v1/admin/service-types";

impl Panel {
    pub(crate) async fn put(&self, path: &str, body: &Value) -> crate::panel::TestResponse {
        self.send("owner", "PUT", path, body, None).await
    }

    /// The `data` of a successful response.
    pub(crate) async fn get_data(&self, path: &str) -> Value {
        let response = self.get(path).await;
        assert_eq!(response.status, 200, "{}", response.text);
        response.json()["data"].clone()
    }

    pub(crate) async fn post_data(&self, path: &str, body: Value) -> Value {
        let response = self.post(path, &body).await;
        assert_eq!(response.status, 200, "{}", response.text);
        response.json()["data"].clone()
    }
}

/// The ids of a list.
pub(crate) fn ids(service_ids: &Value) -> Vec<i64> {
    service_ids.as_array().unwrap().iter().map(|record| record["id"].as_i64().unwrap()).collect()
}

async fn a_service_type_has_the_type_youtube_by_default(dialect: Dialect) {
    let panel = Panel::with_users_and_orders(dialect, 1, 0).await;
    let created_record = panel.post_data(SERVICE_TYPES_PATH, json!({ "name": "Plain", "network": 1 })).await;
    assert_eq!(created_record["type"], "Youtube");
}

async fn creates_and_updates_a_network(dialect: Dialect) {
    let panel = Panel::with_users_and_orders(dialect, 3, 0).await;
    let body = json!({ "color": "#FF0033", "url_examples": ["https://video.example/watch"],
        "translations": { "en": { "name": "Music" }, "de": { "name": " Musik " }, "fr": { "name": "" } } });
    let created_record = panel.post_data(NETWORKS_PATH, body).await;
    assert_eq!(
        (&created_record["name"], &created_record["color"], &created_record["sorting"]),
        (&json!("Music"), &json!("#ff0033"), &json!(1))
    );
    assert_eq!(
        created_record["translations"],
        json!({ "en": { "name": "Music" }, "de": { "name": "Musik" } })
    );
    let path = format!("{NETWORKS_PATH}/{}", created_record["id"]);
    let change_body = json!({ "name": "Songs", "color": null, "updated_at": created_record["updated_at"] });
    panel.clock.advance_secs(5);
    let change_response = panel.put(&path, &change_body).await;
    assert_eq!(change_response.status, 200, "{}", change_response.text);
    let changed_record = change_response.json()["data"].clone();
    assert_eq!((&changed_record["name"], &changed_record["color"]), (&json!("Songs"), &Value::Null));
    assert_eq!(
        changed_record["translations"]["de"]["name"], "Musik",
        "a translation that is not in the request must stay unchanged"
    );
    assert_eq!(panel.put(&path, &change_body).await.status_and_code(), (409, "changed_meanwhile".into()));
    assert_eq!(
        panel.put(&path, &json!({})).await.json()["data"],
        changed_record,
        "an empty body must not change anything"
    );
    assert_eq!(panel.put(&format!("{NETWORKS_PATH}/99"), &json!({})).await.status, 404);
    let change_logs = panel
        .get_data("/api/v1/admin/services/logs?columns[0][data]=type&columns[0][search][value]=network")
        .await;
    let changes: Vec<_> = change_logs
        .as_array()
        .unwrap()
        .iter()
        .map(|log| (log["information"].as_str(), log["new_value"].as_str()))
        .collect();
    assert!(changes.contains(&(Some("Translations.en.name"), Some("Songs"))), "{changes:?}");
    assert!(changes.contains(&(Some("Color"), None)), "{changes:?}");
    let count_audits_sql =
        Sql::new("SELECT count(*) FROM audits WHERE event IN ('network.created', 'network.updated')");
    assert_eq!(panel.fetch_number(count_audits_sql).await, 2);
}

async fn creates_and_moves_a_service_type_with_a_unique_slug(dialect: Dialect) {
    let panel = Panel::with_users_and_orders(dialect, 3, 0).await;
    let other_network_id = panel.post_data(NETWORKS_PATH, json!({ "name": "Music" })).await["id"].clone();
    let body = json!({ "name": "Plays", "network": 1, "type": "Spotify", "slug": "plays", "reviews_rating": "4.5",
        "translations": { "en": { "title": "Buy plays", "faq": "Is it safe?" } } });
    let created_record = panel.post_data(SERVICE_TYPES_PATH, body.clone()).await;
    assert_eq!(
        (&created_record["type"], &created_record["reviews_rating"], &created_record["sorting"]),
        (&json!("Spotify"), &json!("4.5"), &json!(1))
    );
    assert_eq!(
        created_record["translations"]["en"],
        json!({ "name": "Plays", "title": "Buy plays", "faq": "Is it safe?" })
    );
    assert_eq!(panel.post(SERVICE_TYPES_PATH, &body).await.status_and_code(), (422, "slug_taken".into()));
    let path = format!("{SERVICE_TYPES_PATH}/{}", created_record["id"]);
    let change_body = json!({ "panel_service_type": { "id": created_record["id"], "network": other_network_id, "slug": null } });
    let move_response = panel.put(&path, &change_body).await;
    assert_eq!(move_response.json()["data"]["network"]["name"], "Music", "{}", move_response.text);
    assert_eq!(panel.get_data(&path).await, move_response.json()["data"]);
    assert_eq!(
        ids(&panel.get_data(&format!("{NETWORKS_PATH}/{other_network_id}/service-types")).await),
        [created_record["id"].as_i64().unwrap()]
    );
    let service_type_rows = panel
        .get_data(&format!("{SERVICE_TYPES_PATH}?columns[0][data]=name&columns[0][search][value]=lay"))
        .await;
    assert_eq!((ids(&service_type_rows).len(), &service_type_rows[0]["services_count"]), (1, &json!(0)));
    assert_eq!(
        panel.get_data(&format!("{SERVICE_TYPES_PATH}/collections")).await["types"][0]["type"],
        "Youtube"
    );
    assert_eq!(panel.get(&format!("{SERVICE_TYPES_PATH}/99")).await.status, 404);
    assert_eq!(panel.get(&format!("{SERVICE_TYPES_PATH}/99/services")).await.status, 404);
    assert_eq!(panel.get(&format!("{NETWORKS_PATH}/99/service-types")).await.status, 404);
}

async fn rejects_invalid_networks_and_service_types_and_names_the_fields(dialect: Dialect) {
    let panel = Panel::with_users_and_orders(dialect, 3, 0).await;
    let expect_invalid_fields = async |method: &str, path: &str, body: Value| -> Vec<String> {
        let response = panel.send("owner", method, path, &body, None).await;
        assert_eq!(response.status, 422, "{}", response.text);
        response.json()["errors"].as_object().unwrap().keys().cloned().collect()
    };
    assert_eq!(
        expect_invalid_fields("POST", NETWORKS_PATH, json!({ "color": "red" })).await,
        ["color", "name"]
    );
    let translations_body =
        json!({ "translations": { "en": { "name": "A" }, "xx": { "name": "B" }, "de": { "title": "C" } } });
    assert_eq!(
        expect_invalid_fields("POST", NETWORKS_PATH, translations_body).await,
        ["translations.de.title", "translations.xx"]
    );
    assert_eq!(
        expect_invalid_fields("POST", SERVICE_TYPES_PATH, json!({ "id": 7, "name": "A", "network": 99 }))
            .await,
        ["id"]
    );
    assert_eq!(
        expect_invalid_fields("POST", SERVICE_TYPES_PATH, json!({ "name": "A", "network": 99 })).await,
        ["network"]
    );
    let other_id_body = json!({ "panel_service_type": { "id": 2 } });
    assert_eq!(
        expect_invalid_fields("PUT", &format!("{SERVICE_TYPES_PATH}/1"), other_id_body).await,
        ["panel_service_type.id"]
    );
    let wrong_type_body = json!({ "panel_service_type": { "reviews_rating": "high" } });
    let out_of_bounds_body = json!({ "panel_service_type": { "reviews_rating": "5.1" } });
    for body in [wrong_type_body, out_of_bounds_body] {
        let fields = expect_invalid_fields("PUT", &format!("{SERVICE_TYPES_PATH}/1"), body).await;
        assert_eq!(fields, ["panel_service_type.reviews_rating"]);
    }
    panel.post_data(SERVICE_TYPES_PATH, json!({ "name": "Plain", "network": 1, "slug": "plain" })).await;
    let used_slug_body = json!({ "panel_service_type": { "slug": "plain" } });
    let response = panel.put(&format!("{SERVICE_TYPES_PATH}/1"), &used_slug_body).await;
    assert_eq!(response.status_and_code(), (422, "slug_taken".into()));
    assert!(response.json()["errors"]["panel_service_type.slug"].is_array(), "{}", response.text);
    let duplicate_ids_body = json!({ "services": [1, 2, 3, 1] });
    assert_eq!(
        expect_invalid_fields("POST", &format!("{SERVICE_TYPES_PATH}/1/sort-services"), duplicate_ids_body)
            .await,
        ["services.3"]
    );
}

async fn sorts_networks_service_types_and_services(dialect: Dialect) {
    let panel = Panel::with_users_and_orders(dialect, 3, 0).await;
    let network = panel.post_data(NETWORKS_PATH, json!({ "name": "Music" })).await["id"].as_i64().unwrap();
    let service_type =
        panel.post_data(SERVICE_TYPES_PATH, json!({ "name": "Plays", "network": 1 })).await["id"]
            .as_i64()
            .unwrap();
    let sort_and_return_status =
        async |path: &str, body: Value| panel.post(path, &body).await.status.as_u16();
    assert_eq!(
        sort_and_return_status(&format!("{NETWORKS_PATH}/sort"), json!({ "networks": [network, 1] })).await,
        204
    );
    assert_eq!(ids(&panel.get_data(NETWORKS_PATH).await), [network, 1]);
    let sort_types_path = format!("{NETWORKS_PATH}/1/sort-service-types");
    assert_eq!(
        sort_and_return_status(&sort_types_path, json!({ "service_types": [service_type, 1] })).await,
        204
    );
    assert_eq!(ids(&panel.get_data(&format!("{NETWORKS_PATH}/1/service-types")).await), [service_type, 1]);
    let sort_services_path = format!("{SERVICE_TYPES_PATH}/1/sort-services");
    assert_eq!(sort_and_return_status(&sort_services_path, json!({ "services": [3, 1, 2] })).await, 204);
    let sorted_services = panel.get_data(&format!("{SERVICE_TYPES_PATH}/1/services")).await;
    assert_eq!(ids(&sorted_services), [3, 1, 2]);
    assert_eq!((&sorted_services[0]["sorting"], &sorted_services[2]["sorting"]), (&json!(1), &json!(3)));
    let count_audits_sql =
        Sql::new("SELECT count(*) FROM audits WHERE event IN ('network.sorted', 'service_type.sorted')");
    assert_eq!(panel.fetch_number(count_audits_sql.clone()).await, 3);
    assert_eq!(sort_and_return_status(&sort_services_path, json!({ "services": [3, 1, 2] })).await, 204);
    assert_eq!(
        panel.fetch_number(count_audits_sql).await,
        3,
        "sorting into the current order must not write an audit entry"
    );
}

async fn rejects_sorting_a_list_that_changed_meanwhile(dialect: Dialect) {
    let panel = Panel::with_users_and_orders(dialect, 3, 0).await;
    let path = format!("{SERVICE_TYPES_PATH}/1/sort-services");
    for outdated_list in [json!([1, 2]), json!([1, 2, 3, 4])] {
        let rejection = panel.post(&path, &json!({ "services": outdated_list })).await.status_and_code();
        assert_eq!(rejection, (409, "list_changed".into()));
    }
    panel.execute(Sql::new("UPDATE services SET is_archived = TRUE WHERE id = 2")).await;
    assert_eq!(ids(&panel.get_data(&format!("{SERVICE_TYPES_PATH}/1/services")).await), [1, 3]);
    assert_eq!(panel.post(&path, &json!({ "services": [3, 1] })).await.status, 204);
    assert_eq!(
        panel
            .post(&format!("{SERVICE_TYPES_PATH}/99/sort-services"), &json!({ "services": [] }))
            .await
            .status,
        404
    );
}

async fn sorts_three_thousand_services_in_one_request(dialect: Dialect) {
    let panel = Panel::with_users_and_orders(dialect, 3, 0).await;
    panel.add_services(3_000).await;
    let mut service_ids = ids(&panel.get_data(&format!("{SERVICE_TYPES_PATH}/1/services")).await);
    service_ids.reverse();
    let (body, path) = (json!({ "services": service_ids }), format!("{SERVICE_TYPES_PATH}/1/sort-services"));
    let started_at = std::time::Instant::now();
    assert_eq!(panel.post(&path, &body).await.status, 204);
    let duration = started_at.elapsed();
    assert_eq!(ids(&panel.get_data(&format!("{SERVICE_TYPES_PATH}/1/services")).await), service_ids);
    // A generous bound, because the test runs unoptimized code next to other tests. A benchmark measures the real time.
    assert!(duration.as_millis() < 3_000, "{duration:?}");
}

impl Panel {
    /// Inserts services of the first type until `count` services exist, with translations in every language.
    pub(crate) async fn add_services(&self, count: i64) {
        let mut tx = self.app.db.begin().await.unwrap();
        for sql in [
            Sql::new(
                "INSERT INTO services (id, service_type_id, name, min_quantity, max_quantity, min_price, default_price, sorting, created_at, updated_at)
                 WITH RECURSIVE n (i) AS (SELECT CAST(4 AS BIGINT) UNION ALL SELECT i + 1 FROM n WHERE i < ?)
                 SELECT i, 1, 'Service ' || i, 10, 100000, 1000000, 2000000, i, 1, 1 FROM n",
            )
            .bind(count),
            Sql::new(
                "INSERT INTO translations (owner_type, owner_id, locale, field, value)
                 SELECT 'service', s.id, l.locale, f.field, f.field || ' ' || s.id FROM services s
                 CROSS JOIN (SELECT 'en' AS locale UNION ALL SELECT 'ru' UNION ALL SELECT 'es' UNION ALL SELECT 'fr' UNION ALL SELECT 'de' UNION ALL SELECT 'hi_IN'
                   UNION ALL SELECT 'ko' UNION ALL SELECT 'pt_BR' UNION ALL SELECT 'tr' UNION ALL SELECT 'zh_CN' UNION ALL SELECT 'ja' UNION ALL SELECT 'vi') l
                 CROSS JOIN (SELECT 'name' AS field UNION ALL SELECT 'description' UNION ALL SELECT 'speed') f",
            ),
        ] {
            tx.execute(sql).await.unwrap();
        }
        panel_platform::db::bulk::advance_id_sequence(&mut tx, "services").await.unwrap();
        tx.commit().await.unwrap();
    }
}

async fn rejects_deleting_records_in_use_and_names_their_users(dialect: Dialect) {
    let panel = Panel::with_users_and_orders(dialect, 3, 0).await;
    let delete = async |path: String| {
        panel.request_from("127.0.0.1", Some("owner"), "DELETE", &path, &Value::Null).await
    };
    let assert_delete_rejected = async |path: String, code: &str, names: &[&str]| {
        let response = delete(path).await;
        assert_eq!(response.status_and_code(), (409, code.into()), "{}", response.text);
        for name in names {
            assert!(response.text.contains(name), "{name}: {}", response.text);
        }
    };
    let network = panel.post_data("/api/v1/admin/networks", json!({ "name": "Music" })).await["id"].clone();
    panel.post_data("/api/v1/admin/networks", json!({ "name": "Photos" })).await;
    let service_type = json!({ "name": "Plays", "network": network });
    let service_type = panel.post_data("/api/v1/admin/service-types", service_type).await["id"].clone();
    let package = json!({ "name": "Starter", "network_id": network, "service_type_id": service_type, "package_contents": [{ "id": 1, "quantity": 100 }] });
    let package = panel.post_data("/api/v1/admin/packages", package).await["id"].clone();
    let (network_path, type_path) =
        (format!("/api/v1/admin/networks/{network}"), format!("/api/v1/admin/service-types/{service_type}"));
    assert_delete_rejected(
        network_path.clone(),
        "network_in_use",
        &["service types: Plays (", "packages: Starter ("],
    )
    .await;
    panel.post_data("/api/v1/admin/settings", json!({ "service_types": [service_type] })).await;
    assert_delete_rejected(
        type_path.clone(),
        "service_type_in_use",
        &["packages: Starter (", "panel settings: service_types"],
    )
    .await;
    panel.post_data("/api/v1/admin/settings", json!({ "service_types": [] })).await;
    // The refusal to archive a service names every kind of record that uses it.
    panel.post_data("/api/v1/admin/auto-promotions/services", json!({ "services": [1] })).await;
    panel.create_quest(json!({ "service_id": 1 })).await;
    let discount_body = json!({ "name": "Summer", "valid_from": "2026-01-01 00:00:00", "services": [{ "id": 1, "discount_fraction": "0.1" }] });
    panel.post_data("/api/v1/admin/discounts", discount_body).await;
    let rejection = panel.post("/api/v1/admin/services/1/archive", &json!({})).await;
    assert_eq!(rejection.status_and_code(), (409, "service_in_use".into()));
    for name in [
        "packages: Starter (",
        "discounts: Summer (",
        "auto-promotion of networks: ",
        "quests: Post about us (",
    ] {
        assert!(rejection.text.contains(name), "{name}: {}", rejection.text);
    }
    // Staff can delete the network and the service type when no record uses them.
    panel.execute(Sql::new("DELETE FROM package_contents")).await;
    panel.execute(Sql::new("DELETE FROM packages WHERE id = ?").bind(package.as_i64())).await;
    for path in [type_path, network_path] {
        assert_eq!(delete(path.clone()).await.status, 204);
        assert_eq!(delete(path).await.status, 404);
    }
    let positions: Vec<i64> = panel
        .get_data("/api/v1/admin/networks")
        .await
        .as_array()
        .unwrap()
        .iter()
        .map(|network| network["sorting"].as_i64().unwrap())
        .collect();
    assert_eq!(positions, [0, 1], "the positions must not have gaps after the deletion");
    let count_audits_sql =
        "SELECT count(*) FROM audits WHERE event IN ('network.deleted', 'service_type.deleted')";
    assert_eq!(panel.fetch_number(Sql::new(count_audits_sql)).await, 2);
}
