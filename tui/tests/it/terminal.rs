//! The program in a real terminal, against a real server.

use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};

use clap::Parser as _;
use panel_server::start::commands::{self, Cli};
use panel_tui::session::Options;
use panel_tui::terminal::Screen;
use tempfile::TempDir;

use crate::panel_fixture;
use crate::tmux::{Tmux, quote_path};

/// Environment variables for the processes that these tests start.
const FOLDER_VARIABLE: &str = "TUI_TEST_FOLDER";
const LISTEN_VARIABLE: &str = "TUI_TEST_LISTEN";

/// The command that runs this test program with only the test of this name.
fn test_process(name: &str) -> Command {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["--exact", name, "--ignored", "--nocapture"]);
    command
}

/// A process of `panel-server demo`.
pub(crate) struct Server {
    child: Child,
    pub(crate) address: String,
}

impl Server {
    fn start(folder: &Path, listen: &str) -> Self {
        let mut command = test_process("terminal::run_server_process");
        for (name, _) in std::env::vars().filter(|(name, _)| name.starts_with("PANEL_")) {
            command.env_remove(name);
        }
        command
            .env(FOLDER_VARIABLE, folder)
            .env(LISTEN_VARIABLE, listen)
            .stdout(Stdio::null())
            .stderr(Stdio::piped());
        let child = command.spawn().unwrap();
        let mut server = Self { child, address: String::new() };
        let mut lines = BufReader::new(server.child.stderr.take().unwrap()).lines().map(Result::unwrap);
        let mut output = String::new();
        let address = lines.find_map(|line| {
            output.push_str(&line);
            line.strip_prefix("The demo listens on ").map(str::to_owned)
        });
        server.address = address.unwrap_or_else(|| panic!("the server did not start: {output}"));
        // Read the later output too, so that the pipe is never full or closed.
        std::thread::spawn(move || lines.for_each(drop));
        server
    }

    /// Sends a signal: `-STOP` simulates a machine that hangs.
    fn send_signal(&self, name: &str) {
        let pid = self.child.id().to_string();
        assert!(Command::new("kill").args([name, &pid]).status().unwrap().success());
    }

    fn stop(mut self) -> String {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
        self.address.clone()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        drop(self.child.kill());
        drop(self.child.wait());
    }
}

/// Starts a server with orders.
pub(crate) fn start_server(moderated_count: i64) -> (TempDir, Server) {
    let folder = tempfile::tempdir().unwrap();
    let runtime = tokio::runtime::Runtime::new().unwrap();
    runtime.block_on(panel_fixture::create_orders(&folder.path().join("data"), moderated_count));
    let server = Server::start(&folder.path().join("data"), "127.0.0.1:0");
    (folder, server)
}

/// The shell command that runs the program with a home folder for this test.
fn program_command(folder: &Path, arguments: &str) -> String {
    let home = quote_path(&folder.join("home"));
    let program = quote_path(Path::new(env!("CARGO_BIN_EXE_panel-tui")));
    format!("unset NO_COLOR PANELCTL_TOKEN; PANELCTL_HOME={home} {program} {arguments}")
}

/// Signs in as the demo's moderator.
fn sign_in(tmux: &Tmux) {
    tmux.wait_for("Sign in to default");
    tmux.type_text("moderator@panel.test");
    tmux.send_keys(&["Enter"]);
    tmux.type_text("panel-demo");
    tmux.send_keys(&["Enter"]);
    tmux.wait_for("● live");
}

#[test]
fn moderates_orders_in_a_real_terminal() {
    let (folder, server) = start_server(25);
    let address = server.address.clone();
    let tmux = Tmux::run((80, 24), &program_command(folder.path(), &format!("--server {address}")));
    sign_in(&tmux);
    tmux.wait_for("1–12 of 25");
    tmux.wait_for("1 Orders 25");
    tmux.wait_for("4 No provider 2");

    // Filter the list, and reset the filter.
    tmux.send_keys(&["/"]);
    tmux.type_text("user:suzuki cost>=3");
    tmux.send_keys(&["Enter"]);
    tmux.wait_for("filter: status:in_moderation user:suzuki cost>=3");
    tmux.wait_until("fewer orders", |screen| screen.contains("1–8 of 8 "));
    tmux.send_keys(&["Escape"]);
    tmux.wait_for("1–12 of 25");

    // Approve two orders: the counter changes. After the undo they are in moderation again.
    tmux.send_keys(&["Space", "Space", "a"]);
    tmux.confirm("2 can be approved");
    tmux.wait_for("2 orders approved · z undo");
    tmux.wait_for("1 Orders 23");
    tmux.send_keys(&["z"]);
    tmux.confirm("Last action: approved 2 orders");
    tmux.wait_for("2 orders restored");
    tmux.wait_for("1 Orders 25");

    // Pasted text runs no keys; a click on a counter shows its queue.
    tmux.paste("ay cy q");
    tmux.wait_for("Pasted text is ignored here.");
    tmux.click(45, 3);
    tmux.wait_for("1–2 of 2");
    tmux.click(3, 6);
    tmux.wait_for("of 25");
    assert!(tmux.is_colored());

    // Cancel one order with a refund.
    tmux.send_keys(&["c"]);
    tmux.wait_for("1 can be canceled");
    tmux.send_keys(&["Tab"]);
    tmux.wait_until("the focus on the refund", |screen| {
        if screen.contains("▸ Refund") {
            return true;
        }
        tmux.send_keys(&["Tab"]);
        false
    });
    tmux.send_keys(&["Space"]);
    tmux.wait_for("to 1 customer");
    tmux.confirm("Cancel order");
    tmux.wait_for("refunded");
    tmux.wait_for("1 Orders 24");

    // Reject all matching orders, in a larger terminal with the record pane.
    tmux.resize(160, 50);
    tmux.wait_for("┌ Order ");
    tmux.wait_for("Candidates");
    tmux.send_keys(&["A"]);
    tmux.wait_for("24 orders marked");
    tmux.send_keys(&["r"]);
    tmux.confirm("24 can be rejected");
    tmux.wait_for("24 orders rejected");
    tmux.wait_for("No orders in moderation.");
    tmux.send_keys(&["4"]);
    tmux.wait_for("1–2 of 2");

    tmux.send_keys(&["q"]);
    tmux.wait_for("exit 0");
    tmux.assert_terminal_restored();
    drop(server);
}

