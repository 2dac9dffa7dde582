//! HTTP: the router of the endpoint table, authorization, extractors and responses.
//!
//! This module knows no resources, and handlers know no status codes.

pub mod api;
pub mod bodies;
pub(crate) mod client_errors;
pub(crate) mod connections;
pub(crate) mod console;
pub(crate) mod docs;
pub mod error;
pub mod files;
pub(crate) mod forwarded;
pub(crate) mod heads;
mod inlined_ids;
pub(crate) mod layers;
pub mod lists;
pub mod live_routes;
pub mod live_socket;
pub(crate) mod multipart;
pub mod openapi;
pub mod rates;
pub mod readiness;
pub mod reply;
pub mod request;
pub(crate) mod session_cookie;
pub(crate) mod shutdown;
pub(crate) mod trace_context;
pub(crate) mod writes;

pub use request::Req;
