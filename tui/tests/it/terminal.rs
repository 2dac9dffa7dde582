//! The program itself, in a real terminal, against a real panel.

use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};

use clap::Parser as _;
use panel_server::start::commands::{self, Cli};
use panel_tui::session::Options;
use panel_tui::terminal::Screen;
use tempfile::TempDir;

use crate::shop;
use crate::tmux::{Tmux, quoted};

/// Tells a process that was started from here what to be.
const FOLDER: &str = "TUI_TEST_FOLDER";
const LISTEN: &str = "TUI_TEST_LISTEN";

/// A process of this very test program, which runs only the test of that name.
fn own(name: &str) -> Command {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["--exact", name, "--ignored", "--nocapture"]);
    command
}

/// `panel-server demo`, as a process of its own.
pub(crate) struct Panel {
    child: Child,
    pub(crate) address: String,
}

impl Panel {
    fn start(folder: &Path, listen: &str) -> Self {
        let mut command = own("terminal::serve");
        for (name, _) in std::env::vars().filter(|(name, _)| name.starts_with("PANEL_")) {
            command.env_remove(name);
        }
        command.env(FOLDER, folder).env(LISTEN, listen).stdout(Stdio::null()).stderr(Stdio::piped());
        let child = command.spawn().unwrap();
        let mut panel = Self { child, address: String::new() };
        let mut lines = BufReader::new(panel.child.stderr.take().unwrap()).lines().map(Result::unwrap);
        let mut said = String::new();
        let address = lines.find_map(|line| {
            said.push_str(&line);
            line.strip_prefix("The demo listens on ").map(str::to_owned)
        });
        panel.address = address.unwrap_or_else(|| panic!("the panel did not start: {said}"));
        // What it says later must not fill the pipe, nor find it closed.
        std::thread::spawn(move || lines.for_each(drop));
        panel
    }

    /// Stops or continues the process, as a machine that hangs does.
    fn signal(&self, name: &str) {
        let pid = self.child.id().to_string();
        assert!(Command::new("kill").args([name, &pid]).status().unwrap().success());
    }

    fn stop(mut self) -> String {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
        self.address.clone()
    }
}

impl Drop for Panel {
    fn drop(&mut self) {
        drop(self.child.kill());
        drop(self.child.wait());
    }
}

/// A filled panel that runs.
pub(crate) fn panel(moderated: i64) -> (TempDir, Panel) {
    let folder = tempfile::tempdir().unwrap();
    let runtime = tokio::runtime::Runtime::new().unwrap();
    runtime.block_on(shop::fill(&folder.path().join("data"), moderated));
    let panel = Panel::start(&folder.path().join("data"), "127.0.0.1:0");
    (folder, panel)
}

/// The command line of the program, with a home of its own.
fn program(folder: &Path, arguments: &str) -> String {
    let home = quoted(&folder.join("home"));
    let program = quoted(Path::new(env!("CARGO_BIN_EXE_panel-tui")));
    format!("unset NO_COLOR PANELCTL_TOKEN; PANELCTL_HOME={home} {program} {arguments}")
}

/// Signs in as the demo's moderator.
fn sign_in(tmux: &Tmux) {
    tmux.until("Sign in to default");
    tmux.types("moderator@panel.test");
    tmux.keys(&["Enter"]);
    tmux.types("panel-demo");
    tmux.keys(&["Enter"]);
    tmux.until("● live");
}

#[test]
fn a_moderators_morning() {
    let (folder, panel) = panel(25);
    let address = panel.address.clone();
    let tmux = Tmux::run((80, 24), &program(folder.path(), &format!("--server {address}")));
    sign_in(&tmux);
    tmux.until("1–12 of 25");
    tmux.until("1 Orders 25");
    tmux.until("4 No provider 2");

    // A filter, and back to the whole queue.
    tmux.keys(&["/"]);
    tmux.types("user:suzuki cost>=3");
    tmux.keys(&["Enter"]);
    tmux.until("filter: status:in_moderation user:suzuki cost>=3");
    tmux.until_it("fewer orders", |screen| screen.contains("1–8 of 8 "));
    tmux.keys(&["Escape"]);
    tmux.until("1–12 of 25");

    // Two are approved, the counter follows by itself, and undone they wait for moderation again.
    tmux.keys(&["Space", "Space", "a"]);
    tmux.confirm("2 can be approved");
    tmux.until("2 orders approved · z undo");
    tmux.until("1 Orders 23");
    tmux.keys(&["z"]);
    tmux.confirm("Takes back: approved 2 orders");
    tmux.until("2 orders restored");
    tmux.until("1 Orders 25");

    // Pasted text is no keys; a click on a counter shows its queue.
    tmux.pastes("ay cy q");
    tmux.until("Pasted text is not taken as keys.");
    tmux.click(45, 3);
    tmux.until("1–2 of 2");
    tmux.click(3, 6);
    tmux.until("of 25");
    assert!(tmux.is_coloured());

    // A cancel with money back, of a single one.
    tmux.keys(&["c"]);
    tmux.until("1 can be canceled");
    tmux.keys(&["Tab"]);
    tmux.until_it("the focus on the money", |screen| {
        if screen.contains("▸ Return money") {
            return true;
        }
        tmux.keys(&["Tab"]);
        false
    });
    tmux.keys(&["Space"]);
    tmux.until("goes back to 1 customer");
    tmux.confirm("Cancel order");
    tmux.until("returned");
    tmux.until("1 Orders 24");

    // Everything that matches, in the larger terminal with the record beside the list.
    tmux.resize(160, 50);
    tmux.until("┌ Order ");
    tmux.until("Would go to");
    tmux.keys(&["A"]);
    tmux.until("24 orders marked");
    tmux.keys(&["r"]);
    tmux.confirm("24 can be rejected");
    tmux.until("24 orders rejected");
    tmux.until("Nothing waits for moderation.");
    tmux.keys(&["4"]);
    tmux.until("1–2 of 2");

    tmux.keys(&["q"]);
    tmux.until("exit 0");
    tmux.assert_given_back();
    drop(panel);
}

