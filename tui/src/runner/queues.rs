//! Calls for the queues of all sources: pages, all matching records, single records and runs.

use futures_util::TryStreamExt as _;
use panel_client::bulk::action::Action;
use panel_client::bulk::folder::Folder;
use panel_client::bulk::journal::Words;
use panel_client::bulk::report::Report;
use panel_client::bulk::run::{CHUNK, RunInfo, RunOutcome, Stop, begin, preview_run};
use panel_client::names::{self, NameError};
use panel_client::profiles::place;
use panel_client::{Client, Error, Result};
use panel_contract::audits::UndoInput;
use panel_contract::common::{BulkOutcome, DryRun, Skipped};
use panel_contract::endpoint::{EmptyBody, Endpoint};
use panel_contract::endpoints::combo_orders::ListComboOrders;
use panel_contract::endpoints::free_trials::ListFreeTrials;
use panel_contract::endpoints::orders::ListOrders;
use panel_contract::endpoints::withdrawals::ListWithdrawals;
use panel_contract::ids::RecordId;
use panel_contract::table::{Page, TableQuery};
use serde::de::DeserializeOwned;

use crate::model::detail::Detail;
use crate::model::list::{Listing, MatchingRecords};
use crate::model::queue::Source;
use crate::model::row::RecordRow;
use crate::model::run::{Interruption, Outcome, Run, UndoOffer};
use crate::model::{combo_orders, free_trials, orders as order_rows, withdrawals as withdrawal_rows};
use crate::runner::{external_panels, orders, requests, withdrawals};
use crate::session::SessionInfo;
use crate::text::sanitize;

/// Up to this number, marking all loads the rows, so that sums and counts are known; above it only the ids.
const MAX_MARKED_ROWS: i64 = 1_000;
/// The maximum number of marked records. Larger runs belong to `panelctl`.
const MAX_MARKED: i64 = 100_000;

/// Loads a page and the ids of all matching records.
pub(crate) async fn load(client: &Client, source: Source, query: &TableQuery) -> Result<Listing> {
    match source {
        Source::Orders => page::<ListOrders, _>(client, query, order_rows::row).await,
        Source::ComboOrders => page::<ListComboOrders, _>(client, query, combo_orders::row).await,
        Source::FreeTrials => page::<ListFreeTrials, _>(client, query, free_trials::row).await,
        Source::Withdrawals => page::<ListWithdrawals, _>(client, query, withdrawal_rows::row).await,
        Source::ExternalPanels => external_panels::load(client, query).await,
    }
}

async fn page<E, R>(client: &Client, query: &TableQuery, row: fn(&R) -> RecordRow) -> Result<Listing>
where
    E: Endpoint<Path = (), Query = TableQuery, Body = EmptyBody, Answer = Page<R>>,
    R: DeserializeOwned + Send + 'static,
{
    let page = client.call::<E>((), query, &EmptyBody {});
    let ids = client.first_ids::<E, R>(query);
    let (page, ids) = tokio::try_join!(page, ids)?;
    Ok(Listing { rows: page.data.iter().map(row).collect(), total: page.records_filtered, ids: ids.ids })
}

/// Loads all matching records.
///
/// A filter that names a customer or service by text must match exactly one, so that no other records are marked.
pub(crate) async fn all(client: &Client, source: Source, query: &TableQuery) -> Result<MatchingRecords> {
    let query = &names::resolve(client, query.clone()).await.map_err(name_error)?;
    match source {
        Source::Orders => load_all_rows::<ListOrders, _>(client, source, query, order_rows::row).await,
        Source::ComboOrders => {
            load_all_rows::<ListComboOrders, _>(client, source, query, combo_orders::row).await
        }
        Source::FreeTrials => {
            load_all_rows::<ListFreeTrials, _>(client, source, query, free_trials::row).await
        }
        Source::Withdrawals => {
            load_all_rows::<ListWithdrawals, _>(client, source, query, withdrawal_rows::row).await
        }
        Source::ExternalPanels => external_panels::all(client, query).await,
    }
}

/// At most this many candidates are listed in an error, which has one line.
const MAX_CANDIDATES: usize = 3;

