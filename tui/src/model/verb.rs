//! What staff can do to a record, as data: the words for sentences, and whether the panel can undo it.
//!
//! Whether a record allows it is the server's word (`actions.*`), never decided here.

use panel_contract::combo_orders::ComboActions;
use panel_contract::free_trials::FreeTrialActions;
use panel_contract::orders::OrderActions;
use panel_contract::withdrawals::WithdrawalActions;

/// An action on a record.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Verb {
    /// Moderation says yes.
    Approve,
    /// Moderation says no.
    Reject,
    /// Over, with or without money returned.
    Cancel,
    /// Stands still.
    Pause,
    /// Goes on.
    Activate,
    /// Done.
    Complete,
    /// A withdrawal may be paid out.
    ApproveWithdrawal,
    /// A withdrawal gets nothing; its money goes back.
    RejectWithdrawal,
    /// A withdrawal was paid out.
    PayWithdrawal,
    /// A package and its orders may go on.
    ApproveCombo,
    /// A package and its orders end; their money goes back.
    RejectCombo,
    /// A package and its orders are done.
    CompleteCombo,
    /// A request becomes an order that costs nothing.
    ApproveTrial,
    /// A request gets nothing.
    RejectTrial,
    /// Records are again as they were before an action of this session; no menu has it.
    Undo,
}

/// A text that a verb needs or takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Asked {
    /// Its label.
    pub label: &'static str,
    /// What to do while it is empty; none where it may stay so.
    pub missing: Option<&'static str>,
    /// What stands there while it is empty.
    pub empty: &'static str,
    /// A whole number, said of exactly one record.
    pub number: bool,
    /// The server's word on it is worth asking for as it is typed.
    pub judged: bool,
}

/// The words of a verb.
#[derive(Debug, Clone, Copy)]
pub struct Words {
    /// `approve`.
    pub verb: &'static str,
    /// `approved`.
    pub done: &'static str,
    /// `approving`.
    pub doing: &'static str,
    /// What happens, for the dialog.
    pub effect: &'static str,
    /// Whether the panel can undo it, as far as that is known before.
    pub undoable: bool,
}

