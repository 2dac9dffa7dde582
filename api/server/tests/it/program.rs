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

use crate::served::client;

/// A running `panel-server`.
pub(crate) struct Program {
    pub(crate) child: Child,
    errors: BufReader<ChildStderr>,
    /// Its output so far.
    said: String,
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

pub(crate) fn errors(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

impl Program {
    pub(crate) fn start(home: &Path, arguments: &[&str]) -> Self {
        let mut command = program(home);
        command.args(arguments);
        Self::of(command)
    }

    pub(crate) fn of(command: Command) -> Self {
        let mut command = tokio::process::Command::from(command);
        let mut child = command.stderr(Stdio::piped()).kill_on_drop(true).spawn().unwrap();
        let errors = BufReader::new(child.stderr.take().unwrap());
        Self { child, errors, said: String::new() }
    }

    /// Reads until a line contains `mark` and returns that line.
    pub(crate) async fn until(&mut self, mark: &str) -> String {
        loop {
            let mut line = String::new();
            let read = tokio::time::timeout(Duration::from_secs(20), self.errors.read_line(&mut line)).await;
            assert!(read.unwrap().unwrap() > 0, "it ended without {mark}: {}", self.said);
            self.said.push_str(&line);
            if line.contains(mark) {
                return line.trim_end().to_owned();
            }
        }
    }

    pub(crate) async fn address(&mut self) -> String {
        self.until("listens on ").await.split("listens on ").nth(1).unwrap().to_owned()
    }

    /// Stops the process by SIGTERM. Returns how long that took and its whole output.
    pub(crate) async fn end(mut self) -> (Duration, String) {
        let id = self.child.id().unwrap().to_string();
        let began = Instant::now();
        assert!(Command::new("kill").args(["-TERM", &id]).status().unwrap().success());
        let status = tokio::time::timeout(Duration::from_secs(12), self.child.wait()).await.unwrap().unwrap();
        assert!(status.success(), "{status}");
        self.errors.read_to_string(&mut self.said).await.unwrap();
        (began.elapsed(), self.said)
    }
}

async fn post(address: &str, body: Value) -> (u16, String, Value) {
    let request = client().post(address).header("content-type", "application/json").body(body.to_string());
    let answer = request.send().await.unwrap();
    let token = answer.headers().get("authorization").map_or("", |value| value.to_str().unwrap()).to_owned();
    (answer.status().as_u16(), token, serde_json::from_str(&answer.text().await.unwrap()).unwrap())
}

/// An empty panel: the printed address makes its owner once; a start later it is not printed again.
#[tokio::test]
async fn a_first_start_makes_the_owner() {
    let home = tempfile::tempdir().unwrap();
    let mut panel = Program::start(home.path(), &[]);
    let address = panel.address().await;
    let invitation = panel.until("/setup#token=").await;
    let one_time = invitation.split("token=").nth(1).unwrap().to_owned();
    let owner = |token: &str| json!({ "token": token, "panel_name": "Corner shop", "name": "Olga", "email": "olga@shop.example", "password": "a long enough pass" });
    let (status, _, _) = post(&format!("{address}/setup"), owner("guess")).await;
    assert_eq!(status, 409);
    let (status, token, body) = post(&format!("{address}/setup"), owner(&one_time)).await;
    assert_eq!((status, body["user"]["name"].as_str()), (200, Some("Olga")), "{body}");
    assert!(token.starts_with("Bearer pnl_"));
    let (status, _, body) = post(&format!("{address}/setup"), owner(&one_time)).await;
    assert_eq!((status, body["code"].as_str()), (409, Some("already_set_up")));

    let copy = home.path().join("copy.db");
    let saved = run(home.path(), &["backup", copy.to_str().unwrap()]);
    assert!(saved.status.success(), "{}", errors(&saved));
    let again = run(home.path(), &["backup", copy.to_str().unwrap()]);
    assert!(!again.status.success() && errors(&again).contains("copy.db"), "{}", errors(&again));
    let checked = run(home.path(), &["doctor"]);
    assert!(checked.status.success(), "{}", errors(&checked));
    panel.end().await;

    let mut panel = Program::start(home.path(), &["serve"]);
    let address = panel.address().await;
    let login = json!({ "email": "olga@shop.example", "password": "a long enough pass" });
    assert_eq!(post(&format!("{address}/login"), login).await.0, 200);
    let (took, said) = panel.end().await;
    assert!(took < Duration::from_secs(5) && !said.contains("/setup#"), "{said}");
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
    let mut panel = Program { child, errors: reader, said: String::new() };
    let address = panel.address().await;
    let login = json!({ "email": "admin@panel.test", "password": "panel-demo" });
    let (status, bearer, _) = post(&format!("{address}/login"), login).await;
    assert_eq!(status, 200);
    let wrong = json!({ "email": "admin@panel.test", "password": "not-the-pass" });
    assert_eq!(post(&format!("{address}/login"), wrong).await.0, 422);
    let asked = client()
        .get(format!("{address}/api/v1/admin/orders?search[value]=query-secret"))
        .header("authorization", &bearer)
        .header("x-request-id", "one-two-three");
    assert_eq!(asked.send().await.unwrap().status(), 200);
    let (_, said) = panel.end().await;
    for secret in
        [bearer.trim_start_matches("Bearer "), "panel-demo", "not-the-pass", "query-secret", "search"]
    {
        assert!(!said.contains(secret), "{secret}: {said}");
    }
    let lines: Vec<Value> = said.lines().filter_map(|line| serde_json::from_str(line).ok()).collect();
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
    let mut panel = Program::of(command);
    let mut stdout = panel.child.stdout.take().unwrap();
    let address = panel.address().await;
    let token = panel.until("/setup#token=").await.split("token=").nth(1).unwrap().to_owned();
    let owner = json!({ "token": token, "panel_name": "Shop", "name": "Olga", "email": "olga@shop.example", "password": "a long enough pass" });
    assert_eq!(post(&format!("{address}/setup"), owner).await.0, 200);
    let greeting = panel.said.len();
    let wrong = json!({ "email": "olga@shop.example", "password": "another long pass" });
    let request = client().post(format!("{address}/login")).header("content-type", "application/json");
    // What an attacker can write into a request: a line break, an escape, a line of JSON.
    let hostile = "{\"level\":\"ERROR\"}\u{1b}[2K";
    let request =
        request.header("x-request-id", "joined-7").header("user-agent", hostile.replace('\u{1b}', " "));
    let answer = request.body(wrong.to_string()).send().await.unwrap();
    assert_eq!(
        (answer.status().as_u16(), &answer.headers()["x-request-id"]),
        (422, &"joined-7".parse().unwrap())
    );
    let path = format!("{address}/api/v1/admin/%0a%7b%22level%22:%22ERROR%22%7d%0a");
    client().get(path).header("x-request-id", "{forged}").send().await.unwrap();
    let (_, said) = panel.end().await;

    let mut lines = 0;
    for line in said[greeting..].lines() {
        let line: Value = serde_json::from_str(line).unwrap_or_else(|_| panic!("no JSON: {line:?}"));
        let moment = line["timestamp"].as_str().unwrap();
        assert!(chrono::DateTime::parse_from_rfc3339(moment).is_ok() && moment.ends_with('Z'), "{line}");
        assert!(["ERROR", "WARN", "INFO"].contains(&line["level"].as_str().unwrap()), "{line}");
        assert!(line["message"].is_string() && line["request_id"] != "{forged}", "{line}");
        lines += usize::from(line["request_id"] == "joined-7");
    }
    assert_eq!(lines, 1, "{said}");
    let config = Config { data_dir: home.path().join("data"), ..Config::default() };
    let db = Db::connect(&config.database()).await.unwrap();
    let sql = Sql::new(
        "SELECT count(*) FROM audits WHERE event = 'user.sign_in_failed' AND request_id = 'joined-7'",
    );
    assert_eq!((&mut &db).one::<(i64,)>(sql).await.unwrap().0, 1);
    db.close().await;
    let mut other = String::new();
    stdout.read_to_string(&mut other).await.unwrap();
    assert_eq!(other, "");
    let files = crate::backup::names(&config.data_dir);
    let known = ["panel.db", "panel.db-shm", "panel.db-wal", "panel.lock", "secret.key", "uploads"];
    assert!(files.iter().all(|file| known.contains(&file.as_str())), "{files:?}");
    assert_eq!(crate::backup::names(home.path()), ["data"]);
}

#[test]
fn mistakes_in_the_configuration_are_named() {
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
            !output.status.success() && errors(&output).to_lowercase().contains(message),
            "{name}: {}",
            errors(&output)
        );
    }
    std::fs::write(home.path().join("panel.toml"), "[limits]\nbody_bytes = \"many\"\n").unwrap();
    let output = run(home.path(), &["migrate"]);
    assert!(!output.status.success() && errors(&output).contains("body_bytes"), "{}", errors(&output));
    let output = run(home.path(), &["--config", "missing.toml", "migrate"]);
    assert!(errors(&output).contains("missing.toml"), "{}", errors(&output));
}

