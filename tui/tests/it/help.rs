//! The keymap's own pages: the help is searchable, and the document is the table.

use panel_tui::keymap;

use crate::records::queue;
use crate::stage::{SMALL, Stage};

#[test]
fn the_help_is_searched_by_typing() {
    let mut stage = Stage::with(SMALL, queue());
    stage.keys("?");
    stage.types("undo");
    stage.assert_shows("Take back the last action of this session");
    assert!(!stage.shows("One row down."));
    stage.keys("esc");
    assert!(stage.app.open.is_none());
}

#[test]
fn the_document_of_the_keys_is_the_table() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/panel-tui-keys.md");
    if std::env::var_os("UPDATE_GENERATED").is_some() {
        std::fs::write(path, keymap::document()).unwrap();
    }
    let kept = std::fs::read_to_string(path).unwrap_or_default();
    assert_eq!(
        kept,
        keymap::document(),
        "docs/panel-tui-keys.md is not what the table says; run make generate"
    );
}
