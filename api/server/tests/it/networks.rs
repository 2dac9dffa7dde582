//! Networks and service types: editing, translations, and sorting of networks, their service types and their services.

use panel_platform::db::{Dialect, Source as _, Sql};
use serde_json::{Value, json};

use crate::panel::Panel;

both! {
    creates_and_updates_a_network;
    the_default_type_of_a_service_type_is_youtube;
    creates_and_moves_a_service_type_with_a_unique_slug;
    refuses_invalid_networks_and_service_types_and_names_the_fields;
    sorts_networks_service_types_and_services;
    refuses_to_sort_a_list_that_changed_meanwhile;
    sorts_three_thousand_services_in_one_request;
    refuses_to_delete_records_in_use_and_names_what_uses_them;
}

const NETWORKS: &str = "/api/v1/admin/networks";
const TYPES: &str = "/api/v1/admin/service-types";

impl Panel {
    pub(crate) async fn put(&self, path: &str, body: &Value) -> crate::panel::Answer {
        self.send("owner", "PUT", path, body, None).await
    }

    /// The `data` of a successful response.
    pub(crate) async fn get_data(&self, path: &str) -> Value {
        let answer = self.get(path).await;
        assert_eq!(answer.status, 200, "{}", answer.text);
        answer.json()["data"].clone()
    }

    pub(crate) async fn post_data(&self, path: &str, body: Value) -> Value {
        let answer = self.post(path, &body).await;
        assert_eq!(answer.status, 200, "{}", answer.text);
        answer.json()["data"].clone()
    }
}

/// The ids of a list.
pub(crate) fn ids(list: &Value) -> Vec<i64> {
    list.as_array().unwrap().iter().map(|record| record["id"].as_i64().unwrap()).collect()
}

async fn the_default_type_of_a_service_type_is_youtube(dialect: Dialect) {
    let panel = Panel::shop(dialect, 1, 0).await;
    let created = panel.post_data(TYPES, json!({ "name": "Plain", "network": 1 })).await;
    assert_eq!(created["type"], "Youtube");
}

async fn creates_and_updates_a_network(dialect: Dialect) {
    let panel = Panel::shop(dialect, 3, 0).await;
    let body = json!({ "color": "#FF0033", "url_examples": ["https://video.example/watch"],
        "translations": { "en": { "name": "Music" }, "de": { "name": " Musik " }, "fr": { "name": "" } } });
    let created = panel.post_data(NETWORKS, body).await;
    assert_eq!(
        (&created["name"], &created["color"], &created["sorting"]),
        (&json!("Music"), &json!("#ff0033"), &json!(1))
    );
    assert_eq!(created["translations"], json!({ "en": { "name": "Music" }, "de": { "name": "Musik" } }));
    let path = format!("{NETWORKS}/{}", created["id"]);
    let change = json!({ "name": "Songs", "color": null, "updated_at": created["updated_at"] });
    panel.clock.advance_secs(5);
    let changed = panel.put(&path, &change).await;
    assert_eq!(changed.status, 200, "{}", changed.text);
    let changed = changed.json()["data"].clone();
    assert_eq!((&changed["name"], &changed["color"]), (&json!("Songs"), &Value::Null));
    assert_eq!(
        changed["translations"]["de"]["name"], "Musik",
        "a translation that the request does not name is unchanged"
    );
    assert_eq!(panel.put(&path, &change).await.status_and_code(), (409, "changed_meanwhile".into()));
    assert_eq!(panel.put(&path, &json!({})).await.json()["data"], changed, "an empty body changes nothing");
    assert_eq!(panel.put(&format!("{NETWORKS}/99"), &json!({})).await.status, 404);
    let logs = panel
        .get_data("/api/v1/admin/services/logs?columns[0][data]=type&columns[0][search][value]=network")
        .await;
    let changes: Vec<_> = logs
        .as_array()
        .unwrap()
        .iter()
        .map(|log| (log["information"].as_str(), log["new_value"].as_str()))
        .collect();
    assert!(changes.contains(&(Some("Translations.en.name"), Some("Songs"))), "{changes:?}");
    assert!(changes.contains(&(Some("Color"), None)), "{changes:?}");
    let audits =
        Sql::new("SELECT count(*) FROM audits WHERE event IN ('network.created', 'network.updated')");
    assert_eq!(panel.number(audits).await, 2);
}

