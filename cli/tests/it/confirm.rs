//! Step-up authentication: sensitive actions ask for the password or read it from the environment.

use panel_contract::permission::Permission;
use panel_platform::db::{Sql, SqlExecutor as _};

use crate::panel::{CommandOutput, Panel, run_to_exit};

const PASSWORD: &str = "four words and some";

async fn create_api_key(panel: &Panel, password: Option<&str>) -> CommandOutput {
    let mut command = panel.command(&["users", "api-key", "make", "2", "--yes", "--jq", ".key | length"]);
    command.env("PANELCTL_SERVER", &panel.address).env("PANELCTL_TOKEN", "anna");
    if let Some(password) = password {
        command.env("PANELCTL_PASSWORD", password);
    }
    run_to_exit(command, "").await
}

#[tokio::test]
async fn a_password_from_the_environment_confirms_the_action() {
    let panel = Panel::with_sample_data().await;
    panel.create_staff_member(1_000_009, "anna", Permission::ALL).await;
    let hash = panel.app.passwords.hash(PASSWORD).await.unwrap();
    let db = &mut &panel.app.db;
    let sql = Sql::new("UPDATE users SET password_hash = ? WHERE name = 'anna'");
    db.execute(sql.bind(hash)).await.unwrap();
    db.execute(Sql::new("UPDATE sessions SET confirmed_at = NULL")).await.unwrap();
    let rejected = create_api_key(&panel, None).await;
    assert_ne!(rejected.code, 0);
    assert!(rejected.stderr.contains("PANELCTL_PASSWORD"), "{}", rejected.stderr);
    let rejected_again = create_api_key(&panel, Some("wrong")).await;
    assert!(
        rejected_again.code != 0 && rejected_again.stderr.contains("is wrong. Try again"),
        "{}",
        rejected_again.stderr
    );
    let created = create_api_key(&panel, Some(PASSWORD)).await;
    assert_eq!((created.code, created.stdout.trim()), (0, "43"), "{}", created.stderr);
    // The confirmation is valid for ten minutes, so the next request needs no password.
    assert_eq!(create_api_key(&panel, None).await.code, 0);
}
