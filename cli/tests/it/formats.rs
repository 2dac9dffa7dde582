//! Output formats of a list, a record and a chart; customers' text cannot control a terminal.

use crate::panel::{HOSTILE, Panel};
use crate::snapshot;

#[tokio::test]
async fn a_list_in_every_format_matches_the_snapshot() {
    let panel = Panel::shop().await;
    let mut text = String::new();
    for format in ["table", "json", "jsonl", "csv", "yaml", "ids"] {
        let ran =
            panel.run(&["orders", "list", "--limit", "2", "--status", "in_moderation", "-o", format]).await;
        text.push_str(&format!("=== -o {format}\n{}\n", ran.transcript()));
    }
    let piped = panel.run(&["orders", "list", "--limit", "2"]).await;
    text.push_str(&format!("=== piped\n{}\n", piped.transcript()));
    let some = panel
        .run(&["orders", "list", "--columns", "id,user.email", "--no-header", "--sort", "id", "-n3"])
        .await;
    text.push_str(&format!("=== columns\n{}\n", some.transcript()));
    let jq = panel.run(&["orders", "list", "--all", "--jq", "map(.id) | add"]).await;
    text.push_str(&format!("=== jq\n{}\n", jq.transcript()));
    snapshot("list", &text);
}

#[tokio::test]
async fn an_empty_list_in_every_format_matches_the_snapshot() {
    let panel = Panel::empty().await;
    let mut text = String::new();
    for format in ["table", "json", "jsonl", "csv", "yaml", "ids"] {
        let ran = panel.run(&["orders", "list", "-o", format, "--columns", "id,status"]).await;
        text.push_str(&format!("=== -o {format}\n{}\n", ran.transcript()));
    }
    snapshot("list-empty", &text);
}

#[tokio::test]
async fn a_record_in_every_format_matches_the_snapshot() {
    let panel = Panel::shop().await;
    let mut text = String::new();
    for format in ["table", "json", "yaml", "csv"] {
        let ran = panel.run(&["orders", "get", "7", "-o", format]).await;
        text.push_str(&format!("=== -o {format}\n{}\n", ran.transcript()));
    }
    let two = panel.run(&["orders", "get", "7,8", "99", "-o", "json", "--columns", "id,refund_amount"]).await;
    text.push_str(&format!("=== two and a missing one\n{}\n", two.transcript()));
    snapshot("record", &text);
}

#[tokio::test]
async fn statistics_with_a_chart_match_the_snapshot() {
    let panel = Panel::shop().await;
    let days = ["orders", "stats", "--from", "2026-11-18", "--to", "2026-11-20", "-o"];
    let table = panel.run(&[&days[..], &["table"]].concat()).await;
    let csv = panel.run(&[&days[..], &["csv"]].concat()).await;
    snapshot("stats", &format!("{}\n{}", table.transcript(), csv.transcript()));
}

/// `--all` returns all pages as one array, and `export` the panel's own CSV.
#[tokio::test]
async fn whole_lists_are_printed_and_exported() {
    let panel = Panel::shop().await;
    let all = panel.run(&["orders", "list", "--all", "-o", "json", "--columns", "id"]).await.json();
    assert_eq!(all.as_array().unwrap().len(), 8);
    let page = panel.run(&["orders", "list", "-n", "3", "--page", "2", "-o", "ids"]).await;
    assert_eq!(page.ok(), "5\n4\n3\n");
    let export = panel.run(&["orders", "export", "--status", "in_moderation"]).await;
    assert_eq!(export.ok().lines().count(), 5, "{}", export.out);
    let file = panel.home.path().join("orders.csv");
    let written =
        panel.run(&["orders", "export", "--status", "in_moderation", "--to", file.to_str().unwrap()]).await;
    assert_eq!(written.code, 0, "{}", written.err);
    assert_eq!(std::fs::read_to_string(file).unwrap(), export.out);
}

#[tokio::test]
async fn hostile_text_is_cleaned_in_tables_only() {
    let panel = Panel::shop().await;
    let drawn = panel
        .run(&["users", "list", "--name", "Eve", "--columns", "name", "--no-header", "-o", "table"])
        .await;
    assert_eq!(drawn.ok(), "Eve \u{fffd}[2J\u{fffd}gnp.exe\n");
    let piped = panel.run(&["users", "list", "--name", "Eve", "--columns", "name", "--no-header"]).await;
    assert_eq!(piped.ok(), drawn.out);
    let json = panel.run(&["users", "get", "3", "-o", "json"]).await;
    assert_eq!(json.json()["name"], HOSTILE, "JSON contains the original text");
}
