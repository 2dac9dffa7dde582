//! One tab's list: its page of rows, the cursor, marks, filter, order, and how old all that is.
//!
//! A quiet refresh never moves a row: it renews what is shown, says what left, and counts what is new.

use std::collections::BTreeSet;

use panel_contract::ids::RecordId;
use panel_contract::moment::Time;
use panel_contract::table::TableQuery;

use crate::job::Trouble;
use crate::model::filter::Filter;
use crate::model::marks::Marks;
use crate::model::queue::Tab;
use crate::model::row::Row;

/// Rows of a page.
pub const PAGE: i64 = 100;

/// What the server answered for a list.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Listing {
    /// The page.
    pub rows: Vec<Row>,
    /// How many match.
    pub total: i64,
    /// The ids that match, highest first: all of them, or the first 10,000.
    pub ids: Vec<RecordId>,
}

/// Where a list stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum State {
    /// Nothing was loaded yet.
    Loading,
    /// The rows are the server's last word.
    Ready,
    /// The last attempt failed; older rows may still be there.
    Failed(Trouble),
}

/// How an answer is put into the list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Put {
    /// As it is: somebody asked for it.
    Whole,
    /// Without moving anything.
    Quiet,
}

/// A list.
#[derive(Debug)]
pub struct List {
    /// What it is of.
    pub tab: &'static Tab,
    /// The page's rows.
    pub rows: Vec<Row>,
    /// The row that keys act on.
    pub cursor: usize,
    /// The first row on the screen.
    pub top: usize,
    /// How many match.
    pub total: i64,
    /// Rows before the page that is shown.
    pub start: i64,
    /// Rows before the page that is asked for, while that is another one.
    pub asked: Option<i64>,
    /// New since the rows were put.
    pub fresh: usize,
    /// Marked records.
    pub marks: Marks,
    /// While a range is drawn: where it began, and the marks before it.
    pub range: Option<(usize, Marks)>,
    /// The filter as typed.
    pub typed: String,
    /// The same, read.
    pub filter: Filter,
    /// Column of the server and whether largest first.
    pub sort: (&'static str, bool),
    /// Which columns are shown.
    pub shown: Vec<bool>,
    /// Where it stands.
    pub state: State,
    /// When the rows were true.
    pub loaded: Option<Time>,
    /// When they were last asked for in vain.
    pub tried: Option<Time>,
    /// The answer that is waited for.
    pub waiting: Option<(u64, Put)>,
    /// When to look again by itself.
    pub due: Option<Time>,
    known: BTreeSet<RecordId>,
}

impl List {
    /// An empty list of a tab.
    #[must_use]
    pub fn new(tab: &'static Tab) -> Self {
        Self {
            tab,
            rows: Vec::new(),
            cursor: 0,
            top: 0,
            total: 0,
            start: 0,
            asked: None,
            fresh: 0,
            marks: Marks::default(),
            range: None,
            typed: tab.filter.to_owned(),
            filter: Filter::read(tab.filter, tab.source.fields()).unwrap_or_default(),
            sort: tab.sort,
            shown: tab.source.columns().iter().map(|column| column.shown).collect(),
            state: State::Loading,
            loaded: None,
            tried: None,
            waiting: None,
            due: None,
            known: BTreeSet::new(),
        }
    }

    /// The query of its page.
    #[must_use]
    pub fn query(&self) -> TableQuery {
        let query = self.filter.apply(TableQuery::new()).page(self.asked.unwrap_or(self.start), PAGE);
        let query = query.sort(self.sort.0, self.sort.1);
        // Ties in the order must not shuffle from one refresh to the next.
        if self.sort.0 == "id" { query } else { query.sort("id", false) }
    }

    /// The row under the cursor.
    #[must_use]
    pub fn current(&self) -> Option<&Row> {
        self.rows.get(self.cursor)
    }

    /// Whether it shows another filter than the tab's own.
    #[must_use]
    pub fn is_filtered(&self) -> bool {
        self.typed != self.tab.filter
    }

    /// Puts an answer in; how many marks it dropped.
    pub fn put(&mut self, listing: Listing, put: Put, now: Time) -> usize {
        let ids: BTreeSet<RecordId> = listing.ids.iter().copied().collect();
        let whole = i64::try_from(ids.len()).unwrap_or(i64::MAX) >= listing.total;
        let from = if whole {
            RecordId::new(i64::MIN)
        } else {
            ids.first().copied().unwrap_or(RecordId::new(i64::MAX))
        };
        self.marks.learn(&listing.rows);
        let dropped = self.marks.keep(&ids, from);
        self.loaded = Some(now);
        self.state = State::Ready;
        self.total = listing.total;
        if let Some(start) = self.asked.take() {
            (self.start, self.cursor, self.top, self.range) = (start, 0, 0, None);
            self.rows.clear();
        }
        if put == Put::Quiet && !self.rows.is_empty() {
            self.renew(&listing.rows, &ids, from);
        } else {
            self.replace(listing.rows);
            self.known = ids;
            self.fresh = 0;
        }
        dropped
    }

    fn renew(&mut self, rows: &[Row], ids: &BTreeSet<RecordId>, from: RecordId) {
        for row in &mut self.rows {
            match rows.iter().find(|new| new.id == row.id) {
                Some(new) => row.clone_from(new),
                None => row.left = row.id >= from && !ids.contains(&row.id),
            }
        }
        self.fresh = ids.difference(&self.known).count();
    }

    /// New rows; the cursor stays on its record, or else on its place.
    fn replace(&mut self, rows: Vec<Row>) {
        let id = self.current().map(|row| row.id);
        self.rows = rows;
        self.range = None;
        let found = id.and_then(|id| self.rows.iter().position(|row| row.id == id));
        self.cursor = found.unwrap_or(self.cursor).min(self.rows.len().saturating_sub(1));
    }

    /// Forgets rows and marks, for another filter.
    pub fn clear(&mut self) {
        self.rows.clear();
        self.marks.clear();
        self.known.clear();
        (self.cursor, self.top, self.start, self.total, self.fresh) = (0, 0, 0, 0, 0);
        self.range = None;
        self.asked = None;
        self.state = State::Loading;
    }

    /// Moves the cursor, and with it the end of a range being drawn.
    pub fn go(&mut self, to: usize) {
        self.cursor = to.min(self.rows.len().saturating_sub(1));
        if let Some((from, before)) = &self.range {
            let mut marks = before.clone();
            let (low, high) = (self.cursor.min(*from), self.cursor.max(*from));
            for row in self.rows.iter().take(high + 1).skip(low).filter(|row| !row.left) {
                marks.add(row);
            }
            self.marks = marks;
        }
    }

    /// Keeps the cursor among `height` rows on the screen.
    pub fn scroll(&mut self, height: usize) {
        let height = height.max(1);
        let most = self.rows.len().saturating_sub(height);
        self.top = self.top.min(most).min(self.cursor).max((self.cursor + 1).saturating_sub(height));
    }

    /// Whether there is a page before, and one after.
    #[must_use]
    pub fn pages(&self) -> (bool, bool) {
        (self.start > 0, self.start + PAGE < self.total)
    }

    /// Asks for the next page or the one before; whether there is one. The shown page stays until that one has come.
    pub fn turn(&mut self, forward: bool) -> bool {
        let (before, after) = self.pages();
        if !(if forward { after } else { before }) {
            return false;
        }
        self.asked = Some(if forward { self.start + PAGE } else { (self.start - PAGE).max(0) });
        true
    }
}
