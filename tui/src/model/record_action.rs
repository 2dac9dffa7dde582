//! The actions on records as data: their texts, their input, and whether the server can undo them.
//!
//! The server decides whether a record allows an action (`actions.*`); this module must never decide it.

use panel_contract::combo_orders::ComboActions;
use panel_contract::free_trials::FreeTrialActions;
use panel_contract::orders::OrderActions;
use panel_contract::withdrawals::WithdrawalActions;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum RecordAction {
    /// Approves an order in moderation.
    Approve,
    /// Rejects an order in moderation.
    Reject,
    /// Cancels an order, with or without a refund.
    Cancel,
    /// Pauses an order: the server sends nothing more to its providers until it is activated.
    Pause,
    Activate,
    Complete,
    /// Approves a withdrawal for payout.
    ApproveWithdrawal,
    /// Rejects a withdrawal and returns its money.
    RejectWithdrawal,
    /// Marks a withdrawal as paid.
    MarkWithdrawalPaid,
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

/// A text input of an action.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ActionInput {
    pub label: &'static str,
    /// The error while the text is empty; `None` if the text is optional.
    pub required_message: Option<&'static str>,
    /// The placeholder of the empty input.
    pub placeholder: &'static str,
    /// Whether it is a whole number, which applies to exactly one record.
    pub is_number: bool,
    /// Whether each change of the text requests a new preview.
    pub is_previewed: bool,
}

/// The texts of an action.
#[derive(Debug, Clone, Copy)]
pub struct ActionTexts {
    /// The infinitive: `approve`.
    pub infinitive: &'static str,
    /// The past participle: `approved`.
    pub past_participle: &'static str,
    /// The present participle: `approving`.
    pub present_participle: &'static str,
    /// The effect of the action, for the dialog.
    pub effect: &'static str,
    /// Whether the server can undo the action, as far as the dashboard can know before the run.
    pub is_undoable: bool,
}

impl RecordAction {
    /// All actions in menu order, without [`RecordAction::Undo`].
    pub const ALL: &'static [Self] = &[
        Self::Approve,
        Self::Reject,
        Self::Cancel,
        Self::Pause,
        Self::Activate,
        Self::Complete,
        Self::ApproveWithdrawal,
        Self::RejectWithdrawal,
        Self::MarkWithdrawalPaid,
        Self::ApproveCombo,
        Self::RejectCombo,
        Self::CompleteCombo,
        Self::ApproveTrial,
        Self::RejectTrial,
    ];

    /// The input of the action, if it has one.
    #[must_use]
    pub const fn action_input(self) -> Option<ActionInput> {
        match self {
            Self::RejectWithdrawal => Some(ActionInput {
                label: "Reason",
                required_message: Some("Enter the reason. The customer sees it."),
                placeholder: "_",
                is_number: false,
                is_previewed: false,
            }),
            Self::MarkWithdrawalPaid => Some(ActionInput {
                label: "Transaction",
                required_message: Some("Enter the transaction number of the payout."),
                placeholder: "_",
                is_number: false,
                is_previewed: true,
            }),
            Self::ApproveTrial => Some(ActionInput {
                label: "Quantity",
                required_message: None,
                placeholder: "quest quantity",
                is_number: true,
                is_previewed: true,
            }),
            _ => None,
        }
    }

    /// Whether the action applies to only one record at a time.
    #[must_use]
    pub const fn is_single_record_only(self) -> bool {
        matches!(self, Self::MarkWithdrawalPaid)
    }

    #[must_use]
    pub const fn texts(self) -> ActionTexts {
        let (infinitive, past_participle, present_participle, effect, is_undoable) = match self {
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
                "The server sends nothing more to providers, which may still deliver earlier parts. Press z to undo.",
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
                "The money stays on hold until the payout. A rejection returns it.",
                false,
            ),
            Self::RejectWithdrawal => (
                "reject",
                "rejected",
                "rejecting",
                "The money returns to the balance. This cannot be undone.",
                false,
            ),
            Self::MarkWithdrawalPaid => (
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
                "All orders in them are approved too. This cannot be undone.",
                false,
            ),
            Self::RejectCombo => (
                "reject",
                "rejected",
                "rejecting",
                "All orders in them are canceled and refunded. This cannot be undone.",
                false,
            ),
            Self::CompleteCombo => (
                "complete",
                "completed",
                "completing",
                "All orders in them are completed too. This cannot be undone.",
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
        ActionTexts { infinitive, past_participle, present_participle, effect, is_undoable }
    }
}

/// The actions that a record allows now, as a bit set.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct AllowedActions(u16);

impl AllowedActions {
    #[must_use]
    pub fn from_flags(flags: impl IntoIterator<Item = (RecordAction, bool)>) -> Self {
        Self(
            flags
                .into_iter()
                .filter(|(_, is_allowed)| *is_allowed)
                .fold(0, |bits, (action, _)| bits | 1 << action as u16),
        )
    }

    #[must_use]
    pub fn allows(self, action: RecordAction) -> bool {
        self.0 & (1 << action as u16) != 0
    }

    pub fn actions(self) -> impl Iterator<Item = RecordAction> {
        RecordAction::ALL.iter().copied().filter(move |action| self.allows(*action))
    }
}

impl From<OrderActions> for AllowedActions {
    fn from(actions: OrderActions) -> Self {
        Self::from_flags([
            (RecordAction::Approve, actions.approvable),
            (RecordAction::Reject, actions.rejectable),
            (RecordAction::Cancel, actions.cancelable),
            (RecordAction::Pause, actions.pausable),
            (RecordAction::Activate, actions.activable),
            (RecordAction::Complete, actions.completable),
        ])
    }
}

impl From<ComboActions> for AllowedActions {
    fn from(actions: ComboActions) -> Self {
        Self::from_flags([
            (RecordAction::ApproveCombo, actions.approvable),
            (RecordAction::RejectCombo, actions.rejectable),
            (RecordAction::CompleteCombo, actions.completable),
        ])
    }
}

impl From<FreeTrialActions> for AllowedActions {
    fn from(actions: FreeTrialActions) -> Self {
        Self::from_flags([
            (RecordAction::ApproveTrial, actions.approvable),
            (RecordAction::RejectTrial, actions.rejectable),
        ])
    }
}

impl From<WithdrawalActions> for AllowedActions {
    fn from(actions: WithdrawalActions) -> Self {
        Self::from_flags([
            (RecordAction::ApproveWithdrawal, actions.approve),
            (RecordAction::RejectWithdrawal, actions.reject),
            (RecordAction::MarkWithdrawalPaid, actions.paid),
        ])
    }
}
