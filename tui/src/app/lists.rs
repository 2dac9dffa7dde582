//! Lists and the record beside them: when to ask for them, filters, order, pages.

use panel_contract::ids::RecordId;
use panel_contract::moment::Time;

use crate::app::{App, Mood, STALE};
use crate::job::Job;
use crate::model::filter::Filter;
use crate::model::list::{List, Put};
use crate::model::queue::Source;
use crate::text::many;

impl App {
    /// Asks for a list.
    pub(super) fn load(&mut self, at: usize, put: Put) {
        let ticket = self.ticket();
        let Some(list) = self.lists.get_mut(at) else { return };
        list.waiting = Some((ticket, put));
        list.due = None;
        self.jobs.push(Job::Load { ticket, source: list.tab.source, query: list.query() });
    }

    /// Asks quietly for the shown list when it is due.
    pub(super) fn refresh_due(&mut self) {
        let signed_in = self.who.is_some() && !self.is_signed_out() && !self.connection.is_offline();
        let now = self.now;
        let Some(list) = self.lists.get(self.tab).filter(|_| signed_in) else { return };
        let stale = list.loaded.max(list.tried).is_some_and(|at| now.since(at) > STALE);
        let due = list.due.is_some_and(|due| due <= now) || stale;
        if due && list.waiting.is_none() {
            self.load(self.tab, Put::Quiet);
        }
    }

    /// Asks for everything that is shown.
    pub(super) fn refresh(&mut self) {
        self.load(self.tab, Put::Whole);
        if let (Some(id), Some(source)) = (self.pane.id, self.source()) {
            self.jobs.push(Job::Detail { source, id });
        }
    }

    pub(super) fn source(&self) -> Option<Source> {
        self.list().map(|list| list.tab.source)
    }

    pub(super) fn filter(&mut self, typed: &str) {
        self.open = None;
        let Some(list) = self.lists.get_mut(self.tab) else { return };
        let typed = typed.trim();
        match Filter::read(typed, list.tab.source.fields()) {
            Err(wrong) => self.say(Mood::Bad, wrong.message),
            Ok(filter) => {
                let marked = list.marks.len();
                typed.clone_into(&mut list.typed);
                list.filter = filter;
                list.clear();
                self.filters.add(typed);
                if marked > 0 {
                    self.say(Mood::Info, format!("Another filter: {} unmarked.", many(marked, "mark")));
                }
                self.load(self.tab, Put::Whole);
            }
        }
    }

    pub(super) fn sort_by(&mut self, at: usize) {
        let Some(list) = self.lists.get_mut(self.tab) else { return };
        let Some(column) = list.tab.source.columns().get(at).and_then(|column| column.sort) else { return };
        let turned = column == list.sort.0 && !list.sort.1;
        list.sort = (column, turned);
        list.asked = Some(0);
        self.load(self.tab, Put::Whole);
    }

    pub(super) fn turn(&mut self, forward: bool) {
        let Some(list) = self.lists.get_mut(self.tab) else { return };
        if self.pane.focused {
            let to = if forward { list.cursor + 1 } else { list.cursor.saturating_sub(1) };
            list.go(to);
            return self.open_detail();
        }
        if list.turn(forward) {
            self.load(self.tab, Put::Whole);
        } else {
            let which = if forward { "last" } else { "first" };
            self.say(Mood::Info, format!("This is the {which} page."));
        }
    }

    /// Freezes the ids of everything that matches and marks them.
    pub(super) fn mark_all(&mut self) {
        let ticket = self.ticket();
        let Some(list) = self.list() else { return };
        let (source, query) = (list.tab.source, list.query());
        self.marking = Some(ticket);
        self.jobs.push(Job::All { ticket, source, query });
        self.say(Mood::Info, "Marking everything that matches …");
    }

    /// Shows the record under the cursor in full, with the keys.
    pub(super) fn open_detail(&mut self) {
        if let Some(id) = self.list().and_then(List::current).map(|row| row.id) {
            self.open_record(id);
        }
    }

    pub(super) fn open_record(&mut self, id: RecordId) {
        self.show_record(id);
        self.pane.focused = true;
    }

    fn show_record(&mut self, id: RecordId) {
        let Some(source) = self.source() else { return };
        if self.pane.id != Some(id) {
            (self.pane.detail, self.pane.top) = (None, 0);
        }
        (self.pane.id, self.pane.trouble, self.pane.due) = (Some(id), None, None);
        self.jobs.push(Job::Detail { source, id });
    }

    /// In the split view the record follows the cursor, once that rests.
    pub(super) fn follow_cursor(&mut self) {
        let split = self.areas().is_some_and(|areas| areas.split);
        let due = self.pane.due.is_some_and(|due| due <= self.now);
        if !due || !split || self.pane.focused {
            return;
        }
        self.pane.due = None;
        let id = self.list().and_then(List::current).map(|row| row.id);
        if let Some(id) = id.filter(|id| self.pane.id != Some(*id)) {
            self.show_record(id);
        }
    }

    /// Asks for the shown list and record again, soon: they were changed from here.
    pub(super) fn reload(&mut self) {
        self.load(self.tab, Put::Whole);
        for (at, list) in self.lists.iter_mut().enumerate() {
            if at != self.tab && list.loaded.is_some() {
                list.due = Some(Time(self.now.0));
            }
        }
        if let (Some(id), Some(source)) = (self.pane.id, self.source()) {
            self.jobs.push(Job::Detail { source, id });
        }
    }
}
