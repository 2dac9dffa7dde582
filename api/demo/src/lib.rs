//! Invented data: demo records, drawn images, a fake external panel, a fake counter and fake channel feeds. Only
//! `panel-server demo`, the benchmark and tests use this crate. It writes to the database and must not use code of the server.

pub mod accounts;
pub mod feed;
pub mod fill;
pub mod images;
pub mod panel;
