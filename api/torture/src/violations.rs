//! Compares what the servers acknowledged to clients with the final state. It has no side effects. It must never repair data or
//! tolerate a violation.

use std::collections::{BTreeMap, BTreeSet};

/// What the client knows about its request at the end of the run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RequestOutcome {
    /// The server acknowledged the request.
    Acknowledged,
    /// The server rejected the request.
    Rejected,
    /// The client received no response and could not repeat the request, because the request has no idempotency key.
    Unknown,
}

/// A write request, identified by a unique marker: the link of an order or the comment of a payment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WriteRequest {
    pub marker: String,
    pub outcome: RequestOutcome,
}

/// The last acknowledged step of a withdrawal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WithdrawalStep {
    pub id: i64,
    pub status: &'static str,
}

/// What the clients requested and what the servers acknowledged.
#[derive(Debug, Clone, Default)]
pub struct ClientLog {
    pub orders: Vec<WriteRequest>,
    pub payments: Vec<WriteRequest>,
    /// Orders whose cancel was acknowledged, by id.
    pub canceled: Vec<i64>,
    pub withdrawals: Vec<WithdrawalStep>,
    /// Sum of the acknowledged payments of each customer, by user id, in millionths.
    pub credited: BTreeMap<i64, i64>,
    /// Number of responses that a client must never get, by reason.
    pub violations_by_text: BTreeMap<String, u64>,
}

/// A customer's money according to the records besides the ledger, in millionths.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct CustomerMoney {
    pub balance: i64,
    /// Amount on hold for withdrawals.
    pub held: i64,
    /// Costs of paid orders less refunds.
    pub spent: i64,
    /// Sum of pending and approved withdrawals.
    pub open_withdrawals: i64,
    /// Sum of paid withdrawals.
    pub paid_withdrawals: i64,
}

#[derive(Debug, Clone, Default)]
pub struct Evidence {
    /// Number of orders by link.
    pub order_counts: BTreeMap<String, u64>,
    /// Number of payments by comment.
    pub payment_counts: BTreeMap<String, u64>,
    pub order_statuses: BTreeMap<i64, String>,
    pub withdrawal_statuses: BTreeMap<i64, String>,
    /// By user id.
    pub money: BTreeMap<i64, CustomerMoney>,
    /// Number of orders at external panels by link.
    pub external_order_counts: BTreeMap<String, u64>,
    /// External order ids in the server's database that the external panel does not have.
    pub missing_external_orders: Vec<String>,
    /// Ids of orders that are neither completed nor canceled, and that wait neither for a provider nor for a staff member.
    pub stuck_orders: Vec<i64>,
    /// Number of jobs that are neither done nor given up.
    pub open_jobs: i64,
    /// Number of jobs that the server no longer retries.
    pub given_up_jobs: i64,
    /// Number of webhook deliveries that are not marked as delivered.
    pub open_deliveries: i64,
    /// Ids of events that are marked as delivered but that the receiver did not receive.
    pub unreceived_deliveries: Vec<String>,
    /// Failed checks of the doctor, with examples.
    pub failed_checks: Vec<String>,
}

/// The reason why a client must never get this response; `None` if the response is allowed.
#[must_use]
pub fn forbidden_response_reason(status: u16, has_retry_after: bool, is_reseller: bool) -> Option<String> {
    match status {
        // The reseller API omits Retry-After if the outcome is unknown, so that no client repeats an order.
        503 | 507 if has_retry_after || is_reseller => None,
        500.. => Some(format!("{status}{}", if has_retry_after { "" } else { " without Retry-After" })),
        401 | 403 => Some(format!("{status} for a signed-in client")),
        _ => None,
    }
}

/// Compares the log of the clients with the final state. Returns one sentence per violation.
#[must_use]
pub fn find_violations(client_log: &ClientLog, evidence: &Evidence) -> Vec<String> {
    let mut violations = Vec::new();
    for (response, count) in &client_log.violations_by_text {
        violations.push(format!("clients got {response} {count} times"));
    }
    check_counts(&mut violations, "order", &client_log.orders, &evidence.order_counts);
    check_counts(&mut violations, "payment", &client_log.payments, &evidence.payment_counts);
    for id in &client_log.canceled {
        let status = evidence.order_statuses.get(id).map_or("missing", String::as_str);
        if status != "canceled" {
            violations.push(format!("the cancel of order {id} was acknowledged, but the order is {status}"));
        }
    }
    for step in &client_log.withdrawals {
        let status = evidence.withdrawal_statuses.get(&step.id).map_or("missing", String::as_str);
        if status != step.status {
            violations
                .push(format!("withdrawal {} was acknowledged as {}, but is {status}", step.id, step.status));
        }
    }
    check_balances(&mut violations, client_log, evidence);
    check_external_orders(&mut violations, evidence);
    check_unfinished_work(&mut violations, evidence);
    violations
}