/// Another key cannot decrypt the secrets in the database, so the server refuses to start with it.
#[test]
fn another_key_is_refused() {
    let home = tempfile::tempdir().unwrap();
    assert!(run(home.path(), &["migrate"]).status.success());
    let key = home.path().join("data/secret.key");
    let mode = std::fs::metadata(&key).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
    let output =
        program(home.path()).arg("migrate").env("PANEL_SECRET_KEY", "ab".repeat(32)).output().unwrap();
    assert!(!output.status.success() && errors(&output).contains("another key"), "{}", errors(&output));
    assert!(run(home.path(), &["migrate"]).status.success());
}

/// The files below a folder that other users may open.
fn open_to_others(folder: &Path) -> Vec<String> {
    let mut found = Vec::new();
    let mut paths = vec![folder.to_path_buf()];
    while let Some(path) = paths.pop() {
        let metadata = std::fs::symlink_metadata(&path).unwrap();
        let mode = metadata.permissions().mode() & 0o777;
        if mode & 0o077 != 0 {
            found.push(format!("{} {mode:o}", path.display()));
        }
        if metadata.is_dir() {
            assert_eq!(mode, 0o700, "{}", path.display());
            paths.extend(std::fs::read_dir(&path).unwrap().map(|entry| entry.unwrap().path()));
        } else {
            assert_eq!(mode, 0o600, "{}", path.display());
        }
    }
    found
}

