//! Deliveries of webhooks: an event that is posted to a receiver.

use panel_contract::webhooks::DeliveryStatus;

use crate::state_machine::{Described, StateMachine, Transitions, described, transitions};

/// An event of a delivery.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum DeliveryEvent {
    /// The receiver accepted it. Two attempts may run at the same time, so this overrides an earlier failure.
    Deliver,
    /// An attempt failed, and another one follows.
    RetryLater,
    /// The last attempt failed.
    Fail,
    /// Its webhook was disabled, or its job failed permanently.
    GiveUp,
    /// Staff send it once more.
    Redeliver,
}

/// The machine of `webhook_deliveries`.
#[derive(Debug)]
pub struct WebhookDeliveries;

impl StateMachine for WebhookDeliveries {
    type State = DeliveryStatus;
    type Event = DeliveryEvent;
    const NAME: &'static str = "webhook-delivery";
    const TITLE: &'static str = "Webhook deliveries";
    const ABOUT: &'static str =
        "An event that is posted to the receiver of a webhook, a few times until the receiver accepts it.";
    const STATES: &'static [Described<DeliveryStatus>] = &[
        described(DeliveryStatus::Pending, "pending", "It waits for its next attempt"),
        described(DeliveryStatus::Delivered, "delivered", "The receiver has it"),
        described(DeliveryStatus::Failed, "failed", "It is not tried again by itself"),
    ];
    const EVENTS: &'static [Described<DeliveryEvent>] = &[
        described(
            DeliveryEvent::Deliver,
            "deliver",
            "The receiver accepted it. Two attempts may run at the same time, so this overrides an earlier failure",
        ),
        described(DeliveryEvent::RetryLater, "retry later", "An attempt failed, and another one follows"),
        described(DeliveryEvent::Fail, "fail", "The last attempt failed"),
        described(
            DeliveryEvent::GiveUp,
            "give up",
            "Its webhook was disabled, or its job failed permanently",
        ),
        described(DeliveryEvent::Redeliver, "redeliver", "Staff send it once more"),
    ];
    const INITIAL_STATES: &'static [DeliveryStatus] = &[DeliveryStatus::Pending, DeliveryStatus::Failed];
    const TRANSITIONS: &'static [Transitions<DeliveryStatus, DeliveryEvent>] = {
        use DeliveryEvent as E;
        use DeliveryStatus as S;
        &[
            transitions(
                &[S::Pending],
                &[
                    (E::Deliver, S::Delivered),
                    (E::RetryLater, S::Pending),
                    (E::Fail, S::Failed),
                    (E::GiveUp, S::Failed),
                ],
            ),
            transitions(
                &[S::Failed],
                &[(E::Deliver, S::Delivered), (E::Fail, S::Failed), (E::Redeliver, S::Pending)],
            ),
            transitions(&[S::Delivered], &[(E::Redeliver, S::Pending)]),
        ]
    };
    const HAS_FINAL_STATES: bool = false;
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::state_machine::assert_table;

    #[test]
    fn every_event_in_every_state() {
        use DeliveryEvent as E;
        use DeliveryStatus as S;
        assert_table::<WebhookDeliveries>(|state, event| match event {
            E::Deliver => (state != S::Delivered).then_some(S::Delivered),
            E::RetryLater => (state == S::Pending).then_some(S::Pending),
            E::Fail => (state != S::Delivered).then_some(S::Failed),
            E::GiveUp => (state == S::Pending).then_some(S::Failed),
            E::Redeliver => (state != S::Pending).then_some(S::Pending),
        });
    }
}
