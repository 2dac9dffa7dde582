//! The `panel-server` binary: output, logs, start-up and shutdown.

use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

use panel_kernel::random::Random;
use panel_platform::config::Config;
use panel_platform::db::{Db, Source as _, Sql};
use panel_platform::secrets::keys;
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt as _, AsyncReadExt as _, BufReader};
use tokio::process::{Child, ChildStderr};

use crate::test_server::client;

/// A running `panel-server`.
pub(crate) struct Program {
    pub(crate) child: Child,
    stderr: BufReader<ChildStderr>,
    /// Everything read from standard error so far.
    output: String,
}

/// The program without the configuration of this machine, with its data in `home`.
pub(crate) fn program(home: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_panel-server"));
    for (name, _) in std::env::vars().filter(|(name, _)| name.starts_with("PANEL_")) {
        command.env_remove(name);
    }
    command.current_dir(home).env("PANEL_DATA_DIR", home.join("data")).env("PANEL_LISTEN", "127.0.0.1:0");
    command
}

pub(crate) fn run(home: &Path, arguments: &[&str]) -> Output {
    program(home).args(arguments).stdin(Stdio::null()).output().unwrap()
}

pub(crate) fn stderr_of(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

impl Program {
    pub(crate) fn start(home: &Path, arguments: &[&str]) -> Self {
        let mut command = program(home);
        command.args(arguments);
        Self::from_command(command)
    }

    pub(crate) fn from_command(command: Command) -> Self {
        let mut command = tokio::process::Command::from(command);
        let mut child = command.stderr(Stdio::piped()).kill_on_drop(true).spawn().unwrap();
        let stderr = BufReader::new(child.stderr.take().unwrap());
        Self { child, stderr, output: String::new() }
    }

    /// Reads until a line contains `text` and returns that line.
    pub(crate) async fn wait_for_line(&mut self, text: &str) -> String {
        loop {
            let mut line = String::new();
            let read = tokio::time::timeout(Duration::from_secs(20), self.stderr.read_line(&mut line)).await;
            assert!(
                read.unwrap().unwrap() > 0,
                "the process ended without a line of {text}: {}",
                self.output
            );
            self.output.push_str(&line);
            if line.contains(text) {
                return line.trim_end().to_owned();
            }
        }
    }

    pub(crate) async fn address(&mut self) -> String {
        self.wait_for_line("listens on ").await.split("listens on ").nth(1).unwrap().to_owned()
    }

    /// Stops the process by SIGTERM. Returns how long that took and its whole output.
    pub(crate) async fn stop(mut self) -> (Duration, String) {
        let id = self.child.id().unwrap().to_string();
        let started_at = Instant::now();
        assert!(Command::new("kill").args(["-TERM", &id]).status().unwrap().success());
        let status = tokio::time::timeout(Duration::from_secs(12), self.child.wait()).await.unwrap().unwrap();
        assert!(status.success(), "{status}");
        self.stderr.read_to_string(&mut self.output).await.unwrap();
        (started_at.elapsed(), self.output)
    }
}

async fn post(address: &str, body: Value) -> (u16, String, Value) {
    let request = client().post(address).header("content-type", "application/json").body(body.to_string());
    let answer = request.send().await.unwrap();
    let token = answer.headers().get("authorization").map_or("", |value| value.to_str().unwrap()).to_owned();
    (answer.status().as_u16(), token, serde_json::from_str(&answer.text().await.unwrap()).unwrap())
}

/// The address that an empty panel prints creates the owner once. The next start does not print it again.
#[tokio::test]
async fn the_first_start_prints_an_address_that_creates_the_owner_once() {
    let home = tempfile::tempdir().unwrap();
    let mut panel = Program::start(home.path(), &[]);
    let address = panel.address().await;
    let setup_line = panel.wait_for_line("/setup#token=").await;
    let setup_token = setup_line.split("token=").nth(1).unwrap().to_owned();
    let setup_body = |token: &str| json!({ "token": token, "panel_name": "Corner shop", "name": "Olga", "email": "olga@shop.example", "password": "a long enough pass" });
    let (status, _, _) = post(&format!("{address}/setup"), setup_body("guess")).await;
    assert_eq!(status, 409);
    let (status, token, body) = post(&format!("{address}/setup"), setup_body(&setup_token)).await;
    assert_eq!((status, body["user"]["name"].as_str()), (200, Some("Olga")), "{body}");
    assert!(token.starts_with("Bearer pnl_"));
    let (status, _, body) = post(&format!("{address}/setup"), setup_body(&setup_token)).await;
    assert_eq!((status, body["code"].as_str()), (409, Some("already_set_up")));

    let copy = home.path().join("copy.db");
    let backup = run(home.path(), &["backup", copy.to_str().unwrap()]);
    assert!(backup.status.success(), "{}", stderr_of(&backup));
    let second_backup = run(home.path(), &["backup", copy.to_str().unwrap()]);
    assert!(
        !second_backup.status.success() && stderr_of(&second_backup).contains("copy.db"),
        "{}",
        stderr_of(&second_backup)
    );
    let doctor = run(home.path(), &["doctor"]);
    assert!(doctor.status.success(), "{}", stderr_of(&doctor));
    panel.stop().await;

    let mut panel = Program::start(home.path(), &["serve"]);
    let address = panel.address().await;
    let login = json!({ "email": "olga@shop.example", "password": "a long enough pass" });
    assert_eq!(post(&format!("{address}/login"), login).await.0, 200);
    let (stop_duration, output) = panel.stop().await;
    assert!(stop_duration < Duration::from_secs(5) && !output.contains("/setup#"), "{output}");
}

/// The log is JSON lines that describe events and contain no secret.
#[tokio::test]
async fn the_log_contains_no_secrets() {
    let home = tempfile::tempdir().unwrap();
    let mut panel = Program::start(home.path(), &["demo", "--listen", "127.0.0.1:0", "--only-fill"]);
    panel.child.wait().await.unwrap();
    let data = home.path().join("data/demo");
    let mut command = tokio::process::Command::from(program(home.path()));
    let mut child =
        command.env("PANEL_DATA_DIR", &data).stderr(Stdio::piped()).kill_on_drop(true).spawn().unwrap();
    let reader = BufReader::new(child.stderr.take().unwrap());
    let mut panel = Program { child, stderr: reader, output: String::new() };
    let address = panel.address().await;
    let login = json!({ "email": "admin@panel.test", "password": "panel-demo" });
    let (status, bearer, _) = post(&format!("{address}/login"), login).await;
    assert_eq!(status, 200);
    let wrong = json!({ "email": "admin@panel.test", "password": "not-the-pass" });
    assert_eq!(post(&format!("{address}/login"), wrong).await.0, 422);
    let request = client()
        .get(format!("{address}/api/v1/admin/orders?search[value]=query-secret"))
        .header("authorization", &bearer)
        .header("x-request-id", "one-two-three");
    assert_eq!(request.send().await.unwrap().status(), 200);
    let (_, output) = panel.stop().await;
    for secret in
        [bearer.trim_start_matches("Bearer "), "panel-demo", "not-the-pass", "query-secret", "search"]
    {
        assert!(!output.contains(secret), "{secret}: {output}");
    }
    let lines: Vec<Value> = output.lines().filter_map(|line| serde_json::from_str(line).ok()).collect();
    let line = lines.iter().find(|line| line["request_id"] == "one-two-three").unwrap();
    assert_eq!(
        (&line["route"], &line["status"], &line["actor"]),
        (&json!("/api/v1/admin/orders"), &json!(200), &json!(1)),
        "{line}"
    );
    assert!(line["ms"].is_u64() && line["timestamp"].is_string(), "{line}");
}

/// A collector can read every line of the log, which goes to standard error and nowhere else; one id joins the answer, the line and
/// the audit trail.
#[tokio::test]
async fn the_log_is_json_on_standard_error_alone() {
    let home = tempfile::tempdir().unwrap();
    let mut command = program(home.path());
    command.arg("serve").stdout(Stdio::piped());
    let mut panel = Program::from_command(command);
    let mut stdout = panel.child.stdout.take().unwrap();
    let address = panel.address().await;
    let token = panel.wait_for_line("/setup#token=").await.split("token=").nth(1).unwrap().to_owned();
    let setup_body = json!({ "token": token, "panel_name": "Shop", "name": "Olga", "email": "olga@shop.example", "password": "a long enough pass" });
    assert_eq!(post(&format!("{address}/setup"), setup_body).await.0, 200);
    let setup_output_len = panel.output.len();
    let wrong = json!({ "email": "olga@shop.example", "password": "another long pass" });
    let request = client().post(format!("{address}/login")).header("content-type", "application/json");
    // Text that an attacker can put into a request: a line break, an escape sequence, a line of JSON.
    let hostile = "{\"level\":\"ERROR\"}\u{1b}[2K";
    let request =
        request.header("x-request-id", "request-7").header("user-agent", hostile.replace('\u{1b}', " "));
    let answer = request.body(wrong.to_string()).send().await.unwrap();
    assert_eq!(
        (answer.status().as_u16(), &answer.headers()["x-request-id"]),
        (422, &"request-7".parse().unwrap())
    );
    let path = format!("{address}/api/v1/admin/%0a%7b%22level%22:%22ERROR%22%7d%0a");
    client().get(path).header("x-request-id", "{forged}").send().await.unwrap();
    let (_, output) = panel.stop().await;

    let mut lines = 0;
    for line in output[setup_output_len..].lines() {
        let line: Value = serde_json::from_str(line).unwrap_or_else(|_| panic!("no JSON: {line:?}"));
        let timestamp = line["timestamp"].as_str().unwrap();
        assert!(
            chrono::DateTime::parse_from_rfc3339(timestamp).is_ok() && timestamp.ends_with('Z'),
            "{line}"
        );
        assert!(["ERROR", "WARN", "INFO"].contains(&line["level"].as_str().unwrap()), "{line}");
        assert!(line["message"].is_string() && line["request_id"] != "{forged}", "{line}");
        lines += usize::from(line["request_id"] == "request-7");
    }
    assert_eq!(lines, 1, "{output}");
    let config = Config { data_dir: home.path().join("data"), ..Config::default() };
    let db = Db::connect(&config.database()).await.unwrap();
    let sql = Sql::new(
        "SELECT count(*) FROM audits WHERE event = 'user.sign_in_failed' AND request_id = 'request-7'",
    );
    assert_eq!((&mut &db).fetch_one::<(i64,)>(sql).await.unwrap().0, 1);
    db.close().await;
    let mut stdout_text = String::new();
    stdout.read_to_string(&mut stdout_text).await.unwrap();
    assert_eq!(stdout_text, "");
    let files = crate::backup::file_names(&config.data_dir);
    let expected_files = ["panel.db", "panel.db-shm", "panel.db-wal", "panel.lock", "secret.key", "uploads"];
    assert!(files.iter().all(|file| expected_files.contains(&file.as_str())), "{files:?}");
    assert_eq!(crate::backup::file_names(home.path()), ["data"]);
}

#[test]
fn configuration_errors_name_the_setting() {
    let home = tempfile::tempdir().unwrap();
    for (name, value, message) in [
        ("PANEL_LISTEN", "nowhere", "listen"),
        ("PANEL_LIMITS__CONNECTIONS", "0", "limits.connections"),
        ("PANEL_LIMITS__CONNECTION", "7", "connection"),
        ("PANEL_NONSENSE", "1", "nonsense"),
        ("PANEL_DATABASE_URL", "mysql://x", "database_url"),
    ] {
        let output = program(home.path()).arg("migrate").env(name, value).output().unwrap();
        assert!(
            !output.status.success() && stderr_of(&output).to_lowercase().contains(message),
            "{name}: {}",
            stderr_of(&output)
        );
    }
    std::fs::write(home.path().join("panel.toml"), "[limits]\nbody_bytes = \"many\"\n").unwrap();
    let output = run(home.path(), &["migrate"]);
    assert!(!output.status.success() && stderr_of(&output).contains("body_bytes"), "{}", stderr_of(&output));
    let output = run(home.path(), &["--config", "missing.toml", "migrate"]);
    assert!(stderr_of(&output).contains("missing.toml"), "{}", stderr_of(&output));
}

/// Another key cannot decrypt the secrets in the database, so the server refuses to start with it.
#[test]
fn refuses_to_start_with_another_secret_key() {
    let home = tempfile::tempdir().unwrap();
    assert!(run(home.path(), &["migrate"]).status.success());
    let key = home.path().join("data/secret.key");
    let mode = std::fs::metadata(&key).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
    let output =
        program(home.path()).arg("migrate").env("PANEL_SECRET_KEY", "ab".repeat(32)).output().unwrap();
    assert!(!output.status.success() && stderr_of(&output).contains("another key"), "{}", stderr_of(&output));
    assert!(run(home.path(), &["migrate"]).status.success());
}

/// Files below the folder that users other than the owner may open. Panics where a mode is neither 0700 nor 0600.
fn open_to_others(folder: &Path) -> Vec<String> {
    let mut too_open = Vec::new();
    let mut paths = vec![folder.to_path_buf()];
    while let Some(path) = paths.pop() {
        let metadata = std::fs::symlink_metadata(&path).unwrap();
        let mode = metadata.permissions().mode() & 0o777;
        if mode & 0o077 != 0 {
            too_open.push(format!("{} {mode:o}", path.display()));
        }
        if metadata.is_dir() {
            assert_eq!(mode, 0o700, "{}", path.display());
            paths.extend(std::fs::read_dir(&path).unwrap().map(|entry| entry.unwrap().path()));
        } else {
            assert_eq!(mode, 0o600, "{}", path.display());
        }
    }
    too_open
}

/// The first start runs with umask 000. Before the second start the files are opened to other users, and the start closes them.
#[tokio::test]
async fn only_the_panels_user_may_open_its_files_whatever_the_umask() {
    let home = tempfile::tempdir().unwrap();
    let data = home.path().join("data");
    let start_without_umask = || {
        let mut shell = Command::new("sh");
        shell.args(["-c", "umask 000; exec \"$0\" serve", env!("CARGO_BIN_EXE_panel-server")]).env_clear();
        shell.current_dir(home.path()).env("PANEL_DATA_DIR", &data).env("PANEL_LISTEN", "127.0.0.1:0");
        shell.env("PANEL_MAIL__FOLDER", data.join("mails"));
        let mut command = tokio::process::Command::from(shell);
        let mut child = command.stderr(Stdio::piped()).kill_on_drop(true).spawn().unwrap();
        let stderr = BufReader::new(child.stderr.take().unwrap());
        Program { child, stderr, output: String::new() }
    };
    let mut panel = start_without_umask();
    panel.address().await;
    for name in ["panel.db", "panel.db-wal", "panel.db-shm", "secret.key", "uploads", "mails"] {
        assert!(data.join(name).exists(), "{name}");
    }
    assert_eq!(open_to_others(&data), [""; 0]);
    panel.stop().await;

    let set_mode = |name: &str, mode: u32| {
        std::fs::set_permissions(data.join(name), std::fs::Permissions::from_mode(mode)).unwrap();
    };
    set_mode("", 0o755);
    set_mode("panel.db", 0o644);
    set_mode("secret.key", 0o640);
    set_mode("uploads", 0o775);
    std::fs::write(data.join("copy.db"), "").unwrap();
    set_mode("copy.db", 0o666);
    let mut panel = start_without_umask();
    panel.address().await;
    assert_eq!(open_to_others(&data), [""; 0], "the start closes files that other users could open");
    panel.stop().await;
}

/// Inserts webhooks whose secrets are sealed with the current key.
async fn insert_webhooks(data: &Path, count: i64) {
    let config = Config { data_dir: data.into(), ..Config::default() };
    let (secrets, random) = (keys::load_existing(&config).unwrap().unwrap(), Random::system());
    let db = Db::open(&config.database()).await.unwrap();
    let rows = (1..=count).map(|id| {
        let sealed = secrets.seal(&random, b"whsec", &format!("webhooks|secret|{id}")).unwrap();
        vec![id.into(), format!("https://hook.example/{id}").into(), sealed.into(), 1_i64.into()]
    });
    let sql = Sql::new(
        "INSERT INTO webhooks (id, url, secret_sealed, created_at, updated_at) SELECT r.id, r.url, r.sealed, r.at, r.at FROM ",
    );
    let rows = sql.rows("r", &["id", "url", "sealed", "at"], rows.collect());
    (&mut &db).execute(rows).await.unwrap();
    db.close().await;
}

/// A killed rotation leaves values sealed with both keys. The next one finishes, and then the former key is no longer needed.
#[tokio::test]
async fn a_killed_key_rotation_resumes() {
    let home = tempfile::tempdir().unwrap();
    assert!(run(home.path(), &["migrate"]).status.success());
    let data = home.path().join("data");
    insert_webhooks(&data, 5_000).await;
    let (old, new) = (std::fs::read_to_string(data.join("secret.key")).unwrap(), "ab".repeat(32));
    let with_both_keys = |arguments: &[&str]| {
        let mut command = program(home.path());
        command
            .args(arguments)
            .env("PANEL_SECRET_KEY", &new)
            .env("PANEL_FORMER_SECRET_KEYS", format!("[\"{old}\"]"));
        command
    };
    let mut command = tokio::process::Command::from(with_both_keys(&["secrets", "rotate"]));
    let mut child = command.stdout(Stdio::null()).stderr(Stdio::piped()).kill_on_drop(true).spawn().unwrap();
    let stderr = BufReader::new(child.stderr.take().unwrap());
    let mut rotation = Program { child, stderr, output: String::new() };
    rotation.wait_for_line("webhooks.secret_sealed: 400 values").await;
    rotation.child.kill().await.unwrap();

    let status = String::from_utf8(with_both_keys(&["secrets", "status"]).output().unwrap().stdout).unwrap();
    assert!(status.contains("(current)") && status.contains("(former)"), "both keys: {status}");
    assert!(!status.contains(&old) && !status.contains(&new));
    let migrate_with_new_key =
        || program(home.path()).arg("migrate").env("PANEL_SECRET_KEY", &new).output().unwrap();
    assert!(stderr_of(&migrate_with_new_key()).contains("another key"));

    let resumed = with_both_keys(&["secrets", "rotate"]).output().unwrap();
    assert!(resumed.status.success(), "{}", stderr_of(&resumed));
    let output = String::from_utf8_lossy(&resumed.stdout);
    assert!(
        output.contains("(current): 5002 values, 0 documents") && !output.contains("(former)"),
        "{output}"
    );
    assert!(stderr_of(&resumed).contains("no longer needed"), "{}", stderr_of(&resumed));
    assert!(migrate_with_new_key().status.success());
    // The key in the key file is no longer the key of the panel.
    let with_old = run(home.path(), &["migrate"]);
    assert!(
        !with_old.status.success() && stderr_of(&with_old).contains("another key"),
        "{}",
        stderr_of(&with_old)
    );
    let same_key_twice = program(home.path())
        .args(["secrets", "rotate"])
        .env("PANEL_SECRET_KEY", &new)
        .env("PANEL_FORMER_SECRET_KEYS", format!("[\"{new}\"]"))
        .output()
        .unwrap();
    assert!(
        !same_key_twice.status.success() && stderr_of(&same_key_twice).contains("also a former key"),
        "{}",
        stderr_of(&same_key_twice)
    );
}

/// A backup from before a rotation is restored with the former key, and a second rotation seals its values with the new key.
#[test]
fn restores_a_backup_from_before_a_key_rotation() {
    let home = tempfile::tempdir().unwrap();
    assert!(run(home.path(), &["migrate"]).status.success());
    let backup = run(home.path(), &["backup", "--encrypt", "copy"]);
    assert!(backup.status.success(), "{}", stderr_of(&backup));
    let (old, new) = (std::fs::read_to_string(home.path().join("data/secret.key")).unwrap(), "ab".repeat(32));
    let file = home.path().join("data/secret.key");
    std::fs::write(&file, format!("{new}\n{old}\n")).unwrap();
    for arguments in [
        vec!["secrets", "rotate"],
        vec!["restore", "--check", "copy"],
        vec!["restore", "--replace", "copy"],
        vec!["doctor"],
    ] {
        let output = run(home.path(), &arguments);
        assert!(output.status.success(), "{arguments:?}: {}", stderr_of(&output));
    }
    std::fs::write(&file, &new).unwrap();
    let refused = run(home.path(), &["migrate"]);
    assert!(
        !refused.status.success() && stderr_of(&refused).contains("another key"),
        "{}",
        stderr_of(&refused)
    );
    let refused = run(home.path(), &["restore", "--check", "copy"]);
    assert!(stderr_of(&refused).contains("former_secret_keys"), "{}", stderr_of(&refused));
    std::fs::write(&file, format!("{new}\n{old}\n")).unwrap();
    assert!(run(home.path(), &["secrets", "rotate"]).status.success());
    std::fs::write(&file, &new).unwrap();
    assert!(run(home.path(), &["migrate"]).status.success());
}

#[test]
fn the_demo_listens_on_loopback_only() {
    let home = tempfile::tempdir().unwrap();
    let output = run(home.path(), &["demo", "--listen", "0.0.0.0:0"]);
    assert!(!output.status.success() && stderr_of(&output).contains("loopback"), "{}", stderr_of(&output));
}
