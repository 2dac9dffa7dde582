//! Tests the reports of console errors: the server limits their length, logs them with the user's id, and prevents forged log
//! lines.

use panel_platform::db::Dialect;
use serde_json::json;

use crate::logs::Log;
use crate::panel::Panel;

const CLIENT_ERRORS: &str = "/api/v1/admin/client-errors";

test_both_databases! {
    an_error_report_of_the_console_is_logged;
    too_long_reports_are_rejected;
}

async fn an_error_report_of_the_console_is_logged(dialect: Dialect) {
    let panel = Panel::start(dialect).await;
    let body = json!({ "message": "x is not a function\nERROR forged", "path": "/orders", "stack": "at draw (main.js:1)" });
    // tracing caches per call site whether it is enabled, and another test may have reached this one without a subscriber. The
    // first report registers the call site again.
    assert_eq!(panel.post(CLIENT_ERRORS, &body).await.status, 204);
    let (log, guard) = Log::capture(tracing::Level::INFO);
    assert_eq!(panel.post(CLIENT_ERRORS, &body).await.status, 204);
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

async fn too_long_reports_are_rejected(dialect: Dialect) {
    let panel = Panel::start(dialect).await;
    let text_of_length = |length: usize| "x".repeat(length);
    let body = json!({ "message": text_of_length(1_001), "path": text_of_length(201), "stack": text_of_length(8_001) });
    let response = panel.post(CLIENT_ERRORS, &body).await;
    assert_eq!(response.status, 422);
    let errors = response.json()["errors"].clone();
    let fields: Vec<_> = errors.as_object().unwrap().keys().cloned().collect();
    assert_eq!(fields, ["message", "path", "stack"]);
    let empty_message_response =
        panel.post(CLIENT_ERRORS, &json!({ "message": " ", "path": "/" })).await.json();
    assert_eq!(empty_message_response["errors"]["message"][0], "Send the error's message.");
}
