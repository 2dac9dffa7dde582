//! Writes the table `combo_orders`; no other module writes it. An update by staff changes only a row in a state in which
//! `panel_domain::states::combo_orders` allows the event. An update that follows from the orders of a combo order changes only a
//! row that still has the status from which the update was computed; the caller has locked the rows.

use panel_contract::combo_orders::ComboStatus;
use panel_contract::ids::{ComboOrderId, PackageId, UserId};
use panel_contract::moment::Time;
use panel_contract::orders::OrderSource;
use panel_domain::states::combo_orders::{ComboOrderEvent, ComboOrders};
use panel_kernel::error::{Error, Result};
use panel_platform::db::state::{StoredStates, Transition, transition, transition_all};
use panel_platform::db::{DbResult, Sql, SqlExecutor as _};
use panel_platform::sql;
use panel_platform::status_conditions;
use panel_platform::work::UnitOfWork;

/// SQL conditions of the states of a combo order.
pub const STATES: StoredStates<ComboOrders> = StoredStates {
    table: "combo_orders",
    conditions: status_conditions!(
        "combo_orders.status",
        ComboStatus::InModeration => "in_moderation",
        ComboStatus::InProcessing => "in_processing",
        ComboStatus::Completed => "completed",
        ComboStatus::Canceled => "canceled",
    ),
};

/// Code and message of the 409 if another transaction changed the combo order.
pub(super) const CONCURRENT_CHANGE: (&str, &str) =
    ("combo_order_changed_meanwhile", "Another request changed the combo order. Reload it and try again.");

/// A combo order to insert.
pub(super) struct NewComboRow<'a> {
    pub(super) user_id: UserId,
    pub(super) url: &'a str,
    pub(super) source: OrderSource,
    /// Id, name and type of the package.
    pub(super) package: (Option<PackageId>, &'a str, &'a str),
    pub(super) orders_count: i64,
}

/// Inserts a combo order in processing and returns its id.
pub(super) async fn insert(work: &mut UnitOfWork, new: &NewComboRow<'_>) -> DbResult<ComboOrderId> {
    let (now, timestamp) = (work.now, work.timestamp());
    let (package_id, name, kind) = new.package;
    let sql = sql!(
        "INSERT INTO combo_orders (url, status, source, package_id, package_name, package_type, user_id, orders_count, \
           created_at, updated_at)
         VALUES (@url, 'in_processing', @source, @package_id, @package_name, @package_type, @user_id, @orders_count, @now, \
           @timestamp) RETURNING id",
        {
            url: new.url,
            source: new.source.as_str(),
            package_id,
            package_name: name,
            package_type: kind,
            user_id: new.user_id,
            orders_count: new.orders_count,
            now,
            timestamp,
        },
    );
    let (id,): (ComboOrderId,) = work.fetch_one(sql).await?;
    Ok(id)
}

/// Moves a new combo order to moderation, because one of its orders needs it.
pub(super) async fn hold_for_moderation(work: &mut UnitOfWork, id: ComboOrderId) -> DbResult<Transition> {
    let sql = Sql::new("UPDATE combo_orders SET status = 'in_moderation' WHERE id = ?").bind(id);
    transition(work, sql.append(STATES.condition_for(ComboOrderEvent::HoldForModeration))).await
}

/// Stores the status `to` of a combo order after a decision of staff.
pub(super) async fn decide(
    work: &mut UnitOfWork,
    id: ComboOrderId,
    event: ComboOrderEvent,
    to: ComboStatus,
) -> DbResult<Transition> {
    let (completed_at, canceled_at) = end_times(to, work.now);
    let sql = sql!(
        "UPDATE combo_orders SET status = @status, completed_at = @completed_at, canceled_at = @canceled_at, \
           updated_at = @updated_at WHERE id = @id",
        { status: to.as_str(), completed_at, canceled_at, updated_at: work.timestamp(), id },
    );
    transition(work, sql.append(STATES.condition_for(event))).await
}

/// The values of `completed_at` and `canceled_at` after a change to the status `to`.
fn end_times(to: ComboStatus, now: Time) -> (Option<Time>, Option<Time>) {
    let time_if = |status| (to == status).then_some(now);
    (time_if(ComboStatus::Completed), time_if(ComboStatus::Canceled))
}

/// A change of the status of a combo order that follows from the status of its orders.
pub(super) struct StatusChange {
    pub(super) id: ComboOrderId,
    pub(super) from: ComboStatus,
    pub(super) to: ComboStatus,
}

/// Changes the status of combo orders after their orders changed. The caller has locked them.
pub(super) async fn update_statuses(work: &mut UnitOfWork, changes: &[StatusChange]) -> Result<()> {
    let now = work.now;
    let row = |StatusChange { id, from, to }: &StatusChange| {
        let (completed_at, canceled_at) = end_times(*to, now);
        vec![(*id).into(), from.as_str().into(), to.as_str().into(), completed_at.into(), canceled_at.into()]
    };
    let sql = Sql::new(
        "UPDATE combo_orders SET status = r.status, completed_at = r.completed_at, canceled_at = r.canceled_at, updated_at = ? FROM ",
    );
    let columns = ["id", "old_status", "status", "completed_at", "canceled_at"];
    let sql = sql.bind(work.timestamp()).rows("r", &columns, changes.iter().map(row).collect());
    let sql = sql.push(
        " WHERE combo_orders.id = r.id AND combo_orders.status = r.old_status RETURNING combo_orders.id",
    );
    match transition_all::<ComboOrderId>(work, sql).await?.len() == changes.len() {
        true => Ok(()),
        false => Err(Error::conflict(CONCURRENT_CHANGE.0, CONCURRENT_CHANGE.1)),
    }
}
