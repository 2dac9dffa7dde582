//! Grades: created, changed field by field, archived when no user has them, and restored; both logs record every change.

use panel_contract::permission::Permission;
use panel_contract::upload::data_url;
use panel_platform::db::{Dialect, Sql};
use panel_platform::jobs::heartbeat;
use panel_server::operations::grades::promotion::promote_daily;
use serde_json::{Value, json};

use crate::panel::Panel;
use crate::uploads::PIXEL;

both! {
    a_grade_lives;
    two_archive_at_once_and_one_does;
    what_is_in_use_stays;
    spending_reaches_a_grade_at_completion_and_daily;
    a_grade_set_by_hand_stays;
    no_customer_is_promoted_where_that_is_off;
    a_bulk_marks_by_hand_only_where_the_grade_changes;
    a_daily_run_that_ends_early_is_taken_up_again;
    a_daily_run_of_a_dead_process_is_taken_up_at_once;
}

const GRADES: &str = "/api/v1/admin/grades";

async fn made(panel: &Panel) -> Value {
    let body = json!({
        "translations": {"en": {"name": "Gold"}, "pt_BR": {"name": "Ouro"}, "ja": {"name": " "}},
        "discount_percent": "0.125", "spending_goal": "1000.5", "thumbnail_period": 30, "available_personal_manager": true,
    });
    let answer = panel.post(GRADES, &body).await;
    assert_eq!(answer.status, 200, "{}", answer.text);
    answer.json()["data"].clone()
}

async fn a_grade_lives(dialect: Dialect) {
    let panel = Panel::on(dialect).await;
    let grade = made(&panel).await;
    let path = format!("{GRADES}/{}", grade["id"]);
    assert_eq!(
        (&grade["name"], &grade["discount_percent"], &grade["spending_goal"]),
        (&json!("Gold"), &json!("0.125"), &json!("1000.5"))
    );
    assert_eq!(grade["translations"], json!({"en": {"name": "Gold"}, "pt_BR": {"name": "Ouro"}}));
    assert_eq!(grade["actions"], json!({"editable": true, "archivable": true, "unarchivable": false}));

    let change = json!({"discount_percent": "0.1", "updated_at": grade["updated_at"]});
    panel.clock.advance_secs(1);
    let changed = panel.send("owner", "PATCH", &path, &change, None).await;
    assert_eq!(changed.status, 200, "{}", changed.text);
    let changed = changed.json()["data"].clone();
    assert_eq!((&changed["discount_percent"], &changed["thumbnail_period"]), (&json!("0.1"), &json!(30)));
    let stale = panel.send("owner", "PATCH", &path, &change, None).await;
    assert_eq!((stale.status.as_u16(), stale.json()["code"].clone()), (409, json!("changed_meanwhile")));
    let wrong = json!({"translations": {"xx": {"name": "?"}}});
    assert_eq!(panel.send("owner", "PATCH", &path, &wrong, None).await.status, 422);

    let file = json!({"icon": data_url(PIXEL)});
    let changed = panel.send("owner", "PATCH", &path, &file, None).await.json()["data"].clone();
    assert!(changed["icon"].as_str().unwrap().starts_with("/uploads/"), "{changed}");
    for refused in [json!({"icon": data_url(b"<svg/>")}), json!({"icon": "https://elsewhere.example/a.png"})]
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
        (&json!("Discount percent"), &json!("0.125"), &json!("0.1"))
    );
    assert_eq!(logs["recordsFiltered"], 2);

    panel.staff("looker", &[Permission::ViewGrades]).await;
    let seen = panel.get_as("looker", &path, "application/json").await.json();
    assert_eq!(
        seen["data"]["actions"],
        json!({"editable": false, "archivable": false, "unarchivable": false})
    );
    assert_eq!(panel.send("looker", "PATCH", &path, &json!({}), None).await.status, 403);
    assert_eq!(panel.get(&format!("{GRADES}/999")).await.status, 404);
}

async fn two_archive_at_once_and_one_does(dialect: Dialect) {
    let panel = Panel::on(dialect).await;
    let path = format!("{GRADES}/{}/archive", made(&panel).await["id"]);
    let body = json!({});
    let (one, two) = tokio::join!(panel.post(&path, &body), panel.post(&path, &body));
    let mut codes = [one.status.as_u16(), two.status.as_u16()];
    codes.sort_unstable();
    assert_eq!(codes, [200, 409]);
    assert_eq!(panel.number(Sql::new("SELECT count(*) FROM audits WHERE event = 'grade.archived'")).await, 1);
}

