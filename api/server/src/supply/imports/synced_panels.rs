//! The SQL condition that decides whether an external panel is synced.

/// SQL condition: whether an external panel is synced. Any enabled `sync_*` option is enough, so that a sync also detects services
/// that are no longer listed. Only external panels that run the same product have an option for packages. Other external panels are
/// also synced while one of our packages is synced with one of their packages.
pub(super) const IS_SYNCED: &str = "(sync_services OR sync_packages OR sync_prices OR sync_name OR sync_params OR sync_service_details OR sync_description
  OR sync_labels OR sync_meta OR sync_short_description OR sync_reviews OR (external_panels.type <> 'socpanel' AND EXISTS (
    SELECT 1 FROM provider_packages y JOIN packages f ON f.provider_package_id = y.id
    WHERE y.external_panel_id = external_panels.id AND f.sync AND NOT f.is_archived)))";
