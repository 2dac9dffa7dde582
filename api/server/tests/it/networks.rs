//! Networks and service types: editors, their texts, and the three levels put in order.

use panel_platform::db::{Dialect, Source as _, Sql};
use serde_json::{Value, json};

use crate::panel::Panel;

both! {
    a_network_is_made_and_changed;
    a_service_type_without_a_type_is_of_youtube;
    a_service_type_is_made_moved_and_its_slug_is_its_own;
    what_is_wrong_is_named;
    the_three_levels_are_put_in_order;
    a_list_that_changed_meanwhile_is_refused;
    three_thousand_services_are_sorted_at_once;
    what_is_in_use_stays_and_says_by_what;
}

const NETWORKS: &str = "/api/v1/admin/networks";
const TYPES: &str = "/api/v1/admin/service-types";

impl Panel {
    pub(crate) async fn renew(&self, path: &str, body: &Value) -> crate::panel::Answer {
        self.send("owner", "PUT", path, body, None).await
    }

    /// The data of an answer that must be good.
    pub(crate) async fn data(&self, path: &str) -> Value {
        let answer = self.get(path).await;
        assert_eq!(answer.status, 200, "{}", answer.text);
        answer.json()["data"].clone()
    }

    pub(crate) async fn made(&self, path: &str, body: Value) -> Value {
        let answer = self.post(path, &body).await;
        assert_eq!(answer.status, 200, "{}", answer.text);
        answer.json()["data"].clone()
    }
}

/// The ids of a list.
pub(crate) fn ids(list: &Value) -> Vec<i64> {
    list.as_array().unwrap().iter().map(|one| one["id"].as_i64().unwrap()).collect()
}

async fn a_service_type_without_a_type_is_of_youtube(dialect: Dialect) {
    let panel = Panel::shop(dialect, 1, 0).await;
    let made = panel.made(TYPES, json!({ "name": "Plain", "network": 1 })).await;
    assert_eq!(made["type"], "Youtube");
}

