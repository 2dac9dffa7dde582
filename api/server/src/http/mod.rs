//! HTTP: the routes of the endpoint table, authorization, parsing of requests, and responses.
//!
//! This module must not depend on business modules, and handlers must not choose status codes.

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
pub(crate) mod multipart;
pub mod openapi;
pub mod rates;
pub mod readiness;
pub mod realtime_routes;
pub mod realtime_socket;
pub mod request;
pub(crate) mod session_cookie;
pub(crate) mod shutdown;
pub(crate) mod stall_timer;
pub(crate) mod trace_context;
pub mod typed_response;

pub use request::Req;
