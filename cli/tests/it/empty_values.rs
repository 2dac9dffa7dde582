//! Empty values, for example from an unset variable of a script. An empty value must never select more records, and an action
//! without a filter requires its exact count.

use std::io::ErrorKind;
use std::net::TcpListener;

use crate::panel::{CommandOutput, Panel, command, run_to_exit};

/// A listener that replaces the server and detects any connection.
struct UnusedServer {
    listener: TcpListener,
    home: tempfile::TempDir,
}

impl UnusedServer {
    fn new() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        listener.set_nonblocking(true).unwrap();
        Self { listener, home: tempfile::tempdir().unwrap() }
    }

    /// Runs a command line, and checks that panelctl rejects it without a request. Returns the error.
    async fn assert_rejects(&self, line: &[&str], variables: &[(&str, &str)], input: &str) -> String {
        let mut program = command(self.home.path(), line);
        let server = format!("http://{}", self.listener.local_addr().unwrap());
        program.env("PANELCTL_SERVER", server).env("PANELCTL_TOKEN", "owner");
        program.envs(variables.iter().copied());
        let output = run_to_exit(program, input).await;
        assert_eq!(
            (output.code, output.stdout.as_str()),
            (2, ""),
            "{line:?} {variables:?} {}",
            output.transcript()
        );
        let connection = self.listener.accept().map(|(_, from)| from);
        assert!(
            connection.is_err_and(|error| error.kind() == ErrorKind::WouldBlock),
            "{line:?} sent a request"
        );
        output.stderr
    }
}

const CANCEL_ALL: [&str; 4] = ["orders", "cancel", "--all-matching", "--yes"];

