//! Reports of runs on one record, on several records, on a file, and of resumed runs. Text and JSON must agree, with the same
//! totals and exit codes.

use std::process::Stdio;

use panel_contract::amount::Money;
use panel_platform::db::{Sql, SqlExecutor as _};
use serde_json::json;

use crate::assert_matches_snapshot;
use crate::panel::Panel;

/// Reports of runs that change one, several, no or some records, as dry runs and real runs, as text and JSON.
#[tokio::test]
async fn reports_match_the_snapshot() {
    let panel = Panel::with_sample_data().await;
    let command_lines: &[(i32, &[&str])] = &[
        (0, &["orders", "cancel", "8", "--refund", "--amount", "2.5", "--dry-run", "-o", "json"]),
        (0, &["orders", "cancel", "8", "--refund", "--amount", "2.5", "--yes", "-o", "json"]),
        (0, &["orders", "cancel", "1", "--refund", "--yes", "-o", "json"]),
        (0, &["orders", "cancel", "2", "--refund", "--yes"]),
        (1, &["orders", "cancel", "2", "--refund", "--yes", "-o", "json"]),
        (1, &["orders", "cancel", "2", "--refund", "--yes"]),
        (1, &["orders", "cancel", "99", "--yes"]),
        (1, &["orders", "approve", "1", "3", "98", "99", "--yes", "-o", "json"]),
        (1, &["orders", "approve", "1", "3", "97", "98", "99", "100", "--yes"]),
        (3, &["orders", "cancel", "3", "4", "99", "--refund", "--yes"]),
        (0, &["users", "freeze", "1", "--yes"]),
        (3, &["users", "freeze", "1", "2", "--yes"]),
    ];
    let mut text = String::new();
    for (expected_code, arguments) in command_lines {
        let output = panel.run(arguments).await;
        assert_eq!(output.code, *expected_code, "{arguments:?} {}", output.transcript());
        text.push_str(&format!("$ panelctl {}\n{}\n", arguments.join(" "), output.transcript()));
    }
    assert_matches_snapshot("reports", &text);
    assert_eq!(panel.run(&["doctor"]).await.code, 0);
}

/// A run reports the same charge for one order and for several, in a dry run and a real run. The reported charge is the amount that the
/// customer paid.
#[tokio::test]
async fn reports_the_charge_of_one_and_of_several_orders() {
    let panel = Panel::with_sample_data().await;
    let mut unpaid_ids = Vec::new();
    for quantity in [100, 200, 300] {
        unpaid_ids.push(panel.place_unpaid_order(quantity).await.to_string());
    }
    let [first, second, third] = [&unpaid_ids[0], &unpaid_ids[1], &unpaid_ids[2]].map(String::as_str);
    let spent_before = panel.load_customer_money("spent").await;
    let activate = async |ids: &[&str], mode: &[&str]| {
        let command_line = [&["orders", "activate", "-o", "json"][..], ids, mode].concat();
        let output = panel.run(&command_line).await;
        assert_eq!(output.code, 0, "{}", output.transcript());
        let report = output.json();
        (report["charged"].clone(), report["processed"].as_array().unwrap().len())
    };
    assert_eq!(activate(&[first], &["--dry-run"]).await, (json!("1"), 1));
    assert_eq!(activate(&[second, third], &["--dry-run"]).await, (json!("5"), 2));
    assert_eq!(panel.load_customer_money("spent").await, spent_before, "a dry run must charge nothing");
    assert_eq!(activate(&[first], &["--yes"]).await, (json!("1"), 1));
    assert_eq!(activate(&[second, third], &["--yes"]).await, (json!("5"), 2));
    assert_eq!(panel.load_customer_money("spent").await, Money(spent_before.0 + 6_000_000));
    let paused = panel.run(&["orders", "pause", first, "--yes"]).await;
    paused.ok();
    let activated = panel.run(&["orders", "activate", first, "--yes"]).await;
    assert!(
        activated.stderr.contains("To undo") && !activated.stderr.contains("charged"),
        "{}",
        activated.transcript()
    );
}

/// The summary and the data contain the total cost of a change of provider for all requests of a run.
#[tokio::test]
async fn a_change_of_provider_reports_its_cost() {
    let panel = Panel::with_sample_data().await;
    let mut tx = panel.app.db.begin().await.unwrap();
    let set_price_sql = "UPDATE providers SET source_price = 4000000, source_pricing_per = 1000, source_currency = 'USD' WHERE id = 2";
    tx.execute(Sql::new(set_price_sql)).await.unwrap();
    tx.commit().await.unwrap();
    let change_command = ["orders", "change-provider", "1", "2", "--provider", "2"];
    let preview = panel.run(&[&change_command[..], &["--dry-run"]].concat()).await;
    // 100 and 200 units, sold at 10 per 1,000.
    assert!(
        preview.stderr.contains("the provider charges 1.2, the margin is 1.8"),
        "{}",
        preview.transcript()
    );
    let preview = panel.run(&[&change_command[..], &["--dry-run", "-o", "json"]].concat()).await.json();
    let total = &preview["costs"]["total"];
    assert_eq!((&total["provider_cost"], &total["margin"]), (&json!("1.2"), &json!("1.8")));
    assert_eq!(total["margin_fraction"], json!("0.6"));
    let final_run =
        panel.run(&[&change_command[..], &["--yes", "--chunk", "1", "-o", "json"]].concat()).await;
    let costs = &final_run.json()["costs"];
    assert_eq!((&costs["total"]["provider_cost"], &costs["orders"][1]["id"]), (&json!("1.2"), &json!(2)));
    assert_eq!(
        costs["total"]["margin_fraction"],
        json!(null),
        "the total of two requests must have no margin fraction"
    );
    let journal_run = panel.run(&["runs", "show", "last", "-o", "json"]).await.json();
    assert_eq!(&journal_run["costs"], costs, "{}", final_run.transcript());
    let providers = panel
        .run(&["providers", "available", "--for-order", "3", "--name", "Second", "-o", "json"])
        .await
        .json();
    assert_eq!(providers[0]["offer"]["margin"]["provider_cost"], json!("1.2"), "{providers}");
}