#[test]
fn reconnects_after_an_outage() {
    let (folder, server) = start_server(3);
    let arguments = format!("--server {}", server.address);
    let tmux = Tmux::run((80, 24), &program_command(folder.path(), &arguments));
    sign_in(&tmux);
    tmux.wait_for("1–3 of 3");
    let address = server.stop();
    tmux.wait_for("○ offline, read only");
    tmux.send_keys(&["a"]);
    tmux.wait_for("Changes are not queued");
    let _server = Server::start(&folder.path().join("data"), address.trim_start_matches("http://"));
    tmux.wait_for("● live");
    tmux.wait_for("Reconnected.");
    tmux.send_keys(&["a"]);
    tmux.wait_for("1 can be approved");
    tmux.send_keys(&["Escape"]);

    // A signal ends the program, and the next start resumes the stored session, which panelctl can use too.
    let pid = tmux.variable("pane_pid");
    let children = std::fs::read_to_string(format!("/proc/{pid}/task/{pid}/children")).unwrap();
    let child = children.split_whitespace().next().expect("the program does not run");
    assert!(Command::new("kill").args(["-TERM", child]).status().unwrap().success());
    tmux.wait_for("exit 143");
    tmux.assert_terminal_restored();
    let program_without_color =
        program_command(folder.path(), "").replace("PANELCTL_HOME", "NO_COLOR=1 PANELCTL_HOME");
    let resumed = Tmux::run((80, 24), &program_without_color);
    resumed.wait_for("1–3 of 3");
    resumed.wait_for("moderator@panel.test");
    assert!(!resumed.is_colored());
}

#[test]
fn a_server_that_does_not_respond_is_offline_within_five_seconds() {
    let (folder, server) = start_server(3);
    let tmux = Tmux::run((80, 24), &program_command(folder.path(), &format!("--server {}", server.address)));
    sign_in(&tmux);
    tmux.wait_for("1–3 of 3");
    server.send_signal("-STOP");
    let started_at = std::time::Instant::now();
    tmux.wait_for("○ offline, read only");
    let elapsed = started_at.elapsed();
    tmux.send_keys(&["a"]);
    tmux.wait_for("Changes are not queued");
    // A program that starts now is offline too, and connects when the server resumes.
    let second_tmux =
        Tmux::run((80, 24), &program_command(folder.path(), &format!("--server {}", server.address)));
    second_tmux.wait_for("○ offline, read only");
    server.send_signal("-CONT");
    assert!(elapsed < std::time::Duration::from_secs(5), "{elapsed:?}");
    tmux.wait_for("● live");
    second_tmux.wait_for("● live");
}

#[test]
fn a_panic_restores_the_terminal_first() {
    let panicking_process = test_process("terminal::run_panicking_process");
    let arguments: Vec<_> = panicking_process.get_args().map(|argument| argument.to_string_lossy()).collect();
    let program = quote_path(Path::new(panicking_process.get_program()));
    let tmux = Tmux::run((80, 24), &format!("{FOLDER_VARIABLE}=x {program} {}", arguments.join(" ")));
    let screen = tmux.wait_for("exit 101");
    assert!(screen.contains("on purpose"), "{screen}");
    tmux.assert_terminal_restored();
}

#[test]
fn exits_with_an_error_without_a_terminal() {
    let output = Command::new(env!("CARGO_BIN_EXE_panel-tui")).stdin(Stdio::null()).output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&output.stderr).contains("needs a terminal"));
}

/// Not a test: other tests start it as the process of the server.
#[test]
#[ignore = "is a process that other tests start"]
fn run_server_process() {
    let (Ok(folder), Ok(listen)) = (std::env::var(FOLDER_VARIABLE), std::env::var(LISTEN_VARIABLE)) else {
        return;
    };
    let cli = Cli::parse_from(["panel-server", "demo", "--still", "--data", &folder, "--listen", &listen]);
    tokio::runtime::Runtime::new().unwrap().block_on(commands::main(cli));
}

/// Not a test: a process that panics in another thread while the terminal is in raw mode.
#[test]
#[ignore = "is a process that other tests start"]
fn run_panicking_process() {
    if std::env::var_os(FOLDER_VARIABLE).is_none() {
        return;
    }
    let mut screen = Screen::enter(true).unwrap();
    let app = panel_tui::app::App::new(Options::default(), crate::harness::NOW, (80, 24));
    screen.draw(&app).unwrap();
    drop(std::thread::spawn(|| panic!("on purpose")).join());
}
