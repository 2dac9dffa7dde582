//! Uploaded files: public images, private documents and refused files.

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

both! {
    public_images_are_stored_and_served;
    access_to_private_files_is_audited;
    an_image_is_checked_before_its_record_is_loaded;
}

/// A PNG of one red pixel.
pub(crate) const PIXEL: &[u8] = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x01\0\0\0\x01\x08\x02\0\0\0\x90wS\xde\0\0\0\x0cIDATx\x9cc\xf8\xcf\xc0\0\0\x03\x01\x01\0\xc9\xfe\x92\xef\0\0\0\0IEND\xaeB`\x82";

async fn public_images_are_stored_and_served(dialect: Dialect) {
    let panel = Panel::on(dialect).await;
    let ctx = Ctx::system(panel.app.clone(), "test");
    let uploads = &panel.app.uploads;
    let file = ImageInput::New(PIXEL.to_vec());
    let url = uploads.store_image(ctx.meta.dry_run, "icon", &file, None).await.unwrap().unwrap();
    assert!(url.starts_with("/uploads/") && url.ends_with(".png") && url.len() > 50, "{url}");
    // A public image needs no token.
    let answer = panel.answer(Request::get(&*url).body(Body::empty()).unwrap()).await;
    assert_eq!((answer.status.as_u16(), &answer.bytes[..4]), (200, &PIXEL[..4]));
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
        assert_eq!(answer.headers[name], value, "{name}");
    }
    let content_disposition = format!("inline; filename=\"{}\"", url.trim_start_matches("/uploads/"));
    assert_eq!(answer.headers["content-disposition"], content_disposition.as_str());
    for unknown in ["/uploads/none.png", "/uploads/..%2fsecret.key", "/uploads/x", "/uploads/.png"] {
        let answer = panel.answer(Request::get(unknown).body(Body::empty()).unwrap()).await;
        assert_eq!(answer.status, 404, "{unknown}");
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
        (ImageInput::Existing("https://elsewhere.example/a.png".into()), "picture_unknown"),
        (ImageInput::New(b"<svg/>".to_vec()), "picture_invalid"),
        (ImageInput::New(b"hello".to_vec()), "picture_invalid"),
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
    let panel = Panel::on(dialect).await;
    let ctx = Ctx::system(panel.app.clone(), "test");
    let uploads = &panel.app.uploads;
    let key = uploads.store_private(ctx.meta.dry_run, "card", PIXEL).await.unwrap();
    let public = Request::get(format!("/uploads/{key}")).body(Body::empty()).unwrap();
    assert_eq!(panel.answer(public).await.status, 404);
    let audited_file = AuditedFile {
        event: "verification_document.viewed",
        record_type: "user",
        id: RecordId::new(7),
        key: &key,
    };
    let answer = serve_audited(&ctx, audited_file).await.unwrap();
    assert_eq!(answer.headers()["cache-control"], "private, no-store");
    let audits =
        "SELECT count(*) FROM audits WHERE event = 'verification_document.viewed' AND auditable_id = 7";
    assert_eq!(panel.number(Sql::new(audits)).await, 1);
    assert!(serve_audited(&ctx, AuditedFile { key: "../secret.key", ..audited_file }).await.is_err());
    assert_eq!(panel.number(Sql::new(audits)).await, 1);
}

/// The server refuses an invalid image before it looks for the record, so that no record is locked during the check.
async fn an_image_is_checked_before_its_record_is_loaded(dialect: Dialect) {
    let panel = Panel::on(dialect).await;
    let icon = json!({ "icon": to_data_url(b"<svg/>") });
    for (method, path, body) in [
        ("PUT", "networks", icon.clone()),
        ("PUT", "services/labels", icon.clone()),
        ("PUT", "service-types", json!({ "panel_service_type": icon.clone() })),
        ("PATCH", "grades", icon.clone()),
    ] {
        let path = format!("/api/v1/admin/{path}/999999");
        let answer = panel.send("owner", method, &path, &body, None).await;
        assert_eq!(answer.status, 422, "{path}: {}", answer.text);
        assert!(answer.text.contains("picture_invalid"), "{path}: {}", answer.text);
    }
}
