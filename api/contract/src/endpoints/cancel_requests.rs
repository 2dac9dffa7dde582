//! Endpoints of cancel requests.

use crate::cancel_requests::*;
use crate::common::{BulkOutcome, Data, DryRun};
use crate::endpoint::EmptyBody;
use crate::ids::CancelRequestId;
use crate::table::{Page, TableQuery};

crate::endpoints! { $ for_each_cancel_requests_endpoint "orders";
    /// Lists cancel requests of customers, newest first; `waiting=1` returns the requests that wait for staff.
    ListCancelRequests list_cancel_requests: GET "/api/v1/admin/order-cancel-requests" [ViewOrders] ((), TableQuery, EmptyBody) -> Page<OrderCancelRequest>;
    /// Confirms open cancel requests: cancels their orders and refunds the default amounts.
    ConfirmCancelRequests confirm_cancel_requests: POST "/api/v1/admin/order-cancel-requests/confirm" [ManageOrders] ((), DryRun, ConfirmCancelRequestsInput) -> BulkOutcome;
    /// Rejects open cancel requests: their orders continue.
    RejectCancelRequests reject_cancel_requests: POST "/api/v1/admin/order-cancel-requests/reject" [ManageOrders] ((), DryRun, CancelRequestIds) -> BulkOutcome;
    /// Confirms an open cancel request: cancels its order and refunds the customer.
    ConfirmCancelRequest confirm_cancel_request: POST "/api/v1/admin/order-cancel-requests/{id}/confirm" [ManageOrders] partly_confirmed (CancelRequestId, DryRun, ConfirmCancelRequestInput) -> Data<OrderCancelRequest>;
    /// Rejects an open cancel request: its order continues.
    RejectCancelRequest reject_cancel_request: POST "/api/v1/admin/order-cancel-requests/{id}/reject" [ManageOrders] (CancelRequestId, DryRun, EmptyBody) -> Data<OrderCancelRequest>;
}
