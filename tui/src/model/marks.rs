//! The marked records. A mark belongs to an id, not to a row: it survives a change of page or sort order, and a refresh.

use std::collections::{BTreeMap, BTreeSet};

use panel_contract::amount::Money;
use panel_contract::ids::RecordId;
use panel_contract::moment::Time;

use crate::model::record_action::RecordAction;
use crate::model::row::{MarkedRecord, RecordRow};

/// The marked ids. A record whose row was loaded also has its data.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Marks(BTreeMap<RecordId, Option<MarkedRecord>>);

/// The count, the sum and the age of the marked records.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MarkSummary {
    pub count: usize,
    /// The number of marked records whose row was not loaded.
    pub not_loaded_count: usize,
    /// The sum of the loaded records; `None` on overflow.
    pub amount: Option<Money>,
    /// The time at which the oldest loaded record entered the queue.
    pub oldest_queued_at: Option<Time>,
}

impl Marks {
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    #[must_use]
    pub fn len(&self) -> usize {
        self.0.len()
    }

    #[must_use]
    pub fn contains(&self, id: RecordId) -> bool {
        self.0.contains_key(&id)
    }

    /// The marked ids, lowest first.
    #[must_use]
    pub fn ids(&self) -> Vec<RecordId> {
        self.0.keys().copied().collect()
    }

    /// The data of a marked record; `None` if its row was never loaded.
    #[must_use]
    pub fn get(&self, id: RecordId) -> Option<MarkedRecord> {
        self.0.get(&id).copied().flatten()
    }

    pub fn add(&mut self, row: &RecordRow) {
        self.0.insert(row.id, Some(row.into()));
    }

    /// Marks an id whose row was not loaded.
    pub fn add_unloaded_id(&mut self, id: RecordId) {
        self.0.entry(id).or_insert(None);
    }

    pub fn toggle(&mut self, row: &RecordRow) {
        if self.0.remove(&row.id).is_none() {
            self.add(row);
        }
    }

    pub fn clear(&mut self) {
        self.0.clear();
    }

    pub fn remove(&mut self, id: RecordId) {
        self.0.remove(&id);
    }

    /// Updates marked records from loaded rows.
    pub fn update_from(&mut self, rows: &[RecordRow]) {
        for row in rows {
            if let Some(record) = self.0.get_mut(&row.id) {
                *record = Some(row.into());
            }
        }
    }

    /// Unmarks records that are not in `ids` and returns their number. Keeps ids below `min_id`, because `ids` does not cover them.
    pub fn retain_listed(&mut self, ids: &BTreeSet<RecordId>, min_id: RecordId) -> usize {
        let count_before = self.0.len();
        self.0.retain(|id, _| *id < min_id || ids.contains(id));
        count_before - self.0.len()
    }

    /// The number of marked records that allow an action, including the records that are not loaded.
    #[must_use]
    pub fn count_eligible(&self, action: RecordAction) -> usize {
        self.0
            .values()
            .filter(|record| record.is_none_or(|record| record.allowed_actions.allows(action)))
            .count()
    }

    /// The count, the sum and the age of the marked records.
    #[must_use]
    pub fn summary(&self) -> MarkSummary {
        let loaded = || self.0.values().flatten();
        MarkSummary {
            count: self.0.len(),
            not_loaded_count: self.0.len() - loaded().count(),
            amount: Money::sum(loaded().map(|record| record.amount)).ok(),
            oldest_queued_at: loaded().map(|record| record.queued_at).min(),
        }
    }
}
