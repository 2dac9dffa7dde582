//! Formats the results of the runs as a Markdown page.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::time::Duration;

use crate::run::RunResult;
use crate::violations::{RequestOutcome, WriteRequest};

#[derive(Debug, Clone)]
pub struct PageHeader {
    pub date: String,
    pub seed: u64,
    pub fault_duration: Duration,
}

#[must_use]
pub fn format_page(header: &PageHeader, results: &[RunResult]) -> String {
    let mut page = String::from("# Stress test with injected faults\n\n");
    let minutes = header.fault_duration.as_secs() / 60;
    let _ = writeln!(
        page,
        "Result of `make torture` on {}, seed {}: {minutes} min {} s of faults on each database, both at the same time. [How the test works](../outages.md#how-this-is-tested).",
        header.date,
        header.seed,
        header.fault_duration.as_secs() % 60
    );
    for result in results {
        write_section(&mut page, result);
    }
    page
}

fn write_section(page: &mut String, result: &RunResult) {
    let faults: Vec<_> =
        result.faults.iter().map(|(fault, count)| (fault.name().to_owned(), *count)).collect();
    let client_log = &result.client_log;
    let _ = write!(page, "\n## {}\n\n", result.database);
    let _ = writeln!(page, "| Measurement | Value |\n|---|---|");
    write_row(page, "Violations", &result.violations.len().to_string());
    write_row(page, "Faults", &join_counts(faults));
    write_row(page, "Orders", &count_outcomes(&client_log.orders));
    write_row(page, "Payments", &count_outcomes(&client_log.payments));
    write_row(page, "Cancels acknowledged", &client_log.canceled.len().to_string());
    write_row(page, "Withdrawals decided", &client_log.withdrawals.len().to_string());
    write_row(page, "Responses that clients received", &join_counts(result.response_counts.clone()));
    write_row(page, "Orders at external panels", &result.external_orders.to_string());
    let order_outcomes = &result.order_outcomes;
    let outcomes = [
        ("completed".to_owned(), order_outcomes.completed),
        ("canceled".to_owned(), order_outcomes.canceled),
        ("waiting for staff".to_owned(), order_outcomes.waiting_for_staff),
        ("without a provider".to_owned(), order_outcomes.without_provider),
    ];
    write_row(page, "Outcomes of orders", &join_counts(outcomes));
    write_row(page, "Events that the webhook received", &result.webhook_events.to_string());
    write_row(page, "Quarantined records that an operator released", &result.released_records.to_string());
    for reason in &result.skipped_faults {
        write_row(page, "Skipped fault", reason);
    }
    for violation in result.violations.iter().take(50) {
        write_row(
            page,
            "Violation",
            &violation.chars().take(300).collect::<String>().replace(['|', '\n'], " "),
        );
    }
}

fn write_row(page: &mut String, name: &str, value: &str) {
    let _ = writeln!(page, "| {name} | {value} |");
}

fn join_counts(counts: impl IntoIterator<Item = (String, u64)>) -> String {
    let entries: Vec<_> = counts.into_iter().map(|(name, count)| format!("{name}: {count}")).collect();
    entries.join(", ")
}

fn count_outcomes(requests: &[WriteRequest]) -> String {
    let mut counts = BTreeMap::new();
    for request in requests {
        let outcome_name = match request.outcome {
            RequestOutcome::Acknowledged => "acknowledged",
            RequestOutcome::Rejected => "rejected",
            RequestOutcome::Unknown => "without a response",
        };
        *counts.entry(outcome_name.to_owned()).or_default() += 1;
    }
    join_counts(counts)
}
