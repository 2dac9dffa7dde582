//! Upgrading and going back, by the commands of docs/upgrade.md. The program under test is the old version; the new version is
//! its migrations and one more.

use std::fs;
use std::path::Path;
use std::time::Duration;

use panel_platform::config::Config;
use panel_platform::db::{Db, DbConfig, Dialect, open};
use sqlx::migrate::Migrator;
use tempfile::TempDir;

use crate::panel::Panel;
use crate::personal_data::rows;
use crate::program::{Program, errors};
use crate::restore::{closed, command, commands_of, destroy, filled, run_sql, shell, succeeds, tables};
use crate::served::client;

both! {
    the_commands_of_the_documentation_lead_to_the_new_version_and_back;
    a_migration_that_fails_changes_nothing;
    a_backup_of_an_older_schema_is_restored_and_brought_up_to_date;
}

const DOCUMENT: &str = "upgrade.md";
/// What the new version does to the schema and to records.
const NEXT: &str = "CREATE TABLE next_version (id BIGINT NOT NULL PRIMARY KEY, user_id BIGINT NOT NULL REFERENCES users (id));
INSERT INTO next_version (id, user_id) SELECT id, id FROM users;
ALTER TABLE services ADD COLUMN next_version_note TEXT;
UPDATE users SET name = 'Renamed by the next version';
";

async fn connect(config: &Config) -> Db {
    Db::connect(&DbConfig { max_connections: 2, ..config.database() }).await.unwrap()
}

/// Every row of every table, as texts.
async fn whole(config: &Config) -> Vec<(String, Vec<String>)> {
    let db = connect(config).await;
    let mut whole = Vec::new();
    for table in tables(&db).await {
        let mut rows = rows(&db, table.clone().leak()).await;
        rows.sort();
        whole.push((table, rows));
    }
    db.close().await;
    whole
}

/// Which tables differ.
fn differences(one: &[(String, Vec<String>)], other: &[(String, Vec<String>)]) -> Vec<String> {
    let missing = |of: &[(String, Vec<String>)], all: &[(String, Vec<String>)]| -> Vec<String> {
        of.iter().filter(|table| !all.contains(table)).map(|(name, _)| name.clone()).collect()
    };
    let mut names = [missing(one, other), missing(other, one)].concat();
    names.sort();
    names.dedup();
    names
}

/// This version's migrations up to a number, in a folder that can get others.
fn migrations(config: &Config, last: i64) -> TempDir {
    let name = if config.database_url.is_some() { "postgres" } else { "sqlite" };
    let folder = tempfile::tempdir().unwrap();
    for file in
        fs::read_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("../platform/migrations").join(name)).unwrap()
    {
        let file = file.unwrap();
        let file_name = file.file_name().into_string().unwrap();
        if file_name.split('_').next().unwrap().parse::<i64>().unwrap() <= last {
            fs::copy(file.path(), folder.path().join(file_name)).unwrap();
        }
    }
    folder
}

async fn migrate_by(config: &Config, migrations: &TempDir) -> Result<(), String> {
    let db = connect(config).await;
    let migrator = Migrator::new(migrations.path()).await.unwrap();
    let migrated = match &db {
        Db::Sqlite { write, .. } => migrator.run(write).await,
        Db::Postgres { write, .. } => migrator.run(write).await,
    };
    db.close().await;
    migrated.map_err(|error| error.to_string())
}

/// Migrates as the new version does: by the migrations of this one and `sql`.
async fn migrate_by_next_version(config: &Config, sql: &str) -> Result<(), String> {
    let newest = open::newest_migration();
    let migrations = migrations(config, newest);
    fs::write(migrations.path().join(format!("{:04}_next_version.sql", newest + 1)), sql).unwrap();
    migrate_by(config, &migrations).await
}

/// Runs commands of the documentation in the folder that has `data`, with backups below it; what they print.
fn follow(config: &Config, commands: &str) -> String {
    let home = config.data_dir.parent().unwrap();
    let backups = home.join("backups");
    fs::create_dir_all(&backups).unwrap();
    let mut shell = shell(home, &commands.replace("/var/backups/panel", backups.to_str().unwrap()));
    if let Some(url) = &config.database_url {
        shell.env("PANEL_DATABASE_URL", url);
    }
    let output = shell.output().unwrap();
    assert!(output.status.success(), "{commands}: {}", errors(&output));
    errors(&output) + &String::from_utf8_lossy(&output.stdout)
}

/// The commands of a part, without `panel-server serve` at its end.
fn before_serving(heading: &str) -> String {
    let commands = commands_of(DOCUMENT, heading);
    commands.strip_suffix("panel-server serve\n").unwrap_or_else(|| panic!("{commands}")).to_owned()
}

