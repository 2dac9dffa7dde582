//! What staff change on users: status with everything that hangs on it, profiles, managers, grades, discounts; many
//! at once; and who may not.

use panel_contract::permission::Permission;
use panel_platform::db::{Dialect, Source as _, Sql};
use serde_json::{Value, json};

use crate::panel::{NOW, Panel};
use crate::people::PASSWORD;

const USERS: &str = "/api/v1/admin/users";

both! {
    a_user_is_frozen_deactivated_and_comes_back;
    a_deactivated_colleague_is_out_at_once;
    nobody_reaches_above_themselves;
    refuses_to_act_on_a_user_with_more_permissions;
    two_at_once_make_one_change;
    a_profile_changes_only_where_something_was_sent;
    an_editor_who_read_something_older_is_told;
    sellers_grades_and_discounts;
    many_change_each_by_its_own_permission;
    flags_and_calls_agree;
    who_may_only_freeze_freezes_many_and_nothing_else;
    a_manager_who_left_does_not_stand_in_the_way;
    two_managers_cannot_put_each_other_out;
    what_is_held_leads_to_what_holds_it;
}

/// Fifty active customers, 1 to 50.
async fn customers(panel: &Panel) {
    panel.fill(50, 100).await;
    panel.exec(Sql::new("UPDATE users SET status = 'active', frozen_at = NULL, deactivated_at = NULL, contact_step = NULL WHERE id <= 50")).await;
}

async fn patch(panel: &Panel, who: &str, id: i64, body: &Value) -> crate::panel::Answer {
    panel.send(who, "PATCH", &format!("{USERS}/{id}"), body, None).await
}

async fn act(panel: &Panel, who: &str, id: i64, what: &str) -> (u16, String) {
    panel.send(who, "POST", &format!("{USERS}/{id}/{what}"), &json!({}), None).await.says()
}

async fn audited(panel: &Panel, id: i64) -> Vec<String> {
    let sql = Sql::new(
        "SELECT event FROM audits WHERE auditable_type = 'user' AND auditable_id = ? AND created_at >= ? ORDER BY id",
    );
    let rows: Vec<(String,)> = (&mut &panel.app.db).all(sql.bind(id).bind(NOW)).await.unwrap();
    rows.into_iter().map(|row| row.0).collect()
}

async fn a_user_is_frozen_deactivated_and_comes_back(dialect: Dialect) {
    let panel = Panel::on(dialect).await;
    customers(&panel).await;
    let said = |status: u16, code: &str| (status, code.to_owned());
    assert_eq!(act(&panel, "owner", 2, "activate").await, said(409, "user_unchanged"));
    assert_eq!(act(&panel, "owner", 2, "freeze").await, said(200, ""));
    let user = panel.get(&format!("{USERS}/2")).await.json()["data"].clone();
    assert_eq!(user["status"], "frozen");
    assert!(user["frozen_at"].is_string() && user["deactivated_at"].is_null());
    assert_eq!(user["actions"]["freezable"], false);
    assert_eq!(act(&panel, "owner", 2, "deactivate").await, said(200, ""));
    assert_eq!(act(&panel, "owner", 2, "freeze").await, said(409, "user_not_freezable"));
    assert_eq!(act(&panel, "owner", 2, "activate").await, said(200, ""));
    let user = panel.get(&format!("{USERS}/2")).await.json()["data"].clone();
    assert!(user["frozen_at"].is_null() && user["deactivated_at"].is_null());
    assert_eq!(audited(&panel, 2).await, ["user.frozen", "user.deactivated", "user.activated"]);
    assert_eq!(act(&panel, "owner", 999, "freeze").await, said(404, "not_found"));
}