async fn a_network_is_made_and_changed(dialect: Dialect) {
    let panel = Panel::shop(dialect, 3, 0).await;
    let body = json!({ "color": "#FF0033", "url_examples": ["https://video.example/watch"],
        "translations": { "en": { "name": "Music" }, "de": { "name": " Musik " }, "fr": { "name": "" } } });
    let made = panel.made(NETWORKS, body).await;
    assert_eq!(
        (&made["name"], &made["color"], &made["sorting"]),
        (&json!("Music"), &json!("#ff0033"), &json!(1))
    );
    assert_eq!(made["translations"], json!({ "en": { "name": "Music" }, "de": { "name": "Musik" } }));
    let path = format!("{NETWORKS}/{}", made["id"]);
    let change = json!({ "name": "Songs", "color": null, "updated_at": made["updated_at"] });
    panel.clock.advance_secs(5);
    let changed = panel.renew(&path, &change).await;
    assert_eq!(changed.status, 200, "{}", changed.text);
    let changed = changed.json()["data"].clone();
    assert_eq!((&changed["name"], &changed["color"]), (&json!("Songs"), &Value::Null));
    assert_eq!(changed["translations"]["de"]["name"], "Musik", "what is left out stays");
    assert_eq!(panel.renew(&path, &change).await.says(), (409, "changed_meanwhile".into()));
    assert_eq!(panel.renew(&path, &json!({})).await.json()["data"], changed, "nothing said, nothing changed");
    assert_eq!(panel.renew(&format!("{NETWORKS}/99"), &json!({})).await.status, 404);
    let logs = panel
        .data("/api/v1/admin/services/logs?columns[0][data]=type&columns[0][search][value]=network")
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

async fn a_service_type_is_made_moved_and_its_slug_is_its_own(dialect: Dialect) {
    let panel = Panel::shop(dialect, 3, 0).await;
    let other = panel.made(NETWORKS, json!({ "name": "Music" })).await["id"].clone();
    let body = json!({ "name": "Plays", "network": 1, "type": "Spotify", "slug": "plays", "reviews_rating": "4.5",
        "translations": { "en": { "title": "Buy plays", "faq": "Is it safe?" } } });
    let made = panel.made(TYPES, body.clone()).await;
    assert_eq!(
        (&made["type"], &made["reviews_rating"], &made["sorting"]),
        (&json!("Spotify"), &json!("4.5"), &json!(1))
    );
    assert_eq!(
        made["translations"]["en"],
        json!({ "name": "Plays", "title": "Buy plays", "faq": "Is it safe?" })
    );
    assert_eq!(panel.post(TYPES, &body).await.says(), (422, "slug_taken".into()));
    let path = format!("{TYPES}/{}", made["id"]);
    let moved = json!({ "panel_service_type": { "id": made["id"], "network": other, "slug": null } });
    let moved = panel.renew(&path, &moved).await;
    assert_eq!(moved.json()["data"]["network"]["name"], "Music", "{}", moved.text);
    assert_eq!(panel.data(&path).await, moved.json()["data"]);
    assert_eq!(
        ids(&panel.data(&format!("{NETWORKS}/{other}/service-types")).await),
        [made["id"].as_i64().unwrap()]
    );
    let row = panel.data(&format!("{TYPES}?columns[0][data]=name&columns[0][search][value]=lay")).await;
    assert_eq!((ids(&row).len(), &row[0]["services_count"]), (1, &json!(0)));
    assert_eq!(panel.data(&format!("{TYPES}/collections")).await["types"][0]["type"], "Youtube");
    assert_eq!(panel.get(&format!("{TYPES}/99")).await.status, 404);
    assert_eq!(panel.get(&format!("{TYPES}/99/services")).await.status, 404);
    assert_eq!(panel.get(&format!("{NETWORKS}/99/service-types")).await.status, 404);
}

async fn what_is_wrong_is_named(dialect: Dialect) {
    let panel = Panel::shop(dialect, 3, 0).await;
    let wrong = async |method: &str, path: &str, body: Value| -> Vec<String> {
        let answer = panel.send("owner", method, path, &body, None).await;
        assert_eq!(answer.status, 422, "{}", answer.text);
        answer.json()["errors"].as_object().unwrap().keys().cloned().collect()
    };
    assert_eq!(wrong("POST", NETWORKS, json!({ "color": "red" })).await, ["color", "name"]);
    let texts =
        json!({ "translations": { "en": { "name": "A" }, "xx": { "name": "B" }, "de": { "title": "C" } } });
    assert_eq!(wrong("POST", NETWORKS, texts).await, ["translations.de.title", "translations.xx"]);
    assert_eq!(wrong("POST", TYPES, json!({ "id": 7, "name": "A", "network": 99 })).await, ["id"]);
    assert_eq!(wrong("POST", TYPES, json!({ "name": "A", "network": 99 })).await, ["network"]);
    let other = json!({ "panel_service_type": { "id": 2 } });
    assert_eq!(wrong("PUT", &format!("{TYPES}/1"), other).await, ["panel_service_type.id"]);
    let wrong_kind = json!({ "panel_service_type": { "reviews_rating": "high" } });
    let out_of_bounds = json!({ "panel_service_type": { "reviews_rating": "5.1" } });
    for body in [wrong_kind, out_of_bounds] {
        let named = wrong("PUT", &format!("{TYPES}/1"), body).await;
        assert_eq!(named, ["panel_service_type.reviews_rating"]);
    }
    panel.made(TYPES, json!({ "name": "Plain", "network": 1, "slug": "plain" })).await;
    let taken = json!({ "panel_service_type": { "slug": "plain" } });
    let answer = panel.renew(&format!("{TYPES}/1"), &taken).await;
    assert_eq!(answer.says(), (422, "slug_taken".into()));
    assert!(answer.json()["errors"]["panel_service_type.slug"].is_array(), "{}", answer.text);
    let twice = json!({ "services": [1, 2, 3, 1] });
    assert_eq!(wrong("POST", &format!("{TYPES}/1/sort-services"), twice).await, ["services.3"]);
}

async fn the_three_levels_are_put_in_order(dialect: Dialect) {
    let panel = Panel::shop(dialect, 3, 0).await;
    let network = panel.made(NETWORKS, json!({ "name": "Music" })).await["id"].as_i64().unwrap();
    let kind = panel.made(TYPES, json!({ "name": "Plays", "network": 1 })).await["id"].as_i64().unwrap();
    let sort = async |path: &str, body: Value| panel.post(path, &body).await.status.as_u16();
    assert_eq!(sort(&format!("{NETWORKS}/sort"), json!({ "networks": [network, 1] })).await, 204);
    assert_eq!(ids(&panel.data(NETWORKS).await), [network, 1]);
    let types = format!("{NETWORKS}/1/sort-service-types");
    assert_eq!(sort(&types, json!({ "service_types": [kind, 1] })).await, 204);
    assert_eq!(ids(&panel.data(&format!("{NETWORKS}/1/service-types")).await), [kind, 1]);
    let services = format!("{TYPES}/1/sort-services");
    assert_eq!(sort(&services, json!({ "services": [3, 1, 2] })).await, 204);
    let placed = panel.data(&format!("{TYPES}/1/services")).await;
    assert_eq!(ids(&placed), [3, 1, 2]);
    assert_eq!((&placed[0]["sorting"], &placed[2]["sorting"]), (&json!(1), &json!(3)));
    let audits =
        Sql::new("SELECT count(*) FROM audits WHERE event IN ('network.sorted', 'service_type.sorted')");
    assert_eq!(panel.number(audits.clone()).await, 3);
    assert_eq!(sort(&services, json!({ "services": [3, 1, 2] })).await, 204);
    assert_eq!(panel.number(audits).await, 3, "the same order is no change");
}

async fn a_list_that_changed_meanwhile_is_refused(dialect: Dialect) {
    let panel = Panel::shop(dialect, 3, 0).await;
    let path = format!("{TYPES}/1/sort-services");
    for stale in [json!([1, 2]), json!([1, 2, 3, 4])] {
        let said = panel.post(&path, &json!({ "services": stale })).await.says();
        assert_eq!(said, (409, "list_changed".into()));
    }
    panel.exec(Sql::new("UPDATE services SET is_archived = TRUE WHERE id = 2")).await;
    assert_eq!(ids(&panel.data(&format!("{TYPES}/1/services")).await), [1, 3]);
    assert_eq!(panel.post(&path, &json!({ "services": [3, 1] })).await.status, 204);
    assert_eq!(
        panel.post(&format!("{TYPES}/99/sort-services"), &json!({ "services": [] })).await.status,
        404
    );
}

async fn three_thousand_services_are_sorted_at_once(dialect: Dialect) {
    let panel = Panel::shop(dialect, 3, 0).await;
    panel.services(3_000).await;
    let mut list = ids(&panel.data(&format!("{TYPES}/1/services")).await);
    list.reverse();
    let (body, path) = (json!({ "services": list }), format!("{TYPES}/1/sort-services"));
    let began = std::time::Instant::now();
    assert_eq!(panel.post(&path, &body).await.status, 204);
    let took = began.elapsed();
    assert_eq!(ids(&panel.data(&format!("{TYPES}/1/services")).await), list);
    // Without optimisation, beside other tests: the bench measures the real time.
    assert!(took.as_millis() < 3_000, "{took:?}");
}

impl Panel {
    /// Services of the first type up to this many, with a text in each language.
    pub(crate) async fn services(&self, count: i64) {
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
            tx.exec(sql).await.unwrap();
        }
        panel_platform::db::bulk::advance_id_sequence(&mut tx, "services").await.unwrap();
        tx.commit().await.unwrap();
    }
}

