//! The actions on records as data: their texts, their input, and whether the panel can undo them.
//!
//! Whether a record allows an action is decided by the server (`actions.*`), never here.

use panel_contract::combo_orders::ComboActions;
use panel_contract::free_trials::FreeTrialActions;
use panel_contract::orders::OrderActions;
use panel_contract::withdrawals::WithdrawalActions;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Verb {
    /// Approves an order in moderation.
    Approve,
    /// Rejects an order in moderation.
    Reject,
    /// Cancels an order, with or without a refund.
    Cancel,
    /// No more is sent until it is activated.
    Pause,
    Activate,
    Complete,
    /// Approves a withdrawal for payout.
    ApproveWithdrawal,
    /// Rejects a withdrawal and returns its money.
    RejectWithdrawal,
    /// Marks a withdrawal as paid.
    PayWithdrawal,
    /// Approves a combo order and its orders.
    ApproveCombo,
    /// Rejects a combo order; its orders are canceled and refunded.
    RejectCombo,
    /// Completes a combo order and its orders.
    CompleteCombo,
    /// Approves a free-trial request, which becomes a free order.
    ApproveTrial,
    /// Rejects a free-trial request.
    RejectTrial,
    /// Restores the records of an earlier action of the session; not in the action menu.
    Undo,
}

/// A text input of a verb.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct VerbInput {
    pub label: &'static str,
    /// The error while the text is empty; `None` where it is optional.
    pub required_message: Option<&'static str>,
    /// The placeholder of the empty input.
    pub placeholder: &'static str,
    /// Whether it is a whole number, which applies to exactly one record.
    pub is_number: bool,
    /// Whether each change of the text requests a new preview.
    pub is_previewed: bool,
}

/// The texts of a verb.
#[derive(Debug, Clone, Copy)]
pub struct VerbTexts {
    /// The infinitive: `approve`.
    pub verb: &'static str,
    /// The past participle: `approved`.
    pub done: &'static str,
    /// The present participle: `approving`.
    pub doing: &'static str,
    /// The effect of the action, for the dialog.
    pub effect: &'static str,
    /// Whether the panel can undo it, as far as it is known before the run.
    pub undoable: bool,
}

impl Verb {
    /// All verbs in menu order.
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

    /// The input of the verb, if it has one.
    #[must_use]
    pub const fn verb_input(self) -> Option<VerbInput> {
        match self {
            Self::RejectWithdrawal => Some(VerbInput {
                label: "Reason",
                required_message: Some("Enter the reason. The customer sees it."),
                placeholder: "_",
                is_number: false,
                is_previewed: false,
            }),
            Self::PayWithdrawal => Some(VerbInput {
                label: "Transaction",
                required_message: Some("Enter the transaction number of the payout."),
                placeholder: "_",
                is_number: false,
                is_previewed: true,
            }),
            Self::ApproveTrial => Some(VerbInput {
                label: "Quantity",
                required_message: None,
                placeholder: "quest quantity",
                is_number: true,
                is_previewed: true,
            }),
            _ => None,
        }
    }

    /// Whether the verb applies to exactly one record.
    #[must_use]
    pub const fn is_for_one(self) -> bool {
        matches!(self, Self::PayWithdrawal)
    }

    #[must_use]
    pub const fn texts(self) -> VerbTexts {
        let (verb, done, doing, effect, undoable) = match self {
            Self::Approve => (
                "approve",
                "approved",
                "approving",
                "Approved orders go to the providers. Press z to undo until they are sent.",
                true,
            ),
            Self::Reject => (
                "reject",
                "rejected",
                "rejecting",
                "Rejected orders stop without a refund. Press z to undo.",
                true,
            ),
            Self::Cancel => ("cancel", "canceled", "canceling", "This cannot be undone.", false),
            Self::Pause => (
                "pause",
                "paused",
                "pausing",
                "No more is sent; providers may still deliver what they have. Press z to undo.",
                true,
            ),
            Self::Activate => (
                "activate",
                "activated",
                "activating",
                "The orders continue. Charges for unpaid orders cannot be undone. Press z to undo the rest.",
                true,
            ),
            Self::Complete => ("complete", "completed", "completing", "This cannot be undone.", false),
            Self::ApproveWithdrawal => (
                "approve",
                "approved",
                "approving",
                "The money stays held until the payout. Rejecting returns it.",
                false,
            ),
            Self::RejectWithdrawal => (
                "reject",
                "rejected",
                "rejecting",
                "The money returns to the balance. This cannot be undone.",
                false,
            ),
            Self::PayWithdrawal => (
                "mark as paid",
                "marked as paid",
                "marking as paid",
                "Send the money first: this only records the payout. This cannot be undone.",
                false,
            ),
            Self::ApproveCombo => (
                "approve",
                "approved",
                "approving",
                "Their orders are approved too. This cannot be undone.",
                false,
            ),
            Self::RejectCombo => (
                "reject",
                "rejected",
                "rejecting",
                "Their orders are canceled and refunded. This cannot be undone.",
                false,
            ),
            Self::CompleteCombo => (
                "complete",
                "completed",
                "completing",
                "Their orders are completed too. This cannot be undone.",
                false,
            ),
            Self::ApproveTrial => (
                "approve",
                "approved",
                "approving",
                "Each request becomes a free order. This cannot be undone.",
                false,
            ),
            Self::RejectTrial => ("reject", "rejected", "rejecting", "This cannot be undone.", false),
            Self::Undo => {
                ("undo", "restored", "undoing", "The records return to their previous state.", true)
            }
        };
        VerbTexts { verb, done, doing, effect, undoable }
    }
}

/// The verbs that a record allows now, as a bit set.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct AllowedVerbs(u16);

impl AllowedVerbs {
    #[must_use]
    pub fn of(verbs: impl IntoIterator<Item = (Verb, bool)>) -> Self {
        Self(verbs.into_iter().filter(|(_, may)| *may).fold(0, |bits, (verb, _)| bits | 1 << verb as u16))
    }

    /// Whether the verb is allowed.
    #[must_use]
    pub fn has(self, verb: Verb) -> bool {
        self.0 & (1 << verb as u16) != 0
    }

    pub fn verbs(self) -> impl Iterator<Item = Verb> {
        Verb::ALL.iter().copied().filter(move |verb| self.has(*verb))
    }
}

impl From<OrderActions> for AllowedVerbs {
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

impl From<ComboActions> for AllowedVerbs {
    fn from(actions: ComboActions) -> Self {
        Self::of([
            (Verb::ApproveCombo, actions.approvable),
            (Verb::RejectCombo, actions.rejectable),
            (Verb::CompleteCombo, actions.completable),
        ])
    }
}

impl From<FreeTrialActions> for AllowedVerbs {
    fn from(actions: FreeTrialActions) -> Self {
        Self::of([(Verb::ApproveTrial, actions.approvable), (Verb::RejectTrial, actions.rejectable)])
    }
}

impl From<WithdrawalActions> for AllowedVerbs {
    fn from(actions: WithdrawalActions) -> Self {
        Self::of([
            (Verb::ApproveWithdrawal, actions.approve),
            (Verb::RejectWithdrawal, actions.reject),
            (Verb::PayWithdrawal, actions.paid),
        ])
    }
}
