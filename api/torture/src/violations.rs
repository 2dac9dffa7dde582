//! Compares what the servers acknowledged to clients with the final state. Pure. It must never repair data or tolerate a violation.

use std::collections::{BTreeMap, BTreeSet};

/// What the client knows of its request at the end of the run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    /// The server acknowledged the request.
    Done,
    /// A rule of the server refused the request.
    Refused,
    /// No answer came, and the client could not repeat the request, because it has no idempotency key.
    Unknown,
}

/// A write request, identified by a unique marker: the link of an order or the comment of a payment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WriteRequest {
    pub marker: String,
    pub outcome: Outcome,
}

/// The last acknowledged step of a withdrawal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WithdrawalStep {
    pub id: i64,
    pub status: &'static str,
}

/// What the servers acknowledged to clients.
#[derive(Debug, Clone, Default)]
pub struct Promises {
    pub orders: Vec<WriteRequest>,
    pub payments: Vec<WriteRequest>,
    /// Orders whose cancel was acknowledged, by id.
    pub canceled: Vec<i64>,
    pub withdrawals: Vec<WithdrawalStep>,
    /// What each customer was credited by acknowledged payments, in millionths.
    pub credited: BTreeMap<i64, i64>,
    /// Answers that a client must never see, with how often.
    pub forbidden_answers: BTreeMap<String, u64>,
}

/// A customer's money according to the records besides the ledger, in millionths.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct CustomerMoney {
    pub balance: i64,
    /// Amount held for withdrawals.
    pub held: i64,
    /// Costs of paid orders less refunds.
    pub spent: i64,
    /// Withdrawals that are pending or approved.
    pub open_withdrawals: i64,
    /// Withdrawals that were paid.
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
    /// By id of the customer.
    pub money: BTreeMap<i64, CustomerMoney>,
    /// Number of orders at external panels by link.
    pub external_order_counts: BTreeMap<String, u64>,
    /// External order ids in the server's database that the external panel does not have.
    pub missing_external_orders: Vec<String>,
    /// Ids of orders that neither ended nor wait for a staff member.
    pub stuck_orders: Vec<i64>,
    /// Jobs that are neither done nor dead.
    pub open_jobs: i64,
    /// Jobs that the server no longer retries.
    pub dead_jobs: i64,
    /// Webhook deliveries that are not marked as delivered.
    pub open_deliveries: i64,
    /// Ids of events that are marked as delivered and that the receiver did not receive.
    pub unreceived_deliveries: Vec<String>,
    /// Failed checks of the doctor, with examples.
    pub failed_checks: Vec<String>,
}

/// The reason why a client must never get this answer; `None` if it is allowed.
#[must_use]
pub fn forbidden_answer_reason(status: u16, has_retry_after: bool, is_reseller: bool) -> Option<String> {
    match status {
        // The reseller API omits Retry-After if the outcome is unknown, so that no program repeats an order.
        503 | 507 if has_retry_after || is_reseller => None,
        500.. => Some(format!("{status}{}", if has_retry_after { "" } else { " without Retry-After" })),
        401 | 403 => Some(format!("{status} for a signed-in caller")),
        _ => None,
    }
}

/// All violations; empty if every promise was kept.
#[must_use]
pub fn find_violations(promises: &Promises, evidence: &Evidence) -> Vec<String> {
    let mut violations = Vec::new();
    for (answer, count) in &promises.forbidden_answers {
        violations.push(format!("clients saw {answer} {count} times"));
    }
    check_counts(&mut violations, "order", &promises.orders, &evidence.order_counts);
    check_counts(&mut violations, "payment", &promises.payments, &evidence.payment_counts);
    for id in &promises.canceled {
        let status = evidence.order_statuses.get(id).map_or("missing", String::as_str);
        if status != "canceled" {
            violations.push(format!("order {id} was canceled for its client and is {status}"));
        }
    }
    for step in &promises.withdrawals {
        let status = evidence.withdrawal_statuses.get(&step.id).map_or("missing", String::as_str);
        if status != step.status {
            violations
                .push(format!("withdrawal {} was {} for its client and is {status}", step.id, step.status));
        }
    }
    check_balances(&mut violations, promises, evidence);
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
            Outcome::Done => count == 1,
            Outcome::Refused => count == 0,
            Outcome::Unknown => count <= 1,
        };
        if !is_correct {
            violations.push(format!(
                "{subject} {} is {:?} for its client and exists {count} times",
                request.marker, request.outcome
            ));
        }
    }
    for marker in counts.keys().filter(|marker| !requested.contains(marker.as_str())) {
        violations.push(format!("no client requested {subject} {marker}"));
    }
}

fn check_balances(violations: &mut Vec<String>, promises: &Promises, evidence: &Evidence) {
    for (user, actual) in &evidence.money {
        let credited = promises.credited.get(user).copied().unwrap_or_default();
        let expected = credited - actual.spent - actual.open_withdrawals - actual.paid_withdrawals;
        if (actual.balance, actual.held) != (expected, actual.open_withdrawals) {
            violations.push(format!(
                "customer {user} has {} and holds {}, but should have {expected} and hold {} (millionths)",
                actual.balance, actual.held, actual.open_withdrawals
            ));
        }
    }
}

