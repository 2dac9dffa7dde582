//! Uploaded files: stored, served publicly or not at all, and refused.

use axum::body::Body;
use axum::http::Request;
use panel_contract::ids::RecordId;
use panel_contract::upload::{Picture, data_url};
use panel_kernel::error::Error;
use panel_platform::db::{Dialect, Sql};
use panel_server::context::Ctx;
use panel_server::http::files::{AuditedFile, serve_audited};
use serde_json::json;

use crate::panel::Panel;

both! {
    public_images_are_served_and_kept;
    private_files_are_shown_and_audited;
    no_record_is_locked_while_an_image_is_looked_at;
}

/// A PNG of one red pixel.
pub(crate) const PIXEL: &[u8] = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x01\0\0\0\x01\x08\x02\0\0\0\x90wS\xde\0\0\0\x0cIDATx\x9cc\xf8\xcf\xc0\0\0\x03\x01\x01\0\xc9\xfe\x92\xef\0\0\0\0IEND\xaeB`\x82";

async fn public_images_are_served_and_kept(dialect: Dialect) {
    let panel = Panel::on(dialect).await;
    let ctx = Ctx::system(panel.app.clone(), "test");
    let uploads = &panel.app.uploads;
    let file = Picture::New(PIXEL.to_vec());
    let url = uploads.store_picture(ctx.meta.dry_run, "icon", &file, None).await.unwrap().unwrap();
    assert!(url.starts_with("/uploads/") && url.ends_with(".png") && url.len() > 50, "{url}");
    // To everybody: no token.
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
    let named = format!("inline; filename=\"{}\"", url.trim_start_matches("/uploads/"));
    assert_eq!(answer.headers["content-disposition"], named.as_str());
    for other in ["/uploads/none.png", "/uploads/..%2fsecret.key", "/uploads/x", "/uploads/.png"] {
        let answer = panel.answer(Request::get(other).body(Body::empty()).unwrap()).await;
        assert_eq!(answer.status, 404, "{other}");
    }
    let now = Some(url.as_str());
    for (picture, then) in
        [(Picture::Unchanged, now), (Picture::Existing(url.clone()), now), (Picture::None, None)]
    {
        assert_eq!(
            uploads.store_picture(ctx.meta.dry_run, "icon", &picture, now).await.unwrap().as_deref(),
            then
        );
    }
    for (picture, code) in [
        (Picture::Existing("https://elsewhere.example/a.png".into()), "picture_unknown"),
        (Picture::New(b"<svg/>".to_vec()), "picture_invalid"),
        (Picture::New(b"hello".to_vec()), "picture_invalid"),
    ] {
        let Err(Error::Rejected(rejection)) =
            uploads.store_picture(ctx.meta.dry_run, "icon", &picture, now).await
        else {
            panic!("{picture:?} was taken");
        };
        assert_eq!((rejection.kind.status(), rejection.code), (422, code));
        assert!(rejection.errors.0.contains_key("icon"));
    }
}

async fn private_files_are_shown_and_audited(dialect: Dialect) {
    let panel = Panel::on(dialect).await;
    let ctx = Ctx::system(panel.app.clone(), "test");
    let uploads = &panel.app.uploads;
    let key = uploads.store_private(ctx.meta.dry_run, "card", PIXEL).await.unwrap();
    let public = Request::get(format!("/uploads/{key}")).body(Body::empty()).unwrap();
    assert_eq!(panel.answer(public).await.status, 404);
    let look =
        AuditedFile { event: "verification_document.viewed", kind: "user", id: RecordId::new(7), key: &key };
    let answer = serve_audited(&ctx, look).await.unwrap();
    assert_eq!(answer.headers()["cache-control"], "private, no-store");
    let audits =
        "SELECT count(*) FROM audits WHERE event = 'verification_document.viewed' AND auditable_id = 7";
    assert_eq!(panel.number(Sql::new(audits)).await, 1);
    assert!(serve_audited(&ctx, AuditedFile { key: "../secret.key", ..look }).await.is_err());
    assert_eq!(panel.number(Sql::new(audits)).await, 1);
}

/// The image is refused before anybody looked whether the record is there.
async fn no_record_is_locked_while_an_image_is_looked_at(dialect: Dialect) {
    let panel = Panel::on(dialect).await;
    let icon = json!({ "icon": data_url(b"<svg/>") });
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
