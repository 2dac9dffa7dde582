//! Which keys are worth showing now: only those that would do something, straight from the keymap.

use crate::app::App;
use crate::dialog::Dialog;
use crate::dialog::confirm::{Confirm, Field};
use crate::key::Key;
use crate::keymap::{Binding, Command, Place, of};
use crate::text::count;

/// Key and word of every valid binding, the most important first.
#[must_use]
pub fn hints(app: &App) -> Vec<(String, String)> {
    let place = app.place();
    let mut bindings: Vec<&Binding> =
        of(place).filter(|binding| binding.foot > 0 && is_valid(app, binding)).collect();
    bindings.sort_by_key(|binding| binding.foot);
    bindings.into_iter().map(|binding| (key(app, binding), word(app, binding))).collect()
}

fn key(app: &App, binding: &Binding) -> String {
    match binding.keys.first() {
        Some(Key::Enter) => app.options.theme.glyphs().enter.to_owned(),
        Some(key) => key.to_string(),
        None => String::new(),
    }
}

/// The word, with how many of the marked it would move.
fn word(app: &App, binding: &Binding) -> String {
    let meant = match binding.command {
        Command::Verb(verb) => app.meant(verb),
        _ => None,
    };
    let own = meant.map_or(binding.word, |verb| verb.words().verb);
    let Some(list) = app.list().filter(|_| app.place() == Place::Queue) else {
        return own.to_owned();
    };
    let number = |number: usize| count(i64::try_from(number).unwrap_or(i64::MAX));
    match (binding.command, meant) {
        (_, Some(verb)) if !list.marks.is_empty() => {
            format!("{own} {}/{}", number(list.marks.eligible(verb)), number(list.marks.len()))
        }
        (Command::All, _) => format!("all {}", count(list.total)),
        _ => own.to_owned(),
    }
}

fn is_valid(app: &App, binding: &Binding) -> bool {
    let rows = app.list().is_some_and(|list| !list.rows.is_empty());
    let marks = app.list().is_some_and(|list| !list.marks.is_empty());
    match (binding.place, binding.command) {
        (_, Command::Verb(verb)) => app.meant(verb).is_some_and(|verb| app.why_not(verb).is_none()),
        (_, Command::Undo) => !app.undo.is_empty() && app.locked().is_none() && app.running.is_none(),
        (Place::Queue, Command::Unmark) => marks,
        (
            Place::Queue,
            Command::Mark | Command::Range | Command::All | Command::Enter | Command::Copy | Command::Web,
        ) => rows,
        (Place::Queue, Command::Filter | Command::Sort | Command::Columns) => app.list().is_some(),
        (Place::Queue, Command::More) => app.list().is_some_and(|list| !list.tab.source.verbs().is_empty()),
        (Place::Confirm, command) => confirm(app).is_none_or(|confirm| in_confirm(confirm, command)),
        _ => true,
    }
}

fn confirm(app: &App) -> Option<&Confirm> {
    match &app.open.as_ref()?.dialog {
        Dialog::Confirm(confirm) => Some(confirm),
        _ => None,
    }
}

fn in_confirm(confirm: &Confirm, command: Command) -> bool {
    let typing = matches!(confirm.focus, Field::Amount | Field::Description | Field::Typed);
    match command {
        Command::Yes => !typing && !confirm.wants_typing() && confirm.count().is_some(),
        Command::Toggle => matches!(confirm.focus, Field::ReturnMoney | Field::Email | Field::Reason),
        _ => true,
    }
}
