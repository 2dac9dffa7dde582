//! What the terminal library tells, as the dashboard's own events. Pure.

use crossterm::event::{
    Event as Told, KeyCode, KeyEvent, KeyEventKind, KeyModifiers, MouseButton, MouseEvent, MouseEventKind,
};

use crate::event::{Event, Mouse};
use crate::key::Key;

/// The event; none for what the dashboard does not care about.
#[must_use]
pub fn event(told: Told) -> Option<Event> {
    match told {
        Told::Key(key) => pressed(key),
        Told::Mouse(mouse) => clicked(mouse),
        Told::Paste(text) => Some(Event::Paste(text)),
        Told::Resize(width, height) => Some(Event::Resize(width, height)),
        Told::FocusGained => Some(Event::Focus),
        Told::FocusLost => None,
    }
}

fn pressed(event: KeyEvent) -> Option<Event> {
    if event.kind == KeyEventKind::Release {
        return None;
    }
    Some(Event::Key { key: key(event)?, held: event.kind == KeyEventKind::Repeat })
}

fn key(event: KeyEvent) -> Option<Key> {
    let ctrl = event.modifiers.contains(KeyModifiers::CONTROL);
    // Alt and a letter is not that letter.
    if event.modifiers.intersects(KeyModifiers::ALT | KeyModifiers::SUPER | KeyModifiers::META) {
        return None;
    }
    Some(match event.code {
        KeyCode::Char(letter) if ctrl => Key::Ctrl(letter.to_ascii_lowercase()),
        KeyCode::Char(letter) => Key::Char(letter),
        KeyCode::Enter => Key::Enter,
        KeyCode::Esc => Key::Esc,
        KeyCode::Tab => Key::Tab,
        KeyCode::BackTab => Key::BackTab,
        KeyCode::Up => Key::Up,
        KeyCode::Down => Key::Down,
        KeyCode::Left => Key::Left,
        KeyCode::Right => Key::Right,
        KeyCode::Home => Key::Home,
        KeyCode::End => Key::End,
        KeyCode::PageUp => Key::PageUp,
        KeyCode::PageDown => Key::PageDown,
        KeyCode::Backspace => Key::Backspace,
        KeyCode::Delete => Key::Delete,
        _ => return None,
    })
}

fn clicked(event: MouseEvent) -> Option<Event> {
    let what = match event.kind {
        MouseEventKind::Down(MouseButton::Left) => Mouse::Click,
        MouseEventKind::ScrollUp => Mouse::WheelUp,
        MouseEventKind::ScrollDown => Mouse::WheelDown,
        _ => return None,
    };
    Some(Event::Mouse { what, x: event.column, y: event.row })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_keep_their_shift_and_lose_their_release() {
        let told = |code, modifiers| event(Told::Key(KeyEvent::new(code, modifiers)));
        let pressed = |key| Some(Event::Key { key, held: false });
        assert_eq!(told(KeyCode::Char('A'), KeyModifiers::SHIFT), pressed(Key::Char('A')));
        assert_eq!(told(KeyCode::Char('R'), KeyModifiers::CONTROL), pressed(Key::Ctrl('r')));
        assert_eq!(told(KeyCode::Char('a'), KeyModifiers::ALT), None);
        let mut release = KeyEvent::new(KeyCode::Enter, KeyModifiers::NONE);
        release.kind = KeyEventKind::Release;
        assert_eq!(event(Told::Key(release)), None);
    }
}
