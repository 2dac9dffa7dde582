//! Changes of users by staff: status, profile, manager, grade and discount, one by one and in bulk, and the permissions
//! that each change needs.

use panel_contract::permission::Permission;
use panel_platform::db::{Dialect, Sql, SqlExecutor as _};
use serde_json::{Value, json};

use crate::panel::{NOW, Panel};
use crate::test_users::PASSWORD;

const USERS_PATH: &str = "/api/v1/admin/users";

test_both_databases! {
    a_user_can_be_frozen_deactivated_and_activated_again;
    a_deactivated_staff_member_is_signed_out_at_once;
    rejects_changing_a_staff_member_with_more_permissions_and_the_own_account;
    every_endpoint_rejects_changing_a_user_with_more_permissions;
    two_concurrent_freezes_change_the_user_once;
    a_patch_changes_only_the_fields_in_its_body;
    a_patch_of_a_stale_record_is_a_conflict;
    a_user_gets_a_seller_a_grade_and_a_discount;
    a_bulk_change_needs_the_permission_of_each_field;
    the_actions_of_a_row_agree_with_the_responses_to_the_requests;
    the_freeze_permission_alone_allows_only_bulk_freezing;
    a_user_with_a_deactivated_seller_can_be_changed;
    two_staff_managers_cannot_deactivate_each_other_concurrently;
    a_hold_links_to_the_withdrawal_behind_it;
}

/// Adds fifty active customers, ids 1 to 50.
async fn add_customers(panel: &Panel) {
    panel.insert_generated_records(50, 100).await;
    panel.execute(Sql::new("UPDATE users SET status = 'active', frozen_at = NULL, deactivated_at = NULL, contact_step = NULL WHERE id <= 50")).await;
}

async fn patch_user(panel: &Panel, staff: &str, id: i64, body: &Value) -> crate::panel::TestResponse {
    panel.send(staff, "PATCH", &format!("{USERS_PATH}/{id}"), body, None).await
}

async fn post_action(panel: &Panel, staff: &str, id: i64, action: &str) -> (u16, String) {
    panel
        .send(staff, "POST", &format!("{USERS_PATH}/{id}/{action}"), &json!({}), None)
        .await
        .status_and_code()
}

async fn audit_events(panel: &Panel, id: i64) -> Vec<String> {
    let sql = Sql::new(
        "SELECT event FROM audits WHERE auditable_type = 'user' AND auditable_id = ? AND created_at >= ? ORDER BY id",
    );
    let rows: Vec<(String,)> = (&mut &panel.app.db).fetch_all(sql.bind(id).bind(NOW)).await.unwrap();
    rows.into_iter().map(|row| row.0).collect()
}

async fn a_user_can_be_frozen_deactivated_and_activated_again(dialect: Dialect) {
    let panel = Panel::start(dialect).await;
    add_customers(&panel).await;
    let status_and_code = |status: u16, code: &str| (status, code.to_owned());
    assert_eq!(post_action(&panel, "owner", 2, "activate").await, status_and_code(409, "user_unchanged"));
    assert_eq!(post_action(&panel, "owner", 2, "freeze").await, status_and_code(200, ""));
    let user = panel.get(&format!("{USERS_PATH}/2")).await.json()["data"].clone();
    assert_eq!(user["status"], "frozen");
    assert!(user["frozen_at"].is_string() && user["deactivated_at"].is_null());
    assert_eq!(user["actions"]["freezable"], false);
    assert_eq!(post_action(&panel, "owner", 2, "deactivate").await, status_and_code(200, ""));
    assert_eq!(post_action(&panel, "owner", 2, "freeze").await, status_and_code(409, "user_not_freezable"));
    assert_eq!(post_action(&panel, "owner", 2, "activate").await, status_and_code(200, ""));
    let user = panel.get(&format!("{USERS_PATH}/2")).await.json()["data"].clone();
    assert!(user["frozen_at"].is_null() && user["deactivated_at"].is_null());
    assert_eq!(audit_events(&panel, 2).await, ["user.frozen", "user.deactivated", "user.activated"]);
    assert_eq!(post_action(&panel, "owner", 999, "freeze").await, status_and_code(404, "not_found"));
}

