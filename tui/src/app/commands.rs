//! The commands of the keymap in the queues and in the record pane.

use crate::app::{App, Severity};
use crate::command::{self, ParsedCommand};
use crate::dialog::menu::{Menu, MenuItem};
use crate::dialog::prompt::{Prompt, PromptKind};
use crate::dialog::{Dialog, MenuChoice, help::Help};
use crate::job::Job;
use crate::key::Key;
use crate::keymap::Command;
use crate::model::list::{RecordList, RefreshMode};
use crate::model::queue::Source;

impl App {
    pub(super) fn run_key_command(&mut self, command: Command, key: Key) {
        match command {
            Command::RecordAction(action) => match self.action_for_key(action) {
                Some(action) => self.confirm_action(action, key),
                None => self.show_status(
                    Severity::Info,
                    format!("This queue has no {} action.", action.texts().infinitive),
                ),
            },
            Command::ActionMenu => self.open_action_menu(key),
            Command::Undo => self.confirm_undo(key),
            Command::Mark | Command::Range | Command::MarkAll | Command::Unmark => self.change_marks(command),
            Command::Down | Command::Up | Command::Top | Command::Bottom => self.navigate(command),
            Command::PageDown | Command::PageUp => self.navigate(command),
            Command::Enter => self.open_selected_record(),
            Command::Back => self.go_back(),
            Command::Next | Command::Previous | Command::Tab => self.switch_tab(command, key),
            Command::NextListPage | Command::PreviousListPage => {
                self.change_page(command == Command::NextListPage)
            }
            Command::Filter => self.open_prompt(true, key),
            Command::CommandLine => self.open_prompt(false, key),
            Command::Sort => self.open_sort_menu(key),
            Command::Columns => self.open_column_menu(key),
            Command::Copy => self.copy_ids(),
            Command::OpenConsole => self.open_in_console(),
            Command::Refresh => self.refresh(),
            Command::Help => self.open_dialog(Dialog::Help(Help::default()), Some(key)),
            Command::Quit => self.quit(key),
            Command::Confirm | Command::Toggle | Command::Left | Command::Right => {}
        }
    }

    /// Quits; asks first while an action is running.
    pub(super) fn quit(&mut self, key: Key) {
        let Some(active_run) = &self.active_run else { return self.jobs.push(Job::Quit) };
        let item = |key, label: &str, choice| MenuItem {
            key,
            label: label.into(),
            choice,
            disabled_reason: None,
            is_checked: None,
        };
        let title = format!("Still {}", active_run.run.action.texts().present_participle);
        let items = vec![
            item(None, "Wait until it finishes", MenuChoice::Stay),
            item(Some('y'), "Quit now: changes not sent yet are skipped", MenuChoice::QuitNow),
        ];
        self.open_dialog(Dialog::Menu(Menu::new(title, items)), Some(key));
    }

    fn navigate(&mut self, command: Command) {
        let page_height = self.areas().map_or(1, |areas| usize::from(areas.visible_rows.max(2)) - 1);
        if self.pane.is_focused {
            self.pane.scroll_offset = match command {
                Command::Down => self.pane.scroll_offset + 1,
                Command::Up => self.pane.scroll_offset.saturating_sub(1),
                Command::PageDown => self.pane.scroll_offset + page_height,
                Command::PageUp => self.pane.scroll_offset.saturating_sub(page_height),
                _ => 0,
            };
            return self.clamp_pane();
        }
        let Some(list) = self.lists.get_mut(self.tab_index) else { return };
        let cursor = list.cursor;
        list.move_cursor(match command {
            Command::Down => cursor + 1,
            Command::Up => cursor.saturating_sub(1),
            Command::PageDown => cursor + page_height,
            Command::PageUp => cursor.saturating_sub(page_height),
            Command::Top => 0,
            _ => list.rows.len(),
        });
    }

    /// Keeps at least the last screen of the record visible.
    fn clamp_pane(&mut self) {
        let (Some(areas), Some(detail)) = (self.areas(), &self.pane.detail) else { return };
        let (width, height) = areas.detail.map_or((1, 1), |area| (area.width, area.height));
        let lines = crate::draw::detail::detail_lines(
            detail,
            usize::from(width.saturating_sub(4)),
            self.options.theme,
        );
        self.pane.scroll_offset =
            self.pane.scroll_offset.min(lines.len().saturating_sub(usize::from(height.saturating_sub(2))));
    }

    fn change_marks(&mut self, command: Command) {
        if command == Command::MarkAll {
            return self.mark_all();
        }
        let Some(list) = self.lists.get_mut(self.tab_index) else { return };
        match command {
            Command::Unmark => {
                list.marks.clear();
                list.range = None;
            }
            Command::Range if list.range.take().is_some() => {}
            Command::Range => {
                list.range = Some((list.cursor, list.marks.clone()));
                list.move_cursor(list.cursor);
            }
            _ => {
                let Some(row) = list.selected_row().cloned() else { return };
                if row.has_left_queue {
                    return self.show_status(Severity::Info, format!("{} has left this queue.", row.id));
                }
                list.range = None;
                list.marks.toggle(&row);
                list.move_cursor(list.cursor + 1);
            }
        }
    }

    fn go_back(&mut self) {
        if self.pane.is_focused {
            self.pane.is_focused = false;
            return;
        }
        let Some(list) = self.lists.get_mut(self.tab_index) else { return };
        if list.range.take().is_some() {
            return;
        }
        if list.is_filtered() {
            let default_filter = list.tab.default_filter;
            self.apply_filter(default_filter);
        }
    }

