//! What a run of many, of one, of a file, or one that was resumed says it did: the same report for people and for
//! programs, true totals, the same exit codes.

use std::process::Stdio;

use panel_contract::amount::Money;
use panel_platform::db::{Source as _, Sql};
use serde_json::json;

use crate::panel::Panel;
use crate::snapshot;

/// One, many, none and some records, tried and done, for people and as JSON.
#[tokio::test]
async fn one_report_for_all() {
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
        assert_eq!(ran.code, *code, "{line:?} {}", ran.told());
        text.push_str(&format!("$ panelctl {}\n{}\n", line.join(" "), ran.told()));
    }
    snapshot("reports", &text);
    assert_eq!(panel.run(&["doctor"]).await.code, 0);
}

/// What activating charges is the same number for one order and for many, tried and done, as the customer paid it.
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
        assert_eq!(ran.code, 0, "{}", ran.told());
        let report = ran.json();
        (report["charged"].clone(), report["processed"].as_array().unwrap().len())
    };
    assert_eq!(activate(&[one], &["--dry-run"]).await, (json!("1"), 1));
    assert_eq!(activate(&[two, three], &["--dry-run"]).await, (json!("5"), 2));
    assert_eq!(panel.money("spent").await, before, "only tried");
    assert_eq!(activate(&[one], &["--yes"]).await, (json!("1"), 1));
    assert_eq!(activate(&[two, three], &["--yes"]).await, (json!("5"), 2));
    assert_eq!(panel.money("spent").await, Money(before.0 + 6_000_000));
    let said = panel.run(&["orders", "pause", one, "--yes"]).await;
    said.ok();
    let free = panel.run(&["orders", "activate", one, "--yes"]).await;
    assert!(free.err.contains("To undo") && !free.err.contains("charged"), "{}", free.told());
}

/// What a change of provider costs stands in the summary and in the data, over all requests of a run.
#[tokio::test]
async fn a_change_of_provider_says_what_it_costs() {
    let panel = Panel::shop().await;
    let mut tx = panel.app.db.begin().await.unwrap();
    let price = "UPDATE providers SET source_price = 4000000, source_pricing_per = 1000, source_currency = 'USD' WHERE id = 2";
    tx.exec(Sql::new(price)).await.unwrap();
    tx.commit().await.unwrap();
    let change = ["orders", "change-provider", "1", "2", "--provider", "2"];
    let tried = panel.run(&[&change[..], &["--dry-run"]].concat()).await;
    // 100 and 200 units, sold at 10 per 1,000.
    assert!(tried.err.contains("the provider charges 1.2, 1.8 is left"), "{}", tried.told());
    let tried = panel.run(&[&change[..], &["--dry-run", "-o", "json"]].concat()).await.json();
    let total = &tried["costs"]["total"];
    assert_eq!((&total["provider_cost"], &total["margin"]), (&json!("1.2"), &json!("1.8")));
    assert_eq!(total["margin_percent"], json!("0.6"));
    let done = panel.run(&[&change[..], &["--yes", "--chunk", "1", "-o", "json"]].concat()).await;
    let costs = &done.json()["costs"];
    assert_eq!((&costs["total"]["provider_cost"], &costs["orders"][1]["id"]), (&json!("1.2"), &json!(2)));
    assert_eq!(costs["total"]["margin_percent"], json!(null), "over two requests");
    let shown = panel.run(&["runs", "show", "last", "-o", "json"]).await.json();
    assert_eq!(&shown["costs"], costs, "{}", done.told());
    let offers = panel
        .run(&["providers", "available", "--for-order", "3", "--name", "Second", "-o", "json"])
        .await
        .json();
    assert_eq!(offers[0]["offer"]["margin"]["provider_cost"], json!("1.2"), "{offers}");
}

/// Of several requests that are undone, one that the panel refuses hides nothing of the others, whoever reads on.
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
    assert_eq!(ran.code, 3, "{}", ran.told());
    let rows = ran.json();
    let processed: Vec<i64> =
        rows.as_array().unwrap().iter().map(|row| row["processed"].as_i64().unwrap()).collect();
    assert_eq!(processed, [1, 0, 1], "{rows}");
    assert_eq!((&rows[1]["code"], &rows[1]["skipped"][0]["id"]), (&json!("undo_conflict"), &json!(2)));
    assert!(ran.err.contains("1 of 3 actions could not be undone"), "{}", ran.told());
    assert_eq!(panel.run(&["undo", &first, &second, "--yes"]).await.code, 1, "nothing is left to undo");
}

/// A run that is resumed says what its command did, not what another command of the same endpoint does.
#[tokio::test]
async fn a_resumed_run_says_what_it_did() {
    let panel = Panel::shop().await;
    let update =
        ["users", "bulk-update", "1", "2", "--set-referral-percent", "0.05", "--yes", "--chunk", "1"];
    let cut = panel.run_as("nobody", &update, "").await;
    assert_eq!((cut.code, cut.out.as_str()), (4, ""), "{}", cut.told());
    let resumed = panel.run(&["runs", "resume", "last"]).await;
    assert_eq!(resumed.code, 0, "{}", resumed.told());
    assert!(resumed.err.contains("2 users: 2 changed"), "{}", resumed.told());
    let shown = panel.run(&["runs", "show", "last", "-o", "json"]).await.json();
    assert_eq!((&shown["processed"], &shown["open"]), (&serde_json::json!([1, 2]), &serde_json::json!([])));
}

/// An import reports each line as it ended.
#[tokio::test]
async fn an_import_says_what_became_of_each_line() {
    let panel = Panel::shop().await;
    let file = panel.home.path().join("services.json");
    std::fs::write(&file, r#"[{"id":1,"default_price":"3"},{"id":2,"min_quantity":200000}]"#).unwrap();
    let mut text = String::new();
    for words in [&["--dry-run", "-o", "json"][..], &["--yes", "-o", "json"], &["--yes", "-o", "csv"]] {
        let line = [&["services", "import", "--file", file.to_str().unwrap()], words].concat();
        let ran = panel.run(&line).await;
        text.push_str(&format!("$ import {}\n{}\n", words.join(" "), ran.told()));
    }
    snapshot("reports-import", &text);
}

/// A reader who goes away does not turn a partial run into a whole one.
#[cfg(unix)]
#[tokio::test]
async fn a_closed_output_keeps_the_exit_code() {
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
