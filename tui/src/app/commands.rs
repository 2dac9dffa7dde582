//! The commands of the keymap in the queues and in the record pane.

use crate::app::{App, Severity};
use crate::command::{self, ParsedCommand};
use crate::dialog::menu::{Menu, MenuItem};
use crate::dialog::prompt::{Prompt, PromptKind};
use crate::dialog::{Dialog, MenuChoice, help::Help};
use crate::job::Job;
use crate::key::Key;
use crate::keymap::Command;
use crate::model::list::List;
use crate::model::queue::Source;

impl App {
    pub(super) fn command(&mut self, command: Command, key: Key) {
        match command {
            Command::Verb(verb) => match self.verb_for_key(verb) {
                Some(verb) => self.confirm_verb(verb, key),
                None => self
                    .show_status(Severity::Info, format!("This queue has no {} action.", verb.texts().verb)),
            },
            Command::ActionMenu => self.open_action_menu(key),
            Command::Undo => self.confirm_undo(key),
            Command::Mark | Command::Range | Command::MarkAll | Command::Unmark => self.mark(command),
            Command::Down | Command::Up | Command::Top | Command::Bottom => self.navigate(command),
            Command::PageDown | Command::PageUp => self.navigate(command),
            Command::Enter => self.open_detail(),
            Command::Back => self.back(),
            Command::Next | Command::Previous | Command::Tab => self.switch_tab(command, key),
            Command::NextListPage | Command::PreviousListPage => {
                self.change_page(command == Command::NextListPage)
            }
            Command::Filter => self.prompt(true, key),
            Command::CommandLine => self.prompt(false, key),
            Command::Sort => self.sort_menu(key),
            Command::Columns => self.column_menu(key),
            Command::Copy => self.copy_ids(),
            Command::OpenConsole => self.open_in_console(),
            Command::Refresh => self.refresh(),
            Command::Help => self.show(Dialog::Help(Help::default()), Some(key)),
            Command::Quit => self.quit(key),
            Command::Confirm | Command::Toggle | Command::Left | Command::Right => {}
        }
    }

    /// Quits; asks first while an action is running.
    pub(super) fn quit(&mut self, key: Key) {
        let Some(running) = &self.running else { return self.jobs.push(Job::Quit) };
        let item = |key, label: &str, choice| MenuItem {
            key,
            label: label.into(),
            choice,
            disabled_reason: None,
            checked: None,
        };
        let title = format!("Still {}", running.run.verb.texts().doing);
        let items = vec![
            item(None, "Wait until it finishes", MenuChoice::Stay),
            item(Some('y'), "Quit now: changes not sent yet are skipped", MenuChoice::Leave),
        ];
        self.show(Dialog::Menu(Menu::new(title, items)), Some(key));
    }

    fn navigate(&mut self, command: Command) {
        let screen = self.areas().map_or(1, |areas| usize::from(areas.rows.max(2)) - 1);
        if self.pane.focused {
            self.pane.top = match command {
                Command::Down => self.pane.top + 1,
                Command::Up => self.pane.top.saturating_sub(1),
                Command::PageDown => self.pane.top + screen,
                Command::PageUp => self.pane.top.saturating_sub(screen),
                _ => 0,
            };
            return self.clamp_pane();
        }
        let Some(list) = self.lists.get_mut(self.tab) else { return };
        let at = list.cursor;
        list.move_cursor(match command {
            Command::Down => at + 1,
            Command::Up => at.saturating_sub(1),
            Command::PageDown => at + screen,
            Command::PageUp => at.saturating_sub(screen),
            Command::Top => 0,
            _ => list.rows.len(),
        });
    }

    /// Keeps at least the last screen of the record visible.
    fn clamp_pane(&mut self) {
        let (Some(areas), Some(detail)) = (self.areas(), &self.pane.detail) else { return };
        let (width, height) = areas.detail.map_or((1, 1), |area| (area.width, area.height));
        let lines =
            crate::draw::detail::lines(detail, usize::from(width.saturating_sub(4)), self.options.theme);
        self.pane.top = self.pane.top.min(lines.len().saturating_sub(usize::from(height.saturating_sub(2))));
    }

