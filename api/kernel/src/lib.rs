//! Shared building blocks below HTTP and databases: errors, actors, the clock, randomness, backoffs, circuit breakers, rate
//! limiters, and bounds on untrusted data. It must not open connections, read files, or depend on business modules.

pub mod actor;
pub mod backoff;
pub mod circuit_breaker;
pub mod client_network;
pub mod clock;
pub mod error;
pub mod field_error_collector;
pub mod random;
pub mod rate_limiter;
pub mod rejection;
pub mod request_meta;
pub mod spreadsheet;
pub mod storage_error;
pub mod untrusted_data;
