//! The `panel-server` program: output, logs, start and shutdown.

use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

use panel_kernel::random::Random;
use panel_platform::config::Config;
use panel_platform::db::{Db, Sql, SqlExecutor as _};
use panel_platform::secrets::keys;
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt as _, AsyncReadExt as _, BufReader};
use tokio::process::{Child, ChildStderr};

use crate::test_server::client;

/// A running `panel-server`.
pub(crate) struct ServerProcess {
    pub(crate) child: Child,
    stderr: BufReader<ChildStderr>,
    /// The output that the test has read from standard error.
    output: String,
}

/// A command that runs the program without the configuration of this machine. The data is in a folder of `temp_dir`.
pub(crate) fn server_command(temp_dir: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_panel-server"));
    for (name, _) in std::env::vars().filter(|(name, _)| name.starts_with("PANEL_")) {
        command.env_remove(name);
    }
    command
        .current_dir(temp_dir)
        .env("PANEL_DATA_DIR", temp_dir.join("data"))
        .env("PANEL_LISTEN", "127.0.0.1:0");
    command
}

pub(crate) fn run_to_end(temp_dir: &Path, arguments: &[&str]) -> Output {
    server_command(temp_dir).args(arguments).stdin(Stdio::null()).output().unwrap()
}

pub(crate) fn stderr_of(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

impl ServerProcess {
    pub(crate) fn start(temp_dir: &Path, arguments: &[&str]) -> Self {
        let mut command = server_command(temp_dir);
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
            let read_result =
                tokio::time::timeout(Duration::from_secs(20), self.stderr.read_line(&mut line)).await;
            assert!(
                read_result.unwrap().unwrap() > 0,
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

    /// Stops the process with SIGTERM. Returns the duration and the whole output.
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
    let response = request.send().await.unwrap();
    let token =
        response.headers().get("authorization").map_or("", |value| value.to_str().unwrap()).to_owned();
    (response.status().as_u16(), token, serde_json::from_str(&response.text().await.unwrap()).unwrap())
}

/// An empty panel prints an address that creates the owner once. The next start does not print the address again.
#[tokio::test]
async fn the_first_start_prints_an_address_that_creates_the_owner_once() {
    let temp_dir = tempfile::tempdir().unwrap();
    let mut server = ServerProcess::start(temp_dir.path(), &[]);
    let address = server.address().await;
    let setup_line = server.wait_for_line("/setup#token=").await;
    let setup_token = setup_line.split("token=").nth(1).unwrap().to_owned();
    let setup_body = |token: &str| json!({ "token": token, "panel_name": "Corner shop", "name": "Olga", "email": "olga@shop.example", "password": "a long enough pass" });
    let (status, _, _) = post(&format!("{address}/setup"), setup_body("guess")).await;
    assert_eq!(status, 409);
    let (status, token, body) = post(&format!("{address}/setup"), setup_body(&setup_token)).await;
    assert_eq!((status, body["user"]["name"].as_str()), (200, Some("Olga")), "{body}");
    assert!(token.starts_with("Bearer pnl_"));
    let (status, _, body) = post(&format!("{address}/setup"), setup_body(&setup_token)).await;
    assert_eq!((status, body["code"].as_str()), (409, Some("already_set_up")));

    let copy_path = temp_dir.path().join("copy.db");
    let backup_output = run_to_end(temp_dir.path(), &["backup", copy_path.to_str().unwrap()]);
    assert!(backup_output.status.success(), "{}", stderr_of(&backup_output));
    let second_backup_output = run_to_end(temp_dir.path(), &["backup", copy_path.to_str().unwrap()]);
    assert!(
        !second_backup_output.status.success() && stderr_of(&second_backup_output).contains("copy.db"),
        "{}",
        stderr_of(&second_backup_output)
    );
    let doctor_output = run_to_end(temp_dir.path(), &["doctor"]);
    assert!(doctor_output.status.success(), "{}", stderr_of(&doctor_output));
    server.stop().await;

    let mut server = ServerProcess::start(temp_dir.path(), &["serve"]);
    let address = server.address().await;
    let login_body = json!({ "email": "olga@shop.example", "password": "a long enough pass" });
    assert_eq!(post(&format!("{address}/login"), login_body).await.0, 200);
    let (stop_duration, output) = server.stop().await;
    assert!(stop_duration < Duration::from_secs(5) && !output.contains("/setup#"), "{output}");
}

/// The log is JSON lines that describe events and contain no secret.
#[tokio::test]
async fn the_log_contains_no_secrets() {
    let temp_dir = tempfile::tempdir().unwrap();
    let mut server =
        ServerProcess::start(temp_dir.path(), &["demo", "--listen", "127.0.0.1:0", "--only-fill"]);
    server.child.wait().await.unwrap();
    let data_dir = temp_dir.path().join("data/demo");
    let mut command = tokio::process::Command::from(server_command(temp_dir.path()));
    let mut child =
        command.env("PANEL_DATA_DIR", &data_dir).stderr(Stdio::piped()).kill_on_drop(true).spawn().unwrap();
    let reader = BufReader::new(child.stderr.take().unwrap());
    let mut server = ServerProcess { child, stderr: reader, output: String::new() };
    let address = server.address().await;
    let login_body = json!({ "email": "admin@panel.test", "password": "panel-demo" });
    let (status, bearer, _) = post(&format!("{address}/login"), login_body).await;
    assert_eq!(status, 200);
    let wrong_body = json!({ "email": "admin@panel.test", "password": "not-the-pass" });
    assert_eq!(post(&format!("{address}/login"), wrong_body).await.0, 422);
    let request = client()
        .get(format!("{address}/api/v1/admin/orders?search[value]=query-secret"))
        .header("authorization", &bearer)
        .header("x-request-id", "one-two-three");
    assert_eq!(request.send().await.unwrap().status(), 200);
    let (_, output) = server.stop().await;
    for secret in
        [bearer.trim_start_matches("Bearer "), "panel-demo", "not-the-pass", "query-secret", "search"]
    {
        assert!(!output.contains(secret), "{secret}: {output}");
    }
    let log_lines: Vec<Value> = output.lines().filter_map(|line| serde_json::from_str(line).ok()).collect();
    let line = log_lines.iter().find(|line| line["request_id"] == "one-two-three").unwrap();
    assert_eq!(
        (&line["route"], &line["status"], &line["actor"]),
        (&json!("/api/v1/admin/orders"), &json!(200), &json!(1)),
        "{line}"
    );
    assert!(line["ms"].is_u64() && line["timestamp"].is_string(), "{line}");
}

/// Each log line on standard error is JSON, and the program writes nothing to standard output. The response, the log line and the
/// audit entry have the same request id.
#[tokio::test]
async fn the_log_is_json_on_standard_error_only() {
    let temp_dir = tempfile::tempdir().unwrap();
    let mut command = server_command(temp_dir.path());
    command.arg("serve").stdout(Stdio::piped());
    let mut server = ServerProcess::from_command(command);
    let mut stdout = server.child.stdout.take().unwrap();
    let address = server.address().await;
    let token = server.wait_for_line("/setup#token=").await.split("token=").nth(1).unwrap().to_owned();
    let setup_body = json!({ "token": token, "panel_name": "Shop", "name": "Olga", "email": "olga@shop.example", "password": "a long enough pass" });
    assert_eq!(post(&format!("{address}/setup"), setup_body).await.0, 200);
    let setup_output_len = server.output.len();
    let wrong_body = json!({ "email": "olga@shop.example", "password": "another long pass" });
    let request = client().post(format!("{address}/login")).header("content-type", "application/json");
    // A text of an attacker with an escape sequence and JSON that looks like a log line.
    let hostile_text = "{\"level\":\"ERROR\"}\u{1b}[2K";
    let request =
        request.header("x-request-id", "request-7").header("user-agent", hostile_text.replace('\u{1b}', " "));
    let response = request.body(wrong_body.to_string()).send().await.unwrap();
    assert_eq!(
        (response.status().as_u16(), &response.headers()["x-request-id"]),
        (422, &"request-7".parse().unwrap())
    );
    let path = format!("{address}/api/v1/admin/%0a%7b%22level%22:%22ERROR%22%7d%0a");
    client().get(path).header("x-request-id", "{forged}").send().await.unwrap();
    let (_, output) = server.stop().await;

    let mut log_lines = 0;
    for line in output[setup_output_len..].lines() {
        let line: Value = serde_json::from_str(line).unwrap_or_else(|_| panic!("no JSON: {line:?}"));
        let timestamp = line["timestamp"].as_str().unwrap();
        assert!(
            chrono::DateTime::parse_from_rfc3339(timestamp).is_ok() && timestamp.ends_with('Z'),
            "{line}"
        );
        assert!(["ERROR", "WARN", "INFO"].contains(&line["level"].as_str().unwrap()), "{line}");
        assert!(line["message"].is_string() && line["request_id"] != "{forged}", "{line}");
        log_lines += usize::from(line["request_id"] == "request-7");
    }
    assert_eq!(log_lines, 1, "{output}");
    let config = Config { data_dir: temp_dir.path().join("data"), ..Config::default() };
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
    assert!(files.iter().all(|key_path| expected_files.contains(&key_path.as_str())), "{files:?}");
    assert_eq!(crate::backup::file_names(temp_dir.path()), ["data"]);
}

#[test]
fn configuration_errors_contain_the_name_of_the_setting() {
    let temp_dir = tempfile::tempdir().unwrap();
    for (name, value, message) in [
        ("PANEL_LISTEN", "nowhere", "listen"),
        ("PANEL_LIMITS__CONNECTIONS", "0", "limits.connections"),
        ("PANEL_LIMITS__CONNECTION", "7", "connection"),
        ("PANEL_NONSENSE", "1", "nonsense"),
        ("PANEL_DATABASE_URL", "mysql://x", "database_url"),
    ] {
        let output = server_command(temp_dir.path()).arg("migrate").env(name, value).output().unwrap();
        assert!(
            !output.status.success() && stderr_of(&output).to_lowercase().contains(message),
            "{name}: {}",
            stderr_of(&output)
        );
    }
    std::fs::write(temp_dir.path().join("panel.toml"), "[limits]\nbody_bytes = \"many\"\n").unwrap();
    let output = run_to_end(temp_dir.path(), &["migrate"]);
    assert!(!output.status.success() && stderr_of(&output).contains("body_bytes"), "{}", stderr_of(&output));
    let output = run_to_end(temp_dir.path(), &["--config", "missing.toml", "migrate"]);
    assert!(stderr_of(&output).contains("missing.toml"), "{}", stderr_of(&output));
}

/// Another key cannot decrypt the secrets in the database, so the server refuses to start with it.
#[test]
fn refuses_to_start_with_another_secret_key() {
    let temp_dir = tempfile::tempdir().unwrap();
    assert!(run_to_end(temp_dir.path(), &["migrate"]).status.success());
    let key_path = temp_dir.path().join("data/secret.key");
    let mode = std::fs::metadata(&key_path).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
    let output = server_command(temp_dir.path())
        .arg("migrate")
        .env("PANEL_SECRET_KEY", "ab".repeat(32))
        .output()
        .unwrap();
    assert!(!output.status.success() && stderr_of(&output).contains("another key"), "{}", stderr_of(&output));
    assert!(run_to_end(temp_dir.path(), &["migrate"]).status.success());
}

/// Files in the folder that users other than the owner may open. Panics if a mode is neither 0700 nor 0600.
fn files_open_to_others(folder: &Path) -> Vec<String> {
    let mut open_files = Vec::new();
    let mut paths = vec![folder.to_path_buf()];
    while let Some(path) = paths.pop() {
        let metadata = std::fs::symlink_metadata(&path).unwrap();
        let mode = metadata.permissions().mode() & 0o777;
        if mode & 0o077 != 0 {
            open_files.push(format!("{} {mode:o}", path.display()));
        }
        if metadata.is_dir() {
            assert_eq!(mode, 0o700, "{}", path.display());
            paths.extend(std::fs::read_dir(&path).unwrap().map(|entry| entry.unwrap().path()));
        } else {
            assert_eq!(mode, 0o600, "{}", path.display());
        }
    }
    open_files
}

/// The first start has the umask 000. Before the second start the test opens files to other users, and the start must close them.
#[tokio::test]
async fn only_the_owner_may_open_the_files_with_any_umask() {
    let temp_dir = tempfile::tempdir().unwrap();
    let data_dir = temp_dir.path().join("data");
    let start_without_umask = || {
        let mut shell_command = Command::new("sh");
        shell_command
            .args(["-c", "umask 000; exec \"$0\" serve", env!("CARGO_BIN_EXE_panel-server")])
            .env_clear();
        shell_command
            .current_dir(temp_dir.path())
            .env("PANEL_DATA_DIR", &data_dir)
            .env("PANEL_LISTEN", "127.0.0.1:0");
        shell_command.env("PANEL_MAIL__FOLDER", data_dir.join("mails"));
        let mut command = tokio::process::Command::from(shell_command);
        let mut child = command.stderr(Stdio::piped()).kill_on_drop(true).spawn().unwrap();
        let stderr = BufReader::new(child.stderr.take().unwrap());
        ServerProcess { child, stderr, output: String::new() }
    };
    let mut server = start_without_umask();
    server.address().await;
    for name in ["panel.db", "panel.db-wal", "panel.db-shm", "secret.key", "uploads", "mails"] {
        assert!(data_dir.join(name).exists(), "{name}");
    }
    assert_eq!(files_open_to_others(&data_dir), [""; 0]);
    server.stop().await;

    let set_mode = |name: &str, mode: u32| {
        std::fs::set_permissions(data_dir.join(name), std::fs::Permissions::from_mode(mode)).unwrap();
    };
    set_mode("", 0o755);
    set_mode("panel.db", 0o644);
    set_mode("secret.key", 0o640);
    set_mode("uploads", 0o775);
    std::fs::write(data_dir.join("copy.db"), "").unwrap();
    set_mode("copy.db", 0o666);
    let mut server = start_without_umask();
    server.address().await;
    assert_eq!(
        files_open_to_others(&data_dir),
        [""; 0],
        "the start must close files that other users could open"
    );
    server.stop().await;
}

/// Inserts webhooks whose secrets are sealed with the current key.
async fn insert_webhooks(data_dir: &Path, count: i64) {
    let config = Config { data_dir: data_dir.into(), ..Config::default() };
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

/// A killed rotation leaves values that are sealed with both keys. The next rotation finishes, and then the former key is not needed.
#[tokio::test]
async fn a_killed_key_rotation_resumes() {
    let temp_dir = tempfile::tempdir().unwrap();
    assert!(run_to_end(temp_dir.path(), &["migrate"]).status.success());
    let data_dir = temp_dir.path().join("data");
    insert_webhooks(&data_dir, 5_000).await;
    let (old_key, new_key) = (std::fs::read_to_string(data_dir.join("secret.key")).unwrap(), "ab".repeat(32));
    let with_both_keys = |arguments: &[&str]| {
        let mut command = server_command(temp_dir.path());
        command
            .args(arguments)
            .env("PANEL_SECRET_KEY", &new_key)
            .env("PANEL_FORMER_SECRET_KEYS", format!("[\"{old_key}\"]"));
        command
    };
    let mut command = tokio::process::Command::from(with_both_keys(&["secrets", "rotate"]));
    let mut child = command.stdout(Stdio::null()).stderr(Stdio::piped()).kill_on_drop(true).spawn().unwrap();
    let stderr = BufReader::new(child.stderr.take().unwrap());
    let mut rotation_process = ServerProcess { child, stderr, output: String::new() };
    rotation_process.wait_for_line("webhooks.secret_sealed: 400 values").await;
    rotation_process.child.kill().await.unwrap();

    let status = String::from_utf8(with_both_keys(&["secrets", "status"]).output().unwrap().stdout).unwrap();
    assert!(
        status.contains("(current)") && status.contains("(former)"),
        "the status must list both keys: {status}"
    );
    assert!(!status.contains(&old_key) && !status.contains(&new_key));
    let run_migrate_with_new_key =
        || server_command(temp_dir.path()).arg("migrate").env("PANEL_SECRET_KEY", &new_key).output().unwrap();
    assert!(stderr_of(&run_migrate_with_new_key()).contains("another key"));

    let resumed_output = with_both_keys(&["secrets", "rotate"]).output().unwrap();
    assert!(resumed_output.status.success(), "{}", stderr_of(&resumed_output));
    let output = String::from_utf8_lossy(&resumed_output.stdout);
    assert!(
        output.contains("(current): 5002 values, 0 documents") && !output.contains("(former)"),
        "{output}"
    );
    assert!(stderr_of(&resumed_output).contains("no longer needed"), "{}", stderr_of(&resumed_output));
    assert!(run_migrate_with_new_key().status.success());
    // The key file still contains the former key, which no longer starts the server.
    let old_key_output = run_to_end(temp_dir.path(), &["migrate"]);
    assert!(
        !old_key_output.status.success() && stderr_of(&old_key_output).contains("another key"),
        "{}",
        stderr_of(&old_key_output)
    );
    let duplicate_key_output = server_command(temp_dir.path())
        .args(["secrets", "rotate"])
        .env("PANEL_SECRET_KEY", &new_key)
        .env("PANEL_FORMER_SECRET_KEYS", format!("[\"{new_key}\"]"))
        .output()
        .unwrap();
    assert!(
        !duplicate_key_output.status.success()
            && stderr_of(&duplicate_key_output).contains("also a former key"),
        "{}",
        stderr_of(&duplicate_key_output)
    );
}

/// A restore of a backup from before a rotation needs the former key. A second rotation seals the restored values with the new key.
#[test]
fn restores_a_backup_from_before_a_key_rotation() {
    let temp_dir = tempfile::tempdir().unwrap();
    assert!(run_to_end(temp_dir.path(), &["migrate"]).status.success());
    let backup_output = run_to_end(temp_dir.path(), &["backup", "--encrypt", "copy"]);
    assert!(backup_output.status.success(), "{}", stderr_of(&backup_output));
    let (old_key, new_key) =
        (std::fs::read_to_string(temp_dir.path().join("data/secret.key")).unwrap(), "ab".repeat(32));
    let key_path = temp_dir.path().join("data/secret.key");
    std::fs::write(&key_path, format!("{new_key}\n{old_key}\n")).unwrap();
    for arguments in [
        vec!["secrets", "rotate"],
        vec!["restore", "--check", "copy"],
        vec!["restore", "--replace", "copy"],
        vec!["doctor"],
    ] {
        let output = run_to_end(temp_dir.path(), &arguments);
        assert!(output.status.success(), "{arguments:?}: {}", stderr_of(&output));
    }
    std::fs::write(&key_path, &new_key).unwrap();
    let failed_output = run_to_end(temp_dir.path(), &["migrate"]);
    assert!(
        !failed_output.status.success() && stderr_of(&failed_output).contains("another key"),
        "{}",
        stderr_of(&failed_output)
    );
    let failed_output = run_to_end(temp_dir.path(), &["restore", "--check", "copy"]);
    assert!(stderr_of(&failed_output).contains("former_secret_keys"), "{}", stderr_of(&failed_output));
    std::fs::write(&key_path, format!("{new_key}\n{old_key}\n")).unwrap();
    assert!(run_to_end(temp_dir.path(), &["secrets", "rotate"]).status.success());
    std::fs::write(&key_path, &new_key).unwrap();
    assert!(run_to_end(temp_dir.path(), &["migrate"]).status.success());
}

#[test]
fn the_demo_listens_on_loopback_only() {
    let temp_dir = tempfile::tempdir().unwrap();
    let output = run_to_end(temp_dir.path(), &["demo", "--listen", "0.0.0.0:0"]);
    assert!(!output.status.success() && stderr_of(&output).contains("loopback"), "{}", stderr_of(&output));
}
