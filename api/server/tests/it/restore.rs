//! Restores of backups on both databases: a restore replaces all records and files, or does not change anything.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

use panel_kernel::clock::FixedClock;
use panel_kernel::random::Random;
use panel_platform::config::Config;
use panel_platform::db::{Db, DbConfig, Dialect, Sql, SqlExecutor};
use panel_server::app::App;
use panel_server::backup::create;
use panel_server::backup::manifest::BackupOrigin;
use panel_server::start::folder_lock;
use tempfile::TempDir;

use crate::backup::file_names;
use crate::panel::Panel;
use crate::program::stderr_of;
use crate::shop::insert_shop_records;

test_both_databases! {
    the_documented_restore_drill_restores_all_records_and_files;
    restoring_a_backup_restores_records_and_uploads;
    rejects_a_modified_backup;
    rejects_a_backup_with_broken_records_unless_staff_accept_them;
    a_failed_backup_does_not_leave_a_folder;
}

/// A command of `panel-server` with the database and data folder of `config`, and no other environment.
pub(crate) fn panel_command(config: &Config, arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_panel-server"));
    command.env_clear().args(arguments).stdin(Stdio::null());
    command.env("PANEL_DATA_DIR", &config.data_dir).current_dir(config.data_dir.parent().unwrap());
    if let Some(url) = &config.database_url {
        command.env("PANEL_DATABASE_URL", url);
    }
    command
}

fn run_command(config: &Config, arguments: &[&str]) -> Output {
    panel_command(config, arguments).output().unwrap()
}

#[track_caller]
pub(crate) fn run_successfully(config: &Config, arguments: &[&str]) -> String {
    let output = run_command(config, arguments);
    assert!(output.status.success(), "{arguments:?}: {}", stderr_of(&output));
    stderr_of(&output)
}

#[track_caller]
pub(crate) fn run_expecting_failure(config: &Config, arguments: &[&str]) -> String {
    let output = run_command(config, arguments);
    assert!(!output.status.success(), "{arguments:?}: {}", stderr_of(&output));
    stderr_of(&output) + &String::from_utf8_lossy(&output.stdout)
}

/// A panel with records and uploaded files. Its data folder is the folder `data` within its temporary folder.
pub(crate) async fn panel_with_records(dialect: Dialect) -> Panel {
    let panel = Panel::with_config(dialect, |config| {
        config.data_dir = config.data_dir.join("data");
        fs::create_dir(&config.data_dir).unwrap();
    })
    .await;
    insert_shop_records(&panel.app.db, 60, 60).await;
    for is_public in [true, false] {
        let file = panel.app.uploads.store_png(&panel.app.random, is_public, vec![7; 200_000]).await;
        file.unwrap();
    }
    panel
}

/// Closes the connections of the test, so that a `panel-server` command can use the database. Returns the configuration.
pub(crate) async fn close_database(panel: &Panel) -> Config {
    panel.app.db.close().await;
    panel.app.config.clone()
}

/// The names of all tables except those of full-text search.
pub(crate) async fn table_names(db: &Db) -> Vec<String> {
    let sql = match db.dialect() {
        Dialect::Sqlite => {
            "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE '%_fts%' AND name NOT LIKE 'sqlite_%'"
        }
        Dialect::Postgres => {
            "SELECT CAST(tablename AS TEXT) FROM pg_catalog.pg_tables WHERE schemaname = 'public'"
        }
    };
    let mut names: Vec<(String,)> = (&mut &*db).fetch_all(Sql::new(sql)).await.unwrap();
    names.sort();
    names.into_iter().map(|(table,)| table).collect()
}

/// The number of rows of each table, and sums of the amounts weighted by id, which detect a difference of a millionth.
async fn row_counts_and_sums(config: &Config) -> Vec<(String, i64)> {
    let db = Db::connect(&DbConfig { max_connections: 2, ..config.database() }).await.unwrap();
    let mut counts = Vec::new();
    for table in table_names(&db).await {
        let (count,) =
            (&mut &db).fetch_one(Sql::new("SELECT count(*) FROM ").push(table.clone().leak())).await.unwrap();
        counts.push((table, count));
    }
    for sum_sql in [
        "SELECT CAST(sum(amount * id) AS BIGINT) FROM ledger_entries",
        "SELECT CAST(sum(cost * id) AS BIGINT) FROM orders",
    ] {
        let (total,) = (&mut &db).fetch_one(Sql::new(sum_sql)).await.unwrap();
        counts.push((sum_sql.to_owned(), total));
    }
    db.close().await;
    counts
}

