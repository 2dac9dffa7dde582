//! What a panel's words mean for an attempt, an ended attempt for its order, and when to look again. Pure.
//!
//! A panel ends an attempt, never an order by itself; what it says after the end changes nothing.

use std::time::Duration;

use panel_contract::amount::Money;
use panel_contract::moment::{DAY_MICROS, Time};
use panel_contract::orders::ExternalStatus;
use panel_kernel::backoff::{Backoff, Chance, poll_interval};

use crate::losses;
use crate::quantity_ratio::counted;
use crate::reseller_protocol::read::{OrderState, State};

/// Between two tries to send an order that the panel surely did not take; after the last step the next provider's turn comes.
const PLACEMENT_BACKOFF: Backoff<'static> = Backoff::steps_secs(&[10, 60, 300, 900, 3_600, 10_800]);
/// Between two reconciliations of an attempt whose outcome is unknown; after the last step staff decide.
const RECONCILE_BACKOFF: Backoff<'static> = Backoff::steps_secs(&[60, 300, 1_800, 7_200, 43_200]);
/// The longest time between two polls of an open attempt.
const MAX_POLL_INTERVAL: Duration = Duration::from_secs(600);
/// How long after its end an attempt is asked about once more, each time: some panels charge back later.
const LATE_POLLS: [Duration; 3] =
    [Duration::from_hours(1), Duration::from_hours(24), Duration::from_hours(72)];
/// How long a panel may answer that it does not know an order before the order counts as lost: a fresh one may not be listed yet.
pub const LOST_AFTER: Duration = Duration::from_hours(1);

/// An attempt as the panel knows it, in units of its order at the external panel.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Standing {
    /// The status that it has.
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

/// What a panel's answer makes of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Heard {
    /// The attempt after the answer.
    pub standing: Standing,
    /// Whether it is over.
    pub is_over: bool,
    /// What a person should look at.
    pub alert: Option<String>,
}

impl Heard {
    /// When one that is over now is asked about once more: only what the panel delivered can be charged back.
    #[must_use]
    pub fn asked_late(&self, now: Time) -> Option<Time> {
        let delivered = matches!(self.standing.status, ExternalStatus::Completed | ExternalStatus::Partial);
        delivered.then(|| late(now, now)).flatten()
    }
}

impl Standing {
    /// What was delivered; over-delivery counts as all.
    #[must_use]
    pub fn delivered(&self) -> i64 {
        (self.quantity - self.remains.unwrap_or(self.quantity)).clamp(0, self.quantity)
    }
}

/// What an answer of the panel makes of an open attempt.
#[must_use]
pub fn hear(before: Standing, said: &OrderState) -> Heard {
    let status = status_of(said).unwrap_or(before.status);
    let remains = match said.state {
        State::Done => Some(0),
        // Fresh orders are said to lack nothing by some panels: that is no delivery.
        State::Open => said.remains.filter(|remains| *remains > 0).or(before.remains),
        State::Partial => said.remains.or(before.remains).or(Some(before.quantity)),
        State::Canceled | State::Failed => Some(undelivered(before.quantity, said)),
        State::Unknown => before.remains,
    };
    let alert = match said.state {
        State::Failed => Some(format!("The panel says {}.", said.word)),
        State::Unknown => {
            Some(format!("The panel says {}, which is no status that this panel knows.", said.word))
        }
        State::Partial if said.remains.is_none() => {
            Some("The panel delivered a part and does not say how much.".to_owned())
        }
        _ => None,
    };
    let standing = Standing {
        status,
        remains: remains.map(|remains| remains.clamp(0, before.quantity)),
        start_count: better(before.start_count, said.start_count),
        charge: charged(before, said),
        ..before
    };
    let is_over = matches!(said.state, State::Done | State::Partial | State::Canceled | State::Failed);
    Heard { standing, is_over, alert }
}

/// A counter of 0 is what panels say before they looked: it stands only until something better is known.
#[must_use]
pub fn better(before: Option<i64>, said: Option<i64>) -> Option<i64> {
    let known = |count: Option<i64>| count.filter(|count| *count > 0);
    known(before).or(known(said)).or(before).or(said)
}

fn charged(before: Standing, said: &OrderState) -> Money {
    said.charge.filter(|charge| *charge >= Money::ZERO).unwrap_or(before.charge)
}

