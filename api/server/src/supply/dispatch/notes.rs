//! What is written about an attempt that its panel was asked about. Pure.

use panel_contract::amount::Money;
use panel_contract::moment::Time;
use serde_json::json;

use super::attempts::Open;
use crate::pricing::rates::Rates;
use crate::stores::placement_attempts::cut;
use crate::supply::panels::Reachable;
use crate::supply::reseller::{self, Reason};
use panel_domain::dispatch::{self, Heard, LOST_AFTER, Standing};
use panel_domain::quantity_ratio;
use panel_domain::reseller_protocol::read::OrderState;

/// What is written about one attempt.
pub(super) struct Note<'a> {
    /// As it was when it was claimed.
    pub(super) attempt: &'a Open,
    /// What the panel said, where it said something.
    pub(super) heard: Option<Heard>,
    cost: Option<Money>,
    pub(super) error: Option<String>,
    pub(super) alert_at: Option<Time>,
    pub(super) missing_since: Option<Time>,
    pub(super) answer: Option<String>,
    /// When it is asked about again.
    pub(super) due: Option<Time>,
}

impl<'a> Note<'a> {
    /// Reads what the panel said of one attempt, or that it said nothing.
    pub(super) fn of(
        attempt: &'a Open,
        said: Option<&Result<OrderState, String>>,
        rates: &Rates,
        panel: &Reachable,
        now: Time,
    ) -> Self {
        let later = |moved| Some(now.after(dispatch::open_poll_interval(attempt.age(now), moved)));
        let plain = Self {
            attempt,
            heard: None,
            cost: None,
            error: attempt.last_error.clone(),
            alert_at: attempt.alert_at,
            missing_since: attempt.missing_since,
            answer: None,
            due: later(false),
        };
        if let Some(ended) = attempt.ended_at {
            let due = attempt.late(ended, now);
            return Self { due, ..plain }.late(said, rates, panel, now);
        }
        match said {
            None => plain,
            Some(Err(words)) => plain.refused(words, now),
            Some(Ok(state)) => {
                let heard = dispatch::hear(attempt.standing(), state);
                let cost =
                    rates.to_own(heard.standing.charge, state.currency.as_deref().unwrap_or(&panel.currency));
                let no_rate = || {
                    format!(
                        "There is no exchange rate for {}; set one.",
                        state.currency.as_deref().unwrap_or(&panel.currency)
                    )
                };
                let error = heard.alert.clone().or_else(|| cost.is_none().then(no_rate));
                let moved = heard.standing != attempt.standing();
                Self {
                    alert_at: error.is_some().then(|| attempt.alert_at.unwrap_or(now)),
                    error,
                    missing_since: None,
                    answer: (moved || heard.is_over).then(|| shown(state)),
                    due: if heard.is_over { heard.asked_late(now) } else { later(moved) },
                    cost,
                    heard: Some(heard),
                    ..plain
                }
            }
        }
    }

    /// What is over stays so. What contradicts it is noted, and what the panel charges back is booked.
    fn late(
        self,
        said: Option<&Result<OrderState, String>>,
        rates: &Rates,
        panel: &Reachable,
        now: Time,
    ) -> Self {
        let Some(Ok(state)) = said else { return self };
        let heard = dispatch::hear_late(self.attempt.standing(), state);
        let Some(words) = heard.alert.clone() else { return self };
        let is_charged_anew = heard.standing.charge != self.attempt.charge;
        let currency = state.currency.as_deref().unwrap_or(&panel.currency);
        Self {
            cost: is_charged_anew.then(|| rates.to_own(heard.standing.charge, currency)).flatten(),
            error: Some(cut(&words)),
            alert_at: self.alert_at.or(Some(now)),
            answer: Some(shown(state)),
            heard: Some(heard),
            ..self
        }
    }

    /// A panel may not know a fresh order for a while. After [`LOST_AFTER`] staff are alerted; it is asked about all the same.
    fn refused(self, words: &str, now: Time) -> Self {
        let is_missing = reseller::reason(words) == Reason::Order;
        let missing_since = is_missing.then(|| self.missing_since.unwrap_or(now));
        let is_lost = missing_since.is_some_and(|since| now.since(since) >= LOST_AFTER);
        Self {
            error: Some(cut(words)),
            alert_at: if is_lost { self.alert_at.or(Some(now)) } else { self.alert_at },
            missing_since,
            ..self
        }
    }

    /// Whether more changes than when it is due.
    pub(super) fn is_news(&self) -> bool {
        let attempt = self.attempt;
        self.heard.as_ref().is_some_and(|heard| heard.is_over || heard.standing != attempt.standing())
            || self.cost_more() != 0
            || self.error != attempt.last_error
            || self.alert_at != attempt.alert_at
            || self.missing_since != attempt.missing_since
    }

    /// Where it stands then.
    pub(super) fn standing(&self) -> Standing {
        self.heard.as_ref().map_or_else(|| self.attempt.standing(), |heard| heard.standing)
    }

    /// Whether lists find it elsewhere then: among others of its status, of those that a person should see, or that are
    /// over.
    pub(super) fn moves(&self) -> bool {
        self.standing().status != self.attempt.status
            || self.alert_at != self.attempt.alert_at
            || (self.is_over() && self.attempt.ended_at.is_none())
    }

    /// Whether the panel says that it is over.
    pub(super) fn is_over(&self) -> bool {
        self.heard.as_ref().is_some_and(|heard| heard.is_over)
    }

    /// How much was delivered since, of what was sold.
    pub(super) fn delivered_more(&self) -> i64 {
        let counted = |standing: Standing| {
            quantity_ratio::counted(standing.delivered(), self.attempt.quantity, self.attempt.sold)
        };
        let before = counted(self.attempt.standing());
        self.heard.as_ref().map_or(0, |heard| counted(heard.standing) - before)
    }

    /// What of its cost is not booked yet, in millionths.
    pub(super) fn cost_more(&self) -> i64 {
        self.cost.map_or(0, |cost| cost.0 - self.attempt.booked_cost.0)
    }
}

/// A panel's answer about one order as staff see it.
fn shown(state: &OrderState) -> String {
    let shown = json!({
        "status": state.word, "charge": state.charge, "start_count": state.start_count, "remains": state.remains,
        "currency": state.currency,
    });
    cut(&shown.to_string())
}
