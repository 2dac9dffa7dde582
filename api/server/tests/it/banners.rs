//! Banners: one for each place, images in exactly the sizes of the place, sorted slides, and the permission to write.

use axum::body::Body;
use axum::http::{Request, header};
use base64::Engine as _;
use image::{ImageFormat, RgbImage};
use panel_contract::permission::Permission;
use panel_platform::db::{Dialect, Sql};
use serde_json::{Value, json};

use crate::panel::{Answer, Panel};

both! {
    a_banner_is_made_changed_and_deleted;
    images_have_the_sizes_of_their_place;
    a_form_with_files_creates_a_banner;
    every_staff_member_reads_and_few_write;
}

const BANNERS: &str = "/api/v1/admin/banners";

fn png(width: u32, height: u32) -> Vec<u8> {
    let mut out = std::io::Cursor::new(Vec::new());
    RgbImage::new(width, height).write_to(&mut out, ImageFormat::Png).unwrap();
    out.into_inner()
}

pub(crate) fn image_data_url(width: u32, height: u32) -> String {
    let text = base64::engine::general_purpose::STANDARD.encode(png(width, height));
    format!("data:image/png;base64,{text}")
}

fn sidebar_banner() -> Value {
    json!({ "place": "sidebar", "scroll_delay": 5, "informations": [
        { "image": image_data_url(200, 75), "background_color": "#FFEE00", "translations": { "en": { "title": "Sale", "title_color": "#112233" }, "de": { "title": "Angebot" } } },
        { "background_image": image_data_url(200, 200), "translations": { "en": { "title": "Second", "button_link": "https://shop.example/" } } }] })
}

async fn a_banner_is_made_changed_and_deleted(dialect: Dialect) {
    let panel = Panel::on(dialect).await;
    let created = panel.post_data(BANNERS, sidebar_banner()).await;
    assert_eq!(
        (&created["type"], &created["is_enabled"], &created["scroll_delay"]),
        (&json!("slider"), &json!(true), &json!(5))
    );
    assert_eq!(created["informations"][0]["background_color"], "#ffee00");
    assert_eq!(panel.post(BANNERS, &sidebar_banner()).await.status_and_code(), (422, "place_taken".into()));
    let list = panel.get(BANNERS).await.json();
    assert_eq!((&list["data"][0], list["places"].as_array().unwrap().len()), (&created, 19));
    panel.clock.advance_secs(5);
    let path = format!("{BANNERS}/{}", created["id"]);
    let (first, second) = (&created["informations"][0], &created["informations"][1]);
    // The new order is second slide, first slide; the first loses its German text, and images that the body omits stay.
    let change = json!({ "scroll_delay": null, "updated_at": created["updated_at"], "informations": [{ "id": second["id"] },
        { "id": first["id"], "image": first["image"], "translations": { "en": { "title": "Sale!" } } }] });
    let changed = panel.post(&path, &change).await;
    assert_eq!(changed.status, 200, "{}", changed.text);
    let changed = changed.json()["data"].clone();
    assert_eq!((&changed["scroll_delay"], &changed["informations"][0]["id"]), (&json!(3), &second["id"]));
    assert_eq!(
        (&changed["informations"][0]["background_image"], &changed["informations"][1]["image"]),
        (&second["background_image"], &first["image"])
    );
    assert_eq!(changed["informations"][1]["translations"], json!({ "en": { "title": "Sale!" } }));
    assert_eq!(panel.post(&path, &change).await.status_and_code(), (409, "changed_meanwhile".into()));
    let disabled = panel.post(&path, &json!({ "type": "none" })).await.json()["data"].clone();
    assert_eq!(
        (&disabled["is_enabled"], disabled["informations"].as_array().unwrap().len()),
        (&json!(false), 2),
        "its slides stay"
    );
    assert_eq!(panel.send("owner", "DELETE", &path, &json!({}), None).await.status, 204);
    assert_eq!(panel.get(BANNERS).await.json()["data"], json!([]));
    assert_eq!(
        panel
            .number(Sql::new("SELECT count(*) FROM translations WHERE owner_type = 'banner_information'"))
            .await,
        0
    );
    assert_eq!(panel.post(&path, &json!({})).await.status, 404);
    let audits = Sql::new("SELECT count(*) FROM audits WHERE event LIKE 'banner.%'");
    assert_eq!(panel.number(audits).await, 4);
}