/// Reads an answer about an attempt that is over: it moves nothing but what the panel charges, and a person sees what
/// contradicts its end.
#[must_use]
pub fn hear_late(before: Standing, said: &OrderState) -> Heard {
    let standing = Standing { charge: charged(before, said), ..before };
    let is_same = match said.state {
        State::Done => before.status == ExternalStatus::Completed,
        State::Partial => {
            before.status == ExternalStatus::Partial
                && said.remains.is_none_or(|remains| before.remains == Some(remains))
        }
        _ => false,
    };
    let mut words = Vec::new();
    if !is_same {
        words.push(format!("After it was {}, the panel says {}.", before.status, said.word));
    }
    if standing.charge != before.charge {
        words.push(format!(
            "After its end, the panel charges {} instead of {}.",
            standing.charge, before.charge
        ));
    }
    Heard { standing, is_over: false, alert: (!words.is_empty()).then(|| words.join(" ")) }
}

/// When an attempt that is over is asked about next; none where its end is long ago.
#[must_use]
pub fn late(ended: Time, now: Time) -> Option<Time> {
    LATE_POLLS.iter().map(|span| ended.after(*span)).find(|at| *at > now)
}

/// When a completed attempt is asked about next whose order refills by itself: once a day, as long as losses are measured.
#[must_use]
pub fn loss_look(ended: Time, now: Time) -> Option<Time> {
    let days = (now.0 - ended.0).max(0) / DAY_MICROS + 1;
    let next = Time(ended.0 + days * DAY_MICROS);
    (next.since(ended) <= losses::MEASURED).then_some(next)
}

/// What an address of a completed attempt had at its end and has by what the panel says remains; none where the panel says nothing of it. An attempt
/// that the panel canceled after all lost nothing: it was charged back.
#[must_use]
pub fn loss_count(attempt: Standing, sold: i64, said: &OrderState) -> Option<(i64, i64)> {
    let tells = matches!(said.state, State::Done | State::Partial | State::Open);
    let remains = said.remains.filter(|remains| tells && *remains >= 0)?;
    let start = said.start_count.or(attempt.start_count).unwrap_or(0);
    Some((start + sold, start + counted(attempt.quantity - remains, attempt.quantity, sold)))
}

/// All of it where the panel does not say, or says that it charged nothing.
fn undelivered(quantity: i64, said: &OrderState) -> i64 {
    match said.remains {
        Some(remains) if said.charge != Some(Money::ZERO) => remains,
        _ => quantity,
    }
}

fn status_of(said: &OrderState) -> Option<ExternalStatus> {
    Some(match said.state {
        State::Done => ExternalStatus::Completed,
        State::Partial => ExternalStatus::Partial,
        State::Canceled | State::Failed => ExternalStatus::Canceled,
        State::Unknown => return None,
        State::Open => match said.word.to_ascii_lowercase().as_str() {
            "in progress" => ExternalStatus::InProgress,
            "processing" => ExternalStatus::Processing,
            _ => ExternalStatus::Pending,
        },
    })
}

/// How long until an open attempt of this age is polled again: soon while it is young or moves.
#[must_use]
pub fn open_poll_interval(age: Duration, moved: bool) -> Duration {
    let (divisor, min_secs) = if moved { (20, 30) } else { (10, 60) };
    poll_interval(age, divisor, Duration::from_secs(min_secs), MAX_POLL_INTERVAL)
}

/// When to send again after so many tries; none when it was tried often enough.
#[must_use]
pub fn again(tries: i64, now: Time) -> Option<Time> {
    PLACEMENT_BACKOFF.next_try(tries, Chance::NONE, now)
}

/// When to send again, however often it was tried: what keeps the panel from taking it passes by itself or is mended.
#[must_use]
pub fn once_more(tries: i64, now: Time) -> Time {
    PLACEMENT_BACKOFF.at(tries, Chance::NONE, now)
}

/// When to look again for an order that nobody knows of; none when it was looked for often enough.
#[must_use]
pub fn probe(tries: i64, now: Time) -> Option<Time> {
    RECONCILE_BACKOFF.next_try(tries, Chance::NONE, now)
}

