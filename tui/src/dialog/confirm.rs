//! The one dialog that stands before everything that changes something.
//!
//! The focus begins on the safe button. What would happen is the server's dry run, never a guess. What cannot be
//! undone and is more than a few wants the count typed.

use panel_contract::amount::Money;
use panel_contract::orders::CancelReason;

use crate::dialog::Action;
use crate::job::Trouble;
use crate::key::Key;
use crate::keymap::{Command, Place, find};
use crate::line::Line;
use crate::model::run::{Cancel, Outcome, Run};
use crate::text::{capital, many};

/// Up to so many records that cannot be brought back, a `y` is enough.
const FEW: usize = 20;

/// What can have the focus.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Field {
    /// Tick: money goes back.
    ReturnMoney,
    /// Text: how much.
    Amount,
    /// Choice: why.
    Reason,
    /// Text: why, in words.
    Description,
    /// Tick: the customers are told.
    Email,
    /// Text: the count.
    Typed,
    /// Button: leave everything as it is.
    Keep,
    /// Button: do it.
    Go,
}

/// The server's dry run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Preview {
    /// Its answer is waited for.
    Waiting,
    /// What would happen.
    Ready(Outcome),
    /// It did not work, or nothing would happen.
    Failed(Trouble),
}

/// The dialog.
#[derive(Debug)]
pub struct Confirm {
    /// What will be done.
    pub run: Run,
    /// For an undo: what is taken back.
    pub taking_back: Option<String>,
    /// The panel is a protected one: its name is typed before anything is done.
    pub protected: Option<String>,
    /// What would happen.
    pub preview: Preview,
    /// The job that answers the preview.
    pub ticket: u64,
    /// Why an order can be canceled, with labels.
    pub reasons: Vec<(CancelReason, String)>,
    /// The chosen reason; none chosen at first.
    pub reason: Option<usize>,
    /// The texts typed.
    pub amount: Line,
    /// Why, in words.
    pub description: Line,
    /// The count.
    pub typed: Line,
    /// What has the focus.
    pub focus: Field,
    /// What stands in the way.
    pub complaint: Option<String>,
}

impl Confirm {
    /// A dialog before a run.
    #[must_use]
    pub fn new(run: Run, reasons: Vec<(CancelReason, String)>) -> Self {
        Self {
            run,
            taking_back: None,
            protected: None,
            preview: Preview::Waiting,
            ticket: 0,
            reasons,
            reason: None,
            amount: Line::default(),
            description: Line::default(),
            typed: Line::default(),
            focus: Field::Keep,
            complaint: None,
        }
    }

    /// Whether it cannot be undone.
    #[must_use]
    pub fn is_final(&self) -> bool {
        let charges = matches!(&self.preview, Preview::Ready(outcome) if outcome.charged.0 > 0);
        charges || !self.run.verb.words().undoable
    }

    /// Whether something must be typed before it is done.
    #[must_use]
    pub fn wants_typing(&self) -> bool {
        self.protected.is_some() || (self.is_final() && self.run.ids.len() > FEW)
    }

    /// What must be typed: the profile's name, or how many would move.
    #[must_use]
    pub fn wanted(&self) -> Option<String> {
        self.protected.clone().or_else(|| self.count().map(|count| count.to_string()))
    }

    /// How many would move, once the server said so.
    #[must_use]
    pub fn count(&self) -> Option<usize> {
        match &self.preview {
            Preview::Ready(outcome) => Some(outcome.moved.len()),
            Preview::Waiting | Preview::Failed(_) => None,
        }
    }

    /// `Cancel 3 orders`.
    #[must_use]
    pub fn title(&self) -> String {
        let what = many(self.run.ids.len(), self.run.source.noun());
        match (&self.taking_back, self.run.ids.as_slice()) {
            (Some(_), _) => format!("Undo: {what}"),
            (None, [id]) => {
                format!("{} {} {id}", capital(self.run.verb.words().verb), self.run.source.noun())
            }
            _ => format!("{} {what}", capital(self.run.verb.words().verb)),
        }
    }

    /// The buttons' words: the safe one, and the one that does it.
    #[must_use]
    pub fn buttons(&self) -> (String, String) {
        let noun = self.run.source.noun();
        let (keep, what) = match (self.run.ids.len(), self.count()) {
            (1, _) => (format!("Keep the {noun}"), format!("the {noun}")),
            (_, Some(count)) => (format!("Keep the {noun}s"), many(count, noun)),
            _ => (format!("Keep the {noun}s"), format!("{noun}s")),
        };
        (keep, format!("{} {what}", capital(self.run.verb.words().verb)))
    }

    /// What can have the focus now, from top to bottom.
    #[must_use]
    pub fn fields(&self) -> Vec<Field> {
        let mut fields = Vec::new();
        if let Some(cancel) = &self.run.cancel {
            fields.push(Field::ReturnMoney);
            if cancel.return_money && self.run.ids.len() == 1 {
                fields.push(Field::Amount);
            }
            fields.push(Field::Reason);
            if cancel.reason == Some(CancelReason::Other) {
                fields.push(Field::Description);
            }
            fields.push(Field::Email);
        }
        if self.run.asks().is_some() {
            fields.push(Field::Description);
        }
        if self.wants_typing() {
            fields.push(Field::Typed);
        }
        fields.extend([Field::Keep, Field::Go]);
        fields
    }

    /// The text with the focus, if one has it.
    pub fn line(&mut self) -> Option<&mut Line> {
        match self.focus {
            Field::Amount => Some(&mut self.amount),
            Field::Description => Some(&mut self.description),
            Field::Typed => Some(&mut self.typed),
            _ => None,
        }
    }

