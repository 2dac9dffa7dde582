//! Bulk runs: selection of records, confirmation, reports, and resuming an interrupted run.

use panel_platform::db::{Sql, SqlExecutor as _};

use crate::assert_matches_snapshot;
use crate::panel::{HOSTILE_NAME, Panel, run_to_exit};

fn build_dry_run_approve<'w>(arguments: &[&'w str]) -> Vec<&'w str> {
    [&["orders", "approve", "--dry-run", "-o", "ids"], arguments].concat()
}

#[tokio::test]
async fn selects_ids_from_arguments_files_and_filters() {
    let panel = Panel::with_sample_data().await;
    let output = panel.run(&build_dry_run_approve(&["5,6", "7", "5"])).await;
    assert_eq!(output.ok(), "5\n6\n7\n");
    for input in ["5\n6\n7\n", "id,name\n5,a\n6,b\n7,c\n", "{\"id\":5}\n{\"id\":6}\n{\"id\":7}\n", "[5,6,7]"]
    {
        let output = panel.run_as("owner", &build_dry_run_approve(&["--ids-from", "-"]), input).await;
        assert_eq!(output.ok(), "5\n6\n7\n", "{input}");
    }
    let file = panel.home.path().join("checked.csv");
    std::fs::write(&file, "who,order\na,5\nb,8\n").unwrap();
    let output = panel
        .run(&build_dry_run_approve(&["--ids-from", file.to_str().unwrap(), "--id-column", "order"]))
        .await;
    assert_eq!(output.ok(), "5\n8\n");
    let output = panel
        .run(&build_dry_run_approve(&["--status", "in_moderation", "--quantity", "600..", "--all-matching"]))
        .await;
    assert_eq!(output.ok(), "8\n7\n6\n");
    let empty_run = panel.run(&["orders", "approve", "--status", "unpaid", "--all-matching"]).await;
    assert_eq!(
        (empty_run.code, empty_run.stderr.contains("nothing changed")),
        (0, true),
        "{}",
        empty_run.transcript()
    );
    assert_eq!(
        panel.run(&["orders", "list", "--status", "in_moderation", "-o", "ids"]).await.ok(),
        "8\n7\n6\n5\n"
    );
}

/// Runs in which all, some or no records are processed.
#[tokio::test]
async fn reports_match_the_snapshot() {
    let panel = Panel::with_sample_data().await;
    let command_lines: &[(i32, &[&str])] = &[
        (3, &["orders", "approve", "4", "5", "6", "99", "--dry-run"]),
        (0, &["orders", "approve", "5", "--yes"]),
        (3, &["orders", "approve", "5", "6", "99", "--yes", "-o", "csv"]),
        (1, &["orders", "approve", "5", "6", "--yes"]),
        (0, &["orders", "pause", "1", "2", "--confirm", "2"]),
        (0, &["orders", "cancel", "1", "2", "--refund", "--yes", "-o", "json"]),
        (3, &["orders", "complete", "1", "3", "--yes", "--jq", ".processed"]),
        (0, &["orders", "change-provider", "4", "--provider", "2", "--yes"]),
        (0, &["orders", "reject", "7", "--yes", "-o", "jsonl"]),
        (0, &["orders", "cancel", "8", "--refund", "--amount", "2.5", "--no-email", "--dry-run"]),
        (0, &["orders", "cancel", "8", "--refund", "--amount", "2.5", "--no-email", "--yes"]),
    ];
    let mut text = String::new();
    for (expected_code, arguments) in command_lines {
        let output = panel.run(arguments).await;
        assert_eq!(output.code, *expected_code, "{arguments:?} {}", output.transcript());
        text.push_str(&format!("$ panelctl {}\n{}\n", arguments.join(" "), output.transcript()));
    }
    assert_matches_snapshot("bulk", &text);
    let order = panel.run(&["orders", "get", "8", "-o", "json"]).await.json();
    assert_eq!((order["status"].as_str(), order["refunded"].as_str()), (Some("canceled"), Some("2.5")));
}

