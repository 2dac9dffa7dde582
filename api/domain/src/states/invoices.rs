//! The state machine of invoices, by which customers pay into their balance.

use panel_contract::invoices::InvoiceStatus;

use crate::state_machine::{DiagramLabel, StateMachine, Transitions, label, transitions};

/// An event of an invoice.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum InvoiceEvent {
    /// Staff confirm the payment.
    Pay,
}

/// The state machine of the table `invoices`.
#[derive(Debug)]
pub struct Invoices;

impl StateMachine for Invoices {
    type State = InvoiceStatus;
    type Event = InvoiceEvent;
    const NAME: &'static str = "invoice";
    const TITLE: &'static str = "Invoices";
    const ABOUT: &'static str =
        "A customer pays an amount into the balance by a payment method. A payment is final.";
    const STATES: &'static [DiagramLabel<InvoiceStatus>] = &[
        label(InvoiceStatus::Pending, "pending", "The customer has not paid it yet"),
        label(InvoiceStatus::Paid, "paid", "The amount is on the balance"),
        label(
            InvoiceStatus::Canceled,
            "canceled",
            "The customer must not pay it. No event leads to this state; only data from another system has it",
        ),
    ];
    const EVENTS: &'static [DiagramLabel<InvoiceEvent>] =
        &[label(InvoiceEvent::Pay, "pay", "Staff confirm the payment")];
    const INITIAL_STATES: &'static [InvoiceStatus] = &[InvoiceStatus::Pending, InvoiceStatus::Canceled];
    const TRANSITIONS: &'static [Transitions<InvoiceStatus, InvoiceEvent>] = {
        use InvoiceEvent as E;
        use InvoiceStatus as S;
        &[transitions(&[S::Pending], &[(E::Pay, S::Paid)])]
    };
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::state_machine::assert_table;

    #[test]
    fn the_table_has_exactly_the_expected_transitions() {
        use InvoiceEvent as E;
        use InvoiceStatus as S;
        assert_table::<Invoices>(|state, event| match event {
            E::Pay => (state == S::Pending).then_some(S::Paid),
        });
    }
}
