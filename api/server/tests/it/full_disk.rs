//! A full disk under the running program. A preloaded library makes every write to a file fail as on a full disk. The readiness
//! check reports it, reads still work, and the refused request succeeds when there is space again.

use std::fs::{self, File};
use std::os::unix::fs::FileExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::program::{Program, program};
use crate::test_server::client;

/// The errno of a full disk, ENOSPC.
const NO_SPACE: &str = "28";
/// The longest wait for a changed readiness result, which the server caches for one second.
const READINESS_TIMEOUT: Duration = Duration::from_secs(5);

/// Compiles the library of the torture runs. `cc` is installed wherever Rust is, because it links Rust programs.
fn compile_shim(home: &Path) -> PathBuf {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("../torture/src/shim.c");
    let library = home.join("shim.so");
    let mut compiler = Command::new("cc");
    compiler.args(["-shared", "-fPIC", "-o"]).arg(&library).arg(source).arg("-ldl");
    let output = compiler.output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    library
}

/// The file that controls the library: two 64-bit numbers, of which the second is 1 while the disk is full.
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

async fn readiness(address: &str) -> (u16, Value) {
    let answer = client().get(format!("{address}/readyz")).send().await.unwrap();
    (answer.status().as_u16(), serde_json::from_str(&answer.text().await.unwrap()).unwrap())
}

/// Polls readiness until it has this status, and returns its body.
async fn wait_for_readiness(address: &str, status: u16) -> Value {
    let started = Instant::now();
    loop {
        let (current, body) = readiness(address).await;
        if current == status {
            return body;
        }
        assert!(started.elapsed() < READINESS_TIMEOUT, "readiness stays {current}: {body}");
        tokio::task::yield_now().await;
    }
}

#[tokio::test]
async fn readiness_reports_a_full_disk_until_it_has_space() {
    let home = tempfile::tempdir().unwrap();
    let control = home.path().join("control");
    let disk = DiskControl::create(&control);
    let mut command = program(home.path());
    command.arg("serve").env("LD_PRELOAD", compile_shim(home.path()));
    command.env("TORTURE_CONTROL", &control).env("TORTURE_ERRNO", NO_SPACE);
    // The test does not read the log, and a full pipe would block the program.
    command.env("PANEL_LOG_LEVEL", "off");
    let mut panel = Program::from_command(command);
    let address = panel.address().await;
    let token = panel.wait_for_line("/setup#token=").await.split("token=").nth(1).unwrap().to_owned();
    assert_eq!(readiness(&address).await.0, 200);

    disk.set_full(true);
    let body = wait_for_readiness(&address, 503).await;
    assert_eq!(body["code"], "storage_full", "{body}");
    assert_eq!(body["errors"], json!({ "database_write": ["storage_full"] }));
    let setup_body = json!({ "token": token, "panel_name": "Shop", "name": "Olga", "email": "olga@shop.example", "password": "a long enough pass" });
    let setup_request =
        || client().post(format!("{address}/setup")).header("content-type", "application/json");
    let refused = setup_request().body(setup_body.to_string()).send().await.unwrap();
    assert!(refused.headers().contains_key("retry-after"));
    assert_eq!(refused.status(), 507, "{}", refused.text().await.unwrap());
    assert_eq!(client().get(format!("{address}/healthz")).send().await.unwrap().status(), 200);

    disk.set_full(false);
    wait_for_readiness(&address, 200).await;
    let created = setup_request().body(setup_body.to_string()).send().await.unwrap();
    assert_eq!(created.status(), 200, "{}", created.text().await.unwrap());
    panel.stop().await;
}
