//! The scripts name tests by filters. A filter that matches no test runs nothing and still succeeds, so this module checks that each
//! filter matches a test or a module of tests.

use crate::tidy::{assert_empty, rust_files, workspace_root};

/// Words of a script that follow `marker`, up to the end of the command.
fn filters_after(script: &str, marker: &str) -> Vec<String> {
    let mut filters = Vec::new();
    for text in script.split(marker).skip(1) {
        let command =
            text.split([';', '|', '}', '\n']).find(|line| !line.trim().trim_matches('\\').is_empty());
        let words = command.unwrap_or_default().split_whitespace();
        filters.extend(words.take_while(|word| !word.starts_with('-')).map(str::to_owned));
    }
    filters
}

/// Whether `filter`, such as `schema::the_generated` or `kill::`, occurs in the path of a test.
fn matches_test(filter: &str, sources: &[(String, String)]) -> bool {
    let (module, test) = filter.rsplit_once("::").unwrap_or(("", filter));
    let function = format!("fn {test}");
    sources.iter().any(|(module_name, source)| {
        (module.is_empty() || module_name.ends_with(module))
            && (test.is_empty() || source.contains(&function))
    })
}

#[test]
fn the_filters_of_scripts_match_tests() {
    let files = ["api/server/tests/it", "tui/tests/it", "cli/tests/it", "api/client/tests/it"];
    let sources: Vec<(String, String)> = files
        .iter()
        .flat_map(|folder| rust_files(folder))
        .map(|file| (file.path.trim_end_matches("/mod.rs").trim_end_matches(".rs").to_owned(), file.text))
        .collect();
    let mut filters = Vec::new();
    for name in ["generate", "nightly", "soak", "torture"] {
        let script = std::fs::read_to_string(workspace_root().join("scripts").join(name)).unwrap();
        filters.extend(filters_after(&script, "tests_of "));
        filters.extend(filters_after(&script, "--test it -- "));
    }
    assert!(filters.len() >= 8, "the scripts have too few filters: {filters:?}");
    filters.retain(|filter| filter != "\"$@\"" && !matches_test(filter, &sources));
    assert_empty(&filters, "these filters match no test");
}
