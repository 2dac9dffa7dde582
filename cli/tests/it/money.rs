//! Manual payments.

use panel_platform::db::{Sql, SqlExecutor as _};

use crate::assert_matches_snapshot;
use crate::panel::Panel;

#[tokio::test]
async fn manual_payments_match_the_snapshot() {
    let panel = Panel::with_sample_data().await;
    let create_payment =
        |arguments: &[&'static str]| [&["payments", "create", "--user-id", "1"], arguments].concat();
    let mut text = String::new();
    for arguments in [
        create_payment(&["--amount", "10.5", "--comment", "For the delay", "--dry-run"]),
        create_payment(&["--amount", "10.5", "--comment", "For the delay", "--yes", "-o", "table"]),
        create_payment(&["--amount", "5000", "--debit", "--yes"]),
        create_payment(&["--amount", "10"]),
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
        let output = panel.run(&arguments).await;
        text.push_str(&format!("$ panelctl {}\n{}\n", arguments.join(" "), output.transcript()));
    }
    assert_matches_snapshot("payments", &text);
}

#[tokio::test]
async fn a_repeated_idempotency_key_pays_once() {
    let panel = Panel::with_sample_data().await;
    let payment_command = [
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
    let payment = panel.run(&payment_command).await.json();
    assert_eq!(panel.run(&payment_command).await.json(), payment);
    let payment_count =
        panel.run(&["payments", "list", "--user-id", "2", "--amount", "7", "--jq", "length"]).await;
    assert_eq!(payment_count.ok(), "1\n");
}

/// If the server only warns about low margins, a price below the minimum margin requires `--confirm-below-margin`.
#[tokio::test]
async fn a_price_below_the_minimum_margin_requires_confirmation() {
    let panel = Panel::with_sample_data().await;
    let set_margin = ["settings", "set", "min_margin_fraction=0.1", "min_margin_action=warn", "--yes"];
    panel.run(&set_margin).await.ok();
    let mut tx = panel.app.db.begin().await.unwrap();
    tx.execute(Sql::new("UPDATE providers SET source_price = 9000000 WHERE id = 1")).await.unwrap();
    tx.commit().await.unwrap();
    let price_command = ["users", "prices", "add", "2", "1", "--price", "5", "--yes"];
    let rejected = panel.run(&price_command).await;
    assert!(
        rejected.code != 0 && rejected.stderr.contains("9.9 is the lowest possible price"),
        "{}",
        rejected.transcript()
    );
    let confirmed = panel.run(&[&price_command[..], &["--confirm-below-margin"]].concat()).await;
    confirmed.ok();
    let below_margin =
        panel.run(&["users", "prices", "list", "2", "--jq", ".[0].below_margin_confirmed"]).await;
    assert_eq!(below_margin.ok(), "true\n");
}
