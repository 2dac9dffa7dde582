//! Promotes customers to the grade that they reach by their spending: when an order is completed, and once a day for all
//! customers. A promotion never takes a grade away and never replaces a grade that staff set by hand. No money moves.

use std::collections::BTreeMap;
use std::time::Duration;

use panel_contract::amount::Money;
use panel_contract::ids::{GradeId, OrderId, UserId};
use panel_kernel::error::Result;
use serde_json::json;

use crate::app::App;
use crate::operations::users::change::{self, FieldUpdate, LockedUser};
use panel_platform::db::{Source, Sql};
use panel_platform::lease::named::{NamedLease, next_utc_day};
use panel_platform::poller::Poller;
use panel_platform::poller::work::WorkSummary;
use panel_platform::scope::Scope;
use panel_platform::settings;
use panel_platform::work::UnitOfWork;

/// Number of customers per transaction of the daily run.
const PAGE: i64 = 500;
/// Between two checks whether the daily run is due.
const POLL_INTERVAL: Duration = Duration::from_secs(60);
/// The lease of the daily run.
const LEASE: &str = "grades";

// Rules

/// A grade that customers can reach.
#[derive(Debug, Clone, Copy, PartialEq, Eq, sqlx::FromRow)]
struct Goal {
    id: GradeId,
    spending_goal: Money,
}

/// The grade with the highest goal within `spent`, if that goal is above the goal of the customer's current grade. `goals` must be
/// sorted by their goal.
fn reached_grade(goals: &[Goal], current: Option<Money>, spent: Money) -> Option<GradeId> {
    let best = goals.iter().rev().find(|goal| goal.spending_goal <= spent)?;
    (best.spending_goal > current.unwrap_or(Money::ZERO)).then_some(best.id)
}

// Store

/// SQL: customers `u` who reach a grade above their own. Staff assign grades without a goal manually.
const REACHES: &str = "NOT u.grade_is_manual AND u.grades_enabled AND EXISTS (SELECT 1 FROM grades g WHERE NOT g.is_archived AND g.spending_goal > 0
  AND g.spending_goal <= u.spent AND g.spending_goal > COALESCE((SELECT c.spending_goal FROM grades c WHERE c.id = u.grade_id), 0))";

/// Promotes the customers of these orders, in the transaction that completes the orders. The orders are locked.
pub async fn promote_customers_of(work: &mut UnitOfWork, orders: &[OrderId]) -> Result<()> {
    if orders.is_empty() || !is_on(work).await? {
        return Ok(());
    }
    let sql =
        Sql::new("SELECT u.id FROM users u WHERE u.id IN (SELECT o.user_id FROM orders o WHERE o.id IN ");
    let sql = sql.ids(orders).push(") AND ").push(REACHES).push(" ORDER BY u.id");
    let due: Vec<(UserId,)> = work.all(sql).await?;
    // The actor is the system: staff who complete an order do not assign the grade.
    let before = std::mem::replace(&mut work.is_automatic, true);
    let promoted = promote(work, &due.into_iter().map(|(id,)| id).collect::<Vec<_>>()).await;
    work.is_automatic = before;
    promoted.map(drop)
}

#[must_use]
pub fn poller() -> Poller<App> {
    Poller::task("grade_promotion", POLL_INTERVAL, |app: App| async move {
        Ok(WorkSummary::done(promote_daily(&app).await?))
    })
}

/// Promotes all customers who reached a grade, once a day and in one process only. Returns the number of promoted customers.
/// Another process can repeat an interrupted run after the lease ends: customers who are already promoted no longer match.
pub async fn promote_daily(app: &App) -> Result<usize> {
    let Some(mut lease) = NamedLease::acquire(app, LEASE).await? else { return Ok(0) };
    let (mut after, mut promoted) = (None, 0);
    while is_on(&mut &app.db).await? {
        let sql = Sql::new("SELECT u.id FROM users u WHERE u.id > ? AND ");
        let sql = sql.bind(after.map_or(0, UserId::get)).push(REACHES);
        let due: Vec<(UserId,)> = (&mut &app.db).all(sql.push(" ORDER BY u.id LIMIT ?").bind(PAGE)).await?;
        let Some((last,)) = due.last() else { break };
        after = Some(*last);
        let mut work = Scope::system(app, "grades").begin().await?;
        promoted += promote(&mut work, &due.into_iter().map(|(id,)| id).collect::<Vec<_>>()).await?;
        work.finish(()).await?;
        if !lease.renew(app).await? {
            // Another process took over the lease.
            return Ok(promoted);
        }
    }
    lease.release(app, next_utc_day(app.clock.now())).await?;
    Ok(promoted)
}

async fn is_on(db: &mut impl Source) -> Result<bool> {
    Ok(settings::flag(db, settings::GRADES_ENABLED).await?
        && settings::flag(db, settings::AUTOMATIC_GRADES).await?)
}

/// Locks these customers and promotes those who still reach a grade.
async fn promote(work: &mut UnitOfWork, ids: &[UserId]) -> Result<usize> {
    if ids.is_empty() {
        return Ok(0);
    }
    let users = change::lock(work, ids).await?;
    let goals: Vec<Goal> = work
        .all(Sql::new("SELECT id, spending_goal FROM grades WHERE NOT is_archived AND spending_goal > 0 ORDER BY spending_goal, id"))
        .await?;
    let sql = Sql::new(
        "SELECT u.id, u.spent, c.spending_goal FROM users u LEFT JOIN grades c ON c.id = u.grade_id WHERE u.grades_enabled AND NOT u.grade_is_manual AND u.id IN ",
    );
    let spent: Vec<(UserId, Money, Option<Money>)> = work.all(sql.ids(ids)).await?;
    let mut by_grade: BTreeMap<GradeId, Vec<&LockedUser>> = BTreeMap::new();
    for (id, spent, current) in spent {
        if let (Some(grade), Some(user)) = (reached_grade(&goals, current, spent), users.get(&id)) {
            by_grade.entry(grade).or_default().push(user);
        }
    }
    let mut promoted = 0;
    for (grade, users) in by_grade {
        let set = FieldUpdate::new("grade_id", "grade_id = ?", grade, json!(grade));
        change::write(work, "user.grade_reached", &users, &[set]).await?;
        promoted += users.len();
    }
    Ok(promoted)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_higher_goal_promotes() {
        let goals = [(1, 100), (2, 1_000), (3, 1_000)]
            .map(|(id, goal)| Goal { id: GradeId::new(id), spending_goal: Money(goal) });
        let at = |current: Option<i64>, spent| {
            reached_grade(&goals, current.map(Money), Money(spent)).map(GradeId::get)
        };
        assert_eq!(at(None, 99), None);
        assert_eq!(at(None, 100), Some(1), "exactly the goal");
        assert_eq!(at(Some(0), 500), Some(1), "from a grade without a goal");
        assert_eq!(at(Some(100), 1_000), Some(3));
        assert_eq!(at(Some(1_000), 5_000), None, "no change to a grade with the same goal");
        assert_eq!(at(Some(9_000), 5_000), None, "never down");
        assert_eq!(reached_grade(&[], None, Money(5)), None);
    }
}
