//! Grades: created, changed field by field, archived when no user has them, and restored; both logs record every change.

use panel_contract::permission::Permission;
use panel_contract::upload::to_data_url;
use panel_platform::db::{Dialect, Sql};
use panel_platform::jobs::heartbeat;
use panel_server::operations::grades::promotion::promote_daily;
use serde_json::{Value, json};

use crate::panel::Panel;
use crate::uploads::PIXEL;

both! {
    a_grade_is_created_changed_archived_and_restored;
    of_two_parallel_archives_one_succeeds;
    a_grade_in_use_cannot_be_archived;
    customers_are_promoted_at_completion_and_daily;
    a_manual_grade_stays;
    no_customer_is_promoted_where_a_setting_disables_it;
    a_bulk_action_marks_only_changed_grades_as_manual;
    a_failed_daily_run_is_repeated;
    the_daily_run_of_a_dead_process_is_repeated_at_once;
}

const GRADES: &str = "/api/v1/admin/grades";

async fn create_grade(panel: &Panel) -> Value {
    let body = json!({
        "translations": {"en": {"name": "Gold"}, "pt_BR": {"name": "Ouro"}, "ja": {"name": " "}},
        "discount_fraction": "0.125", "spending_goal": "1000.5", "thumbnail_period": 30, "available_personal_manager": true,
    });
    let answer = panel.post(GRADES, &body).await;
    assert_eq!(answer.status, 200, "{}", answer.text);
    answer.json()["data"].clone()
}

async fn a_grade_is_created_changed_archived_and_restored(dialect: Dialect) {
    let panel = Panel::on(dialect).await;
    let grade = create_grade(&panel).await;
    let path = format!("{GRADES}/{}", grade["id"]);
    assert_eq!(
        (&grade["name"], &grade["discount_fraction"], &grade["spending_goal"]),
        (&json!("Gold"), &json!("0.125"), &json!("1000.5"))
    );
    assert_eq!(grade["translations"], json!({"en": {"name": "Gold"}, "pt_BR": {"name": "Ouro"}}));
    assert_eq!(grade["actions"], json!({"editable": true, "archivable": true, "unarchivable": false}));

    let change = json!({"discount_fraction": "0.1", "updated_at": grade["updated_at"]});
    panel.clock.advance_secs(1);
    let changed = panel.send("owner", "PATCH", &path, &change, None).await;
    assert_eq!(changed.status, 200, "{}", changed.text);
    let changed = changed.json()["data"].clone();
    assert_eq!((&changed["discount_fraction"], &changed["thumbnail_period"]), (&json!("0.1"), &json!(30)));
    let stale = panel.send("owner", "PATCH", &path, &change, None).await;
    assert_eq!((stale.status.as_u16(), stale.json()["code"].clone()), (409, json!("changed_meanwhile")));
    let wrong = json!({"translations": {"xx": {"name": "?"}}});
    assert_eq!(panel.send("owner", "PATCH", &path, &wrong, None).await.status, 422);

    let with_icon = json!({"icon": to_data_url(PIXEL)});
    let changed = panel.send("owner", "PATCH", &path, &with_icon, None).await.json()["data"].clone();
    assert!(changed["icon"].as_str().unwrap().starts_with("/uploads/"), "{changed}");
    for refused in
        [json!({"icon": to_data_url(b"<svg/>")}), json!({"icon": "https://elsewhere.example/a.png"})]
    {
        assert_eq!(panel.send("owner", "PATCH", &path, &refused, None).await.status, 422);
    }

    let list = panel.get(&format!("{GRADES}?is_archived=0")).await.json();
    assert_eq!(list["data"][0], changed);
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

    let audits = panel
        .get("/api/v1/admin/audits?columns[0][data]=auditable_type&columns[0][search][value]=grade")
        .await
        .json();
    let events: Vec<&Value> = audits["data"].as_array().unwrap().iter().map(|row| &row["event"]).collect();
    assert_eq!(
        events,
        ["grade.unarchived", "grade.archived", "grade.updated", "grade.updated", "grade.created"]
    );
    let logs = panel
        .get("/api/v1/admin/services/logs?columns[0][data]=action_type&columns[0][search][value]=updated")
        .await
        .json();
    assert_eq!(
        (&logs["data"][1]["information"], &logs["data"][1]["old_value"], &logs["data"][1]["new_value"]),
        (&json!("Discount fraction"), &json!("0.125"), &json!("0.1"))
    );
    assert_eq!(logs["recordsFiltered"], 2);

    panel.create_staff("looker", &[Permission::ViewGrades]).await;
    let shown = panel.get_as("looker", &path, "application/json").await.json();
    assert_eq!(
        shown["data"]["actions"],
        json!({"editable": false, "archivable": false, "unarchivable": false})
    );
    assert_eq!(panel.send("looker", "PATCH", &path, &json!({}), None).await.status, 403);
    assert_eq!(panel.get(&format!("{GRADES}/999")).await.status, 404);
}

