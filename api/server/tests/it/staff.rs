//! Staff members, roles and permissions, and attempts of staff to get more permissions.

use panel_contract::permission::Permission::{self, ManageStaff, ViewAudits, ViewOrders, ViewUsers};
use panel_platform::db::{Dialect, Sql};
use serde_json::{Value, json};

use crate::panel::{Panel, TestResponse};
use crate::test_users::PASSWORD;

test_both_databases! {
    staff_are_created_and_can_sign_in;
    a_role_is_created_changed_and_deleted;
    rejects_granting_a_permission_that_the_caller_lacks;
    rejects_granting_a_missing_permission_through_a_role;
    staff_cannot_change_their_own_roles;
    rejects_changing_a_staff_member_with_more_permissions;
    rejects_changing_a_role_of_a_staff_member_with_more_permissions;
    the_last_staff_manager_keeps_the_permission;
    one_of_two_staff_members_who_demote_each_other_succeeds;
    a_deactivation_or_a_new_password_ends_the_tokens;
    each_status_sets_its_own_timestamp;
    the_permission_of_a_screen_allows_reading_the_choices_of_its_forms;
}

const STAFFS_PATH: &str = "/api/v1/admin/staffs";
const ROLES_PATH: &str = "/api/v1/admin/roles";

fn grants_path(id: i64) -> String {
    format!("/api/v1/admin/users/{id}/sync-roles-and-permissions")
}

impl Panel {
    async fn fetch_user_id(&self, name: &str) -> i64 {
        self.fetch_number(Sql::new("SELECT id FROM users WHERE email = ?").bind(format!("{name}@panel.test")))
            .await
    }

    async fn create_role(&self, name: &str, permissions: &[Permission]) -> i64 {
        let create_response =
            self.post(ROLES_PATH, &json!({ "name": name, "permissions": permissions })).await;
        assert_eq!(create_response.status, 200, "{}", create_response.text);
        create_response.json()["data"]["id"].as_i64().unwrap()
    }

    async fn set_grants(
        &self,
        staff: &str,
        user_id: i64,
        roles: &[i64],
        permissions: &[Permission],
    ) -> TestResponse {
        self.send(
            staff,
            "PATCH",
            &grants_path(user_id),
            &json!({ "roles": roles, "permissions": permissions }),
            None,
        )
        .await
    }

    /// A panel with a junior (manage staff, view orders) and a customer: the panel, the junior's id, the customer's id.
    async fn with_junior(dialect: Dialect) -> (Self, i64, i64) {
        let panel = Self::start(dialect).await;
        panel.create_staff("junior", &[ManageStaff, ViewOrders]).await;
        let customer_id = panel.create_user("customer@shop.test", &[]).await;
        let junior_id = panel.fetch_user_id("junior").await;
        (panel, junior_id, customer_id)
    }
}

