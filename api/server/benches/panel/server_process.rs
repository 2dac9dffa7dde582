//! Runs `panel-server demo` as a separate process: fills the database, serves, and measures CPU time and memory.

use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};

/// The path of the measured program: `BENCH_PROGRAM`, such as a production build, or the program that cargo built.
pub(crate) fn measured_program() -> String {
    std::env::var("BENCH_PROGRAM").unwrap_or_else(|_| env!("CARGO_BIN_EXE_panel-server").to_owned())
}

fn demo_command(path: &str, folder: &Path, url: Option<&str>) -> Command {
    let mut command = Command::new(path);
    command.args(["demo", "--still", "--listen", "127.0.0.1:0", "--data"]).arg(folder).stdin(Stdio::null());
    command.env("PANEL_LIMITS__REQUESTS_PER_MINUTE", "1000000000");
    command.env("PANEL_LIMITS__ADDRESS_REQUESTS_PER_MINUTE", "1000000000");
    command.env("PANEL_OUTBOUND__PANEL_CALLS_PER_SECOND", "100");
    // The server must not disconnect callers that wait until the others have warmed up.
    command.env("PANEL_LIMITS__HEADER_SECONDS", "600");
    match url {
        Some(url) => command.env("PANEL_DATABASE_URL", url),
        None => command.env_remove("PANEL_DATABASE_URL"),
    };
    command
}

/// Creates the records of the demo. Returns the duration.
pub(crate) fn fill(folder: &Path, url: Option<&str>, orders: i64) -> Duration {
    let started = Instant::now();
    let users = (orders / 50).to_string();
    let status = demo_command(&measured_program(), folder, url)
        .args(["--only-fill", "--orders", &orders.to_string(), "--users", &users])
        .status()
        .unwrap();
    assert!(status.success());
    started.elapsed()
}

pub(crate) struct ServerProcess {
    child: Child,
    pub(crate) base_url: String,
    pub(crate) client: reqwest::Client,
    token: String,
    /// The time from the start of the program to its first response.
    pub(crate) startup_time: Duration,
    /// The resident memory after the first response, in MB.
    pub(crate) idle_mb: f64,
}

impl ServerProcess {
    /// Starts the program on existing records and signs in.
    pub(crate) async fn start(folder: &Path, url: Option<&str>) -> Self {
        Self::start_program(&measured_program(), &[], folder, url).await
    }

    /// Like [`Self::start`], for another program or with additional environment variables.
    #[expect(clippy::disallowed_methods, reason = "the bench is an external client")]
    pub(crate) async fn start_program(
        path: &str,
        variables: &[(&str, &str)],
        folder: &Path,
        url: Option<&str>,
    ) -> Self {
        let started = Instant::now();
        let mut command = demo_command(path, folder, url);
        command.envs(variables.iter().copied());
        let mut child = command.stderr(Stdio::piped()).spawn().unwrap();
        let mut lines = BufReader::new(child.stderr.take().unwrap()).lines();
        let base_url = lines.find_map(|line| {
            let line = line.unwrap();
            line.find("http://").map(|at| line[at..].to_owned())
        });
        let base_url = base_url.unwrap();
        let anonymous_client = reqwest::Client::new();
        while anonymous_client.get(format!("{base_url}/readyz")).send().await.is_err() {}
        let startup_time = started.elapsed();
        std::thread::spawn(move || lines.for_each(drop));
        let idle_mb = resident_mb(child.id());
        let body = json!({ "email": "admin@panel.test", "password": "panel-demo" });
        let sign_in = anonymous_client
            .post(format!("{base_url}/login"))
            .body(body.to_string())
            .header("content-type", "application/json");
        let token = sign_in.send().await.unwrap().headers()["authorization"].clone();
        let bearer = token.to_str().unwrap().to_owned();
        let headers = [(reqwest::header::AUTHORIZATION, token)].into_iter().collect();
        let client = reqwest::Client::builder().default_headers(headers).build().unwrap();
        Self { child, base_url, client, token: bearer, startup_time, idle_mb }
    }

