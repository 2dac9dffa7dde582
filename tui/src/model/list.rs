//! The list of one tab: its page of rows, cursor, marks, filter, order and age.
//!
//! A refresh in place never moves a row: it updates the shown rows, marks those that have left the queue, and counts the
//! new ones.

use std::collections::BTreeSet;

use panel_contract::ids::RecordId;
use panel_contract::moment::Time;
use panel_contract::table::TableQuery;

use crate::job::Failure;
use crate::model::filter::Filter;
use crate::model::marks::Marks;
use crate::model::queue::{SortOrder, Tab};
use crate::model::row::RecordRow;

/// Rows per page.
pub const PAGE_SIZE: i64 = 100;

/// A loaded page of a list.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Listing {
    pub rows: Vec<RecordRow>,
    pub total: i64,
    /// The matching ids, highest first: all of them, or the first 10,000.
    pub ids: Vec<RecordId>,
}

/// All records that match a query, to mark them.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct MatchingRecords {
    /// The rows; empty where there are too many to load.
    pub rows: Vec<RecordRow>,
    /// The ids; empty where `rows` has all records.
    pub ids: Vec<RecordId>,
}

/// The load state of a list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ListState {
    /// Nothing is loaded yet.
    Loading,
    /// The rows are those of the last load.
    Ready,
    /// The last load failed; older rows may still be shown.
    Failed(Failure),
}

/// How a loaded page is applied to the list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RefreshMode {
    /// Replace the rows: the staff member requested it.
    Replace,
    /// Refresh without moving a row.
    InPlace,
}

