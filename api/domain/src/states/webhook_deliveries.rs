//! The state machine of webhook deliveries: the server posts one event to one receiver.

use panel_contract::webhooks::DeliveryStatus;

use crate::state_machine::{DiagramLabel, StateMachine, Transitions, label, transitions};

/// An event of a delivery.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum DeliveryEvent {
    /// The receiver accepted it. Two attempts may run at the same time, so this overrides an earlier failure.
    Deliver,
    /// An attempt failed, and another attempt follows.
    RetryLater,
    /// The last attempt failed.
    Fail,
    /// Its webhook was disabled, or its job failed permanently.
    GiveUp,
    /// Staff send it once more.
    Redeliver,
}

/// The state machine of the table `webhook_deliveries`.
#[derive(Debug)]
pub struct WebhookDeliveries;

impl StateMachine for WebhookDeliveries {
    type State = DeliveryStatus;
    type Event = DeliveryEvent;
    const NAME: &'static str = "webhook-delivery";
    const TITLE: &'static str = "Webhook deliveries";
    const ABOUT: &'static str = "The server posts an event to the receiver of a webhook, and repeats it until the receiver accepts it or all attempts have failed.";
    const STATES: &'static [DiagramLabel<DeliveryStatus>] = &[
        label(DeliveryStatus::Pending, "pending", "It waits for its next attempt"),
        label(DeliveryStatus::Delivered, "delivered", "The receiver accepted it"),
        label(DeliveryStatus::Failed, "failed", "The server does not send it again, but staff can"),
    ];
    const EVENTS: &'static [DiagramLabel<DeliveryEvent>] = &[
        label(
            DeliveryEvent::Deliver,
            "deliver",
            "The receiver accepted it. Two attempts may run at the same time, so this overrides an earlier failure",
        ),
        label(DeliveryEvent::RetryLater, "retry later", "An attempt failed, and another attempt follows"),
        label(DeliveryEvent::Fail, "fail", "The last attempt failed"),
        label(DeliveryEvent::GiveUp, "give up", "Its webhook was disabled, or its job failed permanently"),
        label(DeliveryEvent::Redeliver, "redeliver", "Staff send it once more"),
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
    fn the_table_has_exactly_the_expected_transitions() {
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