/// panelctl writes the journal before the first request, so that a run without a session can be resumed.
#[tokio::test]
async fn a_run_without_a_session_can_be_resumed() {
    let panel = Panel::with_sample_data().await;
    let output =
        panel.run_as("guest", &["orders", "approve", "5", "6", "7", "--yes", "--chunk", "2"], "").await;
    assert_eq!(output.code, 4, "{}", output.transcript());
    assert!(
        output.stderr.contains("Not processed: 3.") && output.stderr.contains("panelctl runs resume"),
        "{}",
        output.stderr
    );
    let journal_run = panel.run(&["runs", "show", "last", "-o", "csv"]).await;
    assert_eq!(journal_run.ok(), "id,result,code,message\n5,open,,\n6,open,,\n7,open,,\n");
    let resumed = panel.run(&["runs", "resume", "last", "-o", "ids"]).await;
    assert_eq!(resumed.ok(), "5\n6\n7\n", "{}", resumed.transcript());
}

/// Simulates a crash after the last response, before panelctl wrote it to the journal: panelctl sends the chunk again with the same
/// idempotency key, and the server returns the same response.
#[tokio::test]
async fn an_interrupted_run_is_resumed_without_processing_a_record_twice() {
    let panel = Panel::with_sample_data().await;
    let cancel = ["orders", "cancel", "1", "2", "3", "--refund", "--yes", "--chunk", "1"];
    assert_eq!(panel.run(&cancel).await.code, 0);
    let balances = panel.run(&["users", "list", "-o", "csv", "--columns", "id,balance,spent"]).await.stdout;
    let runs_folder = panel.home.path().join("state/runs");
    let file = std::fs::read_dir(&runs_folder).unwrap().next().unwrap().unwrap().path();
    let text = std::fs::read_to_string(&file).unwrap();
    let last_line_start = text.trim_end().rfind('\n').unwrap();
    // Simulates the crash: the last line of the journal is incomplete.
    std::fs::write(&file, &text[..last_line_start + 20]).unwrap();

    let runs_json = panel.run(&["runs", "list", "-o", "json"]).await.json();
    assert_eq!((&runs_json[0]["processed"], &runs_json[0]["open"]), (&2.into(), &1.into()));
    let early_retry = panel.run(&["runs", "retry", "last", "--yes"]).await;
    assert_eq!(
        (early_retry.code, early_retry.stderr.contains("Resume it first")),
        (1, true),
        "{}",
        early_retry.transcript()
    );
    let resumed = panel.run(&["runs", "resume", "last", "-o", "ids"]).await;
    assert_eq!(resumed.ok(), "1\n2\n3\n", "{}", resumed.transcript());
    assert_eq!(
        panel.run(&["users", "list", "-o", "csv", "--columns", "id,balance,spent"]).await.stdout,
        balances
    );
    assert_eq!(panel.run(&["doctor"]).await.code, 0);
}

/// The skipped records of a run can be retried; finished runs can be deleted.
#[tokio::test]
async fn runs_can_be_retried_and_pruned() {
    let panel = Panel::with_sample_data().await;
    let output = panel.run(&["orders", "activate", "3", "5", "--yes"]).await;
    assert_eq!(output.code, 1, "{}", output.transcript());
    panel.run(&["orders", "pause", "3", "--yes"]).await.ok();
    let retried = panel.run(&["runs", "retry", "last", "--yes", "-o", "ids"]).await;
    assert_eq!((retried.code, retried.stdout.as_str()), (3, "3\n"), "{}", retried.transcript());
    assert_eq!(panel.run(&["runs", "list", "-o", "json", "--jq", "length"]).await.ok(), "2\n");
    let pruned = panel.run(&["runs", "prune", "--before", "now"]).await;
    assert!(pruned.stderr.contains("Deleted 2 runs"), "{}", pruned.transcript());
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        let mode = std::fs::metadata(panel.home.path().join("state/runs")).unwrap().permissions().mode();
        assert_eq!(mode & 0o077, 0);
    }
}