    /// The CPU time of the program so far, in seconds.
    pub(crate) fn cpu_seconds(&self) -> f64 {
        let stat = std::fs::read_to_string(format!("/proc/{}/stat", self.child.id())).unwrap_or_default();
        let fields: Vec<&str> = stat.rsplit(')').next().unwrap_or_default().split_whitespace().collect();
        // User and system time, in hundredths of a second.
        [11, 12].iter().filter_map(|index| fields.get(*index)?.parse::<f64>().ok()).sum::<f64>() / 100.0
    }

    /// The private memory, and the mapped part of the database file, which the system can reclaim; both in MB.
    pub(crate) fn memory_mb(&self) -> (f64, f64) {
        (status_mb(self.child.id(), "RssAnon:"), status_mb(self.child.id(), "RssFile:"))
    }

    pub(crate) async fn get(&self, path: &str) -> Value {
        let answer = self.client.get(format!("{}{path}", self.base_url)).send().await.unwrap();
        assert_eq!(answer.status(), 200, "{path}");
        serde_json::from_slice(&answer.bytes().await.unwrap()).unwrap()
    }

    /// Opens a persistent connection that requests `path` with minimal CPU time of the client.
    pub(crate) async fn caller(&self, path: &str) -> Caller {
        let host = self.base_url.trim_start_matches("http://");
        let stream = tokio::net::TcpStream::connect(host).await.unwrap();
        stream.set_nodelay(true).unwrap();
        let path = path.replace(' ', "%20");
        let request = format!(
            "GET {path} HTTP/1.1\r\nHost: {host}\r\nAuthorization: {}\r\nAccept: application/json\r\n\r\n",
            self.token
        );
        Caller { stream, request: request.into_bytes(), response: vec![0; 1 << 20] }
    }

    pub(crate) async fn post(&self, path: &str, body: &Value) -> Value {
        let request =
            self.client.post(format!("{}{path}", self.base_url)).header("content-type", "application/json");
        let answer = request.body(body.to_string()).send().await.unwrap();
        let (status, text) = (answer.status(), answer.text().await.unwrap());
        assert!(status.is_success(), "{path}: {status} {text}");
        serde_json::from_str(&text).unwrap()
    }
}

impl Drop for ServerProcess {
    fn drop(&mut self) {
        let _killed = self.child.kill();
        let _waited = self.child.wait();
    }
}

fn resident_mb(pid: u32) -> f64 {
    status_mb(pid, "VmRSS:")
}

fn status_mb(pid: u32, name: &str) -> f64 {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix(name)).unwrap_or("0 kB");
    line.trim().trim_end_matches(" kB").parse::<f64>().unwrap_or(0.0) / 1024.0
}

/// A client with one connection.
pub(crate) struct Caller {
    stream: tokio::net::TcpStream,
    request: Vec<u8>,
    /// Buffer for the response.
    response: Vec<u8>,
}

impl Caller {
    /// Sends one request and reads the whole response.
    pub(crate) async fn call(&mut self) {
        self.stream.write_all(&self.request).await.unwrap();
        let mut read = 0;
        let (header_length, body_length) = loop {
            read += self.read_more(read).await;
            if let Some(at) = self.response[..read].windows(4).position(|window| window == b"\r\n\r\n") {
                let header = std::str::from_utf8(&self.response[..at]).unwrap().to_ascii_lowercase();
                assert!(header.starts_with("http/1.1 200"), "{header}");
                let length = header.lines().find_map(|line| line.strip_prefix("content-length: ")).unwrap();
                break (at + 4, length.parse::<usize>().unwrap());
            }
        };
        while read < header_length + body_length {
            read += self.read_more(read).await;
        }
    }

    async fn read_more(&mut self, from: usize) -> usize {
        let read = self.stream.read(&mut self.response[from..]).await.unwrap();
        assert!(read > 0, "the server closed the connection");
        read
    }
}
