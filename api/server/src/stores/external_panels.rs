//! The status of external panels; only this module writes it. `supply` decides what the response of a panel means for its status.

use panel_contract::external_panels::PanelStatus;
use panel_contract::ids::ExternalPanelId;
use panel_domain::state_machine::{next, source_states};
use panel_domain::states::external_panels::{ExternalPanels, PanelEvent};
use panel_platform::db::state::{StoredStates, Transition, transition};
use panel_platform::db::{DbResult, Source, Sql};
use panel_platform::status_conditions;

pub const STATES: StoredStates<ExternalPanels> = StoredStates {
    table: "external_panels",
    conditions: status_conditions!(
        "external_panels.status",
        PanelStatus::Active => "active",
        PanelStatus::Error => "error",
        PanelStatus::Disabled => "disabled",
    ),
};

/// Applies an event to a panel. A panel that already has the resulting status is not changed.
pub async fn apply_event(
    db: &mut impl Source,
    id: ExternalPanelId,
    event: PanelEvent,
) -> DbResult<Transition> {
    let status_change = source_states::<ExternalPanels>(event).find_map(|from| {
        let to = next::<ExternalPanels>(from, event)?;
        (to != from).then_some((from, to))
    });
    let Some((from, to)) = status_change else { return Ok(Transition::Superseded) };
    let sql = Sql::new("UPDATE external_panels SET status = ? WHERE id = ?").bind(to.as_str()).bind(id);
    transition(db, sql.append(STATES.condition_in(&[from]))).await
}
