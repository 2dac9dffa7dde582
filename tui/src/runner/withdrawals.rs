//! Calls for withdrawals. Each withdrawal needs its own request.

use panel_client::bulk::action::Action;
use panel_client::{Client, Error, Result};
use panel_contract::endpoint::EmptyBody;
use panel_contract::endpoints::withdrawals::{ApproveWithdrawal, MarkWithdrawalPaid, RejectWithdrawal};
use panel_contract::ids::RecordId;
use panel_contract::table::TableQuery;
use panel_contract::withdrawals::{PaidWithdrawalInput, RejectWithdrawalInput};

use crate::model::detail::Detail;
use crate::model::run::Run;
use crate::model::verb::Verb;
use crate::model::withdrawals::detail as sections;

/// Replaces the missing text in a dry run.
const UNTYPED_PLACEHOLDER: &str = "?";

/// Loads one withdrawal.
pub(super) async fn detail(client: &Client, id: RecordId) -> Result<Box<Detail>> {
    let query = TableQuery::new().filter("id", id.to_string());
    let page = client.list_withdrawals((), &query, &EmptyBody {}).await?;
    let found = page.data.first().map(|withdrawal| Box::new(sections(withdrawal)));
    found.ok_or_else(|| Error::Setup(format!("There is no withdrawal {id}.")))
}

pub(super) fn action(run: &Run) -> Result<Action> {
    let words = run.input_text.clone().unwrap_or_else(|| UNTYPED_PLACEHOLDER.to_owned());
    match run.verb {
        Verb::ApproveWithdrawal => Action::each::<ApproveWithdrawal>(&EmptyBody {}),
        Verb::RejectWithdrawal => {
            Action::each::<RejectWithdrawal>(&RejectWithdrawalInput { admin_note: words })
        }
        Verb::PayWithdrawal => {
            Action::each::<MarkWithdrawalPaid>(&PaidWithdrawalInput { transaction_id: words })
        }
        _ => Err(Error::Setup("This action does not apply to withdrawals.".into())),
    }
}
