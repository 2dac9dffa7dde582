//! The specification, statement by statement, with the operations, screens and tests of each. Generates `docs/specification.md`.
//!
//! The tests fail for a reference to an operation, screen or test that does not exist, and for an operation or screen of the
//! specification without a statement.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use panel_contract::endpoints;
use serde::Deserialize;

use crate::generated;

/// The files in `fixtures/specification`, in the order of the document.
const FILES: [&str; 2] = ["operations", "catalogue"];

/// Screens that are in no area's table: the sign-in screen is outside of the shell, and the other two paths redirect.
const SCREENS_OUTSIDE_OF_TABLES: [&str; 3] = ["/login", "/", "/finances"];

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
    text: String,
    /// `METHOD /path`, as in the endpoint table.
    #[serde(default)]
    operations: Vec<String>,
    /// Paths of the console.
    #[serde(default)]
    screens: Vec<String>,
    /// `path/of/the/file::name of the test`, relative to the project's root.
    #[serde(default)]
    tests: Vec<String>,
    /// How the product differs from the statement, or what it decides where the statement is not specific.
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
    let parse = |name: &&str| {
        let file = format!("fixtures/specification/{name}.toml");
        let text = read(&file).unwrap_or_else(|| panic!("{file} is missing"));
        toml::from_str(&text).unwrap_or_else(|error| panic!("{file}: {error}"))
    };
    FILES.iter().map(parse).collect()
}

fn statements(specifications: &[Specification]) -> impl Iterator<Item = &Statement> {
    specifications
        .iter()
        .flat_map(|specification| &specification.section)
        .flat_map(|section| &section.statement)
}

/// The operations that one of the two specifications contains; `endpoints.tsv` also lists operations that were added later.
fn specified_operations() -> BTreeSet<String> {
    let rows = read("fixtures/endpoints.tsv").unwrap();
    rows.lines()
        .filter(|row| !row.starts_with('#'))
        .map(|row| row.split('\t').collect::<Vec<_>>())
        .filter(|fields| fields.get(4).is_some_and(|origin| ["ops", "cat"].contains(origin)))
        .map(|fields| format!("{} {}", fields[1], fields[2]))
        .collect()
}

/// The paths in the console's tables of screens.
fn console_screens() -> BTreeSet<String> {
    let mut screens: BTreeSet<String> = SCREENS_OUTSIDE_OF_TABLES.map(str::to_owned).into();
    for area in ["operations", "catalogue", "supply", "marketing", "configuration"] {
        let file = format!("console/src/{area}/screens.ts");
        let text = read(&file).unwrap_or_else(|| panic!("{file} is missing"));
        screens.extend(
            text.split("path: '").skip(1).filter_map(|rest| rest.split('\'').next()).map(without_tab),
        );
    }
    screens
}

/// Removes the optional tab from the path of a screen.
fn without_tab(path: &str) -> String {
    path.trim_end_matches("/:tab?").to_owned()
}

/// The paths of the screens in the specification.
fn specified_screens() -> BTreeSet<String> {
    let rows = read("fixtures/specification/screens.tsv").unwrap();
    rows.lines()
        .filter(|row| row.starts_with('/'))
        .filter_map(|row| row.split('\t').next())
        .map(str::to_owned)
        .collect()
}

/// Whether the file contains the test: a function in Rust, a title in TypeScript.
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
    let mut unknown = Vec::new();
    for statement in statements(&specifications()) {
        unknown.extend(statement.operations.iter().filter(|it| !operations.contains(*it)).cloned());
        unknown.extend(statement.screens.iter().map(|it| without_tab(it)).filter(|it| !screens.contains(it)));
        unknown.extend(statement.tests.iter().filter(|it| !test_exists(it)).cloned());
    }
    assert!(unknown.is_empty(), "fixtures/specification names what does not exist: {unknown:#?}");
}

#[test]
fn every_statement_has_a_test() {
    let specifications = specifications();
    let untested: Vec<_> = statements(&specifications)
        .filter(|statement| statement.tests.is_empty())
        .map(|statement| &statement.text)
        .collect();
    assert!(untested.is_empty(), "statements without a test: {untested:#?}");
}

#[test]
fn every_specified_operation_and_screen_has_a_statement() {
    let specifications = specifications();
    let all_of = |list: fn(&Statement) -> &Vec<String>| -> BTreeSet<String> {
        statements(&specifications).flat_map(list).cloned().collect()
    };
    let operations = all_of(|statement| &statement.operations);
    let missing: Vec<_> = specified_operations().into_iter().filter(|it| !operations.contains(it)).collect();
    assert!(missing.is_empty(), "operations that no statement names: {missing:#?}");

    let screens: BTreeSet<String> =
        all_of(|statement| &statement.screens).iter().map(|it| without_tab(it)).collect();
    let missing: Vec<_> = specified_screens().into_iter().filter(|it| !screens.contains(it)).collect();
    assert!(missing.is_empty(), "screens that no statement names: {missing:#?}");
}

#[test]
fn the_document_is_generated_from_the_statements() {
    generated::assert_generated("docs/specification.md", &document(&specifications()));
}

fn document(specifications: &[Specification]) -> String {
    let mut text = String::from(
        "# The specification, line by line\n\n\
         Generated from `fixtures/specification` by `make generate`. Each statement of the specification with the operations \
         that serve it, the screens that show it and the tests that check it. A test fails if one of these does not exist, \
         if a statement has no test, or if a specified operation or screen has no statement.\n",
    );
    for specification in specifications {
        let _ = write!(text, "\n## {}\n", specification.title);
        for section in &specification.section {
            let _ = write!(text, "\n### {}\n\n", section.title);
            section.statement.iter().for_each(|statement| write_statement(&mut text, statement));
        }
    }
    text
}

fn write_statement(text: &mut String, statement: &Statement) {
    let _ = writeln!(text, "- {}", statement.text.trim());
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

/// The OpenAPI schema of a record has each field of the specification, under the product's name for it.
#[test]
fn the_openapi_schemas_have_the_specified_fields() {
    let document = panel_server::router::routes::document();
    let rows = read("fixtures/specification/fields.tsv").unwrap();
    let mut missing = Vec::new();
    let mut checked = 0;
    for row in rows.lines().filter(|row| !row.starts_with('#')) {
        let [schema, specified_name, our_name] = row.split('\t').collect::<Vec<_>>()[..] else {
            panic!("{row}")
        };
        let mut fields = BTreeSet::new();
        collect_fields(&document, &document["components"]["schemas"][schema], &mut fields);
        if !fields.contains(our_name) {
            missing.push(format!("{schema}.{our_name} ({specified_name})"));
        }
        checked += 1;
    }
    assert!(missing.is_empty(), "{missing:#?}");
    assert!(checked > 600, "{checked}");
}

/// Collects the property names of a schema and of the schemas that it is composed of.
fn collect_fields(document: &serde_json::Value, schema: &serde_json::Value, into: &mut BTreeSet<String>) {
    if let Some(part) = schema["$ref"].as_str().and_then(|name| document.pointer(name.strip_prefix('#')?)) {
        collect_fields(document, part, into);
    }
    for composition in ["allOf", "oneOf", "anyOf"] {
        for part in schema[composition].as_array().into_iter().flatten() {
            collect_fields(document, part, into);
        }
    }
    into.extend(schema["properties"].as_object().into_iter().flatten().map(|(name, _)| name.clone()));
}