async fn wrong_fields(panel: &Panel, body: Value) -> Vec<String> {
    let answer = panel.post(BANNERS, &body).await;
    assert_eq!(answer.status, 422, "{}", answer.text);
    answer.json()["errors"].as_object().unwrap().keys().cloned().collect()
}

async fn images_have_the_sizes_of_their_place(dialect: Dialect) {
    let panel = Panel::on(dialect).await;
    let with_image = |place: &str, name: &str, image: String| json!({ "place": place, "informations": [{}, { name: image }] });
    let refused = panel.post(BANNERS, &with_image("sidebar", "image", image_data_url(200, 200))).await;
    assert!(refused.text.contains("200×75") && refused.text.contains("200×200"), "{}", refused.text);
    assert_eq!(
        wrong_fields(&panel, with_image("sidebar", "image", image_data_url(200, 200))).await,
        ["informations.1.image"]
    );
    assert_eq!(
        wrong_fields(&panel, with_image("services_long", "background_image", image_data_url(590, 170))).await,
        ["informations.1.background_image"]
    );
    assert_eq!(wrong_fields(&panel, json!({ "informations": [{}] })).await, ["place"]);
    for (place, name, (width, height)) in [
        ("services_long", "background_image", (2_063, 170)),
        ("services_little_left", "background_image", (590, 170)),
        ("dashboard_tile", "image", (216, 170)),
    ] {
        let created = panel.post_data(BANNERS, with_image(place, name, image_data_url(width, height))).await;
        assert!(created["informations"][1][name].is_string());
    }
    let created = panel.post_data(BANNERS, sidebar_banner()).await;
    let moved =
        panel.post(&format!("{BANNERS}/{}", created["id"]), &json!({ "place": "profile_header" })).await;
    assert_eq!((moved.status.as_u16(), moved.json()["errors"]["place"].is_array()), (422, true));
}

async fn send_form(
    panel: &Panel,
    path: &str,
    fields: &[(&str, &str)],
    file: Option<(&str, Vec<u8>)>,
) -> Answer {
    let mut body = Vec::new();
    for (name, text) in fields {
        body.extend(
            format!("--XX\r\nContent-Disposition: form-data; name=\"{name}\"\r\n\r\n{text}\r\n").into_bytes(),
        );
    }
    if let Some((name, bytes)) = file {
        body.extend(
            format!("--XX\r\nContent-Disposition: form-data; name=\"{name}\"; filename=\"a.png\"\r\n\r\n")
                .into_bytes(),
        );
        body.extend(bytes);
        body.extend(b"\r\n");
    }
    body.extend(b"--XX--\r\n");
    let request = Request::post(path)
        .header(header::AUTHORIZATION, "Bearer owner")
        .header(header::CONTENT_TYPE, "multipart/form-data; boundary=XX");
    panel.answer(request.body(Body::from(body)).unwrap()).await
}

async fn a_form_with_files_creates_a_banner(dialect: Dialect) {
    let panel = Panel::on(dialect).await;
    let fields = [
        ("place", "sidebar"),
        ("scroll_delay", "7"),
        ("informations[0][translations][en][title]", "By form"),
        ("informations[0][sorting]", "1"),
    ];
    let created = send_form(&panel, BANNERS, &fields, Some(("informations[0][image]", png(200, 75)))).await;
    assert_eq!(created.status, 200, "{}", created.text);
    let created = created.json()["data"].clone();
    assert_eq!(
        (&created["scroll_delay"], &created["informations"][0]["translations"]["en"]["title"]),
        (&json!(7), &json!("By form"))
    );
    assert!(created["informations"][0]["image"].as_str().unwrap().starts_with("/uploads/"));
    let path = format!("{BANNERS}/{}", created["id"]);
    let changed = send_form(&panel, &path, &[("_method", "PUT"), ("type", "none")], None).await;
    assert_eq!(changed.json()["data"]["type"], "none", "{}", changed.text);
}

async fn every_staff_member_reads_and_few_write(dialect: Dialect) {
    let panel = Panel::on(dialect).await;
    panel.create_staff("reader", &[Permission::ViewOrders]).await;
    assert_eq!(panel.get_as("reader", BANNERS, "*/*").await.status, 200);
    assert_eq!(panel.send("reader", "POST", BANNERS, &sidebar_banner(), None).await.status, 403);
    assert_eq!(panel.send("reader", "DELETE", &format!("{BANNERS}/1"), &json!({}), None).await.status, 403);
}