async fn staff_are_created_and_can_sign_in(dialect: Dialect) {
    let panel = Panel::start(dialect).await;
    let role_id = panel.create_role("Support", &[ViewOrders, ViewUsers]).await;
    let body = json!({ "name": " Olga ", "email": "Olga@Panel.test", "password": PASSWORD, "roles": [role_id], "permissions": ["view audits"] });
    let create_response = panel.post(STAFFS_PATH, &body).await;
    assert_eq!(create_response.status, 200, "{}", create_response.text);
    let created_member = create_response.json()["data"].clone();
    assert_eq!(
        (&created_member["name"], &created_member["email"], &created_member["is_active"]),
        (&json!("Olga"), &json!("olga@panel.test"), &json!(true))
    );
    assert_eq!(
        (&created_member["roles"][0]["name"], &created_member["permissions"][0]["name"]),
        (&json!("Support"), &json!("view audits"))
    );
    assert_eq!(created_member["permissions"][0]["group"], "configuration");
    let staff_page = panel.get(STAFFS_PATH).await.json();
    let is_listed =
        staff_page["data"].as_array().unwrap().iter().any(|row| row["id"] == created_member["id"]);
    assert!(staff_page["recordsTotal"] == 2 && is_listed, "{staff_page}");
    panel.login("olga@panel.test", PASSWORD).await.session_token();
    assert_eq!(panel.post(STAFFS_PATH, &body).await.status_and_code(), (422, "email_taken".into()));
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
        let mut body =
            json!({ "name": "X", "email": "x@panel.test", "password": PASSWORD, "roles": [role_id] });
        body[field.split('.').next().unwrap()] = value;
        let response = panel.post(STAFFS_PATH, &body).await;
        assert!(
            response.status == 422 && response.json()["errors"][field].is_array(),
            "{field}: {}",
            response.text
        );
    }
    for password in ["", "Football123", "olga2026!", "Olga.Panel.1"] {
        let body = json!({ "password": password });
        let response = panel
            .send("owner", "PATCH", &format!("{STAFFS_PATH}/{}", created_member["id"]), &body, None)
            .await;
        let errors = response.json()["errors"].clone();
        assert_eq!(errors.as_object().unwrap().keys().collect::<Vec<_>>(), ["password"], "{}", response.text);
    }
    let unknown_body = json!({ "name": "X", "email": "x@panel.test", "password": PASSWORD, "permissions": ["do everything"] });
    assert_eq!(panel.post(STAFFS_PATH, &unknown_body).await.status, 422);
    let count_audits_sql =
        "SELECT count(*) FROM audits WHERE event = 'staff.created' AND new_values NOT LIKE '%four words%'";
    assert_eq!(panel.fetch_number(Sql::new(count_audits_sql)).await, 1);
}

async fn a_role_is_created_changed_and_deleted(dialect: Dialect) {
    let panel = Panel::start(dialect).await;
    panel.create_staff("anna", &[ViewOrders]).await;
    let anna_id = panel.fetch_user_id("anna").await;
    let role_id = panel.create_role("Support", &[ViewUsers]).await;
    assert_eq!(panel.get_as("anna", "/api/v1/admin/users", "*/*").await.status, 403);
    assert_eq!(panel.set_grants("owner", anna_id, &[role_id], &[]).await.status, 200);
    assert_eq!(
        panel.get_as("anna", "/api/v1/admin/users", "*/*").await.status,
        200,
        "the new role must apply to the next request"
    );
    assert_eq!(panel.get_as("anna", "/api/v1/admin/orders", "*/*").await.status, 403);
    let path = format!("{ROLES_PATH}/{role_id}");
    let loaded_role = panel.get(&path).await.json()["data"].clone();
    assert_eq!((&loaded_role["users_count"], &loaded_role["editable"]), (&json!(1), &json!(true)));
    assert_eq!(
        (&loaded_role["deletable"], &loaded_role["grantable"]),
        (&json!(false), &json!(true)),
        "a role in use must not be deletable"
    );
    panel.clock.advance_secs(1);
    let body = json!({ "name": "Support 2", "permissions": ["view orders", "view orders"], "updated_at": loaded_role["updated_at"] });
    let change_response = panel.send("owner", "PATCH", &path, &body, None).await;
    assert_eq!(
        change_response.json()["data"]["permissions"].as_array().unwrap().len(),
        1,
        "{}",
        change_response.text
    );
    assert_eq!(
        panel.send("owner", "PATCH", &path, &body, None).await.status_and_code(),
        (409, "changed_meanwhile".into())
    );
    assert_eq!(panel.get_as("anna", "/api/v1/admin/orders", "*/*").await.status, 200);
    assert_eq!(
        panel
            .post(ROLES_PATH, &json!({ "name": "Support 2", "permissions": ["view orders"] }))
            .await
            .status_and_code(),
        (422, "name_taken".into())
    );
    assert_eq!(
        panel.post(ROLES_PATH, &json!({ "name": "", "permissions": [] })).await.json()["errors"]
            .as_object()
            .unwrap()
            .len(),
        2
    );
    let delete_role = async || {
        panel.request_from("127.0.0.1", Some("owner"), "DELETE", &path, &Value::Null).await.status_and_code()
    };
    assert_eq!(delete_role().await, (409, "role_in_use".into()));
    assert_eq!(panel.set_grants("owner", anna_id, &[], &[ViewOrders]).await.status, 200);
    assert_eq!(panel.get(&path).await.json()["data"]["deletable"], true);
    assert_eq!(delete_role().await.0, 204);
    assert_eq!(delete_role().await.0, 404);
    assert_eq!(panel.get(ROLES_PATH).await.json()["data"], json!([]));
    assert_eq!(
        panel.get("/api/v1/admin/permissions").await.json()["data"].as_array().unwrap().len(),
        Permission::ALL.len()
    );
}

