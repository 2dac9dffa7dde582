//! The terminal itself: taken over on entering, given back on leaving, whichever way the program ends.
//!
//! Nothing else writes to standard output while it is taken over.

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

/// Exit status after a panic, as Rust's own.
const PANICKED: i32 = 101;

/// Whether the terminal is taken over now.
static TAKEN: AtomicBool = AtomicBool::new(false);

/// The terminal, taken over as long as this lives.
#[derive(Debug)]
pub struct Screen {
    terminal: Terminal<CrosstermBackend<Stdout>>,
}

impl Screen {
    /// Takes the terminal over.
    pub fn enter(mouse: bool) -> io::Result<Self> {
        if !stdout().is_terminal() || !io::stdin().is_terminal() {
            return Err(io::Error::other("panel-tui needs a terminal; for scripts there is panelctl"));
        }
        give_back_after_panics();
        TAKEN.store(true, Ordering::SeqCst);
        enable_raw_mode()?;
        execute!(stdout(), EnterAlternateScreen, EnableBracketedPaste, EnableFocusChange)?;
        if mouse {
            execute!(stdout(), EnableMouseCapture)?;
        }
        Ok(Self { terminal: Terminal::new(CrosstermBackend::new(stdout()))? })
    }

    /// Columns and lines.
    pub fn size(&self) -> io::Result<(u16, u16)> {
        let size = self.terminal.size()?;
        Ok((size.width, size.height))
    }

    /// Draws the dashboard.
    pub fn draw(&mut self, app: &App) -> io::Result<()> {
        self.terminal.draw(|frame| draw::draw(frame, app)).map(drop)
    }

    /// Sends the terminal a sequence that it does not show.
    pub fn whisper(&mut self, sequence: &str) -> io::Result<()> {
        let mut out = stdout();
        out.write_all(sequence.as_bytes())?;
        out.flush()
    }
}

impl Drop for Screen {
    fn drop(&mut self) {
        give_back();
    }
}

/// Gives the terminal back; once.
fn give_back() {
    if !TAKEN.swap(false, Ordering::SeqCst) {
        return;
    }
    // Nothing is left to do about a terminal that does not take these.
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

/// A panic anywhere gives the terminal back before it speaks, and ends the program: a dashboard whose task died
/// would show old numbers for ever.
fn give_back_after_panics() {
    let speak = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| {
        give_back();
        speak(panic);
        std::process::exit(PANICKED);
    }));
}
