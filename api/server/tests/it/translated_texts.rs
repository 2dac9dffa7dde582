//! The translations of each kind of record. The API stores them in each language, removes empty texts and rejects unknown
//! fields. The field lists are those of the specification.

use panel_platform::db::{Dialect, Sql, SqlExecutor as _};
use serde_json::{Map, Value, json};

use crate::panel::Panel;

test_both_databases! {
    every_text_of_every_record_is_stored_in_each_language;
    a_banner_slide_has_eight_texts;
}

/// The kinds of records with translations: path below the admin prefix, method of a change, and fields in addition to `name`.
const TRANSLATED_RECORDS: [(&str, &str, &[&str]); 14] = [
    (
        "services",
        "PUT",
        &[
            "example_link",
            "speed",
            "geo",
            "requirements",
            "guarantee",
            "start_time",
            "short_description",
            "reviews",
            "description",
            "meta_description",
            "meta_title",
        ],
    ),
    (
        "service-types",
        "PUT",
        &["title", "short_description", "reviews", "faq", "meta_title", "meta_description"],
    ),
    ("packages", "PUT", &["short_description", "description", "meta_title", "meta_description"]),
    ("panel-pages", "PUT", &["meta_title", "meta_description"]),
    ("payment-methods", "POST", &["description", "withdrawal_description", "additional_information"]),
    ("coupons", "PATCH", &["description"]),
    ("targets", "PUT", &["placeholder"]),
    ("grades", "PATCH", &[]),
    ("free-trial-quests", "PUT", &[]),
    ("networks", "PUT", &[]),
    ("services/labels", "PUT", &[]),
    ("panel-menu-items", "PUT", &[]),
    ("custom-menu-items", "PUT", &[]),
    ("special-offers", "PUT", &[]),
];

/// A text for each field in a language.
fn texts(locale: &str, path: &str, fields: &[&str]) -> Value {
    let text = |field: &str| match field {
        "example_link" => format!("https://example.com/{locale}"),
        _ => format!("{field} of {path} in {locale}"),
    };
    let fields = std::iter::once(&"name").chain(fields);
    Value::Object(fields.map(|field| ((*field).to_owned(), json!(text(field)))).collect::<Map<_, _>>())
}

async fn every_text_of_every_record_is_stored_in_each_language(dialect: Dialect) {
    let panel = Panel::start(dialect).await;
    panel.insert_generated_records(50, 30).await;
    panel.post_data("/api/v1/admin/services/labels", json!({ "name": "Label" })).await;
    panel.post_data("/api/v1/admin/custom-menu-items", json!({ "name": "Blog", "url": "/blog" })).await;
    let types: Vec<(i64, i64)> = (&mut &panel.app.db)
        .fetch_all(Sql::new("SELECT id, network_id FROM service_types LIMIT 1"))
        .await
        .unwrap();
    let special_offer_body = json!({ "name": "Offer", "place": "home_page", "position": "second", "network_id": types[0].1, "service_types": [types[0].0] });
    panel.post_data("/api/v1/admin/special-offers", special_offer_body).await;
    for (path, method, fields) in TRANSLATED_RECORDS {
        let list_path = format!("/api/v1/admin/{path}");
        let rows = panel.get_data(&list_path).await;
        // System targets keep their names, and archived or completed records cannot be changed.
        let is_editable = |row: &&Value| {
            row["is_system"] != true && row["is_archived"] != true && row["actions"]["editable"] != false
        };
        let row = rows.as_array().unwrap().iter().find(is_editable);
        let id = row.unwrap_or_else(|| panic!("{path} has no record"))["id"].clone();
        let record_path = format!("{list_path}/{id}");
        let write_translations = async |translations: Value| {
            // The body of a service type has its fields in `panel_service_type`.
            let body = match path {
                "service-types" => json!({ "panel_service_type": { "translations": translations } }),
                _ => json!({ "translations": translations }),
            };
            let response = panel.send("owner", method, &record_path, &body, None).await;
            (response.status.as_u16(), response.json())
        };
        let all_texts_body = json!({ "en": texts("en", path, fields), "de": texts("de", path, fields), "pt_BR": texts("pt_BR", path, fields) });
        let (status, response) = write_translations(all_texts_body.clone()).await;
        assert_eq!((status, &response["data"]["translations"]), (200, &all_texts_body), "{path}: {response}");
        // Emptied texts and languages without texts are removed.
        let mut fewer = all_texts_body.clone();
        for field in fields {
            fewer["de"][*field] = json!(" ");
        }
        fewer["pt_BR"] = json!({});
        let (status, response) = write_translations(fewer).await;
        let remaining_body =
            json!({ "en": all_texts_body["en"], "de": { "name": all_texts_body["de"]["name"] } });
        assert_eq!((status, &response["data"]["translations"]), (200, &remaining_body), "{path}");
        for wrong in [
            json!({ "en": { "name": "Name", "colour": "red" } }),
            json!({ "en": { "name": "Name" }, "xx": { "name": "Name" } }),
            json!({ "de": { "name": "Name" } }),
        ] {
            assert_eq!(write_translations(wrong.clone()).await.0, 422, "{path}: {wrong}");
        }
    }
}

async fn a_banner_slide_has_eight_texts(dialect: Dialect) {
    let panel = Panel::start(dialect).await;
    let texts = |locale: &str, colour: &str| {
        json!({
            "title": format!("Title {locale}"), "title_color": colour,
            "sub_title": format!("Below {locale}"), "sub_title_color": colour,
            "button_text": format!("Buy {locale}"), "button_text_color": colour, "button_bg_color": colour,
            "button_link": format!("https://shop.example/{locale}"),
        })
    };
    let translations_body = json!({ "en": texts("en", "#112233"), "ko": texts("ko", "#aabbcc") });
    let slide_body =
        json!({ "image": crate::banners::image_data_url(200, 75), "translations": translations_body });
    let created_record = panel
        .post_data(
            "/api/v1/admin/banners",
            json!({ "place": "sidebar", "scroll_delay": 5, "informations": [slide_body] }),
        )
        .await;
    assert_eq!(created_record["informations"][0]["translations"], translations_body);
}
