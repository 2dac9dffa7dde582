//! Saved views: private and shared ones, the permissions for each, limits and concurrent changes.

use panel_contract::permission::Permission;
use panel_platform::db::{Dialect, Sql};
use serde_json::{Value, json};

use crate::panel::{Answer, Panel};

both! {
    views_are_created_changed_and_deleted;
    sharing_needs_a_permission;
    of_two_concurrent_changes_of_a_view_one_succeeds;
    view_names_are_unique_and_their_number_is_limited;
    errors_of_a_view_name_the_wrong_field;
}

const PATH: &str = "/api/v1/admin/saved-views";

fn view(name: &str, is_shared: bool) -> Value {
    json!({ "list": "orders", "name": name, "query": "status=in_moderation", "columns": ["id"], "is_shared": is_shared })
}

async fn panel_with_staff(dialect: Dialect) -> Panel {
    let panel = Panel::on(dialect).await;
    for name in ["anna", "bert"] {
        panel.create_staff(name, &[Permission::ViewOrders]).await;
    }
    panel
}

impl Panel {
    async fn save_view(&self, who: &str, body: &Value) -> Answer {
        self.send(who, "POST", PATH, body, None).await
    }

    async fn change_view(&self, who: &str, id: &Value, body: &Value) -> Answer {
        self.send(who, "PUT", &format!("{PATH}/{id}"), body, None).await
    }

    async fn delete_view(&self, who: &str, id: &Value) -> u16 {
        self.call("127.0.0.1", Some(who), "DELETE", &format!("{PATH}/{id}"), &Value::Null)
            .await
            .status
            .as_u16()
    }

    async fn list_views(&self, who: &str) -> Vec<Value> {
        let answer = self.get_as(who, &format!("{PATH}?list=orders"), "application/json").await;
        answer.json()["data"].as_array().unwrap().clone()
    }
}

async fn views_are_created_changed_and_deleted(dialect: Dialect) {
    let panel = panel_with_staff(dialect).await;
    let created = panel.save_view("anna", &view(" Mine ", false)).await.json()["data"].clone();
    assert_eq!(
        (&created["name"], &created["columns"], &created["is_own"]),
        (&json!("Mine"), &json!(["id"]), &json!(true))
    );
    assert_eq!(panel.list_views("anna").await, std::slice::from_ref(&created));
    assert!(panel.list_views("bert").await.is_empty());
    panel.clock.advance_secs(1);
    let mut body = view("Renamed", false);
    body["updated_at"] = created["updated_at"].clone();
    let changed = panel.change_view("anna", &created["id"], &body).await.json()["data"].clone();
    assert_eq!((&changed["name"], &changed["editable"]), (&json!("Renamed"), &json!(true)));
    assert_ne!(changed["updated_at"], created["updated_at"]);
    // Other staff members cannot learn that the view exists.
    for who in ["bert", "owner"] {
        assert_eq!(panel.change_view(who, &created["id"], &view("Taken", false)).await.status, 404);
        assert_eq!(panel.delete_view(who, &created["id"]).await, 404);
    }
    assert_eq!(panel.delete_view("anna", &created["id"]).await, 204);
    assert_eq!(panel.delete_view("anna", &created["id"]).await, 404);
    assert!(panel.list_views("anna").await.is_empty());
    let audits = Sql::new("SELECT count(*) FROM audits WHERE auditable_type = 'saved_view'");
    assert_eq!(panel.number(audits).await, 3);
}