#[test]
fn the_panel_goes_away_and_comes_back() {
    let (folder, panel) = panel(3);
    let arguments = format!("--server {}", panel.address);
    let tmux = Tmux::run((80, 24), &program(folder.path(), &arguments));
    sign_in(&tmux);
    tmux.until("1–3 of 3");
    let address = panel.stop();
    tmux.until("○ offline, read only");
    tmux.keys(&["a"]);
    tmux.until("Nothing is queued");
    let _panel = Panel::start(&folder.path().join("data"), address.trim_start_matches("http://"));
    tmux.until("● live");
    tmux.until("Connected again.");
    tmux.keys(&["a"]);
    tmux.until("1 can be approved");
    tmux.keys(&["Escape"]);

    // A signal ends it like a key does; and the next start finds the session where panelctl keeps it.
    let pid = tmux.fact("pane_pid");
    let children = std::fs::read_to_string(format!("/proc/{pid}/task/{pid}/children")).unwrap();
    let child = children.split_whitespace().next().expect("the program runs");
    assert!(Command::new("kill").args(["-TERM", child]).status().unwrap().success());
    tmux.until("exit 143");
    tmux.assert_given_back();
    let plain = program(folder.path(), "").replace("PANELCTL_HOME", "NO_COLOR=1 PANELCTL_HOME");
    let again = Tmux::run((80, 24), &plain);
    again.until("1–3 of 3");
    again.until("moderator@panel.test");
    assert!(!again.is_coloured());
}

#[test]
fn a_panel_that_hangs_is_offline_within_five_seconds() {
    let (folder, panel) = panel(3);
    let tmux = Tmux::run((80, 24), &program(folder.path(), &format!("--server {}", panel.address)));
    sign_in(&tmux);
    tmux.until("1–3 of 3");
    panel.signal("-STOP");
    let begun = std::time::Instant::now();
    tmux.until("○ offline, read only");
    let passed = begun.elapsed();
    tmux.keys(&["a"]);
    tmux.until("Nothing is queued");
    // A program that starts now says so too, and goes on when the panel does.
    let second = Tmux::run((80, 24), &program(folder.path(), &format!("--server {}", panel.address)));
    second.until("○ offline, read only");
    panel.signal("-CONT");
    assert!(passed < std::time::Duration::from_secs(5), "{passed:?}");
    tmux.until("● live");
    second.until("● live");
}

#[test]
fn a_panic_gives_the_terminal_back_before_it_speaks() {
    let panics = own("terminal::panics");
    let arguments: Vec<_> = panics.get_args().map(|argument| argument.to_string_lossy()).collect();
    let program = quoted(Path::new(panics.get_program()));
    let tmux = Tmux::run((80, 24), &format!("{FOLDER}=x {program} {}", arguments.join(" ")));
    let screen = tmux.until("exit 101");
    assert!(screen.contains("on purpose"), "{screen}");
    tmux.assert_given_back();
}

#[test]
fn without_a_terminal_it_says_so() {
    let output = Command::new(env!("CARGO_BIN_EXE_panel-tui")).stdin(Stdio::null()).output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&output.stderr).contains("needs a terminal"));
}

/// Not a test: the panel's process.
#[test]
#[ignore = "is a process that other tests start"]
fn serve() {
    let (Ok(folder), Ok(listen)) = (std::env::var(FOLDER), std::env::var(LISTEN)) else { return };
    let cli = Cli::parse_from(["panel-server", "demo", "--still", "--data", &folder, "--listen", &listen]);
    tokio::runtime::Runtime::new().unwrap().block_on(commands::main(cli));
}

/// Not a test: a process that panics with the terminal in its hands, and not in its first thread.
#[test]
#[ignore = "is a process that other tests start"]
fn panics() {
    if std::env::var_os(FOLDER).is_none() {
        return;
    }
    let mut screen = Screen::enter(true).unwrap();
    let app = panel_tui::app::App::new(Options::default(), crate::stage::NOW, (80, 24));
    screen.draw(&app).unwrap();
    drop(std::thread::spawn(|| panic!("on purpose")).join());
}
