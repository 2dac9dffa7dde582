//! Step-up authentication: sensitive actions ask for the password or read it from the environment.

use panel_contract::permission::Permission;
use panel_platform::db::{Source as _, Sql};

use crate::panel::{CmdOutput, Panel, finish};

const PASSWORD: &str = "four words and some";

async fn create_api_key(panel: &Panel, password: Option<&str>) -> CmdOutput {
    let mut command = panel.command(&["users", "api-key", "make", "2", "--yes", "--jq", ".key | length"]);
    command.env("PANELCTL_SERVER", &panel.base).env("PANELCTL_TOKEN", "anna");
    if let Some(password) = password {
        command.env("PANELCTL_PASSWORD", password);
    }
    finish(command, "").await
}

#[tokio::test]
async fn a_password_of_the_environment_confirms_the_action() {
    let panel = Panel::shop().await;
    panel.staff(1_000_009, "anna", Permission::ALL).await;
    let hash = panel.app.passwords.hash(PASSWORD).await.unwrap();
    let db = &mut &panel.app.db;
    let sql = Sql::new("UPDATE users SET password_hash = ? WHERE name = 'anna'");
    db.exec(sql.bind(hash)).await.unwrap();
    db.exec(Sql::new("UPDATE sessions SET confirmed_at = NULL")).await.unwrap();
    let refused = create_api_key(&panel, None).await;
    assert_ne!(refused.code, 0);
    assert!(refused.err.contains("PANELCTL_PASSWORD"), "{}", refused.err);
    let wrong = create_api_key(&panel, Some("wrong")).await;
    assert!(wrong.code != 0 && wrong.err.contains("is wrong. Try again"), "{}", wrong.err);
    let created = create_api_key(&panel, Some(PASSWORD)).await;
    assert_eq!((created.code, created.out.trim()), (0, "43"), "{}", created.err);
    // The confirmation is valid for ten minutes, so the next call needs no password.
    assert_eq!(create_api_key(&panel, None).await.code, 0);
}
