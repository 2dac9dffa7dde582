//! Tests grades: staff create, change, archive and restore them, both logs record every change, and customers reach grades by their
//! spending.

use panel_contract::permission::Permission;
use panel_contract::upload::to_data_url;
use panel_platform::db::{Dialect, Sql};
use panel_platform::jobs::heartbeat;
use panel_server::operations::grades::promotion::promote_daily;
use serde_json::{Value, json};

use crate::panel::Panel;
use crate::uploads::PIXEL;

test_both_databases! {
    a_grade_is_created_changed_archived_and_restored;
    one_of_two_parallel_archive_requests_succeeds;
    a_grade_in_use_cannot_be_archived;
    customers_are_promoted_at_order_completion_and_daily;
    a_manual_grade_is_not_replaced;
    no_customer_is_promoted_if_a_setting_disables_it;
    a_bulk_action_marks_only_changed_grades_as_manual;
    a_failed_daily_run_is_repeated;
    the_daily_run_of_a_crashed_process_is_repeated_at_once;
}

const GRADES: &str = "/api/v1/admin/grades";

async fn create_grade(panel: &Panel) -> Value {
    let body = json!({
        "translations": {"en": {"name": "Gold"}, "pt_BR": {"name": "Ouro"}, "ja": {"name": " "}},
        "discount_fraction": "0.125", "spending_goal": "1000.5", "thumbnail_period": 30, "available_personal_manager": true,
    });
    let response = panel.post(GRADES, &body).await;
    assert_eq!(response.status, 200, "{}", response.text);
    response.json()["data"].clone()
}

async fn a_grade_is_created_changed_archived_and_restored(dialect: Dialect) {
    let panel = Panel::start(dialect).await;
    let grade = create_grade(&panel).await;
    let path = format!("{GRADES}/{}", grade["id"]);
    assert_eq!(
        (&grade["name"], &grade["discount_fraction"], &grade["spending_goal"]),
        (&json!("Gold"), &json!("0.125"), &json!("1000.5"))
    );
    assert_eq!(grade["translations"], json!({"en": {"name": "Gold"}, "pt_BR": {"name": "Ouro"}}));
    assert_eq!(grade["actions"], json!({"editable": true, "archivable": true, "unarchivable": false}));

    let change_body = json!({"discount_fraction": "0.1", "updated_at": grade["updated_at"]});
    panel.clock.advance_secs(1);
    let change_response = panel.send("owner", "PATCH", &path, &change_body, None).await;
    assert_eq!(change_response.status, 200, "{}", change_response.text);
    let changed_grade = change_response.json()["data"].clone();
    assert_eq!(
        (&changed_grade["discount_fraction"], &changed_grade["thumbnail_period"]),
        (&json!("0.1"), &json!(30))
    );
    let stale_response = panel.send("owner", "PATCH", &path, &change_body, None).await;
    assert_eq!(
        (stale_response.status.as_u16(), stale_response.json()["code"].clone()),
        (409, json!("changed_meanwhile"))
    );
    let invalid_body = json!({"translations": {"xx": {"name": "?"}}});
    assert_eq!(panel.send("owner", "PATCH", &path, &invalid_body, None).await.status, 422);

    let icon_body = json!({"icon": to_data_url(PIXEL)});
    let changed_grade = panel.send("owner", "PATCH", &path, &icon_body, None).await.json()["data"].clone();
    assert!(changed_grade["icon"].as_str().unwrap().starts_with("/uploads/"), "{changed_grade}");
    for invalid_body in
        [json!({"icon": to_data_url(b"<svg/>")}), json!({"icon": "https://elsewhere.example/a.png"})]
    {
        assert_eq!(panel.send("owner", "PATCH", &path, &invalid_body, None).await.status, 422);
    }

    let page = panel.get(&format!("{GRADES}?is_archived=0")).await.json();
    assert_eq!(page["data"][0], changed_grade);
    assert_eq!(panel.post(&format!("{path}/archive"), &json!({})).await.json()["data"]["is_archived"], true);
    assert_eq!(panel.get(&format!("{GRADES}?is_archived=0")).await.json()["recordsFiltered"], 0);
    assert_eq!(panel.get(&format!("{GRADES}/available")).await.json()["data"], json!([]));
    assert_eq!(panel.post(&format!("{path}/archive"), &json!({})).await.status, 409);
    assert_eq!(
        panel.post(&format!("{path}/unarchive"), &json!({})).await.json()["data"]["is_archived"],
        false
    );
    assert_eq!(panel.post(&format!("{path}/unarchive"), &json!({})).await.status, 409);
    assert_eq!(panel.get(&format!("{GRADES}/available")).await.json()["data"][0]["name"], "Gold");

    let audit_page = panel
        .get("/api/v1/admin/audits?columns[0][data]=auditable_type&columns[0][search][value]=grade")
        .await
        .json();
    let events: Vec<&Value> =
        audit_page["data"].as_array().unwrap().iter().map(|row| &row["event"]).collect();
    assert_eq!(
        events,
        ["grade.unarchived", "grade.archived", "grade.updated", "grade.updated", "grade.created"]
    );
    let log_page = panel
        .get("/api/v1/admin/services/logs?columns[0][data]=action_type&columns[0][search][value]=updated")
        .await
        .json();
    assert_eq!(
        (
            &log_page["data"][1]["information"],
            &log_page["data"][1]["old_value"],
            &log_page["data"][1]["new_value"]
        ),
        (&json!("Discount fraction"), &json!("0.125"), &json!("0.1"))
    );
    assert_eq!(log_page["recordsFiltered"], 2);

    panel.create_staff("viewer", &[Permission::ViewGrades]).await;
    let grade = panel.get_as("viewer", &path, "application/json").await.json();
    assert_eq!(
        grade["data"]["actions"],
        json!({"editable": false, "archivable": false, "unarchivable": false})
    );
    assert_eq!(panel.send("viewer", "PATCH", &path, &json!({}), None).await.status, 403);
    assert_eq!(panel.get(&format!("{GRADES}/999")).await.status, 404);
}

