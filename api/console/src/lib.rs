//! The files of the built console (`console/dist`). A release build holds them; a debug build reads them from disk, by the
//! setting of this crate's profile in the workspace's Cargo.toml. It serves nothing itself.

pub use rust_embed::EmbeddedFile;
use rust_embed::RustEmbed;

#[derive(RustEmbed)]
#[folder = "../../console/dist"]
struct Dist;

/// The file at a path below `dist`, without a leading slash; `None` if it does not exist.
#[must_use]
pub fn file(path: &str) -> Option<EmbeddedFile> {
    Dist::get(path)
}
