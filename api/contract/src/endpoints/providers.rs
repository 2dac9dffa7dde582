//! Endpoints of providers.

use crate::common::{Data, DryRun};
use crate::endpoint::{EmptyBody, EmptyQuery};
use crate::ids::ProviderId;
use crate::orders::OrderProvider;
use crate::providers::*;
use crate::table::{Page, TableQuery};

crate::endpoints! { $ for_each_providers_endpoint "providers";
    /// Lists providers, sorted by name.
    ListProviders list_providers: GET "/api/v1/admin/providers" [ManageServicesAndProviders] ((), TableQuery, EmptyBody) -> Page<ProviderRow>;
    /// Creates a provider; its services and their waiting orders can use it immediately.
    CreateProvider create_provider: POST "/api/v1/admin/providers" [ManageServicesAndProviders] ((), DryRun, ProviderInput) -> Data<Provider>;
    /// Lists the options of the provider form.
    GetProviderCollections provider_collections: GET "/api/v1/admin/providers/collections" [ManageServicesAndProviders] ((), EmptyQuery, EmptyBody) -> Data<ProviderCollections>;
    /// Reports speed, failures, margin and open orders of each provider, service or external panel for the last days.
    ProvidersReport providers_report: GET "/api/v1/admin/providers/report" [ManageServicesAndProviders] ((), SupplyReportQuery, EmptyBody) -> SupplyReport;
    /// Lists active providers to which an order can be moved, by name, page by page.
    AvailableForOrderRecreate available_for_order_recreate: GET "/api/v1/admin/providers/available-for-order-recreate" [ViewOrders] ((), AvailableProvidersQuery, EmptyBody) -> AvailableProviders;
    /// Lists the providers of the service of an order, with cost and units that each has delivered for the order.
    ListProvidersOfOrder list_providers_of_order: GET "/api/v1/admin/providers/get-available-for-manual-add-statistics" [ViewOrders] ((), OrderProvidersQuery, EmptyBody) -> Data<Vec<OrderProvider>>;
    /// Records deliveries of providers for an order on a day manually; replaces the stored values of that day.
    AddProviderStatistics add_provider_statistics: POST "/api/v1/admin/provider-statistics" [ManageServicesAndProviders] ((), EmptyQuery, ProviderStatisticsInput) -> Data<Vec<OrderProvider>>;
    /// Retrieves a provider with its services.
    GetProvider get_provider: GET "/api/v1/admin/providers/{id}" [ManageServicesAndProviders] (ProviderId, EmptyQuery, EmptyBody) -> Data<Provider>;
    /// Updates a provider.
    UpdateProvider update_provider: PUT "/api/v1/admin/providers/{id}" [ManageServicesAndProviders] (ProviderId, DryRun, ProviderInput) -> Data<Provider>;
    /// Archives a provider, which gets no new orders; open orders continue. The response lists services that are left without a
    /// provider.
    ArchiveProvider archive_provider: POST "/api/v1/admin/providers/{id}/archive" [ManageServicesAndProviders] (ProviderId, DryRun, EmptyBody) -> Data<Provider>;
    /// Restores an archived provider.
    UnarchiveProvider unarchive_provider: POST "/api/v1/admin/providers/{id}/unarchive" [ManageServicesAndProviders] (ProviderId, DryRun, EmptyBody) -> Data<Provider>;
}