async fn one_of_two_parallel_archive_requests_succeeds(dialect: Dialect) {
    let panel = Panel::start(dialect).await;
    let path = format!("{GRADES}/{}/archive", create_grade(&panel).await["id"]);
    let body = json!({});
    let (first_response, second_response) = tokio::join!(panel.post(&path, &body), panel.post(&path, &body));
    let mut statuses = [first_response.status.as_u16(), second_response.status.as_u16()];
    statuses.sort_unstable();
    assert_eq!(statuses, [200, 409]);
    assert_eq!(
        panel.fetch_number(Sql::new("SELECT count(*) FROM audits WHERE event = 'grade.archived'")).await,
        1
    );
}

async fn a_grade_in_use_cannot_be_archived(dialect: Dialect) {
    let panel = Panel::start(dialect).await;
    panel.insert_generated_records(20, 20).await;
    let response = panel.post(&format!("{GRADES}/1/archive"), &json!({})).await;
    assert_eq!(response.status, 409);
    assert!(
        response.json()["message"].as_str().unwrap().starts_with("This grade is used by customers: "),
        "{}",
        response.text
    );
    let grade = panel.get(&format!("{GRADES}/1")).await.json()["data"].clone();
    assert_eq!(
        (&grade["actions"]["archivable"], &grade["translations"]["en"]["name"]),
        (&json!(false), &json!("Grade 1"))
    );
}

const CUSTOMER_ID: i64 = 1;

/// Starts a panel with a customer, a paid order, and the grades Silver (spending goal 100), Gold (1,000) and Friends (no goal).
async fn start_panel_with_grades(dialect: Dialect) -> Panel {
    let panel = Panel::with_users_and_orders(dialect, 1, 1).await;
    // These tests advance the clock by days, so sessions must last longer.
    panel.execute(Sql::new("UPDATE sessions SET expires_at = expires_at * 2, signed_in_at = expires_at * 2, last_used_at = expires_at * 2")).await;
    for (id, name, goal) in [(10, "Silver", 100), (20, "Gold", 1_000), (30, "Friends", 0)] {
        let sql = Sql::new(
            "INSERT INTO grades (id, name, spending_goal, created_at, updated_at) VALUES (?, ?, ?, 1, 1)",
        );
        panel.execute(sql.bind(id).bind(name).bind(goal * 1_000_000)).await;
    }
    panel
}

async fn set_total_spent(panel: &Panel, amount: i64) {
    panel
        .execute(
            Sql::new("UPDATE users SET spent = ? WHERE id = ?").bind(amount * 1_000_000).bind(CUSTOMER_ID),
        )
        .await;
}

async fn fetch_grade_id(panel: &Panel) -> i64 {
    panel
        .fetch_number(Sql::new("SELECT COALESCE(grade_id, 0) FROM users WHERE id = ?").bind(CUSTOMER_ID))
        .await
}

