//! Reports of runs on one record, many, a file, and of resumed runs: the same for people and programs, with true totals and the
//! same exit codes.

use std::process::Stdio;

use panel_contract::amount::Money;
use panel_platform::db::{Source as _, Sql};
use serde_json::json;

use crate::panel::Panel;
use crate::snapshot;

/// Reports on one, many, no and some records, as dry runs and real ones, as text and JSON.
#[tokio::test]
async fn reports_match_the_snapshot() {
    let panel = Panel::shop().await;
    let lines: &[(i32, &[&str])] = &[
        (0, &["orders", "cancel", "8", "--return-money", "--amount", "2.5", "--dry-run", "-o", "json"]),
        (0, &["orders", "cancel", "8", "--return-money", "--amount", "2.5", "--yes", "-o", "json"]),
        (0, &["orders", "cancel", "1", "--return-money", "--yes", "-o", "json"]),
        (0, &["orders", "cancel", "2", "--return-money", "--yes"]),
        (1, &["orders", "cancel", "2", "--return-money", "--yes", "-o", "json"]),
        (1, &["orders", "cancel", "2", "--return-money", "--yes"]),
        (1, &["orders", "cancel", "99", "--yes"]),
        (1, &["orders", "approve", "1", "3", "98", "99", "--yes", "-o", "json"]),
        (1, &["orders", "approve", "1", "3", "97", "98", "99", "100", "--yes"]),
        (3, &["orders", "cancel", "3", "4", "99", "--return-money", "--yes"]),
        (0, &["users", "freeze", "1", "--yes"]),
        (3, &["users", "freeze", "1", "2", "--yes"]),
    ];
    let mut text = String::new();
    for (code, line) in lines {
        let ran = panel.run(line).await;
        assert_eq!(ran.code, *code, "{line:?} {}", ran.transcript());
        text.push_str(&format!("$ panelctl {}\n{}\n", line.join(" "), ran.transcript()));
    }
    snapshot("reports", &text);
    assert_eq!(panel.run(&["doctor"]).await.code, 0);
}

/// The charge of an activation is the same for one order and many, in a dry run and a real one, and is what the customer paid.
#[tokio::test]
async fn a_charge_is_reported_for_one_and_for_many() {
    let panel = Panel::shop().await;
    let mut unpaid = Vec::new();
    for quantity in [100, 200, 300] {
        unpaid.push(panel.unpaid(quantity).await.to_string());
    }
    let [one, two, three] = [&unpaid[0], &unpaid[1], &unpaid[2]].map(String::as_str);
    let before = panel.money("spent").await;
    let activate = async |ids: &[&str], how: &[&str]| {
        let line = [&["orders", "activate", "-o", "json"][..], ids, how].concat();
        let ran = panel.run(&line).await;
        assert_eq!(ran.code, 0, "{}", ran.transcript());
        let report = ran.json();
        (report["charged"].clone(), report["processed"].as_array().unwrap().len())
    };
    assert_eq!(activate(&[one], &["--dry-run"]).await, (json!("1"), 1));
    assert_eq!(activate(&[two, three], &["--dry-run"]).await, (json!("5"), 2));
    assert_eq!(panel.money("spent").await, before, "dry run only");
    assert_eq!(activate(&[one], &["--yes"]).await, (json!("1"), 1));
    assert_eq!(activate(&[two, three], &["--yes"]).await, (json!("5"), 2));
    assert_eq!(panel.money("spent").await, Money(before.0 + 6_000_000));
    let paused = panel.run(&["orders", "pause", one, "--yes"]).await;
    paused.ok();
    let activated = panel.run(&["orders", "activate", one, "--yes"]).await;
    assert!(
        activated.err.contains("To undo") && !activated.err.contains("charged"),
        "{}",
        activated.transcript()
    );
}

/// The summary and the data contain the cost of a change of provider, over all requests of a run.
#[tokio::test]
async fn a_change_of_provider_reports_its_cost() {
    let panel = Panel::shop().await;
    let mut tx = panel.app.db.begin().await.unwrap();
    let price = "UPDATE providers SET source_price = 4000000, source_pricing_per = 1000, source_currency = 'USD' WHERE id = 2";
    tx.exec(Sql::new(price)).await.unwrap();
    tx.commit().await.unwrap();
    let change = ["orders", "change-provider", "1", "2", "--provider", "2"];
    let preview = panel.run(&[&change[..], &["--dry-run"]].concat()).await;
    // 100 and 200 units, sold at 10 per 1,000.
    assert!(preview.err.contains("the provider charges 1.2, the margin is 1.8"), "{}", preview.transcript());
    let preview = panel.run(&[&change[..], &["--dry-run", "-o", "json"]].concat()).await.json();
    let total = &preview["costs"]["total"];
    assert_eq!((&total["provider_cost"], &total["margin"]), (&json!("1.2"), &json!("1.8")));
    assert_eq!(total["margin_percent"], json!("0.6"));
    let done = panel.run(&[&change[..], &["--yes", "--chunk", "1", "-o", "json"]].concat()).await;
    let costs = &done.json()["costs"];
    assert_eq!((&costs["total"]["provider_cost"], &costs["orders"][1]["id"]), (&json!("1.2"), &json!(2)));
    assert_eq!(costs["total"]["margin_percent"], json!(null), "over two requests");
    let shown = panel.run(&["runs", "show", "last", "-o", "json"]).await.json();
    assert_eq!(&shown["costs"], costs, "{}", done.transcript());
    let offers = panel
        .run(&["providers", "available", "--for-order", "3", "--name", "Second", "-o", "json"])
        .await
        .json();
    assert_eq!(offers[0]["offer"]["margin"]["provider_cost"], json!("1.2"), "{offers}");
}