fn check_external_orders(violations: &mut Vec<String>, evidence: &Evidence) {
    for (link, count) in &evidence.external_order_counts {
        if *count > 1 {
            violations.push(format!("order {link} is doubled: {count} at external panels"));
        }
        if !evidence.order_counts.contains_key(link) {
            violations.push(format!("order {link} exists at an external panel and not in the database"));
        }
    }
    for id in &evidence.missing_external_orders {
        violations.push(format!("external order {id} is lost: its panel does not have it"));
    }
    for id in &evidence.stuck_orders {
        violations.push(format!("order {id} is lost: it did not end, and nothing will change it"));
    }
}

fn check_unfinished_work(violations: &mut Vec<String>, evidence: &Evidence) {
    let counts = [
        ("jobs are open", evidence.open_jobs),
        ("jobs were given up", evidence.dead_jobs),
        ("deliveries to webhooks did not arrive", evidence.open_deliveries),
    ];
    for (problem, count) in counts.into_iter().filter(|(_, count)| *count > 0) {
        violations.push(format!("{count} {problem}"));
    }
    for id in &evidence.unreceived_deliveries {
        violations.push(format!("event {id} is marked as delivered and was not received"));
    }
    violations.extend(evidence.failed_checks.iter().map(|check| format!("doctor: {check}")));
}

#[cfg(test)]
mod tests {
    use super::*;

    fn request(marker: &str, outcome: Outcome) -> WriteRequest {
        WriteRequest { marker: marker.into(), outcome }
    }

    fn correct_run() -> (Promises, Evidence) {
        let promises = Promises {
            orders: vec![
                request("a", Outcome::Done),
                request("b", Outcome::Refused),
                request("c", Outcome::Unknown),
            ],
            payments: vec![request("p", Outcome::Done)],
            canceled: vec![1],
            withdrawals: vec![WithdrawalStep { id: 4, status: "paid" }],
            credited: [(7, 100)].into(),
            ..Promises::default()
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
        (promises, evidence)
    }

    #[test]
    fn accepts_a_correct_run_and_finds_every_violation() {
        let (promises, evidence) = correct_run();
        assert_eq!(find_violations(&promises, &evidence), Vec::<String>::new());
        type ViolationCase = (&'static str, fn(&mut Promises, &mut Evidence));
        let cases: [ViolationCase; 20] = [
            ("order a is Done for its client and exists 2 times", |_, evidence| {
                evidence.order_counts = [("a".into(), 2)].into()
            }),
            ("order a is Done for its client and exists 0 times", |_, evidence| {
                evidence.order_counts.clear()
            }),
            ("order b is Refused", |_, evidence| evidence.order_counts.extend([("b".into(), 1)])),
            ("order c is Unknown for its client and exists 2 times", |_, evidence| {
                evidence.order_counts.extend([("c".into(), 2)])
            }),
            ("no client requested order d", |_, evidence| evidence.order_counts.extend([("d".into(), 1)])),
            ("payment p is Done for its client and exists 2 times", |_, evidence| {
                evidence.payment_counts.extend([("p".into(), 2)])
            }),
            ("order 1 was canceled for its client and is completed", |_, evidence| {
                evidence.order_statuses.extend([(1, "completed".into())])
            }),
            ("withdrawal 4 was paid for its client and is approved", |_, evidence| {
                evidence.withdrawal_statuses.extend([(4, "approved".into())])
            }),
            ("customer 7 has 51", |_, evidence| evidence.money.get_mut(&7).unwrap().balance = 51),
            ("customer 7 has 50 and holds 9", |_, evidence| evidence.money.get_mut(&7).unwrap().held = 9),
            ("order a is doubled", |_, evidence| evidence.external_order_counts.extend([("a".into(), 2)])),
            ("order z exists at an external panel and not", |_, evidence| {
                evidence.external_order_counts.extend([("z".into(), 1)])
            }),
            ("1 jobs were given up", |_, evidence| evidence.dead_jobs = 1),
            ("event 8 is marked as delivered", |_, evidence| evidence.unreceived_deliveries.push("8".into())),
            ("external order 9 is lost", |_, evidence| evidence.missing_external_orders.push("9".into())),
            ("order 3 is lost", |_, evidence| evidence.stuck_orders.push(3)),
            ("1 jobs are open", |_, evidence| evidence.open_jobs = 1),
            ("2 deliveries", |_, evidence| evidence.open_deliveries = 2),
            ("doctor: ledger_balanced", |_, evidence| evidence.failed_checks.push("ledger_balanced".into())),
            ("clients saw 500", |promises, _| promises.forbidden_answers.extend([("500".into(), 1)])),
        ];
        for (expected, break_run) in cases {
            let (mut promises, mut evidence) = correct_run();
            break_run(&mut promises, &mut evidence);
            let violations = find_violations(&promises, &evidence);
            assert!(
                violations.iter().any(|violation| violation.starts_with(expected)),
                "{expected}: {violations:?}"
            );
        }
    }

    #[test]
    fn clients_may_only_see_outages_with_retry_after() {
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
                forbidden_answer_reason(status, has_retry_after, is_reseller).is_some(),
                is_forbidden,
                "{status} {has_retry_after} {is_reseller}"
            );
        }
    }
}
