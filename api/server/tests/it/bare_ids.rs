//! Ids of records have types (`panel_contract::ids`). `fixtures/bare_ids.tsv` counts those that stay bare numbers in each file, with
//! the reason, and only shrinks.

use std::collections::BTreeMap;

use crate::tidy::{File, none, root, rust};

/// Where ids are looked for.
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
/// Names that mean ids without saying so.
const NOUNS: [&str; 24] = [
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
/// What a type may wrap a number in.
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

/// Whether a name says that its value is an id. A plural without `id` that is one number is a count.
fn names_ids(name: &str, is_list: bool) -> bool {
    let is_noun = NOUNS.contains(&name) && (is_list || !name.ends_with('s'));
    matches!(name, "id" | "ids") || name.ends_with("_id") || name.ends_with("_ids") || is_noun
}

/// The names before `: i64`, in its wrappers, of one line.
fn bare(line: &str) -> usize {
    let ends = line.match_indices("i64").filter(|(at, _)| {
        let next = line[at + 3..].chars().next();
        !next.is_some_and(|next| next.is_alphanumeric() || next == '_' || next == ':')
    });
    ends.filter(|(at, _)| {
        let mut before = &line[..*at];
        let mut is_list = false;
        while let Some(wrapper) = WRAPPERS.iter().find(|wrapper| before.ends_with(**wrapper)) {
            is_list |= !matches!(*wrapper, "&" | "mut " | "Option<" | "Patch<" | "(");
            before = &before[..before.len() - wrapper.len()];
        }
        let Some(before) = before.strip_suffix(": ") else { return false };
        let name = before.rsplit(|letter: char| !letter.is_alphanumeric() && letter != '_').next();
        names_ids(name.unwrap_or_default(), is_list)
    })
    .count()
}

fn count(file: &File) -> usize {
    file.code().lines().filter(|line| !line.trim_start().starts_with("//")).map(bare).sum()
}

#[test]
fn no_new_bare_ids() {
    let text = std::fs::read_to_string(root().join("fixtures/bare_ids.tsv")).unwrap();
    let mut known: BTreeMap<&str, &str> = BTreeMap::new();
    for line in text.lines().filter(|line| !line.starts_with('#')) {
        let mut cells = line.split('\t');
        known.insert(cells.next().unwrap_or_default(), cells.next().unwrap_or_default());
        assert!(cells.next().is_some_and(|reason| !reason.is_empty()), "why do these stay: {line}");
    }
    let mut wrong = Vec::new();
    for file in FOLDERS.iter().flat_map(|folder| rust(folder)) {
        let (found, listed) = (count(&file), known.remove(file.path()).unwrap_or("0"));
        if found.to_string() != listed {
            wrong.push(format!("{}\t{found}\t(listed: {listed})", file.path()));
        }
    }
    wrong.extend(known.keys().map(|path| format!("{path} is no file any more, or has no bare ids")));
    none(
        &wrong,
        "give ids their types of panel_contract::ids; where a file has fewer bare ones, shorten fixtures/bare_ids.tsv",
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
        assert_eq!(bare(line), expected, "{line}");
    }
}
