//! In a real terminal: what is asked, what is drawn, and how a run is ended.

use std::process::Stdio;

use tokio::io::{AsyncBufReadExt as _, BufReader};
use tokio::net::TcpListener;

use crate::panel::{HOSTILE, Panel};
use crate::tmux::{Tmux, quoted};

/// The program as a shell runs it, as somebody or as its profiles say.
fn program(panel: &Panel, token: &str) -> String {
    let program = quoted(std::path::Path::new(env!("CARGO_BIN_EXE_panelctl")));
    let home = quoted(panel.home.path());
    let token = if token.is_empty() { String::new() } else { format!("PANELCTL_TOKEN={token}") };
    format!("PANELCTL_HOME={home} PANELCTL_SERVER={} {token} {program}", panel.base)
}

/// A command in a terminal. Ctrl-C is for the program; the shell that started it goes on.
fn terminal(panel: &Panel, token: &str, arguments: &str) -> Tmux {
    Tmux::run((100, 34), &format!("trap : INT; {} {arguments}", program(panel, token)))
}

#[tokio::test(flavor = "multi_thread")]
async fn the_default_answer_is_no() {
    let panel = Panel::shop().await;
    let waiting = "orders approve --all-matching --status in_moderation";
    let tmux = terminal(&panel, "owner", waiting);
    tmux.until("4 of 4 can be approved.");
    tmux.until("Approve 4 orders? [y/N]");
    tmux.keys(&["Enter"]);
    tmux.until("Nothing was done.");
    tmux.until("exit 1");

    let tmux = terminal(&panel, "owner", waiting);
    tmux.until("[y/N]");
    tmux.keys(&["C-c"]);
    tmux.until("exit 130");

    let tmux = terminal(&panel, "owner", waiting);
    tmux.until("Until they are sent, panelctl undo takes it back.");
    tmux.types("y\n");
    tmux.until("4 orders: 4 approved · run ");
    tmux.until("exit 0");

    let tmux = terminal(&panel, "owner", "orders cancel 1 2 --return-money");
    tmux.until("2 of 2 can be canceled, 3 goes back to customers.");
    tmux.types("n\n");
    tmux.until("exit 1");

    let tmux = terminal(&panel, "owner", "orders pause 1");
    tmux.until("panelctl undo takes it back.");
    tmux.types("yes\n");
    tmux.until("1 order: 1 paused");
}

/// A person scans the secret from the screen; a program, a file and a narrow terminal get the text alone.
#[tokio::test(flavor = "multi_thread")]
async fn the_secret_of_a_second_factor_is_a_qr_code_on_a_terminal() {
    let panel = Panel::shop().await;
    let begin = program(&panel, "owner") + " second-factor begin --yes";
    let has_code =
        |screen: &str| screen.lines().filter(|line| line.contains("▀▀") || line.contains("▄▄")).count() > 10;
    let tmux = Tmux::run((120, 50), &begin);
    tmux.until("exit 0");
    let screen = tmux.screen();
    assert!(has_code(&screen) && screen.contains("otpauth://totp/"), "{screen}");

    for quiet in [format!("{begin} --output json"), format!("{begin} | cat"), format!("{begin} --jq .secret")]
    {
        let tmux = Tmux::run((120, 50), &quiet);
        tmux.until("exit 0");
        let screen = tmux.screen();
        assert!(!screen.contains(['▀', '▄', '█']), "{quiet}: {screen}");
    }
    let tmux = Tmux::run((40, 50), &begin);
    tmux.until("exit 0");
    let screen = tmux.screen();
    assert!(!has_code(&screen) && screen.contains("type the secret"), "{screen}");
}

/// Without a filter the question says so, and no letter but the count agrees to it.
#[tokio::test(flavor = "multi_thread")]
async fn everything_is_agreed_to_by_its_count() {
    let panel = Panel::shop().await;
    let all = "orders pause --all-matching";
    for (answer, code) in [("y", 1), ("7", 1), ("8", 3)] {
        let tmux = terminal(&panel, "owner", all);
        tmux.until("There is no filter: all 8 orders are selected.");
        tmux.until("Pause 8 orders? Type 8 to go on:");
        tmux.types(&format!("{answer}\n"));
        tmux.until(&format!("exit {code}"));
    }
    let tmux = terminal(&panel, "owner", "orders pause --all-matching --yes");
    tmux.until("nothing was done.");
    tmux.until("exit 2");
}

