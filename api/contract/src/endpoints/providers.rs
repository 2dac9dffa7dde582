//! Endpoints of providers that orders use.

use crate::endpoint::NoBody;
use crate::providers::*;

crate::endpoints! { $ for_each_providers_endpoint "providers";
    /// Active providers that an order can move to, by name or page by page.
    AvailableForOrderRecreate available_for_order_recreate: GET "/api/v1/admin/providers/available-for-order-recreate" [ViewOrders] ((), AvailableProvidersQuery, NoBody) -> AvailableProviders;
}
