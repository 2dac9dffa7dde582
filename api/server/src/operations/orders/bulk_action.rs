//! The request to apply an action to one or many orders.

use panel_contract::ids::OrderId;
use panel_contract::orders::CancelInput;
use panel_domain::orders::OrderAction;

pub struct BulkAction {
    pub action: OrderAction,
    pub ids: Vec<OrderId>,
    pub cancel: Option<CancelInput>,
    /// Whether staff can undo the action. False for orders that change together with their combo order or drip-feed.
    pub is_undoable: bool,
}
