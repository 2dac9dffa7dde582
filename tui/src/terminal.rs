//! Switches the terminal to raw mode and the alternate screen, and restores it on exit, on signals and on panics.
//!
//! While the terminal is in raw mode, only this module may write to standard output.

use std::io::{self, IsTerminal as _, Stdout, Write as _, stdout};
use std::sync::atomic::{AtomicBool, Ordering};

use crossterm::event::{
    DisableBracketedPaste, DisableFocusChange, DisableMouseCapture, EnableBracketedPaste, EnableFocusChange,
    EnableMouseCapture,
};
use crossterm::terminal::{EnterAlternateScreen, LeaveAlternateScreen, disable_raw_mode, enable_raw_mode};
use crossterm::{cursor, execute};
use ratatui::Terminal;
use ratatui::backend::CrosstermBackend;

use crate::app::App;
use crate::draw;

/// Exit status after a panic, the same as Rust's default.
const PANIC_EXIT_CODE: i32 = 101;

/// Whether the terminal is in raw mode and shows the alternate screen.
static IS_ACTIVE: AtomicBool = AtomicBool::new(false);

/// The terminal in raw mode; dropping it restores the terminal.
#[derive(Debug)]
pub struct Screen {
    terminal: Terminal<CrosstermBackend<Stdout>>,
}

impl Screen {
    /// Switches to raw mode and the alternate screen.
    pub fn enter(captures_mouse: bool) -> io::Result<Self> {
        if !stdout().is_terminal() || !io::stdin().is_terminal() {
            return Err(io::Error::other("panel-tui needs a terminal; use panelctl in scripts"));
        }
        restore_on_panic();
        IS_ACTIVE.store(true, Ordering::SeqCst);
        enable_raw_mode()?;
        execute!(stdout(), EnterAlternateScreen, EnableBracketedPaste, EnableFocusChange)?;
        if captures_mouse {
            execute!(stdout(), EnableMouseCapture)?;
        }
        Ok(Self { terminal: Terminal::new(CrosstermBackend::new(stdout()))? })
    }

    pub fn size(&self) -> io::Result<(u16, u16)> {
        let size = self.terminal.size()?;
        Ok((size.width, size.height))
    }

    pub fn draw(&mut self, app: &App) -> io::Result<()> {
        self.terminal.draw(|frame| draw::draw(frame, app)).map(drop)
    }

    /// Writes an escape sequence to the terminal.
    pub fn write_sequence(&mut self, sequence: &str) -> io::Result<()> {
        let mut out = stdout();
        out.write_all(sequence.as_bytes())?;
        out.flush()
    }
}

impl Drop for Screen {
    fn drop(&mut self) {
        restore();
    }
}

/// Restores the terminal; further calls do nothing.
fn restore() {
    if !IS_ACTIVE.swap(false, Ordering::SeqCst) {
        return;
    }
    // Errors are ignored, because there is no other way to restore the terminal.
    drop(execute!(
        stdout(),
        DisableMouseCapture,
        DisableFocusChange,
        DisableBracketedPaste,
        LeaveAlternateScreen,
        cursor::Show
    ));
    drop(disable_raw_mode());
}

/// Installs a panic hook that restores the terminal, prints the panic and ends the process. Without it, the dashboard would show
/// old numbers after a background task panicked.
fn restore_on_panic() {
    let default_hook = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| {
        restore();
        default_hook(panic);
        std::process::exit(PANIC_EXIT_CODE);
    }));
}
