//! Staff members, roles and permissions, with attempts at privilege escalation.

use panel_contract::permission::Permission::{self, ManageStaff, ViewAudits, ViewOrders, ViewUsers};
use panel_platform::db::{Dialect, Sql};
use serde_json::{Value, json};

use crate::panel::{Answer, Panel};
use crate::people::PASSWORD;

both! {
    staff_are_created_and_can_sign_in;
    a_role_is_created_changed_and_deleted;
    refuses_to_grant_a_permission_that_the_caller_lacks;
    refuses_to_grant_a_missing_permission_through_a_role;
    staff_cannot_change_their_own_roles;
    refuses_to_change_a_staff_member_with_more_permissions;
    refuses_to_change_a_role_of_a_staff_member_with_more_permissions;
    the_last_staff_manager_keeps_the_permission;
    of_two_staff_members_who_demote_each_other_one_succeeds;
    a_deactivation_or_a_new_password_ends_the_tokens;
    each_status_sets_its_own_timestamp;
    forms_choose_from_lists_with_the_permission_of_their_screen;
}

const STAFFS: &str = "/api/v1/admin/staffs";
const ROLES: &str = "/api/v1/admin/roles";

fn roles_path(id: i64) -> String {
    format!("/api/v1/admin/users/{id}/sync-roles-and-permissions")
}

impl Panel {
    async fn user_id_of(&self, name: &str) -> i64 {
        self.number(Sql::new("SELECT id FROM users WHERE email = ?").bind(format!("{name}@panel.test"))).await
    }

    async fn create_role(&self, name: &str, permissions: &[Permission]) -> i64 {
        let created = self.post(ROLES, &json!({ "name": name, "permissions": permissions })).await;
        assert_eq!(created.status, 200, "{}", created.text);
        created.json()["data"]["id"].as_i64().unwrap()
    }

    async fn grant(&self, who: &str, to: i64, roles: &[i64], permissions: &[Permission]) -> Answer {
        self.send(who, "PATCH", &roles_path(to), &json!({ "roles": roles, "permissions": permissions }), None)
            .await
    }

    /// A panel with a junior (manage staff, view orders) and a customer: the panel, the junior's id, the customer's id.
    async fn with_junior(dialect: Dialect) -> (Self, i64, i64) {
        let panel = Self::on(dialect).await;
        panel.create_staff("junior", &[ManageStaff, ViewOrders]).await;
        let customer = panel.create_user("customer@shop.test", &[]).await;
        let junior = panel.user_id_of("junior").await;
        (panel, junior, customer)
    }
}

async fn staff_are_created_and_can_sign_in(dialect: Dialect) {
    let panel = Panel::on(dialect).await;
    let role = panel.create_role("Support", &[ViewOrders, ViewUsers]).await;
    let body = json!({ "name": " Olga ", "email": "Olga@Panel.test", "password": PASSWORD, "roles": [role], "permissions": ["view audits"] });
    let created = panel.post(STAFFS, &body).await;
    assert_eq!(created.status, 200, "{}", created.text);
    let member = created.json()["data"].clone();
    assert_eq!(
        (&member["name"], &member["email"], &member["is_active"]),
        (&json!("Olga"), &json!("olga@panel.test"), &json!(true))
    );
    assert_eq!(
        (&member["roles"][0]["name"], &member["permissions"][0]["name"]),
        (&json!("Support"), &json!("view audits"))
    );
    assert_eq!(member["permissions"][0]["group"], "configuration");
    let page = panel.get(STAFFS).await.json();
    let is_listed = page["data"].as_array().unwrap().iter().any(|row| row["id"] == member["id"]);
    assert!(page["recordsTotal"] == 2 && is_listed, "{page}");
    panel.login("olga@panel.test", PASSWORD).await.token();
    assert_eq!(panel.post(STAFFS, &body).await.status_and_code(), (422, "email_taken".into()));
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
    for password in ["", "Football123", "olga2026!", "Olga.Panel.1"] {
        let body = json!({ "password": password });
        let answer = panel.send("owner", "PATCH", &format!("{STAFFS}/{}", member["id"]), &body, None).await;
        let errors = answer.json()["errors"].clone();
        assert_eq!(errors.as_object().unwrap().keys().collect::<Vec<_>>(), ["password"], "{}", answer.text);
    }
    let unknown = json!({ "name": "X", "email": "x@panel.test", "password": PASSWORD, "permissions": ["do everything"] });
    assert_eq!(panel.post(STAFFS, &unknown).await.status, 422);
    let audit =
        "SELECT count(*) FROM audits WHERE event = 'staff.created' AND new_values NOT LIKE '%four words%'";
    assert_eq!(panel.number(Sql::new(audit)).await, 1);
}

