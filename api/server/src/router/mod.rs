//! The router of the whole API, above all areas: the routes of each, the endpoints about the server itself, and the loop that accepts
//! connections. Nothing else may import it but start-up.

mod metrics_page;
pub mod routes;
pub mod serve;
pub mod system;
