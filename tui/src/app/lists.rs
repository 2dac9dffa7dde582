//! Lists and the record pane: loading, refreshes, filters, order, pages.

use panel_contract::ids::RecordId;
use panel_contract::moment::Time;

use crate::app::{App, STALE_AFTER, Severity};
use crate::job::Job;
use crate::model::filter::Filter;
use crate::model::list::{RecordList, RefreshMode};
use crate::model::queue::{SortOrder, Source};
use crate::text::pluralize;

impl App {
    pub(super) fn load_tab(&mut self, index: usize, mode: RefreshMode) {
        let job_id = self.new_job_id();
        let Some(list) = self.lists.get_mut(index) else { return };
        list.pending = Some((job_id, mode));
        list.refresh_at = None;
        self.jobs.push(Job::LoadPage { job_id, source: list.tab.source, query: list.query() });
    }

    /// Refreshes the shown list in place if its refresh is due.
    pub(super) fn refresh_if_due(&mut self) {
        let signed_in = self.session.is_some() && !self.is_signed_out() && !self.connection.is_offline();
        let now = self.now;
        let Some(list) = self.lists.get(self.tab_index).filter(|_| signed_in) else { return };
        let is_stale =
            list.loaded_at.max(list.failed_at).is_some_and(|last_load| now.since(last_load) > STALE_AFTER);
        let is_due = list.refresh_at.is_some_and(|refresh_at| refresh_at <= now) || is_stale;
        if is_due && list.pending.is_none() {
            self.load_tab(self.tab_index, RefreshMode::InPlace);
        }
    }

    pub(super) fn refresh(&mut self) {
        self.load_tab(self.tab_index, RefreshMode::Replace);
        if let (Some(id), Some(source)) = (self.pane.id, self.source()) {
            self.jobs.push(Job::LoadDetail { source, id });
        }
    }

    pub(super) fn source(&self) -> Option<Source> {
        self.list().map(|list| list.tab.source)
    }

    pub(super) fn apply_filter(&mut self, text: &str) {
        self.overlay = None;
        let Some(list) = self.lists.get_mut(self.tab_index) else { return };
        let text = text.trim();
        match Filter::parse(text, list.tab.source.fields()) {
            Err(error) => self.show_status(Severity::Error, error.message),
            Ok(filter) => {
                let removed_marks = list.marks.len();
                text.clone_into(&mut list.filter_text);
                list.filter = filter;
                list.clear();
                self.filter_history.add(text);
                if removed_marks > 0 {
                    self.show_status(
                        Severity::Info,
                        format!("Filter changed: {} removed.", pluralize(removed_marks, "mark")),
                    );
                }
                self.load_tab(self.tab_index, RefreshMode::Replace);
            }
        }
    }

    pub(super) fn sort_by(&mut self, column_index: usize) {
        let Some(list) = self.lists.get_mut(self.tab_index) else { return };
        let Some(column) = list.tab.source.columns().get(column_index).and_then(|column| column.sort_key)
        else {
            return;
        };
        let descending = column == list.sort.column && !list.sort.descending;
        list.sort = SortOrder { column, descending };
        list.requested_offset = Some(0);
        self.load_tab(self.tab_index, RefreshMode::Replace);
    }

    pub(super) fn change_page(&mut self, forward: bool) {
        let Some(list) = self.lists.get_mut(self.tab_index) else { return };
        if self.pane.is_focused {
            let cursor = if forward { list.cursor + 1 } else { list.cursor.saturating_sub(1) };
            list.move_cursor(cursor);
            return self.open_selected_record();
        }
        if list.request_page(forward) {
            self.load_tab(self.tab_index, RefreshMode::Replace);
        } else {
            let position = if forward { "last" } else { "first" };
            self.show_status(Severity::Info, format!("This is the {position} page."));
        }
    }

    /// Loads the ids of all matching records and marks them.
    pub(super) fn mark_all(&mut self) {
        let job_id = self.new_job_id();
        let Some(list) = self.list() else { return };
        let (source, query) = (list.tab.source, list.query());
        self.mark_all_job_id = Some(job_id);
        self.jobs.push(Job::LoadAllMatching { job_id, source, query });
        self.show_status(Severity::Info, "Marking all matching records …");
    }

    /// Opens the selected record and focuses it.
    pub(super) fn open_selected_record(&mut self) {
        if let Some(id) = self.list().and_then(RecordList::selected_row).map(|row| row.id) {
            self.open_record(id);
        }
    }

    pub(super) fn open_record(&mut self, id: RecordId) {
        self.show_record(id);
        self.pane.is_focused = true;
    }

    fn show_record(&mut self, id: RecordId) {
        let Some(source) = self.source() else { return };
        if self.pane.id != Some(id) {
            (self.pane.detail, self.pane.scroll_offset) = (None, 0);
        }
        (self.pane.id, self.pane.failure, self.pane.load_at) = (Some(id), None, None);
        self.jobs.push(Job::LoadDetail { source, id });
    }

    /// In the split view, loads the selected record after the cursor has not moved for [`CURSOR_DELAY`](super::CURSOR_DELAY).
    pub(super) fn load_record_at_cursor(&mut self) {
        let is_split = self.areas().is_some_and(|areas| areas.is_split);
        let is_due = self.pane.load_at.is_some_and(|load_at| load_at <= self.now);
        if !is_due || !is_split || self.pane.is_focused {
            return;
        }
        self.pane.load_at = None;
        let id = self.list().and_then(RecordList::selected_row).map(|row| row.id);
        if let Some(id) = id.filter(|id| self.pane.id != Some(*id)) {
            self.show_record(id);
        }
    }

    /// Reloads the shown list and record after a change, and schedules the other lists.
    pub(super) fn reload(&mut self) {
        self.load_tab(self.tab_index, RefreshMode::Replace);
        for (index, list) in self.lists.iter_mut().enumerate() {
            if index != self.tab_index && list.loaded_at.is_some() {
                list.refresh_at = Some(Time(self.now.0));
            }
        }
        if let (Some(id), Some(source)) = (self.pane.id, self.source()) {
            self.jobs.push(Job::LoadDetail { source, id });
        }
    }
}