async fn a_role_is_created_changed_and_deleted(dialect: Dialect) {
    let panel = Panel::on(dialect).await;
    panel.create_staff("anna", &[ViewOrders]).await;
    let anna = panel.user_id_of("anna").await;
    let role = panel.create_role("Support", &[ViewUsers]).await;
    assert_eq!(panel.get_as("anna", "/api/v1/admin/users", "*/*").await.status, 403);
    assert_eq!(panel.grant("owner", anna, &[role], &[]).await.status, 200);
    assert_eq!(
        panel.get_as("anna", "/api/v1/admin/users", "*/*").await.status,
        200,
        "the new role applies to the next request"
    );
    assert_eq!(panel.get_as("anna", "/api/v1/admin/orders", "*/*").await.status, 403);
    let path = format!("{ROLES}/{role}");
    let read = panel.get(&path).await.json()["data"].clone();
    assert_eq!((&read["users_count"], &read["editable"]), (&json!(1), &json!(true)));
    assert_eq!(
        (&read["deletable"], &read["grantable"]),
        (&json!(false), &json!(true)),
        "a role in use cannot be deleted"
    );
    panel.clock.advance_secs(1);
    let body = json!({ "name": "Support 2", "permissions": ["view orders", "view orders"], "updated_at": read["updated_at"] });
    let changed = panel.send("owner", "PATCH", &path, &body, None).await;
    assert_eq!(changed.json()["data"]["permissions"].as_array().unwrap().len(), 1, "{}", changed.text);
    assert_eq!(
        panel.send("owner", "PATCH", &path, &body, None).await.status_and_code(),
        (409, "changed_meanwhile".into())
    );
    assert_eq!(panel.get_as("anna", "/api/v1/admin/orders", "*/*").await.status, 200);
    assert_eq!(
        panel
            .post(ROLES, &json!({ "name": "Support 2", "permissions": ["view orders"] }))
            .await
            .status_and_code(),
        (422, "name_taken".into())
    );
    assert_eq!(
        panel.post(ROLES, &json!({ "name": "", "permissions": [] })).await.json()["errors"]
            .as_object()
            .unwrap()
            .len(),
        2
    );
    let delete = async || {
        panel.call("127.0.0.1", Some("owner"), "DELETE", &path, &Value::Null).await.status_and_code()
    };
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
    let auditor_role = panel.create_role("Auditor", &[ViewAudits]).await;
    assert_eq!(
        panel.grant("junior", customer, &[], &[ViewAudits]).await.status_and_code(),
        (403, "not_held".into())
    );
    assert_eq!(
        panel.grant("junior", customer, &[auditor_role], &[]).await.status_and_code(),
        (403, "not_held".into())
    );
    let body =
        json!({ "name": "Y", "email": "y@panel.test", "password": PASSWORD, "permissions": ["view audits"] });
    assert_eq!(
        panel.send("junior", "POST", STAFFS, &body, None).await.status_and_code(),
        (403, "not_held".into())
    );
    assert_eq!(panel.number(Sql::new("SELECT count(*) FROM users WHERE email = 'y@panel.test'")).await, 0);
    let granted = panel.grant("junior", customer, &[], &[ViewOrders]).await;
    assert_eq!(granted.status, 200, "{}", granted.text);
    assert_eq!(panel.grant("junior", customer, &[99], &[]).await.status, 422);
    assert_eq!(panel.grant("junior", 99, &[], &[ViewOrders]).await.status, 404);
}