async fn a_deactivated_colleague_is_out_at_once(dialect: Dialect) {
    let panel = Panel::on(dialect).await;
    let id = panel.person("kim@panel.test", &[Permission::ViewOrders]).await;
    let login = json!({ "email": "kim@panel.test", "password": PASSWORD });
    let token = panel.call("203.0.113.9", None, "POST", "/login", &login).await.token();
    let profile =
        async || panel.call("203.0.113.9", Some(&token), "GET", "/api/v1/profile", &json!({})).await.status;
    assert_eq!(profile().await, 200);
    assert_eq!(act(&panel, "owner", id, "deactivate").await.0, 200);
    assert_eq!(profile().await, 401);
    assert_eq!(panel.call("203.0.113.9", None, "POST", "/login", &login).await.status, 422);
    assert_eq!(act(&panel, "owner", id, "activate").await.0, 200);
    // The old token stays ended.
    assert_eq!(profile().await, 401);
    panel.call("203.0.113.9", None, "POST", "/login", &login).await.token();
}

async fn nobody_reaches_above_themselves(dialect: Dialect) {
    let panel = Panel::on(dialect).await;
    let all = [
        Permission::ViewUsers,
        Permission::ManageUsers,
        Permission::FreezeUsers,
        Permission::DeactivateUsers,
        Permission::ActivateUsers,
    ];
    panel.staff("clerk", &all).await;
    panel.staff("rival", &[all.as_slice(), &[Permission::ManageStaff]].concat()).await;
    let chief = panel.person("chief@panel.test", &[Permission::ManageStaff]).await;
    let equal = panel.person("equal@panel.test", &[Permission::ViewUsers]).await;
    assert_eq!(act(&panel, "clerk", chief, "freeze").await, (403, "outranked".into()));
    let mail = patch(&panel, "clerk", chief, &json!({ "email": "mine@panel.test" })).await;
    assert_eq!(mail.says(), (403, "outranked".into()));
    assert_eq!(act(&panel, "clerk", equal, "freeze").await.0, 200);
    let clerk = panel.number(Sql::new("SELECT id FROM users WHERE name = 'clerk'")).await;
    assert_eq!(act(&panel, "clerk", clerk, "deactivate").await, (403, "own_account".into()));
    let bulk = panel
        .send(
            "clerk",
            "POST",
            &format!("{USERS}/bulk-actions"),
            &json!({ "user_ids": [chief], "status": "frozen" }),
            None,
        )
        .await;
    assert_eq!(bulk.says(), (422, "nothing_processed".into()));
    // The last member with `manage staff` cannot be deactivated, not even by one of the same rank.
    panel
        .exec(
            Sql::new("DELETE FROM user_permissions WHERE permission = 'manage staff' AND user_id <> ?")
                .bind(chief),
        )
        .await;
    let owner = panel.number(Sql::new("SELECT id FROM users WHERE name = 'owner'")).await;
    panel
        .exec(
            Sql::new("INSERT INTO user_permissions (user_id, permission) VALUES (?, 'manage staff')")
                .bind(owner),
        )
        .await;
    assert_eq!(act(&panel, "owner", chief, "deactivate").await.0, 200);
    assert_eq!(act(&panel, "owner", chief, "activate").await.0, 200);
    panel
        .exec(
            Sql::new("UPDATE users SET status = 'deactivated', deactivated_at = 1 WHERE id = ?").bind(chief),
        )
        .await;
    let mut work = panel_server::context::Ctx::system(panel.app.clone(), "test").begin().await.unwrap();
    let kept = panel_server::operations::users::access::require_staff_manager(&mut work).await;
    assert!(kept.is_ok());
    work.exec(
        Sql::new("UPDATE users SET status = 'deactivated', deactivated_at = 1 WHERE id = ?").bind(owner),
    )
    .await
    .unwrap();
    let refused =
        panel_server::operations::users::access::require_staff_manager(&mut work).await.unwrap_err();
    assert_eq!(refused.report("test").code, "last_staff_manager");
}

