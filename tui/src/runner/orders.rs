//! Requests for orders.

use panel_client::bulk::action::BulkAction;
use panel_client::{Client, Error, Result};
use panel_contract::endpoint::{EmptyBody, EmptyQuery};
use panel_contract::endpoints::orders as api;
use panel_contract::ids::RecordId;
use panel_contract::orders::{BulkCancelInput, CancelInput, CancelReason, OrderIds};

use crate::model::detail::Detail;
use crate::model::orders::to_detail;
use crate::model::record_action::RecordAction;
use crate::model::run::{CancelOptions, Outcome, Run};
use crate::text::sanitize;

pub(crate) async fn load_detail(client: &Client, id: RecordId) -> Result<Box<Detail>> {
    let order = client.get_order(id.typed_as(), &EmptyQuery {}, &EmptyBody {}).await?.data;
    Ok(Box::new(to_detail(&order)))
}

/// Loads the cancel reasons with their labels. Omits reasons of a newer server that this version does not know.
pub(crate) async fn load_cancel_reasons(client: &Client) -> Result<Vec<(CancelReason, String)>> {
    let choices = client.cancel_reasons((), &EmptyQuery {}, &EmptyBody {}).await?;
    let to_reason =
        |choice: panel_contract::common::Choice| Some((choice.kind.parse().ok()?, sanitize(&choice.label)));
    Ok(choices.into_iter().filter_map(to_reason).collect())
}

/// The input to cancel a single order with a custom refund amount, which has its own endpoint; `None` for other runs.
pub(super) fn custom_refund_cancel(run: &Run) -> Option<(RecordId, CancelInput)> {
    let ([id], Some(cancel)) = (run.ids.as_slice(), &run.cancel) else { return None };
    cancel.amount?;
    let CancelOptions { return_money, amount, reason, description, sends_email } = cancel.clone();
    let input = CancelInput {
        return_money,
        amount,
        cancel_reason: reason,
        cancel_description: description,
        send_email_notification: sends_email,
    };
    Some((*id, input))
}

pub(super) fn build_cancel_outcome(id: RecordId, input: &CancelInput) -> Outcome {
    let refunded = input.amount.unwrap_or_default();
    Outcome { changed: vec![id], refunded, customer_count: 1, ..Outcome::default() }
}

/// Builds the bulk action of a run.
pub(super) fn build_bulk_action(run: &Run) -> Result<BulkAction> {
    const IDS: &str = "order_ids";
    let ids = OrderIds { order_ids: Vec::new() };
    match run.action {
        RecordAction::Approve => BulkAction::bulk::<api::ApproveOrders>(IDS, &ids),
        RecordAction::Reject => BulkAction::bulk::<api::RejectOrders>(IDS, &ids),
        RecordAction::Pause => BulkAction::bulk::<api::PauseOrders>(IDS, &ids),
        RecordAction::Activate => BulkAction::bulk::<api::ActivateOrders>(IDS, &ids),
        RecordAction::Complete => BulkAction::bulk::<api::CompleteOrders>(IDS, &ids),
        RecordAction::Cancel => {
            let cancel = run.cancel.clone().unwrap_or_else(crate::dialog::confirm::default_cancel_options);
            let input = BulkCancelInput {
                order_ids: Vec::new(),
                return_money: cancel.return_money,
                cancel_reason: cancel.reason,
                cancel_description: cancel.description,
                send_email_notification: cancel.sends_email,
            };
            BulkAction::bulk::<api::CancelOrders>(IDS, &input)
        }
        _ => Err(Error::Setup("This action does not apply to orders.".into())),
    }
}
