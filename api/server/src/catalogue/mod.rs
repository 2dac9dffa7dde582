//! The catalogue: networks, service types, services and packages, with the labels and targets of services.

pub mod change_logs;
pub mod delivery_checks;
pub mod labels;
pub mod networks;
pub mod packages;
pub mod promoted_levels;
pub mod service_types;
pub mod services;
pub mod targets;

use crate::http::api::Api;

#[must_use]
pub fn routes(api: Api) -> Api {
    api.with(change_logs::routes)
        .with(labels::routes)
        .with(networks::routes)
        .with(packages::routes)
        .with(service_types::routes)
        .with(services::routes)
        .with(targets::routes)
}
