//! Restoration: what was backed up comes back whole, on both databases, or nothing changes.

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

use crate::backup::names;
use crate::panel::Panel;
use crate::program::errors;
use crate::shop::fill;

both! {
    the_drill_of_the_documentation_restores_everything;
    a_restored_panel_is_as_it_was;
    a_changed_backup_is_refused;
    findings_keep_a_backup_out_of_place;
    a_failed_backup_leaves_no_folder;
}

/// The program on this panel's configuration and nothing else.
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
pub(crate) fn succeeds(config: &Config, arguments: &[&str]) -> String {
    let output = run(config, arguments);
    assert!(output.status.success(), "{arguments:?}: {}", errors(&output));
    errors(&output)
}

#[track_caller]
pub(crate) fn fails(config: &Config, arguments: &[&str]) -> String {
    let output = run(config, arguments);
    assert!(!output.status.success(), "{arguments:?}: {}", errors(&output));
    errors(&output) + &String::from_utf8_lossy(&output.stdout)
}

/// A panel with records and uploaded files, whose data folder is `data` in a folder of its own.
pub(crate) async fn filled(dialect: Dialect) -> Panel {
    let panel = Panel::with(dialect, |config| {
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

/// What the program is given, once the test itself is not connected any more.
pub(crate) async fn closed(panel: &Panel) -> Config {
    panel.app.db.close().await;
    panel.app.config.clone()
}

/// Names of all tables but those of searches.
pub(crate) async fn tables(db: &Db) -> Vec<String> {
    let tables = match db.dialect() {
        Dialect::Sqlite => {
            "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE '%_fts%' AND name NOT LIKE 'sqlite_%'"
        }
        Dialect::Postgres => {
            "SELECT CAST(tablename AS TEXT) FROM pg_catalog.pg_tables WHERE schemaname = 'public'"
        }
    };
    let mut tables: Vec<(String,)> = (&mut &*db).all(Sql::new(tables)).await.unwrap();
    tables.sort();
    tables.into_iter().map(|(table,)| table).collect()
}

/// Rows of every table, and the sums of what must not differ by a millionth.
async fn contents(config: &Config) -> Vec<(String, i64)> {
    let db = Db::connect(&DbConfig { max_connections: 2, ..config.database() }).await.unwrap();
    let mut counts = Vec::new();
    for table in tables(&db).await {
        // Each backup notes its time in the settings.
        let (count,) =
            (&mut &db).one(Sql::new("SELECT count(*) FROM ").push(table.clone().leak())).await.unwrap();
        counts.push((table, count));
    }
    for sum in [
        "SELECT CAST(sum(amount * id) AS BIGINT) FROM ledger_entries",
        "SELECT CAST(sum(cost * id) AS BIGINT) FROM orders",
    ] {
        let (sum_of,) = (&mut &db).one(Sql::new(sum)).await.unwrap();
        counts.push((sum.to_owned(), sum_of));
    }
    db.close().await;
    counts
}

pub(crate) async fn run_sql(config: &Config, statements: &[&'static str]) {
    let db = Db::connect(&DbConfig { max_connections: 2, ..config.database() }).await.unwrap();
    for statement in statements {
        (&mut &db).exec(Sql::new(statement)).await.unwrap();
    }
    db.close().await;
}

/// The database is gone, as after the loss of a disk.
pub(crate) async fn destroy(config: &Config) {
    match &config.database_url {
        None => {
            for name in names(&config.data_dir).into_iter().filter(|name| name.starts_with("panel.db")) {
                // The log goes with the last connection, which may close meanwhile.
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
        let at = config.data_dir.join("uploads").join(folder);
        files.extend(names(&at).into_iter().map(|name| (at.join(&name), fs::read(at.join(&name)).unwrap())));
    }
    files
}

/// The shell commands of a part of the documentation: its first block of them.
pub(crate) fn commands_of(document: &str, heading: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs").join(document);
    let text = fs::read_to_string(path).unwrap();
    let part = text.split(&format!("\n{heading}\n")).nth(1).unwrap_or_else(|| panic!("no {heading}"));
    part.split("```sh\n").nth(1).unwrap().split("```").next().unwrap().to_owned()
}

/// A shell in a folder, to which the program is `panel-server`.
pub(crate) fn shell(folder: &Path, script: &str) -> Command {
    let mut shell = Command::new("/bin/sh");
    let program = Path::new(env!("CARGO_BIN_EXE_panel-server")).parent().unwrap();
    shell.env_clear().env("PATH", format!("{}:/usr/bin:/bin", program.display())).current_dir(folder);
    shell.arg("-ec").arg(script);
    shell
}

async fn the_drill_of_the_documentation_restores_everything(dialect: Dialect) {
    let panel = filled(dialect).await;
    let config = closed(&panel).await;
    let before = contents(&config).await;
    let home = config.data_dir.parent().unwrap();
    let (heading, spare) = match dialect {
        Dialect::Sqlite => ("### On SQLite", None),
        Dialect::Postgres => ("### On PostgreSQL", Some(Panel::on(dialect).await)),
    };
    let mut copy = Config { data_dir: home.join("drill/data"), ..Config::default() };
    let mut shell = shell(home, &commands_of("backup.md", heading));
    if let Some(spare) = &spare {
        copy.database_url.clone_from(&closed(spare).await.database_url);
        run_sql(&copy, &["DROP SCHEMA public CASCADE", "CREATE SCHEMA public"]).await;
        shell.env("PANEL_DATABASE_URL", config.database_url.as_ref().unwrap());
        shell.env("DRILL_DATABASE_URL", copy.database_url.as_ref().unwrap());
    }
    let output = shell.output().unwrap();
    assert!(output.status.success(), "{}", errors(&output));
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(said.contains("checks hold."), "{said}");
    assert_eq!(contents(&copy).await, without_the_note(before, &contents(&config).await));
    let names_of = |config: &Config| {
        uploads(config)
            .into_iter()
            .map(|(path, bytes)| (path.file_name().unwrap().to_owned(), bytes))
            .collect::<Vec<_>>()
    };
    assert_eq!(names_of(&copy), names_of(&config));
}

/// A backup notes its time in the settings of the panel that it was made of, after the copy.
fn without_the_note(before: Vec<(String, i64)>, after: &[(String, i64)]) -> Vec<(String, i64)> {
    let settings =
        |counts: &[(String, i64)]| counts.iter().find(|(name, _)| name == "settings").map(|(_, n)| *n);
    assert_eq!(settings(&before).map(|n| n + 1), settings(after));
    before
}

async fn a_restored_panel_is_as_it_was(dialect: Dialect) {
    let panel = filled(dialect).await;
    let config = panel.app.config.clone();
    let (before, files) = (contents(&config).await, uploads(&config));
    assert_eq!(files.len(), 2);
    // Beside the running panel, and sealed.
    let said = succeeds(&config, &["backup", "copy", "--encrypt"]);
    assert!(said.contains("copy: "), "{said}");
    let home = config.data_dir.parent().unwrap().to_owned();
    assert_eq!(names(&home), ["copy", "data"]);
    assert_eq!(fs::metadata(home.join("copy")).unwrap().permissions().mode() & 0o777, 0o700);
    for (path, bytes) in &files {
        let folder = path.parent().unwrap().file_name().unwrap();
        let copied = home.join("copy/uploads").join(folder).join(path.file_name().unwrap());
        assert_ne!(&fs::read(copied).unwrap(), bytes, "it is sealed");
    }
    assert!(fails(&config, &["backup", "copy"]).contains("with this name already exists"));

    match dialect {
        Dialect::Postgres => {
            let refused = fails(&config, &["restore", "copy", "--replace"]);
            assert!(refused.contains("stop every process"), "{refused}");
        }
        Dialect::Sqlite => {
            let lock = folder_lock::acquire(&config).unwrap();
            let refused = fails(&config, &["restore", "copy", "--replace"]);
            assert!(refused.contains("another panel-server"), "{refused}");
            drop(lock);
        }
    }
    let config = closed(&panel).await;
    run_sql(&config, &["DELETE FROM sessions"]).await;
    let changed = contents(&config).await;
    let refused = fails(&config, &["restore", "copy"]);
    assert!(refused.contains("--replace"), "{refused}");
    assert_eq!(contents(&config).await, changed);

    let said = succeeds(&config, &["restore", "copy", "--replace"]);
    assert!(said.contains("The former database is now "), "{said}");
    assert_eq!(contents(&config).await, before);
    assert_eq!(former_sessions(&config, &said).await, 0, "the former database is as it was");

    destroy(&config).await;
    succeeds(&config, &["restore", "copy"]);
    assert_eq!((contents(&config).await, uploads(&config)), (before, files));
    succeeds(&config, &["doctor"]);
    // The next start works on it.
    let clock = FixedClock::at(panel.app.clock.now());
    let app = App::start(config.clone(), Arc::new(clock), Random::seeded(9)).await.unwrap();
    app.db.close().await;
    assert!(
        names(&config.data_dir).iter().all(|name| !name.contains("partial")),
        "{:?}",
        names(&config.data_dir)
    );
}

/// Sessions in the former database, by what the program says of its place.
async fn former_sessions(config: &Config, said: &str) -> i64 {
    let place = said.split("is now ").nth(1).unwrap().lines().next().unwrap();
    let (config, sql) = match place.strip_prefix("schema ") {
        Some(schema) => (config.database(), format!("SELECT count(*) FROM {schema}.sessions")),
        None => {
            (DbConfig { path: place.into(), ..config.database() }, "SELECT count(*) FROM sessions".to_owned())
        }
    };
    let db = Db::connect(&config).await.unwrap();
    let (count,) = (&mut &db).one(Sql::new(sql.leak())).await.unwrap();
    db.close().await;
    count
}

async fn a_changed_backup_is_refused(dialect: Dialect) {
    let panel = filled(dialect).await;
    let config = closed(&panel).await;
    succeeds(&config, &["backup", "copy"]);
    succeeds(&config, &["restore", "--check", "copy"]);
    let home = config.data_dir.parent().unwrap();
    let before = contents(&config).await;
    let name = match dialect {
        Dialect::Sqlite => "copy/database.sqlite",
        Dialect::Postgres => "copy/database.pgdump",
    };
    let whole = fs::read(home.join(name)).unwrap();
    let mut changed = whole.clone();
    changed[whole.len() / 2] ^= 1;
    for wrong in [&changed[..], &whole[..whole.len() - 1]] {
        fs::write(home.join(name), wrong).unwrap();
        for arguments in [&["restore", "copy", "--replace"][..], &["restore", "--check", "copy"]] {
            let refused = fails(&config, arguments);
            assert!(refused.contains("was changed"), "{refused}");
        }
    }
    fs::write(home.join(name), whole).unwrap();
    fs::rename(home.join("copy/manifest.json"), home.join("manifest.json")).unwrap();
    assert!(fails(&config, &["restore", "copy", "--replace"]).contains("no complete backup"));
    fs::rename(home.join("manifest.json"), home.join("copy/manifest.json")).unwrap();

    let key = fs::read(config.data_dir.join("secret.key")).unwrap();
    fs::write(config.data_dir.join("secret.key"), "ab".repeat(32)).unwrap();
    assert!(fails(&config, &["restore", "copy", "--replace"]).contains("another key"));
    // Under the next key, the former one still opens it.
    let former = format!("[\"{}\"]", String::from_utf8_lossy(&key).trim());
    let checked = command(&config, &["restore", "--check", "copy"])
        .env("PANEL_FORMER_SECRET_KEYS", former)
        .output()
        .unwrap();
    assert!(checked.status.success(), "{}", errors(&checked));
    fs::write(config.data_dir.join("secret.key"), key).unwrap();

    let other = match dialect {
        Dialect::Sqlite => Some("postgres://panel@127.0.0.1:1/none".to_owned()),
        Dialect::Postgres => None,
    };
    let other = Config { database_url: other, ..config.clone() };
    let refused = fails(&other, &["restore", "copy"]);
    assert!(refused.contains("this is a backup of "), "{refused}");
    assert_eq!(contents(&config).await, before);
}

async fn findings_keep_a_backup_out_of_place(dialect: Dialect) {
    let panel = filled(dialect).await;
    panel.exec(Sql::new("UPDATE users SET balance_main = balance_main + 1 WHERE id = 4")).await;
    let config = closed(&panel).await;
    succeeds(&config, &["backup", "copy"]);
    run_sql(
        &config,
        &["UPDATE users SET balance_main = balance_main - 1 WHERE id = 4", "DELETE FROM sessions"],
    )
    .await;
    let before = contents(&config).await;
    let refused = fails(&config, &["restore", "copy", "--replace"]);
    assert!(refused.contains("BROKEN  balances_kept") && refused.contains("was not restored"), "{refused}");
    assert_eq!(contents(&config).await, before, "nothing was replaced");
    succeeds(&config, &["doctor"]);

    let accepted = fails(&config, &["restore", "copy", "--replace", "--accept-findings"]);
    assert!(
        accepted.contains("BROKEN  balances_kept") && accepted.contains("Restored the backup"),
        "{accepted}"
    );
    assert_ne!(contents(&config).await, before);
    assert!(fails(&config, &["doctor"]).contains("BROKEN  balances_kept"));
}

/// Programs of PostgreSQL that write something and then do `what`.
fn other_tools(what: &str) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    for tool in ["pg_dump", "pg_restore", "psql"] {
        let script = format!(
            "#!/bin/sh\ncase $1 in --version) echo 'pg_dump (PostgreSQL) 99.1';; *) echo PGDMP; {what};; esac\n"
        );
        // By a program of its own: a file that this one has open for writing cannot be run meanwhile, and a program that
        // another test starts just then has it open as well.
        let mut shell = Command::new("/bin/sh");
        shell.args(["-ec", "printf %s \"$2\" >\"$1\"; chmod 755 \"$1\"", "sh"]);
        assert!(shell.arg(folder.path().join(tool)).arg(script).status().unwrap().success());
    }
    folder
}

/// A process that ends in the middle of a backup leaves neither a part of it nor `pg_dump`.
#[tokio::test]
async fn an_interrupted_backup_leaves_no_folder() {
    let tools = other_tools("echo $$ >\"$(dirname \"$0\")/pid\"; exec sleep 1000");
    let panel = Panel::with(Dialect::Postgres, |config| {
        config.backup.postgres_tools = Some(tools.path().to_owned());
    })
    .await;
    let (app, target) = (&panel.app, panel.app.config.data_dir.join("backups/copy"));
    fs::create_dir(target.parent().unwrap()).unwrap();
    let plan = create::Plan {
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
        made = create::create(&plan) => panic!("{made:?}"),
        () = started => {}
    }
    assert_eq!(names(target.parent().unwrap()), [""; 0]);
    let process = Path::new("/proc").join(fs::read_to_string(&pid).unwrap().trim()).join("cmdline");
    let began = Instant::now();
    // What was killed has no command line any more.
    while fs::read_to_string(&process).is_ok_and(|line| line.contains("sleep")) {
        assert!(began.elapsed() < Duration::from_secs(10), "pg_dump goes on");
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}

async fn a_failed_backup_leaves_no_folder(dialect: Dialect) {
    let panel = filled(dialect).await;
    let config = closed(&panel).await;
    let home = config.data_dir.parent().unwrap();
    let mut expected = "no more room";
    let tools = other_tools("echo 'no more room' >&2; exit 1");
    if dialect == Dialect::Sqlite {
        expected = "malformed";
        let file = config.data_dir.join("panel.db");
        let mut bytes = fs::read(&file).unwrap();
        let (from, to) = (bytes.len() * 2 / 5, bytes.len() * 3 / 5);
        bytes[from..to].fill(0xff);
        fs::write(&file, bytes).unwrap();
    }
    for more in [&[][..], &["--encrypt"]] {
        let output = command(&config, &["backup", "copy"])
            .args(more)
            .env("PANEL_BACKUP__POSTGRES_TOOLS", tools.path())
            .output()
            .unwrap();
        let said = errors(&output);
        assert!(!output.status.success() && said.contains(expected), "{said}");
        assert_eq!(names(home), ["data"]);
        assert!(names(&config.data_dir).iter().all(|name| !name.contains("partial")));
    }
    if dialect == Dialect::Postgres {
        let output =
            command(&config, &["backup", "copy"]).env("PANEL_BACKUP__POSTGRES_TOOLS", home).output().unwrap();
        assert!(errors(&output).contains("backup.postgres_tools"), "{}", errors(&output));
    }
}
