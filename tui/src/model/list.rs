//! The list of one tab: its page of rows, cursor, marks, filter, order and age.
//!
//! A refresh in place never moves a row: it updates the shown rows, flags the rows that have left the queue, and counts the
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
pub struct ListPage {
    pub rows: Vec<RecordRow>,
    pub total: i64,
    /// The matching ids, highest first: all of them, or the first 10,000.
    pub ids: Vec<RecordId>,
}

/// All records that match a query, to mark them.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct MatchingRecords {
    /// The rows; empty if there are too many to load.
    pub rows: Vec<RecordRow>,
    /// The ids; empty if `rows` has all records.
    pub ids: Vec<RecordId>,
}

/// The load state of a list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ListState {
    /// Nothing is loaded yet.
    Loading,
    /// The last load succeeded.
    Ready,
    /// The last load failed; older rows may still be shown.
    Failed(Failure),
}

/// How the list applies a loaded page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RefreshMode {
    /// Replace the rows: the staff member requested it.
    Replace,
    /// Refresh without moving a row.
    InPlace,
}

#[derive(Debug)]
pub struct RecordList {
    pub tab: &'static Tab,
    pub rows: Vec<RecordRow>,
    /// The index of the selected row.
    pub cursor: usize,
    /// The index of the first visible row.
    pub scroll_offset: usize,
    pub total: i64,
    /// The offset of the shown page.
    pub offset: i64,
    /// The offset of the requested page, until it is loaded.
    pub requested_offset: Option<i64>,
    /// The number of new records since the rows were loaded.
    pub new_count: usize,
    pub marks: Marks,
    /// While the staff member selects a range: the index of its first row, and the marks before the selection.
    pub range: Option<(usize, Marks)>,
    pub filter_text: String,
    pub filter: Filter,
    pub sort: SortOrder,
    pub visible_columns: Vec<bool>,
    pub state: ListState,
    /// The time of the last successful load.
    pub loaded_at: Option<Time>,
    /// The time of the last failed load.
    pub failed_at: Option<Time>,
    /// The id of the job that is in progress, and how to apply its result.
    pub pending: Option<(u64, RefreshMode)>,
    /// The time of the next automatic refresh.
    pub refresh_at: Option<Time>,
    loaded_ids: BTreeSet<RecordId>,
}

impl RecordList {
    /// Creates an empty list of a tab.
    #[must_use]
    pub fn new(tab: &'static Tab) -> Self {
        Self {
            tab,
            rows: Vec::new(),
            cursor: 0,
            scroll_offset: 0,
            total: 0,
            offset: 0,
            requested_offset: None,
            new_count: 0,
            marks: Marks::default(),
            range: None,
            filter_text: tab.default_filter.to_owned(),
            filter: Filter::parse(tab.default_filter, tab.source.fields()).unwrap_or_default(),
            sort: tab.default_sort,
            visible_columns: tab.source.columns().iter().map(|column| column.is_visible_by_default).collect(),
            state: ListState::Loading,
            loaded_at: None,
            failed_at: None,
            pending: None,
            refresh_at: None,
            loaded_ids: BTreeSet::new(),
        }
    }

    /// The query of the current or requested page.
    #[must_use]
    pub fn query(&self) -> TableQuery {
        let query = self
            .filter
            .apply(TableQuery::new())
            .page(self.requested_offset.unwrap_or(self.offset), PAGE_SIZE);
        let query = query.sort(self.sort.column, self.sort.descending);
        // Without a second column, equal rows could change places between refreshes.
        if self.sort.column == "id" { query } else { query.sort("id", false) }
    }

    #[must_use]
    pub fn selected_row(&self) -> Option<&RecordRow> {
        self.rows.get(self.cursor)
    }

    /// Whether the filter differs from the default filter of the tab.
    #[must_use]
    pub fn is_filtered(&self) -> bool {
        self.filter_text != self.tab.default_filter
    }

