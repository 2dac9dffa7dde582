//! Tests the verification documents of users, which are grouped by kind. Only staff with the permission to view users can open
//! them, and the audit log records each view.

use panel_contract::permission::Permission;
use panel_contract::upload::to_data_url;
use panel_platform::db::{Dialect, Sql};
use serde_json::{Value, json};

use crate::panel::Panel;
use crate::uploads::PIXEL;

test_both_databases! {
    a_document_is_added_and_each_view_is_audited;
    files_that_are_not_images_are_rejected;
    a_document_that_is_not_stored_leaves_no_file;
}

const USER_5_DOCUMENTS: &str = "/api/v1/admin/users/5/verification-documents";

async fn a_document_is_added_and_each_view_is_audited(dialect: Dialect) {
    let panel = Panel::with_users_and_orders(dialect, 9, 0).await;
    let create_response =
        panel.post(USER_5_DOCUMENTS, &json!({ "group": "selfie", "picture": to_data_url(PIXEL) })).await;
    assert_eq!(create_response.status, 200, "{}", create_response.text);
    let document = create_response.json()["data"].clone();
    let groups = panel.get(USER_5_DOCUMENTS).await.json()["data"].clone();
    let group_and_count = |index: usize| {
        (groups[index]["group"].as_str().unwrap(), groups[index]["documents"].as_array().unwrap().len())
    };
    assert_eq!(
        [group_and_count(0), group_and_count(1), group_and_count(2), group_and_count(3)],
        [("card", 0), ("id", 0), ("selfie", 1), ("additional_photo", 0)]
    );
    assert_eq!(groups[2]["documents"][0], document);
    let url = document["url"].as_str().unwrap();
    let count_views_sql = Sql::new(
        "SELECT count(*) FROM audits WHERE event = 'verification_document.viewed' AND auditable_id = 5",
    );
    panel.create_staff("viewer", &[Permission::ViewUsers]).await;
    panel.create_staff("clerk", &[Permission::ViewOrders]).await;
    for (token, status, expected_views) in [("viewer", 200, 1), ("clerk", 403, 1), ("owner", 200, 2)] {
        let response = panel.get_as(token, url, "*/*").await;
        assert_eq!(response.status, status, "{token}");
        assert_eq!(panel.fetch_number(count_views_sql.clone()).await, expected_views, "{token}");
        if status == 200 {
            assert_eq!(&response.bytes[..4], &PIXEL[..4]);
            assert_eq!(response.headers["cache-control"], "private, no-store");
        }
    }
    let other_user_path = url.replace("/users/5/", "/users/6/");
    assert_eq!(
        panel.get(&other_user_path).await.status,
        404,
        "the document must not be found under another user"
    );
    assert_eq!(panel.get("/api/v1/admin/users/99/verification-documents").await.status, 404);
    let body = json!({ "group": "card", "picture": to_data_url(PIXEL) });
    assert_eq!(panel.send("viewer", "POST", USER_5_DOCUMENTS, &body, None).await.status, 403);
}

async fn a_document_that_is_not_stored_leaves_no_file(dialect: Dialect) {
    let panel = Panel::with_users_and_orders(dialect, 9, 0).await;
    let body = json!({ "group": "card", "picture": to_data_url(PIXEL) });
    let create_response = panel.send("owner", "POST", USER_5_DOCUMENTS, &body, Some("once")).await;
    let repeated_response = panel.send("owner", "POST", USER_5_DOCUMENTS, &body, Some("once")).await;
    assert_eq!((create_response.status.as_u16(), &create_response.text), (200, &repeated_response.text));
    panel.execute(Sql::new("UPDATE users SET erasure_requested_at = 1 WHERE id = 5")).await;
    assert_eq!(panel.post(USER_5_DOCUMENTS, &body).await.status_and_code(), (409, "user_erased".into()));
    let folder = panel.app.config.data_dir.join("uploads/private");
    assert_eq!(std::fs::read_dir(folder).unwrap().count(), 1);
}

async fn files_that_are_not_images_are_rejected(dialect: Dialect) {
    let panel = Panel::with_users_and_orders(dialect, 9, 0).await;
    for (picture, code) in [
        (Value::Null, "image_missing"),
        (json!("/uploads/other.png"), "image_missing"),
        (json!(to_data_url(b"<svg/>")), "image_invalid"),
    ] {
        let response = panel.post(USER_5_DOCUMENTS, &json!({ "group": "card", "picture": picture })).await;
        assert_eq!(response.status_and_code(), (422, code.into()), "{}", response.text);
        assert!(response.json()["errors"]["picture"].is_array(), "{}", response.text);
    }
    assert_eq!(
        panel
            .post(USER_5_DOCUMENTS, &json!({ "group": "passport", "picture": to_data_url(PIXEL) }))
            .await
            .status,
        422
    );
    assert_eq!(panel.fetch_number(Sql::new("SELECT count(*) FROM verification_documents")).await, 0);
}
