//! Actions on records: who may, what is asked before, what runs, what can be taken back.

use crate::app::{App, Mood, Running};
use crate::dialog::confirm::{Confirm, Preview, usual_cancel};
use crate::dialog::menu::{Item, Menu};
use crate::dialog::notice::Notice;
use crate::dialog::{Choice, Dialog};
use crate::job::{Job, Trouble};
use crate::key::Key;
use crate::keymap::{Command, Place, of};
use crate::model::row::Row;
use crate::model::run::{Outcome, Run, Undo};
use crate::model::verb::Verb;
use crate::text::{capital, many, money};
use panel_contract::ids::RecordId;

/// Runs that can be taken back, at most.
const UNDOS: usize = 50;

impl App {
    /// What a key's verb means in the shown queue.
    #[must_use]
    pub fn meant(&self, verb: Verb) -> Option<Verb> {
        self.list().and_then(|list| list.tab.source.meant(verb))
    }

    /// Opens the dialog before an action, or says why it is not possible.
    pub(super) fn ask(&mut self, verb: Verb, key: Key) {
        if let Some(why) = self.why_not(verb) {
            return self.say(Mood::Info, why);
        }
        let Some(list) = self.list() else { return };
        let cancel = (verb == Verb::Cancel).then(usual_cancel);
        let run =
            Run { source: list.tab.source, verb, ids: self.targets(), cancel, words: None, undoes: None };
        self.confirm(Confirm::new(run, self.reasons.clone()), key);
    }

    fn confirm(&mut self, mut confirm: Confirm, key: Key) {
        confirm.protected = self.who.as_ref().filter(|who| who.protected).map(|who| who.profile.clone());
        self.show(Dialog::Confirm(Box::new(confirm)), Some(key));
        self.preview();
    }

    /// What an action would be done to: the record in full, the marked, or the row under the cursor.
    fn targets(&self) -> Vec<RecordId> {
        let Some(list) = self.list() else { return Vec::new() };
        match (self.pane.focused, self.pane.id) {
            (true, Some(id)) => vec![id],
            _ if !list.marks.is_empty() => list.marks.ids(),
            _ => list.current().map(|row| row.id).into_iter().collect(),
        }
    }

    /// Why an action is not possible now, if so.
    #[must_use]
    pub fn why_not(&self, verb: Verb) -> Option<String> {
        if let Some(why) = self.locked() {
            return Some(why);
        }
        if self.running.is_some() {
            return Some("An action still runs; wait until it is done.".into());
        }
        let Some(list) = self.list() else { return Some("There is no queue here.".into()) };
        let noun = list.tab.source.noun();
        if verb.is_for_one() && self.targets().len() > 1 {
            let word = verb.words().verb;
            return Some(format!(
                "One {noun} at a time: each has its own number. Unmark the others to {word}."
            ));
        }
        if self.pane.focused {
            return match self.pane.detail.as_deref() {
                Some(detail) => refused(verb, &detail.row),
                None => Some(format!("The {noun} is not loaded yet.")),
            };
        }
        if !list.marks.is_empty() {
            let none = list.marks.eligible(verb) == 0;
            return none.then(|| {
                format!("None of the {} marked {noun}s can be {} now.", list.marks.len(), verb.words().done)
            });
        }
        match list.current() {
            Some(row) => refused(verb, row),
            None => Some(format!("There is no {noun} here.")),
        }
    }

    /// Every action with its key, and why one is not possible.
    pub(super) fn more(&mut self, key: Key) {
        let Some(list) = self.list() else { return };
        if list.tab.source.verbs().is_empty() {
            let noun = list.tab.source.noun();
            return self
                .say(Mood::Info, format!("A {noun} is only looked at here; the console has its actions."));
        }
        let items = list.tab.source.verbs().iter().map(|verb| {
            let bound = of(Place::Queue).find(|binding| match binding.command {
                Command::Verb(key) => list.tab.source.meant(key) == Some(*verb),
                _ => false,
            });
            let letter = bound.and_then(|binding| match binding.keys {
                [Key::Char(letter), ..] => Some(*letter),
                _ => None,
            });
            let label = capital(verb.words().verb);
            Item { key: letter, label, choice: Choice::Verb(*verb), off: self.why_not(*verb), ticked: None }
        });
        let items: Vec<Item> = items.collect();
        let targets = self.targets();
        let title = match targets.as_slice() {
            [id] => format!("{} {id}", capital(list.tab.source.noun())),
            ids => many(ids.len(), &format!("marked {}", list.tab.source.noun())),
        };
        self.show(Dialog::Menu(Menu::new(title, items)), Some(key));
    }

    /// Asks the server what the open dialog would do.
    pub(super) fn preview(&mut self) {
        let ticket = self.ticket();
        let Some(Dialog::Confirm(confirm)) = self.open.as_mut().map(|open| &mut open.dialog) else { return };
        confirm.ticket = ticket;
        confirm.preview = Preview::Waiting;
        self.jobs.push(Job::Preview { ticket, run: confirm.run.clone() });
    }

    pub(super) fn previewed(&mut self, ticket: u64, result: Result<Outcome, Trouble>) {
        let Some(Dialog::Confirm(confirm)) = self.open.as_mut().map(|open| &mut open.dialog) else { return };
        if confirm.ticket == ticket {
            confirm.preview = result.map_or_else(Preview::Failed, Preview::Ready);
        }
    }

    /// Hands a confirmed run to the runner.
    pub(super) fn start(&mut self, run: Run) {
        self.open = None;
        if let Some(why) = self.locked() {
            return self.say(Mood::Bad, why);
        }
        let ticket = self.ticket();
        self.running = Some(Running { ticket, run: run.clone(), done: 0 });
        self.word = None;
        self.jobs.push(Job::Act { ticket, run });
    }

