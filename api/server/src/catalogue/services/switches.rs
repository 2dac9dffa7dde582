//! The boolean columns of a service ("switches"). A macro creates the struct and the column lists for SQL from the one list in the
//! contract.

use panel_contract::services::{BulkService, ServiceInput, ServiceSwitches};
use serde::Serialize;

use panel_platform::db::Val;

macro_rules! switches {
    ($($switch:ident $doc:literal;)+) => {
        /// All boolean columns of a service, including those that the list row shows.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, sqlx::FromRow)]
        pub struct SwitchColumns {
            $(#[doc = $doc] pub $switch: bool,)+
        }

        /// Select list of all columns, each with a trailing comma.
        pub const SWITCH_SELECT_LIST: &str = concat!($(stringify!($switch), ", "),+);
        pub const SWITCH_COLUMN_NAMES: &[&str] = &[$(stringify!($switch)),+];
        /// `SET` list with a trailing comma, for a bulk `UPDATE … FROM` whose rows have the alias `r`.
        pub const SWITCH_SET_LIST: &str = concat!($(stringify!($switch), " = r.", stringify!($switch), ", "),+);

        impl SwitchColumns {
            /// Sets the switches that the input contains; the others keep their values.
            pub fn apply(&mut self, input: &ServiceInput) {
                $(self.$switch = input.$switch.unwrap_or(self.$switch);)+
            }

            /// Like [`Self::apply`]; returns whether the input contains any switch.
            pub fn apply_bulk(&mut self, input: &BulkService) -> bool {
                $(self.$switch = input.$switch.unwrap_or(self.$switch);)+
                [$(input.$switch.is_some()),+].contains(&true)
            }

            /// The values in the order of [`SWITCH_COLUMN_NAMES`].
            #[must_use]
            pub fn column_values(&self) -> Vec<Val> {
                vec![$(self.$switch.into()),+]
            }

            /// The items of a `SET` list, each with its value.
            pub(super) fn assignments(&self) -> Vec<(&'static str, Val)> {
                vec![$((concat!(stringify!($switch), " = ?"), self.$switch.into())),+]
            }
        }
    };
}
panel_contract::for_each_service_switch!(switches);

impl From<&SwitchColumns> for ServiceSwitches {
    fn from(columns: &SwitchColumns) -> Self {
        Self {
            auto_refill_is_allowed: columns.auto_refill_is_allowed,
            api_access: columns.api_access,
            restricted_access: columns.restricted_access,
            can_speedup: columns.can_speedup,
            no_refund: columns.no_refund,
            is_deactivated: columns.is_deactivated,
            url_is_required: columns.url_is_required,
            real_counter_complete_is_enabled: columns.real_counter_complete_is_enabled,
            cancel_by_client_is_allowed: columns.cancel_by_client_is_allowed,
            auto_cancel: columns.auto_cancel,
            gather_statistic: columns.gather_statistic,
            calculable_quantity: columns.calculable_quantity,
            forbids_orders_with_same_url: columns.forbids_orders_with_same_url,
            sync_params: columns.sync_params,
            sync_prices: columns.sync_prices,
            sync_labels: columns.sync_labels,
            sync_name: columns.sync_name,
            sync_meta: columns.sync_meta,
            sync_service_details: columns.sync_service_details,
            sync_description_field: columns.sync_description_field,
            sync_short_description: columns.sync_short_description,
            sync_reviews: columns.sync_reviews,
        }
    }
}
