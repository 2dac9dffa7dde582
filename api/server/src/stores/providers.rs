//! Only this module writes the status of providers. `supply` decides what the service list of an external panel means for it.

use panel_contract::ids::ProviderId;
use panel_contract::moment::Stamp;
use panel_contract::providers::ProviderStatus;
use panel_domain::states::providers::{ProviderEvent, Providers};
use panel_platform::db::state::{StoredStates, Transition, transition};
use panel_platform::db::{DbResult, Source, Sql};
use panel_platform::word_conditions;

pub const STATES: StoredStates<Providers> = StoredStates {
    table: "providers",
    conditions: word_conditions!(
        "providers.status",
        ProviderStatus::Active => "active",
        ProviderStatus::Disabled => "disabled",
        ProviderStatus::Error => "error",
    ),
};

/// Sets the status that a staff member chose. [`Transition::Superseded`] if the provider already has it.
pub async fn set_status(
    db: &mut impl Source,
    id: ProviderId,
    status: ProviderStatus,
) -> DbResult<Transition> {
    let Some(event) = ProviderEvent::to(status) else { return Ok(Transition::Superseded) };
    let sql = Sql::new("UPDATE providers SET status = ? WHERE id = ?").bind(status.as_str()).bind(id);
    transition(db, sql.append(STATES.leaving(event))).await
}

/// The external panel no longer lists the services of these providers.
pub async fn mark_vanished(db: &mut impl Source, ids: &[ProviderId], stamp: Stamp) -> DbResult<()> {
    let sql =
        Sql::new("UPDATE providers SET status = 'disabled', vanished_at = ?, updated_at = ? WHERE id IN ");
    let sql = sql.bind(stamp).bind(stamp).ids(ids);
    db.exec(sql.append(STATES.leaving(ProviderEvent::Vanish))).await.map(drop)
}

/// The external panel lists the services of these providers again; providers that had not vanished are not changed.
pub async fn mark_returned(db: &mut impl Source, ids: &[ProviderId], stamp: Stamp) -> DbResult<()> {
    let sql = Sql::new(
        "UPDATE providers SET status = 'active', vanished_at = NULL, last_available_at = ?, updated_at = ? WHERE vanished_at IS NOT NULL AND id IN ",
    );
    let sql = sql.bind(stamp).bind(stamp).ids(ids);
    db.exec(sql.append(STATES.leaving(ProviderEvent::Return))).await.map(drop)
}
