//! Endpoints of cancel requests.

use crate::cancel_requests::*;
use crate::common::{BulkOutcome, Data, DryRun};
use crate::endpoint::NoBody;
use crate::ids::CancelRequestId;
use crate::table::{Page, TableQuery};

crate::endpoints! { $ for_each_cancel_requests_endpoint "orders";
    /// Customers' requests to cancel orders, newest first; `waiting=1` leaves those that wait for staff.
    ListCancelRequests list_cancel_requests: GET "/api/v1/admin/order-cancel-requests" [ViewOrders] ((), TableQuery, NoBody) -> Page<OrderCancelRequest>;
    /// Confirms many open requests: their orders are canceled and their default refunds returned.
    ConfirmCancelRequests confirm_cancel_requests: POST "/api/v1/admin/order-cancel-requests/confirm" [ManageOrders] ((), DryRun, ConfirmCancelRequestsInput) -> BulkOutcome;
    /// Refuses many open requests: their orders go on.
    RefuseCancelRequests refuse_cancel_requests: POST "/api/v1/admin/order-cancel-requests/refuse" [ManageOrders] ((), DryRun, CancelRequestIds) -> BulkOutcome;
    /// Confirms an open request: its order is canceled and money returned.
    ConfirmCancelRequest confirm_cancel_request: POST "/api/v1/admin/order-cancel-requests/{id}/confirm" [ManageOrders] partly_confirmed (CancelRequestId, DryRun, ConfirmCancelRequestInput) -> Data<OrderCancelRequest>;
    /// Refuses an open request: its order goes on.
    RefuseCancelRequest refuse_cancel_request: POST "/api/v1/admin/order-cancel-requests/{id}/refuse" [ManageOrders] (CancelRequestId, DryRun, NoBody) -> Data<OrderCancelRequest>;
}
