//! Generates `docs/specification.md`: each statement of the specification with its operations, screens and tests.
//!
//! The tests fail if a statement refers to an operation, screen or test that does not exist, and if an operation or screen of the
//! specification has no statement.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use panel_contract::endpoints;
use serde::Deserialize;

use crate::generated;

/// The files in `fixtures/specification`, in the order of the document.
const FILES: [&str; 2] = ["operations", "catalogue"];

/// Screens that no area lists: the sign-in screen is outside of the shell, and the other two paths are redirects.
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
    /// How the product differs from the statement, or a decision if the statement is not specific.
    #[serde(default)]
    note: String,
}

fn workspace_root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn read_file(file: &str) -> Option<String> {
    std::fs::read_to_string(workspace_root().join(file)).ok()
}

fn read_specifications() -> Vec<Specification> {
    let parse = |name: &&str| {
        let file = format!("fixtures/specification/{name}.toml");
        let text = read_file(&file).unwrap_or_else(|| panic!("{file} is missing"));
        toml::from_str(&text).unwrap_or_else(|error| panic!("{file}: {error}"))
    };
    FILES.iter().map(parse).collect()
}

fn all_statements(specifications: &[Specification]) -> impl Iterator<Item = &Statement> {
    specifications
        .iter()
        .flat_map(|specification| &specification.section)
        .flat_map(|section| &section.statement)
}

/// The operations that one of the two specifications contains; `endpoints.tsv` also lists operations that were added later.
fn specified_operations() -> BTreeSet<String> {
    let rows = read_file("fixtures/endpoints.tsv").unwrap();
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
        let text = read_file(&file).unwrap_or_else(|| panic!("{file} is missing"));
        screens.extend(
            text.split("path: '")
                .skip(1)
                .filter_map(|path_start| path_start.split('\'').next())
                .map(remove_tab),
        );
    }
    screens
}

/// Removes the optional tab from the path of a screen.
fn remove_tab(path: &str) -> String {
    path.trim_end_matches("/:tab?").to_owned()
}

/// The paths of the screens in the specification.
fn specified_screens() -> BTreeSet<String> {
    let rows = read_file("fixtures/specification/screens.tsv").unwrap();
    rows.lines()
        .filter(|row| row.starts_with('/'))
        .filter_map(|row| row.split('\t').next())
        .map(str::to_owned)
        .collect()
}

/// Whether the file contains the test: a function in Rust, a title in TypeScript.
fn test_exists(reference: &str) -> bool {
    let Some((file, name)) = reference.split_once("::") else { return false };
    let Some(text) = read_file(file) else { return false };
    if file.ends_with(".rs") {
        let function = name.rsplit("::").next().unwrap_or(name);
        text.contains(&format!("fn {function}("))
    } else {
        text.contains(name)
    }
}

#[test]
fn every_reference_of_a_statement_exists() {
    let operations: BTreeSet<String> =
        endpoints::all().map(|op| format!("{} {}", op.method, op.path)).collect();
    let screens = console_screens();
    let mut missing_references = Vec::new();
    for statement in all_statements(&read_specifications()) {
        missing_references
            .extend(statement.operations.iter().filter(|item| !operations.contains(*item)).cloned());
        missing_references.extend(
            statement.screens.iter().map(|item| remove_tab(item)).filter(|item| !screens.contains(item)),
        );
        missing_references.extend(statement.tests.iter().filter(|item| !test_exists(item)).cloned());
    }
    assert!(
        missing_references.is_empty(),
        "fixtures/specification contains references that do not exist: {missing_references:#?}"
    );
}

#[test]
fn every_statement_has_a_test() {
    let specifications = read_specifications();
    let untested_statements: Vec<_> = all_statements(&specifications)
        .filter(|statement| statement.tests.is_empty())
        .map(|statement| &statement.text)
        .collect();
    assert!(untested_statements.is_empty(), "statements without a test: {untested_statements:#?}");
}

#[test]
fn every_specified_operation_and_screen_has_a_statement() {
    let specifications = read_specifications();
    let collect_references = |list: fn(&Statement) -> &Vec<String>| -> BTreeSet<String> {
        all_statements(&specifications).flat_map(list).cloned().collect()
    };
    let operations = collect_references(|statement| &statement.operations);
    let missing: Vec<_> =
        specified_operations().into_iter().filter(|item| !operations.contains(item)).collect();
    assert!(missing.is_empty(), "operations that no statement names: {missing:#?}");

    let screens: BTreeSet<String> =
        collect_references(|statement| &statement.screens).iter().map(|item| remove_tab(item)).collect();
    let missing: Vec<_> = specified_screens().into_iter().filter(|item| !screens.contains(item)).collect();
    assert!(missing.is_empty(), "screens that no statement names: {missing:#?}");
}

#[test]
fn the_document_is_generated_from_the_statements() {
    generated::assert_generated("docs/specification.md", &render_document(&read_specifications()));
}

fn render_document(specifications: &[Specification]) -> String {
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
    let format_as_code =
        |items: &[String]| items.iter().map(|item| format!("`{item}`")).collect::<Vec<_>>().join(", ");
    for (label, items) in [("Operations", &statement.operations), ("Screens", &statement.screens)] {
        if !items.is_empty() {
            let _ = writeln!(text, "  - {label}: {}", format_as_code(items));
        }
    }
    if !statement.note.is_empty() {
        let _ = writeln!(text, "  - Note: {}", statement.note.trim());
    }
    let tests: Vec<_> =
        statement.tests.iter().filter_map(|item| item.split_once("::")).map(test_link).collect();
    let _ = writeln!(text, "  - Tests: {}", tests.join(", "));
}

fn test_link((file, name): (&str, &str)) -> String {
    let file_name = file.rsplit('/').next().unwrap_or(file);
    format!("[{file_name}](../{file}) `{name}`")
}

/// The OpenAPI schema of a record must have each field of the specification, with the name that the product uses.
#[test]
fn the_openapi_schemas_have_the_specified_fields() {
    let document = panel_server::router::routes::openapi_document();
    let rows = read_file("fixtures/specification/fields.tsv").unwrap();
    let mut missing = Vec::new();
    let mut checked_count = 0;
    for row in rows.lines().filter(|row| !row.starts_with('#')) {
        let [schema, specified_name, product_name] = row.split('\t').collect::<Vec<_>>()[..] else {
            panic!("{row}")
        };
        let mut fields = BTreeSet::new();
        collect_fields(&document, &document["components"]["schemas"][schema], &mut fields);
        if !fields.contains(product_name) {
            missing.push(format!("{schema}.{product_name} ({specified_name})"));
        }
        checked_count += 1;
    }
    assert!(missing.is_empty(), "{missing:#?}");
    assert!(checked_count > 600, "{checked_count}");
}

/// Collects the property names of a schema and of all schemas in its composition.
fn collect_fields(document: &serde_json::Value, schema: &serde_json::Value, fields: &mut BTreeSet<String>) {
    if let Some(part_schema) =
        schema["$ref"].as_str().and_then(|name| document.pointer(name.strip_prefix('#')?))
    {
        collect_fields(document, part_schema, fields);
    }
    for composition in ["allOf", "oneOf", "anyOf"] {
        for part_schema in schema[composition].as_array().into_iter().flatten() {
            collect_fields(document, part_schema, fields);
        }
    }
    fields.extend(schema["properties"].as_object().into_iter().flatten().map(|(name, _)| name.clone()));
}
