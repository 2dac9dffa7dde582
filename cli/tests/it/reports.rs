//! What a run of many, of one, of a file, or one that was resumed says it did: the same report for people and for
//! programs, true totals, the same exit codes.

use std::process::Stdio;

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
    for (line, code) in [
        (&["orders", "approve", "5", "99", "--yes", "-o", "json"][..], 3),
        (&["orders", "approve", "5", "--yes", "-o", "json"], 1),
        (&["orders", "approve", "6", "7", "--yes", "-o", "csv"], 0),
    ] {
        let mut command = panel.command(line);
        command.env("PANELCTL_SERVER", &panel.base).env("PANELCTL_TOKEN", "owner");
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        command.stdin(Stdio::null()).stdout(writer).stderr(Stdio::null());
        assert_eq!(command.status().await.unwrap().code(), Some(code), "{line:?}");
    }
}
