//! Registers the endpoints of all areas.

use crate::http::api::Api;
use crate::http::{client_errors, realtime_routes};
use crate::router::system;
use crate::{auth, catalogue, configuration, doctor, marketing, operations, site, supply};

/// Returns every endpoint of the API, with its handler.
#[must_use]
pub fn all_routes() -> Api {
    Api::default()
        .with(auth::routes)
        .with(configuration::routes)
        .with(catalogue::routes)
        .with(marketing::routes)
        .with(operations::routes)
        .with(supply::routes)
        .with(site::routes)
        .with(doctor::routes)
        .with(client_errors::routes)
        .with(realtime_routes::routes)
        .with(system::routes)
}

/// Builds the OpenAPI document of all endpoints.
#[must_use]
pub fn openapi_document() -> serde_json::Value {
    let (_router, openapi) = all_routes().into_parts();
    openapi.build()
}