async fn sharing_needs_a_permission(dialect: Dialect) {
    let panel = panel_with_staff(dialect).await;
    assert_eq!(
        panel.save_view("anna", &view("All", true)).await.status_and_code(),
        (403, "sharing_not_allowed".into())
    );
    let shared_view = panel.save_view("owner", &view("All", true)).await.json()["data"].clone();
    let private_view = panel.save_view("anna", &view("Mine", false)).await.json()["data"].clone();
    let visible = panel.list_views("anna").await;
    assert_eq!(visible.len(), 2);
    assert_eq!(
        (&visible[1]["name"], &visible[1]["is_own"], &visible[1]["editable"]),
        (&json!("All"), &json!(false), &json!(false))
    );
    assert_eq!(
        panel.change_view("anna", &shared_view["id"], &view("Hers", false)).await.status_and_code(),
        (403, "not_yours".into())
    );
    assert_eq!(panel.delete_view("anna", &shared_view["id"]).await, 403);
    assert_eq!(panel.change_view("anna", &private_view["id"], &view("Mine", true)).await.status, 403);
    panel.create_staff("boss", &[Permission::ManagePanelSettings]).await;
    let changed = panel.change_view("boss", &shared_view["id"], &view("All of us", true)).await;
    assert_eq!(changed.json()["data"]["editable"], true);
    assert_eq!(panel.list_views("bert").await[0]["name"], "All of us");
    assert_eq!(panel.delete_view("boss", &shared_view["id"]).await, 204);
}

async fn of_two_concurrent_changes_of_a_view_one_succeeds(dialect: Dialect) {
    let panel = panel_with_staff(dialect).await;
    let created = panel.save_view("owner", &view("All", true)).await.json()["data"].clone();
    let edit = |name: &str| {
        let mut body = view(name, true);
        body["updated_at"] = created["updated_at"].clone();
        body
    };
    panel.clock.advance_secs(1);
    let (first, second) = (edit("First"), edit("Second"));
    let (first, second) = tokio::join!(
        panel.change_view("owner", &created["id"], &first),
        panel.change_view("owner", &created["id"], &second)
    );
    let (succeeded, refused) = if first.status == 200 { (first, second) } else { (second, first) };
    assert_eq!(succeeded.status, 200, "{}", succeeded.text);
    assert_eq!(refused.status_and_code(), (409, "changed_meanwhile".into()));
    let message = refused.json()["message"].as_str().unwrap().to_owned();
    assert!(message.starts_with("This view was changed at "), "{message}");
}

async fn view_names_are_unique_and_their_number_is_limited(dialect: Dialect) {
    let panel = panel_with_staff(dialect).await;
    let first = panel.save_view("anna", &view("One", false)).await.json()["data"].clone();
    let duplicate = panel.save_view("anna", &view("One", false)).await;
    assert_eq!(duplicate.status_and_code(), (422, "name_taken".into()));
    assert!(duplicate.json()["errors"]["name"][0].is_string());
    assert_eq!(panel.save_view("bert", &view("One", false)).await.status, 200);
    for n in 2..=100 {
        assert_eq!(panel.save_view("anna", &view(&format!("View {n}"), false)).await.status, 200);
    }
    assert_eq!(
        panel.save_view("anna", &view("One more", false)).await.status_and_code(),
        (422, "too_many_views".into())
    );
    assert_eq!(
        panel.change_view("anna", &first["id"], &view("View 2", false)).await.status_and_code().1,
        "name_taken"
    );
    let mut view_of_payments = view("One more", false);
    view_of_payments["list"] = json!("payments");
    assert_eq!(panel.save_view("anna", &view_of_payments).await.status, 200);
    assert_eq!(
        panel.change_view("anna", &first["id"], &view_of_payments).await.status_and_code(),
        (422, "list_is_fixed".into())
    );
    assert_eq!(panel.delete_view("anna", &first["id"]).await, 204);
    assert_eq!(panel.save_view("anna", &view("One more", false)).await.status, 200);
}

async fn errors_of_a_view_name_the_wrong_field(dialect: Dialect) {
    let panel = panel_with_staff(dialect).await;
    for (field, value) in [
        ("name", json!("  ")),
        ("name", json!("x".repeat(61))),
        ("list", json!("Orders; --")),
        ("query", json!("x".repeat(4_001))),
        ("columns", json!(vec!["id"; 101])),
    ] {
        let mut body = view("Mine", false);
        body[field] = value;
        let answer = panel.save_view("anna", &body).await;
        assert_eq!(answer.status, 422, "{field}: {}", answer.text);
        assert!(answer.json()["errors"][field][0].is_string(), "{field}: {}", answer.text);
    }
    assert_eq!(
        panel.get_as("anna", PATH, "application/json").await.status,
        422,
        "the query parameter `list` is required"
    );
}
