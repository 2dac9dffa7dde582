//! Staff, roles and permissions: attempts at privilege escalation.

use panel_contract::permission::Permission::{self, ManageStaff, ViewAudits, ViewOrders, ViewUsers};
use panel_platform::db::{Dialect, Sql};
use serde_json::{Value, json};

use crate::panel::{Answer, Panel};
use crate::people::PASSWORD;

both! {
    staff_are_made_and_sign_in;
    a_role_is_made_changed_and_deleted;
    refuses_to_grant_a_permission_that_the_caller_lacks;
    nobody_gives_it_by_a_role_either;
    nobody_changes_their_own_roles;
    nobody_acts_on_who_holds_more;
    a_role_of_a_higher_member_is_out_of_reach;
    somebody_always_manages_staff;
    two_who_demote_each_other;
    deactivating_ends_tokens;
    a_status_has_the_moment_that_belongs_to_it;
    forms_choose_from_lists_with_the_permission_of_their_screen;
}

const STAFFS: &str = "/api/v1/admin/staffs";
const ROLES: &str = "/api/v1/admin/roles";

fn sync(id: i64) -> String {
    format!("/api/v1/admin/users/{id}/sync-roles-and-permissions")
}

impl Panel {
    async fn id_of(&self, name: &str) -> i64 {
        self.number(Sql::new("SELECT id FROM users WHERE email = ?").bind(format!("{name}@panel.test"))).await
    }

    async fn made_role(&self, name: &str, permissions: &[Permission]) -> i64 {
        let made = self.post(ROLES, &json!({ "name": name, "permissions": permissions })).await;
        assert_eq!(made.status, 200, "{}", made.text);
        made.json()["data"]["id"].as_i64().unwrap()
    }

    async fn grant(&self, who: &str, to: i64, roles: &[i64], permissions: &[Permission]) -> Answer {
        self.send(who, "PATCH", &sync(to), &json!({ "roles": roles, "permissions": permissions }), None).await
    }

    /// A junior who manages staff and sees orders, and a customer.
    async fn with_junior(dialect: Dialect) -> (Self, i64, i64) {
        let panel = Self::on(dialect).await;
        panel.staff("junior", &[ManageStaff, ViewOrders]).await;
        let customer = panel.person("customer@shop.test", &[]).await;
        let junior = panel.id_of("junior").await;
        (panel, junior, customer)
    }
}

async fn staff_are_made_and_sign_in(dialect: Dialect) {
    let panel = Panel::on(dialect).await;
    let role = panel.made_role("Support", &[ViewOrders, ViewUsers]).await;
    let body = json!({ "name": " Olga ", "email": "Olga@Panel.test", "password": PASSWORD, "roles": [role], "permissions": ["view audits"] });
    let made = panel.post(STAFFS, &body).await;
    assert_eq!(made.status, 200, "{}", made.text);
    let made = made.json()["data"].clone();
    assert_eq!(
        (&made["name"], &made["email"], &made["is_active"]),
        (&json!("Olga"), &json!("olga@panel.test"), &json!(true))
    );
    assert_eq!(
        (&made["roles"][0]["name"], &made["permissions"][0]["name"]),
        (&json!("Support"), &json!("view audits"))
    );
    assert_eq!(made["permissions"][0]["group"], "configuration");
    let listed = panel.get(STAFFS).await.json();
    let is_listed = listed["data"].as_array().unwrap().iter().any(|row| row["id"] == made["id"]);
    assert!(listed["recordsTotal"] == 2 && is_listed, "{listed}");
    panel.login("olga@panel.test", PASSWORD).await.token();
    assert_eq!(panel.post(STAFFS, &body).await.says(), (422, "email_taken".into()));
    for (field, value) in [
        ("name", json!(" ")),
        ("email", json!("nobody")),
        ("password", json!("short")),
        ("password", json!("Football123")),
        ("password", json!("X-panel-2026")),
        ("password", json!("")),
        ("roles.0", json!([99])),
        ("roles", json!([])),
    ] {
        let mut body = json!({ "name": "X", "email": "x@panel.test", "password": PASSWORD, "roles": [role] });
        body[field.split('.').next().unwrap()] = value;
        let answer = panel.post(STAFFS, &body).await;
        assert!(
            answer.status == 422 && answer.json()["errors"][field].is_array(),
            "{field}: {}",
            answer.text
        );
    }
    for weak in ["", "Football123", "olga2026!", "Olga.Panel.1"] {
        let weak = json!({ "password": weak });
        let answer = panel.send("owner", "PATCH", &format!("{STAFFS}/{}", made["id"]), &weak, None).await;
        let errors = answer.json()["errors"].clone();
        assert_eq!(errors.as_object().unwrap().keys().collect::<Vec<_>>(), ["password"], "{}", answer.text);
    }
    let unknown = json!({ "name": "X", "email": "x@panel.test", "password": PASSWORD, "permissions": ["do everything"] });
    assert_eq!(panel.post(STAFFS, &unknown).await.status, 422);
    let audit =
        "SELECT count(*) FROM audits WHERE event = 'staff.created' AND new_values NOT LIKE '%four words%'";
    assert_eq!(panel.number(Sql::new(audit)).await, 1);
}

