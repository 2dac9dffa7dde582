//! The input of an action on one or many orders.

use panel_contract::ids::OrderId;
use panel_contract::orders::CancelInput;
use panel_domain::orders::OrderAction;

pub struct BulkAction {
    pub action: OrderAction,
    pub ids: Vec<OrderId>,
    /// The options of a cancellation; `None` for other actions.
    pub cancel: Option<CancelInput>,
    /// Whether staff can undo the action. False for orders that change together with their combo order or drip-feed.
    pub is_undoable: bool,
}
