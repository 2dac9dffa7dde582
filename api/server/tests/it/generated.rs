//! Tests that the generated files of the repository match the current code: each test compares one file with the generator's
//! output.
//!
//! With `UPDATE_GENERATED=1` (`make generate`), the tests write the files instead.

mod states;

use std::path::Path;

/// Asserts that the file contains `text`. The path is relative to the root of the repository.
pub(crate) fn assert_generated(file: &str, text: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(file);
    if std::env::var_os("UPDATE_GENERATED").is_some() {
        std::fs::write(&path, text).unwrap();
    }
    let current_text = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(current_text == text, "{file} is out of date; run make generate and review the change");
}

#[test]
fn openapi_json_matches_the_openapi_document_of_the_server() {
    assert_generated(
        "console/openapi.json",
        &format!("{:#}\n", panel_server::router::routes::openapi_document()),
    );
}
