//! A record as the list keeps it, whatever it is of, and what is remembered of a marked one.

use panel_contract::amount::Money;
use panel_contract::ids::RecordId;
use panel_contract::moment::Time;

use crate::model::columns::Cell;
use crate::model::verb::Allowed;

/// A row.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Row {
    /// The record's id.
    pub id: RecordId,
    /// When it began to wait.
    pub since: Time,
    /// What it is worth.
    pub amount: Money,
    /// Where it stands, in words.
    pub state: String,
    /// What may be done to it now.
    pub allowed: Allowed,
    /// What its columns show, one for each column of the source.
    pub cells: Vec<Cell>,
    /// It is no longer in the queue, and stays only so that nothing moves under the cursor.
    pub left: bool,
}

/// What is known of a marked record; a page that was never loaded leaves it at the id.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Marked {
    /// When it began to wait.
    pub since: Time,
    /// What it is worth.
    pub amount: Money,
    /// What may be done to it.
    pub allowed: Allowed,
}

impl From<&Row> for Marked {
    fn from(row: &Row) -> Self {
        Self { since: row.since, amount: row.amount, allowed: row.allowed }
    }
}
