//! The status of external panels: its only writes. What an answer means for it is decided in supply.

use panel_contract::external_panels::PanelStatus;
use panel_contract::ids::ExternalPanelId;
use panel_domain::state_machine::{left_by, next};
use panel_domain::states::external_panels::{ExternalPanels, PanelEvent};
use panel_platform::db::state::{StoredStates, Transition, transition};
use panel_platform::db::{DbResult, Source, Sql};
use panel_platform::word_conditions;

/// How the states of an external panel are stored.
pub const STATES: StoredStates<ExternalPanels> = StoredStates {
    table: "external_panels",
    conditions: word_conditions!(
        "external_panels.status",
        PanelStatus::Active => "active",
        PanelStatus::Error => "error",
        PanelStatus::Disabled => "disabled",
    ),
};

/// Lets an event happen to a panel. One that is where the event leads already stays as it is.
pub async fn happened(db: &mut impl Source, id: ExternalPanelId, event: PanelEvent) -> DbResult<Transition> {
    let moved = left_by::<ExternalPanels>(event).find_map(|from| {
        let to = next::<ExternalPanels>(from, event)?;
        (to != from).then_some((from, to))
    });
    let Some((from, to)) = moved else { return Ok(Transition::Superseded) };
    let sql = Sql::new("UPDATE external_panels SET status = ? WHERE id = ?").bind(to.as_str()).bind(id);
    transition(db, sql.append(STATES.within(&[from]))).await
}
