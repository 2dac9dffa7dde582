//! Compares the promises to clients with the final state. Pure. It must never repair data or tolerate a violation.

use std::collections::BTreeMap;

/// The client's view of a request at the end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    /// The server acknowledged it.
    Done,
    /// The server refused it by a rule.
    Refused,
    /// No answer came, and the request has no key under which it could be repeated.
    Unknown,
}

/// A write request, identified by a unique text: an order's link, a payment's comment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Request {
    /// The unique text.
    pub mark: String,
    /// The client's view.
    pub outcome: Outcome,
}

/// The last acknowledged step of a withdrawal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WithdrawalStep {
    pub id: i64,
    /// The expected status.
    pub status: &'static str,
}

/// Promises of the servers to clients.
#[derive(Debug, Clone, Default)]
pub struct Promises {
    /// Orders by link.
    pub orders: Vec<Request>,
    /// Payments by comment.
    pub payments: Vec<Request>,
    /// Orders whose cancel was acknowledged, by id.
    pub canceled: Vec<i64>,
    /// Withdrawals.
    pub withdrawals: Vec<WithdrawalStep>,
    /// What each customer was credited by acknowledged payments, in millionths.
    pub credited: BTreeMap<i64, i64>,
    /// Answers that a client must never see, with how often.
    pub forbidden_answers: BTreeMap<String, u64>,
}

/// A customer's money according to the records besides the ledger, in millionths.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct CustomerMoney {
    /// The main balance.
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

/// The final state.
#[derive(Debug, Clone, Default)]
pub struct Evidence {
    /// Number of orders by link.
    pub orders: BTreeMap<String, u64>,
    /// Number of payments by comment.
    pub payments: BTreeMap<String, u64>,
    /// Statuses of orders by id.
    pub statuses: BTreeMap<i64, String>,
    /// Statuses of withdrawals by id.
    pub withdrawals: BTreeMap<i64, String>,
    /// Money of each customer.
    pub money: BTreeMap<i64, CustomerMoney>,
    /// Number of orders at external panels by link.
    pub at_panels: BTreeMap<String, u64>,
    /// External order ids in our database that no external panel has.
    pub unknown_at_panels: Vec<String>,
    /// Orders that neither ended nor wait for a person, by id.
    pub waiting: Vec<i64>,
    /// Jobs that are neither done nor given up.
    pub open_jobs: i64,
    /// Jobs that were given up.
    pub dead_jobs: i64,
    /// Deliveries to webhooks that did not arrive.
    pub open_deliveries: i64,
    /// Deliveries marked as delivered that the receiver does not know.
    pub unknown_deliveries: Vec<String>,
    /// Checks of the doctor that failed.
    pub doctor: Vec<String>,
}

