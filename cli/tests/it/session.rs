//! Signing in and out, profiles, and what the panel says of itself.

use panel_platform::db::{Source as _, Sql};

use crate::panel::{Panel, Ran, finish};
use crate::snapshot;

impl Panel {
    /// The program as its profiles say.
    async fn plain(&self, arguments: &[&str], input: &str) -> Ran {
        finish(self.command(arguments), input).await
    }
}

#[tokio::test]
async fn signing_in_and_out() {
    let panel = Panel::empty().await;
    panel_server::start::demo::accounts::make(&panel.app).await.unwrap();
    let login = ["auth", "login", "--server", &panel.base, "--email", "admin@panel.test", "--password-stdin"];
    let wrong = panel.plain(&login, "guess\n").await;
    assert!(wrong.code != 0 && wrong.out.is_empty(), "{}", wrong.told());
    assert!(!wrong.err.contains("no longer"), "a wrong password is no ended session: {}", wrong.err);
    let right = panel.plain(&login, "panel-demo\n").await;
    assert_eq!(right.code, 0, "{}", right.told());
    let status = panel.plain(&["auth", "status", "-o", "json"], "").await.json();
    assert_eq!(
        (&status["profile"], &status["user"]["email"]),
        (&"default".into(), &"admin@panel.test".into())
    );
    assert_eq!(panel.plain(&["orders", "list", "-o", "json"], "").await.ok(), "[]\n");
    panel.plain(&login, "panel-demo\n").await.ok();
    let open = "SELECT count(*) FROM sessions s JOIN users u ON u.id = s.user_id WHERE u.email = 'admin@panel.test' AND s.revoked_at IS NULL";
    let (open,) = (&mut &panel.app.db).one::<(i64,)>(Sql::new(open)).await.unwrap();
    assert_eq!(open, 1, "a new sign-in ends the one that it replaces");
    panel.plain(&["auth", "refresh"], "").await.ok();
    assert_eq!(panel.plain(&["auth", "whoami", "--jq", ".email"], "").await.ok(), "admin@panel.test\n");
    panel.plain(&["auth", "logout"], "").await.ok();
    assert_eq!(panel.plain(&["auth", "status"], "").await.code, 4);
}

/// Others can neither read a token nor slip one in.
#[cfg(unix)]
#[tokio::test]
async fn tokens_are_private() {
    use std::os::unix::fs::PermissionsExt as _;

    let panel = Panel::empty().await;
    let ran = panel.plain(&["auth", "login", "--server", &panel.base, "--with-token"], "owner\n").await;
    assert_eq!(ran.code, 0, "{}", ran.told());
    let file = panel.home.path().join("config/tokens/default.json");
    assert_eq!(std::fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o600);
    std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o644)).unwrap();
    let ran = panel.plain(&["auth", "whoami"], "").await;
    assert!(ran.code == 1 && ran.err.contains("chmod 600"), "{}", ran.told());
    std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o600)).unwrap();
    let other = Panel::empty().await;
    let ran = panel.plain(&["auth", "whoami", "--server", &other.base], "").await;
    assert_eq!(ran.code, 4, "the token is not for another panel: {}", ran.told());
    let given = panel.home.path().join("given");
    std::fs::write(&given, "owner\n").unwrap();
    std::fs::set_permissions(&given, std::fs::Permissions::from_mode(0o600)).unwrap();
    let ran = panel
        .plain(&["auth", "whoami", "--server", &other.base, "--token-file", given.to_str().unwrap()], "")
        .await;
    assert_eq!(ran.code, 0, "{}", ran.told());
}

#[tokio::test]
async fn profiles_are_careful() {
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
        text.push_str(&format!("$ panelctl {}\n{}\n", line.join(" "), ran.told()));
    }
    snapshot("profiles", &text);
}

#[tokio::test]
async fn counters_once_and_live() {
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

/// The printed address signs a browser in, once.
#[tokio::test]
async fn open_prints_an_address() {
    use panel_contract::endpoint::NoQuery;
    use panel_contract::session::HandoffInput;

    let panel = Panel::empty().await;
    let ran = panel.run(&["open", "orders/7"]).await;
    let code = ran.ok().split("token=").nth(1).unwrap().split('&').next().unwrap().to_owned();
    assert_eq!(ran.out, format!("{}/login#token={code}&redirect=%2Forders%2F7\n", panel.base));
    let stranger = panel_client::Client::builder(&panel.base).build().unwrap();
    let input = HandoffInput { code };
    assert_eq!(stranger.handoff((), &NoQuery {}, &input).await.unwrap().user.email, "owner@panel.test");
    assert!(stranger.handoff((), &NoQuery {}, &input).await.is_err());
}

#[tokio::test]
async fn doctor() {
    let panel = Panel::shop().await;
    let well = panel.run(&["doctor", "-o", "json"]).await;
    assert_eq!(well.code, 0, "{}", well.told());
    assert!(well.json().as_array().unwrap().len() > 20);
    let nobody = panel.run_as("nobody", &["doctor"], "").await;
    assert!(nobody.code == 1 && nobody.out.contains("signed_in\tbroken"), "{}", nobody.told());
}
