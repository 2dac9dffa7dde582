//! The help of every command and topic.

use crate::assert_matches_snapshot;
use crate::panel::run_without_server;

/// Parses the names of the subcommands that a help text lists.
fn parse_subcommands(help: &str) -> Vec<String> {
    let lines = help.lines().skip_while(|line| *line != "Commands:").skip(1);
    // The next lines of a long description have a deeper indentation.
    let entries = lines.take_while(|line| !line.is_empty()).filter(|line| !line.starts_with("    "));
    entries.filter_map(|line| line.split_whitespace().next().map(str::to_owned)).collect()
}

/// Collects the help of a command and its subcommands, without the global options.
async fn collect_help(path: Vec<String>) -> String {
    let mut arguments: Vec<&str> = path.iter().map(String::as_str).collect();
    arguments.push("--help");
    let output = run_without_server(&arguments).await;
    assert_eq!((output.code, output.stderr.as_str()), (0, ""), "{path:?}");
    let help = output.stdout.split("Global options:").next().unwrap().trim_end();
    let mut text = format!("=== panelctl {}\n{help}\n\n", path.join(" "));
    for name in parse_subcommands(&output.stdout) {
        let subcommand = [path.clone(), vec![name]].concat();
        text.push_str(&Box::pin(collect_help(subcommand)).await);
    }
    text
}

#[tokio::test]
async fn the_help_of_every_command_matches_the_snapshot() {
    let root = run_without_server(&["--help"]).await;
    assert_matches_snapshot("help", &root.stdout);
    let mut single_commands = String::new();
    for name in parse_subcommands(&root.stdout) {
        let text = collect_help(vec![name.clone()]).await;
        match text.matches("=== ").count() {
            1 => single_commands.push_str(&text),
            _ => assert_matches_snapshot(&format!("help-{name}"), &text),
        }
    }
    assert_matches_snapshot("help-others", &single_commands);
}

#[tokio::test]
async fn every_topic_matches_the_snapshot_and_fits_the_terminal() {
    let mut text = String::new();
    for topic in ["exit-codes", "formatting", "filters", "environment", "bulk"] {
        let output = run_without_server(&["help", topic]).await;
        text.push_str(&format!("{}\n", output.ok()));
        assert!(output.stdout.lines().all(|line| line.chars().count() <= 100), "{topic} is too wide");
    }
    assert_matches_snapshot("topics", &text);
    assert_eq!(
        run_without_server(&["help", "orders", "cancel"]).await.ok(),
        run_without_server(&["orders", "cancel", "-h"]).await.ok()
    );
    assert_eq!(run_without_server(&["order", "get", "-h"]).await.code, 0, "the singular must be an alias");
    assert_eq!(run_without_server(&["help", "nonsense"]).await.code, 2);
}
