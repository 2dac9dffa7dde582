//! The layers of the server: each module may import only lower layers, in the order of ARCHITECTURE.md.

use std::collections::{BTreeMap, BTreeSet};

use crate::module_uses::{Modules, modules};

/// Folders of resources, from the lowest layer: each may import the ones before it in the list, never the ones after it.
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
/// Modules that every area except the stores uses. They may import each other and the stores.
const BASE_MODULES: [&str; 6] = ["app", "context", "http", "auth", "emails", "metrics"];
/// Modules that may import every area, and that no area may import.
const TOP_MODULES: [&str; 9] =
    ["backup", "doctor", "event_sinks", "job_handlers", "background", "router", "start", "run", "main"];
const MAX_CYCLE_FILES: usize = 3;

fn reachable_modules<'m>(modules: &'m Modules, from: &'m str) -> BTreeSet<&'m str> {
    let (mut reached_modules, mut pending_modules) = (BTreeSet::new(), vec![from]);
    while let Some(module) = pending_modules.pop() {
        for imported in &modules[module] {
            if reached_modules.insert(imported.as_str()) {
                pending_modules.push(imported);
            }
        }
    }
    reached_modules
}

#[test]
fn no_import_cycle_has_more_than_three_files() {
    let (server, platform) = (modules("api/server/src"), modules("api/platform/src"));
    let cycles = [large_cycles(&server), large_cycles(&platform)].concat();
    assert!(cycles.is_empty(), "these files import one another: {cycles:#?}");
}

/// The import cycles of more than [`MAX_CYCLE_FILES`] files.
fn large_cycles(modules: &Modules) -> Vec<BTreeSet<&str>> {
    let reachable_from: BTreeMap<&str, BTreeSet<&str>> =
        modules.keys().map(|module| (module.as_str(), reachable_modules(modules, module))).collect();
    let cycle_of = |module: &str| -> BTreeSet<&str> {
        reachable_from[module]
            .iter()
            .copied()
            .filter(|other| reachable_from[other].contains(module))
            .collect()
    };
    let cycles: BTreeSet<BTreeSet<&str>> = modules.keys().map(|module| cycle_of(module)).collect();
    cycles.into_iter().filter(|cycle| cycle.len() > MAX_CYCLE_FILES).collect()
}

#[test]
fn modules_import_only_lower_layers() {
    let mut upward_imports = Vec::new();
    for (module, imported) in &modules("api/server/src") {
        let own_layer = layer_of(module);
        upward_imports.extend(
            imported
                .iter()
                .filter(|other| layer_of(other) > own_layer)
                .map(|other| format!("{module} -> {other}")),
        );
    }
    assert_eq!(upward_imports, [""; 0], "modules import higher layers");
}

/// The layer of a module in the diagram of ARCHITECTURE.md: the stores, the base, the other areas, then the modules above them.
fn layer_of(module: &str) -> usize {
    let folder = module.split('/').next().unwrap_or_default();
    match AREAS.iter().position(|area| *area == folder) {
        Some(0) => 0,
        Some(area) => 1 + area,
        None if BASE_MODULES.contains(&folder) => 1,
        None if TOP_MODULES.contains(&folder) || module == "lib" => 1 + AREAS.len(),
        None => panic!(
            "{module} has no layer; add it to `AREAS`, `BASE_MODULES` or `TOP_MODULES`, and to the diagram of ARCHITECTURE.md"
        ),
    }
}
