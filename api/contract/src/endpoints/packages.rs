//! Endpoints of packages.

use crate::combo_orders::ComboOrder;
use crate::common::{BulkOutcome, Data, DryRun};
use crate::endpoint::{EmptyBody, EmptyQuery};
use crate::ids::{PackageId, ProviderPackageId};
use crate::packages::*;
use crate::table::{Page, TableQuery};

crate::endpoints! { $ for_each_packages_endpoint "packages";
    /// Lists packages; `is_archived=1` selects archived packages.
    ListPackages list_packages: GET "/api/v1/admin/packages" [ManagePackages] ((), TableQuery, EmptyBody) -> Page<PackageRow>;
    /// Creates a package.
    CreatePackage create_package: POST "/api/v1/admin/packages" [ManagePackages] ((), EmptyQuery, PackageInput) -> Data<Package>;
    /// Updates packages in bulk, all or none.
    BulkUpdatePackages bulk_update_packages: PATCH "/api/v1/admin/packages/bulk" [ManagePackages] ((), DryRun, BulkPackagesInput) -> BulkOutcome;
    /// Calculates the cost of a package without saving the package.
    PackageTotalCost package_total_cost: POST "/api/v1/admin/packages/total-cost" [ManagePackages] ((), EmptyQuery, TotalCostInput) -> Data<TotalCost>;
    /// Lists active services that can be in a package, the first 50 by name.
    PackageServices package_services: GET "/api/v1/admin/packages/available-services" [ManagePackages] ((), PackageServicesQuery, EmptyBody) -> Data<Vec<PackageService>>;
    /// Lists service types that a package can belong to, with their networks, in their order.
    PackageServiceTypes package_service_types: GET "/api/v1/admin/packages/available-service-types" [ManagePackages] ((), EmptyQuery, EmptyBody) -> Data<Vec<PackageServiceType>>;
    /// Retrieves a package with its contents.
    GetPackage get_package: GET "/api/v1/admin/packages/{id}" [ManagePackages] (PackageId, EmptyQuery, EmptyBody) -> Data<Package>;
    /// Updates a package.
    UpdatePackage update_package: PUT "/api/v1/admin/packages/{id}" [ManagePackages] (PackageId, EmptyQuery, PackageInput) -> Data<Package>;
    /// Archives a package; purchased packages continue.
    ArchivePackage archive_package: POST "/api/v1/admin/packages/{id}/archive" [ManagePackages] (PackageId, DryRun, EmptyBody) -> Data<Package>;
    /// Restores an archived package.
    UnarchivePackage unarchive_package: POST "/api/v1/admin/packages/{id}/unarchive" [ManagePackages] (PackageId, DryRun, EmptyBody) -> Data<Package>;
    /// Buys a package for a customer and charges their main balance; with `dry_run=1`, returns the cost.
    BuyPackage buy_package: POST "/api/v1/admin/packages/{id}/buy" [ManageOrders] (PackageId, DryRun, BuyPackageInput) -> Data<ComboOrder>;
    /// Lists packages of external panels, newest first.
    ListProviderPackages list_provider_packages: GET "/api/v1/admin/providers-packages" [ManagePackages | ManageExternalPanels] ((), TableQuery, EmptyBody) -> Page<ProviderPackageRow>;
    /// Retrieves a package of an external panel with its contents.
    GetProviderPackage get_provider_package: GET "/api/v1/admin/providers-packages/{id}" [ManagePackages | ManageExternalPanels] (ProviderPackageId, EmptyQuery, EmptyBody) -> Data<ProviderPackage>;
}