async fn refuses_to_grant_a_missing_permission_through_a_role(dialect: Dialect) {
    let (panel, _, _) = Panel::with_junior(dialect).await;
    let (weak, strong) = (
        panel.create_role("Weak", &[ViewOrders]).await,
        panel.create_role("Strong", &[ViewOrders, ViewAudits]).await,
    );
    let send_as_junior = async |method: &str, path: &str, body: &Value| {
        panel.send("junior", method, path, body, None).await.status_and_code()
    };
    let with_more_permissions = json!({ "name": "Weak", "permissions": ["view orders", "view audits"] });
    assert_eq!(
        send_as_junior("POST", ROLES, &json!({ "name": "New", "permissions": ["view audits"] })).await,
        (403, "not_held".into())
    );
    assert_eq!(
        send_as_junior("PATCH", &format!("{ROLES}/{weak}"), &with_more_permissions).await,
        (403, "not_held".into())
    );
    let with_fewer_permissions = json!({ "name": "Strong", "permissions": ["view orders"] });
    assert_eq!(
        send_as_junior("PATCH", &format!("{ROLES}/{strong}"), &with_fewer_permissions).await,
        (403, "role_allows_more".into())
    );
    let deleted =
        panel.call("127.0.0.1", Some("junior"), "DELETE", &format!("{ROLES}/{strong}"), &Value::Null).await;
    assert_eq!(deleted.status_and_code(), (403, "role_allows_more".into()));
    let roles = panel.get_as("junior", ROLES, "*/*").await.json()["data"].clone();
    assert_eq!((&roles[0]["editable"], &roles[1]["editable"]), (&json!(false), &json!(true)));
    assert_eq!((&roles[0]["deletable"], &roles[1]["deletable"]), (&json!(false), &json!(true)));
    assert_eq!((&roles[0]["grantable"], &roles[1]["grantable"]), (&json!(false), &json!(true)));
    assert_eq!(
        send_as_junior(
            "PATCH",
            &format!("{ROLES}/{weak}"),
            &json!({ "name": "Weaker", "permissions": ["view orders"] })
        )
        .await
        .0,
        200
    );
}

async fn staff_cannot_change_their_own_roles(dialect: Dialect) {
    let (panel, junior, _) = Panel::with_junior(dialect).await;
    assert_eq!(
        panel.grant("junior", junior, &[], &[ManageStaff]).await.status_and_code(),
        (403, "own_roles".into())
    );
    let owner = panel.user_id_of("owner").await;
    assert_eq!(
        panel.grant("owner", owner, &[], &[ManageStaff]).await.status_and_code(),
        (403, "own_roles".into())
    );
    let deactivated = panel
        .send("junior", "PATCH", &format!("{STAFFS}/{junior}"), &json!({ "is_active": false }), None)
        .await;
    assert_eq!(deactivated.status_and_code(), (403, "own_account".into()));
    let renamed =
        panel.send("junior", "PATCH", &format!("{STAFFS}/{junior}"), &json!({ "name": "June" }), None).await;
    assert_eq!(renamed.json()["data"]["name"], "June", "{}", renamed.text);
    assert_eq!(renamed.json()["data"]["actions"]["grantable"], false);
}

async fn refuses_to_change_a_staff_member_with_more_permissions(dialect: Dialect) {
    let (panel, junior, customer) = Panel::with_junior(dialect).await;
    let owner = panel.user_id_of("owner").await;
    for body in
        [json!({ "password": "another good one" }), json!({ "is_active": false }), json!({ "name": "Fool" })]
    {
        let answer = panel.send("junior", "PATCH", &format!("{STAFFS}/{owner}"), &body, None).await;
        assert_eq!(answer.status_and_code(), (403, "outranked".into()), "{body}");
    }
    assert_eq!(panel.grant("junior", owner, &[], &[]).await.status_and_code(), (403, "outranked".into()));
    assert_eq!(
        panel.grant("junior", owner, &[], &[ManageStaff]).await.status_and_code(),
        (403, "outranked".into())
    );
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
        "a customer is no staff member"
    );
}

