//! Endpoints of orders.

use crate::common::{BulkOutcome, Choice, Data, DryRun};
use crate::endpoint::{EmptyBody, EmptyQuery};
use crate::ids::{OrderId, RefillRequestId};
use crate::orders::*;
use crate::table::{Page, TableQuery};

crate::endpoints! { $ for_each_orders_endpoint "orders";
    /// Lists orders, newest first; filters include `subscription_id`, `drip_feed_id` and `combo_order_id`.
    ListOrders list_orders: GET "/api/v1/admin/orders" [ViewOrders] ((), TableQuery, EmptyBody) -> Page<OrderRow>;
    /// Lists orders of child panels, with the filters of the orders list.
    ListChildPanelOrders list_child_panel_orders: GET "/api/v1/admin/child-panel-orders" [ViewOrders] ((), TableQuery, EmptyBody) -> Page<OrderRow>;
    /// Reports numbers of orders and amounts per day, week or month.
    OrderStatistics order_statistics: GET "/api/v1/admin/orders/statistics" [ViewOrders] ((), StatisticsQuery, EmptyBody) -> Data<Vec<StatisticsRow>>;
    /// Lists the counts that were measured for the promoted content of an order.
    PromotableStatistics promotable_statistics: GET "/api/v1/admin/orders/promotable-statistics" [ViewOrders] ((), PromotableQuery, EmptyBody) -> Data<Vec<PromotableStatistic>>;
    /// Lists the reasons for canceling an order.
    CancelReasons cancel_reasons: GET "/api/v1/admin/orders/cancel-reasons" [ViewOrders] ((), EmptyQuery, EmptyBody) -> Vec<Choice>;
    /// Activates stopped or unpaid orders; unpaid orders are charged.
    ActivateOrders activate_orders: POST "/api/v1/admin/orders/activate" [ManageOrders] ((), DryRun, OrderIds) -> BulkOutcome;
    /// Pauses orders in processing.
    PauseOrders pause_orders: POST "/api/v1/admin/orders/pause" [ManageOrders] ((), DryRun, OrderIds) -> BulkOutcome;
    /// Completes orders.
    CompleteOrders complete_orders: POST "/api/v1/admin/orders/complete" [ManageOrders] ((), DryRun, OrderIds) -> BulkOutcome;
    /// Cancels orders, with or without a refund.
    CancelOrders cancel_orders: POST "/api/v1/admin/orders/cancel" [ManageOrders] ((), DryRun, BulkCancelInput) -> BulkOutcome;
    /// Approves orders in moderation.
    ApproveOrders approve_orders: POST "/api/v1/admin/orders/approve" [ManageOrders] ((), DryRun, OrderIds) -> BulkOutcome;
    /// Rejects orders in moderation.
    RejectOrders reject_orders: POST "/api/v1/admin/orders/reject" [ManageOrders] ((), DryRun, OrderIds) -> BulkOutcome;
    /// Moves orders to another provider.
    ChangeProvider change_provider: POST "/api/v1/admin/orders/change-provider" [ManageOrders] ((), DryRun, ChangeProviderInput) -> BulkOutcome;
    /// Retrieves an order with its attempts, payments and refills.
    GetOrder get_order: GET "/api/v1/admin/orders/{id}" [ViewOrders] (OrderId, EmptyQuery, EmptyBody) -> OrderDetail;
    /// Sets whether a refill of an order can be requested.
    SetHasRefill set_has_refill: POST "/api/v1/admin/orders/{id}/set-has-refill" [ManageOrders] (OrderId, EmptyQuery, HasRefillInput) -> Data<Order>;
    /// Sets whether an order is refilled automatically.
    SetAutoRefillIsAllowed set_auto_refill_is_allowed: POST "/api/v1/admin/orders/{id}/set-auto-refill-is-allowed" [ManageOrders] (OrderId, EmptyQuery, AutoRefillInput) -> Data<Order>;
    /// Activates a stopped or unpaid order; an unpaid order is charged.
    ActivateOrder activate_order: POST "/api/v1/admin/orders/{id}/activate" [ManageOrders] (OrderId, DryRun, EmptyBody) -> ActivatedOrder;
    /// Approves an order in moderation.
    ApproveOrder approve_order: POST "/api/v1/admin/orders/{id}/approve" [ManageOrders] (OrderId, DryRun, EmptyBody) -> Data<Order>;
    /// Rejects an order in moderation.
    RejectOrder reject_order: POST "/api/v1/admin/orders/{id}/reject" [ManageOrders] (OrderId, DryRun, EmptyBody) -> Data<Order>;
    /// Pauses an order in processing.
    PauseOrder pause_order: POST "/api/v1/admin/orders/{id}/pause" [ManageOrders] (OrderId, DryRun, EmptyBody) -> Data<Order>;
    /// Completes an order.
    CompleteOrder complete_order: POST "/api/v1/admin/orders/{id}/complete" [ManageOrders] (OrderId, DryRun, EmptyBody) -> Data<Order>;
    /// Cancels an order, with or without a refund.
    CancelOrder cancel_order: POST "/api/v1/admin/orders/{id}/cancel" [ManageOrders] partly_confirmed (OrderId, DryRun, CancelInput) -> CanceledOrder;
    /// Calculates the default refund of a cancellation.
    GetRefundAmount refund_amount: GET "/api/v1/admin/orders/{id}/refund-amount" [ViewOrders] (OrderId, EmptyQuery, EmptyBody) -> Data<RefundAmount>;
    /// Changes the link of an order.
    ChangeOrderUrl change_order_url: POST "/api/v1/admin/orders/{id}/change-url" [ManageOrders] (OrderId, EmptyQuery, ChangeUrlInput) -> Data<Order>;
    /// Updates the internal comment of an order.
    UpdateOrderComment update_order_comment: POST "/api/v1/admin/orders/{id}/update-comment" [ManageOrders] (OrderId, EmptyQuery, CommentInput) -> Data<Order>;
    /// Lists the refill requests of an order, newest first.
    ListRefillRequests list_refill_requests: GET "/api/v1/admin/orders/{id}/order-refill-requests" [ViewOrders] (OrderId, EmptyQuery, EmptyBody) -> Data<Vec<RefillRequest>>;
    /// Requests a refill of an order.
    CreateRefillRequest create_refill_request: POST "/api/v1/admin/orders/{id}/order-refill-requests" [ManageOrders] (OrderId, EmptyQuery, RefillRequestInput) -> Data<RefillRequest>;
    /// Marks a refill request as completed by staff; only if the refill was not requested at an external panel.
    CompleteRefillRequest complete_refill_request: POST "/api/v1/admin/orders/{id}/order-refill-requests/{refill_request_id}/complete" [ManageOrders] ((OrderId, RefillRequestId), EmptyQuery, EmptyBody) -> Data<RefillRequest>;
    /// Rejects a refill request; only if the refill was not requested at an external panel.
    RejectRefillRequest reject_refill_request: POST "/api/v1/admin/orders/{id}/order-refill-requests/{refill_request_id}/reject" [ManageOrders] ((OrderId, RefillRequestId), EmptyQuery, EmptyBody) -> Data<RefillRequest>;
    /// Retrieves the parameters of automatic refills of an order.
    GetAutoRefillParams get_auto_refill_params: GET "/api/v1/admin/orders/{id}/auto-refill-params" [ViewOrders] (OrderId, EmptyQuery, EmptyBody) -> Data<AutoRefillParams>;
    /// Updates the parameters of automatic refills of an order.
    UpdateAutoRefillParams update_auto_refill_params: PATCH "/api/v1/admin/orders/{id}/auto-refill-params" [WriteAutoRefillParams] (OrderId, EmptyQuery, AutoRefillParamsInput) -> Data<AutoRefillParams>;
}
