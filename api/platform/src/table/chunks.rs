//! Reads the ids of all rows of a list in chunks of a thousand, for exports.

use std::collections::VecDeque;

use panel_contract::ids::RecordId;
use panel_kernel::error::Result;

use crate::scope::Scope;
use crate::table::fetch;
use crate::table::plan::Plan;

const CHUNK: usize = 1_000;
const CHUNK_LENGTH: i64 = 1_000;

/// The ids that were not returned yet.
pub struct Chunks(Ids);

enum Ids {
    /// In descending order of the id: each chunk begins below the last id of the one before.
    Keyset(Box<Plan>),
    /// In any other order, or with a text search: all ids, read once.
    Loaded(VecDeque<RecordId>),
    Done,
}

impl Chunks {
    /// All rows that `plan` finds, regardless of its page.
    pub async fn new(scope: &Scope, mut plan: Plan) -> Result<Self> {
        plan.start = 0;
        if plan.order.is_by_id() && plan.order.descending && !plan.has_text() {
            plan.length = CHUNK_LENGTH;
            return Ok(Self(Ids::Keyset(Box::new(plan))));
        }
        plan.length = i64::MAX;
        Ok(Self(Ids::Loaded(fetch::ids(&mut scope.db(), &plan).await?.into())))
    }

    /// The next ids, at most a thousand; empty at the end.
    pub async fn next(&mut self, scope: &Scope) -> Result<Vec<RecordId>> {
        match &mut self.0 {
            Ids::Done => Ok(Vec::new()),
            Ids::Loaded(ids) => Ok(ids.drain(..ids.len().min(CHUNK)).collect()),
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