/// A protected profile asks for its name, also beside --yes and --confirm.
#[tokio::test(flavor = "multi_thread")]
async fn a_protected_profile_asks_for_its_name() {
    let panel = Panel::shop().await;
    let set = ["profile", "set", "live", "--server", &panel.base, "--protected", "on"];
    panel.run(&set).await.ok();
    panel.run(&["profile", "use", "live"]).await.ok();
    for (flag, answer, code) in [("--confirm 1", "y", 1), ("--yes", "y", 1), ("--confirm 1", "live", 0)] {
        let tmux = terminal(&panel, "owner", &format!("orders approve 5 {flag}"));
        tmux.until("Approve 1 order? Type live to go on:");
        tmux.types(&format!("{answer}\n"));
        tmux.until(&format!("exit {code}"));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_password_is_not_shown() {
    let panel = Panel::empty().await;
    panel_server::start::demo::accounts::make(&panel.app).await.unwrap();
    let tmux = terminal(&panel, "", "auth login");
    tmux.until("E-mail:");
    tmux.types("admin@panel.test\n");
    tmux.until("Password:");
    tmux.types("panel-demo\n");
    let screen = tmux.until("exit 0");
    assert!(
        screen.contains("as admin@panel.test (profile default)") && !screen.contains("panel-demo"),
        "{screen}"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn tables_are_drawn() {
    let panel = Panel::shop().await;
    let tmux = terminal(&panel, "owner", "orders list --limit 3");
    let screen = tmux.until("Showing 3 of 8 orders");
    assert!(tmux.is_coloured(), "{screen}");
    assert!(screen.lines().all(|line| line.chars().count() <= 100), "{screen}");
    let tmux = terminal(&panel, "owner", "--color never orders list --limit 3");
    tmux.until("Showing 3 of 8 orders");
    assert!(!tmux.is_coloured());
    // What a customer wrote is the same value and does nothing.
    let tmux = terminal(&panel, "owner", "users get 3 -o json --columns name");
    let screen = tmux.until("exit 0");
    let json = &screen[screen.find('{').unwrap()..=screen.find('}').unwrap()];
    assert_eq!(serde_json::from_str::<serde_json::Value>(json).unwrap()["name"], HOSTILE, "{screen}");
    assert!(screen.contains("\\u001b") && screen.contains("\\u202e"), "{screen}");
}

/// Neither rows nor the panel's own CSV can act on the screen.
#[tokio::test(flavor = "multi_thread")]
async fn nothing_acts_on_the_screen() {
    let panel = Panel::shop().await;
    for line in
        ["users export", "users list -o csv", "users list", "users get 3", "users list --jq '.[].name'"]
    {
        let tmux = terminal(&panel, "owner", &format!("version && {} {line}", program(&panel, "owner")));
        let screen = tmux.until("exit 0");
        assert!(
            screen.starts_with("panelctl 0.") && screen.contains("[2J\u{fffd}gnp.exe"),
            "{line}: {screen}"
        );
    }
}

/// The panel takes a chunk and never answers: the first Ctrl-C waits for it, the second does not; the journal knows.
#[cfg(unix)]
#[tokio::test]
async fn the_second_interrupt_ends_at_once() {
    let panel = Panel::empty().await;
    let silent = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let mut command = panel.command(&["orders", "approve", "1", "2", "--yes", "--chunk", "1"]);
    let base = format!("http://{}", silent.local_addr().unwrap());
    command.env("PANELCTL_SERVER", base).env("PANELCTL_TOKEN", "owner");
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).kill_on_drop(true);
    let mut child = command.spawn().unwrap();
    let mut said = BufReader::new(child.stderr.take().unwrap()).lines();
    let _asked = silent.accept().await.unwrap();
    let interrupt = async || {
        let id = child.id().unwrap().to_string();
        assert!(tokio::process::Command::new("kill").args(["-INT", &id]).status().await.unwrap().success());
    };
    interrupt().await;
    let mut line = said.next_line().await.unwrap().unwrap();
    while !line.starts_with("Ending after the chunk in flight") {
        line = said.next_line().await.unwrap().unwrap();
    }
    interrupt().await;
    let ended = tokio::time::timeout(std::time::Duration::from_secs(20), child.wait()).await;
    assert_eq!(ended.unwrap().unwrap().code(), Some(130));
    assert!(said.next_line().await.unwrap().unwrap().ends_with("panelctl runs resume last"));
    let shown = panel.run(&["runs", "show", "last", "-o", "csv"]).await;
    assert_eq!(shown.ok(), "id,result,code,message\n1,open,,\n2,open,,\n");
}
