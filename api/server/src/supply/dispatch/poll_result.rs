//! Calculates the update of a placement attempt from the response to a status poll. This module uses no database and no network.

use panel_contract::amount::Money;
use panel_contract::moment::Time;
use serde_json::json;

use super::attempts::OpenAttempt;
use crate::pricing::rates::ExchangeRates;
use crate::stores::placement_attempts::truncate_text;
use crate::supply::panels::PanelConnection;
use crate::supply::reseller::{self, MessageSubject};
use panel_domain::dispatch::{self, AttemptProgress, LOST_AFTER, StatusUpdate};
use panel_domain::quantity_ratio;
use panel_domain::reseller_protocol::responses::ExternalOrderStatus;

/// The update of one attempt after a status poll.
pub(super) struct PollResult<'a> {
    /// The attempt when it was claimed.
    pub(super) attempt: &'a OpenAttempt,
    /// The new status; `None` if the response has no status for the order, or the status agrees with an attempt that has ended.
    pub(super) update: Option<StatusUpdate>,
    /// The charge in our own currency; `None` if it is unknown or has no exchange rate.
    cost: Option<Money>,
    pub(super) error: Option<String>,
    pub(super) alert_at: Option<Time>,
    pub(super) missing_since: Option<Time>,
    pub(super) response: Option<String>,
    /// Time of the next poll; `None` if the attempt is not polled again.
    pub(super) due_at: Option<Time>,
}

impl<'a> PollResult<'a> {
    /// Evaluates the response for one attempt. `order_status` is `None` if the response does not contain the order.
    pub(super) fn from_response(
        attempt: &'a OpenAttempt,
        order_status: Option<&Result<ExternalOrderStatus, String>>,
        rates: &ExchangeRates,
        panel: &PanelConnection,
        now: Time,
    ) -> Self {
        let next_poll_at = |has_changed| {
            Some(now.plus(dispatch::poll_interval_of_open_attempt(attempt.age(now), has_changed)))
        };
        let unchanged = Self {
            attempt,
            update: None,
            cost: None,
            error: attempt.last_error.clone(),
            alert_at: attempt.alert_at,
            missing_since: attempt.missing_since,
            response: None,
            due_at: next_poll_at(false),
        };
        if let Some(ended_at) = attempt.ended_at {
            let due_at = attempt.next_poll_after_end(ended_at, now);
            return Self { due_at, ..unchanged }.with_late_status(order_status, rates, panel, now);
        }
        match order_status {
            None => unchanged,
            Some(Err(message)) => unchanged.with_rejection(message, now),
            Some(Ok(status)) => {
                let update = dispatch::apply_status(attempt.progress(), status);
                let cost = rates.to_own_currency(
                    update.progress.charge,
                    status.currency.as_deref().unwrap_or(&panel.currency),
                );
                let missing_rate_error = || {
                    format!(
                        "There is no exchange rate for {}. Set the rate in the settings.",
                        status.currency.as_deref().unwrap_or(&panel.currency)
                    )
                };
                let error = update.alert.clone().or_else(|| cost.is_none().then(missing_rate_error));
                let has_changed = update.progress != attempt.progress();
                Self {
                    alert_at: error.is_some().then(|| attempt.alert_at.unwrap_or(now)),
                    error,
                    missing_since: None,
                    response: (has_changed || update.has_ended).then(|| response_json(status)),
                    due_at: if update.has_ended {
                        update.late_poll_at(now)
                    } else {
                        next_poll_at(has_changed)
                    },
                    cost,
                    update: Some(update),
                    ..unchanged
                }
            }
        }
    }

    /// Evaluates a late response for an ended attempt, which stays ended. If the response contradicts the stored result, the server
    /// records it with an alert. If the charge changed, the server books the difference.
    fn with_late_status(
        self,
        order_status: Option<&Result<ExternalOrderStatus, String>>,
        rates: &ExchangeRates,
        panel: &PanelConnection,
        now: Time,
    ) -> Self {
        let Some(Ok(status)) = order_status else { return self };
        let update = dispatch::apply_late_status(self.attempt.progress(), status);
        let Some(message) = update.alert.clone() else { return self };
        let is_charge_changed = update.progress.charge != self.attempt.charge;
        let currency = status.currency.as_deref().unwrap_or(&panel.currency);
        Self {
            cost: is_charge_changed
                .then(|| rates.to_own_currency(update.progress.charge, currency))
                .flatten(),
            error: Some(truncate_text(&message)),
            alert_at: self.alert_at.or(Some(now)),
            response: Some(response_json(status)),
            update: Some(update),
            ..self
        }
    }

    /// Evaluates a rejection for one order. An external panel may not find a new order for some time. If it does not find the order
    /// for [`LOST_AFTER`], staff get an alert, and polling continues.
    fn with_rejection(self, message: &str, now: Time) -> Self {
        let is_missing = reseller::subject_of_message(message) == MessageSubject::Order;
        let missing_since = is_missing.then(|| self.missing_since.unwrap_or(now));
        let is_lost = missing_since.is_some_and(|since| now.since(since) >= LOST_AFTER);
        Self {
            error: Some(truncate_text(message)),
            alert_at: if is_lost { self.alert_at.or(Some(now)) } else { self.alert_at },
            missing_since,
            ..self
        }
    }

    /// Whether anything except the next poll time changes.
    pub(super) fn has_changes(&self) -> bool {
        let attempt = self.attempt;
        self.update.as_ref().is_some_and(|update| update.has_ended || update.progress != attempt.progress())
            || self.additional_cost() != 0
            || self.error != attempt.last_error
            || self.alert_at != attempt.alert_at
            || self.missing_since != attempt.missing_since
    }

    /// The progress after this update.
    pub(super) fn progress(&self) -> AttemptProgress {
        self.update.as_ref().map_or_else(|| self.attempt.progress(), |update| update.progress)
    }

    /// Whether the update changes a column by which lists filter: the status, the alert, or the end.
    pub(super) fn changes_list_columns(&self) -> bool {
        self.progress().status != self.attempt.status
            || self.alert_at != self.attempt.alert_at
            || (self.is_over() && self.attempt.ended_at.is_none())
    }

    /// Whether the external panel reports that the order has ended.
    pub(super) fn is_over(&self) -> bool {
        self.update.as_ref().is_some_and(|update| update.has_ended)
    }

    /// Newly delivered quantity in sold units.
    pub(super) fn additional_quantity(&self) -> i64 {
        let to_sold_units = |progress: AttemptProgress| {
            quantity_ratio::credited_quantity(
                progress.delivered(),
                self.attempt.quantity,
                self.attempt.sold_quantity,
            )
        };
        let old_quantity = to_sold_units(self.attempt.progress());
        self.update.as_ref().map_or(0, |update| to_sold_units(update.progress) - old_quantity)
    }

    /// Cost that is not booked yet, in millionths of our own currency.
    pub(super) fn additional_cost(&self) -> i64 {
        self.cost.map_or(0, |cost| cost.0 - self.attempt.booked_cost.0)
    }
}

/// Formats the response for one order as JSON, which staff see.
fn response_json(status: &ExternalOrderStatus) -> String {
    let response = json!({
        "status": status.status_text, "charge": status.charge, "start_count": status.start_count, "remains": status.remains,
        "currency": status.currency,
    });
    truncate_text(&response.to_string())
}
