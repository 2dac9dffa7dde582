//! Reads the ids of all rows of a list in chunks of a thousand, for exports.

use std::collections::VecDeque;

use panel_contract::ids::RecordId;
use panel_kernel::error::Result;

use crate::scope::Scope;
use crate::table::fetch;
use crate::table::plan::Plan;

const CHUNK_SIZE: usize = 1_000;
const CHUNK_LENGTH: i64 = 1_000;

/// The ids that [`Self::next`] has not returned yet.
pub struct Chunks(RemainingIds);

enum RemainingIds {
    /// For a list in descending order of ids: each chunk begins below the last id of the previous chunk.
    Keyset(Box<Plan>),
    /// For any other order and for text searches: all remaining ids, read by one statement.
    Loaded(VecDeque<RecordId>),
    Done,
}

impl Chunks {
    /// Starts to read all rows that match `plan`, not only those of its page.
    pub async fn new(scope: &Scope, mut plan: Plan) -> Result<Self> {
        plan.start = 0;
        if plan.order.is_by_id() && plan.order.descending && !plan.has_text() {
            plan.length = CHUNK_LENGTH;
            return Ok(Self(RemainingIds::Keyset(Box::new(plan))));
        }
        plan.length = i64::MAX;
        Ok(Self(RemainingIds::Loaded(fetch::read_ids(&mut scope.db(), &plan).await?.into())))
    }

    /// Returns the next ids, at most a thousand; empty at the end.
    pub async fn next(&mut self, scope: &Scope) -> Result<Vec<RecordId>> {
        match &mut self.0 {
            RemainingIds::Done => Ok(Vec::new()),
            RemainingIds::Loaded(ids) => Ok(ids.drain(..ids.len().min(CHUNK_SIZE)).collect()),
            RemainingIds::Keyset(plan) => {
                let ids = fetch::read_ids(&mut scope.db(), plan).await?;
                plan.below_id = ids.last().map(|id| id.get());
                if ids.len() < CHUNK_SIZE {
                    self.0 = RemainingIds::Done;
                }
                Ok(ids)
            }
        }
    }
}
