//! Stores the status of providers. Only this module writes the status; `supply` decides which status follows from the service list
//! of an external panel.

use panel_contract::ids::ProviderId;
use panel_contract::moment::Timestamp;
use panel_contract::providers::ProviderStatus;
use panel_domain::states::providers::{ProviderEvent, Providers};
use panel_platform::db::state::{StoredStates, Transition, transition};
use panel_platform::db::{DbResult, Sql, SqlExecutor};
use panel_platform::status_conditions;

pub const STATES: StoredStates<Providers> = StoredStates {
    table: "providers",
    conditions: status_conditions!(
        "providers.status",
        ProviderStatus::Active => "active",
        ProviderStatus::Disabled => "disabled",
        ProviderStatus::Error => "error",
    ),
};

/// Sets the status that a staff member chose. The result is [`Transition::Superseded`] if the provider already has this status.
pub async fn set_status(
    db: &mut impl SqlExecutor,
    id: ProviderId,
    status: ProviderStatus,
) -> DbResult<Transition> {
    let Some(event) = ProviderEvent::to(status) else { return Ok(Transition::Superseded) };
    let sql = Sql::new("UPDATE providers SET status = ? WHERE id = ?").bind(status.as_str()).bind(id);
    transition(db, sql.append(STATES.condition_for(event))).await
}

/// Disables providers whose service the external panel no longer lists.
pub async fn mark_vanished(
    db: &mut impl SqlExecutor,
    ids: &[ProviderId],
    timestamp: Timestamp,
) -> DbResult<()> {
    let sql =
        Sql::new("UPDATE providers SET status = 'disabled', vanished_at = ?, updated_at = ? WHERE id IN ");
    let sql = sql.bind(timestamp).bind(timestamp).ids(ids);
    db.execute(sql.append(STATES.condition_for(ProviderEvent::Vanish))).await.map(drop)
}

/// Activates vanished providers whose service the external panel lists again. Other providers are not changed.
pub async fn mark_listed_again(
    db: &mut impl SqlExecutor,
    ids: &[ProviderId],
    timestamp: Timestamp,
) -> DbResult<()> {
    let sql = Sql::new(
        "UPDATE providers SET status = 'active', vanished_at = NULL, last_available_at = ?, updated_at = ? WHERE vanished_at IS NOT NULL AND id IN ",
    );
    let sql = sql.bind(timestamp).bind(timestamp).ids(ids);
    db.execute(sql.append(STATES.condition_for(ProviderEvent::Return))).await.map(drop)
}
