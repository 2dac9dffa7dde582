//! Withdrawals: decisions, and payouts from a file.

use panel_contract::amount::Money;
use panel_contract::ids::{PaymentMethodId, UserId};
use panel_contract::payments::BalanceType;
use panel_platform::db::{Source as _, Sql};
use panel_server::context::Ctx;
use panel_server::operations::withdrawals::request::{NewWithdrawal, request};

use crate::panel::{CmdOutput, Panel};
use crate::snapshot;

/// A shop with six withdrawals: 1 to 4 by bank, 5 by PayPal, 6 with a hostile account number.
async fn shop() -> Panel {
    let panel = Panel::shop().await;
    let methods = "INSERT INTO payment_methods (id, name, type, position, created_at, updated_at) VALUES (1, 'Bank', 'bank', 1, 1, 1), (2, 'PayPal', 'paypal', 2, 1, 1)";
    (&mut &panel.app.db).exec(Sql::new(methods)).await.unwrap();
    for n in 1..=6 {
        let new = NewWithdrawal {
            user_id: UserId::new(1 + n % 3),
            amount: Money(n * 1_250_000),
            balance_type: BalanceType::Main,
            payment_method_id: PaymentMethodId::new(if n == 5 { 2 } else { 1 }),
            account_number: if n == 6 { "\u{202e}=cmd|evil".to_owned() } else { format!("DE{n}") },
            user_comment: None,
        };
        let mut work = Ctx::system(panel.app.clone(), "test").begin().await.unwrap();
        request(&mut work, &new).await.unwrap();
        work.finish(()).await.unwrap();
    }
    panel
}

/// Runs a payout of a file with these lines.
async fn payout(panel: &Panel, lines: &str, words: &[&str]) -> CmdOutput {
    let file = panel.home.path().join("bank.csv");
    std::fs::write(&file, format!("id,transaction_id\n{lines}")).unwrap();
    let words = [&["withdrawals", "payout", "--file", file.to_str().unwrap()], words].concat();
    panel.run(&words).await
}

async fn statuses(panel: &Panel) -> String {
    let words = ["withdrawals", "list", "--sort", "id", "-o", "csv", "--columns", "id,status,transaction_id"];
    panel.run(&words).await.ok().to_owned()
}

#[tokio::test]
async fn decisions_match_the_snapshot() {
    let panel = shop().await;
    let mut text = String::new();
    for words in [
        vec!["withdrawals", "approve", "1", "2", "--dry-run"],
        vec!["withdrawals", "approve", "1", "2", "--yes"],
        vec!["withdrawals", "approve", "1", "3", "99", "--yes", "-o", "csv"],
        vec!["withdrawals", "mark-paid", "1", "--transaction-id", "TX-1", "--dry-run", "--jq", ".status"],
        vec!["withdrawals", "mark-paid", "1", "--transaction-id", "TX-1", "--yes", "-o", "table"],
        vec!["withdrawals", "mark-paid", "2", "--transaction-id", "TX-1", "--yes"],
        vec!["withdrawals", "mark-paid", "1", "--transaction-id", "TX-2", "--yes"],
        vec!["withdrawals", "reject", "2", "4", "--admin-note", "Not yours", "--yes"],
        vec!["withdrawals", "reject", "2", "--yes"],
        vec!["withdrawals", "reject", "2", "--admin-note", " ", "--yes"],
        vec!["withdrawals", "list", "--sort", "id", "-o", "table"],
        vec!["withdrawals", "list", "--account", "evil", "-o", "csv", "--columns", "id,account_number"],
        vec!["withdrawals", "list", "--method", "paypal", "-o", "ids"],
    ] {
        let ran = panel.run(&words).await;
        text.push_str(&format!("$ panelctl {}\n{}\n", words.join(" "), ran.transcript()));
    }
    snapshot("withdrawals", &text);
    assert_eq!(panel.run(&["doctor"]).await.code, 0);
}

