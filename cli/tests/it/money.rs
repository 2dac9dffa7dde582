//! Manual payments.

use panel_platform::db::{Source as _, Sql};

use crate::panel::Panel;
use crate::snapshot;

#[tokio::test]
async fn manual_payments_match_the_snapshot() {
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
        text.push_str(&format!("$ panelctl {}\n{}\n", words.join(" "), ran.transcript()));
    }
    snapshot("payments", &text);
}

#[tokio::test]
async fn an_idempotency_key_pays_once() {
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
        "--comment",
        "For the delay",
        "--yes",
        "-o",
        "json",
    ];
    let first = panel.run(&pay).await.json();
    assert_eq!(panel.run(&pay).await.json(), first);
    let all = panel.run(&["payments", "list", "--user-id", "2", "--amount", "7", "--jq", "length"]).await;
    assert_eq!(all.ok(), "1\n");
}

/// If the panel warns, a price below the minimum margin requires `--confirm-below-margin`.
#[tokio::test]
async fn a_price_below_the_minimum_margin_requires_confirmation() {
    let panel = Panel::shop().await;
    let set = ["settings", "set", "min_margin_percent=0.1", "min_margin_action=warn", "--yes"];
    panel.run(&set).await.ok();
    let mut tx = panel.app.db.begin().await.unwrap();
    tx.exec(Sql::new("UPDATE providers SET source_price = 9000000 WHERE id = 1")).await.unwrap();
    tx.commit().await.unwrap();
    let price = ["users", "prices", "add", "2", "1", "--price", "5", "--yes"];
    let refused = panel.run(&price).await;
    assert!(
        refused.code != 0 && refused.err.contains("9.9 is the lowest possible price"),
        "{}",
        refused.transcript()
    );
    let confirmed = panel.run(&[&price[..], &["--confirm-below-margin"]].concat()).await;
    confirmed.ok();
    let shown = panel.run(&["users", "prices", "list", "2", "--jq", ".[0].below_margin_confirmed"]).await;
    assert_eq!(shown.ok(), "true\n");
}
