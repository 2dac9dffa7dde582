//! Help: of every command, and on every topic.

use crate::panel::alone;
use crate::snapshot;

/// The commands that a help names.
fn below(help: &str) -> Vec<String> {
    let lines = help.lines().skip_while(|line| *line != "Commands:").skip(1);
    // Further lines of a long description are indented deeper.
    let named = lines.take_while(|line| !line.is_empty()).filter(|line| !line.starts_with("    "));
    named.filter_map(|line| line.split_whitespace().next().map(str::to_owned)).collect()
}

/// The help of a command and of all below it, without the options that every command has.
async fn all_of(path: Vec<String>) -> String {
    let mut words: Vec<&str> = path.iter().map(String::as_str).collect();
    words.push("--help");
    let ran = alone(&words).await;
    assert_eq!((ran.code, ran.err.as_str()), (0, ""), "{path:?}");
    let own = ran.out.split("Global options:").next().unwrap().trim_end();
    let mut text = format!("=== panelctl {}\n{own}\n\n", path.join(" "));
    for name in below(&ran.out) {
        let further = [path.clone(), vec![name]].concat();
        text.push_str(&Box::pin(all_of(further)).await);
    }
    text
}

#[tokio::test]
async fn of_every_command() {
    let root = alone(&["--help"]).await;
    snapshot("help", &root.out);
    let mut others = String::new();
    for name in below(&root.out) {
        let text = all_of(vec![name.clone()]).await;
        match text.matches("=== ").count() {
            1 => others.push_str(&text),
            _ => snapshot(&format!("help-{name}"), &text),
        }
    }
    snapshot("help-others", &others);
}

#[tokio::test]
async fn on_every_topic() {
    let mut text = String::new();
    for topic in ["exit-codes", "formatting", "filters", "environment", "bulk"] {
        let ran = alone(&["help", topic]).await;
        text.push_str(&format!("{}\n", ran.ok()));
        assert!(ran.out.lines().all(|line| line.chars().count() <= 100), "{topic} is too wide");
    }
    snapshot("topics", &text);
    assert_eq!(
        alone(&["help", "orders", "cancel"]).await.ok(),
        alone(&["orders", "cancel", "-h"]).await.ok()
    );
    assert_eq!(alone(&["order", "get", "-h"]).await.code, 0, "the singular works");
    assert_eq!(alone(&["help", "nonsense"]).await.code, 2);
}
