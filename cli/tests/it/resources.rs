//! One run of every other command of the resources.

use crate::panel::Panel;
use crate::snapshot;

#[tokio::test]
async fn every_other_command() {
    let panel = Panel::shop().await;
    let lines: &[&[&str]] = &[
        &["orders", "refund-amount", "1"],
        &["orders", "cancel-reasons"],
        &["orders", "viewers", "1", "-o", "json"],
        &["orders", "set-url", "1", "https://video.example/other", "--dry-run"],
        &["orders", "set-url", "1", "https://video.example/other", "--yes", "-o", "table"],
        &["orders", "set-url", "1", "no address", "--yes"],
        &["orders", "set-comment", "1", "Checked", "--yes", "--jq", ".comment"],
        &["orders", "set-comment", "1", "", "--yes", "--jq", ".comment"],
        &["orders", "set-refill", "1", "on", "--yes", "--jq", ".has_refill"],
        &["orders", "set-auto-refill", "1", "off", "--yes", "--jq", ".auto_refill_is_allowed"],
        &["orders", "refill", "list", "1", "-o", "json"],
        &["orders", "auto-refill", "get", "1"],
        &["child-panel-orders", "list", "-o", "table"],
        &["users", "list", "--sort", "id", "-n", "2", "-o", "table"],
        &["users", "get", "2", "-o", "table"],
        &["users", "search", "anna"],
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
    for line in lines {
        let ran = panel.run(line).await;
        text.push_str(&format!("$ panelctl {}\n{}\n", line.join(" "), ran.told()));
    }
    snapshot("resources", &text);
}
