//! The help dialog and the generated document of the keys.

use panel_tui::keymap;

use crate::harness::{Harness, SMALL_SIZE};
use crate::records::queue_rows;

#[test]
fn typing_searches_the_help() {
    let mut harness = Harness::with_orders(SMALL_SIZE, queue_rows());
    harness.press_keys("?");
    harness.type_text("undo");
    harness.assert_shows("Undo the last action of this session");
    assert!(!harness.shows("Move down one row."));
    harness.press_keys("esc");
    assert!(harness.app.overlay.is_none());
}

#[test]
fn the_keys_document_matches_the_keymap() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/panel-tui-keys.md");
    if std::env::var_os("UPDATE_GENERATED").is_some() {
        std::fs::write(path, keymap::keys_markdown()).unwrap();
    }
    let stored = std::fs::read_to_string(path).unwrap_or_default();
    assert_eq!(stored, keymap::keys_markdown(), "docs/panel-tui-keys.md is outdated; run make generate");
}
