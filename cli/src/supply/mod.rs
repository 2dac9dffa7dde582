//! Who delivers.

pub(crate) mod providers;
