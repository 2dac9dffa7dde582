//! panelctl in a real terminal: prompts, tables, and the interruption of a run.

use std::process::Stdio;

use tokio::io::{AsyncBufReadExt as _, BufReader};
use tokio::net::TcpListener;

use crate::panel::{HOSTILE_NAME, Panel};
use crate::tmux::{Tmux, quote_path};

/// The shell command that runs panelctl with this token. If the token is empty, panelctl uses the profiles of its home folder.
fn panelctl_command(panel: &Panel, token: &str) -> String {
    let program = quote_path(std::path::Path::new(env!("CARGO_BIN_EXE_panelctl")));
    let home = quote_path(panel.home.path());
    let token = if token.is_empty() { String::new() } else { format!("PANELCTL_TOKEN={token}") };
    format!("PANELCTL_HOME={home} PANELCTL_SERVER={} {token} {program}", panel.address)
}

/// Runs a command in a terminal. The shell ignores Ctrl-C, so that only panelctl handles it.
fn run_in_terminal(panel: &Panel, token: &str, arguments: &str) -> Tmux {
    Tmux::run((100, 34), &format!("trap : INT; {} {arguments}", panelctl_command(panel, token)))
}

#[tokio::test(flavor = "multi_thread")]
async fn the_default_answer_is_no() {
    let panel = Panel::with_sample_data().await;
    let command = "orders approve --all-matching --status in_moderation";
    let tmux = run_in_terminal(&panel, "owner", command);
    tmux.wait_for("4 of 4 can be approved.");
    tmux.wait_for("Approve 4 orders? [y/N]");
    tmux.send_keys(&["Enter"]);
    tmux.wait_for("Nothing changed.");
    tmux.wait_for("exit 1");

    let tmux = run_in_terminal(&panel, "owner", command);
    tmux.wait_for("[y/N]");
    tmux.send_keys(&["C-c"]);
    tmux.wait_for("exit 130");

    let tmux = run_in_terminal(&panel, "owner", command);
    tmux.wait_for("To undo this: panelctl undo, until the orders are sent");
    tmux.type_text("y\n");
    tmux.wait_for("4 orders: 4 approved · run ");
    tmux.wait_for("exit 0");

    let tmux = run_in_terminal(&panel, "owner", "orders cancel 1 2 --refund");
    tmux.wait_for("2 of 2 can be canceled, 3 is refunded to customers.");
    tmux.type_text("n\n");
    tmux.wait_for("exit 1");

    let tmux = run_in_terminal(&panel, "owner", "orders pause 1");
    tmux.wait_for("To undo this: panelctl undo");
    tmux.type_text("yes\n");
    tmux.wait_for("1 order: 1 paused");
}

/// The QR code appears only on a wide terminal, never in a file, a pipe or a machine-readable format.
#[tokio::test(flavor = "multi_thread")]
async fn the_secret_of_a_second_factor_is_a_qr_code_on_a_terminal() {
    let panel = Panel::with_sample_data().await;
    let begin_command = panelctl_command(&panel, "owner") + " second-factor begin --yes";
    let shows_qr_code =
        |screen: &str| screen.lines().filter(|line| line.contains("▀▀") || line.contains("▄▄")).count() > 10;
    let tmux = Tmux::run((120, 50), &begin_command);
    tmux.wait_for("exit 0");
    let screen = tmux.screen();
    assert!(shows_qr_code(&screen) && screen.contains("otpauth://totp/"), "{screen}");

    for command in [
        format!("{begin_command} --output json"),
        format!("{begin_command} | cat"),
        format!("{begin_command} --jq .secret"),
    ] {
        let tmux = Tmux::run((120, 50), &command);
        tmux.wait_for("exit 0");
        let screen = tmux.screen();
        assert!(!screen.contains(['▀', '▄', '█']), "{command}: {screen}");
    }
    let tmux = Tmux::run((40, 50), &begin_command);
    tmux.wait_for("exit 0");
    let screen = tmux.screen();
    assert!(!shows_qr_code(&screen) && screen.contains("type the secret"), "{screen}");
}

/// Without a filter, the prompt warns and accepts only the count.
#[tokio::test(flavor = "multi_thread")]
async fn an_unfiltered_action_requires_its_count() {
    let panel = Panel::with_sample_data().await;
    let pause_all = "orders pause --all-matching";
    for (answer, code) in [("y", 1), ("7", 1), ("8", 3)] {
        let tmux = run_in_terminal(&panel, "owner", pause_all);
        tmux.wait_for("No filter is set: all 8 orders are selected.");
        tmux.wait_for("Pause 8 orders? Type 8 to continue:");
        tmux.type_text(&format!("{answer}\n"));
        tmux.wait_for(&format!("exit {code}"));
    }
    let tmux = run_in_terminal(&panel, "owner", "orders pause --all-matching --yes");
    tmux.wait_for("nothing changed.");
    tmux.wait_for("exit 2");
}

