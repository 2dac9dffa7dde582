//! The output formats of a list, a record and a chart. Text from customers must not control the terminal.

use crate::assert_matches_snapshot;
use crate::panel::{HOSTILE_NAME, Panel};

#[tokio::test]
async fn a_list_in_every_format_matches_the_snapshot() {
    let panel = Panel::with_sample_data().await;
    let mut text = String::new();
    for format in ["table", "json", "jsonl", "csv", "yaml", "ids"] {
        let output =
            panel.run(&["orders", "list", "--limit", "2", "--status", "in_moderation", "-o", format]).await;
        text.push_str(&format!("=== -o {format}\n{}\n", output.transcript()));
    }
    let piped_output = panel.run(&["orders", "list", "--limit", "2"]).await;
    text.push_str(&format!("=== piped\n{}\n", piped_output.transcript()));
    let selected_columns = panel
        .run(&["orders", "list", "--columns", "id,user.email", "--no-header", "--sort", "id", "-n3"])
        .await;
    text.push_str(&format!("=== columns\n{}\n", selected_columns.transcript()));
    let jq = panel.run(&["orders", "list", "--all", "--jq", "map(.id) | add"]).await;
    text.push_str(&format!("=== jq\n{}\n", jq.transcript()));
    assert_matches_snapshot("list", &text);
}

#[tokio::test]
async fn an_empty_list_in_every_format_matches_the_snapshot() {
    let panel = Panel::empty().await;
    let mut text = String::new();
    for format in ["table", "json", "jsonl", "csv", "yaml", "ids"] {
        let output = panel.run(&["orders", "list", "-o", format, "--columns", "id,status"]).await;
        text.push_str(&format!("=== -o {format}\n{}\n", output.transcript()));
    }
    assert_matches_snapshot("list-empty", &text);
}

#[tokio::test]
async fn a_record_in_every_format_matches_the_snapshot() {
    let panel = Panel::with_sample_data().await;
    let mut text = String::new();
    for format in ["table", "json", "yaml", "csv"] {
        let output = panel.run(&["orders", "get", "7", "-o", format]).await;
        text.push_str(&format!("=== -o {format}\n{}\n", output.transcript()));
    }
    let several_records =
        panel.run(&["orders", "get", "7,8", "99", "-o", "json", "--columns", "id,refund_amount"]).await;
    text.push_str(&format!("=== two and a missing one\n{}\n", several_records.transcript()));
    assert_matches_snapshot("record", &text);
}

#[tokio::test]
async fn statistics_with_a_chart_match_the_snapshot() {
    let panel = Panel::with_sample_data().await;
    let stats_command = ["orders", "stats", "--from", "2026-11-18", "--to", "2026-11-20", "-o"];
    let table = panel.run(&[&stats_command[..], &["table"]].concat()).await;
    let csv = panel.run(&[&stats_command[..], &["csv"]].concat()).await;
    assert_matches_snapshot("stats", &format!("{}\n{}", table.transcript(), csv.transcript()));
}

/// `--all` returns all pages as one array. `export` returns the CSV file of the server.
#[tokio::test]
async fn prints_and_exports_all_pages_of_a_list() {
    let panel = Panel::with_sample_data().await;
    let all_pages = panel.run(&["orders", "list", "--all", "-o", "json", "--columns", "id"]).await.json();
    assert_eq!(all_pages.as_array().unwrap().len(), 8);
    let page = panel.run(&["orders", "list", "-n", "3", "--page", "2", "-o", "ids"]).await;
    assert_eq!(page.ok(), "5\n4\n3\n");
    let export = panel.run(&["orders", "export", "--status", "in_moderation"]).await;
    assert_eq!(export.ok().lines().count(), 5, "{}", export.stdout);
    let file = panel.home.path().join("orders.csv");
    let export_to_file =
        panel.run(&["orders", "export", "--status", "in_moderation", "--to", file.to_str().unwrap()]).await;
    assert_eq!(export_to_file.code, 0, "{}", export_to_file.stderr);
    assert_eq!(std::fs::read_to_string(file).unwrap(), export.stdout);
}

#[tokio::test]
async fn sanitizes_hostile_text_only_in_tables() {
    let panel = Panel::with_sample_data().await;
    let table_output = panel
        .run(&["users", "list", "--name", "Eve", "--columns", "name", "--no-header", "-o", "table"])
        .await;
    assert_eq!(table_output.ok(), "Eve \u{fffd}[2J\u{fffd}gnp.exe\n");
    let piped_output =
        panel.run(&["users", "list", "--name", "Eve", "--columns", "name", "--no-header"]).await;
    assert_eq!(piped_output.ok(), table_output.stdout);
    let json = panel.run(&["users", "get", "3", "-o", "json"]).await;
    assert_eq!(json.json()["name"], HOSTILE_NAME, "JSON contains the original text");
}
