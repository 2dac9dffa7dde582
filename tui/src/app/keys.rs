//! Keys: what is open takes them first; then the keymap says what they ask for.

use crate::app::{App, FOCUS, Mood};
use crate::dialog::{Action, Choice, Dialog};
use crate::job::Job;
use crate::key::Key;
use crate::keymap::{Place, find};

impl App {
    pub(super) fn key(&mut self, key: Key, held: bool) {
        if self.focused.is_some_and(|at| self.now.since(at) < FOCUS) {
            return;
        }
        if self.areas().is_none() && !matches!(key, Key::Char('q') | Key::Ctrl('c')) {
            return;
        }
        if let Some(mut open) = self.open.take() {
            let action = open.on(self.now, key, held);
            self.open = Some(open);
            self.act(action, key);
            return;
        }
        let place = self.place();
        match find(place, key) {
            Some(binding) => self.command(binding.command, key),
            None => self.say(Mood::Info, format!("{key} does nothing here. ? shows the keys.")),
        }
    }

    /// Does what an open control wants done.
    pub(super) fn act(&mut self, action: Action, key: Key) {
        match action {
            Action::None => {}
            Action::Close => self.open = None,
            Action::Quit => self.quit(key),
            Action::Preview => self.preview(),
            Action::Run(run) => self.start(run),
            Action::Filter(text) => self.filter(&text),
            Action::Command(text) => self.typed_command(&text, key),
            Action::Recall { older } => self.recall(older),
            Action::Choose(choice) => self.choose(choice, key),
            Action::SignIn(input) => self.jobs.push(Job::SignIn(input)),
            Action::Identify(password) => self.identify(password),
            Action::Copy(text) => self.jobs.push(Job::Copy(text)),
            Action::Say(text) => self.say(Mood::Info, text),
        }
    }

    fn choose(&mut self, choice: Choice, key: Key) {
        match choice {
            Choice::Verb(verb) => {
                self.open = None;
                self.ask(verb, key);
            }
            Choice::Column(at) => {
                if let Some(shown) = self.lists.get_mut(self.tab).and_then(|list| list.shown.get_mut(at)) {
                    *shown = !*shown;
                }
            }
            Choice::Sort(at) => {
                self.open = None;
                self.sort_by(at);
            }
            Choice::Leave => self.jobs.push(Job::Quit),
            Choice::Stay => self.open = None,
        }
    }

    fn recall(&mut self, older: bool) {
        let Some(open) = &mut self.open else { return };
        let Dialog::Prompt(prompt) = &mut open.dialog else { return };
        let history = match prompt.kind {
            crate::dialog::prompt::Kind::Filter(_) => &mut self.filters,
            crate::dialog::prompt::Kind::Command => &mut self.commands,
        };
        if let Some(line) = if older { history.older() } else { history.newer() } {
            *prompt.line_mut() = line;
        }
    }

    /// The sentence about a key that the footer shows, in this place.
    #[must_use]
    pub fn is_queue(&self) -> bool {
        self.place() == Place::Queue
    }
}