/// Advances the clock by a day, promotes customers, and returns the number of promoted customers.
async fn run_promotion_next_day(panel: &Panel) -> usize {
    panel.clock.advance_secs(86_400);
    promote_daily(&panel.app).await.unwrap()
}

async fn customers_are_promoted_at_order_completion_and_daily(dialect: Dialect) {
    let panel = start_panel_with_grades(dialect).await;
    set_total_spent(&panel, 99).await;
    assert_eq!((run_promotion_next_day(&panel).await, fetch_grade_id(&panel).await), (0, 0));
    set_total_spent(&panel, 100).await;
    assert_eq!(promote_daily(&panel.app).await.unwrap(), 0, "the daily run must run only once a day");
    assert_eq!((run_promotion_next_day(&panel).await, fetch_grade_id(&panel).await), (1, 10));
    set_total_spent(&panel, 5_000).await;
    let complete_response = panel.post("/api/v1/admin/orders/1/complete", &json!({})).await;
    assert_eq!(
        (complete_response.status.as_u16(), fetch_grade_id(&panel).await),
        (200, 20),
        "{}",
        complete_response.text
    );
    set_total_spent(&panel, 0).await;
    assert_eq!(
        (run_promotion_next_day(&panel).await, fetch_grade_id(&panel).await),
        (0, 20),
        "no customer may be demoted"
    );
    let count_audits_sql = "SELECT count(*) FROM audits WHERE event = 'user.grade_reached' AND user_id IS NULL AND auditable_id = ?";
    assert_eq!(
        panel.fetch_number(Sql::new(count_audits_sql).bind(CUSTOMER_ID)).await,
        2,
        "the audit entry must name the system as the actor, not the staff member who completed the order"
    );
    let count_completed_sql =
        "SELECT count(*) FROM audits WHERE event = 'order.completed' AND user_id IS NOT NULL";
    assert_eq!(panel.fetch_number(Sql::new(count_completed_sql)).await, 1);
}

async fn a_manual_grade_is_not_replaced(dialect: Dialect) {
    let panel = start_panel_with_grades(dialect).await;
    set_total_spent(&panel, 5_000).await;
    let path = format!("/api/v1/admin/users/{CUSTOMER_ID}/change-grade");
    let change_grade = async |grade: Value, is_manual: Value| {
        let mut body = json!({ "grade_id": grade, "grades_enabled": true, "grade_discounts_enabled": true });
        if !is_manual.is_null() {
            body["grade_is_manual"] = is_manual;
        }
        panel.post(&path, &body).await.json()["data"]["grade_is_manual"].clone()
    };
    assert_eq!(change_grade(json!(30), Value::Null).await, true);
    assert_eq!((run_promotion_next_day(&panel).await, fetch_grade_id(&panel).await), (0, 30));
    assert_eq!(change_grade(json!(30), json!(false)).await, false);
    assert_eq!((run_promotion_next_day(&panel).await, fetch_grade_id(&panel).await), (1, 20));
    assert_eq!(
        change_grade(json!(20), Value::Null).await,
        false,
        "saving the same grade must not mark it as manual"
    );
    assert_eq!(change_grade(json!(10), Value::Null).await, true);
    assert_eq!(
        (run_promotion_next_day(&panel).await, fetch_grade_id(&panel).await),
        (0, 10),
        "a manual grade must stay although the customer spent enough for Gold"
    );
    assert_eq!(change_grade(Value::Null, Value::Null).await, false);
    assert_eq!(
        (run_promotion_next_day(&panel).await, fetch_grade_id(&panel).await),
        (1, 20),
        "a customer without a grade must be promoted again"
    );
}

async fn no_customer_is_promoted_if_a_setting_disables_it(dialect: Dialect) {
    let panel = start_panel_with_grades(dialect).await;
    set_total_spent(&panel, 5_000).await;
    for (disabled, enabled) in
        [("automatic_grades_enabled", "grades_enabled"), ("grades_enabled", "automatic_grades_enabled")]
    {
        panel.save_settings(json!({ disabled: false, enabled: true })).await;
        assert_eq!(
            (run_promotion_next_day(&panel).await, fetch_grade_id(&panel).await),
            (0, 0),
            "{disabled}"
        );
    }
    panel.save_settings(json!({ "grades_enabled": true })).await;
    panel.execute(Sql::new("UPDATE grades SET is_archived = TRUE WHERE id = 20")).await;
    assert_eq!(
        (run_promotion_next_day(&panel).await, fetch_grade_id(&panel).await),
        (1, 10),
        "a customer must not reach an archived grade"
    );
}