async fn creates_and_moves_a_service_type_with_a_unique_slug(dialect: Dialect) {
    let panel = Panel::shop(dialect, 3, 0).await;
    let other = panel.post_data(NETWORKS, json!({ "name": "Music" })).await["id"].clone();
    let body = json!({ "name": "Plays", "network": 1, "type": "Spotify", "slug": "plays", "reviews_rating": "4.5",
        "translations": { "en": { "title": "Buy plays", "faq": "Is it safe?" } } });
    let created = panel.post_data(TYPES, body.clone()).await;
    assert_eq!(
        (&created["type"], &created["reviews_rating"], &created["sorting"]),
        (&json!("Spotify"), &json!("4.5"), &json!(1))
    );
    assert_eq!(
        created["translations"]["en"],
        json!({ "name": "Plays", "title": "Buy plays", "faq": "Is it safe?" })
    );
    assert_eq!(panel.post(TYPES, &body).await.status_and_code(), (422, "slug_taken".into()));
    let path = format!("{TYPES}/{}", created["id"]);
    let change = json!({ "panel_service_type": { "id": created["id"], "network": other, "slug": null } });
    let moved = panel.put(&path, &change).await;
    assert_eq!(moved.json()["data"]["network"]["name"], "Music", "{}", moved.text);
    assert_eq!(panel.get_data(&path).await, moved.json()["data"]);
    assert_eq!(
        ids(&panel.get_data(&format!("{NETWORKS}/{other}/service-types")).await),
        [created["id"].as_i64().unwrap()]
    );
    let row = panel.get_data(&format!("{TYPES}?columns[0][data]=name&columns[0][search][value]=lay")).await;
    assert_eq!((ids(&row).len(), &row[0]["services_count"]), (1, &json!(0)));
    assert_eq!(panel.get_data(&format!("{TYPES}/collections")).await["types"][0]["type"], "Youtube");
    assert_eq!(panel.get(&format!("{TYPES}/99")).await.status, 404);
    assert_eq!(panel.get(&format!("{TYPES}/99/services")).await.status, 404);
    assert_eq!(panel.get(&format!("{NETWORKS}/99/service-types")).await.status, 404);
}

async fn refuses_invalid_networks_and_service_types_and_names_the_fields(dialect: Dialect) {
    let panel = Panel::shop(dialect, 3, 0).await;
    let wrong_fields = async |method: &str, path: &str, body: Value| -> Vec<String> {
        let answer = panel.send("owner", method, path, &body, None).await;
        assert_eq!(answer.status, 422, "{}", answer.text);
        answer.json()["errors"].as_object().unwrap().keys().cloned().collect()
    };
    assert_eq!(wrong_fields("POST", NETWORKS, json!({ "color": "red" })).await, ["color", "name"]);
    let texts =
        json!({ "translations": { "en": { "name": "A" }, "xx": { "name": "B" }, "de": { "title": "C" } } });
    assert_eq!(wrong_fields("POST", NETWORKS, texts).await, ["translations.de.title", "translations.xx"]);
    assert_eq!(wrong_fields("POST", TYPES, json!({ "id": 7, "name": "A", "network": 99 })).await, ["id"]);
    assert_eq!(wrong_fields("POST", TYPES, json!({ "name": "A", "network": 99 })).await, ["network"]);
    let other = json!({ "panel_service_type": { "id": 2 } });
    assert_eq!(wrong_fields("PUT", &format!("{TYPES}/1"), other).await, ["panel_service_type.id"]);
    let wrong_kind = json!({ "panel_service_type": { "reviews_rating": "high" } });
    let out_of_bounds = json!({ "panel_service_type": { "reviews_rating": "5.1" } });
    for body in [wrong_kind, out_of_bounds] {
        let fields = wrong_fields("PUT", &format!("{TYPES}/1"), body).await;
        assert_eq!(fields, ["panel_service_type.reviews_rating"]);
    }
    panel.post_data(TYPES, json!({ "name": "Plain", "network": 1, "slug": "plain" })).await;
    let used_slug = json!({ "panel_service_type": { "slug": "plain" } });
    let answer = panel.put(&format!("{TYPES}/1"), &used_slug).await;
    assert_eq!(answer.status_and_code(), (422, "slug_taken".into()));
    assert!(answer.json()["errors"]["panel_service_type.slug"].is_array(), "{}", answer.text);
    let twice = json!({ "services": [1, 2, 3, 1] });
    assert_eq!(wrong_fields("POST", &format!("{TYPES}/1/sort-services"), twice).await, ["services.3"]);
}

async fn sorts_networks_service_types_and_services(dialect: Dialect) {
    let panel = Panel::shop(dialect, 3, 0).await;
    let network = panel.post_data(NETWORKS, json!({ "name": "Music" })).await["id"].as_i64().unwrap();
    let service_type =
        panel.post_data(TYPES, json!({ "name": "Plays", "network": 1 })).await["id"].as_i64().unwrap();
    let sort = async |path: &str, body: Value| panel.post(path, &body).await.status.as_u16();
    assert_eq!(sort(&format!("{NETWORKS}/sort"), json!({ "networks": [network, 1] })).await, 204);
    assert_eq!(ids(&panel.get_data(NETWORKS).await), [network, 1]);
    let types = format!("{NETWORKS}/1/sort-service-types");
    assert_eq!(sort(&types, json!({ "service_types": [service_type, 1] })).await, 204);
    assert_eq!(ids(&panel.get_data(&format!("{NETWORKS}/1/service-types")).await), [service_type, 1]);
    let services = format!("{TYPES}/1/sort-services");
    assert_eq!(sort(&services, json!({ "services": [3, 1, 2] })).await, 204);
    let sorted = panel.get_data(&format!("{TYPES}/1/services")).await;
    assert_eq!(ids(&sorted), [3, 1, 2]);
    assert_eq!((&sorted[0]["sorting"], &sorted[2]["sorting"]), (&json!(1), &json!(3)));
    let audits =
        Sql::new("SELECT count(*) FROM audits WHERE event IN ('network.sorted', 'service_type.sorted')");
    assert_eq!(panel.number(audits.clone()).await, 3);
    assert_eq!(sort(&services, json!({ "services": [3, 1, 2] })).await, 204);
    assert_eq!(panel.number(audits).await, 3, "sorting into the current order writes no audit entry");
}