async fn of_two_parallel_archives_one_succeeds(dialect: Dialect) {
    let panel = Panel::on(dialect).await;
    let path = format!("{GRADES}/{}/archive", create_grade(&panel).await["id"]);
    let body = json!({});
    let (first, second) = tokio::join!(panel.post(&path, &body), panel.post(&path, &body));
    let mut statuses = [first.status.as_u16(), second.status.as_u16()];
    statuses.sort_unstable();
    assert_eq!(statuses, [200, 409]);
    assert_eq!(panel.number(Sql::new("SELECT count(*) FROM audits WHERE event = 'grade.archived'")).await, 1);
}

async fn a_grade_in_use_cannot_be_archived(dialect: Dialect) {
    let panel = Panel::on(dialect).await;
    panel.fill(20, 20).await;
    let answer = panel.post(&format!("{GRADES}/1/archive"), &json!({})).await;
    assert_eq!(answer.status, 409);
    assert!(
        answer.json()["message"].as_str().unwrap().starts_with("This grade is used by customers: "),
        "{}",
        answer.text
    );
    let grade = panel.get(&format!("{GRADES}/1")).await.json()["data"].clone();
    assert_eq!(
        (&grade["actions"]["archivable"], &grade["translations"]["en"]["name"]),
        (&json!(false), &json!("Grade 1"))
    );
}

const CUSTOMER: i64 = 1;

