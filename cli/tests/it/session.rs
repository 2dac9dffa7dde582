//! Sign-in and sign-out, profiles, counters and the doctor.

use panel_platform::db::{Sql, SqlExecutor as _};

use crate::assert_matches_snapshot;
use crate::panel::{CommandOutput, Panel, run_to_exit};

impl Panel {
    /// Runs panelctl with the profiles of its home folder.
    async fn run_with_profiles(&self, arguments: &[&str], input: &str) -> CommandOutput {
        run_to_exit(self.command(arguments), input).await
    }
}

#[tokio::test]
async fn signs_in_and_out_with_a_profile() {
    let panel = Panel::empty().await;
    panel_server::start::demo::accounts::create_missing_accounts(&panel.app).await.unwrap();
    let login =
        ["auth", "login", "--server", &panel.address, "--email", "admin@panel.test", "--password-stdin"];
    let failed_login = panel.run_with_profiles(&login, "guess\n").await;
    assert!(failed_login.code != 0 && failed_login.stdout.is_empty(), "{}", failed_login.transcript());
    assert!(
        !failed_login.stderr.contains("expired"),
        "a wrong password must not be reported as an expired session: {}",
        failed_login.stderr
    );
    let successful_login = panel.run_with_profiles(&login, "panel-demo\n").await;
    assert_eq!(successful_login.code, 0, "{}", successful_login.transcript());
    let status = panel.run_with_profiles(&["auth", "status", "-o", "json"], "").await.json();
    assert_eq!(
        (&status["profile"], &status["user"]["email"]),
        (&"default".into(), &"admin@panel.test".into())
    );
    assert_eq!(panel.run_with_profiles(&["orders", "list", "-o", "json"], "").await.ok(), "[]\n");
    panel.run_with_profiles(&login, "panel-demo\n").await.ok();
    let count_sessions_sql = "SELECT count(*) FROM sessions s JOIN users u ON u.id = s.user_id WHERE u.email = 'admin@panel.test' AND s.revoked_at IS NULL";
    let (session_count,) =
        (&mut &panel.app.db).fetch_one::<(i64,)>(Sql::new(count_sessions_sql)).await.unwrap();
    assert_eq!(session_count, 1, "a new sign-in must end the replaced session");
    panel.run_with_profiles(&["auth", "refresh"], "").await.ok();
    assert_eq!(
        panel.run_with_profiles(&["auth", "whoami", "--jq", ".email"], "").await.ok(),
        "admin@panel.test\n"
    );
    panel.run_with_profiles(&["auth", "logout"], "").await.ok();
    assert_eq!(panel.run_with_profiles(&["auth", "status"], "").await.code, 4);
}

/// Other users of the machine can neither read nor replace a token.
#[cfg(unix)]
#[tokio::test]
async fn token_files_must_be_private() {
    use std::os::unix::fs::PermissionsExt as _;

    let panel = Panel::empty().await;
    let output = panel
        .run_with_profiles(&["auth", "login", "--server", &panel.address, "--with-token"], "owner\n")
        .await;
    assert_eq!(output.code, 0, "{}", output.transcript());
    let file = panel.home.path().join("config/tokens/default.json");
    assert_eq!(std::fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o600);
    std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o644)).unwrap();
    let output = panel.run_with_profiles(&["auth", "whoami"], "").await;
    assert!(output.code == 1 && output.stderr.contains("chmod 600"), "{}", output.transcript());
    std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o600)).unwrap();
    let other_panel = Panel::empty().await;
    let output = panel.run_with_profiles(&["auth", "whoami", "--server", &other_panel.address], "").await;
    assert_eq!(output.code, 4, "panelctl must not send the token to another server: {}", output.transcript());
    let token_file = panel.home.path().join("token");
    std::fs::write(&token_file, "owner\n").unwrap();
    std::fs::set_permissions(&token_file, std::fs::Permissions::from_mode(0o600)).unwrap();
    let output = panel
        .run_with_profiles(
            &[
                "auth",
                "whoami",
                "--server",
                &other_panel.address,
                "--token-file",
                token_file.to_str().unwrap(),
            ],
            "",
        )
        .await;
    assert_eq!(output.code, 0, "{}", output.transcript());
}

#[tokio::test]
async fn protected_and_read_only_profiles_match_the_snapshot() {
    let panel = Panel::with_sample_data().await;
    let mut text = String::new();
    for (line, input) in [
        (vec!["auth", "login", "--server", panel.address.as_str(), "--with-token"], "owner\n"),
        (vec!["profile", "set", "live", "--server", panel.address.as_str(), "--protected", "on"], ""),
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
        let output = panel.run_with_profiles(&line, input).await;
        text.push_str(&format!("$ panelctl {}\n{}\n", line.join(" "), output.transcript()));
    }
    assert_matches_snapshot("profiles", &text);
}

#[tokio::test]
async fn prints_the_counters_once_and_live() {
    let panel = Panel::with_sample_data().await;
    let once = panel.run(&["counters", "-o", "json"]).await.json();
    assert_eq!((&once["ordersInModerationCount"], &once["ordersInProcessingCount"]), (&4.into(), &4.into()));
    let live = panel
        .run(&["counters", "--watch", "--count", "1", "-o", "jsonl", "--columns", "ordersInModerationCount"])
        .await;
    assert_eq!(live.ok(), "{\"ordersInModerationCount\":4}\n");
    let table_output = panel.run(&["counters", "--watch", "--count", "1", "-o", "table"]).await;
    assert!(
        table_output.ok().ends_with("  moderation 4  processing 4  no provider 0  free trials 0\n"),
        "{}",
        table_output.stdout
    );
}

/// A browser can sign in once with the printed address.
#[tokio::test]
async fn open_prints_a_one_time_address() {
    use panel_contract::endpoint::EmptyQuery;
    use panel_contract::session::SignInCodeInput;

    let panel = Panel::empty().await;
    let output = panel.run(&["open", "orders/7"]).await;
    let code = output.ok().split("token=").nth(1).unwrap().split('&').next().unwrap().to_owned();
    assert_eq!(output.stdout, format!("{}/login#token={code}&redirect=%2Forders%2F7\n", panel.address));
    let browser = panel_client::Client::builder(&panel.address).build().unwrap();
    let input = SignInCodeInput { code };
    assert_eq!(browser.handoff((), &EmptyQuery {}, &input).await.unwrap().user.email, "owner@panel.test");
    assert!(browser.handoff((), &EmptyQuery {}, &input).await.is_err());
}

#[tokio::test]
async fn the_doctor_finds_no_errors_in_valid_data_and_reports_a_missing_session() {
    let panel = Panel::with_sample_data().await;
    let doctor_output = panel.run(&["doctor", "-o", "json"]).await;
    assert_eq!(doctor_output.code, 0, "{}", doctor_output.transcript());
    assert!(doctor_output.json().as_array().unwrap().len() > 20);
    let signed_out = panel.run_as("guest", &["doctor"], "").await;
    assert!(
        signed_out.code == 1 && signed_out.stdout.contains("signed_in\tfailed"),
        "{}",
        signed_out.transcript()
    );
}
