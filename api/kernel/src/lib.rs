//! What every program of Panel shares below HTTP and databases: pure values and functions. It opens no connection, reads no
//! file and knows no resource of the panel.

pub mod foreign;
pub mod hidden;
pub mod spreadsheet;
