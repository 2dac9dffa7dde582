//! What the dashboard asks of withdrawals, as calls to the panel: each is a request of its own.

use panel_client::bulk::action::Action;
use panel_client::{Client, Error, Result};
use panel_contract::endpoint::NoBody;
use panel_contract::endpoints::withdrawals::{ApproveWithdrawal, MarkWithdrawalPaid, RejectWithdrawal};
use panel_contract::ids::RecordId;
use panel_contract::table::TableQuery;
use panel_contract::withdrawals::{PaidWithdrawalInput, RejectWithdrawalInput};

use crate::model::detail::Detail;
use crate::model::run::Run;
use crate::model::verb::Verb;
use crate::model::withdrawals::detail as sections;

/// What stands for a text that is not typed yet, when the panel is asked what would happen.
const UNTYPED: &str = "?";

/// One withdrawal in full.
pub(super) async fn detail(client: &Client, id: RecordId) -> Result<Box<Detail>> {
    let query = TableQuery::new().filter("id", id.to_string());
    let page = client.list_withdrawals((), &query, &NoBody {}).await?;
    let found = page.data.first().map(|withdrawal| Box::new(sections(withdrawal)));
    found.ok_or_else(|| Error::Setup(format!("There is no withdrawal {id}.")))
}

/// The action of a run.
pub(super) fn action(run: &Run) -> Result<Action> {
    let words = run.words.clone().unwrap_or_else(|| UNTYPED.to_owned());
    match run.verb {
        Verb::ApproveWithdrawal => Action::each::<ApproveWithdrawal>(&NoBody {}),
        Verb::RejectWithdrawal => {
            Action::each::<RejectWithdrawal>(&RejectWithdrawalInput { admin_note: words })
        }
        Verb::PayWithdrawal => {
            Action::each::<MarkWithdrawalPaid>(&PaidWithdrawalInput { transaction_id: words })
        }
        _ => Err(Error::Setup("This is not done to withdrawals.".into())),
    }
}
