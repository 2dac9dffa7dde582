//! Combines the routes of all areas with the endpoints about the server itself (health, metrics, OpenAPI), and accepts
//! connections. Only start-up code may import this module.

mod metrics_page;
pub mod routes;
pub mod serve;
pub mod system;
