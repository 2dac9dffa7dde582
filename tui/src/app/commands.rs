//! What the keymap's commands do in the queues and in the detail.

use crate::app::{App, Mood};
use crate::command::{self, Typed};
use crate::dialog::menu::{Item, Menu};
use crate::dialog::prompt::{Kind, Prompt};
use crate::dialog::{Choice, Dialog, help::Help};
use crate::job::Job;
use crate::key::Key;
use crate::keymap::Command;
use crate::model::list::List;
use crate::model::queue::Source;

impl App {
    pub(super) fn command(&mut self, command: Command, key: Key) {
        match command {
            Command::Verb(verb) => match self.meant(verb) {
                Some(verb) => self.ask(verb, key),
                None => self.say(Mood::Info, format!("There is nothing to {} here.", verb.words().verb)),
            },
            Command::More => self.more(key),
            Command::Undo => self.ask_undo(key),
            Command::Mark | Command::Range | Command::All | Command::Unmark => self.mark(command),
            Command::Down | Command::Up | Command::Top | Command::Bottom => self.go(command),
            Command::PageDown | Command::PageUp => self.go(command),
            Command::Enter => self.open_detail(),
            Command::Back => self.back(),
            Command::Next | Command::Previous | Command::Tab => self.switch(command, key),
            Command::PageOn | Command::PageBack => self.turn(command == Command::PageOn),
            Command::Filter => self.prompt(true, key),
            Command::CommandLine => self.prompt(false, key),
            Command::Sort => self.sort_menu(key),
            Command::Columns => self.column_menu(key),
            Command::Copy => self.copy(),
            Command::Web => self.web(),
            Command::Refresh => self.refresh(),
            Command::Help => self.show(Dialog::Help(Help::default()), Some(key)),
            Command::Quit => self.quit(key),
            Command::Yes | Command::Toggle | Command::Left | Command::Right => {}
        }
    }

    /// Leaves; while an action runs only after asking.
    pub(super) fn quit(&mut self, key: Key) {
        let Some(running) = &self.running else { return self.jobs.push(Job::Quit) };
        let item =
            |key, label: &str, choice| Item { key, label: label.into(), choice, off: None, ticked: None };
        let title = format!("{} still runs", running.run.verb.words().doing);
        let items = vec![
            item(None, "Stay until it is done", Choice::Stay),
            item(Some('y'), "Leave now: what was not sent yet is left out", Choice::Leave),
        ];
        self.show(Dialog::Menu(Menu::new(title, items)), Some(key));
    }

    fn go(&mut self, command: Command) {
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
        list.go(match command {
            Command::Down => at + 1,
            Command::Up => at.saturating_sub(1),
            Command::PageDown => at + screen,
            Command::PageUp => at.saturating_sub(screen),
            Command::Top => 0,
            _ => list.rows.len(),
        });
    }

    /// What was scrolled to must still show something.
    fn clamp_pane(&mut self) {
        let (Some(areas), Some(detail)) = (self.areas(), &self.pane.detail) else { return };
        let (width, height) = areas.detail.map_or((1, 1), |area| (area.width, area.height));
        let lines =
            crate::draw::detail::lines(detail, usize::from(width.saturating_sub(4)), self.options.theme);
        self.pane.top = self.pane.top.min(lines.len().saturating_sub(usize::from(height.saturating_sub(2))));
    }

    fn mark(&mut self, command: Command) {
        if command == Command::All {
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
                list.go(list.cursor);
            }
            _ => {
                let Some(row) = list.current().cloned() else { return };
                if row.left {
                    return self.say(Mood::Info, format!("{} is no longer in this queue.", row.id));
                }
                list.range = None;
                list.marks.toggle(&row);
                list.go(list.cursor + 1);
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
            let own = list.tab.filter;
            self.filter(own);
        }
    }

    fn switch(&mut self, command: Command, key: Key) {
        let count = self.lists.len();
        let to = match (command, key) {
            (Command::Tab, Key::Char(digit)) => self.lists.iter().position(|list| list.tab.key == digit),
            (Command::Previous, _) => Some((self.tab + count.max(1) - 1) % count.max(1)),
            _ => Some((self.tab + 1) % count.max(1)),
        };
        match to {
            Some(to) => self.show_tab(to),
            None => self.say(Mood::Info, format!("There is no queue {key}.")),
        }
    }

