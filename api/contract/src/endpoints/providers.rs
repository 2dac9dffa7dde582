//! Endpoints of providers.

use crate::common::{Data, DryRun};
use crate::endpoint::{NoBody, NoQuery};
use crate::ids::ProviderId;
use crate::orders::OrderProvider;
use crate::providers::*;
use crate::table::{Page, TableQuery};

crate::endpoints! { $ for_each_providers_endpoint "providers";
    /// Providers, by name.
    ListProviders list_providers: GET "/api/v1/admin/providers" [ManageServicesAndProviders] ((), TableQuery, NoBody) -> Page<ProviderRow>;
    /// A new provider; the services it delivers and their waiting orders take notice at once.
    CreateProvider create_provider: POST "/api/v1/admin/providers" [ManageServicesAndProviders] ((), DryRun, ProviderInput) -> Data<Provider>;
    /// What pickers of providers start with.
    ProvidersCollections provider_collections: GET "/api/v1/admin/providers/collections" [ManageServicesAndProviders] ((), NoQuery, NoBody) -> Data<ProviderCollections>;
    /// Speed, failures and margin of each provider, service or panel in the last days, and what is open now.
    ProvidersReport providers_report: GET "/api/v1/admin/providers/report" [ManageServicesAndProviders] ((), ReportQuery, NoBody) -> Report;
    /// Active providers that an order can move to, by name or page by page.
    AvailableForOrderRecreate available_for_order_recreate: GET "/api/v1/admin/providers/available-for-order-recreate" [ViewOrders] ((), AvailableProvidersQuery, NoBody) -> AvailableProviders;
    /// The providers of an order's service, with what each has done for the order so far.
    ListProvidersOfOrder list_providers_of_order: GET "/api/v1/admin/providers/get-available-for-manual-add-statistics" [ViewOrders] ((), OfOrderQuery, NoBody) -> Data<Vec<OrderProvider>>;
    /// Books by hand what providers did for an order on a day; what stood there for that day is replaced.
    AddProviderStatistics add_provider_statistics: POST "/api/v1/admin/provider-statistics" [ManageServicesAndProviders] ((), NoQuery, ProviderStatisticsInput) -> Data<Vec<OrderProvider>>;
    /// One provider with everything about it.
    GetProvider get_provider: GET "/api/v1/admin/providers/{id}" [ManageServicesAndProviders] (ProviderId, NoQuery, NoBody) -> Data<Provider>;
    /// Changes a provider.
    UpdateProvider update_provider: PUT "/api/v1/admin/providers/{id}" [ManageServicesAndProviders] (ProviderId, DryRun, ProviderInput) -> Data<Provider>;
    /// Puts a provider away: no order goes to it any more, open ones go on. The answer says which services it leaves without one.
    ArchiveProvider archive_provider: POST "/api/v1/admin/providers/{id}/archive" [ManageServicesAndProviders] (ProviderId, DryRun, NoBody) -> Data<Provider>;
    /// Brings an archived provider back.
    UnarchiveProvider unarchive_provider: POST "/api/v1/admin/providers/{id}/unarchive" [ManageServicesAndProviders] (ProviderId, DryRun, NoBody) -> Data<Provider>;
}
