//! Generates docs/schema: the schema as each database reports it, and a reference of the tables from the same data.
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

fn folder(dialect: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../platform/migrations").join(dialect)
}

/// The file name and the text of each migration, in the order in which they run.
fn migrations(dialect: &str) -> Vec<(String, String)> {
    let mut files: Vec<(String, String)> = std::fs::read_dir(folder(dialect))
        .unwrap()
        .map(|entry| {
            let entry = entry.unwrap();
            (entry.file_name().into_string().unwrap(), std::fs::read_to_string(entry.path()).unwrap())
        })
        .collect();
    files.sort();
    files
}

/// The CREATE TABLE statements of a migration: table name, and text up to the closing bracket.
fn create_table_statements(text: &str) -> Vec<(String, String)> {
    text.split("\nCREATE TABLE ")
        .skip(1)
        .map(|rest| {
            let name = rest.split(' ').next().unwrap_or_default();
            let end = rest.find("\n)").unwrap_or(rest.len());
            (name.to_owned(), format!("CREATE TABLE {}", &rest[..end]))
        })
        .collect()
}

fn areas() -> Vec<Area> {
    let area = |(file, text): (String, String)| {
        let title = text.lines().next().unwrap_or_default().trim_start_matches("--").trim();
        let tables = create_table_statements(&text).into_iter().map(|(name, _)| name).collect();
        Area { file, title: title.to_owned(), tables }
    };
    migrations("sqlite").into_iter().map(area).collect()
}

#[tokio::test]
async fn the_schema_documents_are_up_to_date() {
    let (sqlite_panel, postgres_panel) =
        (Panel::on(Dialect::Sqlite).await, Panel::on(Dialect::Postgres).await);
    let (sqlite, postgres) =
        (facts::sqlite(&sqlite_panel.app.db).await, facts::postgres(&postgres_panel.app.db).await);
    let files = [
        ("sqlite.sql", pages::sqlite(&sqlite)),
        ("postgres.sql", pages::postgres(&postgres)),
        ("tables.md", pages::tables(&areas(), &sqlite, &postgres)),
    ];
    for (name, text) in files {
        generated::assert_generated(&format!("docs/schema/{name}"), &text);
    }
}

#[tokio::test]
async fn every_table_belongs_to_an_area_and_has_a_comment() {
    let panel = Panel::on(Dialect::Sqlite).await;
    let sqlite = facts::sqlite(&panel.app.db).await;
    let without_comment: Vec<&String> = sqlite
        .tables
        .iter()
        .filter(|(_, table)| table.comments.table.is_empty())
        .map(|(name, _)| name)
        .collect();
    assert!(
        without_comment.is_empty(),
        "describe a row in a comment below CREATE TABLE: {without_comment:?}"
    );
    let mut area_tables: Vec<String> = areas().into_iter().flat_map(|area| area.tables).collect();
    area_tables.sort();
    assert_eq!(area_tables, sqlite.tables.into_keys().collect::<Vec<_>>());
}

#[test]
fn both_databases_have_the_same_migrations_and_comments() {
    let (sqlite, postgres) = (migrations("sqlite"), migrations("postgres"));
    let names = |files: &[(String, String)]| files.iter().map(|(name, _)| name.clone()).collect::<Vec<_>>();
    assert_eq!(names(&sqlite), names(&postgres));
    let comments_of = |files: &[(String, String)]| -> BTreeMap<String, Comments> {
        let tables = files.iter().flat_map(|(_, text)| create_table_statements(text));
        tables.map(|(name, text)| (name, comments::parse(&text))).collect()
    };
    let (sqlite, postgres) = (comments_of(&sqlite), comments_of(&postgres));
    for (table, comments) in &sqlite {
        assert_eq!(Some(comments), postgres.get(table), "{table}");
    }
    assert_eq!(sqlite.len(), postgres.len());
}