/// Starts the program, which must be able to work, and ends it.
async fn serve(config: &Config) {
    let mut serving = command(config, &["serve"]);
    serving.env("PANEL_LISTEN", "127.0.0.1:0");
    let mut program = Program::of(serving);
    let address = program.address().await;
    let ready = client().get(format!("{address}/readyz")).timeout(Duration::from_secs(10)).send().await;
    assert_eq!(ready.unwrap().status(), 200);
    program.end().await;
}

async fn the_commands_of_the_documentation_lead_to_the_new_version_and_back(dialect: Dialect) {
    let panel: Panel = filled(dialect).await;
    let config = closed(&panel).await;
    let before = whole(&config).await;
    assert!(before.iter().any(|(table, rows)| table == "orders" && rows.len() == 60));

    let said = succeeds(&config, &["doctor"]);
    assert!(!said.contains("BROKEN"), "{said}");
    let said = follow(&config, &commands_of(DOCUMENT, "## Before"));
    assert!(said.contains("before-upgrade: "), "{said}");

    // The new version: its `migrate` runs one more migration.
    let commands = before_serving("## Upgrading");
    let (migrate, doctor) = commands.split_once('\n').unwrap();
    assert_eq!(migrate, "panel-server migrate");
    migrate_by_next_version(&config, NEXT).await.unwrap();
    let said = follow(&config, doctor);
    assert!(said.contains("checks hold."), "{said}");
    let upgraded = whole(&config).await;
    let changed = differences(&before, &upgraded);
    for table in ["_sqlx_migrations", "next_version", "services", "users"] {
        assert!(changed.contains(&table.to_owned()), "{table} is not in {changed:?}");
    }
    // The old program does not work on it.
    let newer = open::newest_migration() + 1;
    for arguments in [&["migrate"][..], &["serve"]] {
        let output = command(&config, arguments).env("PANEL_LISTEN", "127.0.0.1:0").output().unwrap();
        let refused = errors(&output);
        let sentence = format!("the database has schema {newer}");
        assert!(!output.status.success() && refused.contains(&sentence), "{refused}");
        assert!(refused.contains("restore a backup"), "{refused}");
    }
    assert_eq!(differences(&upgraded, &whole(&config).await), [""; 0]);

    let said = follow(&config, &before_serving("## Going back"));
    assert!(said.contains("The former database is now ") && said.contains("checks hold."), "{said}");
    assert_eq!(differences(&before, &whole(&config).await), [""; 0]);
    serve(&config).await;
}

async fn a_migration_that_fails_changes_nothing(dialect: Dialect) {
    let panel = filled(dialect).await;
    let config = closed(&panel).await;
    let before = whole(&config).await;
    let failed = migrate_by_next_version(&config, &format!("{NEXT}INSERT INTO nowhere VALUES (1);\n")).await;
    assert!(failed.unwrap_err().contains("nowhere"));
    assert_eq!(differences(&before, &whole(&config).await), [""; 0]);
    succeeds(&config, &["migrate"]);
    serve(&config).await;
}

/// The version before this one has all migrations but the newest.
async fn a_backup_of_an_older_schema_is_restored_and_brought_up_to_date(dialect: Dialect) {
    let panel = filled(dialect).await;
    let config = closed(&panel).await;
    destroy(&config).await;
    let older = open::newest_migration() - 1;
    migrate_by(&config, &migrations(&config, older)).await.unwrap();
    run_sql(
        &config,
        &["INSERT INTO networks (id, name, sorting, created_at, updated_at) VALUES (7, 'From before', 1, 5, 5)"],
    )
    .await;
    let before = whole(&config).await;
    let printed = succeeds(&config, &["backup", "older"]);
    assert!(printed.contains(&format!("schema {older},")), "{printed}");
    run_sql(&config, &["UPDATE networks SET name = 'From after'"]).await;

    let printed = succeeds(&config, &["restore", "--replace", "older"]);
    assert!(printed.contains("Its schema is older than this program's"), "{printed}");
    assert_eq!(differences(&before, &whole(&config).await), [""; 0]);
    succeeds(&config, &["migrate"]);
    let printed = succeeds(&config, &["doctor"]);
    assert!(!printed.contains("BROKEN"), "{printed}");
    let rows_of = |whole: &[(String, Vec<String>)]| {
        whole.iter().find(|(table, _)| table == "networks").map(|(_, rows)| rows.clone())
    };
    assert_eq!(rows_of(&before), rows_of(&whole(&config).await));
    serve(&config).await;
}