/// Every endpoint that changes a user, tried on a colleague who holds one permission more, one by one and in bulk.
async fn refuses_to_act_on_a_user_with_more_permissions(dialect: Dialect) {
    let panel = Panel::on(dialect).await;
    let but_audits: Vec<Permission> =
        Permission::ALL.iter().copied().filter(|one| *one != Permission::ViewAudits).collect();
    panel.staff("clerk", &but_audits).await;
    panel.fill(20, 60).await;
    let chief = panel.person("chief@panel.test", &[Permission::ViewAudits]).await;
    let before = panel.get(&format!("{USERS}/{chief}")).await.json()["data"].clone();
    let price = json!({ "service_id": 1, "default_price": "5" });
    let calls = [
        ("PATCH", "", json!({ "name": "Fool" })),
        ("PATCH", "", json!({ "email": "mine@panel.test" })),
        ("PATCH", "", json!({ "vat": "1" })),
        ("POST", "/freeze", json!({})),
        ("POST", "/deactivate", json!({})),
        ("POST", "/activate", json!({})),
        ("POST", "/change-grade", json!({ "grade_id": null })),
        ("POST", "/update-seller", json!({ "contact_step": null })),
        ("POST", "/user-discount", json!({ "percent": "0.5", "type": "orders" })),
        ("POST", "/user-services", price.clone()),
        ("POST", "/user-services/bulk", json!({ "user_services": [price] })),
        ("POST", "/affiliates", json!({ "affiliate_id": 1 })),
        ("PATCH", "/sync-payment-methods", json!({ "payment_methods": [] })),
        ("PATCH", "/sync-roles-and-permissions", json!({ "permissions": [] })),
        ("POST", "/api-key", json!({})),
        ("DELETE", "/api-key", json!({})),
    ];
    for (method, path, body) in calls {
        let tried = panel.send("clerk", method, &format!("{USERS}/{chief}{path}"), &body, None).await;
        assert_eq!(tried.says(), (403, "outranked".into()), "{method} {path} {body}");
    }
    let credit = json!({ "user_id": chief, "amount": "5", "balance_type": "main", "transaction_type": "income", "comment": "A gift" });
    let credit = panel.send("clerk", "POST", "/api/v1/admin/payments", &credit, Some("a-gift")).await;
    assert_eq!(credit.says(), (403, "outranked".into()));
    for part in
        [json!({ "status": "frozen" }), json!({ "contact_step": "call" }), json!({ "affiliate_id": 3 })]
    {
        let mut body = part;
        body["user_ids"] = json!([2, chief]);
        let bulk = panel.send("clerk", "POST", &format!("{USERS}/bulk-actions"), &body, None).await.json();
        assert_eq!(bulk["processed"], 1, "{bulk}");
        assert_eq!(bulk["skipped"][0]["code"], "outranked", "{bulk}");
    }
    let row = panel.get_as("clerk", &format!("{USERS}/{chief}"), "*/*").await.json()["data"].clone();
    assert!(row["actions"].as_object().unwrap().values().all(|flag| flag == false), "{}", row["actions"]);
    let mut after = row;
    after["actions"] = before["actions"].clone();
    assert_eq!(after, before, "nothing of it was written");
}

async fn two_at_once_make_one_change(dialect: Dialect) {
    let panel = Panel::on(dialect).await;
    customers(&panel).await;
    for id in 11..=30 {
        let (first, second) =
            tokio::join!(act(&panel, "owner", id, "freeze"), act(&panel, "owner", id, "freeze"));
        let mut both = [first.0, second.0];
        both.sort_unstable();
        assert_eq!(both, [200, 409]);
        assert_eq!(audited(&panel, id).await, ["user.frozen"]);
    }
}

