//! Endpoints of combo orders.

use crate::combo_orders::{ComboCount, ComboOrder};
use crate::common::{Data, DryRun};
use crate::endpoint::{NoBody, NoQuery};
use crate::ids::ComboOrderId;
use crate::table::{Page, TableQuery};

crate::endpoints! { $ for_each_combo_orders_endpoint "combo-orders";
    /// Combo orders, newest first.
    ListComboOrders list_combo_orders: GET "/api/v1/admin/combo-orders" [ViewOrders] ((), TableQuery, NoBody) -> Page<ComboOrder>;
    /// How many wait for moderation.
    CountCombosInModeration count_combos_in_moderation: GET "/api/v1/admin/combo-orders/in-moderation-count" [ViewOrders] ((), NoQuery, NoBody) -> ComboCount;
    /// Approves one; its orders in moderation are approved with it.
    ApproveComboOrder approve_combo_order: POST "/api/v1/admin/combo-orders/{id}/approve" [ManageOrders] (ComboOrderId, DryRun, NoBody) -> Data<ComboOrder>;
    /// Rejects one; its orders are canceled and their money goes back.
    RejectComboOrder reject_combo_order: POST "/api/v1/admin/combo-orders/{id}/reject" [ManageOrders] (ComboOrderId, DryRun, NoBody) -> Data<ComboOrder>;
    /// Completes one; its orders in processing are completed with it.
    CompleteComboOrder complete_combo_order: POST "/api/v1/admin/combo-orders/{id}/complete" [ManageOrders] (ComboOrderId, DryRun, NoBody) -> Data<ComboOrder>;
}
