//! Step-up: what is grave asks for the password, takes it from the environment, and goes on by itself.

use panel_contract::permission::Permission;
use panel_platform::db::{Source as _, Sql};

use crate::panel::{Panel, Ran, finish};

const PASSWORD: &str = "four words and some";

async fn make(panel: &Panel, password: Option<&str>) -> Ran {
    let mut command = panel.command(&["users", "api-key", "make", "2", "--yes", "--jq", ".key | length"]);
    command.env("PANELCTL_SERVER", &panel.base).env("PANELCTL_TOKEN", "anna");
    if let Some(password) = password {
        command.env("PANELCTL_PASSWORD", password);
    }
    finish(command, "").await
}

#[tokio::test]
async fn a_password_of_the_environment_confirms_and_the_command_goes_on() {
    let panel = Panel::shop().await;
    panel.staff(1_000_009, "anna", Permission::ALL).await;
    let hash = panel.app.passwords.hash(PASSWORD).await.unwrap();
    let db = &mut &panel.app.db;
    let sql = Sql::new("UPDATE users SET password_hash = ? WHERE name = 'anna'");
    db.exec(sql.bind(hash)).await.unwrap();
    db.exec(Sql::new("UPDATE sessions SET confirmed_at = NULL")).await.unwrap();
    let refused = make(&panel, None).await;
    assert_ne!(refused.code, 0);
    assert!(refused.err.contains("PANELCTL_PASSWORD"), "{}", refused.err);
    let wrong = make(&panel, Some("wrong")).await;
    assert!(wrong.code != 0 && wrong.err.contains("nothing was confirmed"), "{}", wrong.err);
    let made = make(&panel, Some(PASSWORD)).await;
    assert_eq!((made.code, made.out.trim()), (0, "43"), "{}", made.err);
    // Confirmed for ten minutes: the next one needs nothing.
    assert_eq!(make(&panel, None).await.code, 0);
}
