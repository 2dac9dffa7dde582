//! The layers of the server, by what its own sources import: which module may know which.

use std::collections::{BTreeMap, BTreeSet};

use crate::module_uses::{Modules, modules};

/// Folders of resources, from the lowest: each may import those before it, never those behind it.
pub(crate) const AREAS: [&str; 9] = [
    "stores",
    "records",
    "configuration",
    "pricing",
    "catalogue",
    "marketing",
    "operations",
    "supply",
    "site",
];
/// What every area but the stores is built on; these modules may know each other and the stores.
const BASE: [&str; 6] = ["app", "context", "http", "auth", "emails", "metrics"];
/// What knows every area, and is known by none.
const ABOVE: [&str; 9] =
    ["backup", "doctor", "event_sinks", "job_handlers", "background", "router", "start", "run", "main"];
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
    let (server, platform) = (modules("api/server/src"), modules("api/platform/src"));
    let large = [large_circles(&server), large_circles(&platform)].concat();
    assert!(large.is_empty(), "these files import one another: {large:#?}");
}

/// The circles of more than [`LARGEST_CIRCLE`] files.
fn large_circles(modules: &Modules) -> Vec<BTreeSet<&str>> {
    let reach: BTreeMap<&str, BTreeSet<&str>> =
        modules.keys().map(|module| (module.as_str(), reachable(modules, module))).collect();
    let circle_of = |module: &str| -> BTreeSet<&str> {
        reach[module].iter().copied().filter(|other| reach[other].contains(module)).collect()
    };
    let circles: BTreeSet<BTreeSet<&str>> = modules.keys().map(|module| circle_of(module)).collect();
    circles.into_iter().filter(|circle| circle.len() > LARGEST_CIRCLE).collect()
}

#[test]
fn modules_import_only_those_below_them() {
    let mut upward = Vec::new();
    for (module, imported) in &modules("api/server/src") {
        let own = rank(module);
        upward.extend(
            imported.iter().filter(|other| rank(other) > own).map(|other| format!("{module} -> {other}")),
        );
    }
    assert_eq!(upward, [""; 0]);
}

/// Where a module lies in the picture of ARCHITECTURE.md: the stores, the base, the other areas, then what knows all of them.
fn rank(module: &str) -> usize {
    let folder = module.split('/').next().unwrap_or_default();
    match AREAS.iter().position(|area| *area == folder) {
        Some(0) => 0,
        Some(area) => 1 + area,
        None if BASE.contains(&folder) => 1,
        None if ABOVE.contains(&folder) || module == "lib" => 1 + AREAS.len(),
        None => panic!("{module} has no place in the picture"),
    }
}