/// Files of a panel that was started without a umask, and of one whose folder was open before.
#[tokio::test]
async fn its_files_are_its_users_own_whatever_the_umask() {
    let home = tempfile::tempdir().unwrap();
    let data = home.path().join("data");
    let started = || {
        let mut shell = Command::new("sh");
        shell.args(["-c", "umask 000; exec \"$0\" serve", env!("CARGO_BIN_EXE_panel-server")]).env_clear();
        shell.current_dir(home.path()).env("PANEL_DATA_DIR", &data).env("PANEL_LISTEN", "127.0.0.1:0");
        shell.env("PANEL_MAIL__FOLDER", data.join("mails"));
        let mut command = tokio::process::Command::from(shell);
        let mut child = command.stderr(Stdio::piped()).kill_on_drop(true).spawn().unwrap();
        let errors = BufReader::new(child.stderr.take().unwrap());
        Program { child, errors, said: String::new() }
    };
    let mut panel = started();
    panel.address().await;
    for name in ["panel.db", "panel.db-wal", "panel.db-shm", "secret.key", "uploads", "mails"] {
        assert!(data.join(name).exists(), "{name}");
    }
    assert_eq!(open_to_others(&data), [""; 0]);
    panel.end().await;

    let open = |name: &str, mode: u32| {
        std::fs::set_permissions(data.join(name), std::fs::Permissions::from_mode(mode)).unwrap();
    };
    open("", 0o755);
    open("panel.db", 0o644);
    open("secret.key", 0o640);
    open("uploads", 0o775);
    std::fs::write(data.join("copy.db"), "").unwrap();
    open("copy.db", 0o666);
    let mut panel = started();
    panel.address().await;
    assert_eq!(open_to_others(&data), [""; 0], "what was open is closed at the start");
    panel.end().await;
}

/// Webhooks whose secrets the panel's present key seals.
async fn seal_webhooks(data: &Path, count: i64) {
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
    (&mut &db).exec(rows).await.unwrap();
    db.close().await;
}

