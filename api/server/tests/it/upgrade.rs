//! Upgrade and rollback with the commands of docs/upgrade.md. The tested program is the old version; the new version has the same
//! migrations and one more.

use std::fs;
use std::path::Path;
use std::time::Duration;

use panel_platform::config::Config;
use panel_platform::db::{Db, DbConfig, Dialect, open};
use sqlx::migrate::Migrator;
use tempfile::TempDir;

use crate::panel::Panel;
use crate::personal_data::fetch_rows_as_text;
use crate::program::{ServerProcess, stderr_of};
use crate::restore::{
    close_database, delete_database_and_uploads, documented_commands, panel_command, panel_with_records,
    run_sql, run_successfully, shell_command, table_names,
};
use crate::test_server::client;

test_both_databases! {
    the_documented_commands_upgrade_and_roll_back;
    a_failed_migration_changes_nothing;
    a_backup_of_an_older_schema_is_restored_and_migrated;
}

const DOCUMENT: &str = "upgrade.md";
/// The additional migration of the new version.
const NEXT_MIGRATION: &str = "CREATE TABLE next_version (id BIGINT NOT NULL PRIMARY KEY, user_id BIGINT NOT NULL REFERENCES users (id));
INSERT INTO next_version (id, user_id) SELECT id, id FROM users;
ALTER TABLE services ADD COLUMN next_version_note TEXT;
UPDATE users SET name = 'Renamed by the next version';
";

async fn connect(config: &Config) -> Db {
    Db::connect(&DbConfig { max_connections: 2, ..config.database() }).await.unwrap()
}

/// Every row of every table, as texts.
async fn all_rows(config: &Config) -> Vec<(String, Vec<String>)> {
    let db = connect(config).await;
    let mut all_rows = Vec::new();
    for table in table_names(&db).await {
        let mut rows = fetch_rows_as_text(&db, table.clone().leak()).await;
        rows.sort();
        all_rows.push((table, rows));
    }
    db.close().await;
    all_rows
}

fn different_tables(left: &[(String, Vec<String>)], right: &[(String, Vec<String>)]) -> Vec<String> {
    let missing = |tables: &[(String, Vec<String>)], others: &[(String, Vec<String>)]| -> Vec<String> {
        tables.iter().filter(|table| !others.contains(table)).map(|(name, _)| name.clone()).collect()
    };
    let mut names = [missing(left, right), missing(right, left)].concat();
    names.sort();
    names.dedup();
    names
}

