//! Formats the results of the runs as a page of the documentation.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::time::Duration;

use crate::judge::{Outcome, Request};
use crate::run::RunResult;

/// Header of the page.
#[derive(Debug, Clone)]
pub struct PageHeader {
    pub date: String,
    pub seed: u64,
    /// Length of the fault phase on each database.
    pub length: Duration,
}

/// Formats the page.
#[must_use]
pub fn page(head: &PageHeader, verdicts: &[RunResult]) -> String {
    let mut page = String::from("# Torture\n\n");
    let minutes = head.length.as_secs() / 60;
    let _ = writeln!(
        page,
        "`make torture` of {}, seed {}, {minutes} min {} s of faults on each database, both at the same time. [What it does](../outages.md#how-this-is-tested).",
        head.date,
        head.seed,
        head.length.as_secs() % 60
    );
    for verdict in verdicts {
        section(&mut page, verdict);
    }
    page
}

fn section(page: &mut String, verdict: &RunResult) {
    let faults: Vec<_> =
        verdict.faults.iter().map(|(fault, count)| (fault.name().to_owned(), *count)).collect();
    let promises = &verdict.promises;
    let _ = write!(page, "\n## {}\n\n", verdict.database);
    let _ = writeln!(page, "| What | Number |\n|---|---|");
    row(page, "Violations", &verdict.violations.len().to_string());
    row(page, "Faults", &joined(faults));
    row(page, "Orders", &outcomes(&promises.orders));
    row(page, "Payments", &outcomes(&promises.payments));
    row(page, "Cancels acknowledged", &promises.canceled.len().to_string());
    row(page, "Withdrawals decided", &promises.withdrawals.len().to_string());
    row(page, "Answers that clients saw", &joined(verdict.seen.clone()));
    row(page, "Orders at external panels", &verdict.at_panels.to_string());
    let ends = &verdict.ends;
    let ended = [
        ("completed".to_owned(), ends.completed),
        ("canceled".to_owned(), ends.canceled),
        ("left for a person".to_owned(), ends.left_for_a_person),
        ("without a provider".to_owned(), ends.without_provider),
    ];
    row(page, "How orders ended", &joined(ended));
    row(page, "Events at the webhook", &verdict.events.to_string());
    row(page, "Quarantined records that an operator released", &verdict.released.to_string());
    for why in &verdict.left_out {
        row(page, "Not tried", why);
    }
    for violation in verdict.violations.iter().take(50) {
        row(page, "Violation", &violation.chars().take(300).collect::<String>().replace(['|', '\n'], " "));
    }
}

fn row(page: &mut String, what: &str, number: &str) {
    let _ = writeln!(page, "| {what} | {number} |");
}

fn joined(counts: impl IntoIterator<Item = (String, u64)>) -> String {
    let all: Vec<_> = counts.into_iter().map(|(what, count)| format!("{what}: {count}")).collect();
    all.join(", ")
}

fn outcomes(requests: &[Request]) -> String {
    let mut counts = BTreeMap::new();
    for request in requests {
        let word = match request.outcome {
            Outcome::Done => "acknowledged",
            Outcome::Refused => "refused",
            Outcome::Unknown => "without an answer",
        };
        *counts.entry(word.to_owned()).or_default() += 1;
    }
    joined(counts)
}
