//! Invoices: what a customer pays into the balance.

use panel_contract::invoices::InvoiceStatus;

use crate::state_machine::{Described, StateMachine, Transitions, described, transitions};

/// An event of an invoice.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum InvoiceEvent {
    /// Staff confirm the payment.
    Pay,
}

/// The machine of `invoices`.
#[derive(Debug)]
pub struct Invoices;

impl StateMachine for Invoices {
    type State = InvoiceStatus;
    type Event = InvoiceEvent;
    const NAME: &'static str = "invoice";
    const TITLE: &'static str = "Invoices";
    const ABOUT: &'static str =
        "What a customer pays into the balance by a payment method. A payment is final.";
    const STATES: &'static [Described<InvoiceStatus>] = &[
        described(InvoiceStatus::Pending, "pending", "It is to be paid"),
        described(InvoiceStatus::Paid, "paid", "The amount is on the balance"),
        described(
            InvoiceStatus::Canceled,
            "canceled",
            "It is not to be paid. No transition leads here: only data from elsewhere has it",
        ),
    ];
    const EVENTS: &'static [Described<InvoiceEvent>] =
        &[described(InvoiceEvent::Pay, "pay", "Staff confirm the payment")];
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
    fn every_event_in_every_state() {
        use InvoiceEvent as E;
        use InvoiceStatus as S;
        assert_table::<Invoices>(|state, event| match event {
            E::Pay => (state == S::Pending).then_some(S::Paid),
        });
    }
}
