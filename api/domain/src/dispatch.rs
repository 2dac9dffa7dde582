//! Dispatch decisions: how a status response changes a placement attempt, what an ended attempt means for its order, and when to
//! poll next. Pure.
//!
//! A status that a panel reports can end an attempt, but never the order itself. A status after the end of an attempt changes only
//! the charge.

use std::time::Duration;

use panel_contract::amount::Money;
use panel_contract::moment::{DAY_MICROS, Time};
use panel_contract::orders::ExternalStatus;
use panel_kernel::backoff::{Backoff, JitterFraction, poll_interval};

use crate::losses;
use crate::quantity_ratio::counted;
use crate::reseller_protocol::responses::{ExternalOrderState, ExternalOrderStatus};

/// Delays between calls for an order that the panel certainly did not accept. After the last one, the order fails over to the next
/// provider.
const PLACEMENT_BACKOFF: Backoff<'static> = Backoff::steps_secs(&[10, 60, 300, 900, 3_600, 10_800]);
/// Delays between reconciliations of an attempt whose outcome is unknown. After the last one, staff decide.
const RECONCILE_BACKOFF: Backoff<'static> = Backoff::steps_secs(&[60, 300, 1_800, 7_200, 43_200]);
/// The longest time between two polls of an open attempt.
const MAX_POLL_INTERVAL: Duration = Duration::from_secs(600);
/// Times of the polls after the end of an attempt, because some panels charge back later.
const LATE_POLLS: [Duration; 3] =
    [Duration::from_hours(1), Duration::from_hours(24), Duration::from_hours(72)];
/// How long a panel may report an order as unknown before the order counts as lost. A panel may not list a new order at once.
pub const LOST_AFTER: Duration = Duration::from_hours(1);

/// Progress of a placement attempt, in units of its order at the external panel.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AttemptProgress {
    /// The last known status.
    pub status: ExternalStatus,
    /// Units ordered at the external panel.
    pub quantity: i64,
    /// Undelivered units; `None` until the panel reports them.
    pub remains: Option<i64>,
    /// The public counter before delivery.
    pub start_count: Option<i64>,
    /// What the external panel charged.
    pub charge: Money,
}

/// Result of a status response for an attempt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StatusUpdate {
    /// The progress after the response.
    pub progress: AttemptProgress,
    /// Whether the attempt has ended.
    pub is_over: bool,
    /// A problem that staff must see.
    pub alert: Option<String>,
}

