//! Promotes customers to the grade whose spending goal they have reached: when an order is completed, and once a day for all
//! customers. A promotion never lowers a grade, and never replaces a grade that staff set manually. Books no payment.

use std::collections::BTreeMap;
use std::time::Duration;

use panel_contract::amount::Money;
use panel_contract::ids::{GradeId, OrderId, UserId};
use panel_kernel::error::Result;
use serde_json::json;

use crate::app::App;
use crate::operations::users::change::{self, FieldUpdate, LockedUser};
use panel_platform::db::{Sql, SqlExecutor};
use panel_platform::lease::named::{NamedLease, next_utc_midnight};
use panel_platform::poller::Poller;
use panel_platform::poller::work::WorkSummary;
use panel_platform::scope::Scope;
use panel_platform::settings;
use panel_platform::work::UnitOfWork;

/// Number of customers per transaction of the daily run.
const BATCH_SIZE: i64 = 500;
/// Interval between two checks whether the daily run is due.
const POLL_INTERVAL: Duration = Duration::from_secs(60);
/// The lease of the daily run.
const LEASE_NAME: &str = "grades";

// Rules

/// A grade that customers can reach.
#[derive(Debug, Clone, Copy, PartialEq, Eq, sqlx::FromRow)]
struct GradeGoal {
    id: GradeId,
    spending_goal: Money,
}

/// Returns the grade with the highest goal that a customer reaches with the amount `spent`; `None` if this goal is not higher than
/// `current_goal`, the goal of the customer's grade. `goals` must be sorted by spending goal.
fn find_reached_grade(goals: &[GradeGoal], current_goal: Option<Money>, spent: Money) -> Option<GradeId> {
    let reached = goals.iter().rev().find(|goal| goal.spending_goal <= spent)?;
    (reached.spending_goal > current_goal.unwrap_or(Money::ZERO)).then_some(reached.id)
}

// Store

/// SQL condition: the customer `u` has reached the goal of a grade, and this goal is higher than the goal of the current grade.
/// Grades without a goal are assigned only by staff.
const REACHES_HIGHER_GRADE: &str = "NOT u.grade_is_manual AND u.grades_enabled AND EXISTS (SELECT 1 FROM grades g WHERE NOT g.is_archived AND g.spending_goal > 0
  AND g.spending_goal <= u.spent AND g.spending_goal > COALESCE((SELECT c.spending_goal FROM grades c WHERE c.id = u.grade_id), 0))";

/// Promotes the customers of these orders, in the transaction that completes the orders. The orders are locked.
pub async fn promote_customers_of(work: &mut UnitOfWork, orders: &[OrderId]) -> Result<()> {
    if orders.is_empty() || !is_automatic_promotion_on(work).await? {
        return Ok(());
    }
    let sql =
        Sql::new("SELECT u.id FROM users u WHERE u.id IN (SELECT o.user_id FROM orders o WHERE o.id IN ");
    let sql = sql.ids(orders).push(") AND ").push(REACHES_HIGHER_GRADE).push(" ORDER BY u.id");
    let rows: Vec<(UserId,)> = work.fetch_all(sql).await?;
    // The audit entry names the system as the actor, because the staff member who completes an order does not decide about the
    // grade.
    let was_automatic = std::mem::replace(&mut work.is_automatic, true);
    let result = promote(work, &rows.into_iter().map(|(id,)| id).collect::<Vec<_>>()).await;
    work.is_automatic = was_automatic;
    result.map(drop)
}

#[must_use]
pub fn poller() -> Poller<App> {
    Poller::task("grade_promotion", POLL_INTERVAL, |app: App| async move {
        Ok(WorkSummary::done(promote_daily(&app).await?))
    })
}

