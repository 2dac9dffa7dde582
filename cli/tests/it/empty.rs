//! A variable that a script forgot to set: no empty value widens what a command does, and everything at once is
//! chosen by its exact count alone.

use std::io::ErrorKind;
use std::net::TcpListener;

use crate::panel::{Panel, Ran, command, finish};

/// A place where a panel would listen, which sees whether anything came.
struct Silent {
    listener: TcpListener,
    home: tempfile::TempDir,
}

impl Silent {
    fn new() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        listener.set_nonblocking(true).unwrap();
        Self { listener, home: tempfile::tempdir().unwrap() }
    }

    /// Runs a command line that must be refused before it reaches the panel; what it said.
    async fn refuses(&self, line: &[&str], variables: &[(&str, &str)], input: &str) -> String {
        let mut program = command(self.home.path(), line);
        let server = format!("http://{}", self.listener.local_addr().unwrap());
        program.env("PANELCTL_SERVER", server).env("PANELCTL_TOKEN", "owner");
        program.envs(variables.iter().copied());
        let ran = finish(program, input).await;
        assert_eq!((ran.code, ran.out.as_str()), (2, ""), "{line:?} {variables:?} {}", ran.told());
        let asked = self.listener.accept().map(|(_, from)| from);
        assert!(asked.is_err_and(|error| error.kind() == ErrorKind::WouldBlock), "{line:?} sent a request");
        ran.err
    }
}

const CANCEL: [&str; 4] = ["orders", "cancel", "--all-matching", "--yes"];

#[tokio::test]
async fn an_empty_filter_selects_nothing() {
    let panel = Silent::new();
    let spellings: [(&[&str], &str); 14] = [
        (&["--user-id", ""], "--user-id is empty: give an id or leave the option out."),
        (&["--service-id", ""], "--service-id is empty"),
        (&["--user", ""], "--user is empty: give a text or leave the option out."),
        (&["--search", ""], "--search is empty"),
        (&["--filter", "user.id="], "--filter user.id= has nothing after the ="),
        (&["--filter", "x="], "--filter x= has nothing after the ="),
        (&["--user-id="], "--user-id is empty"),
        (&["--user-id", " \t"], "--user-id is empty"),
        (&["--status", ""], "--status is empty"),
        (&["--status", "stopped", "--status", ""], "--status is empty"),
        (&["--user-id", "7,,9"], "--user-id 7,,9 has an empty element"),
        (&["--cost", ".."], "--cost .. has neither a value nor an end"),
        (&["--created", ".."], "--created .. has neither a value nor an end"),
        (&["--filter", "cost=.."], "--filter cost=.. selects nothing"),
    ];
    for (words, says) in spellings {
        let said = panel.refuses(&[&CANCEL, words].concat(), &[], "").await;
        assert!(said.starts_with(&format!("error: {says}")), "{words:?}: {said}");
        // The same with a filter that is set: it would still be wider than the script means.
        panel.refuses(&[&CANCEL, ["--source", "api"].as_slice(), words].concat(), &[], "").await;
    }
}

#[tokio::test]
async fn an_empty_value_from_elsewhere_is_refused_too() {
    let panel = Silent::new();
    for name in [
        "PANELCTL_PROFILE",
        "PANELCTL_SERVER",
        "PANELCTL_TOKEN",
        "PANELCTL_PASSWORD",
        "PANELCTL_OUTPUT",
        "PANELCTL_HOME",
    ] {
        let said = panel.refuses(&["orders", "list"], &[(name, " ")], "").await;
        assert_eq!(said, format!("error: {name} is empty: give it a value or unset it.\n"));
    }
    let file = panel.home.path().join("ids.csv");
    for (text, says) in [
        ("", "There are no ids."),
        ("\n \r\n\n", "There are no ids."),
        ("id\n", "There are no ids."),
        ("[]", "There are no ids."),
        ("id,name\n5,a\n,b\n", "--ids-from: line 3 has no id."),
    ] {
        std::fs::write(&file, text).unwrap();
        for from in ["-", file.to_str().unwrap()] {
            let said = panel.refuses(&["orders", "cancel", "--yes", "--ids-from", from], &[], text).await;
            assert!(said.contains(&format!("error: {says}")), "{text:?}: {said}");
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

/// Orders 5 to 8 of the shop wait for moderation, 1 to 4 do not.
async fn waiting(panel: &Panel) -> String {
    panel.run(&["orders", "list", "--status", "in_moderation", "-o", "ids"]).await.ok().to_owned()
}

fn refused(ran: &Ran, says: &str) {
    assert_eq!((ran.code, ran.out.as_str()), (2, ""), "{}", ran.told());
    assert!(ran.err.contains(says), "{says}: {}", ran.err);
}

#[tokio::test]
async fn everything_needs_its_exact_count() {
    let panel = Panel::shop().await;
    let all = ["orders", "approve", "--all-matching"];
    let with = |words: &[&'static str]| [&all, words].concat();
    let everything = "There is no filter: all 8 orders are selected; nothing was done.";
    refused(&panel.run(&all).await, everything);
    refused(&panel.run(&with(&["--yes"])).await, everything);
    refused(&panel.run(&with(&["--yes"])).await, "--confirm 8 if all of them are meant");
    for wrong in ["7", "9", "0"] {
        let ran = panel.run(&with(&["--confirm", wrong])).await;
        refused(&ran, &format!("--confirm says {wrong}, and there are 8; nothing was done."));
    }
    assert_eq!(waiting(&panel).await, "8\n7\n6\n5\n");
    // Nothing is written by a rehearsal, and a filter is agreed to as ever.
    assert_eq!(panel.run(&with(&["--dry-run", "-o", "ids"])).await.out, "8\n7\n6\n5\n");
    panel.run(&with(&["--status", "in_moderation", "--user-id", "3", "--yes"])).await.ok();
    assert_eq!(waiting(&panel).await, "7\n6\n");
    let ran = panel.run(&with(&["--confirm", "8", "-o", "ids"])).await;
    assert_eq!((ran.code, ran.out.as_str()), (3, "7\n6\n"), "{}", ran.told());
    assert_eq!(waiting(&panel).await, "");
}

#[tokio::test]
async fn a_protected_profile_is_named_beside_yes_and_confirm() {
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
        refused(&ran, &format!("The profile live is protected: {flag} needs --profile live."));
    }
    // A variable outlives what it was set for, so it names no profile here.
    let mut by_variable = panel.command(&[&approve, ["--yes"].as_slice()].concat());
    by_variable.env("PANELCTL_TOKEN", "owner").env("PANELCTL_PROFILE", "live");
    refused(&finish(by_variable, "").await, "The profile live is protected: --yes needs --profile live.");
    let all = ["orders", "approve", "--all-matching"];
    refused(&run(&[&all, ["--confirm", "8"].as_slice()].concat()).await, "--confirm needs --profile live");
    refused(&run(&[&all, ["--yes", "--profile", "live"].as_slice()].concat()).await, "There is no filter");
    assert_eq!(waiting(&panel).await, "8\n7\n6\n5\n");
    refused(
        &run(&[&approve, ["--confirm", "3", "--profile", "live"].as_slice()].concat()).await,
        "--confirm says 3, and there are 2",
    );
    run(&[&approve, ["--confirm", "2", "--profile", "live"].as_slice()].concat()).await.ok();
    assert_eq!(waiting(&panel).await, "8\n7\n");
}
