//! A real terminal for tests: tmux with a server per test. A wait polls the screen.

use std::path::Path;
use std::process::{Command, Output};
use std::time::{Duration, Instant};

use tempfile::TempDir;

/// The pause between two reads of the screen.
const POLL_INTERVAL: Duration = Duration::from_millis(50);
/// A text that does not appear within this time fails the test.
const TIMEOUT: Duration = Duration::from_secs(30);

pub(crate) struct Tmux {
    folder: TempDir,
}

impl Tmux {
    /// Runs a shell script in a terminal of this size. The terminal stays open and shows the exit status.
    pub(crate) fn run(size: (u16, u16), script: &str) -> Self {
        let tmux = Self { folder: tempfile::tempdir().unwrap() };
        let path = tmux.folder.path().join("script");
        std::fs::write(
            &path,
            format!("{script}\necho \"exit $?\"\nstty -a | grep -ow -e '-*echo'\nsleep 600\n"),
        )
        .unwrap();
        let (width, height) = (size.0.to_string(), size.1.to_string());
        let shell = format!("sh {}", path.display());
        let output = tmux.run_tmux(&["new-session", "-d", "-x", &width, "-y", &height, &shell]);
        assert!(output.status.success(), "tmux: {}", String::from_utf8_lossy(&output.stderr));
        tmux
    }

    fn run_tmux(&self, arguments: &[&str]) -> Output {
        let socket = self.folder.path().join("socket");
        let mut command = Command::new("tmux");
        command.arg("-u").arg("-f").arg("/dev/null").arg("-S").arg(socket).args(arguments);
        command.env("LANG", "C.UTF-8").env("LC_ALL", "C.UTF-8").env_remove("TMUX").env_remove("NO_COLOR");
        command.output().unwrap_or_else(|error| {
            panic!("tmux cannot be run ({error}). This test needs a real terminal: install tmux (apt-get install tmux)")
        })
    }

    pub(crate) fn screen(&self) -> String {
        String::from_utf8_lossy(&self.run_tmux(&["capture-pane", "-p"]).stdout).into_owned()
    }

    /// A format variable of tmux, such as `alternate_on`.
    pub(crate) fn variable(&self, name: &str) -> String {
        let output = self.run_tmux(&["display-message", "-p", &format!("#{{{name}}}")]);
        String::from_utf8_lossy(&output.stdout).trim().to_owned()
    }

    /// Presses keys by their tmux names.
    pub(crate) fn send_keys(&self, names: &[&str]) {
        let mut arguments = vec!["send-keys"];
        arguments.extend(names);
        self.run_tmux(&arguments);
    }

    pub(crate) fn type_text(&self, text: &str) {
        self.run_tmux(&["send-keys", "-l", text]);
    }

    /// Sends a left click in the SGR encoding; column and line start at 1.
    pub(crate) fn click(&self, x: u16, y: u16) {
        self.type_text(&format!("\u{1b}[<0;{x};{y}M\u{1b}[<0;{x};{y}m"));
    }

    /// Sends a bracketed paste.
    pub(crate) fn paste(&self, text: &str) {
        self.run_tmux(&["set-buffer", text]);
        self.run_tmux(&["paste-buffer", "-p"]);
    }

    /// Whether a part of the screen is colored.
    pub(crate) fn is_colored(&self) -> bool {
        let output = self.run_tmux(&["capture-pane", "-p", "-e"]);
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        ["[3", ";3", "[9", ";9"].iter().any(|code| {
            text.split(code).skip(1).any(|rest| matches!(rest.as_bytes(), [b'0'..=b'8', b'm' | b';', ..]))
        })
    }

    pub(crate) fn resize(&self, width: u16, height: u16) {
        self.run_tmux(&["resize-window", "-x", &width.to_string(), "-y", &height.to_string()]);
    }

    /// Waits until the screen shows a text, and returns the screen.
    #[track_caller]
    pub(crate) fn wait_for(&self, text: &str) -> String {
        self.wait_until(&format!("{text:?} to be shown"), |screen| screen.contains(text))
    }

    /// Waits until the screen meets a condition. `condition` describes it in the panic message.
    #[track_caller]
    pub(crate) fn wait_until(&self, condition: &str, is_met: impl Fn(&str) -> bool) -> String {
        let started_at = Instant::now();
        loop {
            let screen = self.screen();
            if is_met(&screen) {
                return screen;
            }
            assert!(started_at.elapsed() < TIMEOUT, "timed out waiting for {condition}:\n{screen}");
            std::thread::sleep(POLL_INTERVAL);
        }
    }

    /// Presses `y` until the dialog with this text closes. The dialog ignores the first keys after it opened.
    #[track_caller]
    pub(crate) fn confirm(&self, text: &str) {
        self.wait_for(text);
        let started_at = Instant::now();
        while self.screen().contains(text) {
            assert!(started_at.elapsed() < TIMEOUT, "the dialog stays open:\n{}", self.screen());
            self.send_keys(&["y"]);
            std::thread::sleep(POLL_INTERVAL);
        }
    }

    /// Asserts that the terminal has the same state as before the program.
    #[track_caller]
    pub(crate) fn assert_terminal_restored(&self) {
        let screen = self
            .wait_until("the settings of the terminal", |screen| screen.lines().any(|line| line == "echo"));
        for variable in ["alternate_on", "mouse_any_flag", "bracket_paste_flag"] {
            assert!(matches!(self.variable(variable).as_str(), "0" | ""), "{variable}:\n{screen}");
        }
        assert_ne!(self.variable("cursor_flag"), "0", "the cursor is hidden:\n{screen}");
    }
}

impl Drop for Tmux {
    fn drop(&mut self) {
        self.run_tmux(&["kill-server"]);
    }
}

/// Quotes a path for a shell.
pub(crate) fn quote_path(path: &Path) -> String {
    format!("'{}'", path.display())
}
