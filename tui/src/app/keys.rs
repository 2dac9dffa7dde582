//! Keys: an open dialog handles them first, otherwise the keymap.

use crate::app::{App, FOCUS_GUARD, Severity};
use crate::dialog::{Dialog, DialogAction, MenuChoice};
use crate::job::Job;
use crate::key::Key;
use crate::keymap::find;

impl App {
    pub(super) fn key(&mut self, key: Key, is_repeat: bool) {
        if self.focused_at.is_some_and(|at| self.now.since(at) < FOCUS_GUARD) {
            return;
        }
        if self.areas().is_none() && !matches!(key, Key::Char('q') | Key::Ctrl('c')) {
            return;
        }
        if let Some(mut overlay) = self.overlay.take() {
            let action = overlay.handle(self.now, key, is_repeat);
            self.overlay = Some(overlay);
            self.apply(action, key);
            return;
        }
        let context = self.key_context();
        match find(context, key) {
            Some(binding) => self.command(binding.command, key),
            None => {
                self.show_status(Severity::Info, format!("{key} has no action here. Press ? for the keys."))
            }
        }
    }

    /// Performs the action that a dialog returned.
    pub(super) fn apply(&mut self, action: DialogAction, key: Key) {
        match action {
            DialogAction::None => {}
            DialogAction::Close => self.overlay = None,
            DialogAction::Quit => self.quit(key),
            DialogAction::Preview => self.preview(),
            DialogAction::StartRun(run) => self.start(run),
            DialogAction::Filter(text) => self.filter(&text),
            DialogAction::Command(text) => self.run_command(&text, key),
            DialogAction::Recall { older } => self.recall(older),
            DialogAction::Choose(choice) => self.choose(choice, key),
            DialogAction::SignIn(input) => self.jobs.push(Job::SignIn(input)),
            DialogAction::ConfirmIdentity(password) => self.answer_identity(password),
            DialogAction::Copy(text) => self.jobs.push(Job::Copy(text)),
            DialogAction::ShowStatus(text) => self.show_status(Severity::Info, text),
        }
    }

    fn choose(&mut self, choice: MenuChoice, key: Key) {
        match choice {
            MenuChoice::Verb(verb) => {
                self.overlay = None;
                self.confirm_verb(verb, key);
            }
            MenuChoice::Column(at) => {
                if let Some(shown) =
                    self.lists.get_mut(self.tab).and_then(|list| list.visible_columns.get_mut(at))
                {
                    *shown = !*shown;
                }
            }
            MenuChoice::Sort(at) => {
                self.overlay = None;
                self.sort_by(at);
            }
            MenuChoice::Leave => self.jobs.push(Job::Quit),
            MenuChoice::Stay => self.overlay = None,
        }
    }

    fn recall(&mut self, older: bool) {
        let Some(overlay) = &mut self.overlay else { return };
        let Dialog::Prompt(prompt) = &mut overlay.dialog else { return };
        let history = match prompt.kind {
            crate::dialog::prompt::PromptKind::Filter(_) => &mut self.filter_history,
            crate::dialog::prompt::PromptKind::Command => &mut self.command_history,
        };
        if let Some(line) = if older { history.older() } else { history.newer() } {
            *prompt.line_mut() = line;
        }
    }
}
