//! Calls for free-trial requests and combo orders. Each record needs its own request.

use panel_client::bulk::action::Action;
use panel_client::{Client, Error, Result};
use panel_contract::endpoint::EmptyBody;
use panel_contract::endpoints::combo_orders::{ApproveComboOrder, CompleteComboOrder, RejectComboOrder};
use panel_contract::endpoints::free_trials::{ApproveFreeTrial, RejectFreeTrial};
use panel_contract::free_trials::ApproveFreeTrialInput;
use panel_contract::ids::RecordId;
use panel_contract::table::TableQuery;

use crate::model::detail::Detail;
use crate::model::run::Run;
use crate::model::verb::Verb;
use crate::model::{combo_orders, free_trials};

/// Loads one free-trial request.
pub(super) async fn trial(client: &Client, id: RecordId) -> Result<Box<Detail>> {
    let query = TableQuery::new().filter("id", id.to_string());
    let page = client.list_free_trials((), &query, &EmptyBody {}).await?;
    let found = page.data.first().map(|trial| Box::new(free_trials::detail(trial)));
    found.ok_or_else(|| Error::Setup(format!("There is no free-trial request {id}.")))
}

/// Loads one combo order.
pub(super) async fn combo(client: &Client, id: RecordId) -> Result<Box<Detail>> {
    let query = TableQuery::new().filter("id", id.to_string());
    let page = client.list_combo_orders((), &query, &EmptyBody {}).await?;
    let found = page.data.first().map(|combo| Box::new(combo_orders::detail(combo)));
    found.ok_or_else(|| Error::Setup(format!("There is no combo order {id}.")))
}

pub(super) fn action(run: &Run) -> Result<Action> {
    match run.verb {
        Verb::ApproveCombo => Action::each::<ApproveComboOrder>(&EmptyBody {}),
        Verb::RejectCombo => Action::each::<RejectComboOrder>(&EmptyBody {}),
        Verb::CompleteCombo => Action::each::<CompleteComboOrder>(&EmptyBody {}),
        Verb::ApproveTrial => Action::each::<ApproveFreeTrial>(&ApproveFreeTrialInput {
            quantity: quantity(run)?,
            ..ApproveFreeTrialInput::default()
        }),
        Verb::RejectTrial => Action::each::<RejectFreeTrial>(&EmptyBody {}),
        _ => Err(Error::Setup("This action does not apply to free-trial requests or combo orders.".into())),
    }
}

/// Parses the quantity; `None` where the staff member left it empty.
fn quantity(run: &Run) -> Result<Option<i64>> {
    let wrong = |_| Error::Setup("Enter a whole number, or leave it empty for the quest's quantity.".into());
    run.input_text.as_deref().map(|typed| typed.parse().map_err(wrong)).transpose()
}

#[cfg(test)]
mod tests {
    use super::{RecordId, Run, Verb, quantity};
    use crate::model::queue::Source;

    #[test]
    fn the_typed_quantity_is_sent() {
        let run = |words: Option<&str>| Run {
            source: Source::FreeTrials,
            verb: Verb::ApproveTrial,
            ids: vec![RecordId::new(7)],
            cancel: None,
            input_text: words.map(Into::into),
            undo: None,
        };
        assert_eq!(quantity(&run(None)).ok(), Some(None));
        assert_eq!(quantity(&run(Some("250"))).ok(), Some(Some(250)));
        let most = quantity(&run(Some("99999999999999999999"))).err().map(|error| error.to_string());
        assert!(most.is_some_and(|message| message.contains("whole number")));
    }
}