async fn a_deactivated_staff_member_is_signed_out_at_once(dialect: Dialect) {
    let panel = Panel::start(dialect).await;
    let id = panel.create_user("kim@panel.test", &[Permission::ViewOrders]).await;
    let login_body = json!({ "email": "kim@panel.test", "password": PASSWORD });
    let token = panel.request_from("203.0.113.9", None, "POST", "/login", &login_body).await.session_token();
    let profile = async || {
        panel.request_from("203.0.113.9", Some(&token), "GET", "/api/v1/profile", &json!({})).await.status
    };
    assert_eq!(profile().await, 200);
    assert_eq!(post_action(&panel, "owner", id, "deactivate").await.0, 200);
    assert_eq!(profile().await, 401);
    assert_eq!(panel.request_from("203.0.113.9", None, "POST", "/login", &login_body).await.status, 422);
    assert_eq!(post_action(&panel, "owner", id, "activate").await.0, 200);
    // The token from before the deactivation stays invalid.
    assert_eq!(profile().await, 401);
    panel.request_from("203.0.113.9", None, "POST", "/login", &login_body).await.session_token();
}

async fn rejects_changing_a_staff_member_with_more_permissions_and_the_own_account(dialect: Dialect) {
    let panel = Panel::start(dialect).await;
    let user_permissions = [
        Permission::ViewUsers,
        Permission::ManageUsers,
        Permission::FreezeUsers,
        Permission::DeactivateUsers,
        Permission::ActivateUsers,
    ];
    panel.create_staff("clerk", &user_permissions).await;
    panel.create_staff("rival", &[user_permissions.as_slice(), &[Permission::ManageStaff]].concat()).await;
    let chief_id = panel.create_user("chief@panel.test", &[Permission::ManageStaff]).await;
    let equal_id = panel.create_user("equal@panel.test", &[Permission::ViewUsers]).await;
    assert_eq!(post_action(&panel, "clerk", chief_id, "freeze").await, (403, "outranked".into()));
    let patched = patch_user(&panel, "clerk", chief_id, &json!({ "email": "mine@panel.test" })).await;
    assert_eq!(patched.status_and_code(), (403, "outranked".into()));
    assert_eq!(post_action(&panel, "clerk", equal_id, "freeze").await.0, 200);
    let clerk = panel.fetch_number(Sql::new("SELECT id FROM users WHERE name = 'clerk'")).await;
    assert_eq!(post_action(&panel, "clerk", clerk, "deactivate").await, (403, "own_account".into()));
    let bulk_response = panel
        .send(
            "clerk",
            "POST",
            &format!("{USERS_PATH}/bulk-actions"),
            &json!({ "user_ids": [chief_id], "status": "frozen" }),
            None,
        )
        .await;
    assert_eq!(bulk_response.status_and_code(), (422, "nothing_processed".into()));
    // The last staff member with `manage staff` cannot be deactivated, not even by one with the same permissions.
    panel
        .execute(
            Sql::new("DELETE FROM user_permissions WHERE permission = 'manage staff' AND user_id <> ?")
                .bind(chief_id),
        )
        .await;
    let owner = panel.fetch_number(Sql::new("SELECT id FROM users WHERE name = 'owner'")).await;
    panel
        .execute(
            Sql::new("INSERT INTO user_permissions (user_id, permission) VALUES (?, 'manage staff')")
                .bind(owner),
        )
        .await;
    assert_eq!(post_action(&panel, "owner", chief_id, "deactivate").await.0, 200);
    assert_eq!(post_action(&panel, "owner", chief_id, "activate").await.0, 200);
    panel
        .execute(
            Sql::new("UPDATE users SET status = 'deactivated', deactivated_at = 1 WHERE id = ?")
                .bind(chief_id),
        )
        .await;
    let mut work = panel_server::context::Ctx::system(panel.app.clone(), "test").begin().await.unwrap();
    let with_one_manager = panel_server::operations::users::access::require_staff_manager(&mut work).await;
    assert!(with_one_manager.is_ok());
    work.execute(
        Sql::new("UPDATE users SET status = 'deactivated', deactivated_at = 1 WHERE id = ?").bind(owner),
    )
    .await
    .unwrap();
    let rejection =
        panel_server::operations::users::access::require_staff_manager(&mut work).await.unwrap_err();
    assert_eq!(rejection.report("test").code, "last_staff_manager");
}

