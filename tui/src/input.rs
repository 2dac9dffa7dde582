//! Converts events of crossterm to events of the dashboard. It does no I/O.

use crossterm::event::{
    Event as TerminalEvent, KeyCode, KeyEvent, KeyEventKind, KeyModifiers, MouseButton, MouseEvent,
    MouseEventKind,
};

use crate::event::{Event, MouseAction};
use crate::key::Key;

#[must_use]
pub fn to_event(terminal_event: TerminalEvent) -> Option<Event> {
    match terminal_event {
        TerminalEvent::Key(key) => key_event(key),
        TerminalEvent::Mouse(mouse) => mouse_event(mouse),
        TerminalEvent::Paste(text) => Some(Event::Paste(text)),
        TerminalEvent::Resize(width, height) => Some(Event::Resize(width, height)),
        TerminalEvent::FocusGained => Some(Event::Focus),
        TerminalEvent::FocusLost => None,
    }
}

fn key_event(event: KeyEvent) -> Option<Event> {
    if event.kind == KeyEventKind::Release {
        return None;
    }
    Some(Event::Key { key: to_key(event)?, is_repeat: event.kind == KeyEventKind::Repeat })
}

fn to_key(event: KeyEvent) -> Option<Key> {
    let is_ctrl = event.modifiers.contains(KeyModifiers::CONTROL);
    // Keys with Alt have no binding, and must not act like the key without Alt.
    if event.modifiers.intersects(KeyModifiers::ALT | KeyModifiers::SUPER | KeyModifiers::META) {
        return None;
    }
    Some(match event.code {
        KeyCode::Char(letter) if is_ctrl => Key::Ctrl(letter.to_ascii_lowercase()),
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

fn mouse_event(event: MouseEvent) -> Option<Event> {
    let action = match event.kind {
        MouseEventKind::Down(MouseButton::Left) => MouseAction::Click,
        MouseEventKind::ScrollUp => MouseAction::WheelUp,
        MouseEventKind::ScrollDown => MouseAction::WheelDown,
        _ => return None,
    };
    Some(Event::Mouse { action, x: event.column, y: event.row })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_keep_shift_and_ignore_releases() {
        let translate = |code, modifiers| to_event(TerminalEvent::Key(KeyEvent::new(code, modifiers)));
        let key_event = |key| Some(Event::Key { key, is_repeat: false });
        assert_eq!(translate(KeyCode::Char('A'), KeyModifiers::SHIFT), key_event(Key::Char('A')));
        assert_eq!(translate(KeyCode::Char('R'), KeyModifiers::CONTROL), key_event(Key::Ctrl('r')));
        assert_eq!(translate(KeyCode::Char('a'), KeyModifiers::ALT), None);
        let mut release = KeyEvent::new(KeyCode::Enter, KeyModifiers::NONE);
        release.kind = KeyEventKind::Release;
        assert_eq!(to_event(TerminalEvent::Key(release)), None);
    }
}
