//! Errors that the console reports about itself: limited in length, logged with the user's id, and unable to forge a log line.

use panel_platform::db::Dialect;
use serde_json::json;

use crate::logs::Log;
use crate::panel::Panel;

const PATH: &str = "/api/v1/admin/client-errors";

both! {
    an_error_of_the_console_is_logged;
    too_long_reports_are_refused;
}

async fn an_error_of_the_console_is_logged(dialect: Dialect) {
    let panel = Panel::on(dialect).await;
    let body = json!({ "message": "x is not a function\nERROR forged", "path": "/orders", "stack": "at draw (main.js:1)" });
    // The first report registers the log's call site, which another test may have reached without a subscriber.
    assert_eq!(panel.post(PATH, &body).await.status, 204);
    let (log, guard) = Log::capture(tracing::Level::INFO);
    assert_eq!(panel.post(PATH, &body).await.status, 204);
    drop(guard);
    let text = log.text();
    let line = text
        .lines()
        .find(|line| line.contains("the console reported an error"))
        .unwrap_or_else(|| panic!("{text}"));
    for part in ["ERROR", "user_id=", "/orders", r"x is not a function\nERROR forged", "at draw (main.js:1)"]
    {
        assert!(line.contains(part), "{part} is missing in {line}");
    }
}

async fn too_long_reports_are_refused(dialect: Dialect) {
    let panel = Panel::on(dialect).await;
    let long = |length: usize| "x".repeat(length);
    let body = json!({ "message": long(1_001), "path": long(201), "stack": long(8_001) });
    let answer = panel.post(PATH, &body).await;
    assert_eq!(answer.status, 422);
    let errors = answer.json()["errors"].clone();
    let fields: Vec<_> = errors.as_object().unwrap().keys().cloned().collect();
    assert_eq!(fields, ["message", "path", "stack"]);
    let empty = panel.post(PATH, &json!({ "message": " ", "path": "/" })).await.json();
    assert_eq!(empty["errors"]["message"][0], "Send the error's message.");
}
