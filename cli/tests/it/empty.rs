//! Empty values, such as unset variables of a script: none widens the effect of a command, and an unfiltered action requires its
//! exact count.

use std::io::ErrorKind;
use std::net::TcpListener;

use crate::panel::{CmdOutput, Panel, command, finish};

/// A listener in place of a panel, which detects any connection.
struct UnusedPanel {
    listener: TcpListener,
    home: tempfile::TempDir,
}

impl UnusedPanel {
    fn new() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        listener.set_nonblocking(true).unwrap();
        Self { listener, home: tempfile::tempdir().unwrap() }
    }

    /// Runs a command line that must be refused before anything is sent; returns the error.
    async fn refuses(&self, line: &[&str], variables: &[(&str, &str)], input: &str) -> String {
        let mut program = command(self.home.path(), line);
        let server = format!("http://{}", self.listener.local_addr().unwrap());
        program.env("PANELCTL_SERVER", server).env("PANELCTL_TOKEN", "owner");
        program.envs(variables.iter().copied());
        let ran = finish(program, input).await;
        assert_eq!((ran.code, ran.out.as_str()), (2, ""), "{line:?} {variables:?} {}", ran.transcript());
        let connection = self.listener.accept().map(|(_, from)| from);
        assert!(
            connection.is_err_and(|error| error.kind() == ErrorKind::WouldBlock),
            "{line:?} sent a request"
        );
        ran.err
    }
}

const CANCEL: [&str; 4] = ["orders", "cancel", "--all-matching", "--yes"];

#[tokio::test]
async fn an_empty_filter_is_refused() {
    let panel = UnusedPanel::new();
    let spellings: [(&[&str], &str); 14] = [
        (&["--user-id", ""], "--user-id is empty: specify an id or omit the option."),
        (&["--service-id", ""], "--service-id is empty"),
        (&["--user", ""], "--user is empty: specify a text or omit the option."),
        (&["--search", ""], "--search is empty"),
        (&["--filter", "user.id="], "--filter user.id= has nothing after the ="),
        (&["--filter", "x="], "--filter x= has nothing after the ="),
        (&["--user-id="], "--user-id is empty"),
        (&["--user-id", " \t"], "--user-id is empty"),
        (&["--status", ""], "--status is empty"),
        (&["--status", "stopped", "--status", ""], "--status is empty"),
        (&["--user-id", "7,,9"], "--user-id 7,,9 has an empty element"),
        (&["--cost", ".."], "--cost .. has neither a value nor a bound"),
        (&["--created", ".."], "--created .. has neither a value nor a bound"),
        (&["--filter", "cost=.."], "--filter cost=.. selects nothing"),
    ];
    for (words, expected) in spellings {
        let error = panel.refuses(&[&CANCEL, words].concat(), &[], "").await;
        assert!(error.starts_with(&format!("error: {expected}")), "{words:?}: {error}");
        // Another filter does not help: the selection would still be wider than the script intended.
        panel.refuses(&[&CANCEL, ["--source", "api"].as_slice(), words].concat(), &[], "").await;
    }
}

#[tokio::test]
async fn an_empty_value_of_a_variable_or_file_is_refused() {
    let panel = UnusedPanel::new();
    for name in [
        "PANELCTL_PROFILE",
        "PANELCTL_SERVER",
        "PANELCTL_TOKEN",
        "PANELCTL_PASSWORD",
        "PANELCTL_OUTPUT",
        "PANELCTL_HOME",
    ] {
        let error = panel.refuses(&["orders", "list"], &[(name, " ")], "").await;
        assert_eq!(error, format!("error: {name} is empty: set a value or unset it.\n"));
    }
    let file = panel.home.path().join("ids.csv");
    for (text, expected) in [
        ("", "No ids were specified."),
        ("\n \r\n\n", "No ids were specified."),
        ("id\n", "No ids were specified."),
        ("[]", "No ids were specified."),
        ("id,name\n5,a\n,b\n", "--ids-from: line 3 has no id."),
    ] {
        std::fs::write(&file, text).unwrap();
        for from in ["-", file.to_str().unwrap()] {
            let error = panel.refuses(&["orders", "cancel", "--yes", "--ids-from", from], &[], text).await;
            assert!(error.contains(&format!("error: {expected}")), "{text:?}: {error}");
        }
    }
    for line in [
        ["orders", "cancel", "5", "", "--yes"].as_slice(),
        &["orders", "cancel", "5,", "--yes"],
        &["orders", "cancel", "--ids-from", "", "--yes"],
        &["orders", "set-comment", "5", "", "--yes"],
        &["users", "update", "5", "--name", "", "--yes"],
        &["settings", "set", "panel_name=", "--yes"],
        &["payment-methods", "update", "5", "--text", "de.name=", "--yes"],
        &["api", "POST", "orders/5/update-comment", "-f", "comment="],
        &["orders", "list", "--filter", "user.nmae=olga"],
        &["orders", "list", "--user-id", "7", "--filter", "user.id=9"],
    ] {
        panel.refuses(line, &[], "").await;
    }
    let object = panel.refuses(&["orders", "list", "--user-id", "", "-o", "json"], &[], "").await;
    let object: serde_json::Value = serde_json::from_str(&object).unwrap();
    assert_eq!((&object["error"]["code"], &object["error"]["exit"]), (&"usage".into(), &2.into()));
}

