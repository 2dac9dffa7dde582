//! Simulates ten thousand seeded orders whose customers cancel, against each behavior of the fake panel, with the rules of the
//! request, the attempt and the refund but without a database. It checks that an order is refunded once, and at most the
//! undelivered part.

use std::collections::{BTreeMap, BTreeSet};

use panel_contract::amount::Money;
use panel_contract::ids::{ExternalOrderId, OrderId};
use panel_contract::moment::Time;
use panel_contract::orders::ExternalStatus;
use panel_domain::cancel_requests::{CancelRoute, OpenAttempt, choose_route};
use panel_domain::dispatch::{self, AttemptProgress, DispatchDecision, DispatchInput};
use panel_domain::state_machine::next;
use panel_domain::states::cancel_requests::{CancelRequestEvent, CancelRequestState, CancelRequests};
use panel_kernel::random::Random;

use super::{CancelOutcome, outcome_of_rejection};
use panel_demo::panel::world::{CancelBehavior, Offer, World};
use panel_domain::refund::Bill;
use panel_domain::reseller_protocol::read;

const RUNS: u64 = 10_000;
const KEY: &str = "key";
const SECOND_MICROS: i64 = 1_000_000;
/// Seconds after the request until staff decide instead of the provider.
const DEADLINE_SECS: i64 = 3_600;

/// How the cancellation of a simulated order ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum RunEnd {
    AtOnce,
    Confirmed,
    ConfirmedByStaff,
    Refused,
    Expired,
}

/// A simulated order, its attempt at the fake panel, and its cancel request.
struct Run {
    world: World,
    rng: Random,
    now: Time,
    bill: Bill,
    external: Option<i64>,
    attempt: AttemptProgress,
    ended: bool,
    stage: Option<CancelRequestState>,
    deadline: Time,
    due: Option<Time>,
    tries: i64,
    refunds: Vec<Money>,
    by_staff: bool,
}

/// A number from `least` to below `end`.
fn between(rng: &Random, least: i64, end: i64) -> i64 {
    let span = u64::try_from(end - least).unwrap_or(1);
    least + i64::try_from(u64::from_le_bytes(rng.bytes()) % span).unwrap_or_default()
}

fn behavior(rng: &Random) -> CancelBehavior {
    match between(rng, 0, 5) {
        0 => CancelBehavior::Confirms,
        1 => CancelBehavior::Refuses,
        2 => CancelBehavior::Forgets,
        3 => CancelBehavior::ConfirmsLate(between(rng, 0, 2 * DEADLINE_SECS)),
        _ => CancelBehavior::DeliversOn(between(rng, 0, 2 * DEADLINE_SECS)),
    }
}

impl Run {
    fn new(seed: u64) -> Self {
        let rng = Random::seeded(seed);
        let quantity = between(&rng, 10, 10_000);
        let mut world = World::new(KEY);
        let speed = quantity * between(&rng, 1, 60) / 60 + 1;
        world.sell(7, Offer { speed, on_cancel: behavior(&rng), ..Offer::plain("Likes") });
        let cost = Money(between(&rng, 1, 1_000_000_000));
        let precision = u8::try_from(between(&rng, 0, 7)).unwrap();
        let bill = Bill { cost, refunded: Money::ZERO, quantity, delivered: 0, precision, is_paid: true };
        let attempt = AttemptProgress {
            status: ExternalStatus::Pending,
            quantity,
            remains: None,
            start_count: None,
            charge: Money::ZERO,
        };
        let (external, stage, due) = (None, None, None);
        let (now, deadline) = (Time(1_000_000_000_000), Time(0));
        let (ended, by_staff, tries, refunds) = (false, false, 0, Vec::new());
        Self {
            world,
            rng,
            now,
            bill,
            external,
            attempt,
            ended,
            stage,
            deadline,
            due,
            tries,
            refunds,
            by_staff,
        }
    }

    fn call(&mut self, action: &str) -> serde_json::Value {
        let id = self.external.unwrap_or_default().to_string();
        let mut fields = BTreeMap::from([("key", KEY.to_owned()), ("action", action.to_owned())]);
        fields.insert(if action == "cancel" { "orders" } else { "order" }, id);
        let fields = fields.into_iter().map(|(name, value)| (name.to_owned(), value)).collect();
        self.world.answer(&fields, self.now)
    }

    fn one_in(&self, many: i64) -> bool {
        between(&self.rng, 0, many) == 0
    }

    fn on(&mut self, event: CancelRequestEvent) -> bool {
        let to = self.stage.and_then(|stage| next::<CancelRequests>(stage, event));
        self.stage = to.or(self.stage);
        to.is_some()
    }

    fn is_open(&self) -> bool {
        self.stage.is_some_and(|stage| next::<CancelRequests>(stage, CancelRequestEvent::Refuse).is_some())
    }

    /// Cancels the order, which closes the request. Only the first call refunds.
    fn cancel(&mut self) {
        if self.on(CancelRequestEvent::OrderCanceled) {
            let amount = self.bill.default_refund().unwrap();
            self.bill.refunded = Money(self.bill.refunded.0 + amount.0);
            self.refunds.push(amount);
        }
    }

    fn request(&mut self) {
        (self.stage, self.due) = (Some(CancelRequestState::Requested), Some(self.now));
        self.deadline = Time(self.now.0 + DEADLINE_SECS * SECOND_MICROS);
        if self.external.is_none() {
            assert_eq!(choose_route(&[]), CancelRoute::AtOnce);
            self.cancel();
        }
    }

