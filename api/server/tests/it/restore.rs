//! Restoring backups, on both databases: either every record and file is restored, or the panel stays as it is.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

use panel_kernel::clock::FixedClock;
use panel_kernel::random::Random;
use panel_platform::config::Config;
use panel_platform::db::{Db, DbConfig, Dialect, Source, Sql};
use panel_server::app::App;
use panel_server::backup::create;
use panel_server::backup::manifest::BackupOrigin;
use panel_server::start::folder_lock;
use tempfile::TempDir;

use crate::backup::file_names;
use crate::panel::Panel;
use crate::program::stderr_of;
use crate::shop::fill;

both! {
    the_documented_restore_drill_restores_everything;
    restoring_a_backup_restores_records_and_uploads;
    refuses_a_backup_that_was_changed;
    refuses_a_backup_with_findings_unless_they_are_accepted;
    a_failed_backup_leaves_no_folder;
}

/// A command of `panel-server` with the database and data folder of `config`, and no other environment.
pub(crate) fn command(config: &Config, arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_panel-server"));
    command.env_clear().args(arguments).stdin(Stdio::null());
    command.env("PANEL_DATA_DIR", &config.data_dir).current_dir(config.data_dir.parent().unwrap());
    if let Some(url) = &config.database_url {
        command.env("PANEL_DATABASE_URL", url);
    }
    command
}

fn run(config: &Config, arguments: &[&str]) -> Output {
    command(config, arguments).output().unwrap()
}

#[track_caller]
pub(crate) fn run_successfully(config: &Config, arguments: &[&str]) -> String {
    let output = run(config, arguments);
    assert!(output.status.success(), "{arguments:?}: {}", stderr_of(&output));
    stderr_of(&output)
}

#[track_caller]
pub(crate) fn run_expecting_failure(config: &Config, arguments: &[&str]) -> String {
    let output = run(config, arguments);
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
    fill(&panel.app.db, 60, 60).await;
    for is_public in [true, false] {
        let file = panel.app.uploads.store_png(&panel.app.random, is_public, vec![7; 200_000]).await;
        file.unwrap();
    }
    panel
}

/// Closes the test's connections, so that a `panel-server` command can work on the database, and returns the configuration.
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

