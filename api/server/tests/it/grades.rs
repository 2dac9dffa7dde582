//! Grades: made, changed field by field, put away when nobody has them, and taken back; all of it in both logs.

use panel_contract::permission::Permission;
use panel_contract::upload::data_url;
use panel_server::db::{Dialect, Sql};
use serde_json::{Value, json};

use crate::panel::Panel;
use crate::uploads::PIXEL;

both! {
    a_grade_lives;
    two_archive_at_once_and_one_does;
    what_is_in_use_stays;
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
    panel.clock.advance(1);
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
        answer.json()["message"].as_str().unwrap().contains("customers have this grade"),
        "{}",
        answer.text
    );
    let grade = panel.get(&format!("{GRADES}/1")).await.json()["data"].clone();
    assert_eq!(
        (&grade["actions"]["archivable"], &grade["translations"]["en"]["name"]),
        (&json!(false), &json!("Grade 1"))
    );
}
