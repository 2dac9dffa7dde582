//! Runs once each command that other test files do not run.

use crate::assert_matches_snapshot;
use crate::panel::Panel;

#[tokio::test]
async fn every_other_command_matches_the_snapshot() {
    let panel = Panel::with_sample_data().await;
    let command_lines: &[&[&str]] = &[
        &["orders", "refund-amount", "1"],
        &["orders", "cancel-reasons"],
        &["orders", "viewers", "1", "-o", "json"],
        &["orders", "set-url", "1", "https://video.example/other", "--dry-run"],
        &["orders", "set-url", "1", "https://video.example/other", "--yes", "-o", "table"],
        &["orders", "set-url", "1", "no address", "--yes"],
        &["orders", "set-comment", "1", "Checked", "--yes", "--jq", ".comment"],
        &["orders", "set-comment", "1", "none", "--yes", "--jq", ".comment"],
        &["orders", "set-refill", "1", "on", "--yes", "--jq", ".has_refill"],
        &["orders", "set-auto-refill", "1", "off", "--yes", "--jq", ".auto_refill_is_allowed"],
        &["orders", "refill", "list", "1", "-o", "json"],
        &["orders", "auto-refill", "get", "1"],
        &["cancel-requests", "list", "--waiting", "1", "-o", "json"],
        &["cancel-requests", "confirm", "1", "--amount", "2.5", "--yes"],
        &["cancel-requests", "confirm", "1", "2", "--yes"],
        &["cancel-requests", "reject", "1", "--yes"],
        &["child-panel-orders", "list", "-o", "table"],
        &["users", "list", "--sort", "id", "-n", "2", "-o", "table"],
        &["users", "get", "2", "-o", "table"],
        &["users", "search", "anna"],
        &["users", "prices", "add", "2", "1", "--price", "4.5", "--has-refill", "on", "--yes", "-o", "table"],
        &[
            "users",
            "prices",
            "update",
            "2",
            "1",
            "--min-price",
            "4",
            "--yes",
            "--jq",
            "[.default_price, .min_price, .has_refill]",
        ],
        &["users", "prices", "update", "2", "9", "--price", "4", "--yes"],
        &["users", "prices", "add", "2", "1", "--price", "1", "--min-price", "3", "--yes"],
        &["users", "prices", "list", "2", "-o", "table"],
        &["users", "prices", "remove", "2", "1", "--yes"],
        &[
            "users",
            "affiliates",
            "add",
            "2",
            "1",
            "--from",
            "2026-01-01",
            "--until",
            "2026-02-01",
            "--yes",
            "-o",
            "table",
        ],
        &[
            "users",
            "affiliates",
            "update",
            "2",
            "1",
            "3",
            "--from",
            "2026-01-01",
            "--yes",
            "--jq",
            "[.name, .ended_at]",
        ],
        &["users", "affiliates", "list", "2"],
        &["users", "affiliates", "remove", "2", "1", "--yes"],
        &["users", "payment-methods", "set", "2", "9", "--yes"],
        &["users", "payment-methods", "set", "2", "--yes"],
        &["users", "documents", "list", "2", "--jq", "map(.group)"],
        &["users", "documents", "add", "2", "card", "--yes"],
        &["users", "documents", "save", "2", "9", "--to", "/dev/null"],
        &["users", "export-data", "2", "--to", "/dev/null"],
        &["users", "erase", "2", "--dry-run"],
        &["users", "api-key", "remove", "2", "--yes"],
        &["users", "api-key", "make", "2", "--yes", "--jq", ".key | length"],
        &[
            "roles",
            "create",
            "Support",
            "--permission",
            "view orders",
            "--permission",
            "view users",
            "--yes",
            "-o",
            "table",
        ],
        &[
            "roles",
            "update",
            "1",
            "--add",
            "view audits",
            "--remove",
            "view users",
            "--yes",
            "--jq",
            "[.permissions[].name]",
        ],
        &["roles", "get", "1", "--jq", ".name"],
        &["roles", "list", "--columns", "id,name,users_count"],
        &["users", "roles", "set", "2", "--role", "1", "--permission", "view grades", "--yes", "-o", "table"],
        &["staff", "list", "-o", "table"],
        &["staff", "deactivate", "2", "--yes", "--jq", ".is_active"],
        &["staff", "activate", "2", "--yes", "--jq", ".is_active"],
        &["staff", "update", "2", "--name", "鈴木", "--yes", "--jq", ".name"],
        &["roles", "delete", "1", "--yes"],
        &["users", "roles", "set", "2", "--yes", "--jq", ".roles"],
        &["roles", "delete", "1", "--yes"],
        &["permissions", "list", "--jq", "map(select(.group == \"users\") | .name)"],
        &["services", "list", "-o", "table"],
        &["services", "get", "2", "-o", "table", "--columns", "id,name,network.name,default_price"],
        &["providers", "available", "--name", "o"],
        &["views", "list", "orders", "-o", "json"],
        &[
            "views",
            "create",
            "orders",
            "Waiting",
            "--query",
            "status=in_moderation",
            "--yes",
            "--jq",
            ".name",
        ],
        &["views", "list", "orders", "--columns", "id,name,query"],
        &["views", "delete", "1", "--yes"],
        &["dictionaries", "statuses"],
        &["dictionaries", "settings", "--jq", ".panel_name"],
        &["dictionaries", "countries", "--jq", "length"],
        &["dictionaries", "locales", "--jq", "map(.code) | contains([\"en\"])"],
    ];
    let mut text = String::new();
    for arguments in command_lines {
        let output = panel.run(arguments).await;
        text.push_str(&format!("$ panelctl {}\n{}\n", arguments.join(" "), output.transcript()));
    }
    assert_matches_snapshot("resources", &text);
}

