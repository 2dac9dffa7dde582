//! Data that is invented: records of a demo, drawn pictures, a fake external panel, a fake counter and fake feeds of channels.
//! Only `panel-server demo` and tests link this crate; it knows the database and no resource of the server.

pub mod accounts;
pub mod feed;
pub mod fill;
pub mod panel;
pub mod pictures;
