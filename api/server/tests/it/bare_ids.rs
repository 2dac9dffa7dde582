//! Ids of records have types (`panel_contract::ids`). `fixtures/bare_ids.tsv` holds the number of ids in each file that are bare
//! `i64`s, with the reason. The numbers may only shrink.

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
const NAMES_OF_IDS: [&str; 24] = [
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
/// Text that may stand between a name and its `i64`.
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
fn names_ids(name: &str, is_list: bool) -> bool {
    let is_listed = NAMES_OF_IDS.contains(&name) && (is_list || !name.ends_with('s'));
    matches!(name, "id" | "ids") || name.ends_with("_id") || name.ends_with("_ids") || is_listed
}

/// The number of bare ids in one line: names of ids before `: i64` or before a wrapped `i64`.
fn bare_ids_in_line(line: &str) -> usize {
    let numbers = line.match_indices("i64").filter(|(at, _)| {
        let next_character = line[at + 3..].chars().next();
        !next_character.is_some_and(|next| next.is_alphanumeric() || next == '_' || next == ':')
    });
    numbers
        .filter(|(at, _)| {
            let mut before = &line[..*at];
            let mut is_list = false;
            while let Some(wrapper) = WRAPPERS.iter().find(|wrapper| before.ends_with(**wrapper)) {
                is_list |= !matches!(*wrapper, "&" | "mut " | "Option<" | "Patch<" | "(");
                before = &before[..before.len() - wrapper.len()];
            }
            let Some(before) = before.strip_suffix(": ") else { return false };
            let name =
                before.rsplit(|character: char| !character.is_alphanumeric() && character != '_').next();
            names_ids(name.unwrap_or_default(), is_list)
        })
        .count()
}

fn bare_ids_in_file(file: &File) -> usize {
    file.code().lines().filter(|line| !line.trim_start().starts_with("//")).map(bare_ids_in_line).sum()
}

#[test]
fn no_new_bare_ids() {
    let text = std::fs::read_to_string(workspace_root().join("fixtures/bare_ids.tsv")).unwrap();
    let mut listed: BTreeMap<&str, &str> = BTreeMap::new();
    for line in text.lines().filter(|line| !line.starts_with('#')) {
        let mut cells = line.split('\t');
        listed.insert(cells.next().unwrap_or_default(), cells.next().unwrap_or_default());
        assert!(cells.next().is_some_and(|reason| !reason.is_empty()), "a line needs a reason: {line}");
    }
    let mut wrong = Vec::new();
    for file in FOLDERS.iter().flat_map(|folder| rust_files(folder)) {
        let (actual, expected) = (bare_ids_in_file(&file), listed.remove(file.path()).unwrap_or("0"));
        if actual.to_string() != expected {
            wrong.push(format!("{}\t{actual}\t(listed: {expected})", file.path()));
        }
    }
    wrong.extend(listed.keys().map(|path| format!("{path} does not exist or has no bare ids")));
    assert_empty(
        &wrong,
        "use the types of panel_contract::ids; where a file has fewer bare ids now, lower its number in fixtures/bare_ids.tsv",
    );
}

#[test]
fn bare_ids_are_found() {
    for (line, expected) in [
        ("pub id: i64,", 1),
        ("fn of(user_id: Option<i64>, order: i64, quantity: i64) {", 2),
        ("let ids: Vec<i64> = Vec::new();", 1),
        ("users: &[i64], orders: i64", 1),
        ("id: OrderId, at: i64::MAX", 0),
    ] {
        assert_eq!(bare_ids_in_line(line), expected, "{line}");
    }
}
