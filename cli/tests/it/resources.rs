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

/// Standard output of a read is one JSON value, and nothing else is there.
#[tokio::test]
async fn json_is_json() {
    let panel = Panel::shop().await;
    let lines = "orders list|orders list --all|orders get 1|orders get 1 2|orders refund-amount 1|orders cancel-reasons|
        orders stats|orders viewers 1|orders refill list 1|orders auto-refill get 1|child-panel-orders list|users list|
        users get 1|users search anna|payments list|payments collections|transactions list|services list|services get 1|
        providers available|views list orders|dictionaries countries|dictionaries locales|dictionaries statuses|
        dictionaries settings|counters|auth status|auth whoami|profile list|runs list|doctor --local|api orders/1|
        api --list|orders approve 5 6 --dry-run|orders approve 1 --dry-run|payments create --user-id 1 --amount 1 --dry-run";
    for line in lines.split('|').map(str::trim) {
        let words: Vec<&str> = line.split(' ').chain(["-o", "json"]).collect();
        let value = panel.run(&words).await.json();
        assert!(value.is_array() || value.is_object(), "{line}: {value}");
    }
}

/// Waiting ends when the order is there, or the time is over.
#[tokio::test]
async fn waiting() {
    let panel = Panel::shop().await;
    let there = panel.run(&["orders", "wait", "1", "--for", "in_processing,completed"]).await;
    assert_eq!(there.ok(), "in_processing\n");
    let over = panel.run(&["orders", "wait", "1", "--timeout", "0m"]).await;
    assert_eq!((over.code, over.out.as_str()), (1, ""), "{}", over.told());
    assert!(over.err.contains("still in_processing"), "{}", over.err);
    assert_eq!(panel.run(&["orders", "wait", "99"]).await.code, 1);
    assert_eq!(panel.run(&["orders", "wait", "1", "--timeout", "long"]).await.code, 2);
}
