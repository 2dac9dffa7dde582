//! The server as a library: the server program, the tests, the demo and the benchmark run the same code.

pub mod app;
pub mod auth;
pub mod background;
pub mod backup;
pub mod catalogue;
pub mod configuration;
pub mod context;
pub mod doctor;
pub(crate) mod emails;
pub mod event_sinks;
pub mod http;
pub mod job_handlers;
pub mod marketing;
pub mod metrics;
pub mod operations;
pub mod pricing;
pub mod records;
pub mod router;
pub mod run;
pub mod site;
pub mod start;
pub mod stores;
pub mod supply;
