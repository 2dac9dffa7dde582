//! Work of the panel itself, without a request: the worker of jobs and pollers, what retries quarantined records, what removes old
//! records.

pub mod quarantine_retry;
pub mod quarantine_runner;
pub mod retention;
pub mod worker;
