//! An empty member that holds the snapshots of every crate, because cargo-insta overlooks snapshots outside a package. Never any code.