async fn a_bulk_action_marks_only_changed_grades_as_manual(dialect: Dialect) {
    let panel = start_panel_with_grades(dialect).await;
    let insert_customer_sql = "INSERT INTO users (id, name, email, grade_id, grade_is_manual, created_at, updated_at) VALUES (77, 'B', 'b@shop.example', 20, FALSE, 1, 1)";
    panel.execute(Sql::new(insert_customer_sql)).await;
    let change_grades = async |grade: Value| {
        let body = json!({ "user_ids": [CUSTOMER_ID, 77], "grade_id": grade });
        let response = panel.post("/api/v1/admin/users/bulk-actions", &body).await;
        assert_eq!(response.json()["processed"], 2, "{}", response.text);
    };
    let read_manual_marks = async || {
        let sql = "SELECT (SELECT count(*) FROM users WHERE id = 1 AND grade_is_manual) * 10
            + (SELECT count(*) FROM users WHERE id = 77 AND grade_is_manual)";
        panel.fetch_number(Sql::new(sql)).await
    };
    change_grades(json!(20)).await;
    assert_eq!(
        (read_manual_marks().await, fetch_grade_id(&panel).await),
        (10, 20),
        "the second customer already had the grade, so it must not become manual"
    );
    let count_audits_sql =
        "SELECT count(*) FROM audits WHERE event = 'user.updated' AND auditable_id IN (1, 77)";
    assert_eq!(
        panel.fetch_number(Sql::new(count_audits_sql)).await,
        1,
        "a customer without a change must have no audit entry"
    );
    change_grades(json!(10)).await;
    assert_eq!(read_manual_marks().await, 11);
    change_grades(json!(10)).await;
    assert_eq!(read_manual_marks().await, 11, "saving the same grade must not change the marks");
    change_grades(Value::Null).await;
    assert_eq!(
        (read_manual_marks().await, fetch_grade_id(&panel).await),
        (0, 0),
        "a customer without a grade must be promoted again"
    );
}

async fn a_failed_daily_run_is_repeated(dialect: Dialect) {
    let panel = start_panel_with_grades(dialect).await;
    set_total_spent(&panel, 100).await;
    panel.execute(Sql::new("ALTER TABLE settings RENAME TO settings_renamed")).await;
    assert!(promote_daily(&panel.app).await.is_err(), "the run must start and fail");
    panel.execute(Sql::new("ALTER TABLE settings_renamed RENAME TO settings")).await;
    assert_eq!(
        promote_daily(&panel.app).await.unwrap(),
        0,
        "the run must not be repeated before the lease has expired"
    );
    let other_process = panel.start_second_process().await;
    panel.clock.advance_secs(34);
    assert_eq!(
        promote_daily(&other_process).await.unwrap(),
        0,
        "another process must wait while the holder of the lease may be alive"
    );
    panel.clock.advance_secs(2);
    heartbeat::send_heartbeat(&panel.app).await.unwrap();
    assert_eq!(
        promote_daily(&other_process).await.unwrap(),
        0,
        "another process must wait while the holder of the lease is alive"
    );
    panel.clock.advance_secs(601);
    assert_eq!((promote_daily(&panel.app).await.unwrap(), fetch_grade_id(&panel).await), (1, 10));
    set_total_spent(&panel, 5_000).await;
    panel.clock.advance_secs(601);
    assert_eq!(promote_daily(&panel.app).await.unwrap(), 0, "the daily run must run only once a day");
    assert_eq!((run_promotion_next_day(&panel).await, fetch_grade_id(&panel).await), (1, 20));
}

async fn the_daily_run_of_a_crashed_process_is_repeated_at_once(dialect: Dialect) {
    let panel = start_panel_with_grades(dialect).await;
    set_total_spent(&panel, 100).await;
    let crashed_process = panel.start_second_process().await;
    heartbeat::send_heartbeat(&crashed_process).await.unwrap();
    panel.execute(Sql::new("ALTER TABLE settings RENAME TO settings_renamed")).await;
    assert!(promote_daily(&crashed_process).await.is_err(), "the run must start and fail");
    panel.execute(Sql::new("ALTER TABLE settings_renamed RENAME TO settings")).await;
    panel.clock.advance_secs(36);
    assert_eq!((promote_daily(&panel.app).await.unwrap(), fetch_grade_id(&panel).await), (1, 10));
}
