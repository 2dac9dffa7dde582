//! A row of any list, and the part of it that the list stores for a marked record.

use panel_contract::amount::Money;
use panel_contract::ids::RecordId;
use panel_contract::moment::Time;

use crate::model::columns::Cell;
use crate::model::record_action::AllowedActions;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RecordRow {
    pub id: RecordId,
    /// When the record entered the queue.
    pub queued_at: Time,
    /// The amount of the record, for the sum of the marked records.
    pub amount: Money,
    /// The status, such as `in moderation`.
    pub status_text: String,
    /// The actions that the record allows now.
    pub allowed_actions: AllowedActions,
    /// One cell for each column of the source.
    pub cells: Vec<Cell>,
    /// Whether the record has left the queue. Its row stays until the next full load, so that no row moves under the cursor.
    pub has_left_queue: bool,
}

/// A marked record whose row was loaded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MarkedRecord {
    /// When the record entered the queue.
    pub queued_at: Time,
    /// The amount of the record, for the sum of the marked records.
    pub amount: Money,
    pub allowed_actions: AllowedActions,
}

impl From<&RecordRow> for MarkedRecord {
    fn from(row: &RecordRow) -> Self {
        Self { queued_at: row.queued_at, amount: row.amount, allowed_actions: row.allowed_actions }
    }
}