async fn rejects_granting_a_permission_that_the_caller_lacks(dialect: Dialect) {
    let (panel, _, customer_id) = Panel::with_junior(dialect).await;
    let auditor_role_id = panel.create_role("Auditor", &[ViewAudits]).await;
    assert_eq!(
        panel.set_grants("junior", customer_id, &[], &[ViewAudits]).await.status_and_code(),
        (403, "not_held".into())
    );
    assert_eq!(
        panel.set_grants("junior", customer_id, &[auditor_role_id], &[]).await.status_and_code(),
        (403, "not_held".into())
    );
    let body =
        json!({ "name": "Y", "email": "y@panel.test", "password": PASSWORD, "permissions": ["view audits"] });
    assert_eq!(
        panel.send("junior", "POST", STAFFS_PATH, &body, None).await.status_and_code(),
        (403, "not_held".into())
    );
    assert_eq!(
        panel.fetch_number(Sql::new("SELECT count(*) FROM users WHERE email = 'y@panel.test'")).await,
        0
    );
    let grant_response = panel.set_grants("junior", customer_id, &[], &[ViewOrders]).await;
    assert_eq!(grant_response.status, 200, "{}", grant_response.text);
    assert_eq!(panel.set_grants("junior", customer_id, &[99], &[]).await.status, 422);
    assert_eq!(panel.set_grants("junior", 99, &[], &[ViewOrders]).await.status, 404);
}

async fn rejects_granting_a_missing_permission_through_a_role(dialect: Dialect) {
    let (panel, _, _) = Panel::with_junior(dialect).await;
    let (weak_role, strong_role) = (
        panel.create_role("Weak", &[ViewOrders]).await,
        panel.create_role("Strong", &[ViewOrders, ViewAudits]).await,
    );
    let send_as_junior = async |method: &str, path: &str, body: &Value| {
        panel.send("junior", method, path, body, None).await.status_and_code()
    };
    let body_with_more_permissions = json!({ "name": "Weak", "permissions": ["view orders", "view audits"] });
    assert_eq!(
        send_as_junior("POST", ROLES_PATH, &json!({ "name": "New", "permissions": ["view audits"] })).await,
        (403, "not_held".into())
    );
    assert_eq!(
        send_as_junior("PATCH", &format!("{ROLES_PATH}/{weak_role}"), &body_with_more_permissions).await,
        (403, "not_held".into())
    );
    let body_with_fewer_permissions = json!({ "name": "Strong", "permissions": ["view orders"] });
    assert_eq!(
        send_as_junior("PATCH", &format!("{ROLES_PATH}/{strong_role}"), &body_with_fewer_permissions).await,
        (403, "role_allows_more".into())
    );
    let delete_response = panel
        .request_from(
            "127.0.0.1",
            Some("junior"),
            "DELETE",
            &format!("{ROLES_PATH}/{strong_role}"),
            &Value::Null,
        )
        .await;
    assert_eq!(delete_response.status_and_code(), (403, "role_allows_more".into()));
    let roles = panel.get_as("junior", ROLES_PATH, "*/*").await.json()["data"].clone();
    assert_eq!((&roles[0]["editable"], &roles[1]["editable"]), (&json!(false), &json!(true)));
    assert_eq!((&roles[0]["deletable"], &roles[1]["deletable"]), (&json!(false), &json!(true)));
    assert_eq!((&roles[0]["grantable"], &roles[1]["grantable"]), (&json!(false), &json!(true)));
    assert_eq!(
        send_as_junior(
            "PATCH",
            &format!("{ROLES_PATH}/{weak_role}"),
            &json!({ "name": "Weaker", "permissions": ["view orders"] })
        )
        .await
        .0,
        200
    );
}

