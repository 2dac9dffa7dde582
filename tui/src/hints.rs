//! The hints in the footer: the keys that have an effect now, from the keymap.

use crate::app::App;
use crate::dialog::Dialog;
use crate::dialog::confirm::{Confirm, ConfirmField};
use crate::key::Key;
use crate::keymap::{Binding, Command, KeyContext, bindings_in};
use crate::text::format_count;

/// The key and the hint of every valid binding, the most important first.
#[must_use]
pub fn hints(app: &App) -> Vec<(String, String)> {
    let context = app.key_context();
    let mut bindings: Vec<&Binding> =
        bindings_in(context).filter(|binding| binding.footer_rank > 0 && is_valid(app, binding)).collect();
    bindings.sort_by_key(|binding| binding.footer_rank);
    bindings.into_iter().map(|binding| (key(app, binding), hint_text(app, binding))).collect()
}

fn key(app: &App, binding: &Binding) -> String {
    match binding.keys.first() {
        Some(Key::Enter) => app.options.theme.glyphs().enter.to_owned(),
        Some(key) => key.to_string(),
        None => String::new(),
    }
}

/// The hint; with marks also how many marked records the verb applies to.
fn hint_text(app: &App, binding: &Binding) -> String {
    let verb = match binding.command {
        Command::Verb(verb) => app.verb_for_key(verb),
        _ => None,
    };
    let text = verb.map_or(binding.hint, |verb| verb.texts().verb);
    let Some(list) = app.list().filter(|_| app.key_context() == KeyContext::Queue) else {
        return text.to_owned();
    };
    let number = |number: usize| format_count(i64::try_from(number).unwrap_or(i64::MAX));
    match (binding.command, verb) {
        (_, Some(verb)) if !list.marks.is_empty() => {
            format!("{text} {}/{}", number(list.marks.eligible(verb)), number(list.marks.len()))
        }
        (Command::MarkAll, _) => format!("all {}", format_count(list.total)),
        _ => text.to_owned(),
    }
}

fn is_valid(app: &App, binding: &Binding) -> bool {
    let rows = app.list().is_some_and(|list| !list.rows.is_empty());
    let marks = app.list().is_some_and(|list| !list.marks.is_empty());
    match (binding.context, binding.command) {
        (_, Command::Verb(verb)) => {
            app.verb_for_key(verb).is_some_and(|verb| app.disabled_reason(verb).is_none())
        }
        (_, Command::Undo) => {
            !app.undo_offers.is_empty() && app.read_only_reason().is_none() && app.running.is_none()
        }
        (KeyContext::Queue, Command::Unmark) => marks,
        (
            KeyContext::Queue,
            Command::Mark
            | Command::Range
            | Command::MarkAll
            | Command::Enter
            | Command::Copy
            | Command::OpenConsole,
        ) => rows,
        (KeyContext::Queue, Command::Filter | Command::Sort | Command::Columns) => app.list().is_some(),
        (KeyContext::Queue, Command::ActionMenu) => {
            app.list().is_some_and(|list| !list.tab.source.verbs().is_empty())
        }
        (KeyContext::Confirm, command) => confirm(app).is_none_or(|confirm| in_confirm(confirm, command)),
        _ => true,
    }
}

fn confirm(app: &App) -> Option<&Confirm> {
    match &app.overlay.as_ref()?.dialog {
        Dialog::Confirm(confirm) => Some(confirm),
        _ => None,
    }
}

fn in_confirm(confirm: &Confirm, command: Command) -> bool {
    let typing = matches!(
        confirm.focus,
        ConfirmField::Amount | ConfirmField::Description | ConfirmField::Confirmation
    );
    match command {
        Command::Confirm => !typing && !confirm.needs_typing() && confirm.affected_count().is_some(),
        Command::Toggle => {
            matches!(confirm.focus, ConfirmField::Refund | ConfirmField::Email | ConfirmField::Reason)
        }
        _ => true,
    }
}