    fn switch_tab(&mut self, command: Command, key: Key) {
        let count = self.lists.len();
        let index = match (command, key) {
            (Command::Tab, Key::Char(digit)) => self.lists.iter().position(|list| list.tab.key == digit),
            (Command::Previous, _) => Some((self.tab_index + count.max(1) - 1) % count.max(1)),
            _ => Some((self.tab_index + 1) % count.max(1)),
        };
        match index {
            Some(index) => self.show_tab(index),
            None => self.show_status(Severity::Info, format!("There is no queue {key}.")),
        }
    }

    /// Shows the tab with this index, and loads it if it was not loaded before.
    pub(super) fn show_tab(&mut self, index: usize) {
        if index >= self.lists.len() {
            return;
        }
        self.tab_index = index;
        self.pane.is_focused = false;
        if self.lists[index].loaded_at.is_none() && self.lists[index].pending.is_none() {
            self.load_tab(index, RefreshMode::Replace);
        }
    }

    fn open_prompt(&mut self, is_filter: bool, key: Key) {
        let (kind, text) = match self.list() {
            Some(list) if is_filter => {
                (PromptKind::Filter(list.tab.source.fields()), list.filter_text.clone())
            }
            _ if is_filter => return,
            _ => (PromptKind::Command, String::new()),
        };
        let text = if text.is_empty() { text } else { text + " " };
        self.open_dialog(Dialog::Prompt(Prompt::new(kind, &text)), Some(key));
    }

    pub(super) fn run_command(&mut self, text: &str, key: Key) {
        self.overlay = None;
        self.command_history.add(text);
        match command::parse(text) {
            Ok(ParsedCommand::Order(id)) => {
                if self.source() != Some(Source::Orders)
                    && let Some(tab) = self.lists.iter().position(|list| list.tab.source == Source::Orders)
                {
                    self.show_tab(tab);
                }
                self.open_record(id.as_record_id());
            }
            Ok(ParsedCommand::Queue(name)) => self.show_queue_named(&name),
            Ok(ParsedCommand::Filter(text)) => self.apply_filter(&text),
            Ok(ParsedCommand::Profile(name)) => match &self.active_run {
                Some(_) => {
                    self.show_status(Severity::Error, "An action is still running. Wait until it finishes.")
                }
                None => self.jobs.push(Job::SwitchProfile(name)),
            },
            Ok(ParsedCommand::Refresh) => self.refresh(),
            Ok(ParsedCommand::Keys) => self.open_dialog(Dialog::Help(Help::default()), Some(key)),
            Ok(ParsedCommand::Quit) => self.quit(key),
            Err(message) => self.show_status(Severity::Error, message),
        }
    }

    fn show_queue_named(&mut self, name: &str) {
        let lowercase_name = name.to_lowercase();
        let matches_name = |list: &RecordList| {
            list.tab.name.to_lowercase().starts_with(&lowercase_name)
                || lowercase_name.parse::<char>().is_ok_and(|key| list.tab.key == key)
        };
        match self.lists.iter().position(matches_name) {
            Some(index) => self.show_tab(index),
            None => {
                let names: Vec<&str> = self.lists.iter().map(|list| list.tab.name).collect();
                self.show_status(
                    Severity::Error,
                    format!("There is no queue {name}. Queues: {}.", names.join(", ")),
                );
            }
        }
    }

    fn open_sort_menu(&mut self, key: Key) {
        let Some(list) = self.list() else { return };
        let columns = list.tab.source.columns();
        let sortable = columns.iter().enumerate().filter(|(_, column)| column.sort_key.is_some());
        let items = sortable.clone().map(|(index, column)| {
            let order = (column.sort_key == Some(list.sort.column)).then_some(if list.sort.descending {
                ", descending"
            } else {
                ", ascending"
            });
            let label = format!("{}{}", column.title, order.unwrap_or(""));
            MenuItem {
                key: None,
                label,
                choice: MenuChoice::Sort(index),
                disabled_reason: None,
                is_checked: None,
            }
        });
        let mut menu = Menu::new("Sort by (choose again to reverse)", items.collect());
        menu.focus = sortable
            .map(|(_, column)| column)
            .position(|column| column.sort_key == Some(list.sort.column))
            .unwrap_or(0);
        self.open_dialog(Dialog::Menu(menu), Some(key));
    }

    fn open_column_menu(&mut self, key: Key) {
        let Some(list) = self.list() else { return };
        let items = list.tab.source.columns().iter().enumerate().map(|(index, column)| MenuItem {
            key: None,
            label: column.title.clone(),
            choice: MenuChoice::Column(index),
            disabled_reason: (index == 0).then(|| "This column is always shown.".to_owned()),
            is_checked: Some(list.visible_columns.get(index).copied().unwrap_or(false)),
        });
        let menu = Menu::new("Columns", items.collect());
        self.open_dialog(Dialog::Menu(menu), Some(key));
    }

    fn copy_ids(&mut self) {
        let Some(list) = self.list() else { return };
        let ids = match (self.pane.is_focused, self.pane.id) {
            (true, Some(id)) => vec![id],
            _ if !list.marks.is_empty() => list.marks.ids(),
            _ => list.selected_row().map(|row| row.id).into_iter().collect(),
        };
        if !ids.is_empty() {
            self.jobs.push(Job::Copy(ids.iter().map(ToString::to_string).collect::<Vec<_>>().join(",")));
        }
    }

    fn open_in_console(&mut self) {
        let Some(list) = self.list() else { return };
        let id = if self.pane.is_focused { self.pane.id } else { list.selected_row().map(|row| row.id) };
        if let Some(id) = id {
            self.jobs.push(Job::OpenInBrowser(list.tab.source.console_path(id)));
        }
    }
}
