//! What the runner answered.

use crate::app::{App, Mood};
use crate::dialog::Dialog;
use crate::dialog::form::SignInForm;
use crate::dialog::identity::Identity;
use crate::dialog::notice::Notice;
use crate::job::{Answer, Job, Trouble};
use crate::model::detail::Detail;
use crate::model::list::{List, Listing, Put, State};
use crate::model::queue::TABS;
use crate::model::row::Row;
use crate::session::{Connection, Secret, Who};
use crate::text::many;
use panel_contract::ids::RecordId;

impl App {
    pub(super) fn answer(&mut self, answer: Answer) {
        match answer {
            Answer::SignedIn(who) => self.signed_in(who),
            Answer::SignInNeeded { profile, address, email, message, otp } => {
                self.sign_in_needed(&profile, &address, &email, message, otp);
            }
            Answer::IdentityNeeded => self.ask_identity(),
            Answer::Listing { ticket, result } => self.listed(ticket, result),
            Answer::All { ticket, result } => self.marked_all(ticket, result),
            Answer::Detail { id, result } => self.detailed(id, result),
            Answer::Preview { ticket, result } => self.previewed(ticket, result),
            Answer::Progress { ticket, done } => {
                if let Some(running) = self.running.as_mut().filter(|running| running.ticket == ticket) {
                    running.done = done;
                }
            }
            Answer::Acted { ticket, result } => self.acted(ticket, result),
            Answer::Reasons(reasons) => self.reasons = reasons,
            Answer::Address(address) => {
                let notice = Notice::new("In the console", vec![address.clone()], Some(address));
                self.show(Dialog::Notice(notice), None);
            }
            Answer::Said(text) => self.say(Mood::Good, text),
            Answer::Failed(text) => self.say(Mood::Bad, text),
        }
    }

    /// A session begins, or goes on: what was on the screen stays when it is the same person at the same panel.
    fn signed_in(&mut self, who: Who) {
        if matches!(self.open.as_ref().map(|open| &open.dialog), Some(Dialog::SignIn(_))) {
            self.open = None;
        }
        let same =
            self.who.as_ref().is_some_and(|old| (&old.address, &old.email) == (&who.address, &who.email));
        let seen = |list: &&'static crate::model::queue::Tab| who.may(list.permission);
        if !same {
            self.lists = TABS.iter().filter(seen).map(List::new).collect();
            self.counts = Default::default();
            self.undo.clear();
            self.word = None;
            self.pane = Default::default();
            self.tab = 0;
        }
        // Answers to an older session do not come any more.
        self.lists.iter_mut().for_each(|list| list.waiting = None);
        self.marking = None;
        self.connection = Connection::Connecting;
        self.who = Some(who);
        if !self.lists.is_empty() {
            self.load(self.tab, Put::Whole);
        }
    }

    fn sign_in_needed(
        &mut self,
        profile: &str,
        address: &str,
        email: &str,
        message: Option<String>,
        otp: bool,
    ) {
        if let Some(Dialog::SignIn(form)) = self.open.as_mut().map(|open| &mut open.dialog) {
            // Later answers that say the same must not disturb somebody who is typing.
            if form.busy {
                form.refuse(message, otp);
            }
            return;
        }
        let mut form = SignInForm::new(profile, address, email, message.clone());
        if otp {
            form.refuse(message, true);
        }
        self.show(Dialog::SignIn(form), None);
    }

    /// The panel wants the password before it does something. One question answers all calls that wait.
    fn ask_identity(&mut self) {
        if !matches!(
            self.open.as_ref().map(|open| &open.dialog),
            Some(Dialog::Identity(_) | Dialog::SignIn(_))
        ) {
            let below = self.open.take();
            self.show(Dialog::Identity(Identity::over(below)), None);
        }
    }

    pub(super) fn identify(&mut self, password: Option<Secret>) {
        if let Some(Dialog::Identity(identity)) = self.open.take().map(|open| open.dialog) {
            self.open = identity.below.map(|below| *below);
        }
        self.jobs.push(Job::Identify(password));
    }

    fn listed(&mut self, ticket: u64, result: Result<Listing, Trouble>) {
        let waits = |list: &List| list.waiting.is_some_and(|(waiting, _)| waiting == ticket);
        let now = self.now;
        let Some(list) = self.lists.iter_mut().find(|list| waits(list)) else { return };
        let put = list.waiting.take().map_or(Put::Whole, |(_, put)| put);
        match result {
            // A page that was emptied meanwhile is left for the last one there is.
            Ok(listing)
                if listing.rows.is_empty() && listing.total > 0 && list.asked.unwrap_or(list.start) > 0 =>
            {
                list.asked = Some((listing.total - 1) / crate::model::list::PAGE * crate::model::list::PAGE);
                let tab = list.tab.key;
                if let Some(at) = self.lists.iter().position(|list| list.tab.key == tab) {
                    self.load(at, Put::Whole);
                }
            }
            Ok(listing) => {
                let dropped = list.put(listing, put, now);
                if dropped > 0 {
                    let what = many(dropped, "mark");
                    self.say(Mood::Info, format!("{what} dropped: no longer in this queue."));
                }
            }
            Err(trouble) => {
                list.asked = None;
                list.state = State::Failed(trouble);
                // Asked again by itself only after a while, not at once.
                list.tried = Some(now);
            }
        }
    }

    fn marked_all(&mut self, ticket: u64, result: Result<(Vec<Row>, Vec<RecordId>), Trouble>) {
        if self.marking.take_if(|marking| *marking == ticket).is_none() {
            return;
        }
        let Some(list) = self.lists.get_mut(self.tab) else { return };
        match result {
            Ok((rows, ids)) => {
                list.range = None;
                rows.iter().for_each(|row| list.marks.add(row));
                ids.iter().for_each(|id| list.marks.add_id(*id));
                let what = many(list.marks.len(), list.tab.source.noun());
                self.say(Mood::Info, format!("{what} marked: all that match now. u unmarks."));
            }
            Err(trouble) => self.say(Mood::Bad, format!("Nothing was marked: {}", trouble.message)),
        }
    }

    fn detailed(&mut self, id: RecordId, result: Result<Box<Detail>, Trouble>) {
        if self.pane.id != Some(id) {
            return;
        }
        match result {
            Ok(detail) => {
                self.pane.detail = Some(detail);
                self.pane.trouble = None;
            }
            Err(trouble) => self.pane.trouble = Some(trouble),
        }
    }
}
