//! The marked records. Marks belong to ids, not to rows: they survive pages, sorting and refreshes.

use std::collections::{BTreeMap, BTreeSet};

use panel_contract::amount::Money;
use panel_contract::ids::RecordId;
use panel_contract::moment::Time;

use crate::model::row::{MarkedRecord, RecordRow};
use crate::model::verb::Verb;

/// The marked ids; records whose row was loaded have their data.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Marks(BTreeMap<RecordId, Option<MarkedRecord>>);

/// The count, the sum and the age of the marked records.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MarkSummary {
    pub count: usize,
    /// The number of marked records whose row was not loaded.
    pub unknown: usize,
    /// The sum of the loaded records; `None` on overflow.
    pub amount: Option<Money>,
    /// The time at which the oldest loaded record entered the queue.
    pub oldest: Option<Time>,
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

    /// The data of a marked record; `None` where its row was never loaded.
    #[must_use]
    pub fn get(&self, id: RecordId) -> Option<MarkedRecord> {
        self.0.get(&id).copied().flatten()
    }

    pub fn add(&mut self, row: &RecordRow) {
        self.0.insert(row.id, Some(row.into()));
    }

    /// Marks an id whose row was not loaded.
    pub fn add_id(&mut self, id: RecordId) {
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
            if let Some(known) = self.0.get_mut(&row.id) {
                *known = Some(row.into());
            }
        }
    }

    /// Unmarks records that are not in `ids` and returns how many. Ids below `from` are kept, because `ids` does not cover them.
    pub fn retain_listed(&mut self, ids: &BTreeSet<RecordId>, from: RecordId) -> usize {
        let before = self.0.len();
        self.0.retain(|id, _| *id < from || ids.contains(id));
        before - self.0.len()
    }

    /// The number of marked records that allow a verb; records that are not loaded count.
    #[must_use]
    pub fn eligible(&self, verb: Verb) -> usize {
        self.0.values().filter(|known| known.is_none_or(|known| known.allowed.has(verb))).count()
    }

    /// The count, the sum and the age of the marked records.
    #[must_use]
    pub fn summary(&self) -> MarkSummary {
        let known = || self.0.values().flatten();
        MarkSummary {
            count: self.0.len(),
            unknown: self.0.len() - known().count(),
            amount: Money::sum(known().map(|known| known.amount)).ok(),
            oldest: known().map(|known| known.since).min(),
        }
    }
}
