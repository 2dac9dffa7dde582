//! Rules of the actions of staff on orders, by the transition table of `crate::states::orders`. The same table determines the field
//! `actions` in the API, so that a button is shown exactly if its endpoint accepts the action. Pure functions.

use panel_contract::amount::{Fraction, Money};
use panel_contract::common::ProviderMargin;
use panel_contract::ids::OrderId;
use panel_contract::orders::{
    Approval, CancelInput, CancelReason, ChangeProviderInput, OrderActions, OrderStatus,
};
use panel_contract::permission::Permission;
use panel_kernel::rejection::Rejection;

use crate::state_machine::next_state;
use crate::states::orders::{OrderEvent, OrderState, Orders};

/// Maximum length of a reason or of the description of a cancellation, in characters.
const MAX_DESCRIPTION_CHARS: usize = 2_000;
/// Maximum number of orders in one bulk action.
pub const MAX_IDS: usize = 10_000;

/// An action of staff on an order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OrderAction {
    /// Approves the order in moderation.
    Approve,
    /// Rejects the order in moderation, without a refund. Only [`Self::Cancel`] refunds the charge.
    Reject,
    /// Resumes a stopped order, or charges an unpaid order.
    Activate,
    /// Stops the order until staff activate it again.
    Pause,
    /// Completes the order, even if units are undelivered.
    Complete,
    /// Cancels the order, with or without a refund.
    Cancel,
    /// Changes the link, the comment or the refill flags.
    Edit,
    /// Moves the order to another provider.
    ChangeProvider,
}

pub const ACTIONS: [OrderAction; 8] = [
    OrderAction::Approve,
    OrderAction::Reject,
    OrderAction::Activate,
    OrderAction::Pause,
    OrderAction::Complete,
    OrderAction::Cancel,
    OrderAction::Edit,
    OrderAction::ChangeProvider,
];

impl OrderAction {
    /// The verb for messages.
    #[must_use]
    pub const fn verb(self) -> &'static str {
        match self {
            Self::Approve => "approve",
            Self::Reject => "reject",
            Self::Activate => "activate",
            Self::Pause => "pause",
            Self::Complete => "complete",
            Self::Cancel => "cancel",
            Self::Edit => "edit",
            Self::ChangeProvider => "change the provider of",
        }
    }

    /// The audit event, such as `order.approved`.
    #[must_use]
    pub const fn event(self) -> &'static str {
        match self {
            Self::Approve => "order.approved",
            Self::Reject => "order.rejected",
            Self::Activate => "order.activated",
            Self::Pause => "order.paused",
            Self::Complete => "order.completed",
            Self::Cancel => "order.canceled",
            Self::Edit => "order.edited",
            Self::ChangeProvider => "order.provider_changed",
        }
    }

    const fn rejection_code(self) -> &'static str {
        match self {
            Self::Approve => "order_not_approvable",
            Self::Reject => "order_not_rejectable",
            Self::Activate => "order_not_activable",
            Self::Pause => "order_not_pausable",
            Self::Complete => "order_not_completable",
            Self::Cancel => "order_not_cancelable",
            Self::Edit | Self::ChangeProvider => "order_not_editable",
        }
    }
}

/// The state of an order, as far as the rules need it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OrderSnapshot {
    pub status: OrderStatus,
    /// Decision of staff in moderation; `None` if the order needs no moderation.
    pub approval: Option<Approval>,
    /// Whether the service or the cost requires moderation.
    pub requires_moderation: bool,
    /// Whether the customer can be charged, because they are neither frozen nor deactivated.
    pub customer_is_active: bool,
}

/// The new values of an order after an action.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OrderChange {
    pub status: OrderStatus,
    /// New decision of staff in moderation; `None` if the order needs no moderation.
    pub approval: Option<Approval>,
    /// Whether the customer is charged.
    pub charges: bool,
}

/// Returns the changes of an order by an action. If the transition table does not allow the action, the rejection contains the
/// current status and the allowed actions.
pub fn plan_change(action: OrderAction, state: OrderSnapshot) -> Result<OrderChange, Rejection> {
    allowed_change(action, state).ok_or_else(|| rejection(action, state))
}

