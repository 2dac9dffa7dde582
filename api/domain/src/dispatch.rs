//! Dispatch decisions: how a status response changes a placement attempt, what happens to an order after its attempt has ended, and
//! when to poll next. Pure functions.
//!
//! A status that an external panel reports can end an attempt, but never the order itself. A status that is reported after the end
//! of an attempt changes only the charge.

use std::time::Duration;

use panel_contract::amount::Money;
use panel_contract::moment::{DAY_MICROS, Time};
use panel_contract::orders::ExternalStatus;
use panel_kernel::backoff::{Backoff, JitterFraction, poll_interval};

use crate::losses;
use crate::quantity_ratio::credited_quantity;
use crate::reseller_protocol::responses::{ExternalOrderState, ExternalOrderStatus};

/// Delays between attempts to place an order that the external panel certainly did not accept. After the last delay, the order
/// fails over to the next provider.
const PLACEMENT_BACKOFF: Backoff<'static> = Backoff::steps_secs(&[10, 60, 300, 900, 3_600, 10_800]);
/// Delays between reconciliations of an attempt whose outcome is unknown. After the last delay, staff decide.
const RECONCILE_BACKOFF: Backoff<'static> = Backoff::steps_secs(&[60, 300, 1_800, 7_200, 43_200]);
/// Maximum time between two polls of an open attempt.
const MAX_POLL_INTERVAL: Duration = Duration::from_secs(600);
/// Delays of polls after the end of an attempt. They detect refunds, which some external panels make later.
const LATE_POLLS: [Duration; 3] =
    [Duration::from_hours(1), Duration::from_hours(24), Duration::from_hours(72)];
/// How long an external panel may report an order as unknown before the order counts as lost. Some panels do not find a new order
/// immediately.
pub const LOST_AFTER: Duration = Duration::from_hours(1);

/// Progress of a placement attempt, in units of its order at the external panel.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AttemptProgress {
    /// The last known status.
    pub status: ExternalStatus,
    /// Units ordered at the external panel.
    pub quantity: i64,
    /// Undelivered units; `None` until the external panel reports them.
    pub remains: Option<i64>,
    /// The public counter before the delivery.
    pub start_count: Option<i64>,
    /// Amount that the external panel charged, in its currency.
    pub charge: Money,
}

/// Result of a status response for an attempt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StatusUpdate {
    /// The progress after the response.
    pub progress: AttemptProgress,
    /// Whether the attempt has ended.
    pub has_ended: bool,
    /// A problem that staff must see.
    pub alert: Option<String>,
}

impl StatusUpdate {
    /// Time of the first poll after the end of an attempt that ends now; `None` if the external panel delivered nothing, because
    /// only the charge of delivered units can be refunded later.
    #[must_use]
    pub fn late_poll_at(&self, now: Time) -> Option<Time> {
        let has_delivery =
            matches!(self.progress.status, ExternalStatus::Completed | ExternalStatus::Partial);
        has_delivery.then(|| next_late_poll(now, now)).flatten()
    }
}

impl AttemptProgress {
    /// Delivered units, at most the ordered quantity.
    #[must_use]
    pub fn delivered(&self) -> i64 {
        (self.quantity - self.remains.unwrap_or(self.quantity)).clamp(0, self.quantity)
    }
}

