//! The mouse: a click selects, the wheel scrolls. It must never confirm anything.

use ratatui::layout::{Position, Rect};

use crate::app::App;
use crate::dialog::Dialog;
use crate::event::MouseAction;
use crate::key::Key;
use crate::keymap::Command;
use crate::layout::{self, Areas};

/// Rows per wheel step.
const WHEEL: usize = 3;

impl App {
    pub(super) fn mouse(&mut self, action: MouseAction, x: u16, y: u16) {
        if self.options.no_mouse {
            return;
        }
        let Some(areas) = self.areas() else { return };
        let at = Position::new(x, y);
        if self.overlay.is_some() {
            return self.wheel_over_dialog(action);
        }
        match action {
            MouseAction::Click => self.click(&areas, at),
            MouseAction::WheelDown | MouseAction::WheelUp => {
                self.wheel(&areas, at, action == MouseAction::WheelDown)
            }
        }
    }

    fn wheel_over_dialog(&mut self, action: MouseAction) {
        let down = match action {
            MouseAction::Click => return,
            MouseAction::WheelDown => true,
            MouseAction::WheelUp => false,
        };
        let key = if down { Key::Down } else { Key::Up };
        if let Some(overlay) = &mut self.overlay
            && matches!(overlay.dialog, Dialog::Help(_) | Dialog::Notice(_))
        {
            for _ in 0..WHEEL {
                overlay.handle(self.now, key, false);
            }
        }
    }

    fn wheel(&mut self, areas: &Areas, at: Position, down: bool) {
        let over_detail = areas.detail.is_some_and(|area| area.contains(at));
        if over_detail {
            let focused = std::mem::replace(&mut self.pane.focused, true);
            for _ in 0..WHEEL {
                self.command(if down { Command::Down } else { Command::Up }, Key::Down);
            }
            self.pane.focused = focused;
        } else if let Some(list) = self.lists.get_mut(self.tab) {
            let cursor = list.cursor;
            list.move_cursor(if down { cursor + WHEEL } else { cursor.saturating_sub(WHEEL) });
        }
    }

    fn click(&mut self, areas: &Areas, at: Position) {
        if let Some(card) = layout::cards(areas).iter().position(|card| card.contains(at)) {
            let wanted = crate::model::counters::Counter::ALL[card];
            if let Some(tab) = self.lists.iter().position(|list| list.tab.counter == Some(wanted)) {
                self.show_tab(tab);
            }
        } else if let Some(tab) = self.tab_at(areas, at) {
            self.show_tab(tab);
        } else if areas.list.is_some_and(|list| list.contains(at)) {
            self.click_row(areas, at);
        } else if areas.detail.is_some_and(|detail| detail.contains(at)) && self.pane.id.is_some() {
            self.pane.focused = true;
        }
    }

    fn tab_at(&self, areas: &Areas, at: Position) -> Option<usize> {
        let mut x = areas.tabs.x;
        for (nth, label) in crate::draw::tabs::labels(self).iter().enumerate() {
            let width = u16::try_from(crate::text::width(label)).unwrap_or(u16::MAX);
            if Rect::new(x, areas.tabs.y, width, 1).contains(at) {
                return Some(nth);
            }
            x = x.saturating_add(width);
        }
        None
    }

    fn click_row(&mut self, areas: &Areas, at: Position) {
        self.pane.focused = false;
        let Some(row) = areas.first_row().and_then(|first| at.y.checked_sub(first)) else { return };
        if let Some(list) = self.lists.get_mut(self.tab) {
            let row = list.top + usize::from(row);
            if row < list.rows.len() && row < list.top + usize::from(areas.rows) {
                list.move_cursor(row);
            }
        }
    }
}
