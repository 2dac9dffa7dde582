//! Runs panelctl against a real server, and checks exit codes, standard output and standard error.
#![expect(clippy::unwrap_used, reason = "a failed test names its file and line")]

mod bulk;
mod confirm;
mod empty_values;
mod errors;
mod formats;
mod help;
mod import_file;
mod money;
mod panel;
mod plain_http;
mod reports;
mod resources;
mod services_file;
mod session;
mod subscriptions;
mod terminal;
#[path = "../../../tui/tests/it/tmux.rs"]
#[expect(dead_code, reason = "only the tests of panel-tui use all functions")]
mod tmux;
mod tools;
mod withdrawals;

/// Compares text with the snapshot of this name.
fn assert_matches_snapshot(name: &str, text: &str) {
    insta::with_settings!({
        snapshot_path => "../../../snapshots/cli",
        prepend_module_to_snapshot => false,
        omit_expression => true,
        filters => vec![
            (r"request id: [0-9a-f]{32}", "request id: [id]"),
            (r#""request_id":"[0-9a-f]{32}""#, r#""request_id":"[id]""#),
            (r#""request_id": "[0-9a-f]{32}""#, r#""request_id": "[id]""#),
            (r"[0-9A-HJKMNP-TV-Z]{26}", "[run]"),
            (r"To undo this, run: panelctl undo( [0-9a-f]{32})+", "To undo this, run: panelctl undo [requests]"),
            (r"127\.0\.0\.1:\d+", "127.0.0.1:[port]"),
        ],
    }, {
        insta::assert_snapshot!(name, text);
    });
}
