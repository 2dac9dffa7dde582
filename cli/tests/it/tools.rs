//! Raw requests, completion scripts and man pages.

use crate::assert_matches_snapshot;
use crate::panel::{Panel, run_to_exit, run_without_server};

#[tokio::test]
async fn raw_requests_match_the_snapshot() {
    let panel = Panel::with_sample_data().await;
    let command_lines: &[&[&str]] = &[
        &["api", "orders/5", "--jq", ".data.status"],
        &["api", "get", "/api/v1/admin/orders?length=2", "--jq", "[.data[].id]"],
        &["api", "users", "--paginate", "-o", "csv", "--columns", "id,email"],
        &["api", "GET", "users/search", "-f", "query=anna", "-o", "jsonl"],
        &["api", "POST", "orders/approve", "-F", "order_ids=[5,6]", "--dry-run"],
        &["api", "POST", "orders/approve?dry_run=1", "-F", "order_ids=[5,6]"],
        &["api", "orders/5/update-comment", "-f", "comment=Checked", "--jq", ".data.comment"],
        &["api", "DELETE", "saved-views/7"],
        &["api", "nonsense"],
        &["api", "/healthz"],
        &["api", "--list", "refund"],
    ];
    let mut text = String::new();
    for arguments in command_lines {
        let output = panel.run(arguments).await;
        text.push_str(&format!("$ panelctl {}\n{}\n", arguments.join(" "), output.transcript()));
    }
    let from_input = panel
        .run_as("owner", &["api", "POST", "orders/approve", "--input", "-"], "{\"order_ids\":[5]}")
        .await;
    assert_eq!(from_input.json()["processed"], 1);
    let response = panel.run(&["api", "orders/5", "-i"]).await;
    assert!(
        response.stderr.starts_with("HTTP 200\n") && response.json()["data"]["id"] == 5,
        "{}",
        response.transcript()
    );
    assert_matches_snapshot("api", &text);
}

/// The examples in the help and in the documentation succeed.
#[tokio::test]
async fn examples_of_raw_requests_succeed() {
    let panel = Panel::with_sample_data().await;
    let help = run_without_server(&["api", "--help"]).await;
    let lists_document = include_str!("../../../docs/lists.md");
    let lines = help.ok().lines().chain(lists_document.lines()).map(str::trim);
    let examples: Vec<&str> = lines
        .filter(|line| line.starts_with("panelctl api "))
        .map(|line| line.split("  ").next().unwrap_or(line))
        .collect();
    assert!(examples.len() >= 7, "{}", help.stdout);
    let program = std::path::Path::new(env!("CARGO_BIN_EXE_panelctl")).parent().unwrap().display();
    for example in examples {
        let mut command = tokio::process::Command::new("sh");
        command.arg("-c").arg(example.replace("981204", "5")).env_clear();
        command.env("PATH", format!("{program}:/usr/bin:/bin")).env("PANELCTL_HOME", panel.home.path());
        command.env("PANELCTL_SERVER", &panel.address).env("PANELCTL_TOKEN", "owner");
        let output = run_to_exit(command, "").await;
        assert_eq!(output.code, 0, "{example}\n{}", output.transcript());
    }
}

/// An argument that is not UTF-8 causes a usage error, not a panic.
#[cfg(unix)]
#[tokio::test]
async fn rejects_arguments_that_are_not_utf8() {
    let panel = Panel::empty().await;
    let mut command = panel.command(&["orders", "get"]);
    command.arg(<std::ffi::OsStr as std::os::unix::ffi::OsStrExt>::from_bytes(b"\xff\xfe"));
    let output = run_to_exit(command, "").await;
    assert_eq!(output.code, 2, "{}", output.transcript());
}

#[tokio::test]
async fn generates_completion_scripts_and_man_pages() {
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let script = run_without_server(&["completion", shell]).await;
        assert!(script.ok().contains("change-provider"), "{shell}");
    }
    assert_eq!(run_without_server(&["completion", "cmd"]).await.code, 2);
    assert!(run_without_server(&["man"]).await.ok().starts_with(".ie"));
    let folder = tempfile::tempdir().unwrap();
    assert_eq!(run_without_server(&["man", "--to", folder.path().to_str().unwrap()]).await.code, 0);
    let page = std::fs::read_to_string(folder.path().join("panelctl-orders-cancel.1")).unwrap();
    assert!(page.contains("refund") && page.contains("orders cancel 981204"), "{page}");
}

#[tokio::test]
async fn verbose_output_shows_requests_but_no_token() {
    let panel = Panel::empty().await;
    let output = panel.run(&["orders", "list", "--since", "2026-11-01", "-v"]).await;
    assert!(output.stderr.contains("created_at 2026-11-01 00:00:00.."), "{}", output.stderr);
    assert!(
        output.stderr.contains("GET /api/v1/admin/orders?") && output.stderr.contains(" 200 "),
        "{}",
        output.stderr
    );
    assert!(!output.stderr.contains("owner"), "the output must not contain the token: {}", output.stderr);
    let version = run_without_server(&["version"]).await;
    assert_eq!(version.ok(), run_without_server(&["--version"]).await.ok());
}
