//! Endpoints of providers that orders use.

use crate::common::Data;
use crate::endpoint::{NoBody, NoQuery};
use crate::orders::OrderProvider;
use crate::providers::*;

crate::endpoints! { $ for_each_providers_endpoint "providers";
    /// Active providers that an order can move to, by name or page by page.
    AvailableForOrderRecreate available_for_order_recreate: GET "/api/v1/admin/providers/available-for-order-recreate" [ViewOrders] ((), AvailableProvidersQuery, NoBody) -> AvailableProviders;
    /// The providers of an order's service, with what each has done for the order so far.
    ListProvidersOfOrder list_providers_of_order: GET "/api/v1/admin/providers/get-available-for-manual-add-statistics" [ViewOrders] ((), OfOrderQuery, NoBody) -> Data<Vec<OrderProvider>>;
    /// Books by hand what providers did for an order on a day; what stood there for that day is replaced.
    AddProviderStatistics add_provider_statistics: POST "/api/v1/admin/provider-statistics" [ManageServicesAndProviders] ((), NoQuery, ProviderStatisticsInput) -> Data<Vec<OrderProvider>>;
}
