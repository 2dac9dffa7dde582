//! Verification documents: by group, shown only to staff who may view users; the audit log records each view.

use panel_contract::permission::Permission;
use panel_contract::upload::data_url;
use panel_platform::db::{Dialect, Sql};
use serde_json::{Value, json};

use crate::panel::Panel;
use crate::uploads::PIXEL;

both! {
    a_document_is_added_and_each_look_is_audited;
    what_is_no_picture_is_refused;
    what_is_not_recorded_leaves_no_file;
}

const PATH: &str = "/api/v1/admin/users/5/verification-documents";

async fn a_document_is_added_and_each_look_is_audited(dialect: Dialect) {
    let panel = Panel::shop(dialect, 9, 0).await;
    let made = panel.post(PATH, &json!({ "group": "selfie", "picture": data_url(PIXEL) })).await;
    assert_eq!(made.status, 200, "{}", made.text);
    let made = made.json()["data"].clone();
    let groups = panel.get(PATH).await.json()["data"].clone();
    let of = |at: usize| {
        (groups[at]["group"].as_str().unwrap(), groups[at]["documents"].as_array().unwrap().len())
    };
    assert_eq!(
        [of(0), of(1), of(2), of(3)],
        [("card", 0), ("id", 0), ("selfie", 1), ("additional_photo", 0)]
    );
    assert_eq!(groups[2]["documents"][0], made);
    let url = made["url"].as_str().unwrap();
    let looks = Sql::new(
        "SELECT count(*) FROM audits WHERE event = 'verification_document.viewed' AND auditable_id = 5",
    );
    panel.staff("looker", &[Permission::ViewUsers]).await;
    panel.staff("clerk", &[Permission::ViewOrders]).await;
    for (who, status, seen) in [("looker", 200, 1), ("clerk", 403, 1), ("owner", 200, 2)] {
        let shown = panel.get_as(who, url, "*/*").await;
        assert_eq!(shown.status, status, "{who}");
        assert_eq!(panel.number(looks.clone()).await, seen, "{who}");
        if status == 200 {
            assert_eq!(&shown.bytes[..4], &PIXEL[..4]);
            assert_eq!(shown.headers["cache-control"], "private, no-store");
        }
    }
    let elsewhere = url.replace("/users/5/", "/users/6/");
    assert_eq!(panel.get(&elsewhere).await.status, 404, "a document of another user");
    assert_eq!(panel.get("/api/v1/admin/users/99/verification-documents").await.status, 404);
    let body = json!({ "group": "card", "picture": data_url(PIXEL) });
    assert_eq!(panel.send("looker", "POST", PATH, &body, None).await.status, 403);
}

async fn what_is_not_recorded_leaves_no_file(dialect: Dialect) {
    let panel = Panel::shop(dialect, 9, 0).await;
    let body = json!({ "group": "card", "picture": data_url(PIXEL) });
    let made = panel.send("owner", "POST", PATH, &body, Some("once")).await;
    let repeated = panel.send("owner", "POST", PATH, &body, Some("once")).await;
    assert_eq!((made.status.as_u16(), &made.text), (200, &repeated.text));
    panel.exec(Sql::new("UPDATE users SET erasure_requested_at = 1 WHERE id = 5")).await;
    assert_eq!(panel.post(PATH, &body).await.says(), (409, "user_erased".into()));
    let folder = panel.app.config.data_dir.join("uploads/private");
    assert_eq!(std::fs::read_dir(folder).unwrap().count(), 1);
}

async fn what_is_no_picture_is_refused(dialect: Dialect) {
    let panel = Panel::shop(dialect, 9, 0).await;
    for (picture, code) in [
        (Value::Null, "picture_missing"),
        (json!("/uploads/other.png"), "picture_missing"),
        (json!(data_url(b"<svg/>")), "picture_invalid"),
    ] {
        let answer = panel.post(PATH, &json!({ "group": "card", "picture": picture })).await;
        assert_eq!(answer.says(), (422, code.into()), "{}", answer.text);
        assert!(answer.json()["errors"]["picture"].is_array(), "{}", answer.text);
    }
    assert_eq!(
        panel.post(PATH, &json!({ "group": "passport", "picture": data_url(PIXEL) })).await.status,
        422
    );
    assert_eq!(panel.number(Sql::new("SELECT count(*) FROM verification_documents")).await, 0);
}
