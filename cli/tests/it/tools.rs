//! Raw requests, completions, man pages.

use crate::panel::{Panel, alone, finish};
use crate::snapshot;

#[tokio::test]
async fn raw_requests() {
    let panel = Panel::shop().await;
    let lines: &[&[&str]] = &[
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
    for line in lines {
        let ran = panel.run(line).await;
        text.push_str(&format!("$ panelctl {}\n{}\n", line.join(" "), ran.told()));
    }
    let from_input = panel
        .run_as("owner", &["api", "POST", "orders/approve", "--input", "-"], "{\"order_ids\":[5]}")
        .await;
    assert_eq!(from_input.json()["processed"], 1);
    let shown = panel.run(&["api", "orders/5", "-i"]).await;
    assert!(shown.err.starts_with("HTTP 200\n") && shown.json()["data"]["id"] == 5, "{}", shown.told());
    snapshot("api", &text);
}

/// What help and pages show as an example is what works: with `-f` and no method, a list's address places orders.
#[tokio::test]
async fn examples_of_raw_requests_work() {
    let panel = Panel::shop().await;
    let help = alone(&["api", "--help"]).await;
    let pages = include_str!("../../../docs/lists.md");
    let lines = help.ok().lines().chain(pages.lines()).map(str::trim);
    let examples: Vec<&str> = lines
        .filter(|line| line.starts_with("panelctl api "))
        .map(|line| line.split("  ").next().unwrap_or(line))
        .collect();
    assert!(examples.len() >= 7, "{}", help.out);
    let program = std::path::Path::new(env!("CARGO_BIN_EXE_panelctl")).parent().unwrap().display();
    for example in examples {
        let mut command = tokio::process::Command::new("sh");
        command.arg("-c").arg(example.replace("981204", "5")).env_clear();
        command.env("PATH", format!("{program}:/usr/bin:/bin")).env("PANELCTL_HOME", panel.home.path());
        command.env("PANELCTL_SERVER", &panel.base).env("PANELCTL_TOKEN", "owner");
        let ran = finish(command, "").await;
        assert_eq!(ran.code, 0, "{example}\n{}", ran.told());
    }
}

/// A file name of other bytes than UTF-8 is a wrong argument, not a panic.
#[cfg(unix)]
#[tokio::test]
async fn arguments_of_any_bytes_are_read() {
    let panel = Panel::empty().await;
    let mut command = panel.command(&["orders", "get"]);
    command.arg(<std::ffi::OsStr as std::os::unix::ffi::OsStrExt>::from_bytes(b"\xff\xfe"));
    let ran = finish(command, "").await;
    assert_eq!(ran.code, 2, "{}", ran.told());
}

#[tokio::test]
async fn completions_and_man_pages() {
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let script = alone(&["completion", shell]).await;
        assert!(script.ok().contains("change-provider"), "{shell}");
    }
    assert_eq!(alone(&["completion", "cmd"]).await.code, 2);
    assert!(alone(&["man"]).await.ok().starts_with(".ie"));
    let folder = tempfile::tempdir().unwrap();
    assert_eq!(alone(&["man", "--to", folder.path().to_str().unwrap()]).await.code, 0);
    let page = std::fs::read_to_string(folder.path().join("panelctl-orders-cancel.1")).unwrap();
    assert!(page.contains("return") && page.contains("orders cancel 981204"), "{page}");
}

#[tokio::test]
async fn verbosity_tells_of_requests() {
    let panel = Panel::empty().await;
    let ran = panel.run(&["orders", "list", "--since", "2026-11-01", "-v"]).await;
    assert!(ran.err.contains("created_at 2026-11-01 00:00:00.."), "{}", ran.err);
    assert!(ran.err.contains("GET /api/v1/admin/orders?") && ran.err.contains(" 200 "), "{}", ran.err);
    assert!(!ran.err.contains("owner"), "no token is told: {}", ran.err);
    let version = alone(&["version"]).await;
    assert_eq!(version.ok(), alone(&["--version"]).await.ok());
}
