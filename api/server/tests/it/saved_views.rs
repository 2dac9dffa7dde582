//! Saved views: one's own, shared ones, who may change which, and two editors of one.

use panel_contract::permission::Permission;
use panel_platform::db::{Dialect, Sql};
use serde_json::{Value, json};

use crate::panel::{Answer, Panel};

both! {
    views_are_made_changed_and_deleted;
    sharing_needs_a_permission;
    two_editors_do_not_overwrite_each_other;
    names_are_unique_and_numbers_limited;
    what_is_wrong_is_named;
}

const PATH: &str = "/api/v1/admin/saved-views";

fn view(name: &str, shared: bool) -> Value {
    json!({ "list": "orders", "name": name, "query": "status=in_moderation", "columns": ["id"], "is_shared": shared })
}

async fn panel(dialect: Dialect) -> Panel {
    let panel = Panel::on(dialect).await;
    for name in ["anna", "bert"] {
        panel.staff(name, &[Permission::ViewOrders]).await;
    }
    panel
}

impl Panel {
    async fn save(&self, who: &str, body: &Value) -> Answer {
        self.send(who, "POST", PATH, body, None).await
    }

    async fn change(&self, who: &str, id: &Value, body: &Value) -> Answer {
        self.send(who, "PUT", &format!("{PATH}/{id}"), body, None).await
    }

    async fn drop_view(&self, who: &str, id: &Value) -> u16 {
        self.call("127.0.0.1", Some(who), "DELETE", &format!("{PATH}/{id}"), &Value::Null)
            .await
            .status
            .as_u16()
    }

    async fn views(&self, who: &str) -> Vec<Value> {
        let answer = self.get_as(who, &format!("{PATH}?list=orders"), "application/json").await;
        answer.json()["data"].as_array().unwrap().clone()
    }
}

async fn views_are_made_changed_and_deleted(dialect: Dialect) {
    let panel = panel(dialect).await;
    let made = panel.save("anna", &view(" Mine ", false)).await.json()["data"].clone();
    assert_eq!(
        (&made["name"], &made["columns"], &made["is_own"]),
        (&json!("Mine"), &json!(["id"]), &json!(true))
    );
    assert_eq!(panel.views("anna").await, std::slice::from_ref(&made));
    assert!(panel.views("bert").await.is_empty());
    panel.clock.advance_secs(1);
    let mut body = view("Renamed", false);
    body["updated_at"] = made["updated_at"].clone();
    let changed = panel.change("anna", &made["id"], &body).await.json()["data"].clone();
    assert_eq!((&changed["name"], &changed["editable"]), (&json!("Renamed"), &json!(true)));
    assert_ne!(changed["updated_at"], made["updated_at"]);
    // Other staff members cannot learn that the view exists.
    for who in ["bert", "owner"] {
        assert_eq!(panel.change(who, &made["id"], &view("Taken", false)).await.status, 404);
        assert_eq!(panel.drop_view(who, &made["id"]).await, 404);
    }
    assert_eq!(panel.drop_view("anna", &made["id"]).await, 204);
    assert_eq!(panel.drop_view("anna", &made["id"]).await, 404);
    assert!(panel.views("anna").await.is_empty());
    let audits = Sql::new("SELECT count(*) FROM audits WHERE auditable_type = 'saved_view'");
    assert_eq!(panel.number(audits).await, 3);
}

async fn sharing_needs_a_permission(dialect: Dialect) {
    let panel = panel(dialect).await;
    assert_eq!(panel.save("anna", &view("All", true)).await.says(), (403, "sharing_not_allowed".into()));
    let shared = panel.save("owner", &view("All", true)).await.json()["data"].clone();
    let mine = panel.save("anna", &view("Mine", false)).await.json()["data"].clone();
    let seen = panel.views("anna").await;
    assert_eq!(seen.len(), 2);
    assert_eq!(
        (&seen[1]["name"], &seen[1]["is_own"], &seen[1]["editable"]),
        (&json!("All"), &json!(false), &json!(false))
    );
    assert_eq!(
        panel.change("anna", &shared["id"], &view("Hers", false)).await.says(),
        (403, "not_yours".into())
    );
    assert_eq!(panel.drop_view("anna", &shared["id"]).await, 403);
    assert_eq!(panel.change("anna", &mine["id"], &view("Mine", true)).await.status, 403);
    panel.staff("boss", &[Permission::ManagePanelSettings]).await;
    let changed = panel.change("boss", &shared["id"], &view("All of us", true)).await;
    assert_eq!(changed.json()["data"]["editable"], true);
    assert_eq!(panel.views("bert").await[0]["name"], "All of us");
    assert_eq!(panel.drop_view("boss", &shared["id"]).await, 204);
}

async fn two_editors_do_not_overwrite_each_other(dialect: Dialect) {
    let panel = panel(dialect).await;
    let made = panel.save("owner", &view("All", true)).await.json()["data"].clone();
    let edit = |name: &str| {
        let mut body = view(name, true);
        body["updated_at"] = made["updated_at"].clone();
        body
    };
    panel.clock.advance_secs(1);
    let (first, second) = (edit("First"), edit("Second"));
    let (first, second) =
        tokio::join!(panel.change("owner", &made["id"], &first), panel.change("owner", &made["id"], &second));
    let (won, lost) = if first.status == 200 { (first, second) } else { (second, first) };
    assert_eq!(won.status, 200, "{}", won.text);
    assert_eq!(lost.says(), (409, "changed_meanwhile".into()));
    let message = lost.json()["message"].as_str().unwrap().to_owned();
    assert!(message.starts_with("This view was changed at "), "{message}");
}

async fn names_are_unique_and_numbers_limited(dialect: Dialect) {
    let panel = panel(dialect).await;
    let first = panel.save("anna", &view("One", false)).await.json()["data"].clone();
    let taken = panel.save("anna", &view("One", false)).await;
    assert_eq!(taken.says(), (422, "name_taken".into()));
    assert!(taken.json()["errors"]["name"][0].is_string());
    assert_eq!(panel.save("bert", &view("One", false)).await.status, 200);
    for n in 2..=100 {
        assert_eq!(panel.save("anna", &view(&format!("View {n}"), false)).await.status, 200);
    }
    assert_eq!(panel.save("anna", &view("One more", false)).await.says(), (422, "too_many_views".into()));
    assert_eq!(panel.change("anna", &first["id"], &view("View 2", false)).await.says().1, "name_taken");
    let mut elsewhere = view("One more", false);
    elsewhere["list"] = json!("payments");
    assert_eq!(panel.save("anna", &elsewhere).await.status, 200);
    assert_eq!(panel.change("anna", &first["id"], &elsewhere).await.says(), (422, "list_is_fixed".into()));
    assert_eq!(panel.drop_view("anna", &first["id"]).await, 204);
    assert_eq!(panel.save("anna", &view("One more", false)).await.status, 200);
}

async fn what_is_wrong_is_named(dialect: Dialect) {
    let panel = panel(dialect).await;
    for (field, value) in [
        ("name", json!("  ")),
        ("name", json!("x".repeat(61))),
        ("list", json!("Orders; --")),
        ("query", json!("x".repeat(4_001))),
        ("columns", json!(vec!["id"; 101])),
    ] {
        let mut body = view("Mine", false);
        body[field] = value;
        let answer = panel.save("anna", &body).await;
        assert_eq!(answer.status, 422, "{field}: {}", answer.text);
        assert!(answer.json()["errors"][field][0].is_string(), "{field}: {}", answer.text);
    }
    assert_eq!(panel.get_as("anna", PATH, "application/json").await.status, 422, "which list?");
}