async fn what_is_in_use_stays_and_says_by_what(dialect: Dialect) {
    let panel = Panel::shop(dialect, 3, 0).await;
    let delete =
        async |path: String| panel.call("127.0.0.1", Some("owner"), "DELETE", &path, &Value::Null).await;
    let refused = async |path: String, code: &str, names: &[&str]| {
        let answer = delete(path).await;
        assert_eq!(answer.says(), (409, code.into()), "{}", answer.text);
        for name in names {
            assert!(answer.text.contains(name), "{name}: {}", answer.text);
        }
    };
    let network = panel.made("/api/v1/admin/networks", json!({ "name": "Music" })).await["id"].clone();
    panel.made("/api/v1/admin/networks", json!({ "name": "Photos" })).await;
    let kind = json!({ "name": "Plays", "network": network });
    let kind = panel.made("/api/v1/admin/service-types", kind).await["id"].clone();
    let package = json!({ "name": "Starter", "network_id": network, "service_type_id": kind, "package_contents": [{ "id": 1, "quantity": 100 }] });
    let package = panel.made("/api/v1/admin/packages", package).await["id"].clone();
    let (of_network, of_kind) =
        (format!("/api/v1/admin/networks/{network}"), format!("/api/v1/admin/service-types/{kind}"));
    refused(of_network.clone(), "network_in_use", &["service types: Plays (", "packages: Starter ("]).await;
    panel.made("/api/v1/admin/settings", json!({ "service_types": [kind] })).await;
    refused(
        of_kind.clone(),
        "service_type_in_use",
        &["packages: Starter (", "panel settings: service_types"],
    )
    .await;
    panel.made("/api/v1/admin/settings", json!({ "service_types": [] })).await;
    // A service names everything that would break without it.
    panel.made("/api/v1/admin/auto-promotions/services", json!({ "services": [1] })).await;
    panel.quest(json!({ "service_id": 1 })).await;
    let discount = json!({ "name": "Summer", "valid_from": "2026-01-01 00:00:00", "services": [{ "id": 1, "discount_percent": "0.1" }] });
    panel.made("/api/v1/admin/discounts", discount).await;
    let archived = panel.post("/api/v1/admin/services/1/archive", &json!({})).await;
    assert_eq!(archived.says(), (409, "service_in_use".into()));
    for name in [
        "packages: Starter (",
        "discounts: Summer (",
        "auto-promotion of networks: ",
        "quests: Post about us (",
    ] {
        assert!(archived.text.contains(name), "{name}: {}", archived.text);
    }
    // Nothing uses them any more.
    panel.exec(Sql::new("DELETE FROM package_contents")).await;
    panel.exec(Sql::new("DELETE FROM packages WHERE id = ?").bind(package.as_i64())).await;
    for path in [of_kind, of_network] {
        assert_eq!(delete(path.clone()).await.status, 204);
        assert_eq!(delete(path).await.status, 404);
    }
    let sorting: Vec<i64> = panel
        .data("/api/v1/admin/networks")
        .await
        .as_array()
        .unwrap()
        .iter()
        .map(|one| one["sorting"].as_i64().unwrap())
        .collect();
    assert_eq!(sorting, [0, 1], "the places close up");
    let audits = "SELECT count(*) FROM audits WHERE event IN ('network.deleted', 'service_type.deleted')";
    assert_eq!(panel.number(Sql::new(audits)).await, 2);
}