/// If the panel refuses to undo one of several requests, the others are undone and reported.
#[tokio::test]
async fn each_undone_request_is_reported() {
    let panel = Panel::shop().await;
    let paused = async |id: &str| {
        let report = panel.run(&["orders", "pause", id, "--yes", "-o", "json"]).await.json();
        report["undo"][0]["request_id"].as_str().unwrap().to_owned()
    };
    let [first, second, third] = [paused("1").await, paused("2").await, paused("3").await];
    panel.run(&["orders", "cancel", "2", "--yes"]).await.ok();
    let line = ["undo", &third, &second, &first, "--yes", "-o", "json"];
    let ran = panel.run(&line).await;
    assert_eq!(ran.code, 3, "{}", ran.transcript());
    let rows = ran.json();
    let processed: Vec<i64> =
        rows.as_array().unwrap().iter().map(|row| row["processed"].as_i64().unwrap()).collect();
    assert_eq!(processed, [1, 0, 1], "{rows}");
    assert_eq!((&rows[1]["code"], &rows[1]["skipped"][0]["id"]), (&json!("undo_conflict"), &json!(2)));
    assert!(ran.err.contains("Could not undo 1 of 3 actions"), "{}", ran.transcript());
    assert_eq!(panel.run(&["undo", &first, &second, "--yes"]).await.code, 1, "nothing is left to undo");
}

/// The report of a resumed run uses the nouns of its command, not of another command with the same endpoint.
#[tokio::test]
async fn a_resumed_run_reports_in_the_words_of_its_command() {
    let panel = Panel::shop().await;
    let update =
        ["users", "bulk-update", "1", "2", "--set-referral-percent", "0.05", "--yes", "--chunk", "1"];
    let interrupted = panel.run_as("nobody", &update, "").await;
    assert_eq!((interrupted.code, interrupted.out.as_str()), (4, ""), "{}", interrupted.transcript());
    let resumed = panel.run(&["runs", "resume", "last"]).await;
    assert_eq!(resumed.code, 0, "{}", resumed.transcript());
    assert!(resumed.err.contains("2 users: 2 updated"), "{}", resumed.transcript());
    let shown = panel.run(&["runs", "show", "last", "-o", "json"]).await.json();
    assert_eq!((&shown["processed"], &shown["open"]), (&serde_json::json!([1, 2]), &serde_json::json!([])));
}

#[tokio::test]
async fn an_import_reports_every_line() {
    let panel = Panel::shop().await;
    let file = panel.home.path().join("services.json");
    std::fs::write(&file, r#"[{"id":1,"default_price":"3"},{"id":2,"min_quantity":200000}]"#).unwrap();
    let mut text = String::new();
    for words in [&["--dry-run", "-o", "json"][..], &["--yes", "-o", "json"], &["--yes", "-o", "csv"]] {
        let line = [&["services", "import", "--file", file.to_str().unwrap()], words].concat();
        let ran = panel.run(&line).await;
        text.push_str(&format!("$ import {}\n{}\n", words.join(" "), ran.transcript()));
    }
    snapshot("reports-import", &text);
}

/// A closed standard output does not turn a partial run into a complete one.
#[cfg(unix)]
#[tokio::test]
async fn a_closed_output_does_not_change_the_exit_code() {
    let panel = Panel::shop().await;
    let paused = panel.run(&["orders", "pause", "1", "2", "--yes", "-o", "json"]).await.json();
    let partly = paused["undo"][0]["request_id"].as_str().unwrap().to_owned();
    panel.run(&["orders", "cancel", "2", "--yes"]).await.ok();
    for (line, code) in [
        (&["orders", "approve", "5", "99", "--yes", "-o", "json"][..], 3),
        (&["orders", "approve", "5", "--yes", "-o", "json"], 1),
        (&["orders", "approve", "6", "7", "--yes", "-o", "csv"], 0),
        (&["undo", &partly, "--yes", "-o", "json"], 3),
    ] {
        let mut command = panel.command(line);
        command.env("PANELCTL_SERVER", &panel.base).env("PANELCTL_TOKEN", "owner");
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        command.stdin(Stdio::null()).stdout(writer).stderr(Stdio::null());
        assert_eq!(command.status().await.unwrap().code(), Some(code), "{line:?}");
    }
}