pub(crate) async fn run_sql(config: &Config, statements: &[&'static str]) {
    let db = Db::connect(&DbConfig { max_connections: 2, ..config.database() }).await.unwrap();
    for statement in statements {
        (&mut &db).execute(Sql::new(statement)).await.unwrap();
    }
    db.close().await;
}

/// Deletes the database and the uploads, to simulate a lost disk.
pub(crate) async fn delete_database_and_uploads(config: &Config) {
    match &config.database_url {
        None => {
            for name in file_names(&config.data_dir).into_iter().filter(|name| name.starts_with("panel.db")) {
                // SQLite deletes the write-ahead log when the last connection closes, which may happen at this moment.
                match fs::remove_file(config.data_dir.join(name)) {
                    Err(error) if error.kind() != std::io::ErrorKind::NotFound => panic!("{error}"),
                    _ => {}
                }
            }
        }
        Some(_) => run_sql(config, &["DROP SCHEMA public CASCADE", "CREATE SCHEMA public"]).await,
    }
    fs::remove_dir_all(config.data_dir.join("uploads")).unwrap();
}

fn read_uploads(config: &Config) -> Vec<(PathBuf, Vec<u8>)> {
    let mut files = Vec::new();
    for folder in ["public", "private"] {
        let folder = config.data_dir.join("uploads").join(folder);
        let names = file_names(&folder).into_iter();
        files.extend(names.map(|name| (folder.join(&name), fs::read(folder.join(&name)).unwrap())));
    }
    files
}

/// The commands in the first `sh` block under a heading of a page in `docs`.
pub(crate) fn documented_commands(document: &str, heading: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs").join(document);
    let text = fs::read_to_string(path).unwrap();
    let section = text.split(&format!("\n{heading}\n")).nth(1).unwrap_or_else(|| panic!("no {heading}"));
    section.split("```sh\n").nth(1).unwrap().split("```").next().unwrap().to_owned()
}

/// A shell command that runs in the folder and finds the `panel-server` under test in its `PATH`.
pub(crate) fn shell_command(folder: &Path, script: &str) -> Command {
    let mut shell = Command::new("/bin/sh");
    let program = Path::new(env!("CARGO_BIN_EXE_panel-server")).parent().unwrap();
    shell.env_clear().env("PATH", format!("{}:/usr/bin:/bin", program.display())).current_dir(folder);
    shell.arg("-ec").arg(script);
    shell
}

async fn the_documented_restore_drill_restores_all_records_and_files(dialect: Dialect) {
    let panel = panel_with_records(dialect).await;
    let config = close_database(&panel).await;
    let row_counts_before = row_counts_and_sums(&config).await;
    let parent_dir = config.data_dir.parent().unwrap();
    let (heading, drill_database) = match dialect {
        Dialect::Sqlite => ("### On SQLite", None),
        Dialect::Postgres => ("### On PostgreSQL", Some(Panel::start(dialect).await)),
    };
    let mut drill_config = Config { data_dir: parent_dir.join("drill/data"), ..Config::default() };
    let mut shell = shell_command(parent_dir, &documented_commands("backup.md", heading));
    if let Some(drill_database) = &drill_database {
        drill_config.database_url.clone_from(&close_database(drill_database).await.database_url);
        run_sql(&drill_config, &["DROP SCHEMA public CASCADE", "CREATE SCHEMA public"]).await;
        shell.env("PANEL_DATABASE_URL", config.database_url.as_ref().unwrap());
        shell.env("DRILL_DATABASE_URL", drill_config.database_url.as_ref().unwrap());
    }
    let output = shell.output().unwrap();
    assert!(output.status.success(), "{}", stderr_of(&output));
    let stdout = String::from_utf8_lossy(&output.stdout);
    assert!(stdout.contains("checks passed."), "{stdout}");
    assert_eq!(
        row_counts_and_sums(&drill_config).await,
        without_backup_time(row_counts_before, &row_counts_and_sums(&config).await)
    );
    let names_and_contents = |config: &Config| {
        read_uploads(config)
            .into_iter()
            .map(|(path, bytes)| (path.file_name().unwrap().to_owned(), bytes))
            .collect::<Vec<_>>()
    };
    assert_eq!(names_and_contents(&drill_config), names_and_contents(&config));
}

/// A backup stores its time in the settings of the source panel after the copy, so the source then has one more setting than
/// `before`. Asserts that, and returns `before`.
fn without_backup_time(before: Vec<(String, i64)>, after: &[(String, i64)]) -> Vec<(String, i64)> {
    let settings =
        |counts: &[(String, i64)]| counts.iter().find(|(name, _)| name == "settings").map(|(_, n)| *n);
    assert_eq!(settings(&before).map(|n| n + 1), settings(after));
    before
}

async fn restoring_a_backup_restores_records_and_uploads(dialect: Dialect) {
    let panel = panel_with_records(dialect).await;
    let config = panel.app.config.clone();
    let (before, files) = (row_counts_and_sums(&config).await, read_uploads(&config));
    assert_eq!(files.len(), 2);
    // The backup is encrypted, and runs while the panel is running.
    let output = run_successfully(&config, &["backup", "copy", "--encrypt"]);
    assert!(output.contains("copy: "), "{output}");
    let parent_dir = config.data_dir.parent().unwrap().to_owned();
    assert_eq!(file_names(&parent_dir), ["copy", "data"]);
    assert_eq!(fs::metadata(parent_dir.join("copy")).unwrap().permissions().mode() & 0o777, 0o700);
    for (path, bytes) in &files {
        let folder = path.parent().unwrap().file_name().unwrap();
        let encrypted_copy = parent_dir.join("copy/uploads").join(folder).join(path.file_name().unwrap());
        assert_ne!(&fs::read(encrypted_copy).unwrap(), bytes, "the file in the backup must be encrypted");
    }
    assert!(run_expecting_failure(&config, &["backup", "copy"]).contains("with this name already exists"));

    match dialect {
        Dialect::Postgres => {
            let error_output = run_expecting_failure(&config, &["restore", "copy", "--replace"]);
            assert!(error_output.contains("stop every process"), "{error_output}");
        }
        Dialect::Sqlite => {
            let lock = folder_lock::acquire(&config).unwrap();
            let error_output = run_expecting_failure(&config, &["restore", "copy", "--replace"]);
            assert!(error_output.contains("another panel-server"), "{error_output}");
            drop(lock);
        }
    }
    let config = close_database(&panel).await;
    run_sql(&config, &["DELETE FROM sessions"]).await;
    let counts_before_restore = row_counts_and_sums(&config).await;
    let error_output = run_expecting_failure(&config, &["restore", "copy"]);
    assert!(error_output.contains("--replace"), "{error_output}");
    assert_eq!(row_counts_and_sums(&config).await, counts_before_restore);

    let output = run_successfully(&config, &["restore", "copy", "--replace"]);
    assert!(output.contains("The former database is now "), "{output}");
    assert_eq!(row_counts_and_sums(&config).await, before);
    assert_eq!(former_sessions(&config, &output).await, 0, "the former database must not be changed");

    delete_database_and_uploads(&config).await;
    run_successfully(&config, &["restore", "copy"]);
    assert_eq!((row_counts_and_sums(&config).await, read_uploads(&config)), (before, files));
    run_successfully(&config, &["doctor"]);
    // The server starts on the restored database.
    let clock = FixedClock::new(panel.app.clock.now());
    let app = App::start(config.clone(), Arc::new(clock), Random::seeded(9)).await.unwrap();
    app.db.close().await;
    assert!(
        file_names(&config.data_dir).iter().all(|name| !name.contains("partial")),
        "{:?}",
        file_names(&config.data_dir)
    );
}

/// The number of sessions in the former database, whose schema or path the output of `restore` names.
async fn former_sessions(config: &Config, output: &str) -> i64 {
    let former_location = output.split("is now ").nth(1).unwrap().lines().next().unwrap();
    let (config, sql) = match former_location.strip_prefix("schema ") {
        Some(schema) => (config.database(), format!("SELECT count(*) FROM {schema}.sessions")),
        None => (
            DbConfig { path: former_location.into(), ..config.database() },
            "SELECT count(*) FROM sessions".to_owned(),
        ),
    };
    let db = Db::connect(&config).await.unwrap();
    let (count,) = (&mut &db).fetch_one(Sql::new(sql.leak())).await.unwrap();
    db.close().await;
    count
}

async fn rejects_a_modified_backup(dialect: Dialect) {
    let panel = panel_with_records(dialect).await;
    let config = close_database(&panel).await;
    run_successfully(&config, &["backup", "copy"]);
    run_successfully(&config, &["restore", "--check", "copy"]);
    let parent_dir = config.data_dir.parent().unwrap();
    let row_counts_before = row_counts_and_sums(&config).await;
    let name = match dialect {
        Dialect::Sqlite => "copy/database.sqlite",
        Dialect::Postgres => "copy/database.pgdump",
    };
    let original = fs::read(parent_dir.join(name)).unwrap();
    let mut changed = original.clone();
    changed[original.len() / 2] ^= 1;
    for damaged_bytes in [&changed[..], &original[..original.len() - 1]] {
        fs::write(parent_dir.join(name), damaged_bytes).unwrap();
        for arguments in [&["restore", "copy", "--replace"][..], &["restore", "--check", "copy"]] {
            let error_output = run_expecting_failure(&config, arguments);
            assert!(error_output.contains("was changed"), "{error_output}");
        }
    }
    fs::write(parent_dir.join(name), original).unwrap();
    fs::rename(parent_dir.join("copy/manifest.json"), parent_dir.join("manifest.json")).unwrap();
    assert!(
        run_expecting_failure(&config, &["restore", "copy", "--replace"]).contains("not a complete backup")
    );
    fs::rename(parent_dir.join("manifest.json"), parent_dir.join("copy/manifest.json")).unwrap();

    let secret_key = fs::read(config.data_dir.join("secret.key")).unwrap();
    fs::write(config.data_dir.join("secret.key"), "ab".repeat(32)).unwrap();
    assert!(run_expecting_failure(&config, &["restore", "copy", "--replace"]).contains("another key"));
    // After a key rotation, the former key still decrypts the backup.
    let former_keys = format!("[\"{}\"]", String::from_utf8_lossy(&secret_key).trim());
    let check_output = panel_command(&config, &["restore", "--check", "copy"])
        .env("PANEL_FORMER_SECRET_KEYS", former_keys)
        .output()
        .unwrap();
    assert!(check_output.status.success(), "{}", stderr_of(&check_output));
    fs::write(config.data_dir.join("secret.key"), secret_key).unwrap();

    let other_database_url = match dialect {
        Dialect::Sqlite => Some("postgres://panel@127.0.0.1:1/none".to_owned()),
        Dialect::Postgres => None,
    };
    let other_dialect = Config { database_url: other_database_url, ..config.clone() };
    let error_output = run_expecting_failure(&other_dialect, &["restore", "copy"]);
    assert!(error_output.contains("this is a backup of "), "{error_output}");
    assert_eq!(row_counts_and_sums(&config).await, row_counts_before);
}

async fn rejects_a_backup_with_broken_records_unless_staff_accept_them(dialect: Dialect) {
    let panel = panel_with_records(dialect).await;
    panel.execute(Sql::new("UPDATE users SET balance_main = balance_main + 1 WHERE id = 4")).await;
    let config = close_database(&panel).await;
    run_successfully(&config, &["backup", "copy"]);
    run_sql(
        &config,
        &["UPDATE users SET balance_main = balance_main - 1 WHERE id = 4", "DELETE FROM sessions"],
    )
    .await;
    let row_counts_before = row_counts_and_sums(&config).await;
    let error_output = run_expecting_failure(&config, &["restore", "copy", "--replace"]);
    assert!(
        error_output.contains("FAILED  balances_match_ledger") && error_output.contains("was not restored"),
        "{error_output}"
    );
    assert_eq!(row_counts_and_sums(&config).await, row_counts_before, "the database must not be replaced");
    run_successfully(&config, &["doctor"]);

    let accepted_output =
        run_expecting_failure(&config, &["restore", "copy", "--replace", "--accept-findings"]);
    assert!(
        accepted_output.contains("FAILED  balances_match_ledger")
            && accepted_output.contains("Restored the backup"),
        "{accepted_output}"
    );
    assert_ne!(row_counts_and_sums(&config).await, row_counts_before);
    assert!(run_expecting_failure(&config, &["doctor"]).contains("FAILED  balances_match_ledger"));
}

/// A folder with fake versions of `pg_dump`, `pg_restore` and `psql`, which write the header of a dump and then run `script_end`.
fn create_fake_postgres_tools(script_end: &str) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    for tool in ["pg_dump", "pg_restore", "psql"] {
        let script = format!(
            "#!/bin/sh\ncase $1 in --version) echo 'pg_dump (PostgreSQL) 99.1';; *) echo PGDMP; {script_end};; esac\n"
        );
        // A shell writes the file: Linux does not execute a file that is open for writing, and a child process that another test
        // starts at the same moment would inherit the open file.
        let mut shell = Command::new("/bin/sh");
        shell.args(["-ec", "printf %s \"$2\" >\"$1\"; chmod 755 \"$1\"", "sh"]);
        assert!(shell.arg(folder.path().join(tool)).arg(script).status().unwrap().success());
    }
    folder
}

