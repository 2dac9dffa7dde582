//! A real terminal to run programs in, and to look at: tmux, with a server of its own. Waiting is polling.

use std::path::Path;
use std::process::{Command, Output};
use std::time::{Duration, Instant};

use tempfile::TempDir;

/// Between two looks.
const POLL: Duration = Duration::from_millis(50);
/// What does not appear within this time does not appear.
const PATIENCE: Duration = Duration::from_secs(30);

pub(crate) struct Tmux {
    folder: TempDir,
}

impl Tmux {
    /// A terminal of this size in which a shell script runs; afterwards it shows the exit status and waits.
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
        let made = tmux.tmux(&["new-session", "-d", "-x", &width, "-y", &height, &shell]);
        assert!(made.status.success(), "tmux: {}", String::from_utf8_lossy(&made.stderr));
        tmux
    }

    fn tmux(&self, arguments: &[&str]) -> Output {
        let socket = self.folder.path().join("socket");
        let mut command = Command::new("tmux");
        command.arg("-u").arg("-f").arg("/dev/null").arg("-S").arg(socket).args(arguments);
        command.env("LANG", "C.UTF-8").env("LC_ALL", "C.UTF-8").env_remove("TMUX").env_remove("NO_COLOR");
        command.output().unwrap_or_else(|error| {
            panic!("tmux cannot be run ({error}). This test needs a real terminal: install tmux (apt-get install tmux)")
        })
    }

    /// What it shows now.
    pub(crate) fn screen(&self) -> String {
        String::from_utf8_lossy(&self.tmux(&["capture-pane", "-p"]).stdout).into_owned()
    }

    /// One of tmux's own facts, such as `alternate_on`.
    pub(crate) fn fact(&self, name: &str) -> String {
        let told = self.tmux(&["display-message", "-p", &format!("#{{{name}}}")]);
        String::from_utf8_lossy(&told.stdout).trim().to_owned()
    }

    /// Presses keys by tmux's names.
    pub(crate) fn keys(&self, names: &[&str]) {
        let mut arguments = vec!["send-keys"];
        arguments.extend(names);
        self.tmux(&arguments);
    }

    /// Types a text.
    pub(crate) fn types(&self, text: &str) {
        self.tmux(&["send-keys", "-l", text]);
    }

    /// Clicks with the left button, as terminals tell it; column and line from 1.
    pub(crate) fn click(&self, x: u16, y: u16) {
        self.types(&format!("\u{1b}[<0;{x};{y}M\u{1b}[<0;{x};{y}m"));
    }

    /// Pastes, with the brackets that tell it from typing.
    pub(crate) fn pastes(&self, text: &str) {
        self.tmux(&["set-buffer", text]);
        self.tmux(&["paste-buffer", "-p"]);
    }

    /// Whether anything is coloured.
    pub(crate) fn is_coloured(&self) -> bool {
        let told = self.tmux(&["capture-pane", "-p", "-e"]);
        let text = String::from_utf8_lossy(&told.stdout).into_owned();
        ["[3", ";3", "[9", ";9"].iter().any(|code| {
            text.split(code).skip(1).any(|rest| matches!(rest.as_bytes(), [b'0'..=b'8', b'm' | b';', ..]))
        })
    }

    pub(crate) fn resize(&self, width: u16, height: u16) {
        self.tmux(&["resize-window", "-x", &width.to_string(), "-y", &height.to_string()]);
    }

    /// Looks until the screen shows a text; the screen.
    #[track_caller]
    pub(crate) fn until(&self, text: &str) -> String {
        self.until_it(&format!("{text:?} to be shown"), |screen| screen.contains(text))
    }

    /// Looks until something holds of the screen.
    #[track_caller]
    pub(crate) fn until_it(&self, what: &str, holds: impl Fn(&str) -> bool) -> String {
        let begun = Instant::now();
        loop {
            let screen = self.screen();
            if holds(&screen) {
                return screen;
            }
            assert!(begun.elapsed() < PATIENCE, "waited in vain for {what}:\n{screen}");
            std::thread::sleep(POLL);
        }
    }

    /// Presses `y` for as long as a dialog with this text stands: it takes no keys in its first moment.
    #[track_caller]
    pub(crate) fn confirm(&self, text: &str) {
        self.until(text);
        let begun = Instant::now();
        while self.screen().contains(text) {
            assert!(begun.elapsed() < PATIENCE, "it cannot be confirmed:\n{}", self.screen());
            self.keys(&["y"]);
            std::thread::sleep(POLL);
        }
    }

    /// The terminal is as it was before the program.
    #[track_caller]
    pub(crate) fn assert_given_back(&self) {
        let screen =
            self.until_it("the terminal's settings", |screen| screen.lines().any(|line| line == "echo"));
        for fact in ["alternate_on", "mouse_any_flag", "bracket_paste_flag"] {
            assert!(matches!(self.fact(fact).as_str(), "0" | ""), "{fact}:\n{screen}");
        }
        assert_ne!(self.fact("cursor_flag"), "0", "the cursor is hidden:\n{screen}");
    }
}

impl Drop for Tmux {
    fn drop(&mut self) {
        self.tmux(&["kill-server"]);
    }
}

/// A path as a shell takes it.
pub(crate) fn quoted(path: &Path) -> String {
    format!("'{}'", path.display())
}