/// A staff member calls every endpoint that changes a user for a colleague with one more permission, one by one and in bulk.
async fn every_endpoint_rejects_changing_a_user_with_more_permissions(dialect: Dialect) {
    let panel = Panel::start(dialect).await;
    let all_but_view_audits: Vec<Permission> =
        Permission::ALL.iter().copied().filter(|permission| *permission != Permission::ViewAudits).collect();
    panel.create_staff("clerk", &all_but_view_audits).await;
    panel.insert_generated_records(20, 60).await;
    let chief_id = panel.create_user("chief@panel.test", &[Permission::ViewAudits]).await;
    let record_before = panel.get(&format!("{USERS_PATH}/{chief_id}")).await.json()["data"].clone();
    let price_body = json!({ "service_id": 1, "default_price": "5" });
    let calls = [
        ("PATCH", "", json!({ "name": "Fool" })),
        ("PATCH", "", json!({ "email": "mine@panel.test" })),
        ("PATCH", "", json!({ "vat": "1" })),
        ("POST", "/freeze", json!({})),
        ("POST", "/deactivate", json!({})),
        ("POST", "/activate", json!({})),
        ("POST", "/change-grade", json!({ "grade_id": null })),
        ("POST", "/update-seller", json!({ "contact_step": null })),
        ("POST", "/user-discount", json!({ "discount_fraction": "0.5", "type": "orders" })),
        ("POST", "/user-services", price_body.clone()),
        ("POST", "/user-services/bulk", json!({ "user_services": [price_body] })),
        ("POST", "/affiliates", json!({ "affiliate_id": 1 })),
        ("PATCH", "/sync-payment-methods", json!({ "payment_methods": [] })),
        ("PATCH", "/sync-roles-and-permissions", json!({ "permissions": [] })),
        ("POST", "/api-key", json!({})),
        ("DELETE", "/api-key", json!({})),
    ];
    for (method, path, body) in calls {
        let response =
            panel.send("clerk", method, &format!("{USERS_PATH}/{chief_id}{path}"), &body, None).await;
        assert_eq!(response.status_and_code(), (403, "outranked".into()), "{method} {path} {body}");
    }
    let credit = json!({ "user_id": chief_id, "amount": "5", "balance_type": "main", "transaction_type": "income", "comment": "A gift" });
    let credit = panel.send("clerk", "POST", "/api/v1/admin/payments", &credit, Some("a-gift")).await;
    assert_eq!(credit.status_and_code(), (403, "outranked".into()));
    for change in
        [json!({ "status": "frozen" }), json!({ "contact_step": "call" }), json!({ "affiliate_id": 3 })]
    {
        let mut body = change;
        body["user_ids"] = json!([2, chief_id]);
        let bulk =
            panel.send("clerk", "POST", &format!("{USERS_PATH}/bulk-actions"), &body, None).await.json();
        assert_eq!(bulk["processed"], 1, "{bulk}");
        assert_eq!(bulk["skipped"][0]["code"], "outranked", "{bulk}");
    }
    let row = panel.get_as("clerk", &format!("{USERS_PATH}/{chief_id}"), "*/*").await.json()["data"].clone();
    assert!(row["actions"].as_object().unwrap().values().all(|flag| flag == false), "{}", row["actions"]);
    let mut after = row;
    after["actions"] = record_before["actions"].clone();
    assert_eq!(after, record_before, "a rejected change must not be written");
}