fn name_error(error: NameError) -> Error {
    match error {
        NameError::Call(error) => error,
        NameError::Several { column, text, noun, found, .. } => {
            let shown =
                found.iter().take(MAX_CANDIDATES).map(|(id, name)| format!("{id} {}", sanitize(name)));
            let shown = shown.collect::<Vec<_>>().join(", ");
            let rest = if found.len() > MAX_CANDIDATES { ", …" } else { "" };
            let id = found.first().map_or(0, |(id, _)| id.get());
            Error::Setup(format!(
                "Several {noun} match {}: {shown}{rest}. Use {column}:{id}.",
                sanitize(&text)
            ))
        }
    }
}

async fn load_all_rows<E, R>(
    client: &Client,
    source: Source,
    query: &TableQuery,
    row: fn(&R) -> RecordRow,
) -> Result<MatchingRecords>
where
    E: Endpoint<Path = (), Query = TableQuery, Body = EmptyBody, Answer = Page<R>>,
    R: DeserializeOwned + Send + 'static,
{
    let mut query = TableQuery { start: 0, length: None, ..query.clone() };
    query.order.clear();
    let total = client.first_ids::<E, R>(&query).await?.total;
    if total > MAX_MARKED {
        let noun = source.noun();
        return Err(Error::Setup(format!(
            "{total} {noun}s match, but at most {MAX_MARKED} can be marked. Narrow the filter, or use panelctl with --all-matching."
        )));
    }
    if total > MAX_MARKED_ROWS {
        return Ok(MatchingRecords { rows: Vec::new(), ids: client.ids::<E, R>(&query).await? });
    }
    let found: Vec<R> = client.rows::<E, R>(query).try_collect().await?;
    Ok(MatchingRecords { rows: found.iter().map(row).collect(), ids: Vec::new() })
}

pub(crate) async fn detail(client: &Client, source: Source, id: RecordId) -> Result<Box<Detail>> {
    match source {
        Source::Orders => orders::detail(client, id).await,
        Source::ComboOrders => requests::combo(client, id).await,
        Source::FreeTrials => requests::trial(client, id).await,
        Source::Withdrawals => withdrawals::detail(client, id).await,
        Source::ExternalPanels => external_panels::detail(client, id).await,
    }
}

fn action(run: &Run) -> Result<Action> {
    match run.source {
        Source::Orders => orders::action(run),
        Source::ComboOrders | Source::FreeTrials => requests::action(run),
        Source::Withdrawals => withdrawals::action(run),
        Source::ExternalPanels => Err(Error::Setup("External panels are read only here.".into())),
    }
}

/// Runs the action as a dry run.
pub(crate) async fn preview(client: &Client, run: &Run) -> Result<Outcome> {
    if let Some(offer) = &run.undo {
        return undo(client, offer, DryRun::YES).await;
    }
    if let Some((id, input)) = orders::cancel_with_amount(run) {
        client.cancel_order(id.typed_as(), &DryRun::YES, &input).await?;
        return Ok(orders::cancel_outcome(id, &input));
    }
    let report = preview_run(client, &action(run)?, &run.ids, &mut |_, _| {}).await?;
    Ok(outcome(report, None))
}

pub(crate) async fn execute(
    (client, info): (&Client, &SessionInfo),
    run: &Run,
    stop: &Stop,
    mut progress: impl FnMut(usize) + Send,
) -> Result<Outcome> {
    if let Some(offer) = &run.undo {
        return undo(client, offer, DryRun::NO).await;
    }
    if let Some((id, input)) = orders::cancel_with_amount(run) {
        client.once().cancel_order(id.typed_as(), &DryRun::NO, &input).await?;
        return Ok(orders::cancel_outcome(id, &input));
    }
    let folder = place::runs().map_err(|failure| Error::Setup(failure.to_string()))?;
    let folder = Folder::open(folder)?;
    let about = RunInfo {
        profile: Some(info.profile.clone()),
        user: Some(info.email.clone()),
        command: format!("panel-tui {} {}s", run.verb.texts().verb, run.source.noun()),
        filter: None,
        words: Some(Words {
            one: run.source.noun().to_owned(),
            many: format!("{}s", run.source.noun()),
            past: run.verb.texts().done.to_owned(),
        }),
    };
    let mut on_progress = |report: &Report, _: usize| progress(report.total);
    let result =
        begin(client, &folder, (action(run)?, about), (&run.ids, CHUNK), stop, &mut on_progress).await?;
    if let (Some(id), true, None) = (&result.id, result.report.open.is_empty(), &result.error) {
        // Nothing is left to resume. A journal that cannot be removed does no harm.
        drop(std::fs::remove_file(folder.file(id)));
    }
    run_result(result)
}