/// Applies a status response to an open attempt.
#[must_use]
pub fn apply_status(current: AttemptProgress, report: &ExternalOrderStatus) -> StatusUpdate {
    let status = to_external_status(report).unwrap_or(current.status);
    let remains = match report.state {
        ExternalOrderState::Done => Some(0),
        // Some panels report 0 remaining units for new orders, although they delivered nothing.
        ExternalOrderState::Open => report.remains.filter(|remains| *remains > 0).or(current.remains),
        ExternalOrderState::Partial => report.remains.or(current.remains).or(Some(current.quantity)),
        ExternalOrderState::Canceled | ExternalOrderState::Failed => {
            Some(undelivered_units(current.quantity, report))
        }
        ExternalOrderState::Unknown => current.remains,
    };
    let alert = match report.state {
        ExternalOrderState::Failed => Some(format!("The panel reports {}.", report.status_text)),
        ExternalOrderState::Unknown => {
            Some(format!("The panel reports {}, which is an unknown status.", report.status_text))
        }
        ExternalOrderState::Partial if report.remains.is_none() => {
            Some("The panel delivered a part of the order and does not report how much.".to_owned())
        }
        _ => None,
    };
    let progress = AttemptProgress {
        status,
        remains: remains.map(|remains| remains.clamp(0, current.quantity)),
        start_count: merge_start_count(current.start_count, report.start_count),
        charge: updated_charge(current, report),
        ..current
    };
    let has_ended = matches!(
        report.state,
        ExternalOrderState::Done
            | ExternalOrderState::Partial
            | ExternalOrderState::Canceled
            | ExternalOrderState::Failed
    );
    StatusUpdate { progress, has_ended, alert }
}

/// Chooses the public counter before the delivery. Prefers a count above 0, because external panels report 0 until they have read
/// the counter.
#[must_use]
pub fn merge_start_count(current: Option<i64>, reported: Option<i64>) -> Option<i64> {
    let positive_count = |count: Option<i64>| count.filter(|count| *count > 0);
    positive_count(current).or(positive_count(reported)).or(current).or(reported)
}

fn updated_charge(current: AttemptProgress, report: &ExternalOrderStatus) -> Money {
    report.charge.filter(|charge| *charge >= Money::ZERO).unwrap_or(current.charge)
}

/// Applies a status response to an ended attempt. Only the charge changes. Staff are alerted if the status or the charge differs
/// from the value at the end of the attempt.
#[must_use]
pub fn apply_late_status(current: AttemptProgress, report: &ExternalOrderStatus) -> StatusUpdate {
    let progress = AttemptProgress { charge: updated_charge(current, report), ..current };
    let is_unchanged = match report.state {
        ExternalOrderState::Done => current.status == ExternalStatus::Completed,
        ExternalOrderState::Partial => {
            current.status == ExternalStatus::Partial
                && report.remains.is_none_or(|remains| current.remains == Some(remains))
        }
        _ => false,
    };
    let mut alerts = Vec::new();
    if !is_unchanged {
        alerts.push(format!(
            "The order was {}, but now the panel reports {}.",
            current.status, report.status_text
        ));
    }
    if progress.charge != current.charge {
        alerts.push(format!(
            "After the end of the order, the panel changed the charge to {} from {}.",
            progress.charge, current.charge
        ));
    }
    StatusUpdate { progress, has_ended: false, alert: (!alerts.is_empty()).then(|| alerts.join(" ")) }
}

/// Time of the next poll of an ended attempt; `None` after the last poll.
#[must_use]
pub fn next_late_poll(ended_at: Time, now: Time) -> Option<Time> {
    LATE_POLLS.iter().map(|delay| ended_at.plus(*delay)).find(|poll_at| *poll_at > now)
}

/// Time of the next loss check of a completed attempt whose order is refilled automatically: once a day until the end of
/// [`losses::MEASUREMENT_PERIOD`].
#[must_use]
pub fn next_loss_check(ended_at: Time, now: Time) -> Option<Time> {
    let days = (now.0 - ended_at.0).max(0) / DAY_MICROS + 1;
    let next_check_at = Time(ended_at.0 + days * DAY_MICROS);
    (next_check_at.since(ended_at) <= losses::MEASUREMENT_PERIOD).then_some(next_check_at)
}

/// The public counter at the end of a completed attempt, and the current public counter, which is calculated from the remaining
/// units in the response. `None` if the response does not contain the remaining units, or if the external panel canceled the order
/// afterwards: then the panel refunded the charge, so there is no loss.
#[must_use]
pub fn loss_counts(attempt: AttemptProgress, sold: i64, report: &ExternalOrderStatus) -> Option<(i64, i64)> {
    let can_report_loss = matches!(
        report.state,
        ExternalOrderState::Done | ExternalOrderState::Partial | ExternalOrderState::Open
    );
    let remains = report.remains.filter(|remains| can_report_loss && *remains >= 0)?;
    let start = report.start_count.or(attempt.start_count).unwrap_or(0);
    Some((start + sold, start + credited_quantity(attempt.quantity - remains, attempt.quantity, sold)))
}

