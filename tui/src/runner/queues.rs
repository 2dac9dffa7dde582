//! Requests for the queues of all sources: pages, all matching records, single records and runs.

use futures_util::TryStreamExt as _;
use panel_client::bulk::action::BulkAction;
use panel_client::bulk::folder::RunFolder;
use panel_client::bulk::journal::RunWording;
use panel_client::bulk::report::RunReport;
use panel_client::bulk::run::{DEFAULT_CHUNK_SIZE, RunInfo, RunOutcome, StopFlag, preview_run, start_run};
use panel_client::profiles::paths;
use panel_client::record_names::{self, NameError};
use panel_client::{Client, Error, Result};
use panel_contract::audits::UndoInput;
use panel_contract::common::{BulkOutcome, DryRun, SkippedRecord};
use panel_contract::endpoint::{EmptyBody, Endpoint};
use panel_contract::endpoints::combo_orders::ListComboOrders;
use panel_contract::endpoints::free_trials::ListFreeTrials;
use panel_contract::endpoints::orders::ListOrders;
use panel_contract::endpoints::withdrawals::ListWithdrawals;
use panel_contract::ids::RecordId;
use panel_contract::table::{Page, TableQuery};
use serde::de::DeserializeOwned;

use crate::model::detail::Detail;
use crate::model::list::{ListPage, MatchingRecords};
use crate::model::queue::Source;
use crate::model::row::RecordRow;
use crate::model::run::{Interruption, Outcome, Run, UndoOffer};
use crate::model::{combo_orders, free_trials, orders as order_rows, withdrawals as withdrawal_rows};
use crate::runner::{external_panels, orders, per_record_requests, withdrawals};
use crate::session::SessionInfo;
use crate::text::sanitize;

/// Up to this number of records, "mark all" loads the rows and can show their sum. For more records it loads only the ids.
const MAX_MARKED_WITH_ROWS: i64 = 1_000;
/// The maximum number of marked records. `panelctl` has no such limit.
const MAX_MARKED: i64 = 100_000;

/// Loads a page and the ids of all matching records.
pub(crate) async fn load_page(client: &Client, source: Source, query: &TableQuery) -> Result<ListPage> {
    match source {
        Source::Orders => load_list_page::<ListOrders, _>(client, query, order_rows::to_row).await,
        Source::ComboOrders => {
            load_list_page::<ListComboOrders, _>(client, query, combo_orders::to_row).await
        }
        Source::FreeTrials => load_list_page::<ListFreeTrials, _>(client, query, free_trials::to_row).await,
        Source::Withdrawals => {
            load_list_page::<ListWithdrawals, _>(client, query, withdrawal_rows::to_row).await
        }
        Source::ExternalPanels => external_panels::load_page(client, query).await,
    }
}

async fn load_list_page<E, R>(
    client: &Client,
    query: &TableQuery,
    to_row: fn(&R) -> RecordRow,
) -> Result<ListPage>
where
    E: Endpoint<Path = (), Query = TableQuery, Body = EmptyBody, Response = Page<R>>,
    R: DeserializeOwned + Send + 'static,
{
    let page = client.call::<E>((), query, &EmptyBody {});
    let ids = client.load_first_ids::<E, R>(query);
    let (page, ids) = tokio::try_join!(page, ids)?;
    Ok(ListPage { rows: page.data.iter().map(to_row).collect(), total: page.records_filtered, ids: ids.ids })
}

/// Loads all matching records, to mark them.
///
/// A filter that names a customer or service by text must match exactly one, so that "mark all" marks no other records.
pub(crate) async fn load_all_matching(
    client: &Client,
    source: Source,
    query: &TableQuery,
) -> Result<MatchingRecords> {
    let query = &record_names::resolve_record_names(client, query.clone()).await.map_err(to_client_error)?;
    match source {
        Source::Orders => load_all_rows::<ListOrders, _>(client, source, query, order_rows::to_row).await,
        Source::ComboOrders => {
            load_all_rows::<ListComboOrders, _>(client, source, query, combo_orders::to_row).await
        }
        Source::FreeTrials => {
            load_all_rows::<ListFreeTrials, _>(client, source, query, free_trials::to_row).await
        }
        Source::Withdrawals => {
            load_all_rows::<ListWithdrawals, _>(client, source, query, withdrawal_rows::to_row).await
        }
        Source::ExternalPanels => external_panels::load_all_matching(client, query).await,
    }
}

/// The maximum number of candidates in an error message, which must fit in one line.
const MAX_CANDIDATES: usize = 3;

