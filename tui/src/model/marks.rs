//! Which records are marked. Marks belong to ids, not to places: they survive pages, sorting and refreshes.

use std::collections::{BTreeMap, BTreeSet};

use panel_contract::amount::Money;
use panel_contract::ids::RecordId;
use panel_contract::moment::Time;

use crate::model::row::{Marked, Row};
use crate::model::verb::Verb;

/// The marked records, each with what is known of it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Marks(BTreeMap<RecordId, Option<Marked>>);

/// What the marked records come to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Sum {
    /// How many.
    pub count: usize,
    /// How many of them nothing but the id is known of.
    pub unknown: usize,
    /// What the known ones are worth; none when that is too much to count.
    pub amount: Option<Money>,
    /// When the oldest known one began to wait.
    pub oldest: Option<Time>,
}

impl Marks {
    /// Whether nothing is marked.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// How many are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether this one is.
    #[must_use]
    pub fn has(&self, id: RecordId) -> bool {
        self.0.contains_key(&id)
    }

    /// The ids, lowest first.
    #[must_use]
    pub fn ids(&self) -> Vec<RecordId> {
        self.0.keys().copied().collect()
    }

    /// What is known of a marked one.
    #[must_use]
    pub fn known(&self, id: RecordId) -> Option<Marked> {
        self.0.get(&id).copied().flatten()
    }

    /// Marks a row.
    pub fn add(&mut self, row: &Row) {
        self.0.insert(row.id, Some(row.into()));
    }

    /// Marks an id that no row was loaded for.
    pub fn add_id(&mut self, id: RecordId) {
        self.0.entry(id).or_insert(None);
    }

    /// Marks a row, or unmarks it.
    pub fn toggle(&mut self, row: &Row) {
        if self.0.remove(&row.id).is_none() {
            self.add(row);
        }
    }

    /// Unmarks everything.
    pub fn clear(&mut self) {
        self.0.clear();
    }

    /// Unmarks one.
    pub fn drop(&mut self, id: RecordId) {
        self.0.remove(&id);
    }

    /// Learns what the rows now say of marked records.
    pub fn learn(&mut self, rows: &[Row]) {
        for row in rows {
            if let Some(known) = self.0.get_mut(&row.id) {
                *known = Some(row.into());
            }
        }
    }

    /// Unmarks what is not in the queue any more; `from` is the lowest id that `ids` knows about. How many that were.
    pub fn keep(&mut self, ids: &BTreeSet<RecordId>, from: RecordId) -> usize {
        let before = self.0.len();
        self.0.retain(|id, _| *id < from || ids.contains(id));
        before - self.0.len()
    }

    /// How many a verb may be done to, as far as that is known.
    #[must_use]
    pub fn eligible(&self, verb: Verb) -> usize {
        self.0.values().filter(|known| known.is_none_or(|known| known.allowed.has(verb))).count()
    }

    /// What they come to.
    #[must_use]
    pub fn sum(&self) -> Sum {
        let known = || self.0.values().flatten();
        Sum {
            count: self.0.len(),
            unknown: self.0.len() - known().count(),
            amount: Money::sum(known().map(|known| known.amount)).ok(),
            oldest: known().map(|known| known.since).min(),
        }
    }
}
