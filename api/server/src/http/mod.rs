//! HTTP: the router made from the endpoint table, the guard, extractors, the error type.
//!
//! Nothing here knows a resource; handlers know nothing of status codes.

pub mod api;
pub mod caller;
pub mod context;
pub mod error;
pub mod openapi;
pub mod reply;
pub mod request;

pub use context::Ctx;
pub use error::{ApiError, Result};
pub use request::Req;
