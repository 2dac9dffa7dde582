//! The condition by which external panels are synced.

/// SQL: whether a panel is synced. Any `sync_*` switch is enough, so that services that leave the list are noticed. Only panels of
/// this product have a switch for packages; another panel is also synced while a package is synced with one of its packages.
pub(super) const IS_SYNCED: &str = "(sync_services OR sync_packages OR sync_prices OR sync_name OR sync_params OR sync_service_details OR sync_description
  OR sync_labels OR sync_meta OR sync_short_description OR sync_reviews OR (external_panels.type <> 'socpanel' AND EXISTS (
    SELECT 1 FROM provider_packages y JOIN packages f ON f.provider_package_id = y.id
    WHERE y.external_panel_id = external_panels.id AND f.sync AND NOT f.is_archived)))";
