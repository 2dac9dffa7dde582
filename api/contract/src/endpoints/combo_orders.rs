//! Endpoints of combo orders.

use crate::combo_orders::{ComboCount, ComboOrder};
use crate::common::{Data, DryRun};
use crate::endpoint::{EmptyBody, EmptyQuery};
use crate::ids::ComboOrderId;
use crate::table::{Page, TableQuery};

crate::endpoints! { $ for_each_combo_orders_endpoint "combo-orders";
    /// Lists combo orders, newest first.
    ListComboOrders list_combo_orders: GET "/api/v1/admin/combo-orders" [ViewOrders] ((), TableQuery, EmptyBody) -> Page<ComboOrder>;
    /// Counts the combo orders in moderation.
    CountCombosInModeration count_combos_in_moderation: GET "/api/v1/admin/combo-orders/in-moderation-count" [ViewOrders] ((), EmptyQuery, EmptyBody) -> ComboCount;
    /// Approves a combo order and its orders in moderation.
    ApproveComboOrder approve_combo_order: POST "/api/v1/admin/combo-orders/{id}/approve" [ManageOrders] (ComboOrderId, DryRun, EmptyBody) -> Data<ComboOrder>;
    /// Rejects a combo order: cancels and refunds its orders.
    RejectComboOrder reject_combo_order: POST "/api/v1/admin/combo-orders/{id}/reject" [ManageOrders] (ComboOrderId, DryRun, EmptyBody) -> Data<ComboOrder>;
    /// Completes a combo order and its orders in processing.
    CompleteComboOrder complete_combo_order: POST "/api/v1/admin/combo-orders/{id}/complete" [ManageOrders] (ComboOrderId, DryRun, EmptyBody) -> Data<ComboOrder>;
}