/// An action prints the command that undoes exactly this action. The command works only once.
#[tokio::test]
async fn an_action_prints_its_undo_command() {
    let panel = Panel::with_sample_data().await;
    for ids in [&["1"][..], &["1", "2"]] {
        let paused = panel.run(&[&["orders", "pause", "--yes"][..], ids].concat()).await;
        let request_id =
            paused.stderr.lines().find_map(|line| line.strip_prefix("To undo this, run: panelctl undo "));
        let request_id = request_id.unwrap_or_else(|| panic!("{}", paused.transcript())).to_owned();
        let undone = panel.run(&["undo", &request_id, "--yes", "-o", "json", "--jq", ".[].processed"]).await;
        assert_eq!(undone.ok(), format!("{}\n", ids.len()), "{}", undone.transcript());
        let status = panel.run(&["orders", "get", "1", "--jq", ".status"]).await;
        assert!(status.ok().contains("in_processing"), "{}", status.transcript());
        assert_eq!(
            panel.run(&["undo", &request_id, "--yes"]).await.code,
            1,
            "an action must not be undone twice"
        );
    }
    let completed = panel.run(&["orders", "complete", "1", "--yes"]).await;
    assert!(!completed.stderr.contains("To undo"), "{}", completed.transcript());
}

/// `--max-skipped` stops a run, which can be resumed.
#[tokio::test]
async fn too_many_skipped_records_stop_a_run() {
    let panel = Panel::with_sample_data().await;
    let output = panel
        .run(&["orders", "approve", "5", "1", "2", "6", "--chunk", "1", "--max-skipped", "1", "--yes"])
        .await;
    assert_eq!(output.code, 3, "{}", output.transcript());
    assert!(
        output.stderr.contains("1 approved, 2 skipped, 1 not processed")
            && output.stderr.contains("more than 1"),
        "{}",
        output.stderr
    );
    let resumed = panel.run(&["runs", "resume", "last", "-o", "ids"]).await;
    assert_eq!((resumed.code, resumed.stdout.as_str()), (3, "5\n6\n"), "{}", resumed.transcript());
}

/// If part of a name matches several services, panelctl selects none of them. The error lists the candidates with their ids.
#[tokio::test]
async fn rejects_an_ambiguous_service_name() {
    let panel = Panel::with_sample_data().await;
    let services = panel.run(&["services", "list", "--all", "-o", "json"]).await.json();
    let first_service = services.as_array().unwrap().iter().find(|row| row["id"] == 1).unwrap().clone();
    let name = first_service["name"].as_str().unwrap();
    panel.run(&["services", "copy", "1", "--yes"]).await.ok();
    let prefix: String = name.chars().take(4).collect();
    let output = panel.run(&["orders", "approve", "--service", &prefix, "--all-matching", "--dry-run"]).await;
    assert_eq!(output.code, 2, "{}", output.transcript());
    assert!(
        output.stderr.contains("several services match") && output.stderr.contains(&format!("  1 {name}")),
        "{}",
        output.transcript()
    );
    let pause = ["orders", "pause", "--all-matching", "--dry-run", "-o", "ids"];
    let by_name = panel.run(&[&pause[..], &["--service", name]].concat()).await;
    let by_id = panel.run(&[&pause[..], &["--service-id", "1"]].concat()).await;
    assert!(!by_id.stdout.is_empty(), "{}", by_id.transcript());
    assert_eq!(
        by_name.stdout,
        by_id.stdout,
        "the exact name must select only this service: {}",
        by_name.transcript()
    );
}

