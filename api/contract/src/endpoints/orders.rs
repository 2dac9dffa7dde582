//! Endpoints of orders.

use crate::common::{BulkOutcome, Choice, Data, DryRun};
use crate::endpoint::{NoBody, NoQuery};
use crate::ids::{OrderId, RefillRequestId};
use crate::orders::*;
use crate::table::{Page, TableQuery};

crate::endpoints! { $ for_each_orders_endpoint "orders";
    /// Orders, newest first; also filtered by subscription_id, drip_feed_id, combo_order_id.
    ListOrders list_orders: GET "/api/v1/admin/orders" [ViewOrders] ((), TableQuery, NoBody) -> Page<OrderRow>;
    /// Orders of child panels, with the filters of the orders list.
    ListChildPanelOrders list_child_panel_orders: GET "/api/v1/admin/child-panel-orders" [ViewOrders] ((), TableQuery, NoBody) -> Page<OrderRow>;
    /// Orders placed per day, week or month, with money.
    OrderStatistics order_statistics: GET "/api/v1/admin/orders/statistics" [ViewOrders] ((), StatisticsQuery, NoBody) -> Data<Vec<StatisticsRow>>;
    /// Looks at the promoted thing of one order.
    PromotableStatistics promotable_statistics: GET "/api/v1/admin/orders/promotable-statistics" [ViewOrders] ((), PromotableQuery, NoBody) -> Data<Vec<PromotableStatistic>>;
    /// Why an order can be canceled.
    CancelReasons cancel_reasons: GET "/api/v1/admin/orders/cancel-reasons" [ViewOrders] ((), NoQuery, NoBody) -> Vec<Choice>;
    /// Activates many orders.
    ActivateOrders activate_orders: POST "/api/v1/admin/orders/activate" [ManageOrders] ((), DryRun, OrderIds) -> BulkOutcome;
    /// Pauses many orders.
    PauseOrders pause_orders: POST "/api/v1/admin/orders/pause" [ManageOrders] ((), DryRun, OrderIds) -> BulkOutcome;
    /// Completes many orders.
    CompleteOrders complete_orders: POST "/api/v1/admin/orders/complete" [ManageOrders] ((), DryRun, OrderIds) -> BulkOutcome;
    /// Cancels many orders, with or without returning money.
    CancelOrders cancel_orders: POST "/api/v1/admin/orders/cancel" [ManageOrders] ((), DryRun, BulkCancelInput) -> BulkOutcome;
    /// Approves many orders in moderation.
    ApproveOrders approve_orders: POST "/api/v1/admin/orders/approve" [ManageOrders] ((), DryRun, OrderIds) -> BulkOutcome;
    /// Rejects many orders in moderation.
    RejectOrders reject_orders: POST "/api/v1/admin/orders/reject" [ManageOrders] ((), DryRun, OrderIds) -> BulkOutcome;
    /// Moves orders to another provider.
    ChangeProvider change_provider: POST "/api/v1/admin/orders/change-provider" [ManageOrders] ((), DryRun, ChangeProviderInput) -> BulkOutcome;
    /// One order with everything about it.
    GetOrder get_order: GET "/api/v1/admin/orders/{id}" [ViewOrders] (OrderId, NoQuery, NoBody) -> OrderDetail;
    /// Whether a refill may be asked for.
    SetHasRefill set_has_refill: POST "/api/v1/admin/orders/{id}/set-has-refill" [ManageOrders] (OrderId, NoQuery, HasRefillInput) -> Data<Order>;
    /// Whether refills come by themselves.
    SetAutoRefillIsAllowed set_auto_refill_is_allowed: POST "/api/v1/admin/orders/{id}/set-auto-refill-is-allowed" [ManageOrders] (OrderId, NoQuery, AutoRefillInput) -> Data<Order>;
    /// Activates one stopped or unpaid order; an unpaid one is charged.
    ActivateOrder activate_order: POST "/api/v1/admin/orders/{id}/activate" [ManageOrders] (OrderId, DryRun, NoBody) -> ActivatedOrder;
    /// Approves one order in moderation.
    ApproveOrder approve_order: POST "/api/v1/admin/orders/{id}/approve" [ManageOrders] (OrderId, DryRun, NoBody) -> Data<Order>;
    /// Rejects one order in moderation.
    RejectOrder reject_order: POST "/api/v1/admin/orders/{id}/reject" [ManageOrders] (OrderId, DryRun, NoBody) -> Data<Order>;
    /// Pauses one order in processing.
    PauseOrder pause_order: POST "/api/v1/admin/orders/{id}/pause" [ManageOrders] (OrderId, DryRun, NoBody) -> Data<Order>;
    /// Completes one order.
    CompleteOrder complete_order: POST "/api/v1/admin/orders/{id}/complete" [ManageOrders] (OrderId, DryRun, NoBody) -> Data<Order>;
    /// Cancels one order, with or without returning money.
    CancelOrder cancel_order: POST "/api/v1/admin/orders/{id}/cancel" [ManageOrders] partly_confirmed (OrderId, DryRun, CancelInput) -> CanceledOrder;
    /// What a cancel with money would return.
    GetRefundAmount refund_amount: GET "/api/v1/admin/orders/{id}/refund-amount" [ViewOrders] (OrderId, NoQuery, NoBody) -> Data<RefundAmount>;
    /// Gives one order another address.
    ChangeOrderUrl change_order_url: POST "/api/v1/admin/orders/{id}/change-url" [ManageOrders] (OrderId, NoQuery, ChangeUrlInput) -> Data<Order>;
    /// Changes the staff's comment.
    UpdateOrderComment update_order_comment: POST "/api/v1/admin/orders/{id}/update-comment" [ManageOrders] (OrderId, NoQuery, CommentInput) -> Data<Order>;
    /// Refills asked for, newest first.
    ListRefillRequests list_refill_requests: GET "/api/v1/admin/orders/{id}/order-refill-requests" [ViewOrders] (OrderId, NoQuery, NoBody) -> Data<Vec<RefillRequest>>;
    /// Asks for a refill.
    CreateRefillRequest create_refill_request: POST "/api/v1/admin/orders/{id}/order-refill-requests" [ManageOrders] (OrderId, NoQuery, RefillRequestInput) -> Data<RefillRequest>;
    /// Says that staff refilled by hand what no external panel was asked for.
    CompleteRefillRequest complete_refill_request: POST "/api/v1/admin/orders/{id}/order-refill-requests/{refill_request_id}/complete" [ManageOrders] ((OrderId, RefillRequestId), NoQuery, NoBody) -> Data<RefillRequest>;
    /// Rejects a refill that no external panel was asked for.
    RejectRefillRequest reject_refill_request: POST "/api/v1/admin/orders/{id}/order-refill-requests/{refill_request_id}/reject" [ManageOrders] ((OrderId, RefillRequestId), NoQuery, NoBody) -> Data<RefillRequest>;
    /// How an order refills by itself.
    GetAutoRefillParams get_auto_refill_params: GET "/api/v1/admin/orders/{id}/auto-refill-params" [ViewOrders] (OrderId, NoQuery, NoBody) -> Data<AutoRefillParams>;
    /// Changes how an order refills by itself.
    UpdateAutoRefillParams update_auto_refill_params: PATCH "/api/v1/admin/orders/{id}/auto-refill-params" [WriteAutoRefillParams] (OrderId, NoQuery, AutoRefillParamsInput) -> Data<AutoRefillParams>;
}