async fn a_role_is_made_changed_and_deleted(dialect: Dialect) {
    let panel = Panel::on(dialect).await;
    panel.staff("anna", &[ViewOrders]).await;
    let anna = panel.id_of("anna").await;
    let role = panel.made_role("Support", &[ViewUsers]).await;
    assert_eq!(panel.get_as("anna", "/api/v1/admin/users", "*/*").await.status, 403);
    assert_eq!(panel.grant("owner", anna, &[role], &[]).await.status, 200);
    assert_eq!(panel.get_as("anna", "/api/v1/admin/users", "*/*").await.status, 200, "at her next request");
    assert_eq!(panel.get_as("anna", "/api/v1/admin/orders", "*/*").await.status, 403);
    let path = format!("{ROLES}/{role}");
    let read = panel.get(&path).await.json()["data"].clone();
    assert_eq!((&read["users_count"], &read["editable"]), (&json!(1), &json!(true)));
    assert_eq!((&read["deletable"], &read["grantable"]), (&json!(false), &json!(true)), "a member has it");
    panel.clock.advance_secs(1);
    let body = json!({ "name": "Support 2", "permissions": ["view orders", "view orders"], "updated_at": read["updated_at"] });
    let changed = panel.send("owner", "PATCH", &path, &body, None).await;
    assert_eq!(changed.json()["data"]["permissions"].as_array().unwrap().len(), 1, "{}", changed.text);
    assert_eq!(
        panel.send("owner", "PATCH", &path, &body, None).await.says(),
        (409, "changed_meanwhile".into())
    );
    assert_eq!(panel.get_as("anna", "/api/v1/admin/orders", "*/*").await.status, 200);
    assert_eq!(
        panel.post(ROLES, &json!({ "name": "Support 2", "permissions": ["view orders"] })).await.says(),
        (422, "name_taken".into())
    );
    assert_eq!(
        panel.post(ROLES, &json!({ "name": "", "permissions": [] })).await.json()["errors"]
            .as_object()
            .unwrap()
            .len(),
        2
    );
    let delete = async || panel.call("127.0.0.1", Some("owner"), "DELETE", &path, &Value::Null).await.says();
    assert_eq!(delete().await, (409, "role_in_use".into()));
    assert_eq!(panel.grant("owner", anna, &[], &[ViewOrders]).await.status, 200);
    assert_eq!(panel.get(&path).await.json()["data"]["deletable"], true);
    assert_eq!(delete().await.0, 204);
    assert_eq!(delete().await.0, 404);
    assert_eq!(panel.get(ROLES).await.json()["data"], json!([]));
    assert_eq!(
        panel.get("/api/v1/admin/permissions").await.json()["data"].as_array().unwrap().len(),
        Permission::ALL.len()
    );
}

async fn refuses_to_grant_a_permission_that_the_caller_lacks(dialect: Dialect) {
    let (panel, _, customer) = Panel::with_junior(dialect).await;
    let audits = panel.made_role("Auditor", &[ViewAudits]).await;
    assert_eq!(panel.grant("junior", customer, &[], &[ViewAudits]).await.says(), (403, "not_held".into()));
    assert_eq!(panel.grant("junior", customer, &[audits], &[]).await.says(), (403, "not_held".into()));
    let body =
        json!({ "name": "Y", "email": "y@panel.test", "password": PASSWORD, "permissions": ["view audits"] });
    assert_eq!(panel.send("junior", "POST", STAFFS, &body, None).await.says(), (403, "not_held".into()));
    assert_eq!(panel.number(Sql::new("SELECT count(*) FROM users WHERE email = 'y@panel.test'")).await, 0);
    let given = panel.grant("junior", customer, &[], &[ViewOrders]).await;
    assert_eq!(given.status, 200, "{}", given.text);
    assert_eq!(panel.grant("junior", customer, &[99], &[]).await.status, 422);
    assert_eq!(panel.grant("junior", 99, &[], &[ViewOrders]).await.status, 404);
}