/// Standard output of a read with `-o json` is exactly one JSON value.
#[tokio::test]
async fn json_output_is_one_value() {
    let panel = Panel::with_sample_data().await;
    let lines = "orders list|orders list --all|orders get 1|orders get 1 2|orders refund-amount 1|orders cancel-reasons|
        orders stats|orders viewers 1|orders refill list 1|orders auto-refill get 1|child-panel-orders list|users list|
        users get 1|users search anna|payments list|payments collections|transactions list|services list|services get 1|
        providers available|staff list|roles list|permissions list|users prices list 1|users affiliates list 1|views list orders|dictionaries countries|dictionaries locales|dictionaries statuses|
        dictionaries settings|counters|auth status|auth whoami|profile list|runs list|doctor --local|api orders/1|
        api --list|orders approve 5 6 --dry-run|orders approve 1 --dry-run|payments create --user-id 1 --amount 1 --comment Test --dry-run";
    for line in lines.split('|').map(str::trim) {
        let arguments: Vec<&str> = line.split(' ').chain(["-o", "json"]).collect();
        let value = panel.run(&arguments).await.json();
        assert!(value.is_array() || value.is_object(), "{line}: {value}");
    }
}

/// `orders wait` ends when the order has an expected status, or at the timeout.
#[tokio::test]
async fn waits_until_the_status_or_the_timeout() {
    let panel = Panel::with_sample_data().await;
    let wait_output = panel.run(&["orders", "wait", "1", "--for", "in_processing,completed"]).await;
    assert_eq!(wait_output.ok(), "in_processing\n");
    let timed_out = panel.run(&["orders", "wait", "1", "--timeout", "0m"]).await;
    assert_eq!((timed_out.code, timed_out.stdout.as_str()), (1, ""), "{}", timed_out.transcript());
    assert!(timed_out.stderr.contains("still in_processing"), "{}", timed_out.stderr);
    assert_eq!(panel.run(&["orders", "wait", "99"]).await.code, 1);
    assert_eq!(panel.run(&["orders", "wait", "1", "--timeout", "long"]).await.code, 2);
}

#[tokio::test]
async fn a_customer_data_export_is_complete_private_and_never_overwritten() {
    let panel = Panel::with_sample_data().await;
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("customer.json");
    let path = file.to_str().unwrap();
    panel.run(&["users", "export-data", "2", "--to", path]).await.ok();
    let export: serde_json::Value = serde_json::from_slice(&std::fs::read(&file).unwrap()).unwrap();
    assert_eq!(export["tables"]["users"][0]["id"], 2);
    assert!(!export["tables"]["orders"].as_array().unwrap().is_empty());
    #[cfg(unix)]
    {
        let mode = std::os::unix::fs::PermissionsExt::mode(&std::fs::metadata(&file).unwrap().permissions());
        assert_eq!(mode & 0o777, 0o600);
    }
    // A second export does not overwrite the file, and a failed export creates no file.
    assert_ne!(panel.run(&["users", "export-data", "2", "--to", path]).await.code, 0);
    let missing_file = folder.path().join("none.json");
    assert_ne!(
        panel.run(&["users", "export-data", "999", "--to", missing_file.to_str().unwrap()]).await.code,
        0
    );
    assert!(!missing_file.exists());
}