fn to_client_error(error: NameError) -> Error {
    match error {
        NameError::RequestFailed(error) => error,
        NameError::Ambiguous { column, text, noun, matches, .. } => {
            let candidates =
                matches.iter().take(MAX_CANDIDATES).map(|(id, name)| format!("{id} {}", sanitize(name)));
            let candidates = candidates.collect::<Vec<_>>().join(", ");
            let more = if matches.len() > MAX_CANDIDATES { ", …" } else { "" };
            let id = matches.first().map_or(0, |(id, _)| id.get());
            Error::Setup(format!(
                "Several {noun} match {}: {candidates}{more}. Use {column}:{id}.",
                sanitize(&text)
            ))
        }
    }
}

async fn load_all_rows<E, R>(
    client: &Client,
    source: Source,
    query: &TableQuery,
    to_row: fn(&R) -> RecordRow,
) -> Result<MatchingRecords>
where
    E: Endpoint<Path = (), Query = TableQuery, Body = EmptyBody, Response = Page<R>>,
    R: DeserializeOwned + Send + 'static,
{
    let mut query = TableQuery { start: 0, length: None, ..query.clone() };
    query.order.clear();
    let total = client.load_first_ids::<E, R>(&query).await?.total;
    if total > MAX_MARKED {
        let noun = source.noun();
        return Err(Error::Setup(format!(
            "{total} {noun}s match, but at most {MAX_MARKED} can be marked. Narrow the filter, or use panelctl with --all-matching."
        )));
    }
    if total > MAX_MARKED_WITH_ROWS {
        return Ok(MatchingRecords { rows: Vec::new(), ids: client.load_ids::<E, R>(&query).await? });
    }
    let records: Vec<R> = client.stream_rows::<E, R>(query).try_collect().await?;
    Ok(MatchingRecords { rows: records.iter().map(to_row).collect(), ids: Vec::new() })
}

pub(crate) async fn load_detail(client: &Client, source: Source, id: RecordId) -> Result<Box<Detail>> {
    match source {
        Source::Orders => orders::load_detail(client, id).await,
        Source::ComboOrders => per_record_requests::load_combo_order(client, id).await,
        Source::FreeTrials => per_record_requests::load_free_trial(client, id).await,
        Source::Withdrawals => withdrawals::load_detail(client, id).await,
        Source::ExternalPanels => external_panels::load_detail(client, id).await,
    }
}

fn build_bulk_action(run: &Run) -> Result<BulkAction> {
    match run.source {
        Source::Orders => orders::build_bulk_action(run),
        Source::ComboOrders | Source::FreeTrials => per_record_requests::build_bulk_action(run),
        Source::Withdrawals => withdrawals::build_bulk_action(run),
        Source::ExternalPanels => Err(Error::Setup("External panels are read only here.".into())),
    }
}

/// Runs the action as a dry run.
pub(crate) async fn preview_action(client: &Client, run: &Run) -> Result<Outcome> {
    if let Some(offer) = &run.undo {
        return undo_requests(client, offer, DryRun::YES).await;
    }
    if let Some((id, input)) = orders::custom_refund_cancel(run) {
        client.cancel_order(id.typed_as(), &DryRun::YES, &input).await?;
        return Ok(orders::build_cancel_outcome(id, &input));
    }
    let report = preview_run(client, &build_bulk_action(run)?, &run.ids, &mut |_, _| {}).await?;
    Ok(to_outcome(report, None))
}

/// Runs the action and reports its progress.
pub(crate) async fn run_action(
    (client, info): (&Client, &SessionInfo),
    run: &Run,
    stop: &StopFlag,
    mut progress: impl FnMut(usize) + Send,
) -> Result<Outcome> {
    if let Some(offer) = &run.undo {
        return undo_requests(client, offer, DryRun::NO).await;
    }
    if let Some((id, input)) = orders::custom_refund_cancel(run) {
        client.with_new_idempotency_key().cancel_order(id.typed_as(), &DryRun::NO, &input).await?;
        return Ok(orders::build_cancel_outcome(id, &input));
    }
    let folder = paths::runs_dir().map_err(|failure| Error::Setup(failure.to_string()))?;
    let folder = RunFolder::open(folder)?;
    let run_info = RunInfo {
        profile: Some(info.profile.clone()),
        user: Some(info.email.clone()),
        command: format!("panel-tui {} {}s", run.action.texts().infinitive, run.source.noun()),
        filter: None,
        wording: Some(RunWording {
            singular: run.source.noun().to_owned(),
            plural: format!("{}s", run.source.noun()),
            past_participle: run.action.texts().past_participle.to_owned(),
        }),
    };
    let mut on_progress = |report: &RunReport, _: usize| progress(report.total);
    let result = start_run(
        client,
        &folder,
        (build_bulk_action(run)?, run_info),
        (&run.ids, DEFAULT_CHUNK_SIZE),
        stop,
        &mut on_progress,
    )
    .await?;
    if let (Some(id), true, None) = (&result.id, result.report.open_ids.is_empty(), &result.error) {
        // There is nothing to resume. A journal that cannot be removed does no harm.
        drop(std::fs::remove_file(folder.journal_path(id)));
    }
    to_run_result(result)
}