async fn a_profile_changes_only_where_something_was_sent(dialect: Dialect) {
    let panel = Panel::on(dialect).await;
    customers(&panel).await;
    let body = json!({ "company_name": " Likes Ltd ", "telegram_username": "@anna_k", "notify_orders": false,
        "referral_program_percent": "0.07", "messengers": [{ "name": "whatsapp", "value": "+1 202" }] });
    let user = patch(&panel, "owner", 2, &body).await.json()["data"].clone();
    assert_eq!(user["company_name"], "Likes Ltd");
    assert_eq!((&user["telegram_username"], &user["notify_orders"]), (&json!("anna_k"), &json!(false)));
    assert_eq!(user["messengers"][0]["value"], "+1 202");
    let user =
        patch(&panel, "owner", 2, &json!({ "referral_program_percent": null })).await.json()["data"].clone();
    assert!(user["referral_program_percent"].is_null());
    assert_eq!(user["company_name"], "Likes Ltd");
    // The same once more changes nothing, and says nothing to the audit trail.
    patch(&panel, "owner", 2, &json!({ "company_name": "Likes Ltd" })).await;
    assert_eq!(audited(&panel, 2).await.len(), 2);
    let sql = Sql::new(
        "SELECT new_values FROM audits WHERE auditable_type = 'user' AND auditable_id = 2 ORDER BY id DESC LIMIT 1",
    );
    let (new,): (String,) = (&mut &panel.app.db).one(sql).await.unwrap();
    assert_eq!(new, r#"{"referral_program_percent":null}"#);
    let other = (&mut &panel.app.db)
        .one::<(String,)>(Sql::new("SELECT email FROM users WHERE id = 3"))
        .await
        .unwrap()
        .0;
    let taken = patch(&panel, "owner", 2, &json!({ "email": other.to_uppercase() })).await;
    assert_eq!(
        taken.json()["errors"]["email"][0],
        "Another user has this email address. Enter a different one."
    );
    patch(&panel, "owner", 2, &json!({ "affiliate_code": "ANNA" })).await;
    let taken = patch(&panel, "owner", 3, &json!({ "affiliate_code": "ANNA" })).await;
    assert_eq!(taken.says(), (422, "affiliate_code_taken".into()));
    for body in [json!({ "balance": "5" }), json!({ "roles": [1] }), json!({ "status": "frozen" })] {
        assert_eq!(patch(&panel, "owner", 2, &body).await.status, 422, "{body}");
    }
}

async fn an_editor_who_read_something_older_is_told(dialect: Dialect) {
    let panel = Panel::on(dialect).await;
    customers(&panel).await;
    let read = panel.get(&format!("{USERS}/1")).await.json()["data"]["updated_at"].clone();
    panel.clock.advance_secs(5);
    assert_eq!(patch(&panel, "owner", 1, &json!({ "vat": "A", "updated_at": read })).await.status, 200);
    let late = patch(&panel, "owner", 1, &json!({ "vat": "B", "updated_at": read })).await;
    assert_eq!(late.says(), (409, "changed_meanwhile".into()));
    assert_eq!(panel.get(&format!("{USERS}/1")).await.json()["data"]["vat"], "A");
}

async fn sellers_grades_and_discounts(dialect: Dialect) {
    let panel = Panel::on(dialect).await;
    customers(&panel).await;
    panel
        .exec(Sql::new("INSERT INTO grades (id, name, created_at, updated_at) VALUES (71, 'Gold', 1, 1)"))
        .await;
    panel.exec(Sql::new("INSERT INTO grades (id, name, is_archived, created_at, updated_at) VALUES (72, 'Old', TRUE, 1, 1)")).await;
    let sellers = panel.get(&format!("{USERS}/available-sellers")).await.json();
    let seller = sellers["data"][0]["id"].as_i64().unwrap();
    let steps = panel.get(&format!("{USERS}/contact-steps")).await.json();
    assert_eq!(steps["data"][3], json!({ "type": "call", "label": "Call" }));
    let post = async |path: &str, body: Value| panel.post(&format!("{USERS}/1/{path}"), &body).await;
    let user =
        post("update-seller", json!({ "seller_id": seller, "seller_status": "new", "contact_step": "call" }))
            .await;
    assert_eq!(user.json()["data"]["manager"]["id"], seller);
    assert_eq!(post("update-seller", json!({ "seller_id": 2 })).await.says(), (422, "seller_unknown".into()));
    assert_eq!(post("update-seller", json!({ "contact_step": "dance" })).await.status, 422);
    let user = post("update-seller", json!({ "seller_id": null })).await.json()["data"].clone();
    assert!(user["manager"].is_null());
    assert_eq!(user["contact_step"], "call");
    let grade = json!({ "grade_id": 71, "grades_enabled": true, "grade_discounts_enabled": false });
    assert_eq!(post("change-grade", grade).await.json()["data"]["grade"]["name"], "Gold");
    let old = json!({ "grade_id": 72, "grades_enabled": true, "grade_discounts_enabled": true });
    assert_eq!(post("change-grade", old).await.says(), (422, "grade_unknown".into()));
    // What is not named stays.
    let kept = post("change-grade", json!({ "grade_discounts_enabled": true })).await.json()["data"].clone();
    assert_eq!(
        (&kept["grade"]["name"], &kept["grade_is_manual"], &kept["grade_discounts_enabled"]),
        (&json!("Gold"), &json!(true), &json!(true))
    );
    let cleared = post("change-grade", json!({ "grade_id": null })).await.json()["data"].clone();
    assert_eq!((&cleared["grade"], &cleared["grade_is_manual"]), (&Value::Null, &json!(false)));
    let discount = json!({ "percent": "0.125", "type": "orders" });
    assert_eq!(panel.get(&format!("{USERS}/1/user-discount")).await.json()["data"]["percent"], "0");
    assert_eq!(post("user-discount", discount.clone()).await.json()["data"], discount);
    assert_eq!(panel.get(&format!("{USERS}/1/user-discount")).await.json()["data"], discount);
    assert_eq!(post("user-discount", json!({ "percent": "1.5", "type": "all" })).await.status, 422);
    assert_eq!(panel.get(&format!("{USERS}/99/user-discount")).await.status, 404);
    let events = audited(&panel, 1).await;
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

async fn many_change_each_by_its_own_permission(dialect: Dialect) {
    let panel = Panel::on(dialect).await;
    customers(&panel).await;
    let bulk = async |who: &str, query: &str, body: Value| {
        panel.send(who, "POST", &format!("{USERS}/bulk-actions{query}"), &body, None).await
    };
    panel.staff("clerk", &[Permission::ViewUsers, Permission::ManageUsers]).await;
    assert_eq!(
        bulk("clerk", "", json!({ "user_ids": [1], "status": "frozen" })).await.says(),
        (403, "forbidden".into())
    );
    assert_eq!(
        bulk("clerk", "", json!({ "user_ids": [1], "grade_id": null })).await.says(),
        (403, "forbidden".into())
    );
    let tried =
        bulk("owner", "?dry_run=1", json!({ "user_ids": [1, 2, 2, 99], "status": "frozen" })).await.json();
    assert_eq!((&tried["processed"], &tried["skipped"][0]["code"]), (&json!(2), &json!("not_found")));
    assert_eq!(
        panel.number(Sql::new("SELECT count(*) FROM users WHERE status = 'frozen' AND id <= 50")).await,
        0
    );
    let done =
        bulk("owner", "", json!({ "user_ids": [1, 2, 3], "status": "frozen", "contact_step": "offer" }))
            .await;
    assert_eq!(done.json()["processed"], 3);
    let again = bulk("owner", "", json!({ "user_ids": [3, 4], "status": "frozen", "contact_step": "call" }))
        .await
        .json();
    assert_eq!(again["skipped"][0]["code"], "user_unchanged");
    // A skipped user is not changed in any field.
    let step = "SELECT contact_step FROM users WHERE id = 3";
    assert_eq!((&mut &panel.app.db).one::<(String,)>(Sql::new(step)).await.unwrap().0, "offer");
    // 5 brought 6, 6 brought 7: 7 cannot bring 5.
    for (user, by) in [(6, 5), (7, 6)] {
        assert_eq!(bulk("owner", "", json!({ "user_ids": [user], "affiliate_id": by })).await.status, 200);
    }
    let of_six = panel.get("/api/v1/admin/users/6/affiliates").await.json()["data"].clone();
    assert_eq!((&of_six[0]["user_id"], &of_six[0]["is_current"]), (&json!(5), &json!(true)), "{of_six}");
    let circle = bulk("owner", "", json!({ "user_ids": [5, 8], "affiliate_id": 7 })).await.json();
    assert_eq!((&circle["processed"], &circle["skipped"][0]["id"]), (&json!(1), &json!(5)));
    assert_eq!(bulk("owner", "", json!({ "user_ids": [1] })).await.says(), (422, "nothing_to_change".into()));
}

/// The buttons of a row and what the calls answer come from one rule.
async fn flags_and_calls_agree(dialect: Dialect) {
    let panel = Panel::on(dialect).await;
    customers(&panel).await;
    panel.staff("clerk", &[Permission::ViewUsers, Permission::FreezeUsers, Permission::ActivateUsers]).await;
    panel.exec(Sql::new("UPDATE users SET status = 'frozen', frozen_at = 1 WHERE id = 2")).await;
    panel.exec(Sql::new("UPDATE users SET status = 'deactivated', deactivated_at = 1 WHERE id = 3")).await;
    for (flag, what) in [("freezable", "freeze"), ("deactivable", "deactivate"), ("activable", "activate")] {
        let page = panel.get_as("clerk", &format!("{USERS}?length=100"), "application/json").await.json();
        for row in page["data"].as_array().unwrap() {
            let id = row["id"].as_i64().unwrap();
            let answer = act(&panel, "clerk", id, what).await.0;
            assert_eq!(row["actions"][flag] == true, answer == 200, "{what} {row}");
            if answer == 200 {
                let back = "UPDATE users SET status = ? WHERE id = ?";
                panel.exec(Sql::new(back).bind(row["status"].as_str().unwrap()).bind(id)).await;
            }
        }
    }
}

async fn who_may_only_freeze_freezes_many_and_nothing_else(dialect: Dialect) {
    let panel = Panel::on(dialect).await;
    customers(&panel).await;
    panel.staff("freezer", &[Permission::FreezeUsers]).await;
    panel.staff("viewer", &[Permission::ViewUsers]).await;
    let bulk = async |who: &str, body: Value| {
        panel.send(who, "POST", &format!("{USERS}/bulk-actions"), &body, None).await
    };
    let frozen = bulk("freezer", json!({ "user_ids": [1, 2], "status": "frozen" })).await;
    assert_eq!((frozen.status.as_u16(), &frozen.json()["processed"]), (200, &json!(2)), "{}", frozen.text);
    for body in [
        json!({ "user_ids": [3], "status": "deactivated" }),
        json!({ "user_ids": [3], "status": "frozen", "contact_step": "call" }),
        json!({ "user_ids": [3], "seller_id": null }),
        json!({ "user_ids": [3], "referral_program_percent": "0.1" }),
        json!({ "user_ids": [3], "affiliate_id": 4 }),
        json!({ "user_ids": [3], "grade_id": null }),
    ] {
        assert_eq!(bulk("freezer", body.clone()).await.status, 403, "{body}");
    }
    assert_eq!(bulk("viewer", json!({ "user_ids": [3], "status": "frozen" })).await.status, 403);
    assert_eq!(panel.get(&format!("{USERS}/3")).await.json()["data"]["status"], "active");
}

async fn a_manager_who_left_does_not_stand_in_the_way(dialect: Dialect) {
    let panel = Panel::on(dialect).await;
    customers(&panel).await;
    panel.staff("leaver", &[Permission::ViewUsers]).await;
    let seller = panel.number(Sql::new("SELECT id FROM users WHERE email = 'leaver@panel.test'")).await;
    let post = async |path: &str, body: Value| panel.post(&format!("{USERS}/1/{path}"), &body).await;
    let given = post("update-seller", json!({ "seller_id": seller })).await;
    let read = given.json()["data"]["updated_at"].clone();
    assert_eq!(act(&panel, "owner", seller, "deactivate").await.0, 200);
    let same = json!({ "seller_id": seller, "contact_step": "call", "updated_at": read });
    panel.clock.advance_secs(5);
    let kept = post("update-seller", same.clone()).await;
    assert_eq!(kept.status, 200, "{}", kept.text);
    assert_eq!(kept.json()["data"]["contact_step"], "call");
    // What was read before is older now, for every part of the record.
    assert_eq!(post("update-seller", same).await.says(), (409, "changed_meanwhile".into()));
    let grade = json!({ "grade_id": null, "grades_enabled": true, "grade_discounts_enabled": true, "updated_at": read });
    assert_eq!(post("change-grade", grade).await.says(), (409, "changed_meanwhile".into()));
    let discount = json!({ "percent": "0.1", "type": "all", "updated_at": read });
    assert_eq!(post("user-discount", discount).await.says(), (409, "changed_meanwhile".into()));
    let newest = panel.get(&format!("{USERS}/1")).await.json()["data"]["updated_at"].clone();
    let discount = json!({ "percent": "0.1", "type": "all", "updated_at": newest });
    panel.clock.advance_secs(5);
    assert_eq!(post("user-discount", discount.clone()).await.status, 200);
    assert_eq!(
        post("user-discount", json!({ "percent": "0.2", "type": "all", "updated_at": newest })).await.says(),
        (409, "changed_meanwhile".into()),
        "a discount given meanwhile is a newer user"
    );
    assert_eq!(post("update-seller", json!({ "seller_id": null })).await.status, 200);
    assert_eq!(
        post("update-seller", json!({ "seller_id": seller })).await.says(),
        (422, "seller_unknown".into())
    );
    let staff = panel.number(Sql::new("SELECT id FROM users WHERE email = 'owner@panel.test'")).await;
    let row = panel.get("/api/v1/admin/staffs").await.json()["data"].clone();
    let read = row.as_array().unwrap().iter().find(|row| row["id"] == staff).unwrap()["updated_at"].clone();
    assert!(read.is_string(), "{row}");
    panel.clock.advance_secs(5);
    let rename = async |name: &str| {
        let body = json!({ "name": name, "updated_at": read });
        panel.send("owner", "PATCH", &format!("/api/v1/admin/staffs/{staff}"), &body, None).await
    };
    assert_eq!(rename("Chief").await.status, 200);
    assert_eq!(rename("Head").await.says(), (409, "changed_meanwhile".into()));
}

async fn two_managers_cannot_put_each_other_out(dialect: Dialect) {
    for round in 0..8 {
        let panel = std::sync::Arc::new(Panel::on(dialect).await);
        panel.staff("other", Permission::ALL).await;
        let sql = Sql::new("SELECT min(id) FROM users WHERE email LIKE '%@panel.test'");
        let owner = panel.number(sql).await;
        let tries = [("owner", owner + 1), ("other", owner)].map(|(who, id)| {
            let panel = std::sync::Arc::clone(&panel);
            tokio::spawn(async move {
                if round % 2 == 0 {
                    return act(&panel, who, id, "deactivate").await.0;
                }
                let body = json!({ "user_ids": [id], "status": "deactivated" });
                panel.send(who, "POST", &format!("{USERS}/bulk-actions"), &body, None).await.status.as_u16()
            })
        });
        let mut won = 0;
        for answer in tries {
            let status = answer.await.unwrap();
            assert!(matches!(status, 200 | 401 | 409), "{status}");
            won += u8::from(status == 200);
        }
        assert!(won <= 1, "both were believed");
        let left = Sql::new(
            "SELECT count(*) FROM users WHERE email LIKE '%@panel.test' AND status <> 'deactivated'",
        );
        assert!(panel.number(left).await >= 1);
    }
}

async fn what_is_held_leads_to_what_holds_it(dialect: Dialect) {
    let panel = Panel::shop(dialect, 3, 0).await;
    crate::withdrawals::methods(&panel).await;
    let id = crate::withdrawals::asked(&panel, 1, 1_000_000).await;
    let user = panel.data("/api/v1/admin/users/1").await;
    assert_eq!(user["held"], "1");
    assert_eq!(user["holds"], json!([{ "kind": "withdrawal", "id": id, "amount": "1" }]));
    assert_eq!(panel.data("/api/v1/admin/users/2").await["holds"], json!([]));
    let rejected =
        panel.post(&format!("/api/v1/admin/withdrawals/{id}/reject"), &json!({ "admin_note": "no" })).await;
    assert_eq!(rejected.status, 200, "{}", rejected.text);
    let user = panel.data("/api/v1/admin/users/1").await;
    assert_eq!((&user["held"], &user["holds"]), (&json!("0"), &json!([])));
}
