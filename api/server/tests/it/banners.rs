//! Tests banners: each placement has at most one banner, images have exactly the size of the placement, slides keep their order,
//! and only staff with the permission can change banners.

use axum::body::Body;
use axum::http::{Request, header};
use base64::Engine as _;
use image::{ImageFormat, RgbImage};
use panel_contract::permission::Permission;
use panel_platform::db::{Dialect, Sql};
use serde_json::{Value, json};

use crate::panel::{Panel, TestResponse};

test_both_databases! {
    a_banner_is_created_changed_and_deleted;
    images_must_have_the_size_of_their_placement;
    a_form_with_files_creates_a_banner;
    every_staff_member_reads_banners_and_few_change_them;
}

const BANNERS: &str = "/api/v1/admin/banners";

fn encode_png(width: u32, height: u32) -> Vec<u8> {
    let mut file = std::io::Cursor::new(Vec::new());
    RgbImage::new(width, height).write_to(&mut file, ImageFormat::Png).unwrap();
    file.into_inner()
}

pub(crate) fn image_data_url(width: u32, height: u32) -> String {
    let base64_text = base64::engine::general_purpose::STANDARD.encode(encode_png(width, height));
    format!("data:image/png;base64,{base64_text}")
}

fn sidebar_banner_body() -> Value {
    json!({ "place": "sidebar", "scroll_delay": 5, "informations": [
        { "image": image_data_url(200, 75), "background_color": "#FFEE00", "translations": { "en": { "title": "Sale", "title_color": "#112233" }, "de": { "title": "Angebot" } } },
        { "background_image": image_data_url(200, 200), "translations": { "en": { "title": "Second", "button_link": "https://shop.example/" } } }] })
}

async fn a_banner_is_created_changed_and_deleted(dialect: Dialect) {
    let panel = Panel::start(dialect).await;
    let banner = panel.post_data(BANNERS, sidebar_banner_body()).await;
    assert_eq!(
        (&banner["type"], &banner["is_enabled"], &banner["scroll_delay"]),
        (&json!("slider"), &json!(true), &json!(5))
    );
    assert_eq!(banner["informations"][0]["background_color"], "#ffee00");
    assert_eq!(
        panel.post(BANNERS, &sidebar_banner_body()).await.status_and_code(),
        (422, "place_taken".into())
    );
    let list = panel.get(BANNERS).await.json();
    assert_eq!((&list["data"][0], list["places"].as_array().unwrap().len()), (&banner, 19));
    panel.clock.advance_secs(5);
    let path = format!("{BANNERS}/{}", banner["id"]);
    let (first_slide, second_slide) = (&banner["informations"][0], &banner["informations"][1]);
    // Swaps the two slides. The first slide loses its German text; images that the body omits stay.
    let change_body = json!({ "scroll_delay": null, "updated_at": banner["updated_at"], "informations": [{ "id": second_slide["id"] },
        { "id": first_slide["id"], "image": first_slide["image"], "translations": { "en": { "title": "Sale!" } } }] });
    let change_response = panel.post(&path, &change_body).await;
    assert_eq!(change_response.status, 200, "{}", change_response.text);
    let changed_banner = change_response.json()["data"].clone();
    assert_eq!(
        (&changed_banner["scroll_delay"], &changed_banner["informations"][0]["id"]),
        (&json!(3), &second_slide["id"])
    );
    assert_eq!(
        (&changed_banner["informations"][0]["background_image"], &changed_banner["informations"][1]["image"]),
        (&second_slide["background_image"], &first_slide["image"])
    );
    assert_eq!(changed_banner["informations"][1]["translations"], json!({ "en": { "title": "Sale!" } }));
    assert_eq!(panel.post(&path, &change_body).await.status_and_code(), (409, "changed_meanwhile".into()));
    let disabled_banner = panel.post(&path, &json!({ "type": "none" })).await.json()["data"].clone();
    assert_eq!(
        (&disabled_banner["is_enabled"], disabled_banner["informations"].as_array().unwrap().len()),
        (&json!(false), 2),
        "a disabled banner must keep its slides"
    );
    assert_eq!(panel.send("owner", "DELETE", &path, &json!({}), None).await.status, 204);
    assert_eq!(panel.get(BANNERS).await.json()["data"], json!([]));
    assert_eq!(
        panel
            .fetch_number(Sql::new(
                "SELECT count(*) FROM translations WHERE owner_type = 'banner_information'"
            ))
            .await,
        0
    );
    assert_eq!(panel.post(&path, &json!({})).await.status, 404);
    let count_audits_sql = Sql::new("SELECT count(*) FROM audits WHERE event LIKE 'banner.%'");
    assert_eq!(panel.fetch_number(count_audits_sql).await, 4);
}