/// Undoes the requests, or does a dry run of it. If the server can no longer undo a request, it skips the records of that request.
async fn undo_requests(client: &Client, offer: &UndoOffer, dry_run: DryRun) -> Result<Outcome> {
    let mut responses = Vec::new();
    for request_id in &offer.request_ids {
        let response = client.undo((), &dry_run, &UndoInput { request_id: request_id.clone() }).await;
        let is_fatal = response.as_ref().is_err_and(|error| http_status(error) != Some(409));
        responses.push(response);
        if is_fatal {
            break;
        }
    }
    combine_undo_responses(offer, responses)
}

fn http_status(error: &Error) -> Option<u16> {
    error.api_error().map(|api_error| api_error.status)
}

/// Combines the responses of several undo requests. A rejected request names its records. If it does not, or if there is no
/// response, the server may or may not have restored its records.
fn combine_undo_responses(offer: &UndoOffer, responses: Vec<Result<BulkOutcome>>) -> Result<Outcome> {
    let mut outcome = Outcome::default();
    let (mut restored_count, mut first_error, mut reason) = (0, None, None);
    for response in responses {
        match response {
            Ok(response) => {
                restored_count += response.processed;
                outcome.skipped.extend(response.skipped.into_iter().map(sanitize_skipped));
            }
            Err(error) => {
                let skipped =
                    error.api_error().map(|api_error| api_error.problem.skipped.clone()).unwrap_or_default();
                if skipped.is_empty() {
                    reason.get_or_insert_with(|| super::failures::error_message(&error));
                }
                outcome.skipped.extend(skipped.into_iter().map(sanitize_skipped));
                first_error.get_or_insert(error);
            }
        }
    }
    if let (Some(error), 0) = (first_error, restored_count) {
        return Err(error);
    }
    let is_not_skipped = |id: &RecordId| !outcome.skipped.iter().any(|skip| skip.id == *id);
    let other_ids: Vec<RecordId> = offer.ids.iter().copied().filter(is_not_skipped).collect();
    match reason {
        None => outcome.changed = other_ids,
        Some(reason) => {
            outcome.interruption = Some(Interruption { reason, without_response: other_ids, run_id: None })
        }
    }
    Ok(outcome)
}

fn sanitize_skipped(skip: SkippedRecord) -> SkippedRecord {
    SkippedRecord { message: sanitize(&skip.message), ..skip }
}

/// A run that the server rejected as a whole is an error. An interrupted run reports the state of each id.
fn to_run_result(result: RunOutcome) -> Result<Outcome> {
    match result.error {
        Some(error) if result.report.processed.is_empty() && error.api_error().is_some() => Err(error),
        error => {
            let reason = error.map(|error| super::failures::error_message(&error));
            let stop_reason =
                || (!result.report.open_ids.is_empty()).then(|| "The run was stopped.".to_owned());
            let interruption = reason.or_else(stop_reason).map(|reason| (reason, result.id.clone()));
            Ok(to_outcome(result.report, interruption))
        }
    }
}

fn to_outcome(report: RunReport, interruption: Option<(String, Option<String>)>) -> Outcome {
    let without_response = report.open_ids;
    Outcome {
        changed: report.processed,
        skipped: report.skipped.into_iter().map(sanitize_skipped).collect(),
        refunded: report.refunded,
        customer_count: report.users,
        charged: report.charged,
        undo_request_ids: report.undo_offers.into_iter().map(|offer| offer.request_id).collect(),
        interruption: interruption.map(|(reason, run_id)| Interruption { reason, without_response, run_id }),
    }
}

#[cfg(test)]
mod tests {
    use panel_client::error::ApiError;
    use panel_contract::error::ErrorBody;

    use crate::model::record_action::RecordAction;