async fn staff_cannot_change_their_own_roles(dialect: Dialect) {
    let (panel, junior_id, _) = Panel::with_junior(dialect).await;
    assert_eq!(
        panel.set_grants("junior", junior_id, &[], &[ManageStaff]).await.status_and_code(),
        (403, "own_roles".into())
    );
    let owner_id = panel.fetch_user_id("owner").await;
    assert_eq!(
        panel.set_grants("owner", owner_id, &[], &[ManageStaff]).await.status_and_code(),
        (403, "own_roles".into())
    );
    let deactivate_response = panel
        .send("junior", "PATCH", &format!("{STAFFS_PATH}/{junior_id}"), &json!({ "is_active": false }), None)
        .await;
    assert_eq!(deactivate_response.status_and_code(), (403, "own_account".into()));
    let rename_response = panel
        .send("junior", "PATCH", &format!("{STAFFS_PATH}/{junior_id}"), &json!({ "name": "June" }), None)
        .await;
    assert_eq!(rename_response.json()["data"]["name"], "June", "{}", rename_response.text);
    assert_eq!(rename_response.json()["data"]["actions"]["grantable"], false);
}

async fn rejects_changing_a_staff_member_with_more_permissions(dialect: Dialect) {
    let (panel, junior_id, customer_id) = Panel::with_junior(dialect).await;
    let owner_id = panel.fetch_user_id("owner").await;
    for body in
        [json!({ "password": "another good one" }), json!({ "is_active": false }), json!({ "name": "Fool" })]
    {
        let response = panel.send("junior", "PATCH", &format!("{STAFFS_PATH}/{owner_id}"), &body, None).await;
        assert_eq!(response.status_and_code(), (403, "outranked".into()), "{body}");
    }
    assert_eq!(
        panel.set_grants("junior", owner_id, &[], &[]).await.status_and_code(),
        (403, "outranked".into())
    );
    assert_eq!(
        panel.set_grants("junior", owner_id, &[], &[ManageStaff]).await.status_and_code(),
        (403, "outranked".into())
    );
    let rows = panel.get_as("junior", STAFFS_PATH, "*/*").await.json()["data"].clone();
    let owner_row = rows.as_array().unwrap().iter().find(|row| row["id"] == owner_id).unwrap();
    assert_eq!(
        owner_row["actions"],
        json!({ "editable": false, "grantable": false, "deactivable": false, "activable": false, "invitable": false, "invitation_withdrawable": false, "second_factor_resettable": false })
    );
    assert_eq!(
        panel
            .send(
                "owner",
                "PATCH",
                &format!("{STAFFS_PATH}/{junior_id}"),
                &json!({ "is_active": false }),
                None
            )
            .await
            .status,
        200
    );
    assert_eq!(
        panel
            .send("owner", "PATCH", &format!("{STAFFS_PATH}/{customer_id}"), &json!({ "name": "X" }), None)
            .await
            .status,
        404,
        "a customer is not a staff member"
    );
}

/// The junior has all permissions of the role, but another holder of the role has more permissions.
async fn rejects_changing_a_role_of_a_staff_member_with_more_permissions(dialect: Dialect) {
    let (panel, _, _) = Panel::with_junior(dialect).await;
    let role_id = panel.create_role("Support", &[ViewOrders]).await;
    let path = format!("{ROLES_PATH}/{role_id}");
    let fetch_editable =
        async || panel.get_as("junior", &path, "*/*").await.json()["data"]["editable"].clone();
    assert_eq!(fetch_editable().await, true);
    let chief_id = panel.create_user("chief@panel.test", &[ViewAudits]).await;
    assert_eq!(panel.set_grants("owner", chief_id, &[role_id], &[ViewAudits]).await.status, 200);
    assert_eq!(fetch_editable().await, false);
    let staff_page = panel.get_as("junior", ROLES_PATH, "*/*").await.json()["data"].clone();
    let listed_role = staff_page.as_array().unwrap().iter().find(|row| row["id"] == role_id).unwrap();
    assert_eq!(listed_role["editable"], false);
    for body in [json!({ "name": "Renamed" }), json!({ "permissions": ["view orders", "manage staff"] })] {
        let response = panel.send("junior", "PATCH", &path, &body, None).await;
        assert_eq!(response.status_and_code(), (403, "outranked".into()), "{body}");
    }
    let response = panel.send("junior", "DELETE", &path, &json!({}), None).await;
    assert_eq!(response.status_and_code(), (403, "outranked".into()));
    assert_eq!(panel.get(&path).await.json()["data"]["name"], "Support");
}

