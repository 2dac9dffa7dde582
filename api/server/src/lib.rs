//! The panel's server as a library: tests, the demo and the benchmark start the same rooms as the program does.

pub mod app;
pub mod audit;
pub mod auth;
pub mod catalogue;
pub mod clock;
pub mod config;
pub mod configuration;
pub mod db;
pub mod demo;
pub mod doctor;
pub mod http;
pub mod jobs;
pub mod ledger;
pub mod live;
pub mod mail;
pub mod operations;
pub mod outbound;
pub mod random;
pub mod refusal;
pub mod run;
pub mod secrets;
pub mod start;
pub mod supply;
pub mod table;
pub mod uploads;
pub mod work;
