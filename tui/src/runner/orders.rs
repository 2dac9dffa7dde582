//! What the dashboard asks of orders, as calls to the panel.

use futures_util::TryStreamExt as _;
use panel_client::bulk::action::Action;
use panel_client::bulk::folder::Folder;
use panel_client::bulk::report::Report;
use panel_client::bulk::run::{About, CHUNK, Ended, Stop, begin, rehearse};
use panel_client::profiles::place;
use panel_client::{Client, Error, Result};
use panel_contract::common::{DryRun, Skipped};
use panel_contract::endpoint::{NoBody, NoQuery};
use panel_contract::endpoints::orders as api;
use panel_contract::orders::{BulkCancelInput, CancelInput, CancelReason, OrderIds, OrderRow};
use panel_contract::table::TableQuery;

use crate::model::detail::Detail;
use crate::model::list::Listing;
use crate::model::orders::{detail as sections, row};
use crate::model::row::Row;
use crate::model::run::{Broken, Cancel, Outcome, Run};
use crate::model::verb::Verb;
use crate::session::Who;
use crate::text::clean;

/// So many marked at once are loaded as rows, so that sums and counts are known; of more, only the ids.
const AS_ROWS: i64 = 1_000;
/// More than this is nobody's moderation any more, and belongs to `panelctl` with its journal.
const MOST: i64 = 100_000;

/// A page with the ids of all that match.
pub(crate) async fn load(client: &Client, query: &TableQuery) -> Result<Listing> {
    let page = client.list_orders((), query, &NoBody {});
    let ids = client.first_ids::<api::ListOrders, OrderRow>(query);
    let (page, ids) = tokio::try_join!(page, ids)?;
    Ok(Listing { rows: page.data.iter().map(row).collect(), total: page.records_filtered, ids: ids.ids })
}

/// Everything that matches.
pub(crate) async fn all(client: &Client, query: &TableQuery) -> Result<(Vec<Row>, Vec<i64>)> {
    let mut query = TableQuery { start: 0, length: None, ..query.clone() };
    query.order.clear();
    let total = client.first_ids::<api::ListOrders, OrderRow>(&query).await?.total;
    if total > MOST {
        return Err(Error::Setup(format!(
            "{total} orders match; at most {MOST} are marked here. Narrow the filter, or use panelctl with --all-matching."
        )));
    }
    if total > AS_ROWS {
        return Ok((Vec::new(), client.ids::<api::ListOrders, OrderRow>(&query).await?));
    }
    let orders: Vec<OrderRow> = client.rows::<api::ListOrders, OrderRow>(query).try_collect().await?;
    Ok((orders.iter().map(row).collect(), Vec::new()))
}

/// One order in full.
pub(crate) async fn detail(client: &Client, id: i64) -> Result<Box<Detail>> {
    let order = client.get_order(id, &NoQuery {}, &NoBody {}).await?.data;
    Ok(Box::new(sections(&order)))
}

/// Why orders can be canceled; what this program does not know is left out.
pub(crate) async fn reasons(client: &Client) -> Result<Vec<(CancelReason, String)>> {
    let choices = client.cancel_reasons((), &NoQuery {}, &NoBody {}).await?;
    let known =
        |choice: panel_contract::common::Choice| Some((choice.kind.parse().ok()?, clean(&choice.label)));
    Ok(choices.into_iter().filter_map(known).collect())
}

/// What a run would do.
pub(crate) async fn preview(client: &Client, run: &Run) -> Result<Outcome> {
    if let Some((id, input)) = with_amount(run) {
        client.cancel_order(id, &DryRun::YES, &input).await?;
        return Ok(one_canceled(id, &input));
    }
    let report = rehearse(client, &action(run)?, &run.ids, &mut |_, _| {}).await?;
    Ok(outcome(report, None))
}

/// Does it.
pub(crate) async fn act(
    (client, who): (&Client, &Who),
    run: &Run,
    stop: &Stop,
    mut progress: impl FnMut(usize) + Send,
) -> Result<Outcome> {
    if let Some((id, input)) = with_amount(run) {
        client.once().cancel_order(id, &DryRun::NO, &input).await?;
        return Ok(one_canceled(id, &input));
    }
    let folder = place::runs().map_err(|trouble| Error::Setup(trouble.to_string()))?;
    let folder = Folder::open(folder)?;
    let about = About {
        profile: Some(who.profile.clone()),
        user: Some(who.email.clone()),
        command: format!("panel-tui {} {}s", run.verb.words().verb, run.source.noun()),
        filter: None,
    };
    let mut told = |report: &Report, _: usize| progress(report.total);
    let ended = begin(client, &folder, (action(run)?, about), (&run.ids, CHUNK), stop, &mut told).await?;
    if let (Some(id), true, None) = (&ended.id, ended.report.open.is_empty(), &ended.error) {
        // Nothing is left to go on with. That the file stays where it cannot be removed does no harm.
        drop(std::fs::remove_file(folder.file(id)));
    }
    finished(ended)
}

