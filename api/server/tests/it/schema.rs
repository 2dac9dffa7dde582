//! docs/schema: the schema as both databases report it, and a reference of its tables made from the same facts.
//!
//! `make generate` writes the files again.

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
    /// Name of the migration's file.
    file: String,
    /// The first line of the file.
    title: String,
    tables: Vec<String>,
}

fn folder(dialect: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../platform/migrations").join(dialect)
}

/// Name and text of each migration, in the order in which they run.
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

/// The statements of a migration that create tables: name and text, up to the bracket that closes the columns.
fn created(text: &str) -> Vec<(String, String)> {
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
        let tables = created(&text).into_iter().map(|(name, _)| name).collect();
        Area { file, title: title.to_owned(), tables }
    };
    migrations("sqlite").into_iter().map(area).collect()
}

#[tokio::test]
async fn the_files_are_the_schema() {
    let (left, right) = (Panel::on(Dialect::Sqlite).await, Panel::on(Dialect::Postgres).await);
    let (sqlite, postgres) = (facts::sqlite(&left.app.db).await, facts::postgres(&right.app.db).await);
    let files = [
        ("sqlite.sql", pages::sqlite(&sqlite)),
        ("postgres.sql", pages::postgres(&postgres)),
        ("tables.md", pages::tables(&areas(), &sqlite, &postgres)),
    ];
    for (name, text) in files {
        generated::check(&format!("docs/schema/{name}"), &text);
    }
}

#[tokio::test]
async fn every_table_belongs_to_an_area_and_says_what_a_row_is() {
    let panel = Panel::on(Dialect::Sqlite).await;
    let sqlite = facts::sqlite(&panel.app.db).await;
    let silent: Vec<&String> = sqlite
        .tables
        .iter()
        .filter(|(_, table)| table.comments.table.is_empty())
        .map(|(name, _)| name)
        .collect();
    assert!(silent.is_empty(), "a comment below CREATE TABLE says what a row is: {silent:?}");
    let mut created: Vec<String> = areas().into_iter().flat_map(|area| area.tables).collect();
    created.sort();
    assert_eq!(created, sqlite.tables.into_keys().collect::<Vec<_>>());
}

#[test]
fn both_folders_hold_the_same_migrations_with_the_same_comments() {
    let (sqlite, postgres) = (migrations("sqlite"), migrations("postgres"));
    let names = |files: &[(String, String)]| files.iter().map(|(name, _)| name.clone()).collect::<Vec<_>>();
    assert_eq!(names(&sqlite), names(&postgres));
    let said = |files: &[(String, String)]| -> BTreeMap<String, Comments> {
        let tables = files.iter().flat_map(|(_, text)| created(text));
        tables.map(|(name, text)| (name, comments::read(&text))).collect()
    };
    let (sqlite, postgres) = (said(&sqlite), said(&postgres));
    for (table, comments) in &sqlite {
        assert_eq!(Some(comments), postgres.get(table), "{table}");
    }
    assert_eq!(sqlite.len(), postgres.len());
}
