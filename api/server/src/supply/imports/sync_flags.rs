//! The options that decide which fields of an imported service a sync copies from the external panel.

use panel_contract::external_services::ImportServiceItem;

/// Which fields of a service are synced from its external panel. The names are the columns of the table `services`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, sqlx::FromRow)]
pub struct SyncFlags {
    pub sync_params: bool,
    pub sync_prices: bool,
    pub sync_labels: bool,
    pub sync_name: bool,
    pub sync_meta: bool,
    pub sync_service_details: bool,
    pub sync_description_field: bool,
    pub sync_short_description: bool,
    pub sync_reviews: bool,
}

impl SyncFlags {
    /// The names of the columns, in the order of [`Self::values`].
    pub(super) const COLUMNS: [&str; 9] = [
        "sync_params",
        "sync_prices",
        "sync_labels",
        "sync_name",
        "sync_meta",
        "sync_service_details",
        "sync_description_field",
        "sync_short_description",
        "sync_reviews",
    ];

    /// The values of the columns, in the order of [`Self::COLUMNS`].
    pub(super) fn values(self) -> [bool; 9] {
        [
            self.sync_params,
            self.sync_prices,
            self.sync_labels,
            self.sync_name,
            self.sync_meta,
            self.sync_service_details,
            self.sync_description_field,
            self.sync_short_description,
            self.sync_reviews,
        ]
    }

    /// Returns the flags of the external panel, replaced by the flags that the line sets.
    pub(super) fn with_flags_of_line(self, item: &ImportServiceItem) -> Self {
        Self {
            sync_params: item.sync_params.unwrap_or(self.sync_params),
            sync_prices: item.sync_prices.unwrap_or(self.sync_prices),
            sync_labels: item.sync_labels.unwrap_or(self.sync_labels),
            sync_name: item.sync_name.unwrap_or(self.sync_name),
            sync_meta: item.sync_meta.unwrap_or(self.sync_meta),
            sync_service_details: item.sync_service_details.unwrap_or(self.sync_service_details),
            sync_description_field: item.sync_description_field.unwrap_or(self.sync_description_field),
            sync_short_description: item.sync_short_description.unwrap_or(self.sync_short_description),
            sync_reviews: item.sync_reviews.unwrap_or(self.sync_reviews),
        }
    }
}
