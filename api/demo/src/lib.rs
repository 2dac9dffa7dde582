//! Invented data: demo records, drawn pictures, a fake external panel, a fake counter and fake channel feeds. Only
//! `panel-server demo` and tests link this crate; it uses the database and no code of the server.

pub mod accounts;
pub mod feed;
pub mod fill;
pub mod panel;
pub mod pictures;