fn check_counts(
    violations: &mut Vec<String>,
    subject: &str,
    requests: &[WriteRequest],
    counts: &BTreeMap<String, u64>,
) {
    let mut requested = BTreeSet::new();
    for request in requests {
        requested.insert(request.marker.as_str());
        let count = counts.get(&request.marker).copied().unwrap_or_default();
        let is_correct = match request.outcome {
            RequestOutcome::Acknowledged => count == 1,
            RequestOutcome::Rejected => count == 0,
            RequestOutcome::Unknown => count <= 1,
        };
        if !is_correct {
            violations.push(format!(
                "{subject} {} is {:?} for the client and exists {count} times",
                request.marker, request.outcome
            ));
        }
    }
    for marker in counts.keys().filter(|marker| !requested.contains(marker.as_str())) {
        violations.push(format!("no client requested {subject} {marker}"));
    }
}

fn check_balances(violations: &mut Vec<String>, client_log: &ClientLog, evidence: &Evidence) {
    for (user_id, money) in &evidence.money {
        let credited = client_log.credited.get(user_id).copied().unwrap_or_default();
        let expected_balance = credited - money.spent - money.open_withdrawals - money.paid_withdrawals;
        if (money.balance, money.held) != (expected_balance, money.open_withdrawals) {
            violations.push(format!(
                "customer {user_id} has a balance of {} and {} on hold, but must have {expected_balance} and {} (millionths)",
                money.balance, money.held, money.open_withdrawals
            ));
        }
    }
}

fn check_external_orders(violations: &mut Vec<String>, evidence: &Evidence) {
    for (link, count) in &evidence.external_order_counts {
        if *count > 1 {
            violations.push(format!("order {link} is duplicated: {count} at external panels"));
        }
        if !evidence.order_counts.contains_key(link) {
            violations.push(format!("order {link} exists at an external panel but not in the database"));
        }
    }
    for id in &evidence.missing_external_orders {
        violations.push(format!("external order {id} is lost: its panel does not have it"));
    }
    for id in &evidence.stuck_orders {
        violations.push(format!("order {id} is lost: it is still open, and no worker will process it"));
    }
}

fn check_unfinished_work(violations: &mut Vec<String>, evidence: &Evidence) {
    let counts = [
        ("jobs are open", evidence.open_jobs),
        ("jobs were given up", evidence.given_up_jobs),
        ("deliveries to webhooks did not arrive", evidence.open_deliveries),
    ];
    for (problem, count) in counts.into_iter().filter(|(_, count)| *count > 0) {
        violations.push(format!("{count} {problem}"));
    }
    for id in &evidence.unreceived_deliveries {
        violations.push(format!("event {id} is marked as delivered, but the receiver did not get it"));
    }
    violations.extend(evidence.failed_checks.iter().map(|check| format!("doctor: {check}")));
}

#[cfg(test)]
mod tests {
    use super::*;

    fn request(marker: &str, outcome: RequestOutcome) -> WriteRequest {
        WriteRequest { marker: marker.into(), outcome }
    }

    fn correct_run() -> (ClientLog, Evidence) {
        let client_log = ClientLog {
            orders: vec![
                request("a", RequestOutcome::Acknowledged),
                request("b", RequestOutcome::Rejected),
                request("c", RequestOutcome::Unknown),
            ],
            payments: vec![request("p", RequestOutcome::Acknowledged)],
            canceled: vec![1],
            withdrawals: vec![WithdrawalStep { id: 4, status: "paid" }],
            credited: [(7, 100)].into(),
            ..ClientLog::default()
        };
        let money =
            CustomerMoney { balance: 50, held: 10, spent: 20, open_withdrawals: 10, paid_withdrawals: 20 };
        let evidence = Evidence {
            order_counts: [("a".into(), 1)].into(),
            payment_counts: [("p".into(), 1)].into(),
            order_statuses: [(1, "canceled".into())].into(),
            withdrawal_statuses: [(4, "paid".into())].into(),
            money: [(7, money)].into(),
            external_order_counts: [("a".into(), 1)].into(),
            ..Evidence::default()
        };
        (client_log, evidence)
    }

