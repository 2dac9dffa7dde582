//! The hints in the footer: the keys of the keymap that have an effect in the current state.

use crate::app::App;
use crate::dialog::Dialog;
use crate::dialog::confirm::{ConfirmDialog, ConfirmField};
use crate::key::Key;
use crate::keymap::{Binding, Command, KeyContext, bindings_in};
use crate::text::format_count;

/// The key and the hint of every valid binding, the most important first.
#[must_use]
pub fn list_hints(app: &App) -> Vec<(String, String)> {
    let context = app.key_context();
    let mut bindings: Vec<&Binding> =
        bindings_in(context).filter(|binding| binding.footer_rank > 0 && is_valid(app, binding)).collect();
    bindings.sort_by_key(|binding| binding.footer_rank);
    bindings.into_iter().map(|binding| (format_key(app, binding), format_hint(app, binding))).collect()
}

fn format_key(app: &App, binding: &Binding) -> String {
    match binding.keys.first() {
        Some(Key::Enter) => app.options.theme.glyphs().enter.to_owned(),
        Some(key) => key.to_string(),
        None => String::new(),
    }
}

/// The hint of a binding. If records are marked, also shows to how many of them the action applies.
fn format_hint(app: &App, binding: &Binding) -> String {
    let action = match binding.command {
        Command::RecordAction(action) => app.action_for_key(action),
        _ => None,
    };
    let text = action.map_or(binding.hint, |action| action.texts().infinitive);
    let Some(list) = app.list().filter(|_| app.key_context() == KeyContext::List) else {
        return text.to_owned();
    };
    let format_number = |number: usize| format_count(i64::try_from(number).unwrap_or(i64::MAX));
    match (binding.command, action) {
        (_, Some(action)) if !list.marks.is_empty() => {
            format!(
                "{text} {}/{}",
                format_number(list.marks.count_eligible(action)),
                format_number(list.marks.len())
            )
        }
        (Command::MarkAll, _) => format!("all {}", format_count(list.total)),
        _ => text.to_owned(),
    }
}

fn is_valid(app: &App, binding: &Binding) -> bool {
    let has_rows = app.list().is_some_and(|list| !list.rows.is_empty());
    let has_marks = app.list().is_some_and(|list| !list.marks.is_empty());
    match (binding.context, binding.command) {
        (_, Command::RecordAction(action)) => {
            app.action_for_key(action).is_some_and(|action| app.disabled_reason(action).is_none())
        }
        (_, Command::Undo) => {
            !app.undo_offers.is_empty() && app.read_only_reason().is_none() && app.active_run.is_none()
        }
        (KeyContext::List, Command::Unmark) => has_marks,
        (
            KeyContext::List,
            Command::Mark
            | Command::Range
            | Command::MarkAll
            | Command::Enter
            | Command::Copy
            | Command::OpenConsole,
        ) => has_rows,
        (KeyContext::List, Command::Filter | Command::Sort | Command::Columns) => app.list().is_some(),
        (KeyContext::List, Command::ActionMenu) => {
            app.list().is_some_and(|list| !list.tab.source.actions().is_empty())
        }
        (KeyContext::Confirm, command) => {
            open_confirm(app).is_none_or(|confirm| is_valid_in_confirm(confirm, command))
        }
        _ => true,
    }
}

fn open_confirm(app: &App) -> Option<&ConfirmDialog> {
    match &app.overlay.as_ref()?.dialog {
        Dialog::Confirm(confirm) => Some(confirm),
        _ => None,
    }
}

fn is_valid_in_confirm(confirm: &ConfirmDialog, command: Command) -> bool {
    let is_text_field = matches!(
        confirm.focus,
        ConfirmField::Amount | ConfirmField::Description | ConfirmField::Confirmation
    );
    match command {
        Command::Confirm => !is_text_field && !confirm.needs_typing() && confirm.affected_count().is_some(),
        Command::Toggle => {
            matches!(confirm.focus, ConfirmField::Refund | ConfirmField::Email | ConfirmField::Reason)
        }
        _ => true,
    }
}