    pub(super) fn acted(&mut self, ticket: u64, result: Result<Outcome, Trouble>) {
        let Some(running) = self.running.take_if(|running| running.ticket == ticket) else { return };
        match result {
            Err(trouble) => self.failed(&running.run, trouble),
            Ok(outcome) => self.succeeded(&running.run, &outcome),
        }
        self.reload();
    }

    fn failed(&mut self, run: &Run, trouble: Trouble) {
        let title = format!("Not {}", run.verb.words().done);
        self.say(Mood::Bad, format!("{title}: {}", trouble.message));
        let mut text = vec![trouble.message];
        text.extend(trouble.request_id.map(|id| format!("Request {id}.")));
        self.show(Dialog::Notice(Notice::new(title, text, None)), None);
    }

    fn succeeded(&mut self, run: &Run, outcome: &Outcome) {
        let moved = outcome.moved.clone();
        match &run.undoes {
            Some(undone) => self.undo.retain(|undo| undo.number != undone.number),
            None => self.remember(run, outcome),
        }
        for list in &mut self.lists {
            for id in &moved {
                list.marks.drop(*id);
            }
        }
        let whole = outcome.skipped.is_empty() && outcome.broken.is_none();
        let mood = if whole { Mood::Good } else { Mood::Bad };
        self.say(mood, summary(run, outcome));
        if !whole {
            self.show(Dialog::Notice(report(run, outcome)), None);
        }
    }

    /// Keeps what the panel says that it can undo.
    fn remember(&mut self, run: &Run, outcome: &Outcome) {
        if outcome.undo.is_empty() {
            return;
        }
        let number = self.ticket();
        let requests = outcome.undo.iter().rev().cloned().collect();
        self.undo.push(Undo {
            number,
            source: run.source,
            verb: run.verb,
            requests,
            ids: outcome.moved.clone(),
        });
        if self.undo.len() > UNDOS {
            self.undo.remove(0);
        }
    }

    /// Asks whether the last action of the session should be taken back.
    pub(super) fn ask_undo(&mut self, key: Key) {
        if let Some(why) = self.locked() {
            return self.say(Mood::Info, why);
        }
        if self.running.is_some() {
            return self.say(Mood::Info, "An action still runs; wait until it is done.");
        }
        let Some(undo) = self.undo.last() else {
            return self.say(Mood::Info, "Nothing to undo: nothing reversible was done in this session.");
        };
        let run = Run {
            source: undo.source,
            verb: Verb::Undo,
            ids: undo.ids.clone(),
            cancel: None,
            words: None,
            undoes: Some(undo.clone()),
        };
        let mut confirm = Confirm::new(run, Vec::new());
        confirm.taking_back = Some(undo.summary());
        self.confirm(confirm, key);
    }
}

/// Why the server would refuse, from the record's own flags.
fn refused(verb: Verb, row: &Row) -> Option<String> {
    let word = verb.words().verb;
    if row.left {
        return Some(format!("{} is no longer in this queue; ctrl-r shows what is.", row.id));
    }
    if row.allowed.has(verb) {
        return None;
    }
    let can: Vec<&str> = row.allowed.verbs().map(|verb| verb.words().verb).collect();
    let instead = match can.as_slice() {
        [] => "nothing can be done to it now".to_owned(),
        can => format!("it allows: {}", can.join(", ")),
    };
    Some(format!("Cannot {word} {}: it is {}; {instead}.", row.id, row.state))
}

fn summary(run: &Run, outcome: &Outcome) -> String {
    let done = run.verb.words().done;
    let mut text = match outcome.moved.as_slice() {
        [id] => format!("{id} {done}"),
        ids => format!("{} {done}", many(ids.len(), run.source.noun())),
    };
    if !outcome.skipped.is_empty() {
        text.push_str(&format!(", {} skipped", outcome.skipped.len()));
    }
    if outcome.returned.0 > 0 {
        text.push_str(&format!(", {} returned", money(outcome.returned)));
    }
    if outcome.charged.0 > 0 {
        text.push_str(&format!(", {} charged", money(outcome.charged)));
    }
    if outcome.broken.is_some() {
        text.push_str(", then it broke off");
    }
    if !outcome.undo.is_empty() {
        text.push_str(" · z undo");
    }
    text
}

/// What was skipped, by reason; the ids can be copied.
fn report(run: &Run, outcome: &Outcome) -> Notice {
    let list = |ids: &[RecordId]| ids.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ");
    let mut text: Vec<String> = outcome
        .reasons()
        .iter()
        .map(|(message, ids)| {
            format!(
                "{}: {message}",
                if ids.len() > 12 { many(ids.len(), run.source.noun()) } else { list(ids) }
            )
        })
        .collect();
    let mut ids: Vec<RecordId> = outcome.skipped.iter().map(|skip| skip.id).collect();
    if let Some(broken) = &outcome.broken {
        let open = many(broken.open.len(), run.source.noun());
        text.push(format!("It broke off: {} Of {open} no answer came.", broken.why));
        if let Some(name) = &broken.run {
            text.push("To go on without doing anything twice:".to_owned());
            text.push(format!("panelctl runs resume {name}"));
        }
        ids.extend(&broken.open);
    }
    let mut title = format!("{} {}", outcome.moved.len(), run.verb.words().done);
    if !outcome.skipped.is_empty() {
        title.push_str(&format!(", {} skipped", outcome.skipped.len()));
    }
    if let Some(broken) = &outcome.broken {
        title.push_str(&format!(", {} without an answer", broken.open.len()));
    }
    Notice::new(title, text, Some(list(&ids)))
}
