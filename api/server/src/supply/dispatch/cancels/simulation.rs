//! Simulates the cancellation of ten thousand seeded orders, with each behavior of the fake panel. The simulation uses the real
//! rules of cancel requests, attempts and refunds, but no database. It checks that each order is refunded at most once, and at most
//! the price of its undelivered part.

use std::collections::{BTreeMap, BTreeSet};

use panel_contract::amount::Money;
use panel_contract::ids::{ExternalOrderId, OrderId};
use panel_contract::moment::Time;
use panel_contract::orders::ExternalStatus;
use panel_domain::cancel_requests::{CancelStep, OpenAttempt, choose_cancel_step};
use panel_domain::dispatch::{self, AttemptProgress, DispatchDecision, DispatchInput};
use panel_domain::state_machine::next_state;
use panel_domain::states::cancel_requests::{CancelRequestEvent, CancelRequestState, CancelRequests};
use panel_kernel::random::Random;

use super::{CancelOutcome, outcome_for_rejection};
use panel_demo::panel::state::{CancelBehavior, FakePanelState, FakeService};
use panel_domain::refund::BilledOrder;
use panel_domain::reseller_protocol::responses;

const SIMULATED_ORDERS: u64 = 10_000;
const API_KEY: &str = "key";
const SECOND_MICROS: i64 = 1_000_000;
/// Time after the cancel request until staff decide instead of the provider.
const DEADLINE_SECS: i64 = 3_600;

/// How the cancellation of a simulated order ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum SimulationOutcome {
    CanceledImmediately,
    Confirmed,
    ConfirmedByStaff,
    Rejected,
    Expired,
}

/// A simulated order, its attempt at the fake panel, and its cancel request.
struct SimulatedOrder {
    panel_state: FakePanelState,
    rng: Random,
    now: Time,
    bill: BilledOrder,
    external_order_id: Option<i64>,
    attempt: AttemptProgress,
    is_ended: bool,
    request_state: Option<CancelRequestState>,
    deadline_at: Time,
    due_at: Option<Time>,
    tries: i64,
    refunds: Vec<Money>,
    is_decided_by_staff: bool,
}

/// Returns a random number from `min` (inclusive) to `end` (exclusive).
fn random_between(rng: &Random, min: i64, end: i64) -> i64 {
    let span = u64::try_from(end - min).unwrap_or(1);
    min + i64::try_from(u64::from_le_bytes(rng.bytes()) % span).unwrap_or_default()
}

fn random_behavior(rng: &Random) -> CancelBehavior {
    match random_between(rng, 0, 5) {
        0 => CancelBehavior::Confirms,
        1 => CancelBehavior::Rejects,
        2 => CancelBehavior::ConfirmsWithoutStopping,
        3 => CancelBehavior::ConfirmsAfterSecs(random_between(rng, 0, 2 * DEADLINE_SECS)),
        _ => CancelBehavior::StopsAfterSecs(random_between(rng, 0, 2 * DEADLINE_SECS)),
    }
}

impl SimulatedOrder {
    fn new(seed: u64) -> Self {
        let rng = Random::seeded(seed);
        let quantity = random_between(&rng, 10, 10_000);
        let mut panel_state = FakePanelState::new(API_KEY);
        let speed = quantity * random_between(&rng, 1, 60) / 60 + 1;
        panel_state.add_service(
            7,
            FakeService {
                units_per_minute: speed,
                cancel_behavior: random_behavior(&rng),
                ..FakeService::with_name("Likes")
            },
        );
        let cost = Money(random_between(&rng, 1, 1_000_000_000));
        let precision = u8::try_from(random_between(&rng, 0, 7)).unwrap();
        let bill =
            BilledOrder { cost, refunded: Money::ZERO, quantity, delivered: 0, precision, is_paid: true };
        let attempt = AttemptProgress {
            status: ExternalStatus::Pending,
            quantity,
            remains: None,
            start_count: None,
            charge: Money::ZERO,
        };
        let (external_order_id, request_state, due_at) = (None, None, None);
        let (now, deadline_at) = (Time(1_000_000_000_000), Time(0));
        let (is_ended, is_decided_by_staff, tries, refunds) = (false, false, 0, Vec::new());
        Self {
            panel_state,
            rng,
            now,
            bill,
            external_order_id,
            attempt,
            is_ended,
            request_state,
            deadline_at,
            due_at,
            tries,
            refunds,
            is_decided_by_staff,
        }
    }

