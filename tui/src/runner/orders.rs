//! Calls for orders.

use panel_client::bulk::action::Action;
use panel_client::{Client, Error, Result};
use panel_contract::endpoint::{EmptyBody, EmptyQuery};
use panel_contract::endpoints::orders as api;
use panel_contract::ids::RecordId;
use panel_contract::orders::{BulkCancelInput, CancelInput, CancelReason, OrderIds};

use crate::model::detail::Detail;
use crate::model::orders::detail as sections;
use crate::model::run::{CancelOptions, Outcome, Run};
use crate::model::verb::Verb;
use crate::text::sanitize;

/// Loads one order.
pub(crate) async fn detail(client: &Client, id: RecordId) -> Result<Box<Detail>> {
    let order = client.get_order(id.typed_as(), &EmptyQuery {}, &EmptyBody {}).await?.data;
    Ok(Box::new(sections(&order)))
}

/// Loads the cancel reasons with their labels, without the reasons that this version does not know.
pub(crate) async fn reasons(client: &Client) -> Result<Vec<(CancelReason, String)>> {
    let choices = client.cancel_reasons((), &EmptyQuery {}, &EmptyBody {}).await?;
    let known =
        |choice: panel_contract::common::Choice| Some((choice.kind.parse().ok()?, sanitize(&choice.label)));
    Ok(choices.into_iter().filter_map(known).collect())
}

/// A custom refund amount is possible for a single order only, through its own endpoint.
pub(super) fn cancel_with_amount(run: &Run) -> Option<(RecordId, CancelInput)> {
    let ([id], Some(cancel)) = (run.ids.as_slice(), &run.cancel) else { return None };
    cancel.amount?;
    let CancelOptions { return_money, amount, reason, description, email } = cancel.clone();
    let input = CancelInput {
        return_money,
        amount,
        cancel_reason: reason,
        cancel_description: description,
        send_email_notification: email,
    };
    Some((*id, input))
}

pub(super) fn cancel_outcome(id: RecordId, input: &CancelInput) -> Outcome {
    let refunded = input.amount.unwrap_or_default();
    Outcome { changed: vec![id], refunded, customers: 1, ..Outcome::default() }
}

/// The bulk action of a run.
pub(super) fn action(run: &Run) -> Result<Action> {
    const IDS: &str = "order_ids";
    let ids = OrderIds { order_ids: Vec::new() };
    match run.verb {
        Verb::Approve => Action::of::<api::ApproveOrders>(IDS, &ids),
        Verb::Reject => Action::of::<api::RejectOrders>(IDS, &ids),
        Verb::Pause => Action::of::<api::PauseOrders>(IDS, &ids),
        Verb::Activate => Action::of::<api::ActivateOrders>(IDS, &ids),
        Verb::Complete => Action::of::<api::CompleteOrders>(IDS, &ids),
        Verb::Cancel => {
            let cancel = run.cancel.clone().unwrap_or_else(crate::dialog::confirm::default_cancel);
            let input = BulkCancelInput {
                order_ids: Vec::new(),
                return_money: cancel.return_money,
                cancel_reason: cancel.reason,
                cancel_description: cancel.description,
                send_email_notification: cancel.email,
            };
            Action::of::<api::CancelOrders>(IDS, &input)
        }
        _ => Err(Error::Setup("This action does not apply to orders.".into())),
    }
}
