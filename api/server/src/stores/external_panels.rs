//! Stores the status of external panels. Only this module writes the status; `supply` decides which status follows from the
//! response of a panel.

use panel_contract::external_panels::PanelStatus;
use panel_contract::ids::ExternalPanelId;
use panel_domain::state_machine::{next_state, source_states};
use panel_domain::states::external_panels::{ExternalPanels, PanelEvent};
use panel_platform::db::state::{StoredStates, Transition, transition};
use panel_platform::db::{DbResult, Sql, SqlExecutor};
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

/// Writes the status that follows from an event. Returns [`Transition::Superseded`] if the event does not change the status.
pub async fn apply_event(
    db: &mut impl SqlExecutor,
    id: ExternalPanelId,
    event: PanelEvent,
) -> DbResult<Transition> {
    let status_change = source_states::<ExternalPanels>(event).find_map(|from| {
        let to = next_state::<ExternalPanels>(from, event)?;
        (to != from).then_some((from, to))
    });
    let Some((from, to)) = status_change else { return Ok(Transition::Superseded) };
    let sql = Sql::new("UPDATE external_panels SET status = ? WHERE id = ?").bind(to.as_str()).bind(id);
    transition(db, sql.append(STATES.condition_in(&[from]))).await
}