    pub(crate) fn on(&mut self, key: Key) -> Action {
        self.complaint = None;
        let command = find(Place::Confirm, key).map(|binding| binding.command);
        // In a text, letters are letters; only keys that are none keep their meaning.
        let typing = self.line().is_some();
        if typing
            && (matches!(key, Key::Char(_)) || matches!(command, None | Some(Command::Left | Command::Right)))
        {
            return self.type_in(key);
        }
        match command {
            Some(Command::Back) => Action::Close,
            Some(Command::Down) => self.step(1),
            Some(Command::Up) => self.step(self.fields().len() - 1),
            Some(Command::Toggle | Command::Right) => self.change(1),
            Some(Command::Left) => self.change(self.reasons.len()),
            Some(Command::Yes) => self.yes(),
            Some(Command::Enter) => self.press(),
            _ => Action::None,
        }
    }

    fn type_in(&mut self, key: Key) -> Action {
        let whole = self.focus == Field::Description && self.run.asks().is_some_and(|asked| asked.number);
        let digits = match self.focus {
            Field::Typed => self.protected.is_none(),
            focus => focus == Field::Amount || whole,
        };
        let fits = |letter: char| letter.is_ascii_digit() || (letter == '.' && !whole);
        if let (true, Key::Char(letter)) = (digits, key)
            && !fits(letter)
        {
            self.complaint = Some("Only digits here. Tab goes on, Esc keeps everything as it is.".into());
            return Action::None;
        }
        if let Some(line) = self.line() {
            line.on(key);
        }
        self.changed()
    }

    fn step(&mut self, by: usize) -> Action {
        let fields = self.fields();
        let at = fields.iter().position(|field| *field == self.focus).unwrap_or(0);
        self.focus = fields[(at + by) % fields.len()];
        Action::None
    }

    fn change(&mut self, by: usize) -> Action {
        let count = self.reasons.len();
        let Some(cancel) = &mut self.run.cancel else { return Action::None };
        match self.focus {
            Field::ReturnMoney => cancel.return_money = !cancel.return_money,
            Field::Email => cancel.email = !cancel.email,
            // "No reason" is one more choice, before the first.
            Field::Reason => {
                let at = self.reason.map_or(0, |at| at + 1);
                self.reason = ((at + by) % (count + 1)).checked_sub(1);
                cancel.reason = self.reason.and_then(|at| self.reasons.get(at)).map(|(reason, _)| *reason);
            }
            _ => return Action::None,
        }
        self.changed()
    }

    /// Reads the texts into the run and asks the server again.
    fn changed(&mut self) -> Action {
        let (amount, description) = (self.amount.text(), self.description.text());
        if let Some(asked) = self.run.asks().filter(|_| self.focus == Field::Description) {
            let words = description.trim();
            self.run.words = (!words.is_empty()).then(|| words.to_owned());
            return if asked.judged { self.again() } else { Action::None };
        }
        let Some(cancel) = &mut self.run.cancel else { return Action::None };
        let before = cancel.clone();
        cancel.amount =
            if cancel.return_money { amount.parse().ok().filter(|Money(value)| *value > 0) } else { None };
        cancel.description = (cancel.reason == Some(CancelReason::Other) && !description.trim().is_empty())
            .then(|| description.trim().to_owned());
        let money = matches!(self.focus, Field::ReturnMoney | Field::Amount);
        if before != *cancel || money { self.again() } else { Action::None }
    }

    fn again(&mut self) -> Action {
        self.preview = Preview::Waiting;
        Action::Preview
    }

    fn press(&mut self) -> Action {
        match self.focus {
            Field::Keep => Action::Close,
            Field::Go | Field::Typed => self.yes(),
            Field::ReturnMoney | Field::Email | Field::Reason => self.change(1),
            Field::Amount | Field::Description => self.step(1),
        }
    }

    fn yes(&mut self) -> Action {
        match self.in_the_way() {
            Some((field, complaint)) => {
                self.focus = field.unwrap_or(self.focus);
                self.complaint = Some(complaint);
                Action::None
            }
            None => Action::Run(self.run.clone()),
        }
    }

    /// What stands between now and doing it.
    fn in_the_way(&self) -> Option<(Option<Field>, String)> {
        let asked = self.run.asks().filter(|_| self.run.words.is_none());
        if let Some(missing) = asked.and_then(|asked| asked.missing) {
            return Some((Some(Field::Description), missing.into()));
        }
        if let Some(cancel) = &self.run.cancel {
            if cancel.reason == Some(CancelReason::Other) && cancel.description.is_none() {
                return Some((
                    Some(Field::Description),
                    "Describe the reason: \"other\" says nothing by itself.".into(),
                ));
            }
            if cancel.return_money && !self.amount.is_empty() && cancel.amount.is_none() {
                let complaint =
                    "Write an amount above 0 with at most 6 decimals, or nothing for the default.";
                return Some((Some(Field::Amount), complaint.into()));
            }
        }
        let count = match &self.preview {
            Preview::Waiting => {
                return Some((None, "A moment: the panel is still working out what this does.".into()));
            }
            Preview::Failed(trouble) => return Some((None, trouble.message.clone())),
            Preview::Ready(outcome) => outcome.moved.len(),
        };
        if count == 0 {
            return Some((None, "Nothing would happen; there is nothing to confirm.".into()));
        }
        let wanted = self.wanted().unwrap_or_default();
        if self.wants_typing() && self.typed.text() != wanted {
            let what = if self.protected.is_some() { "the profile's name" } else { "the number of records" };
            return Some((Some(Field::Typed), format!("Type {wanted}, {what}, to do this.")));
        }
        None
    }
}

/// How a cancel begins: as the rules have it, no money back and the customer told.
#[must_use]
pub fn usual_cancel() -> Cancel {
    Cancel { return_money: false, amount: None, reason: None, description: None, email: true }
}
