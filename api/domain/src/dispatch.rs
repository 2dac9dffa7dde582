//! Dispatch decisions: how a status response changes a placement attempt, what an ended attempt means for its order, and when to
//! poll next. Pure.
//!
//! A status of a panel ends an attempt, never the order itself; a status after that end changes only the charge.

use std::time::Duration;

use panel_contract::amount::Money;
use panel_contract::moment::{DAY_MICROS, Time};
use panel_contract::orders::ExternalStatus;
use panel_kernel::backoff::{Backoff, Chance, poll_interval};

use crate::losses;
use crate::quantity_ratio::counted;
use crate::reseller_protocol::read::{ExternalOrderState, ExternalOrderStatus};

/// Delays between attempts to send an order that the panel certainly did not accept; after the last step the order fails over to the
/// next provider.
const PLACEMENT_BACKOFF: Backoff<'static> = Backoff::steps_secs(&[10, 60, 300, 900, 3_600, 10_800]);
/// Delays between reconciliations of an attempt whose outcome is unknown; after the last step staff decide.
const RECONCILE_BACKOFF: Backoff<'static> = Backoff::steps_secs(&[60, 300, 1_800, 7_200, 43_200]);
/// The longest time between two polls of an open attempt.
const MAX_POLL_INTERVAL: Duration = Duration::from_secs(600);
/// Delays of the polls after the end of an attempt: some panels charge back later.
const LATE_POLLS: [Duration; 3] =
    [Duration::from_hours(1), Duration::from_hours(24), Duration::from_hours(72)];
/// How long a panel may report an order as unknown before the order counts as lost: a new order may not be listed yet.
pub const LOST_AFTER: Duration = Duration::from_hours(1);

/// Progress of a placement attempt, in units of its order at the external panel.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AttemptProgress {
    /// The last known status.
    pub status: ExternalStatus,
    /// Units ordered at the external panel.
    pub quantity: i64,
    /// Units not delivered yet; none while they are not known.
    pub remains: Option<i64>,
    /// The counter before delivery.
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
    /// Alert for staff.
    pub alert: Option<String>,
}

impl StatusUpdate {
    /// Time of the poll after an attempt that ended now; none where the panel delivered nothing, since only a delivery can be
    /// charged back.
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
        // Some panels report 0 remaining units for new orders, which is no delivery.
        ExternalOrderState::Open => report.remains.filter(|remains| *remains > 0).or(before.remains),
        ExternalOrderState::Partial => report.remains.or(before.remains).or(Some(before.quantity)),
        ExternalOrderState::Canceled | ExternalOrderState::Failed => {
            Some(undelivered(before.quantity, report))
        }
        ExternalOrderState::Unknown => before.remains,
    };
    let alert = match report.state {
        ExternalOrderState::Failed => Some(format!("The panel reports {}.", report.word)),
        ExternalOrderState::Unknown => {
            Some(format!("The panel reports {}, which is an unknown status.", report.word))
        }
        ExternalOrderState::Partial if report.remains.is_none() => {
            Some("The panel delivered a part and does not report how much.".to_owned())
        }
        _ => None,
    };
    let progress = AttemptProgress {
        status,
        remains: remains.map(|remains| remains.clamp(0, before.quantity)),
        start_count: merge_start_count(before.start_count, report.start_count),
        charge: charged(before, report),
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
    let known = |count: Option<i64>| count.filter(|count| *count > 0);
    known(before).or(known(report)).or(before).or(report)
}

fn charged(before: AttemptProgress, report: &ExternalOrderStatus) -> Money {
    report.charge.filter(|charge| *charge >= Money::ZERO).unwrap_or(before.charge)
}

/// Applies a status response to an ended attempt: it changes only the charge, and alerts staff where the status contradicts the end.
#[must_use]
pub fn apply_late_status(before: AttemptProgress, report: &ExternalOrderStatus) -> StatusUpdate {
    let progress = AttemptProgress { charge: charged(before, report), ..before };
    let is_same = match report.state {
        ExternalOrderState::Done => before.status == ExternalStatus::Completed,
        ExternalOrderState::Partial => {
            before.status == ExternalStatus::Partial
                && report.remains.is_none_or(|remains| before.remains == Some(remains))
        }
        _ => false,
    };
    let mut alerts = Vec::new();
    if !is_same {
        alerts.push(format!("After it was {}, the panel reports {}.", before.status, report.word));
    }
    if progress.charge != before.charge {
        alerts.push(format!(
            "After its end, the panel charges {} instead of {}.",
            progress.charge, before.charge
        ));
    }
    StatusUpdate { progress, is_over: false, alert: (!alerts.is_empty()).then(|| alerts.join(" ")) }
}