/// The number of rows of every table, and weighted sums of the amounts, which must not differ by a millionth.
async fn row_counts_and_sums(config: &Config) -> Vec<(String, i64)> {
    let db = Db::connect(&DbConfig { max_connections: 2, ..config.database() }).await.unwrap();
    let mut counts = Vec::new();
    for table in table_names(&db).await {
        let (count,) =
            (&mut &db).fetch_one(Sql::new("SELECT count(*) FROM ").push(table.clone().leak())).await.unwrap();
        counts.push((table, count));
    }
    for sum in [
        "SELECT CAST(sum(amount * id) AS BIGINT) FROM ledger_entries",
        "SELECT CAST(sum(cost * id) AS BIGINT) FROM orders",
    ] {
        let (total,) = (&mut &db).fetch_one(Sql::new(sum)).await.unwrap();
        counts.push((sum.to_owned(), total));
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

/// Deletes the database and the uploads, as the loss of a disk would.
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

fn uploads(config: &Config) -> Vec<(PathBuf, Vec<u8>)> {
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

/// A shell in the folder, with the `panel-server` under test in its `PATH`.
pub(crate) fn shell(folder: &Path, script: &str) -> Command {
    let mut shell = Command::new("/bin/sh");
    let program = Path::new(env!("CARGO_BIN_EXE_panel-server")).parent().unwrap();
    shell.env_clear().env("PATH", format!("{}:/usr/bin:/bin", program.display())).current_dir(folder);
    shell.arg("-ec").arg(script);
    shell
}

async fn the_documented_restore_drill_restores_everything(dialect: Dialect) {
    let panel = panel_with_records(dialect).await;
    let config = close_database(&panel).await;
    let before = row_counts_and_sums(&config).await;
    let home = config.data_dir.parent().unwrap();
    let (heading, drill_database) = match dialect {
        Dialect::Sqlite => ("### On SQLite", None),
        Dialect::Postgres => ("### On PostgreSQL", Some(Panel::on(dialect).await)),
    };
    let mut copy = Config { data_dir: home.join("drill/data"), ..Config::default() };
    let mut shell = shell(home, &documented_commands("backup.md", heading));
    if let Some(drill_database) = &drill_database {
        copy.database_url.clone_from(&close_database(drill_database).await.database_url);
        run_sql(&copy, &["DROP SCHEMA public CASCADE", "CREATE SCHEMA public"]).await;
        shell.env("PANEL_DATABASE_URL", config.database_url.as_ref().unwrap());
        shell.env("DRILL_DATABASE_URL", copy.database_url.as_ref().unwrap());
    }
    let output = shell.output().unwrap();
    assert!(output.status.success(), "{}", stderr_of(&output));
    let stdout = String::from_utf8_lossy(&output.stdout);
    assert!(stdout.contains("checks hold."), "{stdout}");
    assert_eq!(
        row_counts_and_sums(&copy).await,
        without_backup_time(before, &row_counts_and_sums(&config).await)
    );
    let names_of = |config: &Config| {
        uploads(config)
            .into_iter()
            .map(|(path, bytes)| (path.file_name().unwrap().to_owned(), bytes))
            .collect::<Vec<_>>()
    };
    assert_eq!(names_of(&copy), names_of(&config));
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
    let (before, files) = (row_counts_and_sums(&config).await, uploads(&config));
    assert_eq!(files.len(), 2);
    // The backup runs while the panel is running, and it is encrypted.
    let output = run_successfully(&config, &["backup", "copy", "--encrypt"]);
    assert!(output.contains("copy: "), "{output}");
    let home = config.data_dir.parent().unwrap().to_owned();
    assert_eq!(file_names(&home), ["copy", "data"]);
    assert_eq!(fs::metadata(home.join("copy")).unwrap().permissions().mode() & 0o777, 0o700);
    for (path, bytes) in &files {
        let folder = path.parent().unwrap().file_name().unwrap();
        let copied = home.join("copy/uploads").join(folder).join(path.file_name().unwrap());
        assert_ne!(&fs::read(copied).unwrap(), bytes, "the copy is encrypted");
    }
    assert!(run_expecting_failure(&config, &["backup", "copy"]).contains("with this name already exists"));

    match dialect {
        Dialect::Postgres => {
            let refused = run_expecting_failure(&config, &["restore", "copy", "--replace"]);
            assert!(refused.contains("stop every process"), "{refused}");
        }
        Dialect::Sqlite => {
            let lock = folder_lock::acquire(&config).unwrap();
            let refused = run_expecting_failure(&config, &["restore", "copy", "--replace"]);
            assert!(refused.contains("another panel-server"), "{refused}");
            drop(lock);
        }
    }
    let config = close_database(&panel).await;
    run_sql(&config, &["DELETE FROM sessions"]).await;
    let changed = row_counts_and_sums(&config).await;
    let refused = run_expecting_failure(&config, &["restore", "copy"]);
    assert!(refused.contains("--replace"), "{refused}");
    assert_eq!(row_counts_and_sums(&config).await, changed);

    let output = run_successfully(&config, &["restore", "copy", "--replace"]);
    assert!(output.contains("The former database is now "), "{output}");
    assert_eq!(row_counts_and_sums(&config).await, before);
    assert_eq!(former_sessions(&config, &output).await, 0, "the former database was moved unchanged");

    delete_database_and_uploads(&config).await;
    run_successfully(&config, &["restore", "copy"]);
    assert_eq!((row_counts_and_sums(&config).await, uploads(&config)), (before, files));
    run_successfully(&config, &["doctor"]);
    // The server starts on the restored database.
    let clock = FixedClock::at(panel.app.clock.now());
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
    let location = output.split("is now ").nth(1).unwrap().lines().next().unwrap();
    let (config, sql) = match location.strip_prefix("schema ") {
        Some(schema) => (config.database(), format!("SELECT count(*) FROM {schema}.sessions")),
        None => (
            DbConfig { path: location.into(), ..config.database() },
            "SELECT count(*) FROM sessions".to_owned(),
        ),
    };
    let db = Db::connect(&config).await.unwrap();
    let (count,) = (&mut &db).fetch_one(Sql::new(sql.leak())).await.unwrap();
    db.close().await;
    count
}

async fn refuses_a_backup_that_was_changed(dialect: Dialect) {
    let panel = panel_with_records(dialect).await;
    let config = close_database(&panel).await;
    run_successfully(&config, &["backup", "copy"]);
    run_successfully(&config, &["restore", "--check", "copy"]);
    let home = config.data_dir.parent().unwrap();
    let before = row_counts_and_sums(&config).await;
    let name = match dialect {
        Dialect::Sqlite => "copy/database.sqlite",
        Dialect::Postgres => "copy/database.pgdump",
    };
    let original = fs::read(home.join(name)).unwrap();
    let mut changed = original.clone();
    changed[original.len() / 2] ^= 1;
    for damaged in [&changed[..], &original[..original.len() - 1]] {
        fs::write(home.join(name), damaged).unwrap();
        for arguments in [&["restore", "copy", "--replace"][..], &["restore", "--check", "copy"]] {
            let refused = run_expecting_failure(&config, arguments);
            assert!(refused.contains("was changed"), "{refused}");
        }
    }
    fs::write(home.join(name), original).unwrap();
    fs::rename(home.join("copy/manifest.json"), home.join("manifest.json")).unwrap();
    assert!(run_expecting_failure(&config, &["restore", "copy", "--replace"]).contains("no complete backup"));
    fs::rename(home.join("manifest.json"), home.join("copy/manifest.json")).unwrap();

    let key = fs::read(config.data_dir.join("secret.key")).unwrap();
    fs::write(config.data_dir.join("secret.key"), "ab".repeat(32)).unwrap();
    assert!(run_expecting_failure(&config, &["restore", "copy", "--replace"]).contains("another key"));
    // After a key rotation, the former key still opens the backup.
    let former = format!("[\"{}\"]", String::from_utf8_lossy(&key).trim());
    let checked = command(&config, &["restore", "--check", "copy"])
        .env("PANEL_FORMER_SECRET_KEYS", former)
        .output()
        .unwrap();
    assert!(checked.status.success(), "{}", stderr_of(&checked));
    fs::write(config.data_dir.join("secret.key"), key).unwrap();

    let other_database_url = match dialect {
        Dialect::Sqlite => Some("postgres://panel@127.0.0.1:1/none".to_owned()),
        Dialect::Postgres => None,
    };
    let other_dialect = Config { database_url: other_database_url, ..config.clone() };
    let refused = run_expecting_failure(&other_dialect, &["restore", "copy"]);
    assert!(refused.contains("this is a backup of "), "{refused}");
    assert_eq!(row_counts_and_sums(&config).await, before);
}

async fn refuses_a_backup_with_findings_unless_they_are_accepted(dialect: Dialect) {
    let panel = panel_with_records(dialect).await;
    panel.execute(Sql::new("UPDATE users SET balance_main = balance_main + 1 WHERE id = 4")).await;
    let config = close_database(&panel).await;
    run_successfully(&config, &["backup", "copy"]);
    run_sql(
        &config,
        &["UPDATE users SET balance_main = balance_main - 1 WHERE id = 4", "DELETE FROM sessions"],
    )
    .await;
    let before = row_counts_and_sums(&config).await;
    let refused = run_expecting_failure(&config, &["restore", "copy", "--replace"]);
    assert!(refused.contains("BROKEN  balances_kept") && refused.contains("was not restored"), "{refused}");
    assert_eq!(row_counts_and_sums(&config).await, before, "the database was not replaced");
    run_successfully(&config, &["doctor"]);

    let accepted = run_expecting_failure(&config, &["restore", "copy", "--replace", "--accept-findings"]);
    assert!(
        accepted.contains("BROKEN  balances_kept") && accepted.contains("Restored the backup"),
        "{accepted}"
    );
    assert_ne!(row_counts_and_sums(&config).await, before);
    assert!(run_expecting_failure(&config, &["doctor"]).contains("BROKEN  balances_kept"));
}

/// A folder with fake `pg_dump`, `pg_restore` and `psql`, which write the header of a dump and then run `script_end`.
fn fake_tools(script_end: &str) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    for tool in ["pg_dump", "pg_restore", "psql"] {
        let script = format!(
            "#!/bin/sh\ncase $1 in --version) echo 'pg_dump (PostgreSQL) 99.1';; *) echo PGDMP; {script_end};; esac\n"
        );
        // A separate process writes the file: a file that is open for writing cannot be executed, and a child process that
        // another test starts at the same moment would inherit the open file.
        let mut shell = Command::new("/bin/sh");
        shell.args(["-ec", "printf %s \"$2\" >\"$1\"; chmod 755 \"$1\"", "sh"]);
        assert!(shell.arg(folder.path().join(tool)).arg(script).status().unwrap().success());
    }
    folder
}

/// A backup that is interrupted leaves neither a partial folder nor a running `pg_dump`.
#[tokio::test]
async fn an_interrupted_backup_leaves_no_folder() {
    let tools = fake_tools("echo $$ >\"$(dirname \"$0\")/pid\"; exec sleep 1000");
    let panel = Panel::with_config(Dialect::Postgres, |config| {
        config.backup.postgres_tools = Some(tools.path().to_owned());
    })
    .await;
    let (app, target) = (&panel.app, panel.app.config.data_dir.join("backups/copy"));
    fs::create_dir(target.parent().unwrap()).unwrap();
    let plan = create::BackupPlan {
        config: &app.config,
        db: &app.db,
        secrets: &app.secrets,
        random: &app.random,
        target: &target,
        made_by: BackupOrigin::Schedule,
        encrypt: true,
        now: app.clock.now(),
    };
    let pid = tools.path().join("pid");
    let started = async {
        while fs::read_to_string(&pid).map_or(true, |pid| !pid.ends_with('\n')) {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    };
    tokio::select! {
        created = create::create(&plan) => panic!("{created:?}"),
        () = started => {}
    }
    assert_eq!(file_names(target.parent().unwrap()), [""; 0]);
    let process = Path::new("/proc").join(fs::read_to_string(&pid).unwrap().trim()).join("cmdline");
    let waiting_since = Instant::now();
    // A killed process has an empty command line until it is reaped.
    while fs::read_to_string(&process).is_ok_and(|line| line.contains("sleep")) {
        assert!(waiting_since.elapsed() < Duration::from_secs(10), "pg_dump still runs");
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}

async fn a_failed_backup_leaves_no_folder(dialect: Dialect) {
    let panel = panel_with_records(dialect).await;
    let config = close_database(&panel).await;
    let home = config.data_dir.parent().unwrap();
    let mut expected_error = "no more room";
    let tools = fake_tools("echo 'no more room' >&2; exit 1");
    if dialect == Dialect::Sqlite {
        expected_error = "malformed";
        let file = config.data_dir.join("panel.db");
        let mut bytes = fs::read(&file).unwrap();
        let (from, to) = (bytes.len() * 2 / 5, bytes.len() * 3 / 5);
        bytes[from..to].fill(0xff);
        fs::write(&file, bytes).unwrap();
    }
    for extra_arguments in [&[][..], &["--encrypt"]] {
        let output = command(&config, &["backup", "copy"])
            .args(extra_arguments)
            .env("PANEL_BACKUP__POSTGRES_TOOLS", tools.path())
            .output()
            .unwrap();
        let stderr = stderr_of(&output);
        assert!(!output.status.success() && stderr.contains(expected_error), "{stderr}");
        assert_eq!(file_names(home), ["data"]);
        assert!(file_names(&config.data_dir).iter().all(|name| !name.contains("partial")));
    }
    if dialect == Dialect::Postgres {
        let output =
            command(&config, &["backup", "copy"]).env("PANEL_BACKUP__POSTGRES_TOOLS", home).output().unwrap();
        assert!(stderr_of(&output).contains("backup.postgres_tools"), "{}", stderr_of(&output));
    }
}