/// An interrupted backup leaves neither a partial folder nor a running `pg_dump`.
#[tokio::test]
async fn an_interrupted_backup_does_not_leave_a_folder() {
    let fake_tools = create_fake_postgres_tools("echo $$ >\"$(dirname \"$0\")/pid\"; exec sleep 1000");
    let panel = Panel::with_config(Dialect::Postgres, |config| {
        config.backup.postgres_tools = Some(fake_tools.path().to_owned());
    })
    .await;
    let (app, backup_path) = (&panel.app, panel.app.config.data_dir.join("backups/copy"));
    fs::create_dir(backup_path.parent().unwrap()).unwrap();
    let plan = create::BackupPlan {
        config: &app.config,
        db: &app.db,
        secrets: &app.secrets,
        random: &app.random,
        target: &backup_path,
        origin: BackupOrigin::Schedule,
        encrypt: true,
        now: app.clock.now(),
    };
    let pid_path = fake_tools.path().join("pid");
    let wait_for_pg_dump = async {
        while fs::read_to_string(&pid_path).map_or(true, |pid| !pid.ends_with('\n')) {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    };
    tokio::select! {
        created = create::create(&plan) => panic!("{created:?}"),
        () = wait_for_pg_dump => {}
    }
    assert_eq!(file_names(backup_path.parent().unwrap()), [""; 0]);
    let command_line_path =
        Path::new("/proc").join(fs::read_to_string(&pid_path).unwrap().trim()).join("cmdline");
    let waiting_since = Instant::now();
    // The command line of a killed process is empty until the parent process collects its exit status.
    while fs::read_to_string(&command_line_path).is_ok_and(|line| line.contains("sleep")) {
        assert!(waiting_since.elapsed() < Duration::from_secs(10), "pg_dump is still running");
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}

async fn a_failed_backup_does_not_leave_a_folder(dialect: Dialect) {
    let panel = panel_with_records(dialect).await;
    let config = close_database(&panel).await;
    let parent_dir = config.data_dir.parent().unwrap();
    let mut expected_error = "no more room";
    let fake_tools = create_fake_postgres_tools("echo 'no more room' >&2; exit 1");
    if dialect == Dialect::Sqlite {
        expected_error = "malformed";
        let database_path = config.data_dir.join("panel.db");
        let mut bytes = fs::read(&database_path).unwrap();
        let (start, end) = (bytes.len() * 2 / 5, bytes.len() * 3 / 5);
        bytes[start..end].fill(0xff);
        fs::write(&database_path, bytes).unwrap();
    }
    for extra_arguments in [&[][..], &["--encrypt"]] {
        let output = panel_command(&config, &["backup", "copy"])
            .args(extra_arguments)
            .env("PANEL_BACKUP__POSTGRES_TOOLS", fake_tools.path())
            .output()
            .unwrap();
        let stderr = stderr_of(&output);
        assert!(!output.status.success() && stderr.contains(expected_error), "{stderr}");
        assert_eq!(file_names(parent_dir), ["data"]);
        assert!(file_names(&config.data_dir).iter().all(|name| !name.contains("partial")));
    }
    if dialect == Dialect::Postgres {
        let output = panel_command(&config, &["backup", "copy"])
            .env("PANEL_BACKUP__POSTGRES_TOOLS", parent_dir)
            .output()
            .unwrap();
        assert!(stderr_of(&output).contains("backup.postgres_tools"), "{}", stderr_of(&output));
    }
}