#[derive(Debug)]
pub struct List {
    pub tab: &'static Tab,
    pub rows: Vec<RecordRow>,
    /// The index of the selected row.
    pub cursor: usize,
    /// The index of the first visible row.
    pub top: usize,
    pub total: i64,
    /// The offset of the shown page.
    pub start: i64,
    /// The offset of the requested page, until it is loaded.
    pub requested_start: Option<i64>,
    /// The number of new records since the rows were loaded.
    pub new_count: usize,
    pub marks: Marks,
    /// While a range is being selected: its first row, and the marks from before.
    pub range: Option<(usize, Marks)>,
    /// The filter text.
    pub filter_text: String,
    /// The parsed filter.
    pub filter: Filter,
    pub sort: SortOrder,
    pub visible_columns: Vec<bool>,
    pub state: ListState,
    /// The time of the last successful load.
    pub loaded_at: Option<Time>,
    /// The time of the last failed load.
    pub failed_at: Option<Time>,
    /// The job that is in progress, and how to apply its result.
    pub pending: Option<(u64, RefreshMode)>,
    /// The time of the next automatic refresh.
    pub refresh_at: Option<Time>,
    known_ids: BTreeSet<RecordId>,
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
            requested_start: None,
            new_count: 0,
            marks: Marks::default(),
            range: None,
            filter_text: tab.filter.to_owned(),
            filter: Filter::parse(tab.filter, tab.source.fields()).unwrap_or_default(),
            sort: tab.sort,
            visible_columns: tab.source.columns().iter().map(|column| column.shown_by_default).collect(),
            state: ListState::Loading,
            loaded_at: None,
            failed_at: None,
            pending: None,
            refresh_at: None,
            known_ids: BTreeSet::new(),
        }
    }

    /// The query of the current or requested page.
    #[must_use]
    pub fn query(&self) -> TableQuery {
        let query =
            self.filter.apply(TableQuery::new()).page(self.requested_start.unwrap_or(self.start), PAGE_SIZE);
        let query = query.sort(self.sort.column, self.sort.descending);
        // Without a second column, equal rows could change places between refreshes.
        if self.sort.column == "id" { query } else { query.sort("id", false) }
    }

    /// The selected row.
    #[must_use]
    pub fn current(&self) -> Option<&RecordRow> {
        self.rows.get(self.cursor)
    }

    /// Whether the filter differs from the default filter of the tab.
    #[must_use]
    pub fn is_filtered(&self) -> bool {
        self.filter_text != self.tab.filter
    }

    /// Applies a loaded page and returns the number of removed marks.
    pub fn apply(&mut self, listing: Listing, mode: RefreshMode, now: Time) -> usize {
        let ids: BTreeSet<RecordId> = listing.ids.iter().copied().collect();
        // Above 10,000 records the ids are incomplete: nothing is known about lower ids.
        let is_complete = i64::try_from(ids.len()).unwrap_or(i64::MAX) >= listing.total;
        let from = if is_complete {
            RecordId::new(i64::MIN)
        } else {
            ids.first().copied().unwrap_or(RecordId::new(i64::MAX))
        };
        self.marks.update_from(&listing.rows);
        let dropped = self.marks.retain_listed(&ids, from);
        self.loaded_at = Some(now);
        self.state = ListState::Ready;
        self.total = listing.total;
        if let Some(start) = self.requested_start.take() {
            (self.start, self.cursor, self.top, self.range) = (start, 0, 0, None);
            self.rows.clear();
        }
        if mode == RefreshMode::InPlace && !self.rows.is_empty() {
            self.refresh_in_place(&listing.rows, &ids, from);
        } else {
            self.replace(listing.rows);
            self.known_ids = ids;
            self.new_count = 0;
        }
        dropped
    }

    fn refresh_in_place(&mut self, rows: &[RecordRow], ids: &BTreeSet<RecordId>, from: RecordId) {
        for row in &mut self.rows {
            match rows.iter().find(|new| new.id == row.id) {
                Some(new) => row.clone_from(new),
                None => row.left_queue = row.id >= from && !ids.contains(&row.id),
            }
        }
        self.new_count = ids.difference(&self.known_ids).count();
    }

    /// Replaces the rows. The cursor stays on its record, or else on its line.
    fn replace(&mut self, rows: Vec<RecordRow>) {
        let id = self.current().map(|row| row.id);
        self.rows = rows;
        self.range = None;
        let found = id.and_then(|id| self.rows.iter().position(|row| row.id == id));
        self.cursor = found.unwrap_or(self.cursor).min(self.rows.len().saturating_sub(1));
    }

    /// Clears rows and marks for another filter.
    pub fn clear(&mut self) {
        self.rows.clear();
        self.marks.clear();
        self.known_ids.clear();
        (self.cursor, self.top, self.start, self.total, self.new_count) = (0, 0, 0, 0, 0);
        self.range = None;
        self.requested_start = None;
        self.state = ListState::Loading;
    }

    /// Moves the cursor, and with it the end of the selected range.
    pub fn move_cursor(&mut self, to: usize) {
        self.cursor = to.min(self.rows.len().saturating_sub(1));
        if let Some((from, before)) = &self.range {
            let mut marks = before.clone();
            let (low, high) = (self.cursor.min(*from), self.cursor.max(*from));
            for row in self.rows.iter().take(high + 1).skip(low).filter(|row| !row.left_queue) {
                marks.add(row);
            }
            self.marks = marks;
        }
    }

    /// Scrolls so that the cursor is in the `height` visible rows.
    pub fn scroll(&mut self, height: usize) {
        let height = height.max(1);
        let most = self.rows.len().saturating_sub(height);
        self.top = self.top.min(most).min(self.cursor).max((self.cursor + 1).saturating_sub(height));
    }

    #[must_use]
    pub fn has_previous_page(&self) -> bool {
        self.start > 0
    }

    #[must_use]
    pub fn has_next_page(&self) -> bool {
        self.start + PAGE_SIZE < self.total
    }

    /// Requests the next or previous page; returns false where there is none. The shown page stays until the new one is loaded.
    pub fn request_page(&mut self, forward: bool) -> bool {
        if !(if forward { self.has_next_page() } else { self.has_previous_page() }) {
            return false;
        }
        self.requested_start =
            Some(if forward { self.start + PAGE_SIZE } else { (self.start - PAGE_SIZE).max(0) });
        true
    }
}