/// A shop with a customer, a paid order, and the grades Silver at 100, Gold at 1,000 and Friends without a goal.
async fn shop_with_grades(dialect: Dialect) -> Panel {
    let panel = Panel::shop(dialect, 1, 1).await;
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

async fn set_spent(panel: &Panel, amount: i64) {
    panel
        .execute(Sql::new("UPDATE users SET spent = ? WHERE id = ?").bind(amount * 1_000_000).bind(CUSTOMER))
        .await;
}

async fn grade_of(panel: &Panel) -> i64 {
    panel.number(Sql::new("SELECT COALESCE(grade_id, 0) FROM users WHERE id = ?").bind(CUSTOMER)).await
}

/// Advances the clock by a day; returns the number of customers that the daily run promotes.
async fn run_next_day(panel: &Panel) -> usize {
    panel.clock.advance_secs(86_400);
    promote_daily(&panel.app).await.unwrap()
}

async fn customers_are_promoted_at_completion_and_daily(dialect: Dialect) {
    let panel = shop_with_grades(dialect).await;
    set_spent(&panel, 99).await;
    assert_eq!((run_next_day(&panel).await, grade_of(&panel).await), (0, 0));
    set_spent(&panel, 100).await;
    assert_eq!(promote_daily(&panel.app).await.unwrap(), 0, "one run per day");
    assert_eq!((run_next_day(&panel).await, grade_of(&panel).await), (1, 10));
    set_spent(&panel, 5_000).await;
    let completed_order = panel.post("/api/v1/admin/orders/1/complete", &json!({})).await;
    assert_eq!(
        (completed_order.status.as_u16(), grade_of(&panel).await),
        (200, 20),
        "{}",
        completed_order.text
    );
    set_spent(&panel, 0).await;
    assert_eq!((run_next_day(&panel).await, grade_of(&panel).await), (0, 20), "no customer is demoted");
    let audits = "SELECT count(*) FROM audits WHERE event = 'user.grade_reached' AND user_id IS NULL AND auditable_id = ?";
    assert_eq!(
        panel.number(Sql::new(audits).bind(CUSTOMER)).await,
        2,
        "the actor is the system, not the staff member who completed the order"
    );
    let completed = "SELECT count(*) FROM audits WHERE event = 'order.completed' AND user_id IS NOT NULL";
    assert_eq!(panel.number(Sql::new(completed)).await, 1);
}

async fn a_manual_grade_stays(dialect: Dialect) {
    let panel = shop_with_grades(dialect).await;
    set_spent(&panel, 5_000).await;
    let path = format!("/api/v1/admin/users/{CUSTOMER}/change-grade");
    let change_grade = async |grade: Value, is_manual: Value| {
        let mut body = json!({ "grade_id": grade, "grades_enabled": true, "grade_discounts_enabled": true });
        if !is_manual.is_null() {
            body["grade_is_manual"] = is_manual;
        }
        panel.post(&path, &body).await.json()["data"]["grade_is_manual"].clone()
    };
    assert_eq!(change_grade(json!(30), Value::Null).await, true);
    assert_eq!((run_next_day(&panel).await, grade_of(&panel).await), (0, 30));
    assert_eq!(change_grade(json!(30), json!(false)).await, false);
    assert_eq!((run_next_day(&panel).await, grade_of(&panel).await), (1, 20));
    assert_eq!(change_grade(json!(20), Value::Null).await, false, "the same grade does not change the mark");
    assert_eq!(change_grade(json!(10), Value::Null).await, true);
    assert_eq!(
        (run_next_day(&panel).await, grade_of(&panel).await),
        (0, 10),
        "although the spending reaches Gold"
    );
    assert_eq!(change_grade(Value::Null, Value::Null).await, false);
    assert_eq!(
        (run_next_day(&panel).await, grade_of(&panel).await),
        (1, 20),
        "without a grade the promotion applies again"
    );
}

async fn no_customer_is_promoted_where_a_setting_disables_it(dialect: Dialect) {
    let panel = shop_with_grades(dialect).await;
    set_spent(&panel, 5_000).await;
    for (disabled, enabled) in
        [("automatic_grades_enabled", "grades_enabled"), ("grades_enabled", "automatic_grades_enabled")]
    {
        panel.save_settings(json!({ disabled: false, enabled: true })).await;
        assert_eq!((run_next_day(&panel).await, grade_of(&panel).await), (0, 0), "{disabled}");
    }
    panel.save_settings(json!({ "grades_enabled": true })).await;
    panel.execute(Sql::new("UPDATE grades SET is_archived = TRUE WHERE id = 20")).await;
    assert_eq!(
        (run_next_day(&panel).await, grade_of(&panel).await),
        (1, 10),
        "an archived grade is not reached"
    );
}

async fn a_bulk_action_marks_only_changed_grades_as_manual(dialect: Dialect) {
    let panel = shop_with_grades(dialect).await;
    let insert_second = "INSERT INTO users (id, name, email, grade_id, grade_is_manual, created_at, updated_at) VALUES (77, 'B', 'b@shop.example', 20, FALSE, 1, 1)";
    panel.execute(Sql::new(insert_second)).await;
    let change_grades = async |grade: Value| {
        let body = json!({ "user_ids": [CUSTOMER, 77], "grade_id": grade });
        let answer = panel.post("/api/v1/admin/users/bulk-actions", &body).await;
        assert_eq!(answer.json()["processed"], 2, "{}", answer.text);
    };
    let manual_marks = async || {
        let sql = "SELECT (SELECT count(*) FROM users WHERE id = 1 AND grade_is_manual) * 10
            + (SELECT count(*) FROM users WHERE id = 77 AND grade_is_manual)";
        panel.number(Sql::new(sql)).await
    };
    change_grades(json!(20)).await;
    assert_eq!(
        (manual_marks().await, grade_of(&panel).await),
        (10, 20),
        "the second customer already had this grade"
    );
    let audits = "SELECT count(*) FROM audits WHERE event = 'user.updated' AND auditable_id IN (1, 77)";
    assert_eq!(panel.number(Sql::new(audits)).await, 1, "the second customer has no change");
    change_grades(json!(10)).await;
    assert_eq!(manual_marks().await, 11);
    change_grades(json!(10)).await;
    assert_eq!(manual_marks().await, 11, "the same grade does not change the marks");
    change_grades(Value::Null).await;
    assert_eq!(
        (manual_marks().await, grade_of(&panel).await),
        (0, 0),
        "without a grade the promotion applies again"
    );
}

async fn a_failed_daily_run_is_repeated(dialect: Dialect) {
    let panel = shop_with_grades(dialect).await;
    set_spent(&panel, 100).await;
    panel.execute(Sql::new("ALTER TABLE settings RENAME TO settings_away")).await;
    assert!(promote_daily(&panel.app).await.is_err(), "the run began and failed");
    panel.execute(Sql::new("ALTER TABLE settings_away RENAME TO settings")).await;
    assert_eq!(promote_daily(&panel.app).await.unwrap(), 0, "the lease has not expired");
    let other = panel.second_process().await;
    panel.clock.advance_secs(34);
    assert_eq!(promote_daily(&other).await.unwrap(), 0, "the holder of the lease may still be alive");
    panel.clock.advance_secs(2);
    heartbeat::send_heartbeat(&panel.app).await.unwrap();
    assert_eq!(promote_daily(&other).await.unwrap(), 0, "the holder of the lease is alive");
    panel.clock.advance_secs(601);
    assert_eq!((promote_daily(&panel.app).await.unwrap(), grade_of(&panel).await), (1, 10));
    set_spent(&panel, 5_000).await;
    panel.clock.advance_secs(601);
    assert_eq!(promote_daily(&panel.app).await.unwrap(), 0, "one run per day");
    assert_eq!((run_next_day(&panel).await, grade_of(&panel).await), (1, 20));
}

async fn the_daily_run_of_a_dead_process_is_repeated_at_once(dialect: Dialect) {
    let panel = shop_with_grades(dialect).await;
    set_spent(&panel, 100).await;
    let dead_process = panel.second_process().await;
    heartbeat::send_heartbeat(&dead_process).await.unwrap();
    panel.execute(Sql::new("ALTER TABLE settings RENAME TO settings_away")).await;
    assert!(promote_daily(&dead_process).await.is_err(), "the run began and failed");
    panel.execute(Sql::new("ALTER TABLE settings_away RENAME TO settings")).await;
    panel.clock.advance_secs(36);
    assert_eq!((promote_daily(&panel.app).await.unwrap(), grade_of(&panel).await), (1, 10));
}