/// Undelivered units of a canceled order: all units if the external panel reports no number or charged nothing.
fn undelivered_units(quantity: i64, report: &ExternalOrderStatus) -> i64 {
    match report.remains {
        Some(remains) if report.charge != Some(Money::ZERO) => remains,
        _ => quantity,
    }
}

fn to_external_status(report: &ExternalOrderStatus) -> Option<ExternalStatus> {
    Some(match report.state {
        ExternalOrderState::Done => ExternalStatus::Completed,
        ExternalOrderState::Partial => ExternalStatus::Partial,
        ExternalOrderState::Canceled | ExternalOrderState::Failed => ExternalStatus::Canceled,
        ExternalOrderState::Unknown => return None,
        ExternalOrderState::Open => match report.status_text.to_ascii_lowercase().as_str() {
            "in progress" => ExternalStatus::InProgress,
            "processing" => ExternalStatus::Processing,
            _ => ExternalStatus::Pending,
        },
    })
}

/// Poll interval of an open attempt of this age: short while the attempt is new, or if the last poll showed progress.
#[must_use]
pub fn poll_interval_of_open_attempt(age: Duration, made_progress: bool) -> Duration {
    let (divisor, min_secs) = if made_progress { (20, 30) } else { (10, 60) };
    poll_interval(age, divisor, Duration::from_secs(min_secs), MAX_POLL_INTERVAL)
}

/// Time of the next attempt to place an order after `tries` attempts; `None` after the last attempt.
#[must_use]
pub fn next_placement_attempt(tries: i64, now: Time) -> Option<Time> {
    PLACEMENT_BACKOFF.next_attempt_at_or_none(tries, JitterFraction::NONE, now)
}

/// Time of the next attempt to place an order, without a limit on the number of attempts. For causes that end by themselves or that
/// staff resolve.
#[must_use]
pub fn next_attempt_without_try_limit(tries: i64, now: Time) -> Time {
    PLACEMENT_BACKOFF.next_attempt_at(tries, JitterFraction::NONE, now)
}

/// Time of the next reconciliation of an attempt with an unknown outcome after `tries` reconciliations; `None` after the last
/// reconciliation.
#[must_use]
pub fn next_reconciliation(tries: i64, now: Time) -> Option<Time> {
    RECONCILE_BACKOFF.next_attempt_at_or_none(tries, JitterFraction::NONE, now)
}

/// The state of an order, as far as [`decide`] needs it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "the flags are independent")]
pub struct DispatchInput {
    /// Whether the order is in processing, that is, neither stopped nor finished.
    pub is_in_processing: bool,
    /// Whether providers have delivered all units.
    pub is_delivered: bool,
    /// Whether the service completes orders by the public counter, and the counter shows that all units are delivered.
    pub is_complete_by_counter: bool,
    /// Whether an attempt is queued or open.
    pub has_unfinished_attempt: bool,
    /// Whether the order has no attempt yet.
    pub has_no_attempt: bool,
    /// Whether the settings of the external panel that delivered too few units allow ordering the rest automatically.
    pub reorders_undelivered: bool,
    /// Whether there is an available provider with which the order has not failed yet.
    pub has_next_provider: bool,
    /// Whether the external panel had accepted the order of the last attempt, so that a status and not an error ended the attempt.
    pub was_accepted: bool,
    /// Whether the service cancels undelivered orders automatically.
    pub auto_cancel: bool,
    /// Whether the customer has an open cancel request for the order.
    pub is_cancel_requested: bool,
}

