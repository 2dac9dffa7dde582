//! Endpoints of packages.

use crate::combo_orders::ComboOrder;
use crate::common::{BulkOutcome, Data, DryRun};
use crate::endpoint::{NoBody, NoQuery};
use crate::ids::{PackageId, ProviderPackageId};
use crate::packages::*;
use crate::table::{Page, TableQuery};

crate::endpoints! { $ for_each_packages_endpoint "packages";
    /// Packages; `is_archived` 0 or 1.
    ListPackages list_packages: GET "/api/v1/admin/packages" [ManagePackages] ((), TableQuery, NoBody) -> Page<PackageRow>;
    /// A new package.
    CreatePackage create_package: POST "/api/v1/admin/packages" [ManagePackages] ((), NoQuery, PackageInput) -> Data<Package>;
    /// Changes many packages at once, all of them or none.
    BulkUpdatePackages bulk_update_packages: PATCH "/api/v1/admin/packages/bulk" [ManagePackages] ((), DryRun, BulkPackagesInput) -> BulkOutcome;
    /// What a package would cost; the same rule as when it is saved.
    PackageTotalCost package_total_cost: POST "/api/v1/admin/packages/total-cost" [ManagePackages] ((), NoQuery, TotalCostInput) -> Data<TotalCost>;
    /// The first 50 services on sale, by name.
    PackageServices package_services: GET "/api/v1/admin/packages/available-services" [ManagePackages] ((), PackageServicesQuery, NoBody) -> Data<Vec<PackageService>>;
    /// Service types with their networks, in their order.
    PackageServiceTypes package_service_types: GET "/api/v1/admin/packages/available-service-types" [ManagePackages] ((), NoQuery, NoBody) -> Data<Vec<PackageServiceType>>;
    /// One package with everything about it.
    GetPackage get_package: GET "/api/v1/admin/packages/{id}" [ManagePackages] (PackageId, NoQuery, NoBody) -> Data<Package>;
    /// Changes a package.
    UpdatePackage update_package: PUT "/api/v1/admin/packages/{id}" [ManagePackages] (PackageId, NoQuery, PackageInput) -> Data<Package>;
    /// Takes a package off sale for good; what was bought goes on.
    ArchivePackage archive_package: POST "/api/v1/admin/packages/{id}/archive" [ManagePackages] (PackageId, DryRun, NoBody) -> Data<Package>;
    /// Brings an archived package back.
    UnarchivePackage unarchive_package: POST "/api/v1/admin/packages/{id}/unarchive" [ManagePackages] (PackageId, DryRun, NoBody) -> Data<Package>;
    /// Buys a package for a customer and charges their main balance; with `dry_run=1`, says what it would cost.
    BuyPackage buy_package: POST "/api/v1/admin/packages/{id}/buy" [ManageOrders] (PackageId, DryRun, BuyPackageInput) -> Data<ComboOrder>;
    /// Packages that external panels sell, newest first.
    ListProviderPackages list_provider_packages: GET "/api/v1/admin/providers-packages" [ManagePackages | ManageExternalPanels] ((), TableQuery, NoBody) -> Page<ProviderPackageRow>;
    /// A package of an external panel with what is in it.
    GetProviderPackage get_provider_package: GET "/api/v1/admin/providers-packages/{id}" [ManagePackages | ManageExternalPanels] (ProviderPackageId, NoQuery, NoBody) -> Data<ProviderPackage>;
}