/// Copies this version's migrations up to a number into a temporary folder.
fn copy_migrations(config: &Config, last: i64) -> TempDir {
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

async fn migrate_with(config: &Config, migrations: &TempDir) -> Result<(), String> {
    let db = connect(config).await;
    let migrator = Migrator::new(migrations.path()).await.unwrap();
    let result = match &db {
        Db::Sqlite { write, .. } => migrator.run(write).await,
        Db::Postgres { write, .. } => migrator.run(write).await,
    };
    db.close().await;
    result.map_err(|error| error.to_string())
}

/// Migrates as the new version does: with the migrations of this version and `sql`.
async fn migrate_to_next_version(config: &Config, sql: &str) -> Result<(), String> {
    let newest = open::newest_migration();
    let migrations = copy_migrations(config, newest);
    fs::write(migrations.path().join(format!("{:04}_next_version.sql", newest + 1)), sql).unwrap();
    migrate_with(config, &migrations).await
}

/// Runs documented commands in the parent folder of the data directory, with backups below it. Returns their output.
fn run_documented(config: &Config, commands: &str) -> String {
    let home = config.data_dir.parent().unwrap();
    let backups = home.join("backups");
    fs::create_dir_all(&backups).unwrap();
    let mut shell = shell_command(home, &commands.replace("/var/backups/panel", backups.to_str().unwrap()));
    if let Some(url) = &config.database_url {
        shell.env("PANEL_DATABASE_URL", url);
    }
    let output = shell.output().unwrap();
    assert!(output.status.success(), "{commands}: {}", stderr_of(&output));
    stderr_of(&output) + &String::from_utf8_lossy(&output.stdout)
}

/// The commands of a section without the final `panel-server serve`.
fn commands_before_serve(heading: &str) -> String {
    let commands = documented_commands(DOCUMENT, heading);
    commands.strip_suffix("panel-server serve\n").unwrap_or_else(|| panic!("{commands}")).to_owned()
}

/// Starts the program, waits until it is ready, and stops it.
async fn assert_serves(config: &Config) {
    let mut serve_command = panel_command(config, &["serve"]);
    serve_command.env("PANEL_LISTEN", "127.0.0.1:0");
    let mut program = ServerProcess::from_command(serve_command);
    let address = program.address().await;
    let ready = client().get(format!("{address}/readyz")).timeout(Duration::from_secs(10)).send().await;
    assert_eq!(ready.unwrap().status(), 200);
    program.stop().await;
}

async fn the_documented_commands_upgrade_and_roll_back(dialect: Dialect) {
    let panel: Panel = panel_with_records(dialect).await;
    let config = close_database(&panel).await;
    let before = all_rows(&config).await;
    assert!(before.iter().any(|(table, rows)| table == "orders" && rows.len() == 60));

    let output = run_successfully(&config, &["doctor"]);
    assert!(!output.contains("FAILED"), "{output}");
    let output = run_documented(&config, &documented_commands(DOCUMENT, "## Before"));
    assert!(output.contains("before-upgrade: "), "{output}");

    // The new version: its `migrate` runs one more migration.
    let commands = commands_before_serve("## Upgrading");
    let (migrate, doctor) = commands.split_once('\n').unwrap();
    assert_eq!(migrate, "panel-server migrate");
    migrate_to_next_version(&config, NEXT_MIGRATION).await.unwrap();
    let output = run_documented(&config, doctor);
    assert!(output.contains("checks passed."), "{output}");
    let upgraded = all_rows(&config).await;
    let changed = different_tables(&before, &upgraded);
    for table in ["_sqlx_migrations", "next_version", "services", "users"] {
        assert!(changed.contains(&table.to_owned()), "{table} is not in {changed:?}");
    }
    // The old version rejects the migrated database.
    let newer = open::newest_migration() + 1;
    for arguments in [&["migrate"][..], &["serve"]] {
        let output = panel_command(&config, arguments).env("PANEL_LISTEN", "127.0.0.1:0").output().unwrap();
        let rejection = stderr_of(&output);
        let message = format!("the database has schema {newer}");
        assert!(!output.status.success() && rejection.contains(&message), "{rejection}");
        assert!(rejection.contains("restore a backup"), "{rejection}");
    }
    assert_eq!(different_tables(&upgraded, &all_rows(&config).await), [""; 0]);

    let output = run_documented(&config, &commands_before_serve("## Going back"));
    assert!(output.contains("The former database is now ") && output.contains("checks passed."), "{output}");
    assert_eq!(different_tables(&before, &all_rows(&config).await), [""; 0]);
    assert_serves(&config).await;
}

async fn a_failed_migration_changes_nothing(dialect: Dialect) {
    let panel = panel_with_records(dialect).await;
    let config = close_database(&panel).await;
    let before = all_rows(&config).await;
    let result =
        migrate_to_next_version(&config, &format!("{NEXT_MIGRATION}INSERT INTO nowhere VALUES (1);\n")).await;
    assert!(result.unwrap_err().contains("nowhere"));
    assert_eq!(different_tables(&before, &all_rows(&config).await), [""; 0]);
    run_successfully(&config, &["migrate"]);
    assert_serves(&config).await;
}

/// The version before this one has all migrations but the newest.
async fn a_backup_of_an_older_schema_is_restored_and_migrated(dialect: Dialect) {
    let panel = panel_with_records(dialect).await;
    let config = close_database(&panel).await;
    delete_database_and_uploads(&config).await;
    let older = open::newest_migration() - 1;
    migrate_with(&config, &copy_migrations(&config, older)).await.unwrap();
    run_sql(
        &config,
        &["INSERT INTO networks (id, name, sorting, created_at, updated_at) VALUES (7, 'From before', 1, 5, 5)"],
    )
    .await;
    let before = all_rows(&config).await;
    let output = run_successfully(&config, &["backup", "older"]);
    assert!(output.contains(&format!("schema {older},")), "{output}");
    run_sql(&config, &["UPDATE networks SET name = 'From after'"]).await;

    let output = run_successfully(&config, &["restore", "--replace", "older"]);
    assert!(output.contains("The restored database has an older schema"), "{output}");
    assert_eq!(different_tables(&before, &all_rows(&config).await), [""; 0]);
    run_successfully(&config, &["migrate"]);
    let output = run_successfully(&config, &["doctor"]);
    assert!(!output.contains("FAILED"), "{output}");
    let network_rows = |all_rows: &[(String, Vec<String>)]| {
        all_rows.iter().find(|(table, _)| table == "networks").map(|(_, rows)| rows.clone())
    };
    assert_eq!(network_rows(&before), network_rows(&all_rows(&config).await));
    assert_serves(&config).await;
}
