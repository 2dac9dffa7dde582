//! Only this module writes the status of external panels. `supply` decides what a panel's answer means for its status.

use panel_contract::external_panels::PanelStatus;
use panel_contract::ids::ExternalPanelId;
use panel_domain::state_machine::{left_by, next};
use panel_domain::states::external_panels::{ExternalPanels, PanelEvent};
use panel_platform::db::state::{StoredStates, Transition, transition};
use panel_platform::db::{DbResult, Source, Sql};
use panel_platform::word_conditions;

pub const STATES: StoredStates<ExternalPanels> = StoredStates {
    table: "external_panels",
    conditions: word_conditions!(
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
    let moved = left_by::<ExternalPanels>(event).find_map(|from| {
        let to = next::<ExternalPanels>(from, event)?;
        (to != from).then_some((from, to))
    });
    let Some((from, to)) = moved else { return Ok(Transition::Superseded) };
    let sql = Sql::new("UPDATE external_panels SET status = ? WHERE id = ?").bind(to.as_str()).bind(id);
    transition(db, sql.append(STATES.within(&[from]))).await
}
