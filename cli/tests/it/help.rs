//! Help of every command and topic.

use crate::panel::run_without_panel;
use crate::snapshot;

/// The subcommands that a help text lists.
fn subcommands(help: &str) -> Vec<String> {
    let lines = help.lines().skip_while(|line| *line != "Commands:").skip(1);
    // Continuation lines of a long description are indented deeper.
    let entries = lines.take_while(|line| !line.is_empty()).filter(|line| !line.starts_with("    "));
    entries.filter_map(|line| line.split_whitespace().next().map(str::to_owned)).collect()
}

/// The help of a command and its subcommands, without the global options.
async fn help_of(path: Vec<String>) -> String {
    let mut words: Vec<&str> = path.iter().map(String::as_str).collect();
    words.push("--help");
    let ran = run_without_panel(&words).await;
    assert_eq!((ran.code, ran.err.as_str()), (0, ""), "{path:?}");
    let help = ran.out.split("Global options:").next().unwrap().trim_end();
    let mut text = format!("=== panelctl {}\n{help}\n\n", path.join(" "));
    for name in subcommands(&ran.out) {
        let subcommand = [path.clone(), vec![name]].concat();
        text.push_str(&Box::pin(help_of(subcommand)).await);
    }
    text
}

#[tokio::test]
async fn the_help_of_every_command_matches_the_snapshot() {
    let root = run_without_panel(&["--help"]).await;
    snapshot("help", &root.out);
    let mut others = String::new();
    for name in subcommands(&root.out) {
        let text = help_of(vec![name.clone()]).await;
        match text.matches("=== ").count() {
            1 => others.push_str(&text),
            _ => snapshot(&format!("help-{name}"), &text),
        }
    }
    snapshot("help-others", &others);
}

#[tokio::test]
async fn every_topic_matches_the_snapshot_and_fits_the_terminal() {
    let mut text = String::new();
    for topic in ["exit-codes", "formatting", "filters", "environment", "bulk"] {
        let ran = run_without_panel(&["help", topic]).await;
        text.push_str(&format!("{}\n", ran.ok()));
        assert!(ran.out.lines().all(|line| line.chars().count() <= 100), "{topic} is too wide");
    }
    snapshot("topics", &text);
    assert_eq!(
        run_without_panel(&["help", "orders", "cancel"]).await.ok(),
        run_without_panel(&["orders", "cancel", "-h"]).await.ok()
    );
    assert_eq!(run_without_panel(&["order", "get", "-h"]).await.code, 0, "the singular is an alias");
    assert_eq!(run_without_panel(&["help", "nonsense"]).await.code, 2);
}
