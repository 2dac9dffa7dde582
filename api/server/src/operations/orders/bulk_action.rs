//! What is asked of one or many orders.

use panel_contract::ids::OrderId;
use panel_contract::orders::CancelInput;
use panel_domain::orders::Action;

/// An action on some orders.
pub struct BulkAction {
    /// What.
    pub action: Action,
    /// Which, each once.
    pub ids: Vec<OrderId>,
    /// How, for a cancel.
    pub cancel: Option<CancelInput>,
    /// Whether the orders can be restored by themselves: not where they follow the record that they belong to.
    pub is_undoable: bool,
}
