//! The supply wing: who delivers.

pub mod providers;
