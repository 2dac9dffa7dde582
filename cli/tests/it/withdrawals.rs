//! Withdrawals: approvals, rejections, and payouts from a file.

use panel_contract::amount::Money;
use panel_contract::ids::{PaymentMethodId, UserId};
use panel_contract::payments::BalanceType;
use panel_platform::db::{Sql, SqlExecutor as _};
use panel_server::context::Ctx;
use panel_server::operations::withdrawals::request::{NewWithdrawal, submit_withdrawal};

use crate::assert_matches_snapshot;
use crate::panel::{CommandOutput, Panel};

/// Starts a panel with six withdrawals: 1 to 4 by bank, 5 by PayPal, 6 with a hostile account number.
async fn panel_with_withdrawals() -> Panel {
    let panel = Panel::with_sample_data().await;
    let insert_methods_sql = "INSERT INTO payment_methods (id, name, type, position, created_at, updated_at) VALUES (1, 'Bank', 'bank', 1, 1, 1), (2, 'PayPal', 'paypal', 2, 1, 1)";
    (&mut &panel.app.db).execute(Sql::new(insert_methods_sql)).await.unwrap();
    for number in 1..=6 {
        let new_withdrawal = NewWithdrawal {
            user_id: UserId::new(1 + number % 3),
            amount: Money(number * 1_250_000),
            balance_type: BalanceType::Main,
            payment_method_id: PaymentMethodId::new(if number == 5 { 2 } else { 1 }),
            account_number: if number == 6 { "\u{202e}=cmd|evil".to_owned() } else { format!("DE{number}") },
            user_comment: None,
        };
        let mut work = Ctx::system(panel.app.clone(), "test").begin().await.unwrap();
        submit_withdrawal(&mut work, &new_withdrawal).await.unwrap();
        work.finish(()).await.unwrap();
    }
    panel
}

/// Pays out a file with these lines.
async fn pay_out(panel: &Panel, lines: &str, arguments: &[&str]) -> CommandOutput {
    let file = panel.home.path().join("bank.csv");
    std::fs::write(&file, format!("id,transaction_id\n{lines}")).unwrap();
    let arguments = [&["withdrawals", "payout", "--file", file.to_str().unwrap()], arguments].concat();
    panel.run(&arguments).await
}

async fn list_statuses(panel: &Panel) -> String {
    let arguments =
        ["withdrawals", "list", "--sort", "id", "-o", "csv", "--columns", "id,status,transaction_id"];
    panel.run(&arguments).await.ok().to_owned()
}

#[tokio::test]
async fn approvals_rejections_and_payments_match_the_snapshot() {
    let panel = panel_with_withdrawals().await;
    let mut text = String::new();
    for arguments in [
        vec!["withdrawals", "approve", "1", "2", "--dry-run"],
        vec!["withdrawals", "approve", "1", "2", "--yes"],
        vec!["withdrawals", "approve", "1", "3", "99", "--yes", "-o", "csv"],
        vec!["withdrawals", "mark-paid", "1", "--transaction-id", "TX-1", "--dry-run", "--jq", ".status"],
        vec!["withdrawals", "mark-paid", "1", "--transaction-id", "TX-1", "--yes", "-o", "table"],
        vec!["withdrawals", "mark-paid", "2", "--transaction-id", "TX-1", "--yes"],
        vec!["withdrawals", "mark-paid", "1", "--transaction-id", "TX-2", "--yes"],
        vec!["withdrawals", "reject", "2", "4", "--reason", "Not yours", "--yes"],
        vec!["withdrawals", "reject", "2", "--yes"],
        vec!["withdrawals", "reject", "2", "--reason", " ", "--yes"],
        vec!["withdrawals", "list", "--sort", "id", "-o", "table"],
        vec!["withdrawals", "list", "--account", "evil", "-o", "csv", "--columns", "id,account_number"],
        vec!["withdrawals", "list", "--method", "paypal", "-o", "ids"],
    ] {
        let output = panel.run(&arguments).await;
        text.push_str(&format!("$ panelctl {}\n{}\n", arguments.join(" "), output.transcript()));
    }
    assert_matches_snapshot("withdrawals", &text);
    assert_eq!(panel.run(&["doctor"]).await.code, 0);
}

