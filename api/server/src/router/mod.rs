//! Combines the routes of all areas with the endpoints for health, metrics and the OpenAPI document, and accepts connections.
//! Only start-up code may import this module.

mod metrics_page;
pub mod routes;
pub mod serve;
pub mod system;
