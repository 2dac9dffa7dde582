//! Generates docs/schema: the schema that each database reports, and a reference of the tables.
//!
//! `make generate` writes the files.

mod comments;
mod facts;
mod pages;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use panel_platform::db::Dialect;

use crate::generated;
use crate::panel::Panel;
use crate::schema::comments::Comments;

/// The tables that one migration creates.
struct Area {
    /// The name of the migration's file.
    file: String,
    /// The first line of the file.
    title: String,
    tables: Vec<String>,
}

fn migrations_folder(dialect: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../platform/migrations").join(dialect)
}

/// The file name and the text of each migration, in the order in which they run.
fn read_migrations(dialect: &str) -> Vec<(String, String)> {
    let mut migration_files: Vec<(String, String)> = std::fs::read_dir(migrations_folder(dialect))
        .unwrap()
        .map(|entry| {
            let entry = entry.unwrap();
            (entry.file_name().into_string().unwrap(), std::fs::read_to_string(entry.path()).unwrap())
        })
        .collect();
    migration_files.sort();
    migration_files
}

/// The CREATE TABLE statements of a migration: the table name, and the text up to the closing bracket.
fn create_table_statements(text: &str) -> Vec<(String, String)> {
    text.split("\nCREATE TABLE ")
        .skip(1)
        .map(|statement_rest| {
            let name = statement_rest.split(' ').next().unwrap_or_default();
            let end = statement_rest.find("\n)").unwrap_or(statement_rest.len());
            (name.to_owned(), format!("CREATE TABLE {}", &statement_rest[..end]))
        })
        .collect()
}

fn read_areas() -> Vec<Area> {
    let parse_area = |(file, text): (String, String)| {
        let title = text.lines().next().unwrap_or_default().trim_start_matches("--").trim();
        let tables = create_table_statements(&text).into_iter().map(|(name, _)| name).collect();
        Area { file, title: title.to_owned(), tables }
    };
    read_migrations("sqlite").into_iter().map(parse_area).collect()
}

#[tokio::test]
async fn the_generated_schema_documents_are_current() {
    let (sqlite_panel, postgres_panel) =
        (Panel::start(Dialect::Sqlite).await, Panel::start(Dialect::Postgres).await);
    let (sqlite_schema, postgres_schema) = (
        facts::read_sqlite_schema(&sqlite_panel.app.db).await,
        facts::read_postgres_schema(&postgres_panel.app.db).await,
    );
    let documents = [
        ("sqlite.sql", pages::render_sqlite_schema(&sqlite_schema)),
        ("postgres.sql", pages::render_postgres_schema(&postgres_schema)),
        ("tables.md", pages::render_table_reference(&read_areas(), &sqlite_schema, &postgres_schema)),
    ];
    for (name, text) in documents {
        generated::assert_generated(&format!("docs/schema/{name}"), &text);
    }
}

#[tokio::test]
async fn every_table_belongs_to_an_area_and_has_a_comment() {
    let panel = Panel::start(Dialect::Sqlite).await;
    let schema = facts::read_sqlite_schema(&panel.app.db).await;
    let tables_without_comment: Vec<&String> = schema
        .tables
        .iter()
        .filter(|(_, table)| table.comments.table.is_empty())
        .map(|(name, _)| name)
        .collect();
    assert!(
        tables_without_comment.is_empty(),
        "describe a row in a comment below CREATE TABLE: {tables_without_comment:?}"
    );
    let mut area_tables: Vec<String> =
        read_areas().into_iter().flat_map(|parse_area| parse_area.tables).collect();
    area_tables.sort();
    assert_eq!(area_tables, schema.tables.into_keys().collect::<Vec<_>>());
}

#[test]
fn both_databases_have_the_same_migrations_and_comments() {
    let (sqlite_migrations, postgres_migrations) = (read_migrations("sqlite"), read_migrations("postgres"));
    let file_names = |migration_files: &[(String, String)]| {
        migration_files.iter().map(|(name, _)| name.clone()).collect::<Vec<_>>()
    };
    assert_eq!(file_names(&sqlite_migrations), file_names(&postgres_migrations));
    let parse_comments = |migration_files: &[(String, String)]| -> BTreeMap<String, Comments> {
        let tables = migration_files.iter().flat_map(|(_, text)| create_table_statements(text));
        tables.map(|(name, text)| (name, comments::parse(&text))).collect()
    };
    let (sqlite_comments, postgres_comments) =
        (parse_comments(&sqlite_migrations), parse_comments(&postgres_migrations));
    for (table, comments) in &sqlite_comments {
        assert_eq!(Some(comments), postgres_comments.get(table), "{table}");
    }
    assert_eq!(sqlite_comments.len(), postgres_comments.len());
}
