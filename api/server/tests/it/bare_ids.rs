//! Checks that ids of records have the types of `panel_contract::ids`. `fixtures/bare_ids.tsv` lists each file with ids that are
//! still a bare `i64`, with their number and the reason. The numbers may only decrease.

use std::collections::BTreeMap;

use crate::tidy::{File, assert_empty, rust_files, workspace_root};

/// The folders that are searched for bare ids.
const FOLDERS: [&str; 8] = [
    "api/contract/src",
    "api/kernel/src",
    "api/domain/src",
    "api/platform/src",
    "api/server/src",
    "api/client/src",
    "cli/src",
    "tui/src",
];
/// Names of variables that hold ids although they do not end in `id`.
const ID_NAMES_WITHOUT_SUFFIX: [&str; 24] = [
    "user",
    "users",
    "order",
    "orders",
    "service",
    "services",
    "panel",
    "panels",
    "provider",
    "providers",
    "network",
    "networks",
    "attempt",
    "actor",
    "affiliate",
    "referral",
    "webhook",
    "role",
    "grade",
    "coupon",
    "target",
    "method",
    "label",
    "discount",
];
/// Text that may occur between the colon after a name and its `i64`.
const WRAPPERS: [&str; 12] = [
    "&",
    "mut ",
    "'static ",
    "Option<",
    "Vec<",
    "Patch<",
    "BTreeSet<",
    "HashSet<",
    "[",
    "(",
    "impl IntoIterator<Item = ",
    "impl Iterator<Item = ",
];

/// Whether the value of a variable with this name is an id. A plural without `id` is a count unless it is a list.
fn is_name_of_id(name: &str, is_list: bool) -> bool {
    let is_id_name = ID_NAMES_WITHOUT_SUFFIX.contains(&name) && (is_list || !name.ends_with('s'));
    matches!(name, "id" | "ids") || name.ends_with("_id") || name.ends_with("_ids") || is_id_name
}

/// The number of bare ids in one line: names of ids before `: i64` or before a wrapped `i64`.
fn count_bare_ids_in_line(line: &str) -> usize {
    let number_types = line.match_indices("i64").filter(|(index, _)| {
        let next_character = line[index + 3..].chars().next();
        !next_character.is_some_and(|next| next.is_alphanumeric() || next == '_' || next == ':')
    });
    number_types
        .filter(|(index, _)| {
            let mut text_before_type = &line[..*index];
            let mut is_list = false;
            while let Some(wrapper) = WRAPPERS.iter().find(|wrapper| text_before_type.ends_with(**wrapper)) {
                is_list |= !matches!(*wrapper, "&" | "mut " | "Option<" | "Patch<" | "(");
                text_before_type = &text_before_type[..text_before_type.len() - wrapper.len()];
            }
            let Some(text_before_colon) = text_before_type.strip_suffix(": ") else { return false };
            let name = text_before_colon
                .rsplit(|character: char| !character.is_alphanumeric() && character != '_')
                .next();
            is_name_of_id(name.unwrap_or_default(), is_list)
        })
        .count()
}

fn count_bare_ids_in_file(file: &File) -> usize {
    file.code().lines().filter(|line| !line.trim_start().starts_with("//")).map(count_bare_ids_in_line).sum()
}

#[test]
fn files_have_exactly_the_listed_bare_ids() {
    let text = std::fs::read_to_string(workspace_root().join("fixtures/bare_ids.tsv")).unwrap();
    let mut listed_counts: BTreeMap<&str, &str> = BTreeMap::new();
    for line in text.lines().filter(|line| !line.starts_with('#')) {
        let mut cells = line.split('\t');
        listed_counts.insert(cells.next().unwrap_or_default(), cells.next().unwrap_or_default());
        assert!(cells.next().is_some_and(|reason| !reason.is_empty()), "the line has no reason: {line}");
    }
    let mut problems = Vec::new();
    for file in FOLDERS.iter().flat_map(|folder| rust_files(folder)) {
        let (actual_count, listed_count) =
            (count_bare_ids_in_file(&file), listed_counts.remove(file.path()).unwrap_or("0"));
        if actual_count.to_string() != listed_count {
            problems.push(format!("{}\t{actual_count}\t(listed: {listed_count})", file.path()));
        }
    }
    problems.extend(listed_counts.keys().map(|path| format!("{path} does not exist or has no bare ids")));
    assert_empty(
        &problems,
        "use the types of panel_contract::ids; if a file has fewer bare ids now, lower its number in fixtures/bare_ids.tsv",
    );
}

#[test]
fn the_search_finds_bare_ids() {
    for (line, expected_count) in [
        ("pub id: i64,", 1),
        ("fn of(user_id: Option<i64>, order: i64, quantity: i64) {", 2),
        ("let ids: Vec<i64> = Vec::new();", 1),
        ("users: &[i64], orders: i64", 1),
        ("id: OrderId, at: i64::MAX", 0),
    ] {
        assert_eq!(count_bare_ids_in_line(line), expected_count, "{line}");
    }
}
