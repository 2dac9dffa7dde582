//! Signing in and out, profiles, counters and the doctor.

use panel_platform::db::{Source as _, Sql};

use crate::panel::{CmdOutput, Panel, finish};
use crate::snapshot;

impl Panel {
    /// Runs panelctl with its own profiles.
    async fn plain(&self, arguments: &[&str], input: &str) -> CmdOutput {
        finish(self.command(arguments), input).await
    }
}

#[tokio::test]
async fn signing_in_and_out_works_with_a_profile() {
    let panel = Panel::empty().await;
    panel_server::start::demo::accounts::create_missing(&panel.app).await.unwrap();
    let login = ["auth", "login", "--server", &panel.base, "--email", "admin@panel.test", "--password-stdin"];
    let wrong = panel.plain(&login, "guess\n").await;
    assert!(wrong.code != 0 && wrong.out.is_empty(), "{}", wrong.transcript());
    assert!(!wrong.err.contains("expired"), "a wrong password is not an expired session: {}", wrong.err);
    let correct = panel.plain(&login, "panel-demo\n").await;
    assert_eq!(correct.code, 0, "{}", correct.transcript());
    let status = panel.plain(&["auth", "status", "-o", "json"], "").await.json();
    assert_eq!(
        (&status["profile"], &status["user"]["email"]),
        (&"default".into(), &"admin@panel.test".into())
    );
    assert_eq!(panel.plain(&["orders", "list", "-o", "json"], "").await.ok(), "[]\n");
    panel.plain(&login, "panel-demo\n").await.ok();
    let open = "SELECT count(*) FROM sessions s JOIN users u ON u.id = s.user_id WHERE u.email = 'admin@panel.test' AND s.revoked_at IS NULL";
    let (open,) = (&mut &panel.app.db).one::<(i64,)>(Sql::new(open)).await.unwrap();
    assert_eq!(open, 1, "a new sign-in ends the session that it replaces");
    panel.plain(&["auth", "refresh"], "").await.ok();
    assert_eq!(panel.plain(&["auth", "whoami", "--jq", ".email"], "").await.ok(), "admin@panel.test\n");
    panel.plain(&["auth", "logout"], "").await.ok();
    assert_eq!(panel.plain(&["auth", "status"], "").await.code, 4);
}

/// Other users of the machine can neither read nor plant a token.
#[cfg(unix)]
#[tokio::test]
async fn token_files_must_be_private() {
    use std::os::unix::fs::PermissionsExt as _;

    let panel = Panel::empty().await;
    let ran = panel.plain(&["auth", "login", "--server", &panel.base, "--with-token"], "owner\n").await;
    assert_eq!(ran.code, 0, "{}", ran.transcript());
    let file = panel.home.path().join("config/tokens/default.json");
    assert_eq!(std::fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o600);
    std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o644)).unwrap();
    let ran = panel.plain(&["auth", "whoami"], "").await;
    assert!(ran.code == 1 && ran.err.contains("chmod 600"), "{}", ran.transcript());
    std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o600)).unwrap();
    let other = Panel::empty().await;
    let ran = panel.plain(&["auth", "whoami", "--server", &other.base], "").await;
    assert_eq!(ran.code, 4, "the token is not sent to another panel: {}", ran.transcript());
    let token_file = panel.home.path().join("token");
    std::fs::write(&token_file, "owner\n").unwrap();
    std::fs::set_permissions(&token_file, std::fs::Permissions::from_mode(0o600)).unwrap();
    let ran = panel
        .plain(&["auth", "whoami", "--server", &other.base, "--token-file", token_file.to_str().unwrap()], "")
        .await;
    assert_eq!(ran.code, 0, "{}", ran.transcript());
}

#[tokio::test]
async fn protected_and_read_only_profiles_match_the_snapshot() {
    let panel = Panel::shop().await;
    let mut text = String::new();
    for (line, input) in [
        (vec!["auth", "login", "--server", panel.base.as_str(), "--with-token"], "owner\n"),
        (vec!["profile", "set", "live", "--server", panel.base.as_str(), "--protected", "on"], ""),
        (vec!["profile", "use", "live"], ""),
        (vec!["auth", "login", "--with-token"], "owner\n"),
        (vec!["profile", "list", "-o", "table"], ""),
        (vec!["orders", "approve", "5", "--yes"], ""),
        (vec!["api", "POST", "orders/5/approve", "--yes"], ""),
        (vec!["orders", "approve", "5", "--yes", "--profile", "live"], ""),
        (vec!["profile", "set", "live", "--read-only", "on"], ""),
        (vec!["orders", "approve", "6", "--yes", "--profile", "live"], ""),
        (vec!["orders", "approve", "6", "--dry-run", "--profile", "default"], ""),
        (vec!["profile", "remove", "live"], ""),
        (vec!["profile", "remove", "live", "--yes"], ""),
        (vec!["profile", "list", "--columns", "name,current"], ""),
    ] {
        let ran = panel.plain(&line, input).await;
        text.push_str(&format!("$ panelctl {}\n{}\n", line.join(" "), ran.transcript()));
    }
    snapshot("profiles", &text);
}

#[tokio::test]
async fn counters_are_printed_once_and_live() {
    let panel = Panel::shop().await;
    let once = panel.run(&["counters", "-o", "json"]).await.json();
    assert_eq!((&once["ordersInModerationCount"], &once["ordersInProcessingCount"]), (&4.into(), &4.into()));
    let live = panel
        .run(&["counters", "--watch", "--count", "1", "-o", "jsonl", "--columns", "ordersInModerationCount"])
        .await;
    assert_eq!(live.ok(), "{\"ordersInModerationCount\":4}\n");
    let drawn = panel.run(&["counters", "--watch", "--count", "1", "-o", "table"]).await;
    assert!(
        drawn.ok().ends_with("  moderation 4  processing 4  no provider 0  free trials 0\n"),
        "{}",
        drawn.out
    );
}

/// The printed address signs a browser in once.
#[tokio::test]
async fn open_prints_a_one_time_address() {
    use panel_contract::endpoint::EmptyQuery;
    use panel_contract::session::HandoffInput;

    let panel = Panel::empty().await;
    let ran = panel.run(&["open", "orders/7"]).await;
    let code = ran.ok().split("token=").nth(1).unwrap().split('&').next().unwrap().to_owned();
    assert_eq!(ran.out, format!("{}/login#token={code}&redirect=%2Forders%2F7\n", panel.base));
    let browser = panel_client::Client::builder(&panel.base).build().unwrap();
    let input = HandoffInput { code };
    assert_eq!(browser.handoff((), &EmptyQuery {}, &input).await.unwrap().user.email, "owner@panel.test");
    assert!(browser.handoff((), &EmptyQuery {}, &input).await.is_err());
}

#[tokio::test]
async fn the_doctor_passes_a_valid_panel_and_reports_a_missing_session() {
    let panel = Panel::shop().await;
    let passed = panel.run(&["doctor", "-o", "json"]).await;
    assert_eq!(passed.code, 0, "{}", passed.transcript());
    assert!(passed.json().as_array().unwrap().len() > 20);
    let signed_out = panel.run_as("nobody", &["doctor"], "").await;
    assert!(
        signed_out.code == 1 && signed_out.out.contains("signed_in\tbroken"),
        "{}",
        signed_out.transcript()
    );
}