fn allowed_change(action: OrderAction, state: OrderSnapshot) -> Option<OrderChange> {
    let from = OrderState::of(state.status, state.approval);
    let event = find_event(action, state)?;
    let to = next_state::<Orders>(from, event)?;
    let approval = match event {
        OrderEvent::Approve => Some(Approval::Approved),
        OrderEvent::Reject => Some(Approval::Rejected),
        OrderEvent::ChargeForModeration => Some(Approval::Pending),
        _ => state.approval,
    };
    let charges = matches!(event, OrderEvent::Charge | OrderEvent::ChargeForModeration);
    Some(OrderChange { status: to.status(), approval, charges })
}

/// The event of the transition table for an action; `None` if the customer cannot be charged.
fn find_event(action: OrderAction, state: OrderSnapshot) -> Option<OrderEvent> {
    Some(match action {
        OrderAction::Approve => OrderEvent::Approve,
        OrderAction::Reject => OrderEvent::Reject,
        OrderAction::Activate if state.status != OrderStatus::Unpaid => OrderEvent::Activate,
        OrderAction::Activate if !state.customer_is_active => return None,
        OrderAction::Activate if state.requires_moderation => OrderEvent::ChargeForModeration,
        OrderAction::Activate => OrderEvent::Charge,
        OrderAction::Pause => OrderEvent::Pause,
        OrderAction::Complete => OrderEvent::Complete,
        OrderAction::Cancel => OrderEvent::Cancel,
        OrderAction::Edit => OrderEvent::Edit,
        OrderAction::ChangeProvider => OrderEvent::ChangeProvider,
    })
}

/// Whether an action on an order with the status `from` can be undone. A charge, a completion and a cancellation cannot be undone.
#[must_use]
pub fn is_undoable(action: OrderAction, from: OrderStatus) -> bool {
    match action {
        OrderAction::Approve | OrderAction::Reject | OrderAction::Pause => true,
        OrderAction::Activate => from == OrderStatus::Stopped,
        OrderAction::Complete | OrderAction::Cancel | OrderAction::Edit | OrderAction::ChangeProvider => {
            false
        }
    }
}

/// Whether the transition table allows the action.
#[must_use]
pub fn is_action_allowed(action: OrderAction, state: OrderSnapshot) -> bool {
    allowed_change(action, state).is_some()
}

/// Checks that the refill flags may change: while the order is editable, and after its completion, because that is when refills are
/// requested.
pub fn check_refill_flags_editable(state: OrderSnapshot) -> Result<(), Rejection> {
    match state.status {
        OrderStatus::Completed => Ok(()),
        _ => plan_change(OrderAction::Edit, state).map(|_| ()),
    }
}

/// Checks that a refill can be requested, which is only possible for a completed order with refills.
pub fn check_refillable(status: OrderStatus, has_refill: bool) -> Result<(), Rejection> {
    if status != OrderStatus::Completed {
        let message = "Only a completed order can be refilled. Wait until it is completed.";
        return Err(Rejection::conflict("order_not_refillable", message));
    }
    if !has_refill {
        let message = "This order has no refills. Allow refills first.";
        return Err(Rejection::conflict("order_without_refill", message));
    }
    Ok(())
}

/// Checks that a provider can have delivered units of the order, which is required before staff can record a delivery.
pub fn check_delivery_bookable(status: OrderStatus) -> Result<(), Rejection> {
    match status {
        OrderStatus::Unpaid | OrderStatus::InModeration => Err(Rejection::conflict(
            "order_not_started",
            "No provider has worked on this order yet: it is unpaid or in moderation.",
        )),
        _ => Ok(()),
    }
}

