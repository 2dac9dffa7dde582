//! Files of the repository that are made from the code: each test compares one with what the code says now.
//!
//! `UPDATE_GENERATED=1` writes them again (`make generate`).

mod states;

use std::path::Path;

/// Fails when a file, named from the project's root, does not hold `text`.
pub(crate) fn check(file: &str, text: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(file);
    if std::env::var_os("UPDATE_GENERATED").is_some() {
        std::fs::write(&path, text).unwrap();
    }
    let stored = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(stored == text, "{file} is not what the code says; run make generate and review the change");
}

#[test]
fn openapi_json_is_what_the_server_serves() {
    check("console/openapi.json", &format!("{:#}\n", panel_server::router::routes::document()));
}
