//! Raw requests, completions, man pages.

use crate::panel::{Panel, alone};
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
