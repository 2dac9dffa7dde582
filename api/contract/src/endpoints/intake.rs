//! Endpoints that orders come in by.

use serde_json::Value;

use crate::common::{Data, DryRun};
use crate::endpoint::EmptyQuery;
use crate::intake::*;
use crate::orders::Order;

crate::endpoints! { $ for_each_intake_endpoint "intake";
    /// Places an order for a customer and charges their main balance; with `dry_run=1`, returns the cost.
    PlaceOrder place_order: POST "/api/v1/admin/orders" [ManageOrders] ((), DryRun, PlaceOrderInput) -> Data<Order>;
    /// The reseller API: `key`, `action` and its fields; services, balance, add, status, refill, refill_status, cancel.
    CallReseller call_reseller: POST "/api/v2" [public] ((), EmptyQuery, ResellerCall) -> Value;
}
