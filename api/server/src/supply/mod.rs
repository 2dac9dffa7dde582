//! External panels and providers, and the code that places orders at external panels and tracks the delivery.

pub mod balances;
pub mod billing;
pub mod change_provider;
pub mod counter;
pub mod dispatch;
pub mod external_orders;
pub mod external_panels;
pub mod imports;
pub mod late_thresholds;
pub mod panels;
pub mod providers;
pub mod reseller;
pub mod statistics;

use crate::http::api::Api;

#[must_use]
pub fn routes(api: Api) -> Api {
    api.with(billing::routes)
        .with(change_provider::routes)
        .with(external_orders::routes)
        .with(external_panels::routes)
        .with(imports::routes)
        .with(providers::routes)
        .with(statistics::routes)
}