    /// Applies a loaded page and returns the number of removed marks.
    pub fn apply_page(&mut self, page: ListPage, mode: RefreshMode, now: Time) -> usize {
        let ids: BTreeSet<RecordId> = page.ids.iter().copied().collect();
        // Above 10,000 records the ids are incomplete: a lower id may still match.
        let is_complete = i64::try_from(ids.len()).unwrap_or(i64::MAX) >= page.total;
        let min_id = if is_complete {
            RecordId::new(i64::MIN)
        } else {
            ids.first().copied().unwrap_or(RecordId::new(i64::MAX))
        };
        self.marks.update_from(&page.rows);
        let removed_marks = self.marks.retain_listed(&ids, min_id);
        self.loaded_at = Some(now);
        self.state = ListState::Ready;
        self.total = page.total;
        if let Some(offset) = self.requested_offset.take() {
            (self.offset, self.cursor, self.scroll_offset, self.range) = (offset, 0, 0, None);
            self.rows.clear();
        }
        if mode == RefreshMode::InPlace && !self.rows.is_empty() {
            self.refresh_in_place(&page.rows, &ids, min_id);
        } else {
            self.replace_rows(page.rows);
            self.loaded_ids = ids;
            self.new_count = 0;
        }
        removed_marks
    }

    fn refresh_in_place(&mut self, rows: &[RecordRow], ids: &BTreeSet<RecordId>, min_id: RecordId) {
        for row in &mut self.rows {
            match rows.iter().find(|new_row| new_row.id == row.id) {
                Some(new_row) => row.clone_from(new_row),
                None => row.has_left_queue = row.id >= min_id && !ids.contains(&row.id),
            }
        }
        self.new_count = ids.difference(&self.loaded_ids).count();
    }

    /// Replaces the rows. The cursor stays on its record, or else on its line.
    fn replace_rows(&mut self, rows: Vec<RecordRow>) {
        let id = self.selected_row().map(|row| row.id);
        self.rows = rows;
        self.range = None;
        let index = id.and_then(|id| self.rows.iter().position(|row| row.id == id));
        self.cursor = index.unwrap_or(self.cursor).min(self.rows.len().saturating_sub(1));
    }

    /// Clears the rows and the marks, because the filter changed.
    pub fn clear(&mut self) {
        self.rows.clear();
        self.marks.clear();
        self.loaded_ids.clear();
        (self.cursor, self.scroll_offset, self.offset, self.total, self.new_count) = (0, 0, 0, 0, 0);
        self.range = None;
        self.requested_offset = None;
        self.state = ListState::Loading;
    }

    /// Moves the cursor, and with it the end of the selected range.
    pub fn move_cursor(&mut self, index: usize) {
        self.cursor = index.min(self.rows.len().saturating_sub(1));
        if let Some((range_start, marks_before)) = &self.range {
            let mut marks = marks_before.clone();
            let (low, high) = (self.cursor.min(*range_start), self.cursor.max(*range_start));
            for row in self.rows.iter().take(high + 1).skip(low).filter(|row| !row.has_left_queue) {
                marks.add(row);
            }
            self.marks = marks;
        }
    }

    /// Scrolls so that the cursor is in one of the `visible_rows`.
    pub fn scroll_to_cursor(&mut self, visible_rows: usize) {
        let visible_rows = visible_rows.max(1);
        let max_offset = self.rows.len().saturating_sub(visible_rows);
        self.scroll_offset = self
            .scroll_offset
            .min(max_offset)
            .min(self.cursor)
            .max((self.cursor + 1).saturating_sub(visible_rows));
    }

    #[must_use]
    pub fn has_previous_page(&self) -> bool {
        self.offset > 0
    }

    #[must_use]
    pub fn has_next_page(&self) -> bool {
        self.offset + PAGE_SIZE < self.total
    }

    /// Requests the next or previous page; returns false if there is none. The current page stays visible until the new one is
    /// loaded.
    pub fn request_page(&mut self, forward: bool) -> bool {
        if !(if forward { self.has_next_page() } else { self.has_previous_page() }) {
            return false;
        }
        self.requested_offset =
            Some(if forward { self.offset + PAGE_SIZE } else { (self.offset - PAGE_SIZE).max(0) });
        true
    }
}
