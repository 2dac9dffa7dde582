//! Backups: a copy is complete or absent, the panel runs meanwhile, and one process at a time writes to a data folder.

use std::path::Path;
use std::process::Command;

use panel_platform::db::{Dialect, backup};

use crate::panel::Panel;
use crate::program::{Program, program, run, stderr_of};

/// The sorted names of the files in a folder, with hidden files.
pub(crate) fn file_names(folder: &Path) -> Vec<String> {
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
    let target_folder = tempfile::tempdir().unwrap();
    let copy = target_folder.path().join("copy.db");
    backup::copy_sqlite(&source, &copy).await.unwrap();
    assert_eq!(file_names(target_folder.path()), ["copy.db"]);
    let mode = std::os::unix::fs::PermissionsExt::mode(&std::fs::metadata(&copy).unwrap().permissions());
    assert_eq!(mode & 0o777, 0o600);
    let first_copy = std::fs::read(&copy).unwrap();
    assert!(backup::copy_sqlite(&source, &copy).await.unwrap_err().to_string().contains("copy.db"));
    assert_eq!(std::fs::read(&copy).unwrap(), first_copy, "the existing copy stays");

    let mut bytes = std::fs::read(&source).unwrap();
    let (from, to) = (bytes.len() * 2 / 5, bytes.len() * 3 / 5);
    bytes[from..to].fill(0xff);
    std::fs::write(&source, bytes).unwrap();
    assert!(backup::copy_sqlite(&source, &target_folder.path().join("second.db")).await.is_err());
    assert!(
        backup::copy_sqlite(&target_folder.path().join("missing.db"), &target_folder.path().join("third.db"))
            .await
            .is_err()
    );
    assert_eq!(file_names(target_folder.path()), ["copy.db"]);
}

/// A second server on the folder fails to start, commands that only read the folder work, and a killed server leaves no lock.
#[tokio::test]
async fn one_server_at_a_time_uses_a_data_folder() {
    let home = tempfile::tempdir().unwrap();
    let mut panel = Program::start(home.path(), &[]);
    panel.address().await;
    for command in [&["serve"][..], &["migrate"]] {
        let second = run(home.path(), command);
        let stderr = stderr_of(&second);
        assert!(!second.status.success() && stderr.contains("another panel-server (process "), "{stderr}");
    }
    assert!(run(home.path(), &["doctor"]).status.success());
    let copy = home.path().join("copy");
    let backup_output = run(home.path(), &["backup", copy.to_str().unwrap()]);
    assert!(backup_output.status.success(), "{}", stderr_of(&backup_output));
    let mut create_admin = program(home.path());
    create_admin.args(["admin", "create", "--name", "Olga", "--email", "olga@shop.example"]);
    let password_file = home.path().join("password");
    std::fs::write(&password_file, "a long enough pass\n").unwrap();
    let created = create_admin.stdin(std::fs::File::open(&password_file).unwrap()).output().unwrap();
    assert!(created.status.success(), "{}", stderr_of(&created));

    let id = panel.child.id().unwrap().to_string();
    assert!(Command::new("kill").args(["-KILL", &id]).status().unwrap().success());
    panel.child.wait().await.unwrap();
    let mut panel = Program::start(home.path(), &[]);
    panel.address().await;
}