async fn nobody_gives_it_by_a_role_either(dialect: Dialect) {
    let (panel, _, _) = Panel::with_junior(dialect).await;
    let (weak, strong) = (
        panel.made_role("Weak", &[ViewOrders]).await,
        panel.made_role("Strong", &[ViewOrders, ViewAudits]).await,
    );
    let junior = async |method: &str, path: &str, body: &Value| {
        panel.send("junior", method, path, body, None).await.says()
    };
    let more = json!({ "name": "Weak", "permissions": ["view orders", "view audits"] });
    assert_eq!(
        junior("POST", ROLES, &json!({ "name": "New", "permissions": ["view audits"] })).await,
        (403, "not_held".into())
    );
    assert_eq!(junior("PATCH", &format!("{ROLES}/{weak}"), &more).await, (403, "not_held".into()));
    let less = json!({ "name": "Strong", "permissions": ["view orders"] });
    assert_eq!(junior("PATCH", &format!("{ROLES}/{strong}"), &less).await, (403, "role_allows_more".into()));
    let drop =
        panel.call("127.0.0.1", Some("junior"), "DELETE", &format!("{ROLES}/{strong}"), &Value::Null).await;
    assert_eq!(drop.says(), (403, "role_allows_more".into()));
    let roles = panel.get_as("junior", ROLES, "*/*").await.json()["data"].clone();
    assert_eq!((&roles[0]["editable"], &roles[1]["editable"]), (&json!(false), &json!(true)));
    assert_eq!((&roles[0]["deletable"], &roles[1]["deletable"]), (&json!(false), &json!(true)));
    assert_eq!((&roles[0]["grantable"], &roles[1]["grantable"]), (&json!(false), &json!(true)));
    assert_eq!(
        junior(
            "PATCH",
            &format!("{ROLES}/{weak}"),
            &json!({ "name": "Weaker", "permissions": ["view orders"] })
        )
        .await
        .0,
        200
    );
}

async fn nobody_changes_their_own_roles(dialect: Dialect) {
    let (panel, junior, _) = Panel::with_junior(dialect).await;
    assert_eq!(panel.grant("junior", junior, &[], &[ManageStaff]).await.says(), (403, "own_roles".into()));
    let owner = panel.id_of("owner").await;
    assert_eq!(panel.grant("owner", owner, &[], &[ManageStaff]).await.says(), (403, "own_roles".into()));
    let off = panel
        .send("junior", "PATCH", &format!("{STAFFS}/{junior}"), &json!({ "is_active": false }), None)
        .await;
    assert_eq!(off.says(), (403, "own_account".into()));
    let renamed =
        panel.send("junior", "PATCH", &format!("{STAFFS}/{junior}"), &json!({ "name": "June" }), None).await;
    assert_eq!(renamed.json()["data"]["name"], "June", "{}", renamed.text);
    assert_eq!(renamed.json()["data"]["actions"]["grantable"], false);
}

async fn nobody_acts_on_who_holds_more(dialect: Dialect) {
    let (panel, junior, customer) = Panel::with_junior(dialect).await;
    let owner = panel.id_of("owner").await;
    for body in
        [json!({ "password": "another good one" }), json!({ "is_active": false }), json!({ "name": "Fool" })]
    {
        let tried = panel.send("junior", "PATCH", &format!("{STAFFS}/{owner}"), &body, None).await;
        assert_eq!(tried.says(), (403, "outranked".into()), "{body}");
    }
    assert_eq!(panel.grant("junior", owner, &[], &[]).await.says(), (403, "outranked".into()));
    assert_eq!(panel.grant("junior", owner, &[], &[ManageStaff]).await.says(), (403, "outranked".into()));
    let rows = panel.get_as("junior", STAFFS, "*/*").await.json()["data"].clone();
    let of_owner = rows.as_array().unwrap().iter().find(|row| row["id"] == owner).unwrap();
    assert_eq!(
        of_owner["actions"],
        json!({ "editable": false, "grantable": false, "deactivable": false, "activable": false, "invitable": false, "invitation_withdrawable": false, "second_factor_resettable": false })
    );
    assert_eq!(
        panel
            .send("owner", "PATCH", &format!("{STAFFS}/{junior}"), &json!({ "is_active": false }), None)
            .await
            .status,
        200
    );
    assert_eq!(
        panel
            .send("owner", "PATCH", &format!("{STAFFS}/{customer}"), &json!({ "name": "X" }), None)
            .await
            .status,
        404,
        "no staff"
    );
}