/// The field `actions` of an order. `has_refill` is the flag of the order, and `has_permission` returns whether the caller has a
/// permission.
#[must_use]
pub fn actions(
    state: OrderSnapshot,
    has_refill: bool,
    has_permission: impl Fn(Permission) -> bool,
) -> OrderActions {
    let may_manage = has_permission(Permission::ManageOrders);
    let can = |action| may_manage && is_action_allowed(action, state);
    OrderActions {
        activable: can(OrderAction::Activate),
        approvable: can(OrderAction::Approve),
        cancelable: can(OrderAction::Cancel),
        completable: can(OrderAction::Complete),
        editable: can(OrderAction::Edit),
        pausable: can(OrderAction::Pause),
        provider_changeable: can(OrderAction::ChangeProvider),
        rejectable: can(OrderAction::Reject),
        refill_switchable: may_manage && check_refill_flags_editable(state).is_ok(),
        refillable: may_manage && check_refillable(state.status, has_refill).is_ok(),
        delivery_bookable: has_permission(Permission::ManageServicesAndProviders)
            && check_delivery_bookable(state.status).is_ok(),
    }
}

fn rejection(action: OrderAction, state: OrderSnapshot) -> Rejection {
    if (action, state.status) == (OrderAction::Activate, OrderStatus::Unpaid) {
        let message = "The customer is not active and cannot be charged. Activate the customer first.";
        return Rejection::conflict("user_not_active", message);
    }
    let allowed_verbs: Vec<&str> =
        ACTIONS.into_iter().filter(|other| is_action_allowed(*other, state)).map(OrderAction::verb).collect();
    let status = state.status.as_str().replace('_', " ");
    let rejection_note = if state.approval == Some(Approval::Rejected) { " and was rejected" } else { "" };
    let advice = match allowed_verbs.as_slice() {
        [] => "this status is final".to_owned(),
        _ => format!("allowed actions: {}", allowed_verbs.join(", ")),
    };
    let message =
        format!("You cannot {} an order that is {status}{rejection_note}; {advice}.", action.verb());
    Rejection::conflict(action.rejection_code(), message)
}

/// Checks that the request has an amount only together with a refund.
pub fn check_cancel_amount(input: &CancelInput) -> Result<(), Rejection> {
    if input.amount.is_some() && !input.return_money {
        return Err(Rejection::invalid(
            "amount",
            "amount_without_return",
            "An amount requires return_money. Set return_money, or omit the amount.",
        ));
    }
    Ok(())
}

/// Checks the description of the reason for a cancellation, which is required for the reason `other`.
pub fn check_cancel_reason(input: &CancelInput) -> Result<(), Rejection> {
    let description = input.cancel_description.as_deref().unwrap_or_default().trim();
    if input.cancel_reason == Some(CancelReason::Other) && description.is_empty() {
        return Err(Rejection::invalid(
            "cancel_description",
            "description_required",
            "Describe the reason. The reason \"other\" requires a description.",
        ));
    }
    if description.chars().count() > MAX_DESCRIPTION_CHARS {
        let message = format!("Use at most {MAX_DESCRIPTION_CHARS} characters.");
        return Err(Rejection::invalid("cancel_description", "description_too_long", message));
    }
    Ok(())
}

/// Maximum quantity that staff may order from another provider without a reason: the undelivered units minus the pending units,
/// which an earlier provider will still deliver because it did not accept the cancellation.
#[must_use]
pub fn max_quantity_to_order(quantity: i64, delivered: i64, pending: i64) -> i64 {
    quantity.saturating_sub(delivered).saturating_sub(pending).max(0)
}

/// Checks the input of a change of provider, except for the orders, and returns the trimmed reason. A dry run does not require a
/// reason.
pub fn check_provider_change(
    input: &ChangeProviderInput,
    dry_run: bool,
) -> Result<Option<String>, Rejection> {
    if input.quantity.is_some_and(|quantity| quantity < 1) {
        let message = "Enter at least 1, or omit the quantity to order all undelivered units.";
        return Err(Rejection::invalid("quantity", "quantity_not_positive", message));
    }
    let reason = input.reason.as_deref().map(str::trim).filter(|reason| !reason.is_empty());
    if input.allow_excess && reason.is_none() && !dry_run {
        let message =
            "Enter the reason for ordering more than the undelivered units. The audit log stores the reason.";
        return Err(Rejection::invalid("reason", "reason_required", message));
    }
    if reason.is_some_and(|reason| reason.chars().count() > MAX_DESCRIPTION_CHARS) {
        let message = format!("Use at most {MAX_DESCRIPTION_CHARS} characters for the reason.");
        return Err(Rejection::invalid("reason", "reason_too_long", message));
    }
    Ok(reason.map(str::to_owned))
}