    fn send_request(&mut self, action: &str) -> serde_json::Value {
        let id = self.external_order_id.unwrap_or_default().to_string();
        let mut fields = BTreeMap::from([("key", API_KEY.to_owned()), ("action", action.to_owned())]);
        fields.insert(if action == "cancel" { "orders" } else { "order" }, id);
        let fields = fields.into_iter().map(|(name, value)| (name.to_owned(), value)).collect();
        self.panel_state.handle_request(&fields, self.now)
    }

    /// Returns true with a probability of one in `n`.
    fn happens_once_in(&self, n: i64) -> bool {
        random_between(&self.rng, 0, n) == 0
    }

    fn apply_event(&mut self, event: CancelRequestEvent) -> bool {
        let next_state =
            self.request_state.and_then(|request_state| next_state::<CancelRequests>(request_state, event));
        self.request_state = next_state.or(self.request_state);
        next_state.is_some()
    }

    fn is_open(&self) -> bool {
        self.request_state.is_some_and(|request_state| {
            next_state::<CancelRequests>(request_state, CancelRequestEvent::Reject).is_some()
        })
    }

    /// Cancels the order, which closes the request. Only the first cancellation refunds money.
    fn cancel_order(&mut self) {
        if self.apply_event(CancelRequestEvent::OrderCanceled) {
            let amount = self.bill.default_refund().unwrap();
            self.bill.refunded = Money(self.bill.refunded.0 + amount.0);
            self.refunds.push(amount);
        }
    }

    fn request_cancel(&mut self) {
        (self.request_state, self.due_at) = (Some(CancelRequestState::Requested), Some(self.now));
        self.deadline_at = Time(self.now.0 + DEADLINE_SECS * SECOND_MICROS);
        if self.external_order_id.is_none() {
            assert_eq!(choose_cancel_step(&[]), CancelStep::Immediately);
            self.cancel_order();
        }
    }

    /// Processes the request if it is due, like the worker.
    fn process_request(&mut self) {
        if !self.is_open() || self.due_at.is_none_or(|due_at| due_at > self.now) {
            return;
        }
        if self.deadline_at <= self.now {
            self.apply_event(CancelRequestEvent::Escalate);
            self.due_at = None;
            return;
        }
        let open_attempt = OpenAttempt {
            order_id: OrderId::new(1),
            id: ExternalOrderId::new(1),
            by_hand: false,
            was_sent: true,
            has_external_id: true,
            is_replaced: false,
            is_cancelable: None,
        };
        assert_eq!(choose_cancel_step(&[open_attempt]), CancelStep::Send(ExternalOrderId::new(1)));
        if !self.apply_event(CancelRequestEvent::Send) {
            return;
        }
        let response = self.send_request("cancel");
        let outcome = match response[0]["cancel"]["error"].as_str() {
            None => CancelOutcome::Acknowledged,
            Some(message) => outcome_for_rejection(self.tries, message, self.now),
        };
        self.tries += 1;
        match outcome {
            CancelOutcome::Acknowledged => {
                self.apply_event(CancelRequestEvent::Acknowledge);
                self.due_at = Some(self.deadline_at);
            }
            CancelOutcome::Rejected(_) => {
                self.apply_event(CancelRequestEvent::Escalate);
                self.due_at = None;
            }
            CancelOutcome::Retry(retry_at, _) | CancelOutcome::NotSent(retry_at) => {
                self.due_at = Some(retry_at)
            }
        }
    }

    /// Polls the attempt. The status of an ended attempt decides what happens with the order.
    fn poll_attempt(&mut self) {
        if self.external_order_id.is_none() || self.is_ended || self.is_refunded() {
            return;
        }
        let status = responses::parse_order_status(&self.send_request("status")).unwrap();
        let update = dispatch::apply_status(self.attempt, &status);
        (self.attempt, self.is_ended) = (update.progress, update.has_ended);
        self.bill.delivered = self.attempt.delivered();
        if !self.is_ended {
            return;
        }
        let input = DispatchInput {
            is_in_processing: true,
            is_delivered: self.bill.delivered >= self.bill.quantity,
            is_complete_by_counter: false,
            has_unfinished_attempt: false,
            has_no_attempt: false,
            reorders_undelivered: true,
            has_next_provider: true,
            was_accepted: true,
            auto_cancel: false,
            is_cancel_requested: self.is_open(),
        };
        match dispatch::decide(input) {
            DispatchDecision::Complete => drop(self.apply_event(CancelRequestEvent::OrderCompleted)),
            DispatchDecision::CancelAsRequested => self.cancel_order(),
            decision => {
                assert!(
                    !self.is_open(),
                    "an order with an open cancel request must not be sent to another provider: {decision:?}"
                )
            }
        }
    }