async fn the_last_staff_manager_keeps_the_permission(dialect: Dialect) {
    let panel = Panel::start(dialect).await;
    let role_id = panel.create_role("Boss", &[ManageStaff]).await;
    panel.create_staff("boss", &[ViewOrders]).await;
    let (owner_id, boss_id) = (panel.fetch_user_id("owner").await, panel.fetch_user_id("boss").await);
    assert_eq!(panel.set_grants("owner", boss_id, &[role_id], Permission::ALL).await.status, 200);
    assert_eq!(panel.set_grants("boss", owner_id, &[], &[ViewOrders]).await.status, 200);
    let own_change_response = panel.set_grants("boss", boss_id, &[], &[]).await;
    assert_eq!(own_change_response.status_and_code(), (403, "own_roles".into()));
    assert_eq!(
        panel.set_grants("owner", boss_id, &[], &[]).await.status,
        403,
        "the owner must no longer be allowed to manage staff"
    );
    // Only the role grants `manage staff`. The last holder cannot remove the permission from the role, but can rename the role.
    assert_eq!(
        panel
            .execute(
                Sql::new("DELETE FROM user_permissions WHERE user_id = ? AND permission = 'manage staff'")
                    .bind(boss_id)
            )
            .await,
        1
    );
    let body = json!({ "name": "Boss", "permissions": ["view orders"] });
    let response = panel.send("boss", "PATCH", &format!("{ROLES_PATH}/{role_id}"), &body, None).await;
    assert_eq!(
        response.status_and_code(),
        (403, "own_roles".into()),
        "only another staff member may change the permissions of the role"
    );
    let rename_response = panel
        .send("boss", "PATCH", &format!("{ROLES_PATH}/{role_id}"), &json!({ "name": "Chief" }), None)
        .await;
    assert_eq!(rename_response.status, 200, "{}", rename_response.text);
    assert_eq!(panel.get_as("boss", STAFFS_PATH, "*/*").await.status, 200);
}

async fn one_of_two_staff_members_who_demote_each_other_succeeds(dialect: Dialect) {
    let panel = Panel::start(dialect).await;
    panel.create_staff("rival", Permission::ALL).await;
    let (owner_id, rival_id) = (panel.fetch_user_id("owner").await, panel.fetch_user_id("rival").await);
    let (first_response, second_response) = tokio::join!(
        panel.set_grants("owner", rival_id, &[], &[ViewOrders]),
        panel.set_grants("rival", owner_id, &[], &[ViewOrders])
    );
    let mut statuses = [first_response.status.as_u16(), second_response.status.as_u16()];
    statuses.sort_unstable();
    assert_eq!(statuses[0], 200, "{} {}", first_response.text, second_response.text);
    assert!(statuses[1] == 409 || statuses[1] == 403, "{} {}", first_response.text, second_response.text);
    let count_managers_sql =
        Sql::new("SELECT count(*) FROM user_permissions WHERE permission = 'manage staff'");
    assert_eq!(panel.fetch_number(count_managers_sql).await, 1);
}

