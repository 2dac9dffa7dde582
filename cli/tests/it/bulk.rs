//! Bulk runs: how records are named, what is asked, what is told, and going on with a run that was cut.

use panel_platform::db::{Source as _, Sql};

use crate::panel::{HOSTILE, Panel, finish};
use crate::snapshot;

fn dry<'w>(words: &[&'w str]) -> Vec<&'w str> {
    [&["orders", "approve", "--dry-run", "-o", "ids"], words].concat()
}

#[tokio::test]
async fn ids_from_everywhere() {
    let panel = Panel::shop().await;
    let ran = panel.run(&dry(&["5,6", "7", "5"])).await;
    assert_eq!(ran.ok(), "5\n6\n7\n");
    for input in ["5\n6\n7\n", "id,name\n5,a\n6,b\n7,c\n", "{\"id\":5}\n{\"id\":6}\n{\"id\":7}\n", "[5,6,7]"]
    {
        let ran = panel.run_as("owner", &dry(&["--ids-from", "-"]), input).await;
        assert_eq!(ran.ok(), "5\n6\n7\n", "{input}");
    }
    let file = panel.home.path().join("checked.csv");
    std::fs::write(&file, "who,order\na,5\nb,8\n").unwrap();
    let ran = panel.run(&dry(&["--ids-from", file.to_str().unwrap(), "--id-column", "order"])).await;
    assert_eq!(ran.ok(), "5\n8\n");
    let ran = panel.run(&dry(&["--status", "in_moderation", "--quantity", "600..", "--all-matching"])).await;
    assert_eq!(ran.ok(), "8\n7\n6\n");
    let none = panel.run(&["orders", "approve", "--status", "unpaid", "--all-matching"]).await;
    assert_eq!((none.code, none.err.contains("nothing to do")), (0, true), "{}", none.told());
    assert_eq!(
        panel.run(&["orders", "list", "--status", "in_moderation", "-o", "ids"]).await.ok(),
        "8\n7\n6\n5\n"
    );
}

/// Everything that a run says, for one, many, some and none.
#[tokio::test]
async fn outcomes() {
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
        assert_eq!(ran.code, *code, "{line:?} {}", ran.told());
        text.push_str(&format!("$ panelctl {}\n{}\n", line.join(" "), ran.told()));
    }
    snapshot("bulk", &text);
    let order = panel.run(&["orders", "get", "8", "-o", "json"]).await.json();
    assert_eq!((order["status"].as_str(), order["refunded"].as_str()), (Some("canceled"), Some("2.5")));
}

/// The journal holds the plan before anything is sent: a run that could not send anything is gone on with.
#[tokio::test]
async fn a_run_without_a_session_is_resumed() {
    let panel = Panel::shop().await;
    let ran =
        panel.run_as("nobody", &["orders", "approve", "5", "6", "7", "--yes", "--chunk", "2"], "").await;
    assert_eq!(ran.code, 4, "{}", ran.told());
    assert!(ran.err.contains("Still open: 3.") && ran.err.contains("panelctl runs resume"), "{}", ran.err);
    let shown = panel.run(&["runs", "show", "last", "-o", "csv"]).await;
    assert_eq!(shown.ok(), "id,result,code,message\n5,open,,\n6,open,,\n7,open,,\n");
    let resumed = panel.run(&["runs", "resume", "last", "-o", "ids"]).await;
    assert_eq!(resumed.ok(), "5\n6\n7\n", "{}", resumed.told());
}

/// A crash after the last answer came and before it was written: the chunk goes out again under its old key, and the
/// panel answers as it did.
#[tokio::test]
async fn a_cut_run_is_resumed_without_doing_anything_twice() {
    let panel = Panel::shop().await;
    let cancel = ["orders", "cancel", "1", "2", "3", "--return-money", "--yes", "--chunk", "1"];
    assert_eq!(panel.run(&cancel).await.code, 0);
    let balances = panel.run(&["users", "list", "-o", "csv", "--columns", "id,balance,spent"]).await.out;
    let runs = panel.home.path().join("state/runs");
    let file = std::fs::read_dir(&runs).unwrap().next().unwrap().unwrap().path();
    let text = std::fs::read_to_string(&file).unwrap();
    let end = text.trim_end().rfind('\n').unwrap();
    // Half of the last line is there.
    std::fs::write(&file, &text[..end + 20]).unwrap();

    let list = panel.run(&["runs", "list", "-o", "json"]).await.json();
    assert_eq!((&list[0]["processed"], &list[0]["open"]), (&2.into(), &1.into()));
    let early = panel.run(&["runs", "retry", "last", "--yes"]).await;
    assert_eq!((early.code, early.err.contains("resume it first")), (1, true), "{}", early.told());
    let resumed = panel.run(&["runs", "resume", "last", "-o", "ids"]).await;
    assert_eq!(resumed.ok(), "1\n2\n3\n", "{}", resumed.told());
    assert_eq!(
        panel.run(&["users", "list", "-o", "csv", "--columns", "id,balance,spent"]).await.out,
        balances
    );
    assert_eq!(panel.run(&["doctor"]).await.code, 0);
}

/// What a run skipped can be tried again; finished runs can be deleted.
#[tokio::test]
async fn runs_are_kept() {
    let panel = Panel::shop().await;
    let ran = panel.run(&["orders", "activate", "3", "5", "--yes"]).await;
    assert_eq!(ran.code, 1, "{}", ran.told());
    panel.run(&["orders", "pause", "3", "--yes"]).await.ok();
    let again = panel.run(&["runs", "retry", "last", "--yes", "-o", "ids"]).await;
    assert_eq!((again.code, again.out.as_str()), (3, "3\n"), "{}", again.told());
    assert_eq!(panel.run(&["runs", "list", "-o", "json", "--jq", "length"]).await.ok(), "2\n");
    let gone = panel.run(&["runs", "prune", "--before", "now"]).await;
    assert!(gone.err.contains("2 runs deleted"), "{}", gone.told());
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        let mode = std::fs::metadata(panel.home.path().join("state/runs")).unwrap().permissions().mode();
        assert_eq!(mode & 0o077, 0);
    }
}