impl StatusUpdate {
    /// Time of the first poll after the end of an attempt that ended now; `None` if the panel delivered nothing, because only a
    /// delivery can be charged back.
    #[must_use]
    pub fn late_poll_at(&self, now: Time) -> Option<Time> {
        let delivered = matches!(self.progress.status, ExternalStatus::Completed | ExternalStatus::Partial);
        delivered.then(|| next_late_poll(now, now)).flatten()
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
pub fn apply_status(before: AttemptProgress, report: &ExternalOrderStatus) -> StatusUpdate {
    let status = status_of(report).unwrap_or(before.status);
    let remains = match report.state {
        ExternalOrderState::Done => Some(0),
        // Some panels report 0 remaining units for new orders, although they delivered nothing.
        ExternalOrderState::Open => report.remains.filter(|remains| *remains > 0).or(before.remains),
        ExternalOrderState::Partial => report.remains.or(before.remains).or(Some(before.quantity)),
        ExternalOrderState::Canceled | ExternalOrderState::Failed => {
            Some(undelivered(before.quantity, report))
        }
        ExternalOrderState::Unknown => before.remains,
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
        remains: remains.map(|remains| remains.clamp(0, before.quantity)),
        start_count: merge_start_count(before.start_count, report.start_count),
        charge: charge_after(before, report),
        ..before
    };
    let is_over = matches!(
        report.state,
        ExternalOrderState::Done
            | ExternalOrderState::Partial
            | ExternalOrderState::Canceled
            | ExternalOrderState::Failed
    );
    StatusUpdate { progress, is_over, alert }
}

/// Prefers a counter above 0: panels report 0 before they have read the counter.
#[must_use]
pub fn merge_start_count(before: Option<i64>, report: Option<i64>) -> Option<i64> {
    let positive = |count: Option<i64>| count.filter(|count| *count > 0);
    positive(before).or(positive(report)).or(before).or(report)
}

fn charge_after(before: AttemptProgress, report: &ExternalOrderStatus) -> Money {
    report.charge.filter(|charge| *charge >= Money::ZERO).unwrap_or(before.charge)
}

/// Applies a status response to an ended attempt. It changes only the charge, and alerts staff if the status or the charge differs
/// from that at the end.
#[must_use]
pub fn apply_late_status(before: AttemptProgress, report: &ExternalOrderStatus) -> StatusUpdate {
    let progress = AttemptProgress { charge: charge_after(before, report), ..before };
    let is_same_end = match report.state {
        ExternalOrderState::Done => before.status == ExternalStatus::Completed,
        ExternalOrderState::Partial => {
            before.status == ExternalStatus::Partial
                && report.remains.is_none_or(|remains| before.remains == Some(remains))
        }
        _ => false,
    };
    let mut alerts = Vec::new();
    if !is_same_end {
        alerts.push(format!("After it was {}, the panel reports {}.", before.status, report.status_text));
    }
    if progress.charge != before.charge {
        alerts.push(format!(
            "After its end, the panel charges {} instead of {}.",
            progress.charge, before.charge
        ));
    }
    StatusUpdate { progress, is_over: false, alert: (!alerts.is_empty()).then(|| alerts.join(" ")) }
}

/// Time of the next poll of an ended attempt; `None` after the last one.
#[must_use]
pub fn next_late_poll(ended: Time, now: Time) -> Option<Time> {
    LATE_POLLS.iter().map(|delay| ended.plus(*delay)).find(|at| *at > now)
}

/// Time of the next loss check of a completed attempt whose order refills automatically: once a day, until losses are no longer
/// measured.
#[must_use]
pub fn next_loss_check(ended: Time, now: Time) -> Option<Time> {
    let days = (now.0 - ended.0).max(0) / DAY_MICROS + 1;
    let next = Time(ended.0 + days * DAY_MICROS);
    (next.since(ended) <= losses::MEASURED_FOR).then_some(next)
}

/// The public counter at the end of a completed attempt, and now. The second is calculated from the remaining units of the
/// response; `None` if the response has none. An attempt that the panel canceled afterwards has no loss, because the panel charged
/// it back.
#[must_use]
pub fn loss_counts(attempt: AttemptProgress, sold: i64, report: &ExternalOrderStatus) -> Option<(i64, i64)> {
    let can_report_loss = matches!(
        report.state,
        ExternalOrderState::Done | ExternalOrderState::Partial | ExternalOrderState::Open
    );
    let remains = report.remains.filter(|remains| can_report_loss && *remains >= 0)?;
    let start = report.start_count.or(attempt.start_count).unwrap_or(0);
    Some((start + sold, start + counted(attempt.quantity - remains, attempt.quantity, sold)))
}

/// Undelivered units of a canceled order: all of them if the panel reports no number or charged nothing.
fn undelivered(quantity: i64, report: &ExternalOrderStatus) -> i64 {
    match report.remains {
        Some(remains) if report.charge != Some(Money::ZERO) => remains,
        _ => quantity,
    }
}

fn status_of(report: &ExternalOrderStatus) -> Option<ExternalStatus> {
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

/// Poll interval of an open attempt of this age: short while it is new, or if the last poll showed progress.
#[must_use]
pub fn open_poll_interval(age: Duration, made_progress: bool) -> Duration {
    let (divisor, min_secs) = if made_progress { (20, 30) } else { (10, 60) };
    poll_interval(age, divisor, Duration::from_secs(min_secs), MAX_POLL_INTERVAL)
}

/// Time of the next call for an order after `tries` calls; `None` after the last one.
#[must_use]
pub fn next_placement_attempt(tries: i64, now: Time) -> Option<Time> {
    PLACEMENT_BACKOFF.at_or_give_up(tries, JitterFraction::NONE, now)
}

/// Time of the next call for an order, without a limit, for causes that pass by themselves or that staff resolve.
#[must_use]
pub fn next_unlimited_attempt(tries: i64, now: Time) -> Time {
    PLACEMENT_BACKOFF.at(tries, JitterFraction::NONE, now)
}

/// Time of the next reconciliation of an attempt with an unknown outcome after `tries` reconciliations; `None` after the last one.
#[must_use]
pub fn next_reconciliation(tries: i64, now: Time) -> Option<Time> {
    RECONCILE_BACKOFF.at_or_give_up(tries, JitterFraction::NONE, now)
}

/// The facts about an order that [`decide`] needs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "independent facts")]
pub struct DispatchInput {
    /// The order is in processing, not stopped or finished.
    pub is_in_processing: bool,
    /// Providers delivered all units.
    pub is_delivered: bool,
    /// The public counter shows that all units are delivered, and the service completes orders by that counter.
    pub is_complete_by_counter: bool,
    /// An attempt is queued or open.
    pub has_live_attempt: bool,
    /// The order has no attempt yet.
    pub has_no_attempt: bool,
    /// The settings of the panel that delivered too little allow ordering the undelivered units automatically.
    pub reorders_undelivered: bool,
    /// An available provider has not failed the order yet.
    pub has_next_provider: bool,
    /// The panel of the last attempt had accepted the order: its status ended the attempt, not an error.
    pub was_accepted: bool,
    /// The service cancels undelivered orders automatically.
    pub auto_cancel: bool,
    /// The customer requested to cancel the order, and the request is open.
    pub is_cancel_requested: bool,
}

/// The next step of an order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum DispatchDecision {
    /// Nothing to do now.
    Wait,
    /// Complete the order: all units are delivered, by the attempts or by the counter.
    Complete,
    /// Order the undelivered units from the next provider.
    Send,
    /// Cancel the order and refund the undelivered units: no provider is left.
    Cancel,
    /// Cancel the order and refund the undelivered units at the customer's request: no attempt is open any more.
    CancelAsRequested,
    /// No provider is left, and the order is not canceled: list it among the orders without an active provider.
    WaitForProvider,
}

/// Decides the next step of an order. The caller still applies the transition table of orders, which may refuse it.
#[must_use]
pub fn decide(facts: DispatchInput) -> DispatchDecision {
    match facts {
        // Even while attempts are open: the poller follows them to their end.
        DispatchInput { is_complete_by_counter: true, is_in_processing: true, .. }
        | DispatchInput { is_delivered: true, has_live_attempt: false, .. } => DispatchDecision::Complete,
        // Also for a stopped order. While the request is open, the order does not fail over.
        DispatchInput { is_cancel_requested: true, has_live_attempt: false, .. } => {
            DispatchDecision::CancelAsRequested
        }
        DispatchInput { has_live_attempt: true, .. } | DispatchInput { is_in_processing: false, .. } => {
            DispatchDecision::Wait
        }
        DispatchInput { has_next_provider: true, has_no_attempt, reorders_undelivered, .. }
            if has_no_attempt || reorders_undelivered =>
        {
            DispatchDecision::Send
        }
        // An order of a service without providers waits for one.
        DispatchInput { has_no_attempt: true, .. } => DispatchDecision::WaitForProvider,
        // An error or a rejection does not refund the order: staff see it and can resolve the cause.
        DispatchInput { auto_cancel: true, was_accepted: true, .. } => DispatchDecision::Cancel,
        _ => DispatchDecision::WaitForProvider,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reseller_protocol::responses;

    const SECOND_MICROS: i64 = 1_000_000;

    const BEFORE: AttemptProgress = AttemptProgress {
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
        apply_status(BEFORE, &report)
    }

    /// Status, delivered units, and whether the attempt ended and staff are alerted.
    fn summary(update: &StatusUpdate) -> (ExternalStatus, i64, bool, bool) {
        (update.progress.status, update.progress.delivered(), update.is_over, update.alert.is_some())
    }

    #[test]
    fn a_status_ends_an_attempt_only_if_it_is_final() {
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
        let start_count_after = |before, start_count| {
            let report = ExternalOrderStatus {
                state: ExternalOrderState::Open,
                status_text: "Pending".into(),
                charge: None,
                start_count,
                remains: None,
                currency: None,
            };
            apply_status(AttemptProgress { start_count: before, ..BEFORE }, &report).progress.start_count
        };
        for (before, report, expected) in [
            (None, None, None),
            (None, Some(0), Some(0)),
            (Some(0), None, Some(0)),
            (Some(0), Some(3_572), Some(3_572)),
            (Some(3_572), Some(0), Some(3_572)),
            (Some(3_572), Some(9), Some(3_572)),
        ] {
            assert_eq!(start_count_after(before, report), expected, "{before:?} {report:?}");
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
            let before = AttemptProgress { status, ..BEFORE };
            let update = apply_late_status(before, &report);
            assert_eq!(
                (update.progress.charge.0, update.alert.is_some()),
                expected,
                "{status_text} {remains:?} {charge:?}"
            );
            assert_eq!(AttemptProgress { charge: before.charge, ..update.progress }, before);
            assert!(!update.is_over);
        }
        let hours = |now: i64| {
            next_late_poll(Time(0), Time(now * 3_600 * SECOND_MICROS)).map(|at| at.0 / 3_600 / SECOND_MICROS)
        };
        assert_eq!([hours(0), hours(1), hours(30), hours(72)], [Some(1), Some(24), Some(72), None]);
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
            ..BEFORE
        };
        let counts = |report: &ExternalOrderStatus| loss_counts(attempt, 200, report);
        assert_eq!(counts(&report("Completed", Some(0), Some(40))), Some((240, 240)));
        assert_eq!(
            counts(&report("Completed", Some(25), None)),
            Some((250, 200)),
            "a quarter of the sold units is missing"
        );
        assert_eq!(counts(&report("Partial", Some(100), None)), Some((250, 50)));
        assert_eq!(counts(&report("Completed", None, Some(40))), None);
        assert_eq!(counts(&report("Canceled", Some(100), Some(40))), None, "a canceled attempt has no loss");
        assert_eq!(counts(&report("Completed", Some(-5), Some(40))), None, "a negative number is no loss");
        let day = 86_400 * SECOND_MICROS;
        assert_eq!(next_loss_check(Time(10), Time(10 + 3 * day)), Some(Time(10 + 4 * day)));
        assert_eq!(next_loss_check(Time(0), Time(90 * day)), None);
    }

    #[test]
    fn new_and_progressing_attempts_are_polled_more_often() {
        let secs = |minutes: u64, made_progress| {
            open_poll_interval(Duration::from_secs(minutes * 60), made_progress).as_secs()
        };
        assert_eq!([0, 30, 10_000].map(|minutes| secs(minutes, false)), [60, 180, 600]);
        assert_eq!([0, 30, 10_000].map(|minutes| secs(minutes, true)), [30, 90, 600]);
    }

    #[test]
    fn delays_grow_and_the_number_of_tries_is_limited() {
        let at = |tries| next_placement_attempt(tries, Time(0)).map(|time| time.0 / SECOND_MICROS);
        assert_eq!([at(0), at(1), at(2), at(6), at(7)], [Some(10), Some(10), Some(60), Some(10_800), None]);
        assert_eq!(next_unlimited_attempt(7, Time(0)).0 / SECOND_MICROS, 10_800);
        assert_eq!(next_reconciliation(6, Time(0)), None);
    }

    #[test]
    fn an_ended_attempt_decides_the_next_step_of_its_order() {
        use DispatchDecision::{Cancel, Complete, Send, Wait, WaitForProvider};
        let ended = DispatchInput {
            is_in_processing: true,
            is_delivered: false,
            is_complete_by_counter: false,
            has_live_attempt: false,
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
            assert_eq!(decide(rejected), WaitForProvider, "an error does not cancel the order");
        }
        assert_eq!(decide(DispatchInput { has_live_attempt: true, ..auto_cancel }), Wait);
        let delivered = DispatchInput { is_delivered: true, ..ended };
        assert_eq!(decide(DispatchInput { has_live_attempt: true, ..delivered }), Wait);
        let by_counter = DispatchInput { is_complete_by_counter: true, ..ended };
        assert_eq!(decide(DispatchInput { has_live_attempt: true, ..by_counter }), Complete);
        assert_eq!(decide(DispatchInput { is_in_processing: false, ..by_counter }), Wait);
        assert_eq!(decide(DispatchInput { is_in_processing: false, ..delivered }), Complete);
        assert_eq!(decide(DispatchInput { is_in_processing: false, ..ended }), Wait);
        let without_attempt = DispatchInput { has_no_attempt: true, ..not_reordered };
        assert_eq!(decide(without_attempt), Send);
        let without_provider = DispatchInput { has_next_provider: false, ..without_attempt };
        assert_eq!(
            decide(DispatchInput { auto_cancel: true, ..without_provider }),
            WaitForProvider,
            "an order that was never sent is not canceled"
        );
    }
}