/// Time of the next poll of an ended attempt; none after the last one.
#[must_use]
pub fn next_late_poll(ended: Time, now: Time) -> Option<Time> {
    LATE_POLLS.iter().map(|span| ended.after(*span)).find(|at| *at > now)
}

/// Time of the next loss check of a completed attempt whose order refills automatically: once a day, as long as losses are measured.
#[must_use]
pub fn next_loss_check(ended: Time, now: Time) -> Option<Time> {
    let days = (now.0 - ended.0).max(0) / DAY_MICROS + 1;
    let next = Time(ended.0 + days * DAY_MICROS);
    (next.since(ended) <= losses::MEASURED_FOR).then_some(next)
}

/// The counts of the address of a completed attempt: at its end, and now by the remaining units of the response; none where the
/// response has none. An attempt that the panel canceled afterwards has no loss, because the panel charged it back.
#[must_use]
pub fn loss_counts(attempt: AttemptProgress, sold: i64, report: &ExternalOrderStatus) -> Option<(i64, i64)> {
    let is_reported = matches!(
        report.state,
        ExternalOrderState::Done | ExternalOrderState::Partial | ExternalOrderState::Open
    );
    let remains = report.remains.filter(|remains| is_reported && *remains >= 0)?;
    let start = report.start_count.or(attempt.start_count).unwrap_or(0);
    Some((start + sold, start + counted(attempt.quantity - remains, attempt.quantity, sold)))
}

/// Undelivered units: all of them where the panel does not report any, or charged nothing.
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
        ExternalOrderState::Open => match report.word.to_ascii_lowercase().as_str() {
            "in progress" => ExternalStatus::InProgress,
            "processing" => ExternalStatus::Processing,
            _ => ExternalStatus::Pending,
        },
    })
}

/// Poll interval of an open attempt of this age: short while it is new or its progress changes.
#[must_use]
pub fn open_poll_interval(age: Duration, moved: bool) -> Duration {
    let (divisor, min_secs) = if moved { (20, 30) } else { (10, 60) };
    poll_interval(age, divisor, Duration::from_secs(min_secs), MAX_POLL_INTERVAL)
}

/// Time of the next placement attempt after `tries` attempts; none after the last one.
#[must_use]
pub fn next_placement_attempt(tries: i64, now: Time) -> Option<Time> {
    PLACEMENT_BACKOFF.next_try(tries, Chance::NONE, now)
}

/// Time of the next placement attempt without a limit, for causes that pass by themselves or that staff resolve.
#[must_use]
pub fn next_unlimited_attempt(tries: i64, now: Time) -> Time {
    PLACEMENT_BACKOFF.at(tries, Chance::NONE, now)
}

/// Time of the next reconciliation of an attempt with an unknown outcome after `tries` of them; none after the last one.
#[must_use]
pub fn next_reconciliation(tries: i64, now: Time) -> Option<Time> {
    RECONCILE_BACKOFF.next_try(tries, Chance::NONE, now)
}

/// State of an order for [`decide`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "each is a question of its own")]
pub struct DispatchInput {
    /// The order is in processing, not stopped or finished.
    pub runs: bool,
    /// All units are delivered.
    pub is_full: bool,
    /// The counter of the address shows that all units are delivered, and the service completes orders by that counter.
    pub is_counted: bool,
    /// An attempt is queued or open.
    pub has_live: bool,
    /// No attempt was sent yet.
    pub is_fresh: bool,
    /// The settings of the panel that delivered less allow the rest to be ordered automatically.
    pub recreates: bool,
    /// An active provider has not failed the order yet.
    pub has_next: bool,
    /// The panel of the last attempt had accepted the order: a status of that panel ended it, not an error.
    pub was_accepted: bool,
    /// The service cancels undelivered orders.
    pub cancels: bool,
    /// The customer has requested to cancel the order, and the request is open.
    pub is_cancel_requested: bool,
}