/// An order whose attempts are to be judged.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "each is a question of its own")]
pub struct Case {
    /// In processing; else it stands still or is over.
    pub runs: bool,
    /// Nothing of it is left to be delivered.
    pub is_full: bool,
    /// The real counter says that all of it is there, and its service completes by that.
    pub is_counted: bool,
    /// An attempt is to be sent or open.
    pub has_live: bool,
    /// Nothing was sent yet.
    pub is_fresh: bool,
    /// The panel that ended short lets the rest go on by itself.
    pub recreates: bool,
    /// A provider is active that has not failed it.
    pub has_next: bool,
    /// The panel of the last attempt had taken it: its end is that panel's word, and no error of theirs or ours.
    pub was_taken: bool,
    /// Its service cancels what nobody delivers.
    pub cancels: bool,
    /// Its customer requested to cancel it, and the request is open.
    pub is_cancel_requested: bool,
}

/// What becomes of an order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Next {
    /// Nothing is done for now.
    Wait,
    /// All of it is delivered, or the real counter says so.
    Complete,
    /// The next provider gets what is left.
    Send,
    /// No provider is left and the customer gets back what was not delivered.
    Cancel,
    /// No provider has it any more, and its customer requested to cancel it: what was not delivered is refunded.
    CancelAsRequested,
    /// No provider is left: staff see it among orders without active providers.
    Abandon,
}