/// The quantity to order from another provider.
pub fn quantity_to_order(input: &ChangeProviderInput, max: i64) -> Result<i64, Rejection> {
    match input.quantity {
        None if max == 0 => Err(Rejection::conflict(
            "order_delivered",
            "All units of this order are delivered. To order more, send a quantity, allow_excess and a reason.",
        )),
        None => Ok(max),
        Some(quantity) if quantity > max && !input.allow_excess => Err(Rejection::invalid(
            "quantity",
            "quantity_above_missing",
            format!(
                "Only {max} units are undelivered. Order at most {max}, or set allow_excess and enter a reason."
            ),
        )),
        Some(quantity) => Ok(quantity),
    }
}

/// The cost of a quantity at a price for `per` units, rounded up; `None` if the cost does not fit into 64 bits.
#[must_use]
pub fn calculate_provider_cost(quantity: i64, price: Money, per: i64) -> Option<Money> {
    let (product, divisor) = (i128::from(quantity) * i128::from(price.0), i128::from(per.max(1)));
    i64::try_from((product + divisor - 1) / divisor).ok().map(Money)
}

/// The margin of an order: `revenue`, which is the charge minus refunds, minus `charged`, which providers have charged already,
/// minus `provider_cost`, which the next provider will charge.
#[must_use]
pub fn calculate_margin(revenue: Money, charged: Money, provider_cost: Money) -> ProviderMargin {
    let margin = revenue.0.saturating_sub(charged.0).saturating_sub(provider_cost.0);
    let margin_ppm = (revenue.0 > 0)
        .then(|| (i128::from(margin) * 1_000_000).div_euclid(i128::from(revenue.0)))
        .and_then(|ppm| i64::try_from(ppm).ok());
    ProviderMargin { provider_cost, margin: Money(margin), margin_fraction: margin_ppm.map(Fraction) }
}

/// Checks that a bulk action has 1 to 10,000 ids. Returns the ids without duplicates, in their order.
pub fn check_ids(ids: &[OrderId]) -> Result<Vec<OrderId>, Rejection> {
    if ids.is_empty() || ids.len() > MAX_IDS {
        let message = format!("Send 1 to {MAX_IDS} order ids instead of {}.", ids.len());
        return Err(Rejection::invalid("order_ids", "ids_out_of_bounds", message));
    }
    let mut previous_ids = std::collections::HashSet::with_capacity(ids.len());
    Ok(ids.iter().copied().filter(|id| previous_ids.insert(*id)).collect())
}

#[cfg(test)]
mod tests {
    use panel_contract::ids::ProviderId;

    use super::*;

    const APPROVALS: [Option<Approval>; 4] =
        [None, Some(Approval::Pending), Some(Approval::Approved), Some(Approval::Rejected)];

    /// An independent second implementation of the transition table.
    fn allowed(action: OrderAction, status: OrderStatus, rejected: bool) -> bool {
        use OrderStatus::{Canceled, Completed, InModeration, InProcessing, Stopped, Unpaid};
        match action {
            OrderAction::Approve => status == InModeration || (status == Stopped && rejected),
            OrderAction::Reject => status == InModeration,
            OrderAction::Activate => (status == Stopped && !rejected) || status == Unpaid,
            OrderAction::Pause => status == InProcessing,
            OrderAction::Complete => status == InProcessing || (status == Stopped && !rejected),
            OrderAction::Cancel | OrderAction::Edit => !matches!(status, Completed | Canceled),
            OrderAction::ChangeProvider => matches!(status, InProcessing | Stopped),
        }
    }

