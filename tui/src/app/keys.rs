//! Keys: an open dialog handles them first, otherwise the keymap.

use crate::app::{App, IGNORE_KEYS_AFTER_FOCUS, Severity};
use crate::dialog::{Dialog, DialogAction, MenuChoice};
use crate::job::Job;
use crate::key::Key;
use crate::keymap::find_binding;

impl App {
    pub(super) fn handle_key(&mut self, key: Key, is_repeat: bool) {
        if self
            .window_focused_at
            .is_some_and(|focused_at| self.now.since(focused_at) < IGNORE_KEYS_AFTER_FOCUS)
        {
            return;
        }
        if self.areas().is_none() && !matches!(key, Key::Char('q') | Key::Ctrl('c')) {
            return;
        }
        if let Some(mut overlay) = self.overlay.take() {
            let action = overlay.handle(self.now, key, is_repeat);
            self.overlay = Some(overlay);
            self.perform_dialog_action(action, key);
            return;
        }
        let context = self.key_context();
        match find_binding(context, key) {
            Some(binding) => self.run_key_command(binding.command, key),
            None => {
                self.show_status(Severity::Info, format!("{key} has no action here. Press ? for the keys."))
            }
        }
    }

    /// Performs the action that a dialog returned.
    fn perform_dialog_action(&mut self, action: DialogAction, key: Key) {
        match action {
            DialogAction::None => {}
            DialogAction::Close => self.overlay = None,
            DialogAction::Quit => self.quit(key),
            DialogAction::RequestPreview => self.request_preview(),
            DialogAction::StartRun(run) => self.start_run(run),
            DialogAction::Filter(text) => self.apply_filter(&text),
            DialogAction::Command(text) => self.run_command(&text, key),
            DialogAction::ShowHistory { is_older } => self.show_history(is_older),
            DialogAction::Choose(choice) => self.apply_choice(choice, key),
            DialogAction::SignIn(input) => self.jobs.push(Job::SignIn(input)),
            DialogAction::ConfirmIdentity(password) => self.send_password(password),
            DialogAction::Copy(text) => self.jobs.push(Job::Copy(text)),
            DialogAction::ShowStatus(text) => self.show_status(Severity::Info, text),
        }
    }

    fn apply_choice(&mut self, choice: MenuChoice, key: Key) {
        match choice {
            MenuChoice::RecordAction(action) => {
                self.overlay = None;
                self.confirm_action(action, key);
            }
            MenuChoice::Column(index) => {
                if let Some(is_visible) =
                    self.lists.get_mut(self.tab_index).and_then(|list| list.visible_columns.get_mut(index))
                {
                    *is_visible = !*is_visible;
                }
            }
            MenuChoice::Sort(index) => {
                self.overlay = None;
                self.sort_by(index);
            }
            MenuChoice::QuitNow => self.jobs.push(Job::Quit),
            MenuChoice::Stay => self.overlay = None,
        }
    }

    fn show_history(&mut self, is_older: bool) {
        let Some(overlay) = &mut self.overlay else { return };
        let Dialog::Prompt(prompt) = &mut overlay.dialog else { return };
        let history = match prompt.kind {
            crate::dialog::prompt::PromptKind::Filter(_) => &mut self.filter_history,
            crate::dialog::prompt::PromptKind::Command => &mut self.command_history,
        };
        if let Some(input) = if is_older { history.older() } else { history.newer() } {
            *prompt.input_mut() = input;
        }
    }
}