/// Judges an order by its attempts. Completing and canceling ask the transition table once more.
#[must_use]
pub fn next(case: Case) -> Next {
    match case {
        // Whatever providers still do: what they have is followed to its end.
        Case { is_counted: true, runs: true, .. } | Case { is_full: true, has_live: false, .. } => {
            Next::Complete
        }
        // Also where staff paused it. It goes to no other provider while the request is open.
        Case { is_cancel_requested: true, has_live: false, .. } => Next::CancelAsRequested,
        Case { has_live: true, .. } | Case { runs: false, .. } => Next::Wait,
        Case { has_next: true, is_fresh, recreates, .. } if is_fresh || recreates => Next::Send,
        // A service without any provider waits for one; it is counted by its service's flag.
        Case { is_fresh: true, .. } => Next::Abandon,
        // An error or a refusal gives nobody's money back: it may be mended, and staff see the order until then.
        Case { cancels: true, was_taken: true, .. } => Next::Cancel,
        _ => Next::Abandon,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reseller_protocol::read;

    const SECOND_MICROS: i64 = 1_000_000;

    const BEFORE: Standing = Standing {
        status: ExternalStatus::Pending,
        quantity: 100,
        remains: Some(80),
        start_count: None,
        charge: Money(500),
    };

    fn said(word: &str, remains: Option<i64>, charge: Option<i64>) -> Heard {
        let state = OrderState {
            state: read::state(word),
            word: word.into(),
            charge: charge.map(Money),
            start_count: Some(7),
            remains,
            currency: None,
        };
        hear(BEFORE, &state)
    }

    fn seen(heard: &Heard) -> (ExternalStatus, i64, bool, bool) {
        (heard.standing.status, heard.standing.delivered(), heard.is_over, heard.alert.is_some())
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
            assert_eq!(seen(&said(word, remains, charge)), wanted, "{word} {remains:?}");
        }
        let heard = said("In progress", Some(30), Some(-1));
        assert_eq!((heard.standing.start_count, heard.standing.charge), (Some(7), Money(500)));
    }

    #[test]
    fn a_start_of_zero_stands_until_something_better_is_known() {
        let heard = |before, start_count| {
            let said = OrderState {
                state: State::Open,
                word: "Pending".into(),
                charge: None,
                start_count,
                remains: None,
                currency: None,
            };
            hear(Standing { start_count: before, ..BEFORE }, &said).standing.start_count
        };
        for (before, said, wanted) in [
            (None, None, None),
            (None, Some(0), Some(0)),
            (Some(0), None, Some(0)),
            (Some(0), Some(3_572), Some(3_572)),
            (Some(3_572), Some(0), Some(3_572)),
            (Some(3_572), Some(9), Some(3_572)),
        ] {
            assert_eq!(heard(before, said), wanted, "{before:?} {said:?}");
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
            let said = OrderState {
                state: read::state(word),
                word: word.into(),
                charge: charge.map(Money),
                start_count: Some(7),
                remains,
                currency: None,
            };
            let before = Standing { status, ..BEFORE };
            let heard = hear_late(before, &said);
            assert_eq!(
                (heard.standing.charge.0, heard.alert.is_some()),
                wanted,
                "{word} {remains:?} {charge:?}"
            );
            assert_eq!(Standing { charge: before.charge, ..heard.standing }, before);
            assert!(!heard.is_over);
        }
        let hours = |now: i64| {
            late(Time(0), Time(now * 3_600 * SECOND_MICROS)).map(|at| at.0 / 3_600 / SECOND_MICROS)
        };
        assert_eq!([hours(0), hours(1), hours(30), hours(72)], [Some(1), Some(24), Some(72), None]);
    }

    #[test]
    fn a_panel_tells_what_was_lost_by_what_remains() {
        let said = |word: &str, remains, start_count| OrderState {
            state: read::state(word),
            word: word.into(),
            charge: None,
            start_count,
            remains,
            currency: None,
        };
        let attempt =
            Standing { status: ExternalStatus::Completed, quantity: 100, start_count: Some(50), ..BEFORE };
        let count = |said: &OrderState| loss_count(attempt, 200, said);
        assert_eq!(count(&said("Completed", Some(0), Some(40))), Some((240, 240)));
        assert_eq!(count(&said("Completed", Some(25), None)), Some((250, 200)), "of the sold units");
        assert_eq!(count(&said("Partial", Some(100), None)), Some((250, 50)));
        assert_eq!(count(&said("Completed", None, Some(40))), None);
        assert_eq!(count(&said("Canceled", Some(100), Some(40))), None, "charged back");
        assert_eq!(count(&said("Completed", Some(-5), Some(40))), None, "delivered more");
        let day = 86_400 * SECOND_MICROS;
        assert_eq!(loss_look(Time(10), Time(10 + 3 * day)), Some(Time(10 + 4 * day)));
        assert_eq!(loss_look(Time(0), Time(90 * day)), None);
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
        let at = |tries| again(tries, Time(0)).map(|time| time.0 / SECOND_MICROS);
        assert_eq!([at(0), at(1), at(2), at(6), at(7)], [Some(10), Some(10), Some(60), Some(10_800), None]);
        assert_eq!(once_more(7, Time(0)).0 / SECOND_MICROS, 10_800);
        assert_eq!(probe(6, Time(0)), None);
    }

    #[test]
    fn an_ended_attempt_leads_on() {
        let case = Case {
            runs: true,
            is_full: false,
            is_counted: false,
            has_live: false,
            is_fresh: false,
            recreates: true,
            has_next: true,
            was_taken: true,
            cancels: false,
            is_cancel_requested: false,
        };
        assert_eq!(next(case), Next::Send);
        assert_eq!(next(Case { recreates: false, ..case }), Next::Abandon);
        assert_eq!(next(Case { recreates: false, cancels: true, ..case }), Next::Cancel);
        assert_eq!(next(Case { has_next: false, cancels: true, ..case }), Next::Cancel);
        for (recreates, has_next) in [(true, false), (false, true), (false, false)] {
            let refused = Case { recreates, has_next, was_taken: false, cancels: true, ..case };
            assert_eq!(next(refused), Next::Abandon, "an error moves no order");
        }
        assert_eq!(next(Case { has_live: true, cancels: true, ..case }), Next::Wait);
        assert_eq!(next(Case { is_full: true, has_live: true, ..case }), Next::Wait);
        let counted = Case { is_counted: true, ..case };
        assert_eq!(next(Case { has_live: true, ..counted }), Next::Complete, "whatever is still at a panel");
        assert_eq!(next(Case { runs: false, ..counted }), Next::Wait);
        assert_eq!(next(Case { is_full: true, runs: false, ..case }), Next::Complete);
        assert_eq!(next(Case { runs: false, ..case }), Next::Wait);
        let fresh = Case { is_fresh: true, recreates: false, ..case };
        assert_eq!(next(fresh), Next::Send);
        assert_eq!(
            next(Case { has_next: false, cancels: true, ..fresh }),
            Next::Abandon,
            "never canceled unsent"
        );
    }
}