/// Undoes the requests, or tries it as a dry run. A request that can no longer be undone skips its records.
async fn undo(client: &Client, offer: &UndoOffer, dry_run: DryRun) -> Result<Outcome> {
    let mut answers = Vec::new();
    for request_id in &offer.requests {
        let answer = client.undo((), &dry_run, &UndoInput { request_id: request_id.clone() }).await;
        let is_fatal = answer.as_ref().is_err_and(|error| status_of(error) != Some(409));
        answers.push(answer);
        if is_fatal {
            break;
        }
    }
    undo_outcome(offer, answers)
}

fn status_of(error: &Error) -> Option<u16> {
    error.refused().map(|refused| refused.status)
}

/// Combines the answers of several undo requests. A rejected request names its records; where it does not, or there is no
/// answer, it is unknown which records were restored.
fn undo_outcome(offer: &UndoOffer, answers: Vec<Result<BulkOutcome>>) -> Result<Outcome> {
    let mut outcome = Outcome::default();
    let (mut done, mut first_error, mut reason) = (0, None, None);
    for answer in answers {
        match answer {
            Ok(answer) => {
                done += answer.processed;
                outcome.skipped.extend(answer.skipped.into_iter().map(sanitize_skipped));
            }
            Err(error) => {
                let named =
                    error.refused().map(|refused| refused.problem.skipped.clone()).unwrap_or_default();
                if named.is_empty() {
                    reason.get_or_insert_with(|| super::failures::sentence(&error));
                }
                outcome.skipped.extend(named.into_iter().map(sanitize_skipped));
                first_error.get_or_insert(error);
            }
        }
    }
    if let (Some(error), 0) = (first_error, done) {
        return Err(error);
    }
    let is_left = |id: &RecordId| !outcome.skipped.iter().any(|skip| skip.id == *id);
    let rest: Vec<RecordId> = offer.ids.iter().copied().filter(is_left).collect();
    match reason {
        None => outcome.changed = rest,
        Some(reason) => outcome.interruption = Some(Interruption { reason, unanswered: rest, run_id: None }),
    }
    Ok(outcome)
}

fn sanitize_skipped(skip: Skipped) -> Skipped {
    Skipped { message: sanitize(&skip.message), ..skip }
}

/// A run that was rejected as a whole is an error; an interrupted run reports the state of each id.
fn run_result(result: RunOutcome) -> Result<Outcome> {
    match result.error {
        Some(error) if result.report.processed.is_empty() && error.refused().is_some() => Err(error),
        error => {
            let reason = error.map(|error| super::failures::sentence(&error));
            let stopped = || (!result.report.open.is_empty()).then(|| "The run was stopped.".to_owned());
            let interruption = reason.or_else(stopped).map(|reason| (reason, result.id.clone()));
            Ok(outcome(result.report, interruption))
        }
    }
}

fn outcome(report: Report, interruption: Option<(String, Option<String>)>) -> Outcome {
    let unanswered = report.open;
    Outcome {
        changed: report.processed,
        skipped: report.skipped.into_iter().map(sanitize_skipped).collect(),
        refunded: report.returned,
        customers: report.users,
        charged: report.charged,
        undo: report.undo.into_iter().map(|offer| offer.request_id).collect(),
        interruption: interruption.map(|(reason, run_id)| Interruption { reason, unanswered, run_id }),
    }
}

#[cfg(test)]
mod tests {
    use panel_client::error::Refused;
    use panel_contract::error::ErrorBody;

    use crate::model::verb::Verb;

