//! The mouse: a click selects, the wheel scrolls. It must never confirm anything.

use ratatui::layout::{Position, Rect};

use crate::app::App;
use crate::dialog::Dialog;
use crate::event::MouseAction;
use crate::key::Key;
use crate::keymap::Command;
use crate::layout::{self, Areas};
use crate::model::counters::Counter;

const ROWS_PER_WHEEL_STEP: usize = 3;

impl App {
    pub(super) fn handle_mouse(&mut self, action: MouseAction, x: u16, y: u16) {
        if self.options.no_mouse {
            return;
        }
        let Some(areas) = self.areas() else { return };
        let position = Position::new(x, y);
        if self.overlay.is_some() {
            return self.scroll_dialog(action);
        }
        match action {
            MouseAction::Click => self.click(&areas, position),
            MouseAction::WheelDown | MouseAction::WheelUp => {
                self.scroll_at(&areas, position, action == MouseAction::WheelDown)
            }
        }
    }

    fn scroll_dialog(&mut self, action: MouseAction) {
        let down = match action {
            MouseAction::Click => return,
            MouseAction::WheelDown => true,
            MouseAction::WheelUp => false,
        };
        let key = if down { Key::Down } else { Key::Up };
        if let Some(overlay) = &mut self.overlay
            && matches!(overlay.dialog, Dialog::Help(_) | Dialog::Notice(_))
        {
            for _ in 0..ROWS_PER_WHEEL_STEP {
                overlay.handle(self.now, key, false);
            }
        }
    }

    fn scroll_at(&mut self, areas: &Areas, position: Position, down: bool) {
        let over_detail = areas.detail.is_some_and(|area| area.contains(position));
        if over_detail {
            let was_focused = std::mem::replace(&mut self.pane.is_focused, true);
            for _ in 0..ROWS_PER_WHEEL_STEP {
                self.run_key_command(if down { Command::Down } else { Command::Up }, Key::Down);
            }
            self.pane.is_focused = was_focused;
        } else if let Some(list) = self.lists.get_mut(self.tab_index) {
            let cursor = list.cursor;
            list.move_cursor(if down {
                cursor + ROWS_PER_WHEEL_STEP
            } else {
                cursor.saturating_sub(ROWS_PER_WHEEL_STEP)
            });
        }
    }

    fn click(&mut self, areas: &Areas, position: Position) {
        if let Some(card) = layout::card_areas(areas).iter().position(|card| card.contains(position)) {
            let counter = Counter::ALL[card];
            if let Some(tab) = self.lists.iter().position(|list| list.tab.counter == Some(counter)) {
                self.show_tab(tab);
            }
        } else if let Some(tab) = self.tab_at(areas, position) {
            self.show_tab(tab);
        } else if areas.list.is_some_and(|list| list.contains(position)) {
            self.click_row(areas, position);
        } else if areas.detail.is_some_and(|detail| detail.contains(position)) && self.pane.id.is_some() {
            self.pane.is_focused = true;
        }
    }

    fn tab_at(&self, areas: &Areas, position: Position) -> Option<usize> {
        let mut x = areas.tabs.x;
        for (index, label) in crate::draw::tabs::tab_labels(self).iter().enumerate() {
            let width = u16::try_from(crate::text::width(label)).unwrap_or(u16::MAX);
            if Rect::new(x, areas.tabs.y, width, 1).contains(position) {
                return Some(index);
            }
            x = x.saturating_add(width);
        }
        None
    }

    fn click_row(&mut self, areas: &Areas, position: Position) {
        self.pane.is_focused = false;
        let Some(row) = areas.first_row().and_then(|first| position.y.checked_sub(first)) else { return };
        if let Some(list) = self.lists.get_mut(self.tab_index) {
            let row = list.scroll_offset + usize::from(row);
            if row < list.rows.len() && row < list.scroll_offset + usize::from(areas.visible_rows) {
                list.move_cursor(row);
            }
        }
    }
}