/// If the server cannot undo one of several requests, it still undoes the others, and panelctl reports each request.
#[tokio::test]
async fn reports_each_undone_request() {
    let panel = Panel::with_sample_data().await;
    let pause = async |id: &str| {
        let report = panel.run(&["orders", "pause", id, "--yes", "-o", "json"]).await.json();
        report["undo"][0]["request_id"].as_str().unwrap().to_owned()
    };
    let [first, second, third] = [pause("1").await, pause("2").await, pause("3").await];
    panel.run(&["orders", "cancel", "2", "--yes"]).await.ok();
    let undo_command = ["undo", &third, &second, &first, "--yes", "-o", "json"];
    let output = panel.run(&undo_command).await;
    assert_eq!(output.code, 3, "{}", output.transcript());
    let rows = output.json();
    let processed: Vec<i64> =
        rows.as_array().unwrap().iter().map(|row| row["processed"].as_i64().unwrap()).collect();
    assert_eq!(processed, [1, 0, 1], "{rows}");
    assert_eq!((&rows[1]["code"], &rows[1]["skipped"][0]["id"]), (&json!("undo_conflict"), &json!(2)));
    assert!(output.stderr.contains("Could not undo 1 of 3 actions"), "{}", output.transcript());
    assert_eq!(
        panel.run(&["undo", &first, &second, "--yes"]).await.code,
        1,
        "an action must not be undone twice"
    );
}

/// The report of a resumed run uses the nouns of the command that started the run, not of another command with the same endpoint.
#[tokio::test]
async fn a_resumed_run_reports_with_the_nouns_of_its_command() {
    let panel = Panel::with_sample_data().await;
    let update_command =
        ["users", "bulk-update", "1", "2", "--set-referral-fraction", "0.05", "--yes", "--chunk", "1"];
    let interrupted = panel.run_as("guest", &update_command, "").await;
    assert_eq!((interrupted.code, interrupted.stdout.as_str()), (4, ""), "{}", interrupted.transcript());
    let resumed = panel.run(&["runs", "resume", "last"]).await;
    assert_eq!(resumed.code, 0, "{}", resumed.transcript());
    assert!(resumed.stderr.contains("2 users: 2 updated"), "{}", resumed.transcript());
    let journal_run = panel.run(&["runs", "show", "last", "-o", "json"]).await.json();
    assert_eq!(
        (&journal_run["processed"], &journal_run["open"]),
        (&serde_json::json!([1, 2]), &serde_json::json!([]))
    );
}

#[tokio::test]
async fn an_import_reports_every_line() {
    let panel = Panel::with_sample_data().await;
    let file = panel.home.path().join("services.json");
    std::fs::write(&file, r#"[{"id":1,"default_price":"3"},{"id":2,"min_quantity":200000}]"#).unwrap();
    let mut text = String::new();
    for arguments in [&["--dry-run", "-o", "json"][..], &["--yes", "-o", "json"], &["--yes", "-o", "csv"]] {
        let import_command = [&["services", "import", "--file", file.to_str().unwrap()], arguments].concat();
        let output = panel.run(&import_command).await;
        text.push_str(&format!("$ import {}\n{}\n", arguments.join(" "), output.transcript()));
    }
    assert_matches_snapshot("reports-import", &text);
}

/// If standard output is closed, the exit code still reports a partial run.
#[cfg(unix)]
#[tokio::test]
async fn a_closed_standard_output_does_not_change_the_exit_code() {
    let panel = Panel::with_sample_data().await;
    let paused = panel.run(&["orders", "pause", "1", "2", "--yes", "-o", "json"]).await.json();
    let request_id = paused["undo"][0]["request_id"].as_str().unwrap().to_owned();
    panel.run(&["orders", "cancel", "2", "--yes"]).await.ok();
    for (arguments, expected_code) in [
        (&["orders", "approve", "5", "99", "--yes", "-o", "json"][..], 3),
        (&["orders", "approve", "5", "--yes", "-o", "json"], 1),
        (&["orders", "approve", "6", "7", "--yes", "-o", "csv"], 0),
        (&["undo", &request_id, "--yes", "-o", "json"], 3),
    ] {
        let mut command = panel.command(arguments);
        command.env("PANELCTL_SERVER", &panel.address).env("PANELCTL_TOKEN", "owner");
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        command.stdin(Stdio::null()).stdout(writer).stderr(Stdio::null());
        assert_eq!(command.status().await.unwrap().code(), Some(expected_code), "{arguments:?}");
    }
}