async fn post_and_get_invalid_fields(panel: &Panel, body: Value) -> Vec<String> {
    let response = panel.post(BANNERS, &body).await;
    assert_eq!(response.status, 422, "{}", response.text);
    response.json()["errors"].as_object().unwrap().keys().cloned().collect()
}

async fn images_must_have_the_size_of_their_placement(dialect: Dialect) {
    let panel = Panel::start(dialect).await;
    let banner_with_image = |placement: &str, field: &str, image: String| json!({ "place": placement, "informations": [{}, { field: image }] });
    let rejected_response =
        panel.post(BANNERS, &banner_with_image("sidebar", "image", image_data_url(200, 200))).await;
    assert!(
        rejected_response.text.contains("200×75") && rejected_response.text.contains("200×200"),
        "{}",
        rejected_response.text
    );
    assert_eq!(
        post_and_get_invalid_fields(&panel, banner_with_image("sidebar", "image", image_data_url(200, 200)))
            .await,
        ["informations.1.image"]
    );
    assert_eq!(
        post_and_get_invalid_fields(
            &panel,
            banner_with_image("services_long", "background_image", image_data_url(590, 170))
        )
        .await,
        ["informations.1.background_image"]
    );
    assert_eq!(post_and_get_invalid_fields(&panel, json!({ "informations": [{}] })).await, ["place"]);
    for (placement, field, (width, height)) in [
        ("services_long", "background_image", (2_063, 170)),
        ("services_little_left", "background_image", (590, 170)),
        ("dashboard_tile", "image", (216, 170)),
    ] {
        let banner = panel
            .post_data(BANNERS, banner_with_image(placement, field, image_data_url(width, height)))
            .await;
        assert!(banner["informations"][1][field].is_string());
    }
    let banner = panel.post_data(BANNERS, sidebar_banner_body()).await;
    let move_response =
        panel.post(&format!("{BANNERS}/{}", banner["id"]), &json!({ "place": "profile_header" })).await;
    assert_eq!(
        (move_response.status.as_u16(), move_response.json()["errors"]["place"].is_array()),
        (422, true)
    );
}

async fn send_form(
    panel: &Panel,
    path: &str,
    fields: &[(&str, &str)],
    file: Option<(&str, Vec<u8>)>,
) -> TestResponse {
    let mut body = Vec::new();
    for (name, value) in fields {
        body.extend(
            format!("--XX\r\nContent-Disposition: form-data; name=\"{name}\"\r\n\r\n{value}\r\n")
                .into_bytes(),
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
    panel.send_request(request.body(Body::from(body)).unwrap()).await
}

async fn a_form_with_files_creates_a_banner(dialect: Dialect) {
    let panel = Panel::start(dialect).await;
    let fields = [
        ("place", "sidebar"),
        ("scroll_delay", "7"),
        ("informations[0][translations][en][title]", "By form"),
        ("informations[0][sorting]", "1"),
    ];
    let create_response =
        send_form(&panel, BANNERS, &fields, Some(("informations[0][image]", encode_png(200, 75)))).await;
    assert_eq!(create_response.status, 200, "{}", create_response.text);
    let banner = create_response.json()["data"].clone();
    assert_eq!(
        (&banner["scroll_delay"], &banner["informations"][0]["translations"]["en"]["title"]),
        (&json!(7), &json!("By form"))
    );
    assert!(banner["informations"][0]["image"].as_str().unwrap().starts_with("/uploads/"));
    let path = format!("{BANNERS}/{}", banner["id"]);
    let change_response = send_form(&panel, &path, &[("_method", "PUT"), ("type", "none")], None).await;
    assert_eq!(change_response.json()["data"]["type"], "none", "{}", change_response.text);
}

async fn every_staff_member_reads_banners_and_few_change_them(dialect: Dialect) {
    let panel = Panel::start(dialect).await;
    panel.create_staff("reader", &[Permission::ViewOrders]).await;
    assert_eq!(panel.get_as("reader", BANNERS, "*/*").await.status, 200);
    assert_eq!(panel.send("reader", "POST", BANNERS, &sidebar_banner_body(), None).await.status, 403);
    assert_eq!(panel.send("reader", "DELETE", &format!("{BANNERS}/1"), &json!({}), None).await.status, 403);
}