/// A rotation that is killed leaves values of both keys; the next one goes on, and then the former key is not needed.
#[tokio::test]
async fn a_killed_rotation_is_resumed() {
    let home = tempfile::tempdir().unwrap();
    assert!(run(home.path(), &["migrate"]).status.success());
    let data = home.path().join("data");
    seal_webhooks(&data, 5_000).await;
    let (old, new) = (std::fs::read_to_string(data.join("secret.key")).unwrap(), "ab".repeat(32));
    let with_both = |arguments: &[&str]| {
        let mut command = program(home.path());
        command
            .args(arguments)
            .env("PANEL_SECRET_KEY", &new)
            .env("PANEL_FORMER_SECRET_KEYS", format!("[\"{old}\"]"));
        command
    };
    let mut command = tokio::process::Command::from(with_both(&["secrets", "rotate"]));
    let mut child = command.stdout(Stdio::null()).stderr(Stdio::piped()).kill_on_drop(true).spawn().unwrap();
    let stderr = BufReader::new(child.stderr.take().unwrap());
    let mut rotating = Program { child, errors: stderr, said: String::new() };
    rotating.until("webhooks.secret_sealed: 400 values").await;
    rotating.child.kill().await.unwrap();

    let status = String::from_utf8(with_both(&["secrets", "status"]).output().unwrap().stdout).unwrap();
    assert!(status.contains("(current)") && status.contains("(former)"), "both keys: {status}");
    assert!(!status.contains(&old) && !status.contains(&new));
    let only_new = || program(home.path()).arg("migrate").env("PANEL_SECRET_KEY", &new).output().unwrap();
    assert!(errors(&only_new()).contains("another key"));

    let rest = with_both(&["secrets", "rotate"]).output().unwrap();
    assert!(rest.status.success(), "{}", errors(&rest));
    let output = String::from_utf8_lossy(&rest.stdout);
    assert!(
        output.contains("(current): 5002 values, 0 documents") && !output.contains("(former)"),
        "{output}"
    );
    assert!(errors(&rest).contains("no longer needed"), "{}", errors(&rest));
    assert!(only_new().status.success());
    // The key file that is left behind is not the panel's key any more.
    let with_old = run(home.path(), &["migrate"]);
    assert!(!with_old.status.success() && errors(&with_old).contains("another key"), "{}", errors(&with_old));
    let same = program(home.path())
        .args(["secrets", "rotate"])
        .env("PANEL_SECRET_KEY", &new)
        .env("PANEL_FORMER_SECRET_KEYS", format!("[\"{new}\"]"))
        .output()
        .unwrap();
    assert!(!same.status.success() && errors(&same).contains("also a former key"), "{}", errors(&same));
}

/// A backup is restored with the key that the panel had then, and the rotation is made again.
#[test]
fn a_backup_from_before_a_rotation_is_restored() {
    let home = tempfile::tempdir().unwrap();
    assert!(run(home.path(), &["migrate"]).status.success());
    let made = run(home.path(), &["backup", "--encrypt", "copy"]);
    assert!(made.status.success(), "{}", errors(&made));
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
        assert!(output.status.success(), "{arguments:?}: {}", errors(&output));
    }
    std::fs::write(&file, &new).unwrap();
    let refused = run(home.path(), &["migrate"]);
    assert!(!refused.status.success() && errors(&refused).contains("another key"), "{}", errors(&refused));
    let refused = run(home.path(), &["restore", "--check", "copy"]);
    assert!(errors(&refused).contains("former_secret_keys"), "{}", errors(&refused));
    std::fs::write(&file, format!("{new}\n{old}\n")).unwrap();
    assert!(run(home.path(), &["secrets", "rotate"]).status.success());
    std::fs::write(&file, &new).unwrap();
    assert!(run(home.path(), &["migrate"]).status.success());
}

#[test]
fn the_demo_listens_on_loopback_only() {
    let home = tempfile::tempdir().unwrap();
    let output = run(home.path(), &["demo", "--listen", "0.0.0.0:0"]);
    assert!(!output.status.success() && errors(&output).contains("loopback"), "{}", errors(&output));
}
