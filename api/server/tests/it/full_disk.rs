//! Runs the server with a full disk: a preloaded library makes every write to a file fail with ENOSPC. The readiness check must
//! report the full disk, reads must still work, and a rejected request must succeed once space is free.

use std::fs::{self, File};
use std::os::unix::fs::FileExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::program::{ServerProcess, server_command};
use crate::test_server::client;

/// The number of the error ENOSPC, "no space left on device".
const ENOSPC: &str = "28";
/// Maximum time until the readiness result changes. The server caches the result for one second.
const READINESS_TIMEOUT: Duration = Duration::from_secs(5);

/// Compiles the fault-injection library of the stress tests, `../torture/src/shim.c`. Every system with Rust has `cc`, because it
/// links Rust programs.
fn compile_fault_library(home: &Path) -> PathBuf {
    let source_path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../torture/src/shim.c");
    let library_path = home.join("shim.so");
    let mut compiler = Command::new("cc");
    compiler.args(["-shared", "-fPIC", "-o"]).arg(&library_path).arg(source_path).arg("-ldl");
    let output = compiler.output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    library_path
}

/// The file that controls the library. It holds two 64-bit numbers: this test does not use the first; the second is 1 while the
/// disk is full.
struct DiskControl(File);

impl DiskControl {
    fn create(path: &Path) -> Self {
        fs::write(path, [0; 16]).unwrap();
        Self(File::options().write(true).open(path).unwrap())
    }

    fn set_full(&self, is_full: bool) {
        self.0.write_all_at(&i64::from(is_full).to_ne_bytes(), 8).unwrap();
    }
}

async fn fetch_readiness(address: &str) -> (u16, Value) {
    let response = client().get(format!("{address}/readyz")).send().await.unwrap();
    (response.status().as_u16(), serde_json::from_str(&response.text().await.unwrap()).unwrap())
}

/// Polls the readiness check until it has this HTTP status, and returns its body.
async fn wait_for_readiness(address: &str, status: u16) -> Value {
    let started = Instant::now();
    loop {
        let (current_status, body) = fetch_readiness(address).await;
        if current_status == status {
            return body;
        }
        assert!(
            started.elapsed() < READINESS_TIMEOUT,
            "the readiness check still has the status {current_status}: {body}"
        );
        tokio::task::yield_now().await;
    }
}

#[tokio::test]
async fn readiness_reports_a_full_disk_until_space_is_free() {
    let home = tempfile::tempdir().unwrap();
    let control_path = home.path().join("control");
    let disk = DiskControl::create(&control_path);
    let mut command = server_command(home.path());
    command.arg("serve").env("LD_PRELOAD", compile_fault_library(home.path()));
    command.env("TORTURE_CONTROL", &control_path).env("TORTURE_ERRNO", ENOSPC);
    // The test does not read the log, and a full pipe would block the server.
    command.env("PANEL_LOG_LEVEL", "off");
    let mut server = ServerProcess::from_command(command);
    let address = server.address().await;
    let token = server.wait_for_line("/setup#token=").await.split("token=").nth(1).unwrap().to_owned();
    assert_eq!(fetch_readiness(&address).await.0, 200);

    disk.set_full(true);
    let body = wait_for_readiness(&address, 503).await;
    assert_eq!(body["code"], "storage_full", "{body}");
    assert_eq!(body["errors"], json!({ "database_write": ["storage_full"] }));
    let setup_body = json!({ "token": token, "panel_name": "Shop", "name": "Olga", "email": "olga@shop.example", "password": "a long enough pass" });
    let setup_request =
        || client().post(format!("{address}/setup")).header("content-type", "application/json");
    let rejected_response = setup_request().body(setup_body.to_string()).send().await.unwrap();
    assert!(rejected_response.headers().contains_key("retry-after"));
    assert_eq!(rejected_response.status(), 507, "{}", rejected_response.text().await.unwrap());
    assert_eq!(client().get(format!("{address}/healthz")).send().await.unwrap().status(), 200);

    disk.set_full(false);
    wait_for_readiness(&address, 200).await;
    let setup_response = setup_request().body(setup_body.to_string()).send().await.unwrap();
    assert_eq!(setup_response.status(), 200, "{}", setup_response.text().await.unwrap());
    server.stop().await;
}