/// The next step of an order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum DispatchDecision {
    /// Do nothing for now.
    Wait,
    /// Complete the order: all units are delivered, according to the attempts or to the public counter.
    Complete,
    /// Order the undelivered units from the next provider.
    Send,
    /// Cancel the order and refund the undelivered units, because no provider is left.
    Cancel,
    /// Cancel the order and refund the undelivered units, because the customer requested it and no attempt is open any more.
    CancelAsRequested,
    /// Keep the order, and list it among the orders without an active provider, because no provider is left.
    WaitForProvider,
}

/// Decides the next step of an order. The caller must also check that the transition table of orders allows this step.
#[must_use]
pub fn decide(input: DispatchInput) -> DispatchDecision {
    match input {
        // Complete even while attempts are open; the poller continues to poll these attempts.
        DispatchInput { is_complete_by_counter: true, is_in_processing: true, .. }
        | DispatchInput { is_delivered: true, has_unfinished_attempt: false, .. } => {
            DispatchDecision::Complete
        }
        // This also applies to a stopped order. While the cancel request is open, the order does not fail over.
        DispatchInput { is_cancel_requested: true, has_unfinished_attempt: false, .. } => {
            DispatchDecision::CancelAsRequested
        }
        DispatchInput { has_unfinished_attempt: true, .. }
        | DispatchInput { is_in_processing: false, .. } => DispatchDecision::Wait,
        DispatchInput { has_next_provider: true, has_no_attempt, reorders_undelivered, .. }
            if has_no_attempt || reorders_undelivered =>
        {
            DispatchDecision::Send
        }
        // An order of a service without providers waits until the service has a provider.
        DispatchInput { has_no_attempt: true, .. } => DispatchDecision::WaitForProvider,
        // After an error or a rejection the order is not refunded, because staff see the error and can resolve its cause.
        DispatchInput { auto_cancel: true, was_accepted: true, .. } => DispatchDecision::Cancel,
        _ => DispatchDecision::WaitForProvider,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reseller_protocol::responses;

    const SECOND_MICROS: i64 = 1_000_000;

    const PROGRESS: AttemptProgress = AttemptProgress {
        status: ExternalStatus::Pending,
        quantity: 100,
        remains: Some(80),
        start_count: None,
        charge: Money(500),
    };

    fn update(status_text: &str, remains: Option<i64>, charge: Option<i64>) -> StatusUpdate {
        let report = ExternalOrderStatus {
            state: responses::parse_status_text(status_text),
            status_text: status_text.into(),
            charge: charge.map(Money),
            start_count: Some(7),
            remains,
            currency: None,
        };
        apply_status(PROGRESS, &report)
    }

    /// Status, delivered units, and whether the attempt ended and staff are alerted.
    fn summary(update: &StatusUpdate) -> (ExternalStatus, i64, bool, bool) {
        (update.progress.status, update.progress.delivered(), update.has_ended, update.alert.is_some())
    }

    #[test]
    fn only_a_final_status_ends_an_attempt() {
        use ExternalStatus::{Canceled, Completed, InProgress, Partial, Pending, Processing};
        for (status, remains, charge, expected) in [
            ("Pending", None, None, (Pending, 20, false, false)),
            ("Pending", Some(0), None, (Pending, 20, false, false)),
            ("awaiting", Some(100), None, (Pending, 0, false, false)),
            ("In progress", Some(30), None, (InProgress, 70, false, false)),
            ("Processing", Some(-5), None, (Processing, 20, false, false)),
            ("Completed", Some(40), None, (Completed, 100, true, false)),
            ("completed", None, None, (Completed, 100, true, false)),
            ("Partial", Some(57), None, (Partial, 43, true, false)),
            ("Partial", None, None, (Partial, 20, true, true)),
            ("Canceled", None, None, (Canceled, 0, true, false)),
            ("Cancelled", Some(60), Some(400), (Canceled, 40, true, false)),
            ("Refunded", Some(0), Some(0), (Canceled, 0, true, false)),
            ("Fail", None, None, (Canceled, 0, true, true)),
            ("Incomplete", Some(1), None, (Pending, 20, false, true)),
            ("Partially completed", Some(1), None, (Pending, 20, false, true)),
        ] {
            assert_eq!(summary(&update(status, remains, charge)), expected, "{status} {remains:?}");
        }
        let update = update("In progress", Some(30), Some(-1));
        assert_eq!((update.progress.start_count, update.progress.charge), (Some(7), Money(500)));
    }

    #[test]
    fn a_start_count_of_zero_is_replaced_by_a_positive_one() {
        let updated_start_count = |current, reported| {
            let report = ExternalOrderStatus {
                state: ExternalOrderState::Open,
                status_text: "Pending".into(),
                charge: None,
                start_count: reported,
                remains: None,
                currency: None,
            };
            apply_status(AttemptProgress { start_count: current, ..PROGRESS }, &report).progress.start_count
        };
        for (current, reported, expected) in [
            (None, None, None),
            (None, Some(0), Some(0)),
            (Some(0), None, Some(0)),
            (Some(0), Some(3_572), Some(3_572)),
            (Some(3_572), Some(0), Some(3_572)),
            (Some(3_572), Some(9), Some(3_572)),
        ] {
            assert_eq!(updated_start_count(current, reported), expected, "{current:?} {reported:?}");
        }
    }

    #[test]
    fn a_status_after_the_end_changes_only_the_charge() {
        use ExternalStatus::{Completed, Partial};
        for (status, status_text, remains, charge, expected) in [
            (Completed, "Completed", Some(0), Some(500), (500, false)),
            (Completed, "completed", None, None, (500, false)),
            (Completed, "Completed", Some(0), Some(400), (400, true)),
            (Completed, "Canceled", Some(100), Some(0), (0, true)),
            (Completed, "In progress", Some(10), None, (500, true)),
            (Partial, "Partial", Some(80), None, (500, false)),
            (Partial, "Partial", Some(70), None, (500, true)),
            (Partial, "Completed", Some(0), None, (500, true)),
        ] {
            let report = ExternalOrderStatus {
                state: responses::parse_status_text(status_text),
                status_text: status_text.into(),
                charge: charge.map(Money),
                start_count: Some(7),
                remains,
                currency: None,
            };
            let progress_at_end = AttemptProgress { status, ..PROGRESS };
            let update = apply_late_status(progress_at_end, &report);
            assert_eq!(
                (update.progress.charge.0, update.alert.is_some()),
                expected,
                "{status_text} {remains:?} {charge:?}"
            );
            assert_eq!(
                AttemptProgress { charge: progress_at_end.charge, ..update.progress },
                progress_at_end
            );
            assert!(!update.has_ended);
        }
        let next_poll_hour = |now: i64| {
            next_late_poll(Time(0), Time(now * 3_600 * SECOND_MICROS))
                .map(|poll_at| poll_at.0 / 3_600 / SECOND_MICROS)
        };
        assert_eq!([0, 1, 30, 72].map(next_poll_hour), [Some(1), Some(24), Some(72), None]);
    }

    #[test]
    fn computes_losses_from_the_remaining_units() {
        let report = |status_text: &str, remains, start_count| ExternalOrderStatus {
            state: responses::parse_status_text(status_text),
            status_text: status_text.into(),
            charge: None,
            start_count,
            remains,
            currency: None,
        };
        let attempt = AttemptProgress {
            status: ExternalStatus::Completed,
            quantity: 100,
            start_count: Some(50),
            ..PROGRESS
        };
        let counts = |report: &ExternalOrderStatus| loss_counts(attempt, 200, report);
        assert_eq!(counts(&report("Completed", Some(0), Some(40))), Some((240, 240)));
        assert_eq!(
            counts(&report("Completed", Some(25), None)),
            Some((250, 200)),
            "a quarter of the sold units must count as lost"
        );
        assert_eq!(counts(&report("Partial", Some(100), None)), Some((250, 50)));
        assert_eq!(counts(&report("Completed", None, Some(40))), None);
        assert_eq!(
            counts(&report("Canceled", Some(100), Some(40))),
            None,
            "a canceled attempt must not have a loss"
        );
        assert_eq!(
            counts(&report("Completed", Some(-5), Some(40))),
            None,
            "a negative number must not count as a loss"
        );
        let day = 86_400 * SECOND_MICROS;
        assert_eq!(next_loss_check(Time(10), Time(10 + 3 * day)), Some(Time(10 + 4 * day)));
        assert_eq!(next_loss_check(Time(0), Time(90 * day)), None);
    }

    #[test]
    fn new_and_progressing_attempts_are_polled_more_often() {
        let secs = |minutes: u64, made_progress| {
            poll_interval_of_open_attempt(Duration::from_secs(minutes * 60), made_progress).as_secs()
        };
        assert_eq!([0, 30, 10_000].map(|minutes| secs(minutes, false)), [60, 180, 600]);
        assert_eq!([0, 30, 10_000].map(|minutes| secs(minutes, true)), [30, 90, 600]);
    }

    #[test]
    fn delays_grow_and_the_number_of_tries_is_limited() {
        let retry_secs = |tries| next_placement_attempt(tries, Time(0)).map(|time| time.0 / SECOND_MICROS);
        assert_eq!([0, 1, 2, 6, 7].map(retry_secs), [Some(10), Some(10), Some(60), Some(10_800), None]);
        assert_eq!(next_attempt_without_try_limit(7, Time(0)).0 / SECOND_MICROS, 10_800);
        assert_eq!(next_reconciliation(6, Time(0)), None);
    }

    #[test]
    fn decides_the_next_step_after_an_attempt_has_ended() {
        use DispatchDecision::{Cancel, Complete, Send, Wait, WaitForProvider};
        let ended = DispatchInput {
            is_in_processing: true,
            is_delivered: false,
            is_complete_by_counter: false,
            has_unfinished_attempt: false,
            has_no_attempt: false,
            reorders_undelivered: true,
            has_next_provider: true,
            was_accepted: true,
            auto_cancel: false,
            is_cancel_requested: false,
        };
        assert_eq!(decide(ended), Send);
        let not_reordered = DispatchInput { reorders_undelivered: false, ..ended };
        assert_eq!(decide(not_reordered), WaitForProvider);
        assert_eq!(decide(DispatchInput { auto_cancel: true, ..not_reordered }), Cancel);
        let auto_cancel = DispatchInput { auto_cancel: true, ..ended };
        assert_eq!(decide(DispatchInput { has_next_provider: false, ..auto_cancel }), Cancel);
        for (reorders_undelivered, has_next_provider) in [(true, false), (false, true), (false, false)] {
            let rejected =
                DispatchInput { reorders_undelivered, has_next_provider, was_accepted: false, ..auto_cancel };
            assert_eq!(decide(rejected), WaitForProvider, "an error must not cancel the order");
        }
        assert_eq!(decide(DispatchInput { has_unfinished_attempt: true, ..auto_cancel }), Wait);
        let delivered = DispatchInput { is_delivered: true, ..ended };
        assert_eq!(decide(DispatchInput { has_unfinished_attempt: true, ..delivered }), Wait);
        let by_counter = DispatchInput { is_complete_by_counter: true, ..ended };
        assert_eq!(decide(DispatchInput { has_unfinished_attempt: true, ..by_counter }), Complete);
        assert_eq!(decide(DispatchInput { is_in_processing: false, ..by_counter }), Wait);
        assert_eq!(decide(DispatchInput { is_in_processing: false, ..delivered }), Complete);
        assert_eq!(decide(DispatchInput { is_in_processing: false, ..ended }), Wait);
        let without_attempt = DispatchInput { has_no_attempt: true, ..not_reordered };
        assert_eq!(decide(without_attempt), Send);
        let without_provider = DispatchInput { has_next_provider: false, ..without_attempt };
        assert_eq!(
            decide(DispatchInput { auto_cancel: true, ..without_provider }),
            WaitForProvider,
            "an order that was never sent must not be canceled"
        );
    }
}