/// Next step of an order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum DispatchDecision {
    /// Nothing for now.
    Wait,
    /// Complete: all units are delivered, by the attempts or by the counter.
    Complete,
    /// Order the undelivered units from the next provider.
    Send,
    /// Cancel and refund the undelivered units: no provider is left.
    Cancel,
    /// Cancel and refund the undelivered units at the customer's request: no attempt is open any more.
    CancelAsRequested,
    /// No provider is left: list the order among those without active providers.
    Abandon,
}

/// Decides the next step of an order by its attempts. The transition table also checks a completion or a cancel.
#[must_use]
pub fn decide(case: DispatchInput) -> DispatchDecision {
    match case {
        // Even while attempts are open: they are polled to their end.
        DispatchInput { is_counted: true, runs: true, .. }
        | DispatchInput { is_full: true, has_live: false, .. } => DispatchDecision::Complete,
        // Also for a stopped order. While the request is open, the order does not fail over.
        DispatchInput { is_cancel_requested: true, has_live: false, .. } => {
            DispatchDecision::CancelAsRequested
        }
        DispatchInput { has_live: true, .. } | DispatchInput { runs: false, .. } => DispatchDecision::Wait,
        DispatchInput { has_next: true, is_fresh, recreates, .. } if is_fresh || recreates => {
            DispatchDecision::Send
        }
        // An order of a service without providers waits for one.
        DispatchInput { is_fresh: true, .. } => DispatchDecision::Abandon,
        // An error or a rejection causes no refund: staff see the order and can resolve the cause.
        DispatchInput { cancels: true, was_accepted: true, .. } => DispatchDecision::Cancel,
        _ => DispatchDecision::Abandon,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reseller_protocol::read;

    const SECOND_MICROS: i64 = 1_000_000;

    const BEFORE: AttemptProgress = AttemptProgress {
        status: ExternalStatus::Pending,
        quantity: 100,
        remains: Some(80),
        start_count: None,
        charge: Money(500),
    };

    fn report(word: &str, remains: Option<i64>, charge: Option<i64>) -> StatusUpdate {
        let state = ExternalOrderStatus {
            state: read::state(word),
            word: word.into(),
            charge: charge.map(Money),
            start_count: Some(7),
            remains,
            currency: None,
        };
        apply_status(BEFORE, &state)
    }

    fn seen(update: &StatusUpdate) -> (ExternalStatus, i64, bool, bool) {
        (update.progress.status, update.progress.delivered(), update.is_over, update.alert.is_some())
    }

    #[test]
    fn words_end_attempts_exactly() {
        use ExternalStatus::{Canceled, Completed, InProgress, Partial, Pending, Processing};
        for (word, remains, charge, wanted) in [
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
            assert_eq!(seen(&report(word, remains, charge)), wanted, "{word} {remains:?}");
        }
        let update = report("In progress", Some(30), Some(-1));
        assert_eq!((update.progress.start_count, update.progress.charge), (Some(7), Money(500)));
    }

    #[test]
    fn a_start_count_of_zero_is_replaced_by_a_positive_one() {
        let update = |before, start_count| {
            let report = ExternalOrderStatus {
                state: ExternalOrderState::Open,
                word: "Pending".into(),
                charge: None,
                start_count,
                remains: None,
                currency: None,
            };
            apply_status(AttemptProgress { start_count: before, ..BEFORE }, &report).progress.start_count
        };
        for (before, report, wanted) in [
            (None, None, None),
            (None, Some(0), Some(0)),
            (Some(0), None, Some(0)),
            (Some(0), Some(3_572), Some(3_572)),
            (Some(3_572), Some(0), Some(3_572)),
            (Some(3_572), Some(9), Some(3_572)),
        ] {
            assert_eq!(update(before, report), wanted, "{before:?} {report:?}");
        }
    }

    #[test]
    fn late_words_move_nothing_but_the_charge() {
        use ExternalStatus::{Completed, Partial};
        for (status, word, remains, charge, wanted) in [
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
                state: read::state(word),
                word: word.into(),
                charge: charge.map(Money),
                start_count: Some(7),
                remains,
                currency: None,
            };
            let before = AttemptProgress { status, ..BEFORE };
            let update = apply_late_status(before, &report);
            assert_eq!(
                (update.progress.charge.0, update.alert.is_some()),
                wanted,
                "{word} {remains:?} {charge:?}"
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
        let report = |word: &str, remains, start_count| ExternalOrderStatus {
            state: read::state(word),
            word: word.into(),
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
        let count = |report: &ExternalOrderStatus| loss_counts(attempt, 200, report);
        assert_eq!(count(&report("Completed", Some(0), Some(40))), Some((240, 240)));
        assert_eq!(count(&report("Completed", Some(25), None)), Some((250, 200)), "of the sold units");
        assert_eq!(count(&report("Partial", Some(100), None)), Some((250, 50)));
        assert_eq!(count(&report("Completed", None, Some(40))), None);
        assert_eq!(count(&report("Canceled", Some(100), Some(40))), None, "charged back");
        assert_eq!(count(&report("Completed", Some(-5), Some(40))), None, "delivered more");
        let day = 86_400 * SECOND_MICROS;
        assert_eq!(next_loss_check(Time(10), Time(10 + 3 * day)), Some(Time(10 + 4 * day)));
        assert_eq!(next_loss_check(Time(0), Time(90 * day)), None);
    }

    #[test]
    fn young_and_moving_attempts_are_looked_at_sooner() {
        let secs =
            |minutes: u64, moved| open_poll_interval(Duration::from_secs(minutes * 60), moved).as_secs();
        assert_eq!([0, 30, 10_000].map(|minutes| secs(minutes, false)), [60, 180, 600]);
        assert_eq!([0, 30, 10_000].map(|minutes| secs(minutes, true)), [30, 90, 600]);
    }

    #[test]
    fn tries_come_later_and_later_and_end() {
        let at = |tries| next_placement_attempt(tries, Time(0)).map(|time| time.0 / SECOND_MICROS);
        assert_eq!([at(0), at(1), at(2), at(6), at(7)], [Some(10), Some(10), Some(60), Some(10_800), None]);
        assert_eq!(next_unlimited_attempt(7, Time(0)).0 / SECOND_MICROS, 10_800);
        assert_eq!(next_reconciliation(6, Time(0)), None);
    }

    #[test]
    fn an_ended_attempt_leads_on() {
        let case = DispatchInput {
            runs: true,
            is_full: false,
            is_counted: false,
            has_live: false,
            is_fresh: false,
            recreates: true,
            has_next: true,
            was_accepted: true,
            cancels: false,
            is_cancel_requested: false,
        };
        assert_eq!(decide(case), DispatchDecision::Send);
        assert_eq!(decide(DispatchInput { recreates: false, ..case }), DispatchDecision::Abandon);
        assert_eq!(
            decide(DispatchInput { recreates: false, cancels: true, ..case }),
            DispatchDecision::Cancel
        );
        assert_eq!(
            decide(DispatchInput { has_next: false, cancels: true, ..case }),
            DispatchDecision::Cancel
        );
        for (recreates, has_next) in [(true, false), (false, true), (false, false)] {
            let refused = DispatchInput { recreates, has_next, was_accepted: false, cancels: true, ..case };
            assert_eq!(decide(refused), DispatchDecision::Abandon, "an error moves no order");
        }
        assert_eq!(decide(DispatchInput { has_live: true, cancels: true, ..case }), DispatchDecision::Wait);
        assert_eq!(decide(DispatchInput { is_full: true, has_live: true, ..case }), DispatchDecision::Wait);
        let counted = DispatchInput { is_counted: true, ..case };
        assert_eq!(
            decide(DispatchInput { has_live: true, ..counted }),
            DispatchDecision::Complete,
            "whatever is still at a panel"
        );
        assert_eq!(decide(DispatchInput { runs: false, ..counted }), DispatchDecision::Wait);
        assert_eq!(decide(DispatchInput { is_full: true, runs: false, ..case }), DispatchDecision::Complete);
        assert_eq!(decide(DispatchInput { runs: false, ..case }), DispatchDecision::Wait);
        let fresh = DispatchInput { is_fresh: true, recreates: false, ..case };
        assert_eq!(decide(fresh), DispatchDecision::Send);
        assert_eq!(
            decide(DispatchInput { has_next: false, cancels: true, ..fresh }),
            DispatchDecision::Abandon,
            "never canceled unsent"
        );
    }
}
