//! Endpoints by which staff and resellers place orders.

use serde_json::Value;

use crate::common::{Data, DryRun};
use crate::endpoint::EmptyQuery;
use crate::order_requests::*;
use crate::orders::Order;

crate::endpoints! { $ for_each_order_requests_endpoint "intake";
    /// Places an order for a customer and charges their main balance; with `dry_run=1`, returns the cost.
    PlaceOrder place_order: POST "/api/v1/admin/orders" [ManageOrders] ((), DryRun, PlaceOrderInput) -> Data<Order>;
    /// The reseller API. The body has `key`, `action` and the fields of the action: services, balance, add, status, refill,
    /// refill_status or cancel.
    CallReseller call_reseller: POST "/api/v2" [public] ((), EmptyQuery, ResellerRequest) -> Value;
}
