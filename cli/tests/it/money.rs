//! Payments by hand.

use crate::panel::Panel;
use crate::snapshot;

#[tokio::test]
async fn payments() {
    let panel = Panel::shop().await;
    let create = |words: &[&'static str]| [&["payments", "create", "--user-id", "1"], words].concat();
    let mut text = String::new();
    for words in [
        create(&["--amount", "10.5", "--comment", "For the delay", "--dry-run"]),
        create(&["--amount", "10.5", "--comment", "For the delay", "--yes", "-o", "table"]),
        create(&["--amount", "5000", "--debit", "--yes"]),
        create(&["--amount", "10"]),
        vec!["payments", "list", "--user-id", "1", "--type", "manual", "-o", "table"],
        vec![
            "transactions",
            "list",
            "--amount",
            "10..",
            "-o",
            "csv",
            "--columns",
            "id,amount,type,user.email",
        ],
        vec!["payments", "collections"],
    ] {
        let ran = panel.run(&words).await;
        text.push_str(&format!("$ panelctl {}\n{}\n", words.join(" "), ran.told()));
    }
    snapshot("payments", &text);
}

/// The same key pays once.
#[tokio::test]
async fn a_key_pays_once() {
    let panel = Panel::shop().await;
    let pay = [
        "payments",
        "create",
        "--user-id",
        "2",
        "--amount",
        "7",
        "--key",
        "invoice-17",
        "--yes",
        "-o",
        "json",
    ];
    let first = panel.run(&pay).await.json();
    assert_eq!(panel.run(&pay).await.json(), first);
    let all = panel.run(&["payments", "list", "--user-id", "2", "--amount", "7", "--jq", "length"]).await;
    assert_eq!(all.ok(), "1\n");
}