/// If the file has an error, panelctl pays nothing.
#[tokio::test]
async fn an_invalid_file_changes_nothing() {
    let panel = panel_with_withdrawals().await;
    panel.run(&["withdrawals", "approve", "1", "2", "3", "5", "--yes"]).await.ok();
    let statuses_before = list_statuses(&panel).await;
    for (lines, expected_error) in [
        ("1,T1\nx,T2\n", "\"x\" is not an id"),
        ("1,T1\n2,\n", "the transaction_id is missing"),
        ("1,T1\n2,T2,9\n", "3 fields instead of 2"),
        ("1,T1\n1,T2\n", "line 3: withdrawal 1 is already on line 2"),
        ("1,T1\n99,T2\n", "line 3: withdrawal 99 does not exist"),
        ("1,T1\n2,T1\n", "line 3: transaction T1 of Bank is already on line 2"),
        ("", "no lines"),
    ] {
        let output = pay_out(&panel, lines, &["--yes"]).await;
        assert_eq!(output.code, 2, "{}", output.transcript());
        assert!(
            output.stderr.contains(expected_error) && output.stderr.contains("nothing changed"),
            "{}",
            output.transcript()
        );
    }
    let without_header =
        panel.run_as("owner", &["withdrawals", "payout", "--file", "-", "--yes"], "1,T1\n").await;
    assert!(
        without_header.code == 2 && without_header.stderr.contains("id,transaction_id"),
        "{}",
        without_header.transcript()
    );
    let missing_file = panel.run(&["withdrawals", "payout", "--file", "/no/such/file", "--yes"]).await;
    assert_eq!(missing_file.code, 2, "{}", missing_file.transcript());
    let windows_line_ends_output = panel.run_as(
        "owner",
        &["withdrawals", "payout", "--file", "-", "--yes"],
        "id,transaction_id\r\n\r\n1,T1\r\nx,T2\r\n",
    );
    let windows_line_ends_output = windows_line_ends_output.await;
    assert!(
        windows_line_ends_output.code == 2
            && windows_line_ends_output.stderr.contains("line 4: \"x\" is not an id"),
        "{}",
        windows_line_ends_output.transcript()
    );
    assert_eq!(list_statuses(&panel).await, statuses_before);
    assert_eq!(
        panel.run(&["runs", "list", "-o", "json", "--jq", "length"]).await.ok(),
        "1\n",
        "only the approval must have a journal"
    );
}

/// Two payment methods may use the same transaction id. panelctl skips a withdrawal that is not approved, and does not send a line
/// again whose withdrawal is already paid.
#[tokio::test]
async fn pays_out_a_file_line_by_line() {
    let panel = panel_with_withdrawals().await;
    panel.run(&["withdrawals", "approve", "1", "2", "5", "--yes"]).await.ok();
    panel.run(&["withdrawals", "mark-paid", "2", "--transaction-id", "OLD", "--yes"]).await;
    let lines = "1,T1\n5,T1\n3,OLD\n4,T4\n";
    let mut text = String::new();
    for arguments in [&["--dry-run"][..], &["--yes", "-o", "csv"], &["--yes"], &["--yes", "-o", "jsonl"]] {
        let output = pay_out(&panel, lines, arguments).await;
        assert_eq!(output.code, 3, "{}", output.transcript());
        text.push_str(&format!("$ payout {}\n{}\n", arguments.join(" "), output.stdout));
    }
    assert_matches_snapshot("payout", &text);
    panel.run(&["withdrawals", "approve", "3", "4", "--yes"]).await.ok();
    let repeated = pay_out(&panel, lines, &["--yes", "-o", "csv"]).await;
    assert!(
        repeated.code == 3 && repeated.stdout.contains("already paid withdrawal 2"),
        "{}",
        repeated.transcript()
    );
    let final_run = pay_out(&panel, "1,T1\n4,T4\n", &["--yes"]).await;
    assert!(
        final_run.code == 0 && final_run.stderr.contains("2 were already paid by these transactions"),
        "{}",
        final_run.transcript()
    );
    assert_eq!(panel.run(&["doctor"]).await.code, 0);
}

/// A run whose responses were lost can be resumed, and no withdrawal is paid twice.
#[tokio::test]
async fn resumes_an_interrupted_payout() {
    let panel = panel_with_withdrawals().await;
    panel.run(&["withdrawals", "approve", "1", "2", "3", "--yes"]).await.ok();
    assert_eq!(pay_out(&panel, "1,T1\n2,T2\n3,T3\n", &["--yes"]).await.code, 0);
    let statuses_after = list_statuses(&panel).await;
    let runs_folder = panel.home.path().join("state/runs");
    let newest_journal =
        std::fs::read_dir(&runs_folder).unwrap().map(|file| file.unwrap().path()).max().unwrap();
    let journal = std::fs::read_to_string(&newest_journal).unwrap();
    // The responses of the second and third line are missing from the journal.
    let entries: Vec<&str> = journal.lines().collect();
    std::fs::write(&newest_journal, entries[..entries.len() - 2].join("\n") + "\n{\"line\":\"ans").unwrap();
    let resumed = panel.run(&["runs", "resume", "last", "-o", "csv"]).await;
    assert_eq!(resumed.ok(), "id,result,code,message\n1,processed,,\n2,processed,,\n3,processed,,\n");
    assert_eq!(list_statuses(&panel).await, statuses_after);
    assert_eq!(panel.run(&["doctor"]).await.code, 0);
}