    fn mark(&mut self, command: Command) {
        if command == Command::MarkAll {
            return self.mark_all();
        }
        let Some(list) = self.lists.get_mut(self.tab) else { return };
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
                let Some(row) = list.current().cloned() else { return };
                if row.left_queue {
                    return self.show_status(Severity::Info, format!("{} has left this queue.", row.id));
                }
                list.range = None;
                list.marks.toggle(&row);
                list.move_cursor(list.cursor + 1);
            }
        }
    }

    fn back(&mut self) {
        if self.pane.focused {
            self.pane.focused = false;
            return;
        }
        let Some(list) = self.lists.get_mut(self.tab) else { return };
        if list.range.take().is_some() {
            return;
        }
        if list.is_filtered() {
            let default_filter = list.tab.filter;
            self.filter(default_filter);
        }
    }

    fn switch_tab(&mut self, command: Command, key: Key) {
        let count = self.lists.len();
        let to = match (command, key) {
            (Command::Tab, Key::Char(digit)) => self.lists.iter().position(|list| list.tab.key == digit),
            (Command::Previous, _) => Some((self.tab + count.max(1) - 1) % count.max(1)),
            _ => Some((self.tab + 1) % count.max(1)),
        };
        match to {
            Some(to) => self.show_tab(to),
            None => self.show_status(Severity::Info, format!("There is no queue {key}.")),
        }
    }

    /// Shows a tab and loads it the first time.
    pub(super) fn show_tab(&mut self, to: usize) {
        if to >= self.lists.len() {
            return;
        }
        self.tab = to;
        self.pane.focused = false;
        if self.lists[to].loaded_at.is_none() && self.lists[to].pending.is_none() {
            self.load(to, crate::model::list::RefreshMode::Replace);
        }
    }

    fn prompt(&mut self, filter: bool, key: Key) {
        let (kind, text) = match self.list() {
            Some(list) if filter => (PromptKind::Filter(list.tab.source.fields()), list.filter_text.clone()),
            _ if filter => return,
            _ => (PromptKind::Command, String::new()),
        };
        let text = if text.is_empty() { text } else { text + " " };
        self.show(Dialog::Prompt(Prompt::new(kind, &text)), Some(key));
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
                self.open_record(id.record());
            }
            Ok(ParsedCommand::Queue(name)) => self.show_queue_named(&name),
            Ok(ParsedCommand::Filter(text)) => self.filter(&text),
            Ok(ParsedCommand::Profile(name)) => match &self.running {
                Some(_) => {
                    self.show_status(Severity::Error, "An action is still running. Wait until it finishes.")
                }
                None => self.jobs.push(Job::Profile(name)),
            },
            Ok(ParsedCommand::Refresh) => self.refresh(),
            Ok(ParsedCommand::Keys) => self.show(Dialog::Help(Help::default()), Some(key)),
            Ok(ParsedCommand::Quit) => self.quit(key),
            Err(message) => self.show_status(Severity::Error, message),
        }
    }

    fn show_queue_named(&mut self, name: &str) {
        let wanted = name.to_lowercase();
        let fits = |list: &List| {
            list.tab.name.to_lowercase().starts_with(&wanted)
                || wanted.parse::<char>().is_ok_and(|key| list.tab.key == key)
        };
        match self.lists.iter().position(fits) {
            Some(to) => self.show_tab(to),
            None => {
                let names: Vec<&str> = self.lists.iter().map(|list| list.tab.name).collect();
                self.show_status(
                    Severity::Error,
                    format!("There is no queue {name}. Queues: {}.", names.join(", ")),
                );
            }
        }
    }

    fn sort_menu(&mut self, key: Key) {
        let Some(list) = self.list() else { return };
        let columns = list.tab.source.columns();
        let sortable = columns.iter().enumerate().filter(|(_, column)| column.sort.is_some());
        let items = sortable.clone().map(|(at, column)| {
            let now = (column.sort == Some(list.sort.column)).then_some(if list.sort.descending {
                ", descending"
            } else {
                ", ascending"
            });
            let label = format!("{}{}", column.title, now.unwrap_or(""));
            MenuItem { key: None, label, choice: MenuChoice::Sort(at), disabled_reason: None, checked: None }
        });
        let mut menu = Menu::new("Sort by (choose again to reverse)", items.collect());
        menu.focus = sortable
            .map(|(_, column)| column)
            .position(|column| column.sort == Some(list.sort.column))
            .unwrap_or(0);
        self.show(Dialog::Menu(menu), Some(key));
    }

    fn column_menu(&mut self, key: Key) {
        let Some(list) = self.list() else { return };
        let items = list.tab.source.columns().iter().enumerate().map(|(at, column)| MenuItem {
            key: None,
            label: column.title.clone(),
            choice: MenuChoice::Column(at),
            disabled_reason: (at == 0).then(|| "This column is always shown.".to_owned()),
            checked: Some(list.visible_columns.get(at).copied().unwrap_or(false)),
        });
        let menu = Menu::new("Columns", items.collect());
        self.show(Dialog::Menu(menu), Some(key));
    }

    fn copy_ids(&mut self) {
        let Some(list) = self.list() else { return };
        let ids = match (self.pane.focused, self.pane.id) {
            (true, Some(id)) => vec![id],
            _ if !list.marks.is_empty() => list.marks.ids(),
            _ => list.current().map(|row| row.id).into_iter().collect(),
        };
        if !ids.is_empty() {
            self.jobs.push(Job::Copy(ids.iter().map(ToString::to_string).collect::<Vec<_>>().join(",")));
        }
    }

    fn open_in_console(&mut self) {
        let Some(list) = self.list() else { return };
        let id = if self.pane.focused { self.pane.id } else { list.current().map(|row| row.id) };
        if let Some(id) = id {
            self.jobs.push(Job::Open(list.tab.source.console_path(id)));
        }
    }
}