    #[test]
    fn accepts_a_correct_run_and_finds_every_violation() {
        let (client_log, evidence) = correct_run();
        assert_eq!(find_violations(&client_log, &evidence), Vec::<String>::new());
        type ViolationCase = (&'static str, fn(&mut ClientLog, &mut Evidence));
        let cases: [ViolationCase; 20] = [
            ("order a is Acknowledged for the client and exists 2 times", |_, evidence| {
                evidence.order_counts = [("a".into(), 2)].into()
            }),
            ("order a is Acknowledged for the client and exists 0 times", |_, evidence| {
                evidence.order_counts.clear()
            }),
            ("order b is Rejected", |_, evidence| evidence.order_counts.extend([("b".into(), 1)])),
            ("order c is Unknown for the client and exists 2 times", |_, evidence| {
                evidence.order_counts.extend([("c".into(), 2)])
            }),
            ("no client requested order d", |_, evidence| evidence.order_counts.extend([("d".into(), 1)])),
            ("payment p is Acknowledged for the client and exists 2 times", |_, evidence| {
                evidence.payment_counts.extend([("p".into(), 2)])
            }),
            ("the cancel of order 1 was acknowledged, but the order is completed", |_, evidence| {
                evidence.order_statuses.extend([(1, "completed".into())])
            }),
            ("withdrawal 4 was acknowledged as paid, but is approved", |_, evidence| {
                evidence.withdrawal_statuses.extend([(4, "approved".into())])
            }),
            ("customer 7 has a balance of 51", |_, evidence| {
                evidence.money.get_mut(&7).unwrap().balance = 51
            }),
            ("customer 7 has a balance of 50 and 9 on hold", |_, evidence| {
                evidence.money.get_mut(&7).unwrap().held = 9
            }),
            ("order a is duplicated", |_, evidence| evidence.external_order_counts.extend([("a".into(), 2)])),
            ("order z exists at an external panel but not", |_, evidence| {
                evidence.external_order_counts.extend([("z".into(), 1)])
            }),
            ("1 jobs were given up", |_, evidence| evidence.given_up_jobs = 1),
            ("event 8 is marked as delivered", |_, evidence| evidence.unreceived_deliveries.push("8".into())),
            ("external order 9 is lost", |_, evidence| evidence.missing_external_orders.push("9".into())),
            ("order 3 is lost", |_, evidence| evidence.stuck_orders.push(3)),
            ("1 jobs are open", |_, evidence| evidence.open_jobs = 1),
            ("2 deliveries", |_, evidence| evidence.open_deliveries = 2),
            ("doctor: ledger_balanced", |_, evidence| evidence.failed_checks.push("ledger_balanced".into())),
            ("clients got 500", |client_log, _| client_log.violations_by_text.extend([("500".into(), 1)])),
        ];
        for (expected_violation, add_violation) in cases {
            let (mut client_log, mut evidence) = correct_run();
            add_violation(&mut client_log, &mut evidence);
            let violations = find_violations(&client_log, &evidence);
            assert!(
                violations.iter().any(|violation| violation.starts_with(expected_violation)),
                "{expected_violation}: {violations:?}"
            );
        }
    }

    #[test]
    fn a_5xx_response_needs_retry_after_unless_it_is_for_a_reseller() {
        for (status, has_retry_after, is_reseller, is_forbidden) in [
            (200, false, false, false),
            (409, false, false, false),
            (429, true, false, false),
            (503, true, false, false),
            (503, false, false, true),
            (503, false, true, false),
            (507, true, false, false),
            (500, true, false, true),
            (502, false, true, true),
            (401, false, false, true),
        ] {
            assert_eq!(
                forbidden_response_reason(status, has_retry_after, is_reseller).is_some(),
                is_forbidden,
                "{status} {has_retry_after} {is_reseller}"
            );
        }
    }
}
