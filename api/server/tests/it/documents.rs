//! Verification documents of users, by group. Only staff who may view users can open them, and the audit log records each view.

use panel_contract::permission::Permission;
use panel_contract::upload::to_data_url;
use panel_platform::db::{Dialect, Sql};
use serde_json::{Value, json};

use crate::panel::Panel;
use crate::uploads::PIXEL;

both! {
    a_document_is_added_and_each_view_is_audited;
    files_that_are_no_images_are_refused;
    a_document_that_is_not_recorded_leaves_no_file;
}

const PATH: &str = "/api/v1/admin/users/5/verification-documents";

async fn a_document_is_added_and_each_view_is_audited(dialect: Dialect) {
    let panel = Panel::shop(dialect, 9, 0).await;
    let created = panel.post(PATH, &json!({ "group": "selfie", "picture": to_data_url(PIXEL) })).await;
    assert_eq!(created.status, 200, "{}", created.text);
    let created = created.json()["data"].clone();
    let groups = panel.get(PATH).await.json()["data"].clone();
    let group_and_count = |index: usize| {
        (groups[index]["group"].as_str().unwrap(), groups[index]["documents"].as_array().unwrap().len())
    };
    assert_eq!(
        [group_and_count(0), group_and_count(1), group_and_count(2), group_and_count(3)],
        [("card", 0), ("id", 0), ("selfie", 1), ("additional_photo", 0)]
    );
    assert_eq!(groups[2]["documents"][0], created);
    let url = created["url"].as_str().unwrap();
    let views_in_audits = Sql::new(
        "SELECT count(*) FROM audits WHERE event = 'verification_document.viewed' AND auditable_id = 5",
    );
    panel.create_staff("looker", &[Permission::ViewUsers]).await;
    panel.create_staff("clerk", &[Permission::ViewOrders]).await;
    for (token, status, expected_views) in [("looker", 200, 1), ("clerk", 403, 1), ("owner", 200, 2)] {
        let document = panel.get_as(token, url, "*/*").await;
        assert_eq!(document.status, status, "{token}");
        assert_eq!(panel.number(views_in_audits.clone()).await, expected_views, "{token}");
        if status == 200 {
            assert_eq!(&document.bytes[..4], &PIXEL[..4]);
            assert_eq!(document.headers["cache-control"], "private, no-store");
        }
    }
    let path_of_other_user = url.replace("/users/5/", "/users/6/");
    assert_eq!(panel.get(&path_of_other_user).await.status, 404, "a document of another user");
    assert_eq!(panel.get("/api/v1/admin/users/99/verification-documents").await.status, 404);
    let body = json!({ "group": "card", "picture": to_data_url(PIXEL) });
    assert_eq!(panel.send("looker", "POST", PATH, &body, None).await.status, 403);
}

async fn a_document_that_is_not_recorded_leaves_no_file(dialect: Dialect) {
    let panel = Panel::shop(dialect, 9, 0).await;
    let body = json!({ "group": "card", "picture": to_data_url(PIXEL) });
    let created = panel.send("owner", "POST", PATH, &body, Some("once")).await;
    let repeated = panel.send("owner", "POST", PATH, &body, Some("once")).await;
    assert_eq!((created.status.as_u16(), &created.text), (200, &repeated.text));
    panel.execute(Sql::new("UPDATE users SET erasure_requested_at = 1 WHERE id = 5")).await;
    assert_eq!(panel.post(PATH, &body).await.status_and_code(), (409, "user_erased".into()));
    let folder = panel.app.config.data_dir.join("uploads/private");
    assert_eq!(std::fs::read_dir(folder).unwrap().count(), 1);
}

async fn files_that_are_no_images_are_refused(dialect: Dialect) {
    let panel = Panel::shop(dialect, 9, 0).await;
    for (picture, code) in [
        (Value::Null, "picture_missing"),
        (json!("/uploads/other.png"), "picture_missing"),
        (json!(to_data_url(b"<svg/>")), "picture_invalid"),
    ] {
        let answer = panel.post(PATH, &json!({ "group": "card", "picture": picture })).await;
        assert_eq!(answer.status_and_code(), (422, code.into()), "{}", answer.text);
        assert!(answer.json()["errors"]["picture"].is_array(), "{}", answer.text);
    }
    assert_eq!(
        panel.post(PATH, &json!({ "group": "passport", "picture": to_data_url(PIXEL) })).await.status,
        422
    );
    assert_eq!(panel.number(Sql::new("SELECT count(*) FROM verification_documents")).await, 0);
}