/// A run that was refused as a whole is an error; one that broke off says what became of each id.
fn finished(ended: Ended) -> Result<Outcome> {
    match ended.error {
        Some(error) if ended.report.processed.is_empty() && error.refused().is_some() => Err(error),
        error => {
            let why = error.map(|error| super::trouble::sentence(&error));
            let stopped = || (!ended.report.open.is_empty()).then(|| "It was stopped.".to_owned());
            let broken = why.or_else(stopped).map(|why| (why, ended.id.clone()));
            Ok(outcome(ended.report, broken))
        }
    }
}

fn outcome(report: Report, broken: Option<(String, Option<String>)>) -> Outcome {
    let open = report.open;
    let harmless = |skip: Skipped| Skipped { message: clean(&skip.message), ..skip };
    Outcome {
        moved: report.processed,
        skipped: report.skipped.into_iter().map(harmless).collect(),
        returned: report.returned,
        users: report.users,
        broken: broken.map(|(why, run)| Broken { why, open, run }),
    }
}

/// An amount of one's own goes with a single order only, and by its own address.
fn with_amount(run: &Run) -> Option<(i64, CancelInput)> {
    let ([id], Some(cancel)) = (run.ids.as_slice(), &run.cancel) else { return None };
    cancel.amount?;
    let Cancel { return_money, amount, reason, description, email } = cancel.clone();
    let input = CancelInput {
        return_money,
        amount,
        cancel_reason: reason,
        cancel_description: description,
        send_email_notification: email,
    };
    Some((*id, input))
}

fn one_canceled(id: i64, input: &CancelInput) -> Outcome {
    let returned = input.amount.unwrap_or_default();
    Outcome { moved: vec![id], returned, users: 1, ..Outcome::default() }
}

/// The bulk action of a run.
fn action(run: &Run) -> Result<Action> {
    const IDS: &str = "order_ids";
    let ids = OrderIds { order_ids: Vec::new() };
    match run.verb {
        Verb::Approve => Action::of::<api::ApproveOrders>(IDS, &ids),
        Verb::Reject => Action::of::<api::RejectOrders>(IDS, &ids),
        Verb::Pause => Action::of::<api::PauseOrders>(IDS, &ids),
        Verb::Activate => Action::of::<api::ActivateOrders>(IDS, &ids),
        Verb::Complete => Action::of::<api::CompleteOrders>(IDS, &ids),
        Verb::Cancel => {
            let cancel = run.cancel.clone().unwrap_or_else(crate::dialog::confirm::usual_cancel);
            let input = BulkCancelInput {
                order_ids: Vec::new(),
                return_money: cancel.return_money,
                cancel_reason: cancel.reason,
                cancel_description: cancel.description,
                send_email_notification: cancel.email,
            };
            Action::of::<api::CancelOrders>(IDS, &input)
        }
    }
}

#[cfg(test)]
mod tests {
    use panel_client::error::Refused;
    use panel_contract::error::Problem;

    use super::*;

    fn ended(processed: &[i64], open: &[i64], status: Option<u16>) -> Ended {
        let problem = |_| Problem {
            message: "No.".into(),
            errors: Default::default(),
            code: "forbidden".into(),
            request_id: String::new(),
        };
        let refused = |status| Refused { status, problem: problem(()), retry_after: None };
        let report = Report { processed: processed.to_vec(), open: open.to_vec(), ..Report::default() };
        let error = status.map(|status| Error::Refused(Box::new(refused(status))));
        Ended { id: Some("01K9X3".into()), report, error }
    }

    #[test]
    fn a_run_that_did_not_come_to_its_end_says_what_became_of_each_id() {
        assert!(finished(ended(&[], &[1, 2], Some(403))).is_err(), "refused as a whole: nothing is open");
        let broken = finished(ended(&[1], &[2], Some(403))).unwrap().broken.unwrap();
        assert_eq!(
            (broken.why.as_str(), broken.open.as_slice(), broken.run.as_deref()),
            ("No.", &[2][..], Some("01K9X3"))
        );
        let stopped = finished(ended(&[1], &[2], None)).unwrap().broken.unwrap();
        assert_eq!(stopped.why, "It was stopped.");
        assert!(finished(ended(&[1, 2], &[], None)).unwrap().broken.is_none());
    }
}