async fn two_concurrent_freezes_change_the_user_once(dialect: Dialect) {
    let panel = Panel::start(dialect).await;
    add_customers(&panel).await;
    for id in 11..=30 {
        let (first, second) = tokio::join!(
            post_action(&panel, "owner", id, "freeze"),
            post_action(&panel, "owner", id, "freeze")
        );
        let mut statuses = [first.0, second.0];
        statuses.sort_unstable();
        assert_eq!(statuses, [200, 409]);
        assert_eq!(audit_events(&panel, id).await, ["user.frozen"]);
    }
}

async fn a_patch_changes_only_the_fields_in_its_body(dialect: Dialect) {
    let panel = Panel::start(dialect).await;
    add_customers(&panel).await;
    let body = json!({ "company_name": " Likes Ltd ", "telegram_username": "@anna_k", "notify_orders": false,
        "referral_program_fraction": "0.07", "messengers": [{ "name": "whatsapp", "value": "+1 202" }] });
    let user = patch_user(&panel, "owner", 2, &body).await.json()["data"].clone();
    assert_eq!(user["company_name"], "Likes Ltd");
    assert_eq!((&user["telegram_username"], &user["notify_orders"]), (&json!("anna_k"), &json!(false)));
    assert_eq!(user["messengers"][0]["value"], "+1 202");
    let user =
        patch_user(&panel, "owner", 2, &json!({ "referral_program_fraction": null })).await.json()["data"]
            .clone();
    assert!(user["referral_program_fraction"].is_null());
    assert_eq!(user["company_name"], "Likes Ltd");
    // The same value again changes nothing and writes no audit entry.
    patch_user(&panel, "owner", 2, &json!({ "company_name": "Likes Ltd" })).await;
    assert_eq!(audit_events(&panel, 2).await.len(), 2);
    let sql = Sql::new(
        "SELECT new_values FROM audits WHERE auditable_type = 'user' AND auditable_id = 2 ORDER BY id DESC LIMIT 1",
    );
    let (new,): (String,) = (&mut &panel.app.db).fetch_one(sql).await.unwrap();
    assert_eq!(new, r#"{"referral_program_fraction":null}"#);
    let other_email = (&mut &panel.app.db)
        .fetch_one::<(String,)>(Sql::new("SELECT email FROM users WHERE id = 3"))
        .await
        .unwrap()
        .0;
    let response = patch_user(&panel, "owner", 2, &json!({ "email": other_email.to_uppercase() })).await;
    assert_eq!(
        response.json()["errors"]["email"][0],
        "Another user has this email address. Enter a different one."
    );
    patch_user(&panel, "owner", 2, &json!({ "affiliate_code": "ANNA" })).await;
    let response = patch_user(&panel, "owner", 3, &json!({ "affiliate_code": "ANNA" })).await;
    assert_eq!(response.status_and_code(), (422, "affiliate_code_taken".into()));
    for body in [json!({ "balance": "5" }), json!({ "roles": [1] }), json!({ "status": "frozen" })] {
        assert_eq!(patch_user(&panel, "owner", 2, &body).await.status, 422, "{body}");
    }
}

async fn a_patch_of_a_stale_record_is_a_conflict(dialect: Dialect) {
    let panel = Panel::start(dialect).await;
    add_customers(&panel).await;
    let read = panel.get(&format!("{USERS_PATH}/1")).await.json()["data"]["updated_at"].clone();
    panel.clock.advance_secs(5);
    assert_eq!(patch_user(&panel, "owner", 1, &json!({ "vat": "A", "updated_at": read })).await.status, 200);
    let stale = patch_user(&panel, "owner", 1, &json!({ "vat": "B", "updated_at": read })).await;
    assert_eq!(stale.status_and_code(), (409, "changed_meanwhile".into()));
    assert_eq!(panel.get(&format!("{USERS_PATH}/1")).await.json()["data"]["vat"], "A");
}

async fn a_user_gets_a_seller_a_grade_and_a_discount(dialect: Dialect) {
    let panel = Panel::start(dialect).await;
    add_customers(&panel).await;
    panel
        .execute(Sql::new("INSERT INTO grades (id, name, created_at, updated_at) VALUES (71, 'Gold', 1, 1)"))
        .await;
    panel.execute(Sql::new("INSERT INTO grades (id, name, is_archived, created_at, updated_at) VALUES (72, 'Old', TRUE, 1, 1)")).await;
    let sellers = panel.get(&format!("{USERS_PATH}/available-sellers")).await.json();
    let seller = sellers["data"][0]["id"].as_i64().unwrap();
    let steps = panel.get(&format!("{USERS_PATH}/contact-steps")).await.json();
    assert_eq!(steps["data"][3], json!({ "type": "call", "label": "Call" }));
    let post = async |path: &str, body: Value| panel.post(&format!("{USERS_PATH}/1/{path}"), &body).await;
    let user =
        post("update-seller", json!({ "seller_id": seller, "seller_status": "new", "contact_step": "call" }))
            .await;
    assert_eq!(user.json()["data"]["manager"]["id"], seller);
    assert_eq!(
        post("update-seller", json!({ "seller_id": 2 })).await.status_and_code(),
        (422, "seller_unknown".into())
    );
    assert_eq!(post("update-seller", json!({ "contact_step": "dance" })).await.status, 422);
    let user = post("update-seller", json!({ "seller_id": null })).await.json()["data"].clone();
    assert!(user["manager"].is_null());
    assert_eq!(user["contact_step"], "call");
    let grade_body = json!({ "grade_id": 71, "grades_enabled": true, "grade_discounts_enabled": false });
    assert_eq!(post("change-grade", grade_body).await.json()["data"]["grade"]["name"], "Gold");
    let old_body = json!({ "grade_id": 72, "grades_enabled": true, "grade_discounts_enabled": true });
    assert_eq!(post("change-grade", old_body).await.status_and_code(), (422, "grade_unknown".into()));
    // A field that the body does not contain keeps its value.
    let updated_record =
        post("change-grade", json!({ "grade_discounts_enabled": true })).await.json()["data"].clone();
    assert_eq!(
        (
            &updated_record["grade"]["name"],
            &updated_record["grade_is_manual"],
            &updated_record["grade_discounts_enabled"]
        ),
        (&json!("Gold"), &json!(true), &json!(true))
    );
    let cleared_record = post("change-grade", json!({ "grade_id": null })).await.json()["data"].clone();
    assert_eq!((&cleared_record["grade"], &cleared_record["grade_is_manual"]), (&Value::Null, &json!(false)));
    let discount_body = json!({ "discount_fraction": "0.125", "type": "orders" });
    assert_eq!(
        panel.get(&format!("{USERS_PATH}/1/user-discount")).await.json()["data"]["discount_fraction"],
        "0"
    );
    assert_eq!(post("user-discount", discount_body.clone()).await.json()["data"], discount_body);
    assert_eq!(panel.get(&format!("{USERS_PATH}/1/user-discount")).await.json()["data"], discount_body);
    assert_eq!(post("user-discount", json!({ "discount_fraction": "1.5", "type": "all" })).await.status, 422);
    assert_eq!(panel.get(&format!("{USERS_PATH}/99/user-discount")).await.status, 404);
    let events = audit_events(&panel, 1).await;
    assert_eq!(
        events,
        [
            "user.seller_updated",
            "user.seller_updated",
            "user.grade_changed",
            "user.grade_changed",
            "user.grade_changed",
            "user.discount_set"
        ]
    );
}

async fn a_bulk_change_needs_the_permission_of_each_field(dialect: Dialect) {
    let panel = Panel::start(dialect).await;
    add_customers(&panel).await;
    let bulk = async |staff: &str, query: &str, body: Value| {
        panel.send(staff, "POST", &format!("{USERS_PATH}/bulk-actions{query}"), &body, None).await
    };
    panel.create_staff("clerk", &[Permission::ViewUsers, Permission::ManageUsers]).await;
    assert_eq!(
        bulk("clerk", "", json!({ "user_ids": [1], "status": "frozen" })).await.status_and_code(),
        (403, "forbidden".into())
    );
    assert_eq!(
        bulk("clerk", "", json!({ "user_ids": [1], "grade_id": null })).await.status_and_code(),
        (403, "forbidden".into())
    );
    let dry_run =
        bulk("owner", "?dry_run=1", json!({ "user_ids": [1, 2, 2, 99], "status": "frozen" })).await.json();
    assert_eq!((&dry_run["processed"], &dry_run["skipped"][0]["code"]), (&json!(2), &json!("not_found")));
    assert_eq!(
        panel.fetch_number(Sql::new("SELECT count(*) FROM users WHERE status = 'frozen' AND id <= 50")).await,
        0
    );
    let response =
        bulk("owner", "", json!({ "user_ids": [1, 2, 3], "status": "frozen", "contact_step": "offer" }))
            .await;
    assert_eq!(response.json()["processed"], 3);
    let second_response =
        bulk("owner", "", json!({ "user_ids": [3, 4], "status": "frozen", "contact_step": "call" }))
            .await
            .json();
    assert_eq!(second_response["skipped"][0]["code"], "user_unchanged");
    // A skipped user is not changed in any field.
    let step_sql = "SELECT contact_step FROM users WHERE id = 3";
    assert_eq!((&mut &panel.app.db).fetch_one::<(String,)>(Sql::new(step_sql)).await.unwrap().0, "offer");
    // 5 is the affiliate of 6, and 6 of 7: 7 cannot become the affiliate of 5.
    for (user, by) in [(6, 5), (7, 6)] {
        assert_eq!(bulk("owner", "", json!({ "user_ids": [user], "affiliate_id": by })).await.status, 200);
    }
    let affiliates_of_6 = panel.get("/api/v1/admin/users/6/affiliates").await.json()["data"].clone();
    assert_eq!(
        (&affiliates_of_6[0]["user_id"], &affiliates_of_6[0]["is_current"]),
        (&json!(5), &json!(true)),
        "{affiliates_of_6}"
    );
    let circle = bulk("owner", "", json!({ "user_ids": [5, 8], "affiliate_id": 7 })).await.json();
    assert_eq!((&circle["processed"], &circle["skipped"][0]["id"]), (&json!(1), &json!(5)));
    assert_eq!(
        bulk("owner", "", json!({ "user_ids": [1] })).await.status_and_code(),
        (422, "nothing_to_change".into())
    );
}

/// The `actions` flags of a row and the calls use the same rule.
async fn the_actions_of_a_row_agree_with_the_responses_to_the_requests(dialect: Dialect) {
    let panel = Panel::start(dialect).await;
    add_customers(&panel).await;
    panel
        .create_staff("clerk", &[Permission::ViewUsers, Permission::FreezeUsers, Permission::ActivateUsers])
        .await;
    panel.execute(Sql::new("UPDATE users SET status = 'frozen', frozen_at = 1 WHERE id = 2")).await;
    panel.execute(Sql::new("UPDATE users SET status = 'deactivated', deactivated_at = 1 WHERE id = 3")).await;
    for (flag, action) in [("freezable", "freeze"), ("deactivable", "deactivate"), ("activable", "activate")]
    {
        let page =
            panel.get_as("clerk", &format!("{USERS_PATH}?length=100"), "application/json").await.json();
        for row in page["data"].as_array().unwrap() {
            let id = row["id"].as_i64().unwrap();
            let response = post_action(&panel, "clerk", id, action).await.0;
            assert_eq!(row["actions"][flag] == true, response == 200, "{action} {row}");
            if response == 200 {
                let reset_status_sql = "UPDATE users SET status = ? WHERE id = ?";
                panel
                    .execute(Sql::new(reset_status_sql).bind(row["status"].as_str().unwrap()).bind(id))
                    .await;
            }
        }
    }
}

async fn the_freeze_permission_alone_allows_only_bulk_freezing(dialect: Dialect) {
    let panel = Panel::start(dialect).await;
    add_customers(&panel).await;
    panel.create_staff("freezer", &[Permission::FreezeUsers]).await;
    panel.create_staff("viewer", &[Permission::ViewUsers]).await;
    let bulk = async |staff: &str, body: Value| {
        panel.send(staff, "POST", &format!("{USERS_PATH}/bulk-actions"), &body, None).await
    };
    let frozen = bulk("freezer", json!({ "user_ids": [1, 2], "status": "frozen" })).await;
    assert_eq!((frozen.status.as_u16(), &frozen.json()["processed"]), (200, &json!(2)), "{}", frozen.text);
    for body in [
        json!({ "user_ids": [3], "status": "deactivated" }),
        json!({ "user_ids": [3], "status": "frozen", "contact_step": "call" }),
        json!({ "user_ids": [3], "seller_id": null }),
        json!({ "user_ids": [3], "referral_program_fraction": "0.1" }),
        json!({ "user_ids": [3], "affiliate_id": 4 }),
        json!({ "user_ids": [3], "grade_id": null }),
    ] {
        assert_eq!(bulk("freezer", body.clone()).await.status, 403, "{body}");
    }
    assert_eq!(bulk("viewer", json!({ "user_ids": [3], "status": "frozen" })).await.status, 403);
    assert_eq!(panel.get(&format!("{USERS_PATH}/3")).await.json()["data"]["status"], "active");
}

async fn a_user_with_a_deactivated_seller_can_be_changed(dialect: Dialect) {
    let panel = Panel::start(dialect).await;
    add_customers(&panel).await;
    panel.create_staff("leaver", &[Permission::ViewUsers]).await;
    let seller = panel.fetch_number(Sql::new("SELECT id FROM users WHERE email = 'leaver@panel.test'")).await;
    let post = async |path: &str, body: Value| panel.post(&format!("{USERS_PATH}/1/{path}"), &body).await;
    let with_seller = post("update-seller", json!({ "seller_id": seller })).await;
    let read = with_seller.json()["data"]["updated_at"].clone();
    assert_eq!(post_action(&panel, "owner", seller, "deactivate").await.0, 200);
    let seller_body = json!({ "seller_id": seller, "contact_step": "call", "updated_at": read });
    panel.clock.advance_secs(5);
    let updated = post("update-seller", seller_body.clone()).await;
    assert_eq!(updated.status, 200, "{}", updated.text);
    assert_eq!(updated.json()["data"]["contact_step"], "call");
    // `read` is stale now, for every part of the record.
    assert_eq!(post("update-seller", seller_body).await.status_and_code(), (409, "changed_meanwhile".into()));
    let grade_body = json!({ "grade_id": null, "grades_enabled": true, "grade_discounts_enabled": true, "updated_at": read });
    assert_eq!(post("change-grade", grade_body).await.status_and_code(), (409, "changed_meanwhile".into()));
    let discount = json!({ "discount_fraction": "0.1", "type": "all", "updated_at": read });
    assert_eq!(post("user-discount", discount).await.status_and_code(), (409, "changed_meanwhile".into()));
    let newest = panel.get(&format!("{USERS_PATH}/1")).await.json()["data"]["updated_at"].clone();
    let discount_body = json!({ "discount_fraction": "0.1", "type": "all", "updated_at": newest });
    panel.clock.advance_secs(5);
    assert_eq!(post("user-discount", discount_body.clone()).await.status, 200);
    assert_eq!(
        post("user-discount", json!({ "discount_fraction": "0.2", "type": "all", "updated_at": newest }))
            .await
            .status_and_code(),
        (409, "changed_meanwhile".into()),
        "a new discount makes the user record newer"
    );
    assert_eq!(post("update-seller", json!({ "seller_id": null })).await.status, 200);
    assert_eq!(
        post("update-seller", json!({ "seller_id": seller })).await.status_and_code(),
        (422, "seller_unknown".into())
    );
    let staff = panel.fetch_number(Sql::new("SELECT id FROM users WHERE email = 'owner@panel.test'")).await;
    let row = panel.get("/api/v1/admin/staffs").await.json()["data"].clone();
    let read = row.as_array().unwrap().iter().find(|row| row["id"] == staff).unwrap()["updated_at"].clone();
    assert!(read.is_string(), "{row}");
    panel.clock.advance_secs(5);
    let rename = async |name: &str| {
        let body = json!({ "name": name, "updated_at": read });
        panel.send("owner", "PATCH", &format!("/api/v1/admin/staffs/{staff}"), &body, None).await
    };
    assert_eq!(rename("Chief").await.status, 200);
    assert_eq!(rename("Head").await.status_and_code(), (409, "changed_meanwhile".into()));
}

async fn two_staff_managers_cannot_deactivate_each_other_concurrently(dialect: Dialect) {
    for round in 0..8 {
        let panel = std::sync::Arc::new(Panel::start(dialect).await);
        panel.create_staff("other", Permission::ALL).await;
        let sql = Sql::new("SELECT min(id) FROM users WHERE email LIKE '%@panel.test'");
        let owner = panel.fetch_number(sql).await;
        let attempts = [("owner", owner + 1), ("other", owner)].map(|(staff, id)| {
            let panel = std::sync::Arc::clone(&panel);
            tokio::spawn(async move {
                if round % 2 == 0 {
                    return post_action(&panel, staff, id, "deactivate").await.0;
                }
                let body = json!({ "user_ids": [id], "status": "deactivated" });
                panel
                    .send(staff, "POST", &format!("{USERS_PATH}/bulk-actions"), &body, None)
                    .await
                    .status
                    .as_u16()
            })
        });
        let mut successes = 0;
        for response in attempts {
            let status = response.await.unwrap();
            assert!(matches!(status, 200 | 401 | 409), "{status}");
            successes += u8::from(status == 200);
        }
        assert!(successes <= 1, "both deactivations succeeded");
        let count_active_managers_sql = Sql::new(
            "SELECT count(*) FROM users WHERE email LIKE '%@panel.test' AND status <> 'deactivated'",
        );
        assert!(panel.fetch_number(count_active_managers_sql).await >= 1);
    }
}

async fn a_hold_links_to_the_withdrawal_behind_it(dialect: Dialect) {
    let panel = Panel::with_users_and_orders(dialect, 3, 0).await;
    crate::withdrawals::add_payment_methods(&panel).await;
    let id = crate::withdrawals::request_withdrawal(&panel, 1, 1_000_000).await;
    let user = panel.get_data("/api/v1/admin/users/1").await;
    assert_eq!(user["held_amount"], "1");
    assert_eq!(user["holds"], json!([{ "kind": "withdrawal", "id": id, "amount": "1" }]));
    assert_eq!(panel.get_data("/api/v1/admin/users/2").await["holds"], json!([]));
    let rejected_response =
        panel.post(&format!("/api/v1/admin/withdrawals/{id}/reject"), &json!({ "admin_note": "no" })).await;
    assert_eq!(rejected_response.status, 200, "{}", rejected_response.text);
    let user = panel.get_data("/api/v1/admin/users/1").await;
    assert_eq!((&user["held_amount"], &user["holds"]), (&json!("0"), &json!([])));
}