#[tokio::test]
async fn rejects_an_empty_filter() {
    let server = UnusedServer::new();
    let empty_filters: [(&[&str], &str); 14] = [
        (&["--user-id", ""], "--user-id is empty: specify an id or omit the option."),
        (&["--service-id", ""], "--service-id is empty"),
        (&["--user", ""], "--user is empty: specify a value or omit the option."),
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
    for (arguments, expected_error) in empty_filters {
        let error = server.assert_rejects(&[&CANCEL_ALL, arguments].concat(), &[], "").await;
        assert!(error.starts_with(&format!("error: {expected_error}")), "{arguments:?}: {error}");
        // With another filter, the selection would still be larger than the script intended.
        server
            .assert_rejects(&[&CANCEL_ALL, ["--source", "api"].as_slice(), arguments].concat(), &[], "")
            .await;
    }
}

#[tokio::test]
async fn rejects_an_empty_value_of_a_variable_or_file() {
    let server = UnusedServer::new();
    for name in [
        "PANELCTL_PROFILE",
        "PANELCTL_SERVER",
        "PANELCTL_TOKEN",
        "PANELCTL_PASSWORD",
        "PANELCTL_OUTPUT",
        "PANELCTL_HOME",
    ] {
        let error = server.assert_rejects(&["orders", "list"], &[(name, " ")], "").await;
        assert_eq!(error, format!("error: {name} is empty: set a value or unset it.\n"));
    }
    let file = server.home.path().join("ids.csv");
    for (text, expected_error) in [
        ("", "No ids were specified."),
        ("\n \r\n\n", "No ids were specified."),
        ("id\n", "No ids were specified."),
        ("[]", "No ids were specified."),
        ("id,name\n5,a\n,b\n", "--ids-from: line 3 has no id."),
    ] {
        std::fs::write(&file, text).unwrap();
        for from in ["-", file.to_str().unwrap()] {
            let error =
                server.assert_rejects(&["orders", "cancel", "--yes", "--ids-from", from], &[], text).await;
            assert!(error.contains(&format!("error: {expected_error}")), "{text:?}: {error}");
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
        server.assert_rejects(line, &[], "").await;
    }
    let json_error = server.assert_rejects(&["orders", "list", "--user-id", "", "-o", "json"], &[], "").await;
    let error: serde_json::Value = serde_json::from_str(&json_error).unwrap();
    assert_eq!((&error["error"]["code"], &error["error"]["exit"]), (&"usage".into(), &2.into()));
}

async fn load_moderated_ids(panel: &Panel) -> String {
    panel.run(&["orders", "list", "--status", "in_moderation", "-o", "ids"]).await.ok().to_owned()
}

fn assert_rejected(output: &CommandOutput, expected_error: &str) {
    assert_eq!((output.code, output.stdout.as_str()), (2, ""), "{}", output.transcript());
    assert!(output.stderr.contains(expected_error), "{expected_error}: {}", output.stderr);
}

#[tokio::test]
async fn an_unfiltered_action_requires_its_exact_count() {
    let panel = Panel::with_sample_data().await;
    let approve_all = ["orders", "approve", "--all-matching"];
    let approve_all_with = |arguments: &[&'static str]| [&approve_all, arguments].concat();
    let no_filter_error = "No filter is set: all 8 orders are selected; nothing changed.";
    assert_rejected(&panel.run(&approve_all).await, no_filter_error);
    assert_rejected(&panel.run(&approve_all_with(&["--yes"])).await, no_filter_error);
    assert_rejected(&panel.run(&approve_all_with(&["--yes"])).await, "--confirm 8 to select all of them");
    for count in ["7", "9", "0"] {
        let output = panel.run(&approve_all_with(&["--confirm", count])).await;
        assert_rejected(
            &output,
            &format!("--confirm is {count}, but 8 records are selected; nothing changed."),
        );
    }
    assert_eq!(load_moderated_ids(&panel).await, "8\n7\n6\n5\n");
    // A dry run needs no count, and a filtered action needs only --yes.
    assert_eq!(panel.run(&approve_all_with(&["--dry-run", "-o", "ids"])).await.stdout, "8\n7\n6\n5\n");
    panel.run(&approve_all_with(&["--status", "in_moderation", "--user-id", "3", "--yes"])).await.ok();
    assert_eq!(load_moderated_ids(&panel).await, "7\n6\n");
    let output = panel.run(&approve_all_with(&["--confirm", "8", "-o", "ids"])).await;
    assert_eq!((output.code, output.stdout.as_str()), (3, "7\n6\n"), "{}", output.transcript());
    assert_eq!(load_moderated_ids(&panel).await, "");
}

#[tokio::test]
async fn a_protected_profile_requires_its_name_in_addition_to_yes_or_confirm() {
    let panel = Panel::with_sample_data().await;
    let run = async |line: &[&str]| {
        let mut program = panel.command(line);
        program.env("PANELCTL_TOKEN", "owner");
        run_to_exit(program, "").await
    };
    run(&["profile", "set", "live", "--server", &panel.address, "--protected", "on"]).await.ok();
    run(&["profile", "use", "live"]).await.ok();
    let approve = ["orders", "approve", "5", "6"];
    for (safety_flags, flag) in [(["--yes"].as_slice(), "--yes"), (&["--confirm", "2"], "--confirm")] {
        let output = run(&[&approve, safety_flags].concat()).await;
        assert_rejected(&output, &format!("Profile live is protected: {flag} also requires --profile live."));
    }
    // PANELCTL_PROFILE does not count, because the variable can stay set after the script that set it.
    let mut command_with_variable = panel.command(&[&approve, ["--yes"].as_slice()].concat());
    command_with_variable.env("PANELCTL_TOKEN", "owner").env("PANELCTL_PROFILE", "live");
    assert_rejected(
        &run_to_exit(command_with_variable, "").await,
        "Profile live is protected: --yes also requires --profile live.",
    );
    let approve_all = ["orders", "approve", "--all-matching"];
    assert_rejected(
        &run(&[&approve_all, ["--confirm", "8"].as_slice()].concat()).await,
        "--confirm also requires --profile live",
    );
    assert_rejected(
        &run(&[&approve_all, ["--yes", "--profile", "live"].as_slice()].concat()).await,
        "No filter is set",
    );
    assert_eq!(load_moderated_ids(&panel).await, "8\n7\n6\n5\n");
    assert_rejected(
        &run(&[&approve, ["--confirm", "3", "--profile", "live"].as_slice()].concat()).await,
        "--confirm is 3, but 2 records are selected",
    );
    run(&[&approve, ["--confirm", "2", "--profile", "live"].as_slice()].concat()).await.ok();
    assert_eq!(load_moderated_ids(&panel).await, "8\n7\n");
}
