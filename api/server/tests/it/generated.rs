//! Files of the repository that are generated from the code: each test compares one file with the output of the current code.
//!
//! `UPDATE_GENERATED=1` writes the files instead (`make generate`).

mod states;

use std::path::Path;

/// Asserts that the file, whose path begins at the repository's root, holds `text`.
pub(crate) fn assert_generated(file: &str, text: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(file);
    if std::env::var_os("UPDATE_GENERATED").is_some() {
        std::fs::write(&path, text).unwrap();
    }
    let stored = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(stored == text, "{file} is out of date; run make generate and review the change");
}

#[test]
fn openapi_json_is_what_the_server_serves() {
    assert_generated("console/openapi.json", &format!("{:#}\n", panel_server::router::routes::document()));
}