    /// Processes the request if it is due, as the worker does.
    fn work(&mut self) {
        if !self.is_open() || self.due.is_none_or(|due| due > self.now) {
            return;
        }
        if self.deadline <= self.now {
            self.on(CancelRequestEvent::Escalate);
            self.due = None;
            return;
        }
        let open = OpenAttempt {
            order_id: OrderId::new(1),
            id: ExternalOrderId::new(1),
            by_hand: false,
            was_sent: true,
            is_known_there: true,
            is_replaced: false,
            cancels: None,
        };
        assert_eq!(choose_route(&[open]), CancelRoute::Ask(ExternalOrderId::new(1)));
        if !self.on(CancelRequestEvent::Ask) {
            return;
        }
        let answer = self.call("cancel");
        let outcome = match answer[0]["cancel"]["error"].as_str() {
            None => CancelOutcome::Acknowledged,
            Some(message) => outcome_of_rejection(self.tries, message, self.now),
        };
        self.tries += 1;
        match outcome {
            CancelOutcome::Acknowledged => {
                self.on(CancelRequestEvent::Acknowledge);
                self.due = Some(self.deadline);
            }
            CancelOutcome::Rejected(_) => {
                self.on(CancelRequestEvent::Escalate);
                self.due = None;
            }
            CancelOutcome::Retry(at, _) | CancelOutcome::NotSent(at) => self.due = Some(at),
        }
    }

    /// Polls the attempt. If the attempt ended, its status decides what happens with the order.
    fn poll(&mut self) {
        if self.external.is_none() || self.ended || self.refunded_once() {
            return;
        }
        let status = read::order_state(&self.call("status")).unwrap();
        let update = dispatch::apply_status(self.attempt, &status);
        (self.attempt, self.ended) = (update.progress, update.is_over);
        self.bill.delivered = self.attempt.delivered();
        if !self.ended {
            return;
        }
        let case = DispatchInput {
            runs: true,
            is_full: self.bill.delivered >= self.bill.quantity,
            is_counted: false,
            has_live: false,
            is_fresh: false,
            recreates: true,
            has_next: true,
            was_accepted: true,
            cancels: false,
            is_cancel_requested: self.is_open(),
        };
        match dispatch::decide(case) {
            DispatchDecision::Complete => drop(self.on(CancelRequestEvent::OrderCompleted)),
            DispatchDecision::CancelAsRequested => self.cancel(),
            other => {
                assert!(!self.is_open(), "an order with an open request goes to no other provider: {other:?}")
            }
        }
    }

    fn refunded_once(&self) -> bool {
        assert!(self.refunds.len() <= 1, "refunded twice");
        !self.refunds.is_empty()
    }

    /// Sometimes decides an escalated request as staff do, who see the provider's last status.
    fn decide(&mut self) {
        if self.stage != Some(CancelRequestState::Escalated) || !self.one_in(5) {
            return;
        }
        if self.one_in(2) {
            self.on(CancelRequestEvent::Refuse);
        } else {
            self.by_staff = true;
            self.cancel();
        }
    }

    fn delivered_there(&self) -> i64 {
        self.world.delivered("https://a.example", self.now)
    }

    fn run(mut self) -> RunEnd {
        if !self.one_in(10) {
            self.external = Some(self.world.take(7, "https://a.example", self.bill.quantity, self.now));
        }
        let requested_at = Time(self.now.0 + between(&self.rng, 0, 5_400) * SECOND_MICROS);
        for _ in 0..2_000 {
            self.now = Time(self.now.0 + between(&self.rng, 1, 120) * SECOND_MICROS);
            if self.stage.is_none() && self.now >= requested_at && !self.ended {
                self.request();
            }
            for step in 0..3 {
                // In any order: workers, polls and staff do not wait for each other.
                match (step + between(&self.rng, 0, 3)) % 3 {
                    0 => self.work(),
                    1 => self.poll(),
                    _ => self.decide(),
                }
            }
            if self.stage.is_some() && !self.is_open() {
                break;
            }
            if self.ended && self.stage.is_none() {
                return RunEnd::Expired;
            }
        }
        self.check()
    }

    /// Checks the refund: at most what the provider really left undelivered, or, after a decision by staff, at most what it
    /// reported.
    fn check(self) -> RunEnd {
        let refunded: i64 = self.refunds.iter().map(|amount| amount.0).sum();
        let delivered =
            if self.by_staff { self.bill.delivered } else { self.delivered_there().min(self.bill.quantity) };
        let earned = i128::from(self.bill.cost.0) * i128::from(delivered);
        let left = i128::from(self.bill.cost.0) * i128::from(self.bill.quantity) - earned;
        assert!(
            i128::from(refunded) * i128::from(self.bill.quantity) <= left.max(0),
            "more than was not delivered"
        );
        let _ = self.refunded_once();
        match (self.stage, self.external, self.by_staff) {
            (Some(CancelRequestState::Confirmed), None, _) => {
                assert_eq!(refunded, self.bill.cost.0, "all of what was not sent");
                RunEnd::AtOnce
            }
            (Some(CancelRequestState::Confirmed), _, false) => RunEnd::Confirmed,
            (Some(CancelRequestState::Confirmed), _, true) => RunEnd::ConfirmedByStaff,
            (Some(CancelRequestState::Refused), ..) => RunEnd::Refused,
            (Some(CancelRequestState::Expired), ..) => RunEnd::Expired,
            (stage, ..) => panic!("the request never ended: {stage:?}"),
        }
    }
}

#[test]
fn no_order_is_refunded_more_than_the_undelivered_part() {
    let ends: BTreeSet<RunEnd> = (0..RUNS).map(|seed| Run::new(seed).run()).collect();
    let all = [RunEnd::AtOnce, RunEnd::Confirmed, RunEnd::ConfirmedByStaff, RunEnd::Refused, RunEnd::Expired];
    assert_eq!(ends, BTreeSet::from(all), "every end is reached");
}
