//! Runs `panel-server demo` as a separate process: creates the records, serves requests, and measures CPU time and memory.

use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};

/// The path of the measured program: `BENCH_PROGRAM`, such as a production build, or the program that cargo built.
pub(crate) fn program_under_test() -> String {
    std::env::var("BENCH_PROGRAM").unwrap_or_else(|_| env!("CARGO_BIN_EXE_panel-server").to_owned())
}

fn demo_command(program: &str, folder: &Path, database_url: Option<&str>) -> Command {
    let mut command = Command::new(program);
    command.args(["demo", "--still", "--listen", "127.0.0.1:0", "--data"]).arg(folder).stdin(Stdio::null());
    command.env("PANEL_LIMITS__REQUESTS_PER_MINUTE", "1000000000");
    command.env("PANEL_LIMITS__ADDRESS_REQUESTS_PER_MINUTE", "1000000000");
    command.env("PANEL_OUTBOUND__PANEL_CALLS_PER_SECOND", "100");
    // The server must not close the connections of clients that wait until the other clients have warmed up.
    command.env("PANEL_LIMITS__HEADER_SECONDS", "600");
    match database_url {
        Some(database_url) => command.env("PANEL_DATABASE_URL", database_url),
        None => command.env_remove("PANEL_DATABASE_URL"),
    };
    command
}

/// Creates the records of the demo. Returns the duration.
pub(crate) fn create_demo_records(folder: &Path, database_url: Option<&str>, orders: i64) -> Duration {
    let started_at = Instant::now();
    let users = (orders / 50).to_string();
    let status = demo_command(&program_under_test(), folder, database_url)
        .args(["--only-fill", "--orders", &orders.to_string(), "--users", &users])
        .status()
        .unwrap();
    assert!(status.success(), "failed to create the demo records: {status}");
    started_at.elapsed()
}

pub(crate) struct ServerProcess {
    child: Child,
    pub(crate) base_url: String,
    pub(crate) client: reqwest::Client,
    /// Value of the `Authorization` header.
    authorization: String,
    /// Time from the start of the program to its first response.
    pub(crate) startup_time: Duration,
    /// Resident memory after the first response, in MB.
    pub(crate) idle_mb: f64,
}

impl ServerProcess {
    /// Starts the program on existing records and signs in.
    pub(crate) async fn start(folder: &Path, database_url: Option<&str>) -> Self {
        Self::start_program(&program_under_test(), &[], folder, database_url).await
    }

    /// Like [`Self::start`], for another program or with additional environment variables.
    #[expect(clippy::disallowed_methods, reason = "the benchmark is an external client")]
    pub(crate) async fn start_program(
        program: &str,
        env_variables: &[(&str, &str)],
        folder: &Path,
        database_url: Option<&str>,
    ) -> Self {
        let started_at = Instant::now();
        let mut command = demo_command(program, folder, database_url);
        command.envs(env_variables.iter().copied());
        let mut child = command.stderr(Stdio::piped()).spawn().unwrap();
        let mut lines = BufReader::new(child.stderr.take().unwrap()).lines();
        let base_url = lines.find_map(|line| {
            let line = line.unwrap();
            line.find("http://").map(|url_start| line[url_start..].to_owned())
        });
        let base_url = base_url.unwrap();
        let anonymous_client = reqwest::Client::new();
        while anonymous_client.get(format!("{base_url}/readyz")).send().await.is_err() {}
        let startup_time = started_at.elapsed();
        std::thread::spawn(move || lines.for_each(drop));
        let idle_mb = resident_memory_mb(child.id());
        let body = json!({ "email": "admin@panel.test", "password": "panel-demo" });
        let sign_in_request = anonymous_client
            .post(format!("{base_url}/login"))
            .body(body.to_string())
            .header("content-type", "application/json");
        let authorization = sign_in_request.send().await.unwrap().headers()["authorization"].clone();
        let authorization_text = authorization.to_str().unwrap().to_owned();
        let headers = [(reqwest::header::AUTHORIZATION, authorization)].into_iter().collect();
        let client = reqwest::Client::builder().default_headers(headers).build().unwrap();
        Self { child, base_url, client, authorization: authorization_text, startup_time, idle_mb }
    }

