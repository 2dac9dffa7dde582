//! Uploaded files: public images, private documents and rejected files.

use axum::body::Body;
use axum::http::Request;
use panel_contract::ids::RecordId;
use panel_contract::upload::{ImageInput, to_data_url};
use panel_kernel::error::Error;
use panel_platform::db::{Dialect, Sql};
use panel_server::context::Ctx;
use panel_server::http::files::{AuditedFile, serve_audited};
use serde_json::json;

use crate::panel::Panel;

test_both_databases! {
    public_images_are_stored_and_served;
    access_to_private_files_is_audited;
    an_image_is_checked_before_its_record_is_loaded;
}

/// A PNG of one red pixel.
pub(crate) const PIXEL: &[u8] = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x01\0\0\0\x01\x08\x02\0\0\0\x90wS\xde\0\0\0\x0cIDATx\x9cc\xf8\xcf\xc0\0\0\x03\x01\x01\0\xc9\xfe\x92\xef\0\0\0\0IEND\xaeB`\x82";

async fn public_images_are_stored_and_served(dialect: Dialect) {
    let panel = Panel::start(dialect).await;
    let ctx = Ctx::system(panel.app.clone(), "test");
    let uploads = &panel.app.uploads;
    let file = ImageInput::New(PIXEL.to_vec());
    let url = uploads.store_image(ctx.meta.dry_run, "icon", &file, None).await.unwrap().unwrap();
    assert!(url.starts_with("/uploads/") && url.ends_with(".png") && url.len() > 50, "{url}");
    // A public image needs no token.
    let response = panel.send_request(Request::get(&*url).body(Body::empty()).unwrap()).await;
    assert_eq!((response.status.as_u16(), &response.bytes[..4]), (200, &PIXEL[..4]));
    for (name, value) in [
        ("content-type", "image/png"),
        ("x-content-type-options", "nosniff"),
        ("cache-control", "public, max-age=31536000, immutable"),
        ("cross-origin-resource-policy", "cross-origin"),
        (
            "content-security-policy",
            "default-src 'none'; object-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
        ),
    ] {
        assert_eq!(response.headers[name], value, "{name}");
    }
    let content_disposition = format!("inline; filename=\"{}\"", url.trim_start_matches("/uploads/"));
    assert_eq!(response.headers["content-disposition"], content_disposition.as_str());
    for unknown in ["/uploads/none.png", "/uploads/..%2fsecret.key", "/uploads/x", "/uploads/.png"] {
        let response = panel.send_request(Request::get(unknown).body(Body::empty()).unwrap()).await;
        assert_eq!(response.status, 404, "{unknown}");
    }
    let current = Some(url.as_str());
    for (picture, expected) in [
        (ImageInput::Unchanged, current),
        (ImageInput::Existing(url.clone()), current),
        (ImageInput::None, None),
    ] {
        assert_eq!(
            uploads.store_image(ctx.meta.dry_run, "icon", &picture, current).await.unwrap().as_deref(),
            expected
        );
    }
    for (picture, code) in [
        (ImageInput::Existing("https://elsewhere.example/a.png".into()), "image_unknown"),
        (ImageInput::New(b"<svg/>".to_vec()), "image_invalid"),
        (ImageInput::New(b"hello".to_vec()), "image_invalid"),
    ] {
        let Err(Error::Rejected(rejection)) =
            uploads.store_image(ctx.meta.dry_run, "icon", &picture, current).await
        else {
            panic!("{picture:?} was accepted");
        };
        assert_eq!((rejection.kind.status(), rejection.code), (422, code));
        assert!(rejection.errors.0.contains_key("icon"));
    }
}

async fn access_to_private_files_is_audited(dialect: Dialect) {
    let panel = Panel::start(dialect).await;
    let ctx = Ctx::system(panel.app.clone(), "test");
    let uploads = &panel.app.uploads;
    let key = uploads.store_private(ctx.meta.dry_run, "card", PIXEL).await.unwrap();
    let public = Request::get(format!("/uploads/{key}")).body(Body::empty()).unwrap();
    assert_eq!(panel.send_request(public).await.status, 404);
    let audited_file = AuditedFile {
        event: "verification_document.viewed",
        record_type: "user",
        id: RecordId::new(7),
        key: &key,
    };
    let response = serve_audited(&ctx, audited_file).await.unwrap();
    assert_eq!(response.headers()["cache-control"], "private, no-store");
    let count_audits_sql =
        "SELECT count(*) FROM audits WHERE event = 'verification_document.viewed' AND auditable_id = 7";
    assert_eq!(panel.fetch_number(Sql::new(count_audits_sql)).await, 1);
    assert!(serve_audited(&ctx, AuditedFile { key: "../secret.key", ..audited_file }).await.is_err());
    assert_eq!(panel.fetch_number(Sql::new(count_audits_sql)).await, 1);
}

/// The server rejects an invalid image before it looks for the record, so that no record is locked during the check.
async fn an_image_is_checked_before_its_record_is_loaded(dialect: Dialect) {
    let panel = Panel::start(dialect).await;
    let icon_body = json!({ "icon": to_data_url(b"<svg/>") });
    for (method, path, body) in [
        ("PUT", "networks", icon_body.clone()),
        ("PUT", "services/labels", icon_body.clone()),
        ("PUT", "service-types", json!({ "panel_service_type": icon_body.clone() })),
        ("PATCH", "grades", icon_body.clone()),
    ] {
        let path = format!("/api/v1/admin/{path}/999999");
        let response = panel.send("owner", method, &path, &body, None).await;
        assert_eq!(response.status, 422, "{path}: {}", response.text);
        assert!(response.text.contains("image_invalid"), "{path}: {}", response.text);
    }
}
