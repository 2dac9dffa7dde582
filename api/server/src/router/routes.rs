//! All endpoints, area by area: each area lists the routes of its resources.

use crate::http::api::Api;
use crate::http::{client_errors, live_routes};
use crate::router::system;
use crate::{auth, catalogue, configuration, doctor, marketing, operations, site, supply};

#[must_use]
pub fn api() -> Api {
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
        .with(live_routes::routes)
        .with(system::routes)
}

/// The OpenAPI document of the whole API.
#[must_use]
pub fn document() -> serde_json::Value {
    api().into_parts().1.build()
}
