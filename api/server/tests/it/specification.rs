//! The specification line by line: which operations, screens and tests hold it. `docs/specification.md` is made from this.
//!
//! A reference to an operation, a screen or a test that does not exist fails, and so does an operation or a screen of the
//! specification that no line names.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use panel_contract::endpoints;
use serde::Deserialize;

use crate::generated;

/// Files below `fixtures/specification`, in the order of the document.
const PARTS: [&str; 2] = ["operations", "catalogue"];

/// Screens that are no row of a wing's table: sign-in stands outside of the shell, and an old link only redirects.
const SCREENS_BESIDE_THE_TABLES: [&str; 3] = ["/login", "/", "/finances"];

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Specification {
    title: String,
    section: Vec<Section>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Section {
    title: String,
    statement: Vec<Statement>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Statement {
    says: String,
    /// `METHOD /path`, as in the endpoint table.
    #[serde(default)]
    operations: Vec<String>,
    /// Paths of the console.
    #[serde(default)]
    screens: Vec<String>,
    /// `path/of/the/file::name of the test`, from the project's root.
    #[serde(default)]
    tests: Vec<String>,
    /// Where the product differs from the line, or decides what it leaves open.
    #[serde(default)]
    note: String,
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn read(file: &str) -> Option<String> {
    std::fs::read_to_string(root().join(file)).ok()
}

fn specifications() -> Vec<Specification> {
    let parse = |part: &&str| {
        let file = format!("fixtures/specification/{part}.toml");
        let text = read(&file).unwrap_or_else(|| panic!("{file} is missing"));
        toml::from_str(&text).unwrap_or_else(|error| panic!("{file}: {error}"))
    };
    PARTS.iter().map(parse).collect()
}

fn statements(specifications: &[Specification]) -> impl Iterator<Item = &Statement> {
    specifications.iter().flat_map(|part| &part.section).flat_map(|section| &section.statement)
}

/// Operations that stand in one of the two texts, not only in what was decided beside them.
fn specified_operations() -> BTreeSet<String> {
    let rows = read("fixtures/endpoints.tsv").unwrap();
    rows.lines()
        .filter(|row| !row.starts_with('#'))
        .map(|row| row.split('\t').collect::<Vec<_>>())
        .filter(|fields| fields.get(4).is_some_and(|origin| ["ops", "cat"].contains(origin)))
        .map(|fields| format!("{} {}", fields[1], fields[2]))
        .collect()
}

/// Paths in the console's tables of screens.
fn console_screens() -> BTreeSet<String> {
    let mut screens: BTreeSet<String> = SCREENS_BESIDE_THE_TABLES.map(str::to_owned).into();
    for wing in ["operations", "catalogue", "supply", "marketing", "configuration"] {
        let file = format!("console/src/{wing}/screens.ts");
        let text = read(&file).unwrap_or_else(|| panic!("{file} is missing"));
        screens.extend(
            text.split("path: '").skip(1).filter_map(|rest| rest.split('\'').next()).map(without_tab),
        );
    }
    screens
}

/// The path of a screen whose parts have addresses of their own is the one without them.
fn without_tab(path: &str) -> String {
    path.trim_end_matches("/:tab?").to_owned()
}

/// Paths that the specification lists.
fn specified_screens() -> BTreeSet<String> {
    let rows = read("fixtures/specification/screens.tsv").unwrap();
    rows.lines()
        .filter(|row| row.starts_with('/'))
        .filter_map(|row| row.split('\t').next())
        .map(str::to_owned)
        .collect()
}

/// Whether a file holds a test of that name: a function in Rust, a title in TypeScript.
fn test_exists(reference: &str) -> bool {
    let Some((file, name)) = reference.split_once("::") else { return false };
    let Some(text) = read(file) else { return false };
    if file.ends_with(".rs") {
        let function = name.rsplit("::").next().unwrap_or(name);
        text.contains(&format!("fn {function}("))
    } else {
        text.contains(name)
    }
}

#[test]
fn every_reference_exists() {
    let operations: BTreeSet<String> =
        endpoints::all().map(|op| format!("{} {}", op.method, op.path)).collect();
    let screens = console_screens();
    let mut wrong = Vec::new();
    for statement in statements(&specifications()) {
        wrong.extend(statement.operations.iter().filter(|it| !operations.contains(*it)).cloned());
        wrong.extend(statement.screens.iter().map(|it| without_tab(it)).filter(|it| !screens.contains(it)));
        wrong.extend(statement.tests.iter().filter(|it| !test_exists(it)).cloned());
    }
    assert!(wrong.is_empty(), "named in fixtures/specification and found nowhere: {wrong:#?}");
}

#[test]
fn every_statement_has_a_test() {
    let specifications = specifications();
    let untested: Vec<_> =
        statements(&specifications).filter(|it| it.tests.is_empty()).map(|it| &it.says).collect();
    assert!(untested.is_empty(), "statements without a test: {untested:#?}");
}

#[test]
fn every_specified_operation_and_screen_is_named() {
    let specifications = specifications();
    let named = |list: fn(&Statement) -> &Vec<String>| -> BTreeSet<String> {
        statements(&specifications).flat_map(list).cloned().collect()
    };
    let operations = named(|statement| &statement.operations);
    let missing: Vec<_> = specified_operations().into_iter().filter(|it| !operations.contains(it)).collect();
    assert!(missing.is_empty(), "operations that no statement names: {missing:#?}");

    let screens: BTreeSet<String> =
        named(|statement| &statement.screens).iter().map(|it| without_tab(it)).collect();
    let missing: Vec<_> = specified_screens().into_iter().filter(|it| !screens.contains(it)).collect();
    assert!(missing.is_empty(), "screens that no statement names: {missing:#?}");
}

#[test]
fn the_document_is_made_from_the_statements() {
    generated::check("docs/specification.md", &document(&specifications()));
}

fn document(specifications: &[Specification]) -> String {
    let mut text = String::from(
        "# The specification, line by line\n\n\
         Made from `fixtures/specification` (`make generate` writes it again). Each statement of the specification with the \
         operations that serve it, the screens that show it and the tests that fail without it. A test holds that each of \
         these exists, that each statement has a test, and that no specified operation or screen is missing.\n",
    );
    for part in specifications {
        let _ = write!(text, "\n## {}\n", part.title);
        for section in &part.section {
            let _ = write!(text, "\n### {}\n\n", section.title);
            section.statement.iter().for_each(|statement| write_statement(&mut text, statement));
        }
    }
    text
}

fn write_statement(text: &mut String, statement: &Statement) {
    let _ = writeln!(text, "- {}", statement.says.trim());
    let code = |items: &[String]| items.iter().map(|it| format!("`{it}`")).collect::<Vec<_>>().join(", ");
    for (label, items) in [("Operations", &statement.operations), ("Screens", &statement.screens)] {
        if !items.is_empty() {
            let _ = writeln!(text, "  - {label}: {}", code(items));
        }
    }
    if !statement.note.is_empty() {
        let _ = writeln!(text, "  - Note: {}", statement.note.trim());
    }
    let tests: Vec<_> = statement.tests.iter().filter_map(|it| it.split_once("::")).map(link).collect();
    let _ = writeln!(text, "  - Tests: {}", tests.join(", "));
}

fn link((file, name): (&str, &str)) -> String {
    let short = file.rsplit('/').next().unwrap_or(file);
    format!("[{short}](../{file}) `{name}`")
}

/// Each field that the text names stands in the schema of its record, under the same name or under ours beside it.
#[test]
fn the_documented_fields_are_in_the_document() {
    let document = panel_server::router::routes::document();
    let rows = read("fixtures/specification/fields.tsv").unwrap();
    let mut missing = Vec::new();
    let mut checked = 0;
    for row in rows.lines().filter(|row| !row.starts_with('#')) {
        let [schema, named, ours] = row.split('\t').collect::<Vec<_>>()[..] else { panic!("{row}") };
        let mut fields = BTreeSet::new();
        collect_fields(&document, &document["components"]["schemas"][schema], &mut fields);
        if !fields.contains(ours) {
            missing.push(format!("{schema}.{ours} ({named})"));
        }
        checked += 1;
    }
    assert!(missing.is_empty(), "{missing:#?}");
    assert!(checked > 600, "{checked}");
}

/// The names of a schema's properties, with those of the parts that it is put together from.
fn collect_fields(document: &serde_json::Value, schema: &serde_json::Value, into: &mut BTreeSet<String>) {
    if let Some(part) = schema["$ref"].as_str().and_then(|name| document.pointer(name.strip_prefix('#')?)) {
        collect_fields(document, part, into);
    }
    for of in ["allOf", "oneOf", "anyOf"] {
        for part in schema[of].as_array().into_iter().flatten() {
            collect_fields(document, part, into);
        }
    }
    into.extend(schema["properties"].as_object().into_iter().flatten().map(|(name, _)| name.clone()));
}