/// The junior holds all permissions of the role, but the role belongs to a staff member with more permissions.
async fn refuses_to_change_a_role_of_a_staff_member_with_more_permissions(dialect: Dialect) {
    let (panel, _, _) = Panel::with_junior(dialect).await;
    let role = panel.create_role("Support", &[ViewOrders]).await;
    let path = format!("{ROLES}/{role}");
    let editable = async || panel.get_as("junior", &path, "*/*").await.json()["data"]["editable"].clone();
    assert_eq!(editable().await, true);
    let chief = panel.create_user("chief@panel.test", &[ViewAudits]).await;
    assert_eq!(panel.grant("owner", chief, &[role], &[ViewAudits]).await.status, 200);
    assert_eq!(editable().await, false);
    let page = panel.get_as("junior", ROLES, "*/*").await.json()["data"].clone();
    let listed_role = page.as_array().unwrap().iter().find(|row| row["id"] == role).unwrap();
    assert_eq!(listed_role["editable"], false);
    for body in [json!({ "name": "Renamed" }), json!({ "permissions": ["view orders", "manage staff"] })] {
        let answer = panel.send("junior", "PATCH", &path, &body, None).await;
        assert_eq!(answer.status_and_code(), (403, "outranked".into()), "{body}");
    }
    let answer = panel.send("junior", "DELETE", &path, &json!({}), None).await;
    assert_eq!(answer.status_and_code(), (403, "outranked".into()));
    assert_eq!(panel.get(&path).await.json()["data"]["name"], "Support");
}

async fn the_last_staff_manager_keeps_the_permission(dialect: Dialect) {
    let panel = Panel::on(dialect).await;
    let role = panel.create_role("Boss", &[ManageStaff]).await;
    panel.create_staff("boss", &[ViewOrders]).await;
    let (owner, boss) = (panel.user_id_of("owner").await, panel.user_id_of("boss").await);
    assert_eq!(panel.grant("owner", boss, &[role], Permission::ALL).await.status, 200);
    assert_eq!(panel.grant("boss", owner, &[], &[ViewOrders]).await.status, 200);
    let own_change = panel.grant("boss", boss, &[], &[]).await;
    assert_eq!(own_change.status_and_code(), (403, "own_roles".into()));
    assert_eq!(
        panel.grant("owner", boss, &[], &[]).await.status,
        403,
        "the owner cannot manage staff any more"
    );
    // Now only the role grants `manage staff`: its last holder cannot remove it from the role, but can rename the role.
    assert_eq!(
        panel
            .execute(
                Sql::new("DELETE FROM user_permissions WHERE user_id = ? AND permission = 'manage staff'")
                    .bind(boss)
            )
            .await,
        1
    );
    let body = json!({ "name": "Boss", "permissions": ["view orders"] });
    let answer = panel.send("boss", "PATCH", &format!("{ROLES}/{role}"), &body, None).await;
    assert_eq!(
        answer.status_and_code(),
        (403, "own_roles".into()),
        "only another staff member can change the permissions of this role"
    );
    let renamed =
        panel.send("boss", "PATCH", &format!("{ROLES}/{role}"), &json!({ "name": "Chief" }), None).await;
    assert_eq!(renamed.status, 200, "{}", renamed.text);
    assert_eq!(panel.get_as("boss", STAFFS, "*/*").await.status, 200);
}

async fn of_two_staff_members_who_demote_each_other_one_succeeds(dialect: Dialect) {
    let panel = Panel::on(dialect).await;
    panel.create_staff("rival", Permission::ALL).await;
    let (owner, rival) = (panel.user_id_of("owner").await, panel.user_id_of("rival").await);
    let (first, second) = tokio::join!(
        panel.grant("owner", rival, &[], &[ViewOrders]),
        panel.grant("rival", owner, &[], &[ViewOrders])
    );
    let mut statuses = [first.status.as_u16(), second.status.as_u16()];
    statuses.sort_unstable();
    assert_eq!(statuses[0], 200, "{} {}", first.text, second.text);
    assert!(statuses[1] == 409 || statuses[1] == 403, "{} {}", first.text, second.text);
    let managers = Sql::new("SELECT count(*) FROM user_permissions WHERE permission = 'manage staff'");
    assert_eq!(panel.number(managers).await, 1);
}

