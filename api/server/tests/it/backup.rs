//! Backups: whole or not at all, beside a running panel; one process writes to a folder.

use std::path::Path;
use std::process::Command;

use panel_platform::db::{Dialect, backup};

use crate::panel::Panel;
use crate::program::{Program, errors, program, run};

/// Names of the files in a folder, hidden ones too.
pub(crate) fn names(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).unwrap();
    let mut names: Vec<_> = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

#[tokio::test]
async fn a_failed_copy_leaves_no_file() {
    let panel = Panel::on(Dialect::Sqlite).await;
    panel.fill(200, 500).await;
    panel.app.db.close().await;
    let source = panel.app.config.database().path;
    let target = tempfile::tempdir().unwrap();
    let copy = target.path().join("copy.db");
    backup::write(&source, &copy).await.unwrap();
    assert_eq!(names(target.path()), ["copy.db"]);
    let mode = std::os::unix::fs::PermissionsExt::mode(&std::fs::metadata(&copy).unwrap().permissions());
    assert_eq!(mode & 0o777, 0o600);
    let whole = std::fs::read(&copy).unwrap();
    assert!(backup::write(&source, &copy).await.unwrap_err().to_string().contains("copy.db"));
    assert_eq!(std::fs::read(&copy).unwrap(), whole, "the copy that was there stays");

    let mut bytes = std::fs::read(&source).unwrap();
    let (from, to) = (bytes.len() * 2 / 5, bytes.len() * 3 / 5);
    bytes[from..to].fill(0xff);
    std::fs::write(&source, bytes).unwrap();
    assert!(backup::write(&source, &target.path().join("second.db")).await.is_err());
    assert!(backup::write(&target.path().join("missing.db"), &target.path().join("third.db")).await.is_err());
    assert_eq!(names(target.path()), ["copy.db"]);
}

/// The second server is refused, what only reads is not, and a killed server leaves no lock behind.
#[tokio::test]
async fn one_server_has_the_folder() {
    let home = tempfile::tempdir().unwrap();
    let mut panel = Program::start(home.path(), &[]);
    panel.address().await;
    for command in [&["serve"][..], &["migrate"]] {
        let second = run(home.path(), command);
        let said = errors(&second);
        assert!(!second.status.success() && said.contains("another panel-server (process "), "{said}");
    }
    assert!(run(home.path(), &["doctor"]).status.success());
    let copy = home.path().join("copy");
    let saved = run(home.path(), &["backup", copy.to_str().unwrap()]);
    assert!(saved.status.success(), "{}", errors(&saved));
    let mut admin = program(home.path());
    admin.args(["admin", "create", "--name", "Olga", "--email", "olga@shop.example"]);
    let file = home.path().join("password");
    std::fs::write(&file, "a long enough pass\n").unwrap();
    let made = admin.stdin(std::fs::File::open(&file).unwrap()).output().unwrap();
    assert!(made.status.success(), "{}", errors(&made));

    let id = panel.child.id().unwrap().to_string();
    assert!(Command::new("kill").args(["-KILL", &id]).status().unwrap().success());
    panel.child.wait().await.unwrap();
    let mut panel = Program::start(home.path(), &[]);
    panel.address().await;
}
