//! Writes the table `free_trials`; no other module writes it. Each decision changes only rows in a state in which
//! `panel_domain::states::free_trials` allows the event.

use panel_contract::free_trials::FreeTrialStatus;
use panel_contract::ids::{FreeTrialId, FreeTrialQuestId, OrderId, UserId};
use panel_domain::states::free_trials::{FreeTrialEvent, FreeTrials};
use panel_platform::db::state::{StoredStates, Transition, transition};
use panel_platform::db::{DbResult, Sql, SqlExecutor as _};
use panel_platform::sql;
use panel_platform::status_conditions;
use panel_platform::work::UnitOfWork;

/// SQL conditions of the states of a free trial.
pub const STATES: StoredStates<FreeTrials> = StoredStates {
    table: "free_trials",
    conditions: status_conditions!(
        "free_trials.status",
        FreeTrialStatus::Pending => "pending",
        FreeTrialStatus::Approved => "approved",
        FreeTrialStatus::Rejected => "rejected",
    ),
};

/// Inserts a pending request of a customer for a quest, with the current name and quantity of the quest. Returns the id of the
/// request.
pub(super) async fn insert(
    work: &mut UnitOfWork,
    (quest_id, user_id): (FreeTrialQuestId, UserId),
    (name, quantity): (&str, i64),
    url: &str,
    proof_url: Option<&str>,
) -> DbResult<FreeTrialId> {
    let now = work.now;
    let sql = sql!(
        "INSERT INTO free_trials (free_trial_quest_id, user_id, name, url, proof_url, quantity, created_at) \
           VALUES (@free_trial_quest_id, @user_id, @name, @url, @proof_url, @quantity, @now) RETURNING id",
        { free_trial_quest_id: quest_id, user_id, name, url, proof_url, quantity, now },
    );
    let (id,): (FreeTrialId,) = work.fetch_one(sql).await?;
    Ok(id)
}

/// Stores the approval with the free order and its quantity.
pub(super) async fn approve(
    work: &mut UnitOfWork,
    id: FreeTrialId,
    order_id: OrderId,
    quantity: i64,
) -> DbResult<Transition> {
    let sql = sql!(
        "UPDATE free_trials SET status = 'approved', approved_by = @approved_by, approved_at = @approved_at, \
           order_id = @order_id, quantity = @quantity WHERE id = @id",
        { approved_by: work.actor(), approved_at: work.now, order_id, quantity, id },
    );
    transition(work, sql.append(STATES.condition_for(FreeTrialEvent::Approve))).await
}

pub(super) async fn reject(work: &mut UnitOfWork, id: FreeTrialId) -> DbResult<Transition> {
    let sql = Sql::new(
        "UPDATE free_trials SET status = 'rejected', approved_by = ?, approved_at = ?, order_id = NULL WHERE id = ?",
    );
    let sql = sql.bind(work.actor()).bind(work.now).bind(id);
    transition(work, sql.append(STATES.condition_for(FreeTrialEvent::Reject))).await
}
