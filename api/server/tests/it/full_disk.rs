//! A disk without room under the program itself. A library that is preloaded plays it: every write to a file fails as on a full
//! disk. Readiness says so, reading goes on, and what was refused succeeds once there is room again.

use std::fs::{self, File};
use std::os::unix::fs::FileExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::program::{Program, program};
use crate::served::client;

/// What the system calls a disk without room (ENOSPC).
const NO_SPACE: &str = "28";
/// The server shares a result of readiness for a second.
const SEEN_WITHIN: Duration = Duration::from_secs(5);

/// Compiles the library of the torture run; a linker for C is here wherever Rust programs are built.
fn compile_shim(home: &Path) -> PathBuf {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("../torture/src/shim.c");
    let library = home.join("shim.so");
    let mut compiler = Command::new("cc");
    compiler.args(["-shared", "-fPIC", "-o"]).arg(&library).arg(source).arg("-ldl");
    let output = compiler.output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    library
}

/// The file in which the library reads whether writes fail: two 64-bit numbers, of which the second is 1 on a full disk.
struct Disk(File);

impl Disk {
    fn make(path: &Path) -> Self {
        fs::write(path, [0; 16]).unwrap();
        Self(File::options().write(true).open(path).unwrap())
    }

    fn set_full(&self, is_full: bool) {
        self.0.write_all_at(&i64::from(is_full).to_ne_bytes(), 8).unwrap();
    }
}

async fn readiness(address: &str) -> (u16, Value) {
    let answer = client().get(format!("{address}/readyz")).send().await.unwrap();
    (answer.status().as_u16(), serde_json::from_str(&answer.text().await.unwrap()).unwrap())
}

/// Asks until readiness has this status; the body that comes with it.
async fn readiness_becomes(address: &str, status: u16) -> Value {
    let begun = Instant::now();
    loop {
        let (current, body) = readiness(address).await;
        if current == status {
            return body;
        }
        assert!(begun.elapsed() < SEEN_WITHIN, "readiness stays {current}: {body}");
        tokio::task::yield_now().await;
    }
}

#[tokio::test]
async fn readiness_tells_of_a_full_disk_and_of_its_end() {
    let home = tempfile::tempdir().unwrap();
    let control = home.path().join("control");
    let disk = Disk::make(&control);
    let mut command = program(home.path());
    command.arg("serve").env("LD_PRELOAD", compile_shim(home.path()));
    command.env("TORTURE_CONTROL", &control).env("TORTURE_ERRNO", NO_SPACE);
    // Nothing reads the log here, and a pipe that is full would stop the program.
    command.env("PANEL_LOG_LEVEL", "off");
    let mut panel = Program::of(command);
    let address = panel.address().await;
    let token = panel.until("/setup#token=").await.split("token=").nth(1).unwrap().to_owned();
    assert_eq!(readiness(&address).await.0, 200);

    disk.set_full(true);
    let body = readiness_becomes(&address, 503).await;
    assert_eq!(body["code"], "storage_full", "{body}");
    assert_eq!(body["errors"], json!({ "database_write": ["storage_full"] }));
    let owner = json!({ "token": token, "panel_name": "Shop", "name": "Olga", "email": "olga@shop.example", "password": "a long enough pass" });
    let set_up = || client().post(format!("{address}/setup")).header("content-type", "application/json");
    let refused = set_up().body(owner.to_string()).send().await.unwrap();
    assert!(refused.headers().contains_key("retry-after"));
    assert_eq!(refused.status(), 507, "{}", refused.text().await.unwrap());
    assert_eq!(client().get(format!("{address}/healthz")).send().await.unwrap().status(), 200);

    disk.set_full(false);
    readiness_becomes(&address, 200).await;
    let made = set_up().body(owner.to_string()).send().await.unwrap();
    assert_eq!(made.status(), 200, "{}", made.text().await.unwrap());
    panel.end().await;
}