async fn what_is_in_use_stays(dialect: Dialect) {
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

/// A customer with a paid order, and grades: Silver at 100, Gold at 1,000, and one without a goal.
async fn spender(dialect: Dialect) -> Panel {
    let panel = Panel::shop(dialect, 1, 1).await;
    // These tests last for days.
    panel.exec(Sql::new("UPDATE sessions SET expires_at = expires_at * 2, signed_in_at = expires_at * 2, last_used_at = expires_at * 2")).await;
    for (id, name, goal) in [(10, "Silver", 100), (20, "Gold", 1_000), (30, "Friends", 0)] {
        let sql = Sql::new(
            "INSERT INTO grades (id, name, spending_goal, created_at, updated_at) VALUES (?, ?, ?, 1, 1)",
        );
        panel.exec(sql.bind(id).bind(name).bind(goal * 1_000_000)).await;
    }
    panel
}

async fn spends(panel: &Panel, spent: i64) {
    panel
        .exec(Sql::new("UPDATE users SET spent = ? WHERE id = ?").bind(spent * 1_000_000).bind(CUSTOMER))
        .await;
}

async fn grade_of(panel: &Panel) -> i64 {
    panel.number(Sql::new("SELECT COALESCE(grade_id, 0) FROM users WHERE id = ?").bind(CUSTOMER)).await
}

/// How many customers the run of the next day promotes.
async fn next_day(panel: &Panel) -> usize {
    panel.clock.advance_secs(86_400);
    promote_daily(&panel.app).await.unwrap()
}

async fn spending_reaches_a_grade_at_completion_and_daily(dialect: Dialect) {
    let panel = spender(dialect).await;
    spends(&panel, 99).await;
    assert_eq!((next_day(&panel).await, grade_of(&panel).await), (0, 0));
    spends(&panel, 100).await;
    assert_eq!(promote_daily(&panel.app).await.unwrap(), 0, "once a day");
    assert_eq!((next_day(&panel).await, grade_of(&panel).await), (1, 10));
    spends(&panel, 5_000).await;
    let done = panel.post("/api/v1/admin/orders/1/complete", &json!({})).await;
    assert_eq!((done.status.as_u16(), grade_of(&panel).await), (200, 20), "{}", done.text);
    spends(&panel, 0).await;
    assert_eq!((next_day(&panel).await, grade_of(&panel).await), (0, 20), "it never falls");
    let audits = "SELECT count(*) FROM audits WHERE event = 'user.grade_reached' AND user_id IS NULL AND auditable_id = ?";
    assert_eq!(
        panel.number(Sql::new(audits).bind(CUSTOMER)).await,
        2,
        "the panel gives it, not who completed"
    );
    let completed = "SELECT count(*) FROM audits WHERE event = 'order.completed' AND user_id IS NOT NULL";
    assert_eq!(panel.number(Sql::new(completed)).await, 1);
}

async fn a_grade_set_by_hand_stays(dialect: Dialect) {
    let panel = spender(dialect).await;
    spends(&panel, 5_000).await;
    let path = format!("/api/v1/admin/users/{CUSTOMER}/change-grade");
    let give = async |grade: Value, manual: Value| {
        let mut body = json!({ "grade_id": grade, "grades_enabled": true, "grade_discounts_enabled": true });
        if !manual.is_null() {
            body["grade_is_manual"] = manual;
        }
        panel.post(&path, &body).await.json()["data"]["grade_is_manual"].clone()
    };
    assert_eq!(give(json!(30), Value::Null).await, true);
    assert_eq!((next_day(&panel).await, grade_of(&panel).await), (0, 30));
    assert_eq!(give(json!(30), json!(false)).await, false);
    assert_eq!((next_day(&panel).await, grade_of(&panel).await), (1, 20));
    assert_eq!(give(json!(20), Value::Null).await, false, "the same grade leaves it as it is");
    assert_eq!(give(json!(10), Value::Null).await, true);
    assert_eq!((next_day(&panel).await, grade_of(&panel).await), (0, 10), "also where spending reaches more");
    assert_eq!(give(Value::Null, Value::Null).await, false);
    assert_eq!((next_day(&panel).await, grade_of(&panel).await), (1, 20), "handed back to the promotion");
}

async fn no_customer_is_promoted_where_that_is_off(dialect: Dialect) {
    let panel = spender(dialect).await;
    spends(&panel, 5_000).await;
    for (off, on) in
        [("automatic_grades_enabled", "grades_enabled"), ("grades_enabled", "automatic_grades_enabled")]
    {
        panel.settled(json!({ off: false, on: true })).await;
        assert_eq!((next_day(&panel).await, grade_of(&panel).await), (0, 0), "{off}");
    }
    panel.settled(json!({ "grades_enabled": true })).await;
    panel.exec(Sql::new("UPDATE grades SET is_archived = TRUE WHERE id = 20")).await;
    assert_eq!((next_day(&panel).await, grade_of(&panel).await), (1, 10), "an archived grade is not reached");
}

async fn a_bulk_marks_by_hand_only_where_the_grade_changes(dialect: Dialect) {
    let panel = spender(dialect).await;
    let second = "INSERT INTO users (id, name, email, grade_id, grade_is_manual, created_at, updated_at) VALUES (77, 'B', 'b@shop.example', 20, FALSE, 1, 1)";
    panel.exec(Sql::new(second)).await;
    let give = async |grade: Value| {
        let body = json!({ "user_ids": [CUSTOMER, 77], "grade_id": grade });
        let answer = panel.post("/api/v1/admin/users/bulk-actions", &body).await;
        assert_eq!(answer.json()["processed"], 2, "{}", answer.text);
    };
    let marks = async || {
        let sql = "SELECT (SELECT count(*) FROM users WHERE id = 1 AND grade_is_manual) * 10
            + (SELECT count(*) FROM users WHERE id = 77 AND grade_is_manual)";
        panel.number(Sql::new(sql)).await
    };
    give(json!(20)).await;
    assert_eq!((marks().await, grade_of(&panel).await), (10, 20), "the second had reached it");
    let audits = "SELECT count(*) FROM audits WHERE event = 'user.updated' AND auditable_id IN (1, 77)";
    assert_eq!(panel.number(Sql::new(audits)).await, 1, "nothing changed for the second");
    give(json!(10)).await;
    assert_eq!(marks().await, 11);
    give(json!(10)).await;
    assert_eq!(marks().await, 11, "the same grade leaves it as it is");
    give(Value::Null).await;
    assert_eq!((marks().await, grade_of(&panel).await), (0, 0), "handed back to the promotion");
}

async fn a_daily_run_that_ends_early_is_taken_up_again(dialect: Dialect) {
    let panel = spender(dialect).await;
    spends(&panel, 100).await;
    panel.exec(Sql::new("ALTER TABLE settings RENAME TO settings_away")).await;
    assert!(promote_daily(&panel.app).await.is_err(), "the run was begun, and ended by an error");
    panel.exec(Sql::new("ALTER TABLE settings_away RENAME TO settings")).await;
    assert_eq!(promote_daily(&panel.app).await.unwrap(), 0, "its lease goes on");
    let other = panel.twin().await;
    panel.clock.advance_secs(34);
    assert_eq!(
        promote_daily(&other).await.unwrap(),
        0,
        "the process that holds it lives as far as anybody knows"
    );
    panel.clock.advance_secs(2);
    heartbeat::send_heartbeat(&panel.app).await.unwrap();
    assert_eq!(promote_daily(&other).await.unwrap(), 0, "it lives");
    panel.clock.advance_secs(601);
    assert_eq!((promote_daily(&panel.app).await.unwrap(), grade_of(&panel).await), (1, 10));
    spends(&panel, 5_000).await;
    panel.clock.advance_secs(601);
    assert_eq!(promote_daily(&panel.app).await.unwrap(), 0, "once a day");
    assert_eq!((next_day(&panel).await, grade_of(&panel).await), (1, 20));
}

async fn a_daily_run_of_a_dead_process_is_taken_up_at_once(dialect: Dialect) {
    let panel = spender(dialect).await;
    spends(&panel, 100).await;
    let dead = panel.twin().await;
    heartbeat::send_heartbeat(&dead).await.unwrap();
    panel.exec(Sql::new("ALTER TABLE settings RENAME TO settings_away")).await;
    assert!(promote_daily(&dead).await.is_err(), "the run was begun, and ended by an error");
    panel.exec(Sql::new("ALTER TABLE settings_away RENAME TO settings")).await;
    panel.clock.advance_secs(36);
    assert_eq!((promote_daily(&panel.app).await.unwrap(), grade_of(&panel).await), (1, 10));
}