impl Verb {
    /// All of them, in the order menus show them.
    pub const ALL: &'static [Self] = &[
        Self::Approve,
        Self::Reject,
        Self::Cancel,
        Self::Pause,
        Self::Activate,
        Self::Complete,
        Self::ApproveWithdrawal,
        Self::RejectWithdrawal,
        Self::PayWithdrawal,
        Self::ApproveCombo,
        Self::RejectCombo,
        Self::CompleteCombo,
        Self::ApproveTrial,
        Self::RejectTrial,
    ];

    /// The text that it needs or takes, if any.
    #[must_use]
    pub const fn asks(self) -> Option<Asked> {
        match self {
            Self::RejectWithdrawal => Some(Asked {
                label: "Reason",
                missing: Some("Write the reason: the customer reads it."),
                empty: "_",
                number: false,
                judged: false,
            }),
            Self::PayWithdrawal => Some(Asked {
                label: "Transaction",
                missing: Some("Write the number of the transfer that paid it."),
                empty: "_",
                number: false,
                judged: true,
            }),
            Self::ApproveTrial => Some(Asked {
                label: "Quantity",
                missing: None,
                empty: "what the quest gives",
                number: true,
                judged: true,
            }),
            _ => None,
        }
    }

    /// Whether it says something of exactly one record.
    #[must_use]
    pub const fn is_for_one(self) -> bool {
        matches!(self, Self::PayWithdrawal)
    }

    /// Its words.
    #[must_use]
    pub const fn words(self) -> Words {
        let (verb, done, doing, effect, undoable) = match self {
            Self::Approve => (
                "approve",
                "approved",
                "approving",
                "They go to the providers. z takes that back until they are sent.",
                true,
            ),
            Self::Reject => (
                "reject",
                "rejected",
                "rejecting",
                "They stop and the money stays. z returns them to moderation.",
                true,
            ),
            Self::Cancel => ("cancel", "canceled", "canceling", "Cannot be undone.", false),
            Self::Pause => (
                "pause",
                "paused",
                "pausing",
                "Nothing more is sent; what a provider already delivers may go on. z lets them run again.",
                true,
            ),
            Self::Activate => (
                "activate",
                "activated",
                "activating",
                "They go on; unpaid ones are charged, which cannot be undone. z stops the others again.",
                true,
            ),
            Self::Complete => ("complete", "completed", "completing", "Cannot be undone.", false),
            Self::ApproveWithdrawal => (
                "approve",
                "approved",
                "approving",
                "The money stays held until the payout. Rejecting gives it back.",
                false,
            ),
            Self::RejectWithdrawal => {
                ("reject", "rejected", "rejecting", "The money goes back. Cannot be undone.", false)
            }
            Self::PayWithdrawal => (
                "mark as paid",
                "marked as paid",
                "marking as paid",
                "Only once the money is on its way: this does not send it. Cannot be undone.",
                false,
            ),
            Self::ApproveCombo => (
                "approve",
                "approved",
                "approving",
                "Their orders are approved with them. Cannot be undone.",
                false,
            ),
            Self::RejectCombo => (
                "reject",
                "rejected",
                "rejecting",
                "Their orders are canceled and the money goes back. Cannot be undone.",
                false,
            ),
            Self::CompleteCombo => (
                "complete",
                "completed",
                "completing",
                "Their orders are completed with them. Cannot be undone.",
                false,
            ),
            Self::ApproveTrial => (
                "approve",
                "approved",
                "approving",
                "Each becomes an order that costs nothing. Cannot be undone.",
                false,
            ),
            Self::RejectTrial => ("reject", "rejected", "rejecting", "Cannot be undone.", false),
            Self::Undo => ("undo", "restored", "undoing", "They are again as they were.", true),
        };
        Words { verb, done, doing, effect, undoable }
    }
}

/// Which verbs a record allows now.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Allowed(u16);

impl Allowed {
    /// These.
    #[must_use]
    pub fn of(verbs: impl IntoIterator<Item = (Verb, bool)>) -> Self {
        Self(verbs.into_iter().filter(|(_, may)| *may).fold(0, |bits, (verb, _)| bits | 1 << verb as u16))
    }

    /// Whether it is among them.
    #[must_use]
    pub fn has(self, verb: Verb) -> bool {
        self.0 & (1 << verb as u16) != 0
    }

    /// The verbs.
    pub fn verbs(self) -> impl Iterator<Item = Verb> {
        Verb::ALL.iter().copied().filter(move |verb| self.has(*verb))
    }
}

impl From<OrderActions> for Allowed {
    fn from(actions: OrderActions) -> Self {
        Self::of([
            (Verb::Approve, actions.approvable),
            (Verb::Reject, actions.rejectable),
            (Verb::Cancel, actions.cancelable),
            (Verb::Pause, actions.pausable),
            (Verb::Activate, actions.activable),
            (Verb::Complete, actions.completable),
        ])
    }
}

impl From<ComboActions> for Allowed {
    fn from(actions: ComboActions) -> Self {
        Self::of([
            (Verb::ApproveCombo, actions.approvable),
            (Verb::RejectCombo, actions.rejectable),
            (Verb::CompleteCombo, actions.completable),
        ])
    }
}

impl From<FreeTrialActions> for Allowed {
    fn from(actions: FreeTrialActions) -> Self {
        Self::of([(Verb::ApproveTrial, actions.approvable), (Verb::RejectTrial, actions.rejectable)])
    }
}

impl From<WithdrawalActions> for Allowed {
    fn from(actions: WithdrawalActions) -> Self {
        Self::of([
            (Verb::ApproveWithdrawal, actions.approve),
            (Verb::RejectWithdrawal, actions.reject),
            (Verb::PayWithdrawal, actions.paid),
        ])
    }
}
