//! Errors with their messages and exit codes.

use panel_contract::permission::Permission;

use crate::assert_matches_snapshot;
use crate::panel::{Panel, command, run_to_exit, run_without_server};

/// An invalid command line exits with code 2, and panelctl sends no request.
#[tokio::test]
async fn invalid_command_lines_match_the_snapshot() {
    let panel = Panel::empty().await;
    let command_lines: &[&[&str]] = &[
        &["ordrs"],
        &["orders", "list", "--status", "moderation", "-o", "json"],
        &["orders", "list", "--status", "moderation"],
        &["orders", "list", "--since", "tomorrowish"],
        &["orders", "list", "--filter", "status"],
        &["orders", "list", "--columns", "nonsense"],
        &["orders", "list", "--jq", ".["],
        &["orders", "list", "--sort", "id,-nonsense"],
        &["orders", "list", "--cost", "10..5"],
        &["orders", "list", "--filter", "id=9..7"],
        &["orders", "list", "--filter", "status=moderation"],
        &["orders", "list", "--filter", "userId=1"],
        &["orders", "list", "--filter", "createdAt=2026-11-20..2026-11-01"],
        &["users", "list", "--filter", "createdAt=tomorrowish"],
        &["packages", "list", "--filter", "contentsCount=9..7"],
        &["orders", "list", "--cost", "dear"],
        &["orders", "list", "--cost", "1,9..7"],
        &["orders", "list", "--cost", ".."],
        &["orders", "list", "--user-id", "abc"],
        &["payments", "list", "--user-id", "abc"],
        &["orders", "list", "--no-active-providers", "maybe"],
        &["services", "list", "--archived", "2"],
        &["packages", "list", "--type", "automatic"],
        &["targets", "list", "--about", "colour"],
        &["jobs", "list", "--queue", "letters"],
        &["audit", "list", "--event", "order.forgotten"],
        &["audit", "list", "--record", "spaceship"],
        &["orders", "list", "--since", "2026-11-20", "--until", "2026-11-01"],
        &["orders", "list", "--created", "2026-11-20..2026-11-01"],
        &["orders", "approve", "1", "--yes", "-o", "csv", "--columns", "nonsense"],
        &["orders", "get"],
        &["orders", "get", "x"],
        &["orders", "approve"],
        &["orders", "approve", "1", "--status", "stopped"],
        &["orders", "approve", "1", "--ids-from", "-"],
        &["orders", "approve", "1"],
        &["orders", "approve", "1", "2", "--confirm", "3"],
        &["orders", "approve", "--ids-from", "/nowhere/ids"],
        &["orders", "cancel", "1", "--amount", "2"],
        &["orders", "cancel", "1", "2", "--refund", "--amount", "2", "--yes"],
        &["orders", "cancel", "1", "--refund", "--amount", "1.2345678"],
        &["payments", "create", "--user-id", "1", "--amount", "-2"],
        &["orders", "auto-refill", "set", "1"],
        &["profile", "set", "../x", "--server", "https://a.example"],
        &["profile", "use", "guest"],
        &["api"],
        &["api", "GET", "orders", "-F", "x=1"],
        &["api", "POST", "orders/approve", "-F", "order_ids=[1"],
        &["counters", "--watch", "-o", "json"],
        &["--profile", "x/y", "auth", "status"],
    ];
    let mut text = String::new();
    for arguments in command_lines {
        let output = panel.run(arguments).await;
        assert_eq!((output.code, output.stdout.as_str()), (2, ""), "{arguments:?} {}", output.transcript());
        text.push_str(&format!("$ panelctl {}\n{}\n", arguments.join(" "), output.stderr));
    }
    assert_matches_snapshot("usage", &text);
}

/// Errors of the server as text and JSON.
#[tokio::test]
async fn errors_of_the_server_match_the_snapshot() {
    let panel = Panel::with_sample_data().await;
    panel.create_staff_member(1_000_002, "reader", &[Permission::ViewOrders]).await;
    let command_lines: &[(&str, i32, &[&str])] = &[
        ("owner", 1, &["orders", "get", "99"]),
        ("owner", 2, &["orders", "list", "--filter", "nonsense=1"]),
        ("owner", 2, &["orders", "list", "--sort", "nonsense"]),
        ("owner", 1, &["orders", "complete", "5", "--yes"]),
        ("owner", 1, &["orders", "cancel", "1", "--reason", "other", "--yes"]),
        ("owner", 1, &["orders", "complete", "5", "--yes", "-o", "json"]),
        ("reader", 5, &["users", "list"]),
        ("reader", 5, &["orders", "approve", "5", "--yes", "-o", "json"]),
        ("guest", 4, &["orders", "list"]),
        ("guest", 4, &["auth", "status", "-o", "json"]),
        ("", 4, &["orders", "list"]),
    ];
    let mut text = String::new();
    for (token, expected_code, arguments) in command_lines {
        let output = panel.run_as(token, arguments, "").await;
        assert_eq!(output.code, *expected_code, "{arguments:?} {}", output.transcript());
        // If the server skips a single record, panelctl prints a report, as it does for many records. All other errors print no data.
        assert_eq!(
            output.stdout.is_empty(),
            !output.stdout.contains("\"skipped\""),
            "{arguments:?} {}",
            output.transcript()
        );
        text.push_str(&format!(
            "$ panelctl {}   ({token}: exit {expected_code})\n{}{}\n",
            arguments.join(" "),
            output.stdout,
            output.stderr
        ));
    }
    assert_matches_snapshot("rejections", &text);
}

#[tokio::test]
async fn reports_a_missing_or_invalid_configuration() {
    let output = run_without_server(&["orders", "list"]).await;
    assert_eq!(output.code, 4, "{}", output.transcript());
    assert!(output.stderr.contains("panelctl auth login --server"), "{}", output.stderr);
    let home = tempfile::tempdir().unwrap();
    std::fs::create_dir(home.path().join("config")).unwrap();
    std::fs::write(home.path().join("config/config.toml"), "profiles = 7").unwrap();
    let output = run_to_exit(command(home.path(), &["orders", "list"]), "").await;
    assert!(
        output.code == 2 && output.stderr.contains("config.toml is not valid"),
        "{}",
        output.transcript()
    );
}