/// Within the junior's rank by what it allows, the role reaches a member who holds more.
async fn a_role_of_a_higher_member_is_out_of_reach(dialect: Dialect) {
    let (panel, _, _) = Panel::with_junior(dialect).await;
    let role = panel.made_role("Support", &[ViewOrders]).await;
    let path = format!("{ROLES}/{role}");
    let editable = async || panel.get_as("junior", &path, "*/*").await.json()["data"]["editable"].clone();
    assert_eq!(editable().await, true);
    let chief = panel.person("chief@panel.test", &[ViewAudits]).await;
    assert_eq!(panel.grant("owner", chief, &[role], &[ViewAudits]).await.status, 200);
    assert_eq!(editable().await, false);
    let listed = panel.get_as("junior", ROLES, "*/*").await.json()["data"].clone();
    let shown = listed.as_array().unwrap().iter().find(|one| one["id"] == role).unwrap();
    assert_eq!(shown["editable"], false);
    for body in [json!({ "name": "Renamed" }), json!({ "permissions": ["view orders", "manage staff"] })] {
        let tried = panel.send("junior", "PATCH", &path, &body, None).await;
        assert_eq!(tried.says(), (403, "outranked".into()), "{body}");
    }
    let tried = panel.send("junior", "DELETE", &path, &json!({}), None).await;
    assert_eq!(tried.says(), (403, "outranked".into()));
    assert_eq!(panel.get(&path).await.json()["data"]["name"], "Support");
}

async fn somebody_always_manages_staff(dialect: Dialect) {
    let panel = Panel::on(dialect).await;
    let role = panel.made_role("Boss", &[ManageStaff]).await;
    panel.staff("boss", &[ViewOrders]).await;
    let (owner, boss) = (panel.id_of("owner").await, panel.id_of("boss").await);
    assert_eq!(panel.grant("owner", boss, &[role], Permission::ALL).await.status, 200);
    assert_eq!(panel.grant("boss", owner, &[], &[ViewOrders]).await.status, 200);
    let drop = panel.grant("boss", boss, &[], &[]).await;
    assert_eq!(drop.says(), (403, "own_roles".into()));
    assert_eq!(panel.grant("owner", boss, &[], &[]).await.status, 403, "who lost it may not even ask");
    // Only the role holds it now: the role cannot lose it, and its last holder goes on.
    assert_eq!(
        panel
            .exec(
                Sql::new("DELETE FROM user_permissions WHERE user_id = ? AND permission = 'manage staff'")
                    .bind(boss)
            )
            .await,
        1
    );
    let body = json!({ "name": "Boss", "permissions": ["view orders"] });
    let tried = panel.send("boss", "PATCH", &format!("{ROLES}/{role}"), &body, None).await;
    assert_eq!(tried.says(), (403, "own_roles".into()), "what one's own role allows is changed by others");
    let renamed =
        panel.send("boss", "PATCH", &format!("{ROLES}/{role}"), &json!({ "name": "Chief" }), None).await;
    assert_eq!(renamed.status, 200, "{}", renamed.text);
    assert_eq!(panel.get_as("boss", STAFFS, "*/*").await.status, 200);
}

async fn two_who_demote_each_other(dialect: Dialect) {
    let panel = Panel::on(dialect).await;
    panel.staff("rival", Permission::ALL).await;
    let (owner, rival) = (panel.id_of("owner").await, panel.id_of("rival").await);
    let (one, other) = tokio::join!(
        panel.grant("owner", rival, &[], &[ViewOrders]),
        panel.grant("rival", owner, &[], &[ViewOrders])
    );
    let mut codes = [one.status.as_u16(), other.status.as_u16()];
    codes.sort_unstable();
    assert_eq!(codes[0], 200, "{} {}", one.text, other.text);
    assert!(codes[1] == 409 || codes[1] == 403, "{} {}", one.text, other.text);
    let managers = Sql::new("SELECT count(*) FROM user_permissions WHERE permission = 'manage staff'");
    assert_eq!(panel.number(managers).await, 1);
}

