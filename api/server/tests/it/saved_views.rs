//! Saved views: private and shared views, their permissions, limits and concurrent changes.

use panel_contract::permission::Permission;
use panel_platform::db::{Dialect, Sql};
use serde_json::{Value, json};

use crate::panel::{Panel, TestResponse};

test_both_databases! {
    views_are_created_changed_and_deleted;
    sharing_a_view_requires_a_permission;
    one_of_two_concurrent_changes_of_a_view_succeeds;
    view_names_are_unique_and_their_number_is_limited;
    the_error_names_the_invalid_field_of_a_view;
}

const VIEWS_PATH: &str = "/api/v1/admin/saved-views";

fn view_body(name: &str, is_shared: bool) -> Value {
    json!({ "list": "orders", "name": name, "query": "status=in_moderation", "columns": ["id"], "is_shared": is_shared })
}

async fn panel_with_staff(dialect: Dialect) -> Panel {
    let panel = Panel::start(dialect).await;
    for name in ["anna", "bert"] {
        panel.create_staff(name, &[Permission::ViewOrders]).await;
    }
    panel
}

impl Panel {
    async fn save_view(&self, staff: &str, body: &Value) -> TestResponse {
        self.send(staff, "POST", VIEWS_PATH, body, None).await
    }

    async fn change_view(&self, staff: &str, id: &Value, body: &Value) -> TestResponse {
        self.send(staff, "PUT", &format!("{VIEWS_PATH}/{id}"), body, None).await
    }

    async fn delete_view(&self, staff: &str, id: &Value) -> u16 {
        self.request_from("127.0.0.1", Some(staff), "DELETE", &format!("{VIEWS_PATH}/{id}"), &Value::Null)
            .await
            .status
            .as_u16()
    }

    async fn list_views(&self, staff: &str) -> Vec<Value> {
        let response = self.get_as(staff, &format!("{VIEWS_PATH}?list=orders"), "application/json").await;
        response.json()["data"].as_array().unwrap().clone()
    }
}

async fn views_are_created_changed_and_deleted(dialect: Dialect) {
    let panel = panel_with_staff(dialect).await;
    let created_record = panel.save_view("anna", &view_body(" Mine ", false)).await.json()["data"].clone();
    assert_eq!(
        (&created_record["name"], &created_record["columns"], &created_record["is_own"]),
        (&json!("Mine"), &json!(["id"]), &json!(true))
    );
    assert_eq!(panel.list_views("anna").await, std::slice::from_ref(&created_record));
    assert!(panel.list_views("bert").await.is_empty());
    panel.clock.advance_secs(1);
    let mut body = view_body("Renamed", false);
    body["updated_at"] = created_record["updated_at"].clone();
    let changed_record = panel.change_view("anna", &created_record["id"], &body).await.json()["data"].clone();
    assert_eq!((&changed_record["name"], &changed_record["editable"]), (&json!("Renamed"), &json!(true)));
    assert_ne!(changed_record["updated_at"], created_record["updated_at"]);
    // Other staff members cannot learn that the view exists.
    for staff in ["bert", "owner"] {
        assert_eq!(
            panel.change_view(staff, &created_record["id"], &view_body("Taken", false)).await.status,
            404
        );
        assert_eq!(panel.delete_view(staff, &created_record["id"]).await, 404);
    }
    assert_eq!(panel.delete_view("anna", &created_record["id"]).await, 204);
    assert_eq!(panel.delete_view("anna", &created_record["id"]).await, 404);
    assert!(panel.list_views("anna").await.is_empty());
    let count_audits_sql = Sql::new("SELECT count(*) FROM audits WHERE auditable_type = 'saved_view'");
    assert_eq!(panel.fetch_number(count_audits_sql).await, 3);
}