async fn a_deactivation_or_a_new_password_ends_the_tokens(dialect: Dialect) {
    let panel = Panel::start(dialect).await;
    let anna_id = panel.create_user("anna@panel.test", &[ViewOrders]).await;
    let token = panel.login("anna@panel.test", PASSWORD).await.session_token();
    let path = format!("{STAFFS_PATH}/{anna_id}");
    let patch_and_read_is_active = async |body: Value| {
        panel.send("owner", "PATCH", &path, &body, None).await.json()["data"]["is_active"].clone()
    };
    assert_eq!(patch_and_read_is_active(json!({ "is_active": false })).await, false);
    assert_eq!(panel.profile_status(&token).await.0, 401);
    assert_eq!(panel.login("anna@panel.test", PASSWORD).await.status, 422);
    assert_eq!(patch_and_read_is_active(json!({ "is_active": true })).await, true);
    assert_eq!(panel.profile_status(&token).await.0, 401, "an activation must not restore the token");
    let token = panel.login("anna@panel.test", PASSWORD).await.session_token();
    assert_eq!(patch_and_read_is_active(json!({ "password": "quite another one" })).await, true);
    assert_eq!(panel.profile_status(&token).await.0, 401);
    panel.login("anna@panel.test", "quite another one").await.session_token();
    let count_audits_sql = Sql::new(
        "SELECT count(*) FROM audits WHERE event = 'staff.updated' AND new_values NOT LIKE '%quite%'",
    );
    assert_eq!(panel.fetch_number(count_audits_sql).await, 3);
}

async fn each_status_sets_its_own_timestamp(dialect: Dialect) {
    let panel = Panel::start(dialect).await;
    let anna_id = panel.create_user("anna@panel.test", &[ViewOrders]).await;
    let user_path = format!("/api/v1/admin/users/{anna_id}");
    let status_and_timestamps = async || {
        let user = panel.get(&user_path).await.json()["data"].clone();
        (user["status"].clone(), user["frozen_at"].is_string(), user["deactivated_at"].is_string())
    };
    let set_active = async |is_active: bool| {
        let path = format!("{STAFFS_PATH}/{anna_id}");
        panel.send("owner", "PATCH", &path, &json!({ "is_active": is_active }), None).await.status
    };
    assert_eq!(panel.post(&format!("{user_path}/freeze"), &json!({})).await.status, 200);
    assert_eq!(status_and_timestamps().await, (json!("frozen"), true, false));
    assert_eq!(set_active(false).await, 200);
    assert_eq!(
        status_and_timestamps().await,
        (json!("deactivated"), false, true),
        "a deactivated user must not have frozen_at"
    );
    assert_eq!(set_active(true).await, 200);
    assert_eq!(status_and_timestamps().await, (json!("active"), false, false));
    assert_eq!(panel.post(&format!("{user_path}/deactivate"), &json!({})).await.status, 200);
    assert_eq!(status_and_timestamps().await, (json!("deactivated"), false, true));
    let report = panel.get("/api/v1/admin/system/doctor").await.json();
    let checks = report["data"]["checks"].as_array().unwrap();
    let check = checks.iter().find(|check| check["name"] == "user_status_times").unwrap();
    assert_eq!(check["violation_count"], 0);
}

/// The permission of a screen also allows reading the lists of choices for its forms. Other staff cannot read these lists.
async fn the_permission_of_a_screen_allows_reading_the_choices_of_its_forms(dialect: Dialect) {
    use Permission::{
        ManageDiscounts, ManageExternalPanels, ManageOrderWidgets, ManagePackages, ManageTargets,
    };
    let panel = Panel::with_users_and_orders(dialect, 3, 0).await;
    let (networks_path, service_types_path) =
        ("/api/v1/admin/networks", "/api/v1/admin/networks/1/service-types");
    let groups_path = "/api/v1/admin/promotable-checker-groups";
    let (users_path, services_path) =
        ("/api/v1/admin/users/search?query=Customer", "/api/v1/admin/special-offers/services?search=Service");
    for (name, permission, paths) in [
        ("discounts", ManageDiscounts, &[services_path][..]),
        ("widgets", ManageOrderWidgets, &[users_path]),
        ("packages", ManagePackages, &[networks_path, service_types_path]),
        ("panels", ManageExternalPanels, &[networks_path, service_types_path, groups_path]),
    ] {
        panel.create_staff(name, &[permission]).await;
        for path in paths {
            let response = panel.get_as(name, path, "application/json").await;
            assert_eq!(response.status, 200, "{name} {path}: {}", response.text);
        }
    }
    panel.create_staff("targets", &[ManageTargets]).await;
    for path in [services_path, users_path, networks_path, service_types_path, groups_path] {
        assert_eq!(panel.get_as("targets", path, "application/json").await.status, 403, "{path}");
    }
}