async fn deactivating_ends_tokens(dialect: Dialect) {
    let panel = Panel::on(dialect).await;
    let anna = panel.person("anna@panel.test", &[ViewOrders]).await;
    let token = panel.login("anna@panel.test", PASSWORD).await.token();
    let path = format!("{STAFFS}/{anna}");
    let set = async |body: Value| {
        panel.send("owner", "PATCH", &path, &body, None).await.json()["data"]["is_active"].clone()
    };
    assert_eq!(set(json!({ "is_active": false })).await, false);
    assert_eq!(panel.who_am_i(&token).await.0, 401);
    assert_eq!(panel.login("anna@panel.test", PASSWORD).await.status, 422);
    assert_eq!(set(json!({ "is_active": true })).await, true);
    assert_eq!(panel.who_am_i(&token).await.0, 401, "an ended token stays ended");
    let token = panel.login("anna@panel.test", PASSWORD).await.token();
    assert_eq!(set(json!({ "password": "quite another one" })).await, true);
    assert_eq!(panel.who_am_i(&token).await.0, 401);
    panel.login("anna@panel.test", "quite another one").await.token();
    let audits = Sql::new(
        "SELECT count(*) FROM audits WHERE event = 'staff.updated' AND new_values NOT LIKE '%quite%'",
    );
    assert_eq!(panel.number(audits).await, 3);
}

async fn a_status_has_the_moment_that_belongs_to_it(dialect: Dialect) {
    let panel = Panel::on(dialect).await;
    let anna = panel.person("anna@panel.test", &[ViewOrders]).await;
    let user = format!("/api/v1/admin/users/{anna}");
    let moments = async || {
        let user = panel.get(&user).await.json()["data"].clone();
        (user["status"].clone(), user["frozen_at"].is_string(), user["deactivated_at"].is_string())
    };
    let set = async |is_active: bool| {
        let path = format!("{STAFFS}/{anna}");
        panel.send("owner", "PATCH", &path, &json!({ "is_active": is_active }), None).await.status
    };
    assert_eq!(panel.post(&format!("{user}/freeze"), &json!({})).await.status, 200);
    assert_eq!(moments().await, (json!("frozen"), true, false));
    assert_eq!(set(false).await, 200);
    assert_eq!(moments().await, (json!("deactivated"), false, true), "no longer frozen since then");
    assert_eq!(set(true).await, 200);
    assert_eq!(moments().await, (json!("active"), false, false));
    assert_eq!(panel.post(&format!("{user}/deactivate"), &json!({})).await.status, 200);
    assert_eq!(moments().await, (json!("deactivated"), false, true));
    let report = panel.get("/api/v1/admin/system/doctor").await.json();
    let checks = report["data"]["checks"].as_array().unwrap();
    let dated = checks.iter().find(|check| check["name"] == "statuses_dated").unwrap();
    assert_eq!(dated["broken"], 0);
}

/// A screen works with its own permission alone: what its forms choose from is open to it, and to no one without any.
async fn forms_choose_from_lists_with_the_permission_of_their_screen(dialect: Dialect) {
    use Permission::{
        ManageDiscounts, ManageExternalPanels, ManageOrderWidgets, ManagePackages, ManageTargets,
    };
    let panel = Panel::shop(dialect, 3, 0).await;
    let (networks, types) = ("/api/v1/admin/networks", "/api/v1/admin/networks/1/service-types");
    let groups = "/api/v1/admin/promotable-checker-groups";
    let (users, services) =
        ("/api/v1/admin/users/search?query=Customer", "/api/v1/admin/special-offers/services?search=Service");
    for (name, permission, paths) in [
        ("discounts", ManageDiscounts, &[services][..]),
        ("widgets", ManageOrderWidgets, &[users]),
        ("packages", ManagePackages, &[networks, types]),
        ("panels", ManageExternalPanels, &[networks, types, groups]),
    ] {
        panel.staff(name, &[permission]).await;
        for path in paths {
            let answer = panel.get_as(name, path, "application/json").await;
            assert_eq!(answer.status, 200, "{name} {path}: {}", answer.text);
        }
    }
    panel.staff("targets", &[ManageTargets]).await;
    for path in [services, users, networks, types, groups] {
        assert_eq!(panel.get_as("targets", path, "application/json").await.status, 403, "{path}");
    }
}
