//! The router of the whole API, above all areas: the routes of each area, the endpoints about the server itself, and the loop
//! that accepts connections. Only start-up may import it.

mod metrics_page;
pub mod routes;
pub mod serve;
pub mod system;