    #[test]
    fn allows_each_action_only_in_its_states() {
        for action in ACTIONS {
            for status in OrderStatus::ALL {
                for approval in APPROVALS {
                    for (requires_moderation, customer_is_active) in
                        [(false, true), (true, true), (false, false), (true, false)]
                    {
                        let state = OrderSnapshot {
                            status: *status,
                            approval,
                            requires_moderation,
                            customer_is_active,
                        };
                        let charges = action == OrderAction::Activate && *status == OrderStatus::Unpaid;
                        let expected = allowed(action, *status, approval == Some(Approval::Rejected))
                            && (customer_is_active || !charges);
                        assert_eq!(is_action_allowed(action, state), expected, "{action:?} {state:?}");
                    }
                }
            }
        }
    }

    #[test]
    fn an_unpaid_order_is_charged_and_may_wait_for_moderation() {
        let state = OrderSnapshot {
            status: OrderStatus::Unpaid,
            approval: None,
            requires_moderation: true,
            customer_is_active: true,
        };
        let change = plan_change(OrderAction::Activate, state).unwrap();
        assert_eq!(
            (change.status, change.approval, change.charges),
            (OrderStatus::InModeration, Some(Approval::Pending), true)
        );
        let change =
            plan_change(OrderAction::Activate, OrderSnapshot { requires_moderation: false, ..state })
                .unwrap();
        assert_eq!((change.status, change.charges), (OrderStatus::InProcessing, true));
    }

    #[test]
    fn a_rejection_names_the_allowed_actions() {
        let state = OrderSnapshot {
            status: OrderStatus::Completed,
            approval: None,
            requires_moderation: false,
            customer_is_active: true,
        };
        let rejection = plan_change(OrderAction::Cancel, state).unwrap_err();
        assert_eq!(rejection.code, "order_not_cancelable");
        assert_eq!(rejection.message, "You cannot cancel an order that is completed; this status is final.");
        let state = OrderSnapshot { status: OrderStatus::InModeration, ..state };
        let rejection = plan_change(OrderAction::Pause, state).unwrap_err();
        assert_eq!(
            rejection.message,
            "You cannot pause an order that is in moderation; allowed actions: approve, reject, cancel, edit."
        );
    }

    #[test]
    fn actions_require_the_permission() {
        let state = OrderSnapshot {
            status: OrderStatus::InModeration,
            approval: None,
            requires_moderation: false,
            customer_is_active: true,
        };
        assert_eq!(actions(state, true, |_| false), OrderActions::default());
        assert!(actions(state, true, |_| true).approvable);
        for status in OrderStatus::ALL {
            let state = OrderSnapshot { status: *status, ..state };
            let expected = matches!(status, OrderStatus::InProcessing | OrderStatus::Stopped);
            assert_eq!(actions(state, true, |_| true).provider_changeable, expected, "{status}");
        }
    }

    #[test]
    fn actions_contain_refills_and_deliveries_only_if_they_are_allowed() {
        use OrderStatus::{Canceled, Completed, InModeration, Unpaid};
        for status in OrderStatus::ALL {
            let state = OrderSnapshot {
                status: *status,
                approval: None,
                requires_moderation: false,
                customer_is_active: true,
            };
            let allowed_actions = |has_refill| {
                let actions = actions(state, has_refill, |_| true);
                (actions.refill_switchable, actions.refillable, actions.delivery_bookable)
            };
            let (switchable, completed) = (*status != Canceled, *status == Completed);
            let bookable = !matches!(status, Unpaid | InModeration);
            assert_eq!(allowed_actions(true), (switchable, completed, bookable), "{status}");
            assert_eq!(allowed_actions(false), (switchable, false, bookable), "{status}");
        }
        assert_eq!(check_refillable(Unpaid, false).unwrap_err().code, "order_not_refillable");
        assert_eq!(check_refillable(Completed, false).unwrap_err().code, "order_without_refill");
        assert_eq!(check_delivery_bookable(Unpaid).unwrap_err().code, "order_not_started");
    }