/// What an action prints takes exactly that back, once.
#[tokio::test]
async fn an_action_says_how_to_undo_it() {
    let panel = Panel::shop().await;
    for ids in [&["1"][..], &["1", "2"]] {
        let paused = panel.run(&[&["orders", "pause", "--yes"][..], ids].concat()).await;
        let line = paused.err.lines().find_map(|line| line.strip_prefix("To undo: panelctl undo "));
        let request = line.unwrap_or_else(|| panic!("{}", paused.told())).to_owned();
        let undone = panel.run(&["undo", &request, "--yes", "-o", "json", "--jq", ".[].processed"]).await;
        assert_eq!(undone.ok(), format!("{}\n", ids.len()), "{}", undone.told());
        let status = panel.run(&["orders", "get", "1", "--jq", ".status"]).await;
        assert!(status.ok().contains("in_processing"), "{}", status.told());
        assert_eq!(panel.run(&["undo", &request, "--yes"]).await.code, 1, "it changed since");
    }
    let completed = panel.run(&["orders", "complete", "1", "--yes"]).await;
    assert!(!completed.err.contains("To undo"), "{}", completed.told());
}

/// Too many that cannot be done end a run, which can be gone on with.
#[tokio::test]
async fn too_many_failures_end_a_run() {
    let panel = Panel::shop().await;
    let ran = panel
        .run(&["orders", "approve", "5", "1", "2", "6", "--chunk", "1", "--max-failures", "1", "--yes"])
        .await;
    assert_eq!(ran.code, 3, "{}", ran.told());
    assert!(
        ran.err.contains("1 approved, 2 skipped, 1 open") && ran.err.contains("more than 1"),
        "{}",
        ran.err
    );
    let resumed = panel.run(&["runs", "resume", "last", "-o", "ids"]).await;
    assert_eq!((resumed.code, resumed.out.as_str()), (3, "5\n6\n"), "{}", resumed.told());
}

/// A text that several services have selects none of them: the candidates are listed with their ids.
#[tokio::test]
async fn a_name_that_several_services_share_is_refused() {
    let panel = Panel::shop().await;
    let services = panel.run(&["services", "list", "--all", "-o", "json"]).await.json();
    let first = services.as_array().unwrap().iter().find(|row| row["id"] == 1).unwrap().clone();
    let name = first["name"].as_str().unwrap();
    panel.run(&["services", "copy", "1", "--yes"]).await.ok();
    let part: String = name.chars().take(4).collect();
    let ran = panel.run(&["orders", "approve", "--service", &part, "--all-matching", "--dry-run"]).await;
    assert_eq!(ran.code, 2, "{}", ran.told());
    assert!(
        ran.err.contains("several services match") && ran.err.contains(&format!("  1 {name}")),
        "{}",
        ran.told()
    );
    let pause = ["orders", "pause", "--all-matching", "--dry-run", "-o", "ids"];
    let by_name = panel.run(&[&pause[..], &["--service", name]].concat()).await;
    let by_id = panel.run(&[&pause[..], &["--service-id", "1"]].concat()).await;
    assert!(!by_id.out.is_empty(), "{}", by_id.told());
    assert_eq!(by_name.out, by_id.out, "the only service that is called exactly so: {}", by_name.told());
}

/// Customers, providers and panels of one name: none of their orders is acted on, and each is told apart by its id.
#[tokio::test]
async fn names_of_customers_providers_and_panels_are_refused_where_several_match() {
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
        assert_eq!(ran.code, 2, "{}", ran.told());
        assert!(ran.err.contains(flag) && ran.err.contains(by_id), "{}", ran.told());
    }
    let named =
        panel.run(&["orders", "pause", "--user", HOSTILE, "--all-matching", "--dry-run", "-o", "ids"]).await;
    let by_id =
        panel.run(&["orders", "pause", "--user-id", "3", "--all-matching", "--dry-run", "-o", "ids"]).await;
    assert_eq!(named.out, by_id.out, "{}", named.told());
    assert!(!by_id.out.is_empty());
}

/// What a run records can be pasted into a shell.
#[cfg(unix)]
#[tokio::test]
async fn a_recorded_command_runs_again() {
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
        assert_eq!(ran.code, 0, "{}", ran.told());
        let shown = panel.run(&["runs", "list", "-o", "json"]).await.json();
        let shown = shown[0]["command"].as_str().unwrap().to_owned();
        assert!(shown.starts_with("panelctl orders "), "{shown}");
        let program = std::path::Path::new(env!("CARGO_BIN_EXE_panelctl")).parent().unwrap();
        let mut shell = tokio::process::Command::new("/bin/sh");
        shell.env_clear().env("PATH", program).env("PANELCTL_HOME", panel.home.path());
        shell.env("PANELCTL_SERVER", &panel.base).env("PANELCTL_TOKEN", "owner").args(["-c", &shown]);
        let again = finish(shell, "").await;
        assert!(!again.err.contains("not found") && again.code != 2, "{shown}: {}", again.told());
        let next = panel.run(&["runs", "list", "-o", "json"]).await.json();
        assert_eq!(next[0]["command"], shown.as_str(), "the shell gave the program the same words");
    }
}