    fn is_refunded(&self) -> bool {
        assert!(self.refunds.len() <= 1, "the order was refunded twice");
        !self.refunds.is_empty()
    }

    /// Sometimes decides an escalated request like staff, who see the last status that the provider reported.
    fn decide_as_staff(&mut self) {
        if self.request_state != Some(CancelRequestState::Escalated) || !self.happens_once_in(5) {
            return;
        }
        if self.happens_once_in(2) {
            self.apply_event(CancelRequestEvent::Reject);
        } else {
            self.is_decided_by_staff = true;
            self.cancel_order();
        }
    }

    fn delivered_at_panel(&self) -> i64 {
        self.panel_state.delivered_quantity("https://a.example", self.now)
    }

    fn run(mut self) -> SimulationOutcome {
        if !self.happens_once_in(10) {
            self.external_order_id =
                Some(self.panel_state.place_order(7, "https://a.example", self.bill.quantity, self.now));
        }
        let requested_at = Time(self.now.0 + random_between(&self.rng, 0, 5_400) * SECOND_MICROS);
        for _ in 0..2_000 {
            self.now = Time(self.now.0 + random_between(&self.rng, 1, 120) * SECOND_MICROS);
            if self.request_state.is_none() && self.now >= requested_at && !self.is_ended {
                self.request_cancel();
            }
            for offset in 0..3 {
                // The sequence is random, because workers, polls and staff do not wait for each other.
                match (offset + random_between(&self.rng, 0, 3)) % 3 {
                    0 => self.process_request(),
                    1 => self.poll_attempt(),
                    _ => self.decide_as_staff(),
                }
            }
            if self.request_state.is_some() && !self.is_open() {
                break;
            }
            if self.is_ended && self.request_state.is_none() {
                return SimulationOutcome::Expired;
            }
        }
        self.check_refund()
    }

    /// Checks that the refund is at most the price of the quantity that the provider did not deliver. After a decision by
    /// staff, the quantity that the provider reported counts instead.
    fn check_refund(self) -> SimulationOutcome {
        let refunded: i64 = self.refunds.iter().map(|amount| amount.0).sum();
        let delivered = if self.is_decided_by_staff {
            self.bill.delivered
        } else {
            self.delivered_at_panel().min(self.bill.quantity)
        };
        let delivered_value = i128::from(self.bill.cost.0) * i128::from(delivered);
        let undelivered_value =
            i128::from(self.bill.cost.0) * i128::from(self.bill.quantity) - delivered_value;
        assert!(
            i128::from(refunded) * i128::from(self.bill.quantity) <= undelivered_value.max(0),
            "the refund must not exceed the price of the undelivered part"
        );
        self.is_refunded();
        match (self.request_state, self.external_order_id, self.is_decided_by_staff) {
            (Some(CancelRequestState::Confirmed), None, _) => {
                assert_eq!(
                    refunded, self.bill.cost.0,
                    "an order that was not sent must be refunded completely"
                );
                SimulationOutcome::CanceledImmediately
            }
            (Some(CancelRequestState::Confirmed), _, false) => SimulationOutcome::Confirmed,
            (Some(CancelRequestState::Confirmed), _, true) => SimulationOutcome::ConfirmedByStaff,
            (Some(CancelRequestState::Rejected), ..) => SimulationOutcome::Rejected,
            (Some(CancelRequestState::Expired), ..) => SimulationOutcome::Expired,
            (request_state, ..) => panic!("the request never ended: {request_state:?}"),
        }
    }
}

#[test]
fn no_order_is_refunded_more_than_the_undelivered_part() {
    let outcomes: BTreeSet<SimulationOutcome> =
        (0..SIMULATED_ORDERS).map(|seed| SimulatedOrder::new(seed).run()).collect();
    let all_outcomes = [
        SimulationOutcome::CanceledImmediately,
        SimulationOutcome::Confirmed,
        SimulationOutcome::ConfirmedByStaff,
        SimulationOutcome::Rejected,
        SimulationOutcome::Expired,
    ];
    assert_eq!(outcomes, BTreeSet::from(all_outcomes), "every outcome must occur");
}