async fn sharing_a_view_requires_a_permission(dialect: Dialect) {
    let panel = panel_with_staff(dialect).await;
    assert_eq!(
        panel.save_view("anna", &view_body("All", true)).await.status_and_code(),
        (403, "sharing_not_allowed".into())
    );
    let shared_view = panel.save_view("owner", &view_body("All", true)).await.json()["data"].clone();
    let private_view = panel.save_view("anna", &view_body("Mine", false)).await.json()["data"].clone();
    let visible_views = panel.list_views("anna").await;
    assert_eq!(visible_views.len(), 2);
    assert_eq!(
        (&visible_views[1]["name"], &visible_views[1]["is_own"], &visible_views[1]["editable"]),
        (&json!("All"), &json!(false), &json!(false))
    );
    assert_eq!(
        panel.change_view("anna", &shared_view["id"], &view_body("Hers", false)).await.status_and_code(),
        (403, "not_yours".into())
    );
    assert_eq!(panel.delete_view("anna", &shared_view["id"]).await, 403);
    assert_eq!(panel.change_view("anna", &private_view["id"], &view_body("Mine", true)).await.status, 403);
    panel.create_staff("boss", &[Permission::ManagePanelSettings]).await;
    let change_response = panel.change_view("boss", &shared_view["id"], &view_body("All of us", true)).await;
    assert_eq!(change_response.json()["data"]["editable"], true);
    assert_eq!(panel.list_views("bert").await[0]["name"], "All of us");
    assert_eq!(panel.delete_view("boss", &shared_view["id"]).await, 204);
}

async fn one_of_two_concurrent_changes_of_a_view_succeeds(dialect: Dialect) {
    let panel = panel_with_staff(dialect).await;
    let created_record = panel.save_view("owner", &view_body("All", true)).await.json()["data"].clone();
    let edit_body = |name: &str| {
        let mut body = view_body(name, true);
        body["updated_at"] = created_record["updated_at"].clone();
        body
    };
    panel.clock.advance_secs(1);
    let (first_body, second_body) = (edit_body("First"), edit_body("Second"));
    let (first_response, second_response) = tokio::join!(
        panel.change_view("owner", &created_record["id"], &first_body),
        panel.change_view("owner", &created_record["id"], &second_body)
    );
    let (success, rejection) = if first_response.status == 200 {
        (first_response, second_response)
    } else {
        (second_response, first_response)
    };
    assert_eq!(success.status, 200, "{}", success.text);
    assert_eq!(rejection.status_and_code(), (409, "changed_meanwhile".into()));
    let message = rejection.json()["message"].as_str().unwrap().to_owned();
    assert!(message.starts_with("This view was changed at "), "{message}");
}

async fn view_names_are_unique_and_their_number_is_limited(dialect: Dialect) {
    let panel = panel_with_staff(dialect).await;
    let first_record = panel.save_view("anna", &view_body("One", false)).await.json()["data"].clone();
    let duplicate_response = panel.save_view("anna", &view_body("One", false)).await;
    assert_eq!(duplicate_response.status_and_code(), (422, "name_taken".into()));
    assert!(duplicate_response.json()["errors"]["name"][0].is_string());
    assert_eq!(panel.save_view("bert", &view_body("One", false)).await.status, 200);
    for number in 2..=100 {
        assert_eq!(panel.save_view("anna", &view_body(&format!("View {number}"), false)).await.status, 200);
    }
    assert_eq!(
        panel.save_view("anna", &view_body("One more", false)).await.status_and_code(),
        (422, "too_many_views".into())
    );
    assert_eq!(
        panel.change_view("anna", &first_record["id"], &view_body("View 2", false)).await.status_and_code().1,
        "name_taken"
    );
    let mut view_of_payments = view_body("One more", false);
    view_of_payments["list"] = json!("payments");
    assert_eq!(panel.save_view("anna", &view_of_payments).await.status, 200);
    assert_eq!(
        panel.change_view("anna", &first_record["id"], &view_of_payments).await.status_and_code(),
        (422, "list_is_fixed".into())
    );
    assert_eq!(panel.delete_view("anna", &first_record["id"]).await, 204);
    assert_eq!(panel.save_view("anna", &view_body("One more", false)).await.status, 200);
}

async fn the_error_names_the_invalid_field_of_a_view(dialect: Dialect) {
    let panel = panel_with_staff(dialect).await;
    for (field, value) in [
        ("name", json!("  ")),
        ("name", json!("x".repeat(61))),
        ("list", json!("Orders; --")),
        ("query", json!("x".repeat(4_001))),
        ("columns", json!(vec!["id"; 101])),
    ] {
        let mut body = view_body("Mine", false);
        body[field] = value;
        let response = panel.save_view("anna", &body).await;
        assert_eq!(response.status, 422, "{field}: {}", response.text);
        assert!(response.json()["errors"][field][0].is_string(), "{field}: {}", response.text);
    }
    assert_eq!(
        panel.get_as("anna", VIEWS_PATH, "application/json").await.status,
        422,
        "the query parameter `list` must be required"
    );
}
