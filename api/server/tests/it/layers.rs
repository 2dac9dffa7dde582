//! The layers of the server, by what its own sources import: which module may know which.

use std::collections::{BTreeMap, BTreeSet};

use crate::module_uses::{Modules, modules};

/// Folders of resources, from the lowest: each may import those before it, never those behind it.
pub(crate) const AREAS: [&str; 9] = [
    "reseller_protocol",
    "records",
    "configuration",
    "pricing",
    "catalogue",
    "marketing",
    "operations",
    "supply",
    "site",
];
/// What all areas are built on; it knows none of them.
const PLATFORM: [&str; 16] = [
    "audit/change",
    "audit/mod",
    "audit/restore",
    "audit/seal",
    "audit/verify",
    "config",
    "db",
    "ledger",
    "live/channel",
    "mail",
    "outbound",
    "platform",
    "scope",
    "secrets",
    "settings",
    "work",
];
/// Most files that may import one another in a circle.
const LARGEST_CIRCLE: usize = 3;

fn reachable<'m>(modules: &'m Modules, from: &'m str) -> BTreeSet<&'m str> {
    let (mut seen, mut open) = (BTreeSet::new(), vec![from]);
    while let Some(module) = open.pop() {
        for imported in &modules[module] {
            if seen.insert(imported.as_str()) {
                open.push(imported);
            }
        }
    }
    seen
}

#[test]
fn no_circle_of_imports_is_larger_than_three_files() {
    let modules = modules();
    let reach: BTreeMap<&str, BTreeSet<&str>> =
        modules.keys().map(|module| (module.as_str(), reachable(&modules, module))).collect();
    let circle_of = |module: &str| -> BTreeSet<&str> {
        reach[module].iter().copied().filter(|other| reach[other].contains(module)).collect()
    };
    let circles: BTreeSet<BTreeSet<&str>> = modules.keys().map(|module| circle_of(module)).collect();
    let large: Vec<_> = circles.into_iter().filter(|circle| circle.len() > LARGEST_CIRCLE).collect();
    assert!(large.is_empty(), "these files import one another: {large:#?}");
}

#[test]
fn wings_import_only_those_below_them() {
    let rank = |module: &str| AREAS.iter().position(|area| module.split('/').next() == Some(*area));
    let mut upward = Vec::new();
    for (module, imported) in &modules() {
        let Some(own) = rank(module) else { continue };
        upward.extend(
            imported
                .iter()
                .filter(|other| rank(other) > Some(own))
                .map(|other| format!("{module} -> {other}")),
        );
    }
    assert_eq!(upward, [""; 0]);
}

#[test]
fn the_platform_knows_no_area() {
    let is_area = |module: &str| AREAS.iter().any(|area| module.split('/').next() == Some(*area));
    let is_platform = |module: &str| {
        PLATFORM.iter().any(|part| {
            module == *part || module.starts_with(&format!("{part}/")) || *part == format!("{module}/mod")
        })
    };
    let mut upward = Vec::new();
    for (module, imported) in modules().iter().filter(|(module, _)| is_platform(module)) {
        upward.extend(
            imported.iter().filter(|other| is_area(other)).map(|other| format!("{module} -> {other}")),
        );
    }
    assert_eq!(upward, [""; 0]);
}
