//! Bulk runs: selection of records, confirmation, reports, and resuming an interrupted run.

use panel_platform::db::{Source as _, Sql};

use crate::panel::{HOSTILE, Panel, finish};
use crate::snapshot;

fn dry_run_approve<'w>(words: &[&'w str]) -> Vec<&'w str> {
    [&["orders", "approve", "--dry-run", "-o", "ids"], words].concat()
}

#[tokio::test]
async fn ids_come_from_arguments_files_and_filters() {
    let panel = Panel::shop().await;
    let ran = panel.run(&dry_run_approve(&["5,6", "7", "5"])).await;
    assert_eq!(ran.ok(), "5\n6\n7\n");
    for input in ["5\n6\n7\n", "id,name\n5,a\n6,b\n7,c\n", "{\"id\":5}\n{\"id\":6}\n{\"id\":7}\n", "[5,6,7]"]
    {
        let ran = panel.run_as("owner", &dry_run_approve(&["--ids-from", "-"]), input).await;
        assert_eq!(ran.ok(), "5\n6\n7\n", "{input}");
    }
    let file = panel.home.path().join("checked.csv");
    std::fs::write(&file, "who,order\na,5\nb,8\n").unwrap();
    let ran =
        panel.run(&dry_run_approve(&["--ids-from", file.to_str().unwrap(), "--id-column", "order"])).await;
    assert_eq!(ran.ok(), "5\n8\n");
    let ran = panel
        .run(&dry_run_approve(&["--status", "in_moderation", "--quantity", "600..", "--all-matching"]))
        .await;
    assert_eq!(ran.ok(), "8\n7\n6\n");
    let none = panel.run(&["orders", "approve", "--status", "unpaid", "--all-matching"]).await;
    assert_eq!((none.code, none.err.contains("nothing changed")), (0, true), "{}", none.transcript());
    assert_eq!(
        panel.run(&["orders", "list", "--status", "in_moderation", "-o", "ids"]).await.ok(),
        "8\n7\n6\n5\n"
    );
}

/// The reports of runs on one, many, some and no records.
#[tokio::test]
async fn reports_match_the_snapshot() {
    let panel = Panel::shop().await;
    let lines: &[(i32, &[&str])] = &[
        (3, &["orders", "approve", "4", "5", "6", "99", "--dry-run"]),
        (0, &["orders", "approve", "5", "--yes"]),
        (3, &["orders", "approve", "5", "6", "99", "--yes", "-o", "csv"]),
        (1, &["orders", "approve", "5", "6", "--yes"]),
        (0, &["orders", "pause", "1", "2", "--confirm", "2"]),
        (0, &["orders", "cancel", "1", "2", "--return-money", "--yes", "-o", "json"]),
        (3, &["orders", "complete", "1", "3", "--yes", "--jq", ".processed"]),
        (0, &["orders", "change-provider", "4", "--provider", "2", "--yes"]),
        (0, &["orders", "reject", "7", "--yes", "-o", "jsonl"]),
        (0, &["orders", "cancel", "8", "--return-money", "--amount", "2.5", "--no-email", "--dry-run"]),
        (0, &["orders", "cancel", "8", "--return-money", "--amount", "2.5", "--no-email", "--yes"]),
    ];
    let mut text = String::new();
    for (code, line) in lines {
        let ran = panel.run(line).await;
        assert_eq!(ran.code, *code, "{line:?} {}", ran.transcript());
        text.push_str(&format!("$ panelctl {}\n{}\n", line.join(" "), ran.transcript()));
    }
    snapshot("bulk", &text);
    let order = panel.run(&["orders", "get", "8", "-o", "json"]).await.json();
    assert_eq!((order["status"].as_str(), order["refunded"].as_str()), (Some("canceled"), Some("2.5")));
}

/// The journal is written before anything is sent, so that a run without a session can be resumed.
#[tokio::test]
async fn a_run_without_a_session_can_be_resumed() {
    let panel = Panel::shop().await;
    let ran =
        panel.run_as("nobody", &["orders", "approve", "5", "6", "7", "--yes", "--chunk", "2"], "").await;
    assert_eq!(ran.code, 4, "{}", ran.transcript());
    assert!(ran.err.contains("Not processed: 3.") && ran.err.contains("panelctl runs resume"), "{}", ran.err);
    let shown = panel.run(&["runs", "show", "last", "-o", "csv"]).await;
    assert_eq!(shown.ok(), "id,result,code,message\n5,open,,\n6,open,,\n7,open,,\n");
    let resumed = panel.run(&["runs", "resume", "last", "-o", "ids"]).await;
    assert_eq!(resumed.ok(), "5\n6\n7\n", "{}", resumed.transcript());
}

