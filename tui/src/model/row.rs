//! A row of any list, and the part of it that is stored for a marked record.

use panel_contract::amount::Money;
use panel_contract::ids::RecordId;
use panel_contract::moment::Time;

use crate::model::columns::Cell;
use crate::model::verb::AllowedVerbs;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RecordRow {
    pub id: RecordId,
    /// When the record entered the queue.
    pub since: Time,
    /// The amount of the record, for the sum of the marked records.
    pub amount: Money,
    /// The status in words.
    pub state: String,
    /// The verbs that the record allows now.
    pub allowed: AllowedVerbs,
    /// One cell for each column of the source.
    pub cells: Vec<Cell>,
    /// The record has left the queue; its row stays until the next full load, so that no row moves under the cursor.
    pub left_queue: bool,
}

/// A marked record whose row was loaded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MarkedRecord {
    /// When the record entered the queue.
    pub since: Time,
    /// The amount of the record, for the sum of the marked records.
    pub amount: Money,
    /// The allowed verbs.
    pub allowed: AllowedVerbs,
}

impl From<&RecordRow> for MarkedRecord {
    fn from(row: &RecordRow) -> Self {
        Self { since: row.since, amount: row.amount, allowed: row.allowed }
    }
}