    use super::*;

    fn ids(raw: &[i64]) -> Vec<RecordId> {
        raw.iter().copied().map(RecordId::new).collect()
    }

    fn result(processed: &[i64], open: &[i64], status: Option<u16>) -> RunOutcome {
        let problem = |_| ErrorBody {
            skipped: Vec::new(),
            second_factor: None,
            message: "No.".into(),
            errors: Default::default(),
            code: "forbidden".into(),
            request_id: String::new(),
        };
        let refused = |status| Refused { status, problem: problem(()), retry_after: None };
        let report = Report { processed: ids(processed), open: ids(open), ..Report::default() };
        let error = status.map(|status| Error::Refused(Box::new(refused(status))));
        RunOutcome { id: Some("01K9X3".into()), report, error }
    }

    #[test]
    fn an_ambiguous_name_marks_no_record() {
        let several = NameError::Several {
            at: 0,
            column: "user".into(),
            text: "anna".into(),
            noun: "users",
            found: vec![
                (RecordId::new(7), "Anna".into()),
                (RecordId::new(9), "Anna \u{1b}[2J".into()),
                (RecordId::new(11), "Anna B".into()),
                (RecordId::new(12), "Anna C".into()),
            ],
        };
        let sentence = name_error(several).to_string();
        assert!(sentence.starts_with("Several users match anna: 7 Anna, 9 Anna"), "{sentence}");
        assert!(sentence.ends_with(", …. Use user:7.") && !sentence.contains('\u{1b}'), "{sentence}");
    }

    #[test]
    fn a_rejected_undo_is_reported_with_the_others() {
        let offer = UndoOffer {
            id: 1,
            source: Source::Orders,
            verb: Verb::Pause,
            requests: vec!["b".into(), "a".into()],
            ids: ids(&[1, 2, 3]),
        };
        let skip = |id| Skipped {
            id: RecordId::new(id),
            code: "undo_conflict".into(),
            message: "It has changed.".into(),
        };
        let worked = || {
            Ok(BulkOutcome {
                processed: 2,
                skipped: Vec::new(),
                totals: Default::default(),
                dry_run: false,
                undo: None,
                costs: None,
                reach: Default::default(),
            })
        };
        let refused = |skipped: Vec<Skipped>| {
            let problem = ErrorBody {
                skipped,
                second_factor: None,
                message: "It has changed.".into(),
                errors: Default::default(),
                code: "undo_conflict".into(),
                request_id: String::new(),
            };
            Err(Error::Refused(Box::new(Refused { status: 409, problem, retry_after: None })))
        };
        let both = undo_outcome(&offer, vec![worked(), refused(vec![skip(3)])]).unwrap();
        assert_eq!((both.changed, both.skipped.as_slice()), (ids(&[1, 2]), &[skip(3)][..]));
        let unnamed = undo_outcome(&offer, vec![worked(), refused(Vec::new())]).unwrap();
        assert!(unnamed.changed.is_empty(), "which of them were restored is not known");
        let interruption = unnamed.interruption.unwrap();
        assert_eq!(
            (interruption.reason.as_str(), interruption.unanswered),
            ("It has changed.", ids(&[1, 2, 3]))
        );
        assert!(undo_outcome(&offer, vec![refused(vec![skip(3)]), refused(Vec::new())]).is_err());
    }

    #[test]
    fn an_interrupted_run_reports_each_id() {
        assert!(run_result(result(&[], &[1, 2], Some(403))).is_err(), "refused as a whole: nothing is open");
        let interruption = run_result(result(&[1], &[2], Some(403))).unwrap().interruption.unwrap();
        assert_eq!(
            (
                interruption.reason.as_str(),
                interruption.unanswered.as_slice(),
                interruption.run_id.as_deref()
            ),
            ("No.", &ids(&[2])[..], Some("01K9X3"))
        );
        let stopped = run_result(result(&[1], &[2], None)).unwrap().interruption.unwrap();
        assert_eq!(stopped.reason, "The run was stopped.");
        assert!(run_result(result(&[1, 2], &[], None)).unwrap().interruption.is_none());
    }
}
