//! Requests for free trials and combo orders. The API has no bulk endpoint: each record needs its own request.

use panel_client::bulk::action::BulkAction;
use panel_client::{Client, Error, Result};
use panel_contract::endpoint::EmptyBody;
use panel_contract::endpoints::combo_orders::{ApproveComboOrder, CompleteComboOrder, RejectComboOrder};
use panel_contract::endpoints::free_trials::{ApproveFreeTrial, RejectFreeTrial};
use panel_contract::free_trials::ApproveFreeTrialInput;
use panel_contract::ids::RecordId;
use panel_contract::table::TableQuery;

use crate::model::detail::Detail;
use crate::model::record_action::RecordAction;
use crate::model::run::Run;
use crate::model::{combo_orders, free_trials};

pub(super) async fn load_free_trial(client: &Client, id: RecordId) -> Result<Box<Detail>> {
    let query = TableQuery::new().filter("id", id.to_string());
    let page = client.list_free_trials((), &query, &EmptyBody {}).await?;
    let detail = page.data.first().map(|trial| Box::new(free_trials::to_detail(trial)));
    detail.ok_or_else(|| Error::Setup(format!("There is no free-trial request {id}.")))
}

pub(super) async fn load_combo_order(client: &Client, id: RecordId) -> Result<Box<Detail>> {
    let query = TableQuery::new().filter("id", id.to_string());
    let page = client.list_combo_orders((), &query, &EmptyBody {}).await?;
    let detail = page.data.first().map(|combo| Box::new(combo_orders::to_detail(combo)));
    detail.ok_or_else(|| Error::Setup(format!("There is no combo order {id}.")))
}

pub(super) fn build_bulk_action(run: &Run) -> Result<BulkAction> {
    match run.action {
        RecordAction::ApproveCombo => BulkAction::per_id::<ApproveComboOrder>(&EmptyBody {}),
        RecordAction::RejectCombo => BulkAction::per_id::<RejectComboOrder>(&EmptyBody {}),
        RecordAction::CompleteCombo => BulkAction::per_id::<CompleteComboOrder>(&EmptyBody {}),
        RecordAction::ApproveTrial => BulkAction::per_id::<ApproveFreeTrial>(&ApproveFreeTrialInput {
            quantity: parse_quantity(run)?,
            ..ApproveFreeTrialInput::default()
        }),
        RecordAction::RejectTrial => BulkAction::per_id::<RejectFreeTrial>(&EmptyBody {}),
        _ => Err(Error::Setup("This action does not apply to free-trial requests or combo orders.".into())),
    }
}

/// Parses the quantity; `None` if the staff member left it empty.
fn parse_quantity(run: &Run) -> Result<Option<i64>> {
    let to_error =
        |_| Error::Setup("Enter a whole number, or leave it empty for the quest's quantity.".into());
    run.input_text.as_deref().map(|text| text.parse().map_err(to_error)).transpose()
}

#[cfg(test)]
mod tests {
    use super::{RecordAction, RecordId, Run, parse_quantity};
    use crate::model::queue::Source;

    #[test]
    fn parses_the_quantity_of_the_input() {
        let build_run = |input_text: Option<&str>| Run {
            source: Source::FreeTrials,
            action: RecordAction::ApproveTrial,
            ids: vec![RecordId::new(7)],
            cancel: None,
            input_text: input_text.map(Into::into),
            undo: None,
        };
        assert_eq!(parse_quantity(&build_run(None)).ok(), Some(None));
        assert_eq!(parse_quantity(&build_run(Some("250"))).ok(), Some(Some(250)));
        let too_large =
            parse_quantity(&build_run(Some("99999999999999999999"))).err().map(|error| error.to_string());
        assert!(too_large.is_some_and(|message| message.contains("whole number")));
    }
}
