//! Requests for withdrawals. The API has no bulk endpoint: each withdrawal needs its own request.

use panel_client::bulk::action::BulkAction;
use panel_client::{Client, Error, Result};
use panel_contract::endpoint::EmptyBody;
use panel_contract::endpoints::withdrawals::{ApproveWithdrawal, MarkWithdrawalPaid, RejectWithdrawal};
use panel_contract::ids::RecordId;
use panel_contract::table::TableQuery;
use panel_contract::withdrawals::{PaidWithdrawalInput, RejectWithdrawalInput};

use crate::model::detail::Detail;
use crate::model::record_action::RecordAction;
use crate::model::run::Run;
use crate::model::withdrawals::to_detail;

/// The required text of a dry run before the staff member has typed one.
const DRY_RUN_TEXT: &str = "?";

pub(super) async fn load_detail(client: &Client, id: RecordId) -> Result<Box<Detail>> {
    let query = TableQuery::new().filter("id", id.to_string());
    let page = client.list_withdrawals((), &query, &EmptyBody {}).await?;
    let detail = page.data.first().map(|withdrawal| Box::new(to_detail(withdrawal)));
    detail.ok_or_else(|| Error::Setup(format!("There is no withdrawal {id}.")))
}

pub(super) fn build_bulk_action(run: &Run) -> Result<BulkAction> {
    let input_text = run.input_text.clone().unwrap_or_else(|| DRY_RUN_TEXT.to_owned());
    match run.action {
        RecordAction::ApproveWithdrawal => BulkAction::per_id::<ApproveWithdrawal>(&EmptyBody {}),
        RecordAction::RejectWithdrawal => {
            BulkAction::per_id::<RejectWithdrawal>(&RejectWithdrawalInput { admin_note: input_text })
        }
        RecordAction::MarkWithdrawalPaid => {
            BulkAction::per_id::<MarkWithdrawalPaid>(&PaidWithdrawalInput { transaction_id: input_text })
        }
        _ => Err(Error::Setup("This action does not apply to withdrawals.".into())),
    }
}