    #[test]
    fn recording_a_delivery_requires_the_permission_for_providers() {
        let state = OrderSnapshot {
            status: OrderStatus::Completed,
            approval: None,
            requires_moderation: false,
            customer_is_active: true,
        };
        let with_manage_orders = actions(state, true, |permission| permission == Permission::ManageOrders);
        assert_eq!((with_manage_orders.refillable, with_manage_orders.delivery_bookable), (true, false));
        let with_manage_providers =
            actions(state, true, |permission| permission == Permission::ManageServicesAndProviders);
        assert_eq!(
            with_manage_providers,
            OrderActions { delivery_bookable: true, ..OrderActions::default() }
        );
    }

    #[test]
    fn removes_duplicate_ids_and_limits_their_number() {
        assert_eq!(check_ids(&[3, 1, 3, 2].map(OrderId::new)).unwrap(), [3, 1, 2].map(OrderId::new));
        assert!(check_ids(&[]).is_err() && check_ids(&vec![OrderId::new(1); MAX_IDS + 1]).is_err());
    }

    #[test]
    fn ordering_more_than_the_undelivered_units_requires_a_reason() {
        assert_eq!(max_quantity_to_order(30, 10, 5), 15);
        assert_eq!((max_quantity_to_order(30, 30, 0), max_quantity_to_order(30, 40, 0)), (0, 0));
        let input = |quantity, allow_excess| ChangeProviderInput {
            provider_id: ProviderId::new(1),
            order_ids: vec![OrderId::new(1)],
            quantity,
            allow_excess,
            reason: None,
            confirm_negative_margin: false,
        };
        let quantity_result = |quantity, allow_excess, max| {
            quantity_to_order(&input(quantity, allow_excess), max).map_err(|rejection| rejection.code)
        };
        assert_eq!(quantity_result(None, false, 15), Ok(15));
        assert_eq!(quantity_result(None, true, 0), Err("order_delivered"));
        assert_eq!(quantity_result(Some(15), false, 15), Ok(15));
        assert_eq!(quantity_result(Some(16), false, 15), Err("quantity_above_missing"));
        assert_eq!(quantity_result(Some(600), true, 0), Ok(600));
        assert_eq!(
            check_provider_change(&input(Some(0), false), true).unwrap_err().code,
            "quantity_not_positive"
        );
        assert_eq!(check_provider_change(&input(Some(9), true), false).unwrap_err().code, "reason_required");
        assert_eq!(check_provider_change(&input(Some(9), true), true), Ok(None));
        let with_reason = ChangeProviderInput { reason: Some(" drops ".into()), ..input(Some(9), true) };
        assert_eq!(check_provider_change(&with_reason, false).unwrap().as_deref(), Some("drops"));
    }

    #[test]
    fn the_margin_is_the_charge_minus_provider_costs() {
        assert_eq!(calculate_provider_cost(1_500, Money(1_000_001), 1_000), Some(Money(1_500_002)));
        assert_eq!(calculate_provider_cost(i64::MAX, Money(i64::MAX), 1), None);
        let profit = calculate_margin(Money(8_000_000), Money(1_000_000), Money(3_000_000));
        assert_eq!((profit.margin, profit.margin_fraction), (Money(4_000_000), Some(Fraction(500_000))));
        let loss = calculate_margin(Money(1_000_000), Money(0), Money(3_000_000));
        assert_eq!((loss.margin, loss.margin_fraction), (Money(-2_000_000), Some(Fraction(-2_000_000))));
        assert_eq!(calculate_margin(Money(0), Money(0), Money(1)).margin_fraction, None);
    }

    #[test]
    fn a_cancellation_requires_a_valid_amount_and_reason() {
        let error_code = |input: CancelInput| {
            check_cancel_amount(&input).and(check_cancel_reason(&input)).unwrap_err().code
        };
        assert_eq!(
            error_code(CancelInput { amount: Some(Money(1)), ..CancelInput::default() }),
            "amount_without_return"
        );
        assert_eq!(
            error_code(CancelInput { cancel_reason: Some(CancelReason::Other), ..CancelInput::default() }),
            "description_required"
        );
        let valid = CancelInput::default();
        assert!(check_cancel_amount(&valid).and(check_cancel_reason(&valid)).is_ok());
    }
}