    /// CPU time of the process so far, in seconds.
    pub(crate) fn cpu_seconds(&self) -> f64 {
        let stat = std::fs::read_to_string(format!("/proc/{}/stat", self.child.id())).unwrap_or_default();
        let fields: Vec<&str> = stat.rsplit(')').next().unwrap_or_default().split_whitespace().collect();
        // User and system time, in hundredths of a second.
        [11, 12].iter().filter_map(|index| fields.get(*index)?.parse::<f64>().ok()).sum::<f64>() / 100.0
    }

    /// Private memory, and mapped file pages, which the kernel can reclaim; both in MB.
    pub(crate) fn memory_mb(&self) -> (f64, f64) {
        (memory_field_mb(self.child.id(), "RssAnon:"), memory_field_mb(self.child.id(), "RssFile:"))
    }

    pub(crate) async fn get(&self, path: &str) -> Value {
        let response = self.client.get(format!("{}{path}", self.base_url)).send().await.unwrap();
        assert_eq!(response.status(), 200, "{path}");
        serde_json::from_slice(&response.bytes().await.unwrap()).unwrap()
    }

    /// Opens a persistent connection for requests of `path`. It needs little CPU time on the client's side.
    pub(crate) async fn open_connection(&self, path: &str) -> BenchmarkConnection {
        let host = self.base_url.trim_start_matches("http://");
        let stream = tokio::net::TcpStream::connect(host).await.unwrap();
        stream.set_nodelay(true).unwrap();
        let path = path.replace(' ', "%20");
        let request = format!(
            "GET {path} HTTP/1.1\r\nHost: {host}\r\nAuthorization: {}\r\nAccept: application/json\r\n\r\n",
            self.authorization
        );
        BenchmarkConnection { stream, request: request.into_bytes(), response: vec![0; 1 << 20] }
    }

    pub(crate) async fn post(&self, path: &str, body: &Value) -> Value {
        let request =
            self.client.post(format!("{}{path}", self.base_url)).header("content-type", "application/json");
        let response = request.body(body.to_string()).send().await.unwrap();
        let (status, text) = (response.status(), response.text().await.unwrap());
        assert!(status.is_success(), "{path}: {status} {text}");
        serde_json::from_str(&text).unwrap()
    }
}

impl Drop for ServerProcess {
    fn drop(&mut self) {
        let _kill_result = self.child.kill();
        let _wait_result = self.child.wait();
    }
}

fn resident_memory_mb(pid: u32) -> f64 {
    memory_field_mb(pid, "VmRSS:")
}

/// A memory field of the process's status in procfs, in MB.
fn memory_field_mb(pid: u32, name: &str) -> f64 {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix(name)).unwrap_or("0 kB");
    line.trim().trim_end_matches(" kB").parse::<f64>().unwrap_or(0.0) / 1024.0
}

/// A connection that sends the same request repeatedly.
pub(crate) struct BenchmarkConnection {
    stream: tokio::net::TcpStream,
    request: Vec<u8>,
    /// Buffer for the response.
    response: Vec<u8>,
}

impl BenchmarkConnection {
    /// Sends one request and reads the whole response.
    pub(crate) async fn send_request(&mut self) {
        self.stream.write_all(&self.request).await.unwrap();
        let mut read_length = 0;
        let (header_length, body_length) = loop {
            read_length += self.read_more(read_length).await;
            if let Some(header_end) =
                self.response[..read_length].windows(4).position(|window| window == b"\r\n\r\n")
            {
                let header = std::str::from_utf8(&self.response[..header_end]).unwrap().to_ascii_lowercase();
                assert!(header.starts_with("http/1.1 200"), "{header}");
                let content_length =
                    header.lines().find_map(|line| line.strip_prefix("content-length: ")).unwrap();
                break (header_end + 4, content_length.parse::<usize>().unwrap());
            }
        };
        while read_length < header_length + body_length {
            read_length += self.read_more(read_length).await;
        }
    }

    async fn read_more(&mut self, offset: usize) -> usize {
        let count = self.stream.read(&mut self.response[offset..]).await.unwrap();
        assert!(count > 0, "the server closed the connection");
        count
    }
}
