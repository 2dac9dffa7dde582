//! Tests backups: a backup is complete or not created, it runs beside the server, and one process at a time writes to a data
//! folder.

use std::path::Path;
use std::process::Command;

use panel_platform::db::{Dialect, backup};

use crate::panel::Panel;
use crate::program::{ServerProcess, run_to_end, server_command, stderr_of};

/// The sorted names of all files in a folder, including hidden files.
pub(crate) fn file_names(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).unwrap();
    let mut names: Vec<_> = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

#[tokio::test]
async fn a_failed_copy_leaves_no_file() {
    let panel = Panel::start(Dialect::Sqlite).await;
    panel.insert_generated_records(200, 500).await;
    panel.app.db.close().await;
    let source_path = panel.app.config.database().path;
    let target_folder = tempfile::tempdir().unwrap();
    let copy_path = target_folder.path().join("copy.db");
    backup::copy_sqlite(&source_path, &copy_path).await.unwrap();
    assert_eq!(file_names(target_folder.path()), ["copy.db"]);
    let file_mode =
        std::os::unix::fs::PermissionsExt::mode(&std::fs::metadata(&copy_path).unwrap().permissions());
    assert_eq!(file_mode & 0o777, 0o600);
    let bytes_of_first_copy = std::fs::read(&copy_path).unwrap();
    assert!(backup::copy_sqlite(&source_path, &copy_path).await.unwrap_err().to_string().contains("copy.db"));
    assert_eq!(
        std::fs::read(&copy_path).unwrap(),
        bytes_of_first_copy,
        "a backup must not overwrite an existing file"
    );

    let mut bytes = std::fs::read(&source_path).unwrap();
    let (damage_start, damage_end) = (bytes.len() * 2 / 5, bytes.len() * 3 / 5);
    bytes[damage_start..damage_end].fill(0xff);
    std::fs::write(&source_path, bytes).unwrap();
    assert!(backup::copy_sqlite(&source_path, &target_folder.path().join("second.db")).await.is_err());
    assert!(
        backup::copy_sqlite(&target_folder.path().join("missing.db"), &target_folder.path().join("third.db"))
            .await
            .is_err()
    );
    assert_eq!(file_names(target_folder.path()), ["copy.db"]);
}

/// A second server with the same data folder fails to start, commands that only read the folder work, and a killed server leaves no
/// lock.
#[tokio::test]
async fn one_server_at_a_time_uses_a_data_folder() {
    let home = tempfile::tempdir().unwrap();
    let mut panel = ServerProcess::start(home.path(), &[]);
    panel.address().await;
    for command in [&["serve"][..], &["migrate"]] {
        let second_output = run_to_end(home.path(), command);
        let stderr = stderr_of(&second_output);
        assert!(
            !second_output.status.success() && stderr.contains("another panel-server (process "),
            "{stderr}"
        );
    }
    assert!(run_to_end(home.path(), &["doctor"]).status.success());
    let copy_path = home.path().join("copy");
    let backup_output = run_to_end(home.path(), &["backup", copy_path.to_str().unwrap()]);
    assert!(backup_output.status.success(), "{}", stderr_of(&backup_output));
    let mut create_admin = server_command(home.path());
    create_admin.args(["admin", "create", "--name", "Olga", "--email", "olga@shop.example"]);
    let password_file = home.path().join("password");
    std::fs::write(&password_file, "a long enough pass\n").unwrap();
    let create_output = create_admin.stdin(std::fs::File::open(&password_file).unwrap()).output().unwrap();
    assert!(create_output.status.success(), "{}", stderr_of(&create_output));

    let process_id = panel.child.id().unwrap().to_string();
    assert!(Command::new("kill").args(["-KILL", &process_id]).status().unwrap().success());
    panel.child.wait().await.unwrap();
    let mut panel = ServerProcess::start(home.path(), &[]);
    panel.address().await;
}