/// The ids of orders in moderation; in the demo shop 5 to 8.
async fn in_moderation(panel: &Panel) -> String {
    panel.run(&["orders", "list", "--status", "in_moderation", "-o", "ids"]).await.ok().to_owned()
}

fn assert_refused(ran: &CmdOutput, expected: &str) {
    assert_eq!((ran.code, ran.out.as_str()), (2, ""), "{}", ran.transcript());
    assert!(ran.err.contains(expected), "{expected}: {}", ran.err);
}

#[tokio::test]
async fn an_unfiltered_action_requires_its_exact_count() {
    let panel = Panel::shop().await;
    let all = ["orders", "approve", "--all-matching"];
    let with = |words: &[&'static str]| [&all, words].concat();
    let everything = "No filter is set: all 8 orders are selected; nothing changed.";
    assert_refused(&panel.run(&all).await, everything);
    assert_refused(&panel.run(&with(&["--yes"])).await, everything);
    assert_refused(&panel.run(&with(&["--yes"])).await, "--confirm 8 to select all of them");
    for count in ["7", "9", "0"] {
        let ran = panel.run(&with(&["--confirm", count])).await;
        assert_refused(&ran, &format!("--confirm is {count}, but 8 records are selected; nothing changed."));
    }
    assert_eq!(in_moderation(&panel).await, "8\n7\n6\n5\n");
    // A dry run needs no count, and a filtered action needs only --yes.
    assert_eq!(panel.run(&with(&["--dry-run", "-o", "ids"])).await.out, "8\n7\n6\n5\n");
    panel.run(&with(&["--status", "in_moderation", "--user-id", "3", "--yes"])).await.ok();
    assert_eq!(in_moderation(&panel).await, "7\n6\n");
    let ran = panel.run(&with(&["--confirm", "8", "-o", "ids"])).await;
    assert_eq!((ran.code, ran.out.as_str()), (3, "7\n6\n"), "{}", ran.transcript());
    assert_eq!(in_moderation(&panel).await, "");
}

#[tokio::test]
async fn a_protected_profile_requires_its_name_beside_yes_and_confirm() {
    let panel = Panel::shop().await;
    let run = async |line: &[&str]| {
        let mut program = panel.command(line);
        program.env("PANELCTL_TOKEN", "owner");
        finish(program, "").await
    };
    run(&["profile", "set", "live", "--server", &panel.base, "--protected", "on"]).await.ok();
    run(&["profile", "use", "live"]).await.ok();
    let approve = ["orders", "approve", "5", "6"];
    for (answer, flag) in [(["--yes"].as_slice(), "--yes"), (&["--confirm", "2"], "--confirm")] {
        let ran = run(&[&approve, answer].concat()).await;
        assert_refused(&ran, &format!("Profile live is protected: {flag} also requires --profile live."));
    }
    // A variable can outlive the script that set it, so it does not count as naming the profile.
    let mut by_variable = panel.command(&[&approve, ["--yes"].as_slice()].concat());
    by_variable.env("PANELCTL_TOKEN", "owner").env("PANELCTL_PROFILE", "live");
    assert_refused(
        &finish(by_variable, "").await,
        "Profile live is protected: --yes also requires --profile live.",
    );
    let all = ["orders", "approve", "--all-matching"];
    assert_refused(
        &run(&[&all, ["--confirm", "8"].as_slice()].concat()).await,
        "--confirm also requires --profile live",
    );
    assert_refused(
        &run(&[&all, ["--yes", "--profile", "live"].as_slice()].concat()).await,
        "No filter is set",
    );
    assert_eq!(in_moderation(&panel).await, "8\n7\n6\n5\n");
    assert_refused(
        &run(&[&approve, ["--confirm", "3", "--profile", "live"].as_slice()].concat()).await,
        "--confirm is 3, but 2 records are selected",
    );
    run(&[&approve, ["--confirm", "2", "--profile", "live"].as_slice()].concat()).await.ok();
    assert_eq!(in_moderation(&panel).await, "8\n7\n");
}