/// A crash after the last response, before it was written to the journal: the chunk is sent again with its idempotency key, and the
/// panel returns the same response.
#[tokio::test]
async fn an_interrupted_run_is_resumed_without_processing_a_record_twice() {
    let panel = Panel::shop().await;
    let cancel = ["orders", "cancel", "1", "2", "3", "--return-money", "--yes", "--chunk", "1"];
    assert_eq!(panel.run(&cancel).await.code, 0);
    let balances = panel.run(&["users", "list", "-o", "csv", "--columns", "id,balance,spent"]).await.out;
    let runs = panel.home.path().join("state/runs");
    let file = std::fs::read_dir(&runs).unwrap().next().unwrap().unwrap().path();
    let text = std::fs::read_to_string(&file).unwrap();
    let end = text.trim_end().rfind('\n').unwrap();
    // Cuts the last line in half.
    std::fs::write(&file, &text[..end + 20]).unwrap();

    let list = panel.run(&["runs", "list", "-o", "json"]).await.json();
    assert_eq!((&list[0]["processed"], &list[0]["open"]), (&2.into(), &1.into()));
    let early = panel.run(&["runs", "retry", "last", "--yes"]).await;
    assert_eq!((early.code, early.err.contains("Resume it first")), (1, true), "{}", early.transcript());
    let resumed = panel.run(&["runs", "resume", "last", "-o", "ids"]).await;
    assert_eq!(resumed.ok(), "1\n2\n3\n", "{}", resumed.transcript());
    assert_eq!(
        panel.run(&["users", "list", "-o", "csv", "--columns", "id,balance,spent"]).await.out,
        balances
    );
    assert_eq!(panel.run(&["doctor"]).await.code, 0);
}

/// The skipped records of a run can be retried; finished runs can be deleted.
#[tokio::test]
async fn runs_can_be_retried_and_pruned() {
    let panel = Panel::shop().await;
    let ran = panel.run(&["orders", "activate", "3", "5", "--yes"]).await;
    assert_eq!(ran.code, 1, "{}", ran.transcript());
    panel.run(&["orders", "pause", "3", "--yes"]).await.ok();
    let retried = panel.run(&["runs", "retry", "last", "--yes", "-o", "ids"]).await;
    assert_eq!((retried.code, retried.out.as_str()), (3, "3\n"), "{}", retried.transcript());
    assert_eq!(panel.run(&["runs", "list", "-o", "json", "--jq", "length"]).await.ok(), "2\n");
    let pruned = panel.run(&["runs", "prune", "--before", "now"]).await;
    assert!(pruned.err.contains("Deleted 2 runs"), "{}", pruned.transcript());
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        let mode = std::fs::metadata(panel.home.path().join("state/runs")).unwrap().permissions().mode();
        assert_eq!(mode & 0o077, 0);
    }
}

/// The undo command that an action prints undoes exactly that action, once.
#[tokio::test]
async fn an_action_prints_how_to_undo_it() {
    let panel = Panel::shop().await;
    for ids in [&["1"][..], &["1", "2"]] {
        let paused = panel.run(&[&["orders", "pause", "--yes"][..], ids].concat()).await;
        let line = paused.err.lines().find_map(|line| line.strip_prefix("To undo this, run: panelctl undo "));
        let request = line.unwrap_or_else(|| panic!("{}", paused.transcript())).to_owned();
        let undone = panel.run(&["undo", &request, "--yes", "-o", "json", "--jq", ".[].processed"]).await;
        assert_eq!(undone.ok(), format!("{}\n", ids.len()), "{}", undone.transcript());
        let status = panel.run(&["orders", "get", "1", "--jq", ".status"]).await;
        assert!(status.ok().contains("in_processing"), "{}", status.transcript());
        assert_eq!(panel.run(&["undo", &request, "--yes"]).await.code, 1, "it changed since");
    }
    let completed = panel.run(&["orders", "complete", "1", "--yes"]).await;
    assert!(!completed.err.contains("To undo"), "{}", completed.transcript());
}

/// `--max-failures` stops a run, which can be resumed.
#[tokio::test]
async fn too_many_failures_stop_a_run() {
    let panel = Panel::shop().await;
    let ran = panel
        .run(&["orders", "approve", "5", "1", "2", "6", "--chunk", "1", "--max-failures", "1", "--yes"])
        .await;
    assert_eq!(ran.code, 3, "{}", ran.transcript());
    assert!(
        ran.err.contains("1 approved, 2 skipped, 1 not processed") && ran.err.contains("more than 1"),
        "{}",
        ran.err
    );
    let resumed = panel.run(&["runs", "resume", "last", "-o", "ids"]).await;
    assert_eq!((resumed.code, resumed.out.as_str()), (3, "5\n6\n"), "{}", resumed.transcript());
}