/// With a protected profile, panelctl asks for the name of the profile, even with --yes and --confirm.
#[tokio::test(flavor = "multi_thread")]
async fn a_protected_profile_asks_for_its_name() {
    let panel = Panel::with_sample_data().await;
    let set_profile = ["profile", "set", "live", "--server", &panel.address, "--protected", "on"];
    panel.run(&set_profile).await.ok();
    panel.run(&["profile", "use", "live"]).await.ok();
    for (flag, answer, code) in [("--confirm 1", "y", 1), ("--yes", "y", 1), ("--confirm 1", "live", 0)] {
        let tmux = run_in_terminal(&panel, "owner", &format!("orders approve 5 {flag}"));
        tmux.wait_for("Approve 1 order? Type live to continue:");
        tmux.type_text(&format!("{answer}\n"));
        tmux.wait_for(&format!("exit {code}"));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_terminal_never_shows_the_password() {
    let panel = Panel::empty().await;
    panel_server::start::demo::accounts::create_missing_accounts(&panel.app).await.unwrap();
    let tmux = run_in_terminal(&panel, "", "auth login");
    tmux.wait_for("Email:");
    tmux.type_text("admin@panel.test\n");
    tmux.wait_for("Password:");
    tmux.type_text("panel-demo\n");
    let screen = tmux.wait_for("exit 0");
    assert!(
        screen.contains("as admin@panel.test (profile default)") && !screen.contains("panel-demo"),
        "{screen}"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn tables_have_colors_and_fit_the_terminal() {
    let panel = Panel::with_sample_data().await;
    let tmux = run_in_terminal(&panel, "owner", "orders list --limit 3");
    let screen = tmux.wait_for("Showing 3 of 8 orders");
    assert!(tmux.is_colored(), "{screen}");
    assert!(screen.lines().all(|line| line.chars().count() <= 100), "{screen}");
    let tmux = run_in_terminal(&panel, "owner", "--color never orders list --limit 3");
    tmux.wait_for("Showing 3 of 8 orders");
    assert!(!tmux.is_colored());
    // The JSON text escapes unsafe characters, so that its value stays the same.
    let tmux = run_in_terminal(&panel, "owner", "users get 3 -o json --columns name");
    let screen = tmux.wait_for("exit 0");
    let json = &screen[screen.find('{').unwrap()..=screen.find('}').unwrap()];
    assert_eq!(serde_json::from_str::<serde_json::Value>(json).unwrap()["name"], HOSTILE_NAME, "{screen}");
    assert!(screen.contains("\\u001b") && screen.contains("\\u202e"), "{screen}");
}

/// Neither rows nor the CSV file of the server can control the terminal.
#[tokio::test(flavor = "multi_thread")]
async fn customers_text_cannot_control_the_terminal() {
    let panel = Panel::with_sample_data().await;
    for line in
        ["users export", "users list -o csv", "users list", "users get 3", "users list --jq '.[].name'"]
    {
        let tmux = run_in_terminal(
            &panel,
            "owner",
            &format!("version && {} {line}", panelctl_command(&panel, "owner")),
        );
        let screen = tmux.wait_for("exit 0");
        assert!(
            screen.starts_with("panelctl 0.") && screen.contains("[2J\u{fffd}gnp.exe"),
            "{line}: {screen}"
        );
    }
}

/// The server accepts a chunk but never responds. The first Ctrl-C waits for the response, the second Ctrl-C ends the process. The
/// journal stays complete.
#[cfg(unix)]
#[tokio::test]
async fn the_second_interrupt_ends_the_process_immediately() {
    let panel = Panel::empty().await;
    let unresponsive_server = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let mut command = panel.command(&["orders", "approve", "1", "2", "--yes", "--chunk", "1"]);
    let base_url = format!("http://{}", unresponsive_server.local_addr().unwrap());
    command.env("PANELCTL_SERVER", base_url).env("PANELCTL_TOKEN", "owner");
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).kill_on_drop(true);
    let mut child = command.spawn().unwrap();
    let mut messages = BufReader::new(child.stderr.take().unwrap()).lines();
    let _connection = unresponsive_server.accept().await.unwrap();
    let send_interrupt = async || {
        let id = child.id().unwrap().to_string();
        assert!(tokio::process::Command::new("kill").args(["-INT", &id]).status().await.unwrap().success());
    };
    send_interrupt().await;
    let mut line = messages.next_line().await.unwrap().unwrap();
    while !line.starts_with("Stopping after the current chunk") {
        line = messages.next_line().await.unwrap().unwrap();
    }
    send_interrupt().await;
    let exit_status = tokio::time::timeout(std::time::Duration::from_secs(20), child.wait()).await;
    assert_eq!(exit_status.unwrap().unwrap().code(), Some(130));
    assert!(messages.next_line().await.unwrap().unwrap().ends_with("panelctl runs resume last"));
    let journal_run = panel.run(&["runs", "show", "last", "-o", "csv"]).await;
    assert_eq!(journal_run.ok(), "id,result,code,message\n1,open,,\n2,open,,\n");
}