    use super::*;

    fn ids(raw: &[i64]) -> Vec<RecordId> {
        raw.iter().copied().map(RecordId::new).collect()
    }

    fn build_run_outcome(processed: &[i64], open: &[i64], status: Option<u16>) -> RunOutcome {
        let problem = |_| ErrorBody {
            skipped: Vec::new(),
            second_factor: None,
            message: "No.".into(),
            errors: Default::default(),
            code: "forbidden".into(),
            request_id: String::new(),
        };
        let api_error = |status| ApiError { status, problem: problem(()), retry_after: None };
        let report = RunReport { processed: ids(processed), open_ids: ids(open), ..RunReport::default() };
        let error = status.map(|status| Error::Api(Box::new(api_error(status))));
        RunOutcome { id: Some("01K9X3".into()), report, error }
    }

    #[test]
    fn an_ambiguous_name_marks_no_record() {
        let ambiguous_name = NameError::Ambiguous {
            index: 0,
            column: "user".into(),
            text: "anna".into(),
            noun: "users",
            matches: vec![
                (RecordId::new(7), "Anna".into()),
                (RecordId::new(9), "Anna \u{1b}[2J".into()),
                (RecordId::new(11), "Anna B".into()),
                (RecordId::new(12), "Anna C".into()),
            ],
        };
        let message = to_client_error(ambiguous_name).to_string();
        assert!(message.starts_with("Several users match anna: 7 Anna, 9 Anna"), "{message}");
        assert!(message.ends_with(", …. Use user:7.") && !message.contains('\u{1b}'), "{message}");
    }

    #[test]
    fn a_rejected_undo_reports_its_records_as_skipped() {
        let offer = UndoOffer {
            id: 1,
            source: Source::Orders,
            action: RecordAction::Pause,
            request_ids: vec!["b".into(), "a".into()],
            ids: ids(&[1, 2, 3]),
        };
        let skip = |id| SkippedRecord {
            id: RecordId::new(id),
            code: "undo_conflict".into(),
            message: "It has changed.".into(),
        };
        let restored = || {
            Ok(BulkOutcome {
                processed: 2,
                skipped: Vec::new(),
                totals: Default::default(),
                dry_run: false,
                undo: None,
                costs: None,
                affected_ids: Default::default(),
            })
        };
        let api_error = |skipped: Vec<SkippedRecord>| {
            let problem = ErrorBody {
                skipped,
                second_factor: None,
                message: "It has changed.".into(),
                errors: Default::default(),
                code: "undo_conflict".into(),
                request_id: String::new(),
            };
            Err(Error::Api(Box::new(ApiError { status: 409, problem, retry_after: None })))
        };
        let partial_outcome =
            combine_undo_responses(&offer, vec![restored(), api_error(vec![skip(3)])]).unwrap();
        assert_eq!(
            (partial_outcome.changed, partial_outcome.skipped.as_slice()),
            (ids(&[1, 2]), &[skip(3)][..])
        );
        let outcome_without_ids =
            combine_undo_responses(&offer, vec![restored(), api_error(Vec::new())]).unwrap();
        assert!(
            outcome_without_ids.changed.is_empty(),
            "records that the server may or may not have restored must not count as changed"
        );
        let interruption = outcome_without_ids.interruption.unwrap();
        assert_eq!(
            (interruption.reason.as_str(), interruption.without_response),
            ("It has changed.", ids(&[1, 2, 3]))
        );
        assert!(
            combine_undo_responses(&offer, vec![api_error(vec![skip(3)]), api_error(Vec::new())]).is_err()
        );
    }

    #[test]
    fn an_interrupted_run_reports_each_id() {
        assert!(
            to_run_result(build_run_outcome(&[], &[1, 2], Some(403))).is_err(),
            "a run that the server rejected as a whole must be an error"
        );
        let interruption =
            to_run_result(build_run_outcome(&[1], &[2], Some(403))).unwrap().interruption.unwrap();
        assert_eq!(
            (
                interruption.reason.as_str(),
                interruption.without_response.as_slice(),
                interruption.run_id.as_deref()
            ),
            ("No.", &ids(&[2])[..], Some("01K9X3"))
        );
        let stopped = to_run_result(build_run_outcome(&[1], &[2], None)).unwrap().interruption.unwrap();
        assert_eq!(stopped.reason, "The run was stopped.");
        assert!(to_run_result(build_run_outcome(&[1, 2], &[], None)).unwrap().interruption.is_none());
    }
}