/// A text that several services match selects none of them; the error lists the candidates with their ids.
#[tokio::test]
async fn an_ambiguous_service_name_is_refused() {
    let panel = Panel::shop().await;
    let services = panel.run(&["services", "list", "--all", "-o", "json"]).await.json();
    let first = services.as_array().unwrap().iter().find(|row| row["id"] == 1).unwrap().clone();
    let name = first["name"].as_str().unwrap();
    panel.run(&["services", "copy", "1", "--yes"]).await.ok();
    let part: String = name.chars().take(4).collect();
    let ran = panel.run(&["orders", "approve", "--service", &part, "--all-matching", "--dry-run"]).await;
    assert_eq!(ran.code, 2, "{}", ran.transcript());
    assert!(
        ran.err.contains("several services match") && ran.err.contains(&format!("  1 {name}")),
        "{}",
        ran.transcript()
    );
    let pause = ["orders", "pause", "--all-matching", "--dry-run", "-o", "ids"];
    let by_name = panel.run(&[&pause[..], &["--service", name]].concat()).await;
    let by_id = panel.run(&[&pause[..], &["--service-id", "1"]].concat()).await;
    assert!(!by_id.out.is_empty(), "{}", by_id.transcript());
    assert_eq!(by_name.out, by_id.out, "the only service with exactly this name: {}", by_name.transcript());
}

/// An ambiguous name of a customer, provider or panel selects nothing; the error suggests the option for ids.
#[tokio::test]
async fn ambiguous_names_of_customers_providers_and_panels_are_refused() {
    let panel = Panel::shop().await;
    let mut tx = panel.app.db.begin().await.unwrap();
    for sql in [
        "UPDATE users SET name = 'Anna Berg' WHERE id = 2",
        "INSERT INTO external_panels (id, name, endpoint, created_at, updated_at) VALUES (1, 'Upstream', 'https://a.example/api', 1, 1),
           (2, 'Upstream', 'https://b.example/api', 1, 1)",
        "UPDATE providers SET name = 'Boost', external_panel_id = id",
    ] {
        tx.exec(Sql::new(sql)).await.unwrap();
    }
    tx.commit().await.unwrap();
    for (line, flag, by_id) in [
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
        let ran = panel.run(&[line, &["--all-matching", "--dry-run"]].concat()).await;
        assert_eq!(ran.code, 2, "{}", ran.transcript());
        assert!(ran.err.contains(flag) && ran.err.contains(by_id), "{}", ran.transcript());
    }
    let by_name =
        panel.run(&["orders", "pause", "--user", HOSTILE, "--all-matching", "--dry-run", "-o", "ids"]).await;
    let by_id =
        panel.run(&["orders", "pause", "--user-id", "3", "--all-matching", "--dry-run", "-o", "ids"]).await;
    assert_eq!(by_name.out, by_id.out, "{}", by_name.transcript());
    assert!(!by_id.out.is_empty());
}

/// A command recorded in a journal can be pasted into a shell.
#[cfg(unix)]
#[tokio::test]
async fn a_recorded_command_can_be_run_again() {
    let panel = Panel::shop().await;
    let text = "it's a \"$HOME\" `x`; & * ";
    for line in [
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
        let ran = panel.run(line).await;
        assert_eq!(ran.code, 0, "{}", ran.transcript());
        let shown = panel.run(&["runs", "list", "-o", "json"]).await.json();
        let shown = shown[0]["command"].as_str().unwrap().to_owned();
        assert!(shown.starts_with("panelctl orders "), "{shown}");
        let program = std::path::Path::new(env!("CARGO_BIN_EXE_panelctl")).parent().unwrap();
        let mut shell = tokio::process::Command::new("/bin/sh");
        shell.env_clear().env("PATH", program).env("PANELCTL_HOME", panel.home.path());
        shell.env("PANELCTL_SERVER", &panel.base).env("PANELCTL_TOKEN", "owner").args(["-c", &shown]);
        let rerun = finish(shell, "").await;
        assert!(!rerun.err.contains("not found") && rerun.code != 2, "{shown}: {}", rerun.transcript());
        let next = panel.run(&["runs", "list", "-o", "json"]).await.json();
        assert_eq!(next[0]["command"], shown.as_str(), "the shell passed the same arguments");
    }
}
