//! All rows of a list, a thousand ids at a time, for files.

use std::collections::VecDeque;

use panel_contract::ids::RecordId;
use panel_kernel::error::Result;

use crate::scope::Scope;
use crate::table::fetch;
use crate::table::plan::Plan;

/// Rows read at once.
const CHUNK: usize = 1_000;
/// The same for the database.
const CHUNK_ROWS: i64 = 1_000;

/// The ids still to come.
pub struct Chunks(Ids);

enum Ids {
    /// In the order of the id: the plan moves on below (or above) the last one.
    Keyset(Box<Plan>),
    /// In any other order, or after a search: found once.
    Frozen(VecDeque<RecordId>),
    Done,
}

impl Chunks {
    /// All rows that `plan` finds, whichever page it asks for.
    pub async fn new(scope: &Scope, mut plan: Plan) -> Result<Self> {
        plan.start = 0;
        if plan.order.is_by_id() && plan.order.descending && !plan.has_text() {
            plan.length = CHUNK_ROWS;
            return Ok(Self(Ids::Keyset(Box::new(plan))));
        }
        plan.length = i64::MAX;
        Ok(Self(Ids::Frozen(fetch::ids(&mut scope.db(), &plan).await?.into())))
    }

    /// The next thousand; none at the end.
    pub async fn next(&mut self, scope: &Scope) -> Result<Vec<RecordId>> {
        match &mut self.0 {
            Ids::Done => Ok(Vec::new()),
            Ids::Frozen(ids) => Ok(ids.drain(..ids.len().min(CHUNK)).collect()),
            Ids::Keyset(plan) => {
                let ids = fetch::ids(&mut scope.db(), plan).await?;
                plan.below = ids.last().map(|id| id.get());
                if ids.len() < CHUNK {
                    self.0 = Ids::Done;
                }
                Ok(ids)
            }
        }
    }
}