/// With any error in the file, nothing is paid.
#[tokio::test]
async fn an_invalid_file_changes_nothing() {
    let panel = shop().await;
    panel.run(&["withdrawals", "approve", "1", "2", "3", "5", "--yes"]).await.ok();
    let before = statuses(&panel).await;
    for (lines, error) in [
        ("1,T1\nx,T2\n", "\"x\" is not an id"),
        ("1,T1\n2,\n", "the transaction_id is missing"),
        ("1,T1\n2,T2,9\n", "3 fields instead of 2"),
        ("1,T1\n1,T2\n", "line 3: withdrawal 1 is already on line 2"),
        ("1,T1\n99,T2\n", "line 3: withdrawal 99 does not exist"),
        ("1,T1\n2,T1\n", "line 3: transaction T1 of Bank is already on line 2"),
        ("", "no lines"),
    ] {
        let ran = payout(&panel, lines, &["--yes"]).await;
        assert_eq!(ran.code, 2, "{}", ran.transcript());
        assert!(ran.err.contains(error) && ran.err.contains("nothing changed"), "{}", ran.transcript());
    }
    let header = panel.run_as("owner", &["withdrawals", "payout", "--file", "-", "--yes"], "1,T1\n").await;
    assert!(header.code == 2 && header.err.contains("id,transaction_id"), "{}", header.transcript());
    let missing = panel.run(&["withdrawals", "payout", "--file", "/no/such/file", "--yes"]).await;
    assert_eq!(missing.code, 2, "{}", missing.transcript());
    let windows = panel.run_as(
        "owner",
        &["withdrawals", "payout", "--file", "-", "--yes"],
        "id,transaction_id\r\n\r\n1,T1\r\nx,T2\r\n",
    );
    let windows = windows.await;
    assert!(
        windows.code == 2 && windows.err.contains("line 4: \"x\" is not an id"),
        "{}",
        windows.transcript()
    );
    assert_eq!(statuses(&panel).await, before);
    assert_eq!(
        panel.run(&["runs", "list", "-o", "json", "--jq", "length"]).await.ok(),
        "1\n",
        "only the approval"
    );
}

/// Two payment methods may use the same transaction id; a withdrawal that is not approved is skipped; a paid line is not sent again.
#[tokio::test]
async fn a_file_is_paid_line_by_line() {
    let panel = shop().await;
    panel.run(&["withdrawals", "approve", "1", "2", "5", "--yes"]).await.ok();
    panel.run(&["withdrawals", "mark-paid", "2", "--transaction-id", "OLD", "--yes"]).await;
    let lines = "1,T1\n5,T1\n3,OLD\n4,T4\n";
    let mut text = String::new();
    for words in [&["--dry-run"][..], &["--yes", "-o", "csv"], &["--yes"], &["--yes", "-o", "jsonl"]] {
        let ran = payout(&panel, lines, words).await;
        assert_eq!(ran.code, 3, "{}", ran.transcript());
        text.push_str(&format!("$ payout {}\n{}\n", words.join(" "), ran.out));
    }
    snapshot("payout", &text);
    panel.run(&["withdrawals", "approve", "3", "4", "--yes"]).await.ok();
    let repeated = payout(&panel, lines, &["--yes", "-o", "csv"]).await;
    assert!(
        repeated.code == 3 && repeated.out.contains("already paid withdrawal 2"),
        "{}",
        repeated.transcript()
    );
    let done = payout(&panel, "1,T1\n4,T4\n", &["--yes"]).await;
    assert!(
        done.code == 0 && done.err.contains("2 were already paid by these transactions"),
        "{}",
        done.transcript()
    );
    assert_eq!(panel.run(&["doctor"]).await.code, 0);
}

/// A run whose responses were lost is resumed and pays nothing twice.
#[tokio::test]
async fn an_interrupted_payout_is_resumed() {
    let panel = shop().await;
    panel.run(&["withdrawals", "approve", "1", "2", "3", "--yes"]).await.ok();
    assert_eq!(payout(&panel, "1,T1\n2,T2\n3,T3\n", &["--yes"]).await.code, 0);
    let paid = statuses(&panel).await;
    let runs = panel.home.path().join("state/runs");
    let newest = std::fs::read_dir(&runs).unwrap().map(|file| file.unwrap().path()).max().unwrap();
    let journal = std::fs::read_to_string(&newest).unwrap();
    // The responses of the second and third line are missing from the journal.
    let entries: Vec<&str> = journal.lines().collect();
    std::fs::write(&newest, entries[..entries.len() - 2].join("\n") + "\n{\"line\":\"ans").unwrap();
    let resumed = panel.run(&["runs", "resume", "last", "-o", "csv"]).await;
    assert_eq!(resumed.ok(), "id,result,code,message\n1,processed,,\n2,processed,,\n3,processed,,\n");
    assert_eq!(statuses(&panel).await, paid);
    assert_eq!(panel.run(&["doctor"]).await.code, 0);
}
