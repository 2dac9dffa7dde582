//! The texts that each kind of record has in every language: all of them are kept, an emptied one goes, an unknown one is
//! refused. The lists of names are the specification's.

use panel_platform::db::{Dialect, Source as _, Sql};
use serde_json::{Map, Value, json};

use crate::panel::Panel;

both! {
    every_text_of_every_record_is_kept_in_each_language;
    a_slide_has_its_eight_texts;
}

/// A kind of record: its list below the admin prefix, the method that changes one, and its texts beside the name.
const OWNERS: [(&str, &str, &[&str]); 14] = [
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

/// A text of each field in a language.
fn texts(locale: &str, path: &str, fields: &[&str]) -> Value {
    let text = |field: &str| match field {
        "example_link" => format!("https://example.com/{locale}"),
        _ => format!("{field} of {path} in {locale}"),
    };
    let fields = std::iter::once(&"name").chain(fields);
    Value::Object(fields.map(|field| ((*field).to_owned(), json!(text(field)))).collect::<Map<_, _>>())
}

async fn every_text_of_every_record_is_kept_in_each_language(dialect: Dialect) {
    let panel = Panel::on(dialect).await;
    panel.fill(50, 30).await;
    panel.made("/api/v1/admin/services/labels", json!({ "name": "Label" })).await;
    panel.made("/api/v1/admin/custom-menu-items", json!({ "name": "Blog", "url": "/blog" })).await;
    let types: Vec<(i64, i64)> =
        (&mut &panel.app.db).all(Sql::new("SELECT id, network_id FROM service_types LIMIT 1")).await.unwrap();
    let offer = json!({ "name": "Offer", "place": "home_page", "position": "second", "network_id": types[0].1, "service_types": [types[0].0] });
    panel.made("/api/v1/admin/special-offers", offer).await;
    for (path, method, fields) in OWNERS {
        let list = format!("/api/v1/admin/{path}");
        let rows = panel.data(&list).await;
        // Targets of the panel itself keep their names, and what is over or put away is not edited.
        let is_open = |row: &&Value| {
            row["is_system"] != true && row["is_archived"] != true && row["actions"]["editable"] != false
        };
        let row = rows.as_array().unwrap().iter().find(is_open);
        let id = row.unwrap_or_else(|| panic!("{path} has no record"))["id"].clone();
        let one = format!("{list}/{id}");
        let write = async |translations: Value| {
            // A change of a service type stands below its name.
            let body = match path {
                "service-types" => json!({ "panel_service_type": { "translations": translations } }),
                _ => json!({ "translations": translations }),
            };
            let answer = panel.send("owner", method, &one, &body, None).await;
            (answer.status.as_u16(), answer.json())
        };
        let all = json!({ "en": texts("en", path, fields), "de": texts("de", path, fields), "pt_BR": texts("pt_BR", path, fields) });
        let (status, answer) = write(all.clone()).await;
        assert_eq!((status, &answer["data"]["translations"]), (200, &all), "{path}: {answer}");
        // An emptied text goes, and a language without texts.
        let mut fewer = all.clone();
        for field in fields {
            fewer["de"][*field] = json!(" ");
        }
        fewer["pt_BR"] = json!({});
        let (status, answer) = write(fewer).await;
        let remaining = json!({ "en": all["en"], "de": { "name": all["de"]["name"] } });
        assert_eq!((status, &answer["data"]["translations"]), (200, &remaining), "{path}");
        for wrong in [
            json!({ "en": { "name": "Name", "colour": "red" } }),
            json!({ "en": { "name": "Name" }, "xx": { "name": "Name" } }),
            json!({ "de": { "name": "Name" } }),
        ] {
            assert_eq!(write(wrong.clone()).await.0, 422, "{path}: {wrong}");
        }
    }
}

async fn a_slide_has_its_eight_texts(dialect: Dialect) {
    let panel = Panel::on(dialect).await;
    let texts = |locale: &str, colour: &str| {
        json!({
            "title": format!("Title {locale}"), "title_color": colour,
            "sub_title": format!("Below {locale}"), "sub_title_color": colour,
            "button_text": format!("Buy {locale}"), "button_text_color": colour, "button_bg_color": colour,
            "button_link": format!("https://shop.example/{locale}"),
        })
    };
    let all = json!({ "en": texts("en", "#112233"), "ko": texts("ko", "#aabbcc") });
    let slide = json!({ "image": crate::banners::picture(200, 75), "translations": all });
    let made = panel
        .made(
            "/api/v1/admin/banners",
            json!({ "place": "sidebar", "scroll_delay": 5, "informations": [slide] }),
        )
        .await;
    assert_eq!(made["informations"][0]["translations"], all);
}