/// The reason why a client must never get this answer; `None` if it is allowed.
#[must_use]
pub fn forbidden(status: u16, has_retry_after: bool, is_reseller: bool) -> Option<String> {
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
pub fn judge(promises: &Promises, evidence: &Evidence) -> Vec<String> {
    let mut violations = Vec::new();
    for (answer, count) in &promises.forbidden_answers {
        violations.push(format!("clients saw {answer} {count} times"));
    }
    count_once(&mut violations, "order", &promises.orders, &evidence.orders);
    count_once(&mut violations, "payment", &promises.payments, &evidence.payments);
    for id in &promises.canceled {
        let status = evidence.statuses.get(id).map_or("missing", String::as_str);
        if status != "canceled" {
            violations.push(format!("order {id} was canceled for its client and is {status}"));
        }
    }
    for step in &promises.withdrawals {
        let status = evidence.withdrawals.get(&step.id).map_or("missing", String::as_str);
        if status != step.status {
            violations
                .push(format!("withdrawal {} was {} for its client and is {status}", step.id, step.status));
        }
    }
    money(&mut violations, promises, evidence);
    panels(&mut violations, evidence);
    leftovers(&mut violations, evidence);
    violations
}

fn count_once(violations: &mut Vec<String>, what: &str, requests: &[Request], found: &BTreeMap<String, u64>) {
    let mut known = BTreeMap::new();
    for request in requests {
        known.insert(request.mark.as_str(), ());
        let count = found.get(&request.mark).copied().unwrap_or_default();
        let is_right = match request.outcome {
            Outcome::Done => count == 1,
            Outcome::Refused => count == 0,
            Outcome::Unknown => count <= 1,
        };
        if !is_right {
            violations.push(format!(
                "{what} {} is {:?} for its client and there {count} times",
                request.mark, request.outcome
            ));
        }
    }
    for mark in found.keys().filter(|mark| !known.contains_key(mark.as_str())) {
        violations.push(format!("{what} {mark} was requested by no client"));
    }
}

fn money(violations: &mut Vec<String>, promises: &Promises, evidence: &Evidence) {
    for (user, has) in &evidence.money {
        let credited = promises.credited.get(user).copied().unwrap_or_default();
        let should = credited - has.spent - has.open_withdrawals - has.paid_withdrawals;
        if (has.balance, has.held) != (should, has.open_withdrawals) {
            violations.push(format!(
                "customer {user} has {} and holds {}, but should have {should} and hold {} (millionths)",
                has.balance, has.held, has.open_withdrawals
            ));
        }
    }
}

fn panels(violations: &mut Vec<String>, evidence: &Evidence) {
    for (link, count) in &evidence.at_panels {
        if *count > 1 {
            violations.push(format!("order {link} is doubled: {count} at external panels"));
        }
        if !evidence.orders.contains_key(link) {
            violations.push(format!("order {link} is at an external panel and not in the database"));
        }
    }
    for id in &evidence.unknown_at_panels {
        violations.push(format!("external order {id} is lost: its panel does not have it"));
    }
    for id in &evidence.waiting {
        violations.push(format!("order {id} is lost: nothing will change it"));
    }
}

fn leftovers(violations: &mut Vec<String>, evidence: &Evidence) {
    let counts = [
        ("jobs are open", evidence.open_jobs),
        ("jobs were given up", evidence.dead_jobs),
        ("deliveries to webhooks did not arrive", evidence.open_deliveries),
    ];
    for (what, count) in counts.into_iter().filter(|(_, count)| *count > 0) {
        violations.push(format!("{count} {what}"));
    }
    for id in &evidence.unknown_deliveries {
        violations.push(format!("event {id} is delivered here and did not arrive there"));
    }
    violations.extend(evidence.doctor.iter().map(|check| format!("doctor: {check}")));
}

#[cfg(test)]
mod tests {
    use super::*;

    fn request(mark: &str, outcome: Outcome) -> Request {
        Request { mark: mark.into(), outcome }
    }

    fn sound() -> (Promises, Evidence) {
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
            orders: [("a".into(), 1)].into(),
            payments: [("p".into(), 1)].into(),
            statuses: [(1, "canceled".into())].into(),
            withdrawals: [(4, "paid".into())].into(),
            money: [(7, money)].into(),
            at_panels: [("a".into(), 1)].into(),
            ..Evidence::default()
        };
        (promises, evidence)
    }

    #[test]
    fn accepts_a_correct_run_and_finds_every_violation() {
        let (promises, evidence) = sound();
        assert_eq!(judge(&promises, &evidence), Vec::<String>::new());
        type Wrong = (&'static str, fn(&mut Promises, &mut Evidence));
        let cases: [Wrong; 20] = [
            ("order a is Done for its client and there 2 times", |_, e| e.orders = [("a".into(), 2)].into()),
            ("order a is Done for its client and there 0 times", |_, e| e.orders.clear()),
            ("order b is Refused", |_, e| e.orders.extend([("b".into(), 1)])),
            ("order c is Unknown for its client and there 2 times", |_, e| {
                e.orders.extend([("c".into(), 2)])
            }),
            ("order d was requested by no client", |_, e| e.orders.extend([("d".into(), 1)])),
            ("payment p is Done for its client and there 2 times", |_, e| {
                e.payments.extend([("p".into(), 2)])
            }),
            ("order 1 was canceled for its client and is completed", |_, e| {
                e.statuses.extend([(1, "completed".into())])
            }),
            ("withdrawal 4 was paid for its client and is approved", |_, e| {
                e.withdrawals.extend([(4, "approved".into())])
            }),
            ("customer 7 has 51", |_, e| e.money.get_mut(&7).unwrap().balance = 51),
            ("customer 7 has 50 and holds 9", |_, e| e.money.get_mut(&7).unwrap().held = 9),
            ("order a is doubled", |_, e| e.at_panels.extend([("a".into(), 2)])),
            ("order z is at an external panel and not", |_, e| e.at_panels.extend([("z".into(), 1)])),
            ("1 jobs were given up", |_, e| e.dead_jobs = 1),
            ("event 8 is delivered here", |_, e| e.unknown_deliveries.push("8".into())),
            ("external order 9 is lost", |_, e| e.unknown_at_panels.push("9".into())),
            ("order 3 is lost", |_, e| e.waiting.push(3)),
            ("1 jobs are open", |_, e| e.open_jobs = 1),
            ("2 deliveries", |_, e| e.open_deliveries = 2),
            ("doctor: ledger_balanced", |_, e| e.doctor.push("ledger_balanced".into())),
            ("clients saw 500", |p, _| p.forbidden_answers.extend([("500".into(), 1)])),
        ];
        for (words, change) in cases {
            let (mut promises, mut evidence) = sound();
            change(&mut promises, &mut evidence);
            let found = judge(&promises, &evidence);
            assert!(found.iter().any(|found| found.starts_with(words)), "{words}: {found:?}");
        }
    }

    #[test]
    fn clients_may_only_see_outages_with_retry_after() {
        for (status, waits, reseller, is_wrong) in [
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
            assert_eq!(forbidden(status, waits, reseller).is_some(), is_wrong, "{status} {waits} {reseller}");
        }
    }
}