async fn refuses_to_sort_a_list_that_changed_meanwhile(dialect: Dialect) {
    let panel = Panel::shop(dialect, 3, 0).await;
    let path = format!("{TYPES}/1/sort-services");
    for stale in [json!([1, 2]), json!([1, 2, 3, 4])] {
        let refused = panel.post(&path, &json!({ "services": stale })).await.status_and_code();
        assert_eq!(refused, (409, "list_changed".into()));
    }
    panel.execute(Sql::new("UPDATE services SET is_archived = TRUE WHERE id = 2")).await;
    assert_eq!(ids(&panel.get_data(&format!("{TYPES}/1/services")).await), [1, 3]);
    assert_eq!(panel.post(&path, &json!({ "services": [3, 1] })).await.status, 204);
    assert_eq!(
        panel.post(&format!("{TYPES}/99/sort-services"), &json!({ "services": [] })).await.status,
        404
    );
}

async fn sorts_three_thousand_services_in_one_request(dialect: Dialect) {
    let panel = Panel::shop(dialect, 3, 0).await;
    panel.add_services(3_000).await;
    let mut list = ids(&panel.get_data(&format!("{TYPES}/1/services")).await);
    list.reverse();
    let (body, path) = (json!({ "services": list }), format!("{TYPES}/1/sort-services"));
    let started_at = std::time::Instant::now();
    assert_eq!(panel.post(&path, &body).await.status, 204);
    let duration = started_at.elapsed();
    assert_eq!(ids(&panel.get_data(&format!("{TYPES}/1/services")).await), list);
    // A generous bound, because this runs unoptimized and next to other tests. The benchmark measures the real time.
    assert!(duration.as_millis() < 3_000, "{duration:?}");
}

impl Panel {
    /// Inserts services of the first type until there are `count`, with texts in every language.
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

async fn refuses_to_delete_records_in_use_and_names_what_uses_them(dialect: Dialect) {
    let panel = Panel::shop(dialect, 3, 0).await;
    let delete =
        async |path: String| panel.call("127.0.0.1", Some("owner"), "DELETE", &path, &Value::Null).await;
    let assert_refused = async |path: String, code: &str, names: &[&str]| {
        let answer = delete(path).await;
        assert_eq!(answer.status_and_code(), (409, code.into()), "{}", answer.text);
        for name in names {
            assert!(answer.text.contains(name), "{name}: {}", answer.text);
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
    assert_refused(
        network_path.clone(),
        "network_in_use",
        &["service types: Plays (", "packages: Starter ("],
    )
    .await;
    panel.post_data("/api/v1/admin/settings", json!({ "service_types": [service_type] })).await;
    assert_refused(
        type_path.clone(),
        "service_type_in_use",
        &["packages: Starter (", "panel settings: service_types"],
    )
    .await;
    panel.post_data("/api/v1/admin/settings", json!({ "service_types": [] })).await;
    // The refusal to archive a service names every kind of record that uses it.
    panel.post_data("/api/v1/admin/auto-promotions/services", json!({ "services": [1] })).await;
    panel.create_quest(json!({ "service_id": 1 })).await;
    let discount = json!({ "name": "Summer", "valid_from": "2026-01-01 00:00:00", "services": [{ "id": 1, "discount_fraction": "0.1" }] });
    panel.post_data("/api/v1/admin/discounts", discount).await;
    let refused = panel.post("/api/v1/admin/services/1/archive", &json!({})).await;
    assert_eq!(refused.status_and_code(), (409, "service_in_use".into()));
    for name in [
        "packages: Starter (",
        "discounts: Summer (",
        "auto-promotion of networks: ",
        "quests: Post about us (",
    ] {
        assert!(refused.text.contains(name), "{name}: {}", refused.text);
    }
    // Once nothing uses them, the network and the service type can be deleted.
    panel.execute(Sql::new("DELETE FROM package_contents")).await;
    panel.execute(Sql::new("DELETE FROM packages WHERE id = ?").bind(package.as_i64())).await;
    for path in [type_path, network_path] {
        assert_eq!(delete(path.clone()).await.status, 204);
        assert_eq!(delete(path).await.status, 404);
    }
    let sorting: Vec<i64> = panel
        .get_data("/api/v1/admin/networks")
        .await
        .as_array()
        .unwrap()
        .iter()
        .map(|network| network["sorting"].as_i64().unwrap())
        .collect();
    assert_eq!(sorting, [0, 1], "the positions have no gaps after the deletion");
    let audits = "SELECT count(*) FROM audits WHERE event IN ('network.deleted', 'service_type.deleted')";
    assert_eq!(panel.number(Sql::new(audits)).await, 2);
}