/// An ambiguous name of a customer, provider or external panel selects nothing. The error suggests the option for ids.
#[tokio::test]
async fn rejects_ambiguous_names_of_customers_providers_and_external_panels() {
    let panel = Panel::with_sample_data().await;
    let mut tx = panel.app.db.begin().await.unwrap();
    for sql in [
        "UPDATE users SET name = 'Anna Berg' WHERE id = 2",
        "INSERT INTO external_panels (id, name, endpoint, created_at, updated_at) VALUES (1, 'Upstream', 'https://a.example/api', 1, 1),
           (2, 'Upstream', 'https://b.example/api', 1, 1)",
        "UPDATE providers SET name = 'Boost', external_panel_id = id",
    ] {
        tx.execute(Sql::new(sql)).await.unwrap();
    }
    tx.commit().await.unwrap();
    for (arguments, expected_error, id_option) in [
        (&["orders", "pause", "--user", "anna"][..], "--user anna: several users match", "--user-id 2"),
        (
            &["orders", "pause", "--filter", "user=Anna Berg"],
            "--user Anna Berg: several users match",
            "--user-id",
        ),
        (
            &["external-panel-orders", "recreate", "--provider", "boost"],
            "--provider boost: several providers match",
            "--provider-id",
        ),
        (
            &["external-panel-orders", "recreate", "--panel", "upstream"],
            "--panel upstream: several external panels match",
            "--panel-id",
        ),
        (
            &["orders", "pause", "--service", "views"],
            "--service views: several services match",
            "--service-id",
        ),
    ] {
        let output = panel.run(&[arguments, &["--all-matching", "--dry-run"]].concat()).await;
        assert_eq!(output.code, 2, "{}", output.transcript());
        assert!(
            output.stderr.contains(expected_error) && output.stderr.contains(id_option),
            "{}",
            output.transcript()
        );
    }
    let by_name = panel
        .run(&["orders", "pause", "--user", HOSTILE_NAME, "--all-matching", "--dry-run", "-o", "ids"])
        .await;
    let by_id =
        panel.run(&["orders", "pause", "--user-id", "3", "--all-matching", "--dry-run", "-o", "ids"]).await;
    assert_eq!(by_name.stdout, by_id.stdout, "{}", by_name.transcript());
    assert!(!by_id.stdout.is_empty());
}

/// A shell can run the command that the journal of a run contains.
#[cfg(unix)]
#[tokio::test]
async fn a_recorded_command_can_be_run_again() {
    let panel = Panel::with_sample_data().await;
    let text = "it's a \"$HOME\" `x`; & * ";
    for arguments in [
        &[
            "orders",
            "pause",
            "--all-matching",
            "--yes",
            "--filter",
            "url=https://video.example/",
            "--service-id",
            "1",
        ][..],
        &["orders", "cancel", "5", "6", "--reason", "other", "--description", text, "--yes"],
    ] {
        let output = panel.run(arguments).await;
        assert_eq!(output.code, 0, "{}", output.transcript());
        let recorded_command = panel.run(&["runs", "list", "-o", "json"]).await.json();
        let recorded_command = recorded_command[0]["command"].as_str().unwrap().to_owned();
        assert!(recorded_command.starts_with("panelctl orders "), "{recorded_command}");
        let program_folder = std::path::Path::new(env!("CARGO_BIN_EXE_panelctl")).parent().unwrap();
        let mut shell = tokio::process::Command::new("/bin/sh");
        shell.env_clear().env("PATH", program_folder).env("PANELCTL_HOME", panel.home.path());
        shell
            .env("PANELCTL_SERVER", &panel.address)
            .env("PANELCTL_TOKEN", "owner")
            .args(["-c", &recorded_command]);
        let rerun = run_to_exit(shell, "").await;
        assert!(
            !rerun.stderr.contains("not found") && rerun.code != 2,
            "{recorded_command}: {}",
            rerun.transcript()
        );
        let runs_after = panel.run(&["runs", "list", "-o", "json"]).await.json();
        assert_eq!(
            runs_after[0]["command"],
            recorded_command.as_str(),
            "the shell must pass the same arguments"
        );
    }
}