/// Promotes all customers who reached a grade, once a day and in one process only. Returns the number of promoted customers.
/// If a run is interrupted, another process can repeat it after the lease ends, because promoted customers no longer match.
pub async fn promote_daily(app: &App) -> Result<usize> {
    let Some(mut lease) = NamedLease::acquire(app, LEASE_NAME).await? else { return Ok(0) };
    let (mut last_id, mut promoted_count) = (None, 0);
    while is_automatic_promotion_on(&mut &app.db).await? {
        let sql = Sql::new("SELECT u.id FROM users u WHERE u.id > ? AND ");
        let sql = sql.bind(last_id.map_or(0, UserId::get)).push(REACHES_HIGHER_GRADE);
        let rows: Vec<(UserId,)> =
            (&mut &app.db).fetch_all(sql.push(" ORDER BY u.id LIMIT ?").bind(BATCH_SIZE)).await?;
        let Some((last_in_batch,)) = rows.last() else { break };
        last_id = Some(*last_in_batch);
        let mut work = Scope::system(app, "grades").begin().await?;
        promoted_count += promote(&mut work, &rows.into_iter().map(|(id,)| id).collect::<Vec<_>>()).await?;
        work.finish(()).await?;
        if !lease.renew(app).await? {
            // Another process took over the lease.
            return Ok(promoted_count);
        }
    }
    lease.release(app, next_utc_midnight(app.clock.now())).await?;
    Ok(promoted_count)
}

async fn is_automatic_promotion_on(db: &mut impl SqlExecutor) -> Result<bool> {
    Ok(settings::read_bool(db, settings::GRADES_ENABLED).await?
        && settings::read_bool(db, settings::AUTOMATIC_GRADES).await?)
}

/// Locks these customers and promotes those who still reach a grade. Returns the number of promoted customers.
async fn promote(work: &mut UnitOfWork, ids: &[UserId]) -> Result<usize> {
    if ids.is_empty() {
        return Ok(0);
    }
    let users = change::lock_users(work, ids).await?;
    let goals: Vec<GradeGoal> = work
        .fetch_all(Sql::new("SELECT id, spending_goal FROM grades WHERE NOT is_archived AND spending_goal > 0 ORDER BY spending_goal, id"))
        .await?;
    let sql = Sql::new(
        "SELECT u.id, u.spent, c.spending_goal FROM users u LEFT JOIN grades c ON c.id = u.grade_id WHERE u.grades_enabled AND NOT u.grade_is_manual AND u.id IN ",
    );
    let rows: Vec<(UserId, Money, Option<Money>)> = work.fetch_all(sql.ids(ids)).await?;
    let mut users_by_grade: BTreeMap<GradeId, Vec<&LockedUser>> = BTreeMap::new();
    for (id, spent, current_goal) in rows {
        if let (Some(grade), Some(user)) = (find_reached_grade(&goals, current_goal, spent), users.get(&id)) {
            users_by_grade.entry(grade).or_default().push(user);
        }
    }
    let mut promoted_count = 0;
    for (grade, users) in users_by_grade {
        let update = FieldUpdate::new("grade_id", "grade_id = ?", grade, json!(grade));
        change::write_updates(work, "user.grade_reached", &users, &[update]).await?;
        promoted_count += users.len();
    }
    Ok(promoted_count)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_higher_goal_promotes() {
        let goals = [(1, 100), (2, 1_000), (3, 1_000)]
            .map(|(id, goal)| GradeGoal { id: GradeId::new(id), spending_goal: Money(goal) });
        let promoted_to = |current_goal: Option<i64>, spent| {
            find_reached_grade(&goals, current_goal.map(Money), Money(spent)).map(GradeId::get)
        };
        assert_eq!(promoted_to(None, 99), None);
        assert_eq!(promoted_to(None, 100), Some(1), "the goal itself must be enough");
        assert_eq!(promoted_to(Some(0), 500), Some(1), "a grade without a goal must be replaced");
        assert_eq!(promoted_to(Some(100), 1_000), Some(3));
        assert_eq!(promoted_to(Some(1_000), 5_000), None, "a grade with the same goal must stay");
        assert_eq!(promoted_to(Some(9_000), 5_000), None, "a grade with a higher goal must stay");
        assert_eq!(find_reached_grade(&[], None, Money(5)), None);
    }
}