    /// Shows a tab; loads it when that was not done yet.
    pub(super) fn show_tab(&mut self, to: usize) {
        if to >= self.lists.len() {
            return;
        }
        self.tab = to;
        self.pane.focused = false;
        if self.lists[to].loaded.is_none() && self.lists[to].waiting.is_none() {
            self.load(to, crate::model::list::Put::Whole);
        }
    }

    fn prompt(&mut self, filter: bool, key: Key) {
        let (kind, text) = match self.list() {
            Some(list) if filter => (Kind::Filter(list.tab.source.fields()), list.typed.clone()),
            _ if filter => return,
            _ => (Kind::Command, String::new()),
        };
        let text = if text.is_empty() { text } else { text + " " };
        self.show(Dialog::Prompt(Prompt::new(kind, &text)), Some(key));
    }

    pub(super) fn typed_command(&mut self, text: &str, key: Key) {
        self.open = None;
        self.commands.add(text);
        match command::read(text) {
            Ok(Typed::Order(id)) => {
                if self.source() != Some(Source::Orders)
                    && let Some(tab) = self.lists.iter().position(|list| list.tab.source == Source::Orders)
                {
                    self.show_tab(tab);
                }
                self.open_record(id.record());
            }
            Ok(Typed::Queue(name)) => self.named_queue(&name),
            Ok(Typed::Filter(text)) => self.filter(&text),
            Ok(Typed::Profile(name)) => match &self.running {
                Some(_) => self.say(Mood::Bad, "An action still runs here; wait until it is done."),
                None => self.jobs.push(Job::Profile(name)),
            },
            Ok(Typed::Refresh) => self.refresh(),
            Ok(Typed::Keys) => self.show(Dialog::Help(Help::default()), Some(key)),
            Ok(Typed::Quit) => self.quit(key),
            Err(message) => self.say(Mood::Bad, message),
        }
    }

    fn named_queue(&mut self, name: &str) {
        let wanted = name.to_lowercase();
        let fits = |list: &List| {
            list.tab.name.to_lowercase().starts_with(&wanted)
                || wanted.parse::<char>().is_ok_and(|key| list.tab.key == key)
        };
        match self.lists.iter().position(fits) {
            Some(to) => self.show_tab(to),
            None => {
                let names: Vec<&str> = self.lists.iter().map(|list| list.tab.name).collect();
                self.say(Mood::Bad, format!("There is no queue {name}. There are: {}.", names.join(", ")));
            }
        }
    }

    fn sort_menu(&mut self, key: Key) {
        let Some(list) = self.list() else { return };
        let columns = list.tab.source.columns();
        let sortable = columns.iter().enumerate().filter(|(_, column)| column.sort.is_some());
        let items = sortable.clone().map(|(at, column)| {
            let now = (column.sort == Some(list.sort.0)).then_some(if list.sort.1 {
                ", largest first"
            } else {
                ", smallest first"
            });
            let label = format!("{}{}", column.title, now.unwrap_or(""));
            Item { key: None, label, choice: Choice::Sort(at), off: None, ticked: None }
        });
        let mut menu = Menu::new("Order by (again turns it around)", items.collect());
        menu.at = sortable
            .map(|(_, column)| column)
            .position(|column| column.sort == Some(list.sort.0))
            .unwrap_or(0);
        self.show(Dialog::Menu(menu), Some(key));
    }

    fn column_menu(&mut self, key: Key) {
        let Some(list) = self.list() else { return };
        let items = list.tab.source.columns().iter().enumerate().map(|(at, column)| Item {
            key: None,
            label: column.title.clone(),
            choice: Choice::Column(at),
            off: (at == 0).then(|| "The id always stays.".to_owned()),
            ticked: Some(list.shown.get(at).copied().unwrap_or(false)),
        });
        let menu = Menu::new("Columns", items.collect());
        self.show(Dialog::Menu(menu), Some(key));
    }

    fn copy(&mut self) {
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

    fn web(&mut self) {
        let Some(list) = self.list() else { return };
        let id = if self.pane.focused { self.pane.id } else { list.current().map(|row| row.id) };
        if let Some(id) = id {
            self.jobs.push(Job::Open(list.tab.source.path(id)));
        }
    }
}