async fn a_deactivation_or_a_new_password_ends_the_tokens(dialect: Dialect) {
    let panel = Panel::on(dialect).await;
    let anna = panel.create_user("anna@panel.test", &[ViewOrders]).await;
    let token = panel.login("anna@panel.test", PASSWORD).await.token();
    let path = format!("{STAFFS}/{anna}");
    let patch_and_read_is_active = async |body: Value| {
        panel.send("owner", "PATCH", &path, &body, None).await.json()["data"]["is_active"].clone()
    };
    assert_eq!(patch_and_read_is_active(json!({ "is_active": false })).await, false);
    assert_eq!(panel.who_am_i(&token).await.0, 401);
    assert_eq!(panel.login("anna@panel.test", PASSWORD).await.status, 422);
    assert_eq!(patch_and_read_is_active(json!({ "is_active": true })).await, true);
    assert_eq!(panel.who_am_i(&token).await.0, 401, "an activation does not restore the token");
    let token = panel.login("anna@panel.test", PASSWORD).await.token();
    assert_eq!(patch_and_read_is_active(json!({ "password": "quite another one" })).await, true);
    assert_eq!(panel.who_am_i(&token).await.0, 401);
    panel.login("anna@panel.test", "quite another one").await.token();
    let audits = Sql::new(
        "SELECT count(*) FROM audits WHERE event = 'staff.updated' AND new_values NOT LIKE '%quite%'",
    );
    assert_eq!(panel.number(audits).await, 3);
}

async fn each_status_sets_its_own_timestamp(dialect: Dialect) {
    let panel = Panel::on(dialect).await;
    let anna = panel.create_user("anna@panel.test", &[ViewOrders]).await;
    let user = format!("/api/v1/admin/users/{anna}");
    let status_and_timestamps = async || {
        let user = panel.get(&user).await.json()["data"].clone();
        (user["status"].clone(), user["frozen_at"].is_string(), user["deactivated_at"].is_string())
    };
    let set_active = async |is_active: bool| {
        let path = format!("{STAFFS}/{anna}");
        panel.send("owner", "PATCH", &path, &json!({ "is_active": is_active }), None).await.status
    };
    assert_eq!(panel.post(&format!("{user}/freeze"), &json!({})).await.status, 200);
    assert_eq!(status_and_timestamps().await, (json!("frozen"), true, false));
    assert_eq!(set_active(false).await, 200);
    assert_eq!(
        status_and_timestamps().await,
        (json!("deactivated"), false, true),
        "a deactivated user has no frozen_at"
    );
    assert_eq!(set_active(true).await, 200);
    assert_eq!(status_and_timestamps().await, (json!("active"), false, false));
    assert_eq!(panel.post(&format!("{user}/deactivate"), &json!({})).await.status, 200);
    assert_eq!(status_and_timestamps().await, (json!("deactivated"), false, true));
    let report = panel.get("/api/v1/admin/system/doctor").await.json();
    let checks = report["data"]["checks"].as_array().unwrap();
    let check = checks.iter().find(|check| check["name"] == "statuses_dated").unwrap();
    assert_eq!(check["broken"], 0);
}

/// The permission of a screen also opens the lists that its forms choose from; other staff cannot read them.
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
        panel.create_staff(name, &[permission]).await;
        for path in paths {
            let answer = panel.get_as(name, path, "application/json").await;
            assert_eq!(answer.status, 200, "{name} {path}: {}", answer.text);
        }
    }
    panel.create_staff("targets", &[ManageTargets]).await;
    for path in [services, users, networks, types, groups] {
        assert_eq!(panel.get_as("targets", path, "application/json").await.status, 403, "{path}");
    }
}
