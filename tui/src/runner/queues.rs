//! What the dashboard asks of its queues, whatever they list: pages, everything that matches, one in full, runs.

use futures_util::TryStreamExt as _;
use panel_client::bulk::action::Action;
use panel_client::bulk::folder::Folder;
use panel_client::bulk::journal::Words;
use panel_client::bulk::report::Report;
use panel_client::bulk::run::{About, CHUNK, Ended, Stop, begin, rehearse};
use panel_client::names::{self, NameError};
use panel_client::profiles::place;
use panel_client::{Client, Error, Result};
use panel_contract::audits::UndoInput;
use panel_contract::common::{BulkOutcome, DryRun, Skipped};
use panel_contract::endpoint::{Endpoint, NoBody};
use panel_contract::endpoints::combo_orders::ListComboOrders;
use panel_contract::endpoints::free_trials::ListFreeTrials;
use panel_contract::endpoints::orders::ListOrders;
use panel_contract::endpoints::withdrawals::ListWithdrawals;
use panel_contract::ids::RecordId;
use panel_contract::table::{Page, TableQuery};
use serde::de::DeserializeOwned;

use crate::model::detail::Detail;
use crate::model::list::Listing;
use crate::model::queue::Source;
use crate::model::row::Row;
use crate::model::run::{Broken, Outcome, Run, Undo};
use crate::model::{combo_orders, free_trials, orders as order_rows, withdrawals as withdrawal_rows};
use crate::runner::{orders, requests, supply, withdrawals};
use crate::session::Who;
use crate::text::clean;

/// So many marked at once are loaded as rows, so that sums and counts are known; of more, only the ids.
const AS_ROWS: i64 = 1_000;
/// More than this is nobody's moderation any more, and belongs to `panelctl` with its journal.
const MOST: i64 = 100_000;

/// A page with the ids of all that match.
pub(crate) async fn load(client: &Client, source: Source, query: &TableQuery) -> Result<Listing> {
    match source {
        Source::Orders => page::<ListOrders, _>(client, query, order_rows::row).await,
        Source::ComboOrders => page::<ListComboOrders, _>(client, query, combo_orders::row).await,
        Source::FreeTrials => page::<ListFreeTrials, _>(client, query, free_trials::row).await,
        Source::Withdrawals => page::<ListWithdrawals, _>(client, query, withdrawal_rows::row).await,
        Source::Supply => supply::load(client, query).await,
    }
}

async fn page<E, R>(client: &Client, query: &TableQuery, row: fn(&R) -> Row) -> Result<Listing>
where
    E: Endpoint<Path = (), Query = TableQuery, Body = NoBody, Answer = Page<R>>,
    R: DeserializeOwned + Send + 'static,
{
    let page = client.call::<E>((), query, &NoBody {});
    let ids = client.first_ids::<E, R>(query);
    let (page, ids) = tokio::try_join!(page, ids)?;
    Ok(Listing { rows: page.data.iter().map(row).collect(), total: page.records_filtered, ids: ids.ids })
}

/// Everything that matches.
///
/// A filter that names a record by a text marks the records of that one only.
pub(crate) async fn all(
    client: &Client,
    source: Source,
    query: &TableQuery,
) -> Result<(Vec<Row>, Vec<RecordId>)> {
    let query = &names::resolve(client, query.clone()).await.map_err(refused_name)?;
    match source {
        Source::Orders => every::<ListOrders, _>(client, source, query, order_rows::row).await,
        Source::ComboOrders => every::<ListComboOrders, _>(client, source, query, combo_orders::row).await,
        Source::FreeTrials => every::<ListFreeTrials, _>(client, source, query, free_trials::row).await,
        Source::Withdrawals => every::<ListWithdrawals, _>(client, source, query, withdrawal_rows::row).await,
        Source::Supply => supply::all(client, query).await,
    }
}

/// Most candidates of a refusal: it is one line of the screen.
const CANDIDATES: usize = 3;

fn refused_name(error: NameError) -> Error {
    match error {
        NameError::Call(error) => error,
        NameError::Several { column, text, noun, found, .. } => {
            let shown = found.iter().take(CANDIDATES).map(|(id, name)| format!("{id} {}", clean(name)));
            let shown = shown.collect::<Vec<_>>().join(", ");
            let rest = if found.len() > CANDIDATES { ", …" } else { "" };
            let id = found.first().map_or(0, |(id, _)| id.get());
            Error::Setup(format!(
                "Nothing was marked: several {noun} match {}: {shown}{rest}. Write {column}:{id}.",
                clean(&text)
            ))
        }
    }
}

async fn every<E, R>(
    client: &Client,
    source: Source,
    query: &TableQuery,
    row: fn(&R) -> Row,
) -> Result<(Vec<Row>, Vec<RecordId>)>
where
    E: Endpoint<Path = (), Query = TableQuery, Body = NoBody, Answer = Page<R>>,
    R: DeserializeOwned + Send + 'static,
{
    let mut query = TableQuery { start: 0, length: None, ..query.clone() };
    query.order.clear();
    let total = client.first_ids::<E, R>(&query).await?.total;
    if total > MOST {
        let noun = source.noun();
        return Err(Error::Setup(format!(
            "{total} {noun}s match; at most {MOST} are marked here. Narrow the filter, or use panelctl with --all-matching."
        )));
    }
    if total > AS_ROWS {
        return Ok((Vec::new(), client.ids::<E, R>(&query).await?));
    }
    let found: Vec<R> = client.rows::<E, R>(query).try_collect().await?;
    Ok((found.iter().map(row).collect(), Vec::new()))
}

/// One record in full.
pub(crate) async fn detail(client: &Client, source: Source, id: RecordId) -> Result<Box<Detail>> {
    match source {
        Source::Orders => orders::detail(client, id).await,
        Source::ComboOrders => requests::combo(client, id).await,
        Source::FreeTrials => requests::trial(client, id).await,
        Source::Withdrawals => withdrawals::detail(client, id).await,
        Source::Supply => supply::detail(client, id).await,
    }
}

/// The action of a run.
fn action(run: &Run) -> Result<Action> {
    match run.source {
        Source::Orders => orders::action(run),
        Source::ComboOrders | Source::FreeTrials => requests::action(run),
        Source::Withdrawals => withdrawals::action(run),
        Source::Supply => Err(Error::Setup("Panels are only looked at here.".into())),
    }
}

/// What a run would do.
pub(crate) async fn preview(client: &Client, run: &Run) -> Result<Outcome> {
    if let Some(undone) = &run.undoes {
        return undo(client, undone, DryRun::YES).await;
    }
    if let Some((id, input)) = orders::with_amount(run) {
        client.cancel_order(id.known_as(), &DryRun::YES, &input).await?;
        return Ok(orders::one_canceled(id, &input));
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
    if let Some(undone) = &run.undoes {
        return undo(client, undone, DryRun::NO).await;
    }
    if let Some((id, input)) = orders::with_amount(run) {
        client.once().cancel_order(id.known_as(), &DryRun::NO, &input).await?;
        return Ok(orders::one_canceled(id, &input));
    }
    let folder = place::runs().map_err(|trouble| Error::Setup(trouble.to_string()))?;
    let folder = Folder::open(folder)?;
    let about = About {
        profile: Some(who.profile.clone()),
        user: Some(who.email.clone()),
        command: format!("panel-tui {} {}s", run.verb.words().verb, run.source.noun()),
        filter: None,
        words: Some(Words {
            one: run.source.noun().to_owned(),
            many: format!("{}s", run.source.noun()),
            past: run.verb.words().done.to_owned(),
        }),
    };
    let mut told = |report: &Report, _: usize| progress(report.total);
    let ended = begin(client, &folder, (action(run)?, about), (&run.ids, CHUNK), stop, &mut told).await?;
    if let (Some(id), true, None) = (&ended.id, ended.report.open.is_empty(), &ended.error) {
        // Nothing is left to go on with. That the file stays where it cannot be removed does no harm.
        drop(std::fs::remove_file(folder.file(id)));
    }
    finished(ended)
}

/// Takes requests back, or tries it. A request that cannot be taken back any more leaves its records out.
async fn undo(client: &Client, undone: &Undo, dry_run: DryRun) -> Result<Outcome> {
    let mut answers = Vec::new();
    for request_id in &undone.requests {
        let answer = client.undo((), &dry_run, &UndoInput { request_id: request_id.clone() }).await;
        let is_over = answer.as_ref().is_err_and(|error| status_of(error) != Some(409));
        answers.push(answer);
        if is_over {
            break;
        }
    }
    restored(undone, answers)
}

fn status_of(error: &Error) -> Option<u16> {
    error.refused().map(|refused| refused.status)
}

/// What became of the records of several requests. A refused request names its records; where one does not, or has no
/// answer, it is not known which of the records were restored.
fn restored(undone: &Undo, answers: Vec<Result<BulkOutcome>>) -> Result<Outcome> {
    let mut outcome = Outcome::default();
    let (mut done, mut refusal, mut why) = (0, None, None);
    for answer in answers {
        match answer {
            Ok(answer) => {
                done += answer.processed;
                outcome.skipped.extend(answer.skipped.into_iter().map(harmless));
            }
            Err(error) => {
                let named =
                    error.refused().map(|refused| refused.problem.skipped.clone()).unwrap_or_default();
                if named.is_empty() {
                    why.get_or_insert_with(|| super::trouble::sentence(&error));
                }
                outcome.skipped.extend(named.into_iter().map(harmless));
                refusal.get_or_insert(error);
            }
        }
    }
    if let (Some(error), 0) = (refusal, done) {
        return Err(error);
    }
    let is_left = |id: &RecordId| !outcome.skipped.iter().any(|skip| skip.id == *id);
    let rest: Vec<RecordId> = undone.ids.iter().copied().filter(is_left).collect();
    match why {
        None => outcome.moved = rest,
        Some(why) => outcome.broken = Some(Broken { why, open: rest, run: None }),
    }
    Ok(outcome)
}

fn harmless(skip: Skipped) -> Skipped {
    Skipped { message: clean(&skip.message), ..skip }
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
    Outcome {
        moved: report.processed,
        skipped: report.skipped.into_iter().map(harmless).collect(),
        returned: report.returned,
        users: report.users,
        charged: report.charged,
        undo: report.undo.into_iter().map(|offer| offer.request_id).collect(),
        broken: broken.map(|(why, run)| Broken { why, open, run }),
    }
}

#[cfg(test)]
mod tests {
    use panel_client::error::Refused;
    use panel_contract::error::Problem;

    use crate::model::verb::Verb;

    use super::*;

    fn ids(raw: &[i64]) -> Vec<RecordId> {
        raw.iter().copied().map(RecordId::new).collect()
    }

    fn ended(processed: &[i64], open: &[i64], status: Option<u16>) -> Ended {
        let problem = |_| Problem {
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
        Ended { id: Some("01K9X3".into()), report, error }
    }

    #[test]
    fn a_name_of_several_records_marks_none() {
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
        let sentence = refused_name(several).to_string();
        assert!(
            sentence.starts_with("Nothing was marked: several users match anna: 7 Anna, 9 Anna"),
            "{sentence}"
        );
        assert!(sentence.ends_with(", …. Write user:7.") && !sentence.contains('\u{1b}'), "{sentence}");
    }

    #[test]
    fn a_refused_undo_is_told_beside_the_others() {
        let offer = Undo {
            number: 1,
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
            let problem = Problem {
                skipped,
                second_factor: None,
                message: "It has changed.".into(),
                errors: Default::default(),
                code: "undo_conflict".into(),
                request_id: String::new(),
            };
            Err(Error::Refused(Box::new(Refused { status: 409, problem, retry_after: None })))
        };
        let both = restored(&offer, vec![worked(), refused(vec![skip(3)])]).unwrap();
        assert_eq!((both.moved, both.skipped.as_slice()), (ids(&[1, 2]), &[skip(3)][..]));
        let unnamed = restored(&offer, vec![worked(), refused(Vec::new())]).unwrap();
        assert!(unnamed.moved.is_empty(), "which of them were restored is not known");
        let broken = unnamed.broken.unwrap();
        assert_eq!((broken.why.as_str(), broken.open), ("It has changed.", ids(&[1, 2, 3])));
        assert!(restored(&offer, vec![refused(vec![skip(3)]), refused(Vec::new())]).is_err());
    }

    #[test]
    fn a_run_that_did_not_come_to_its_end_says_what_became_of_each_id() {
        assert!(finished(ended(&[], &[1, 2], Some(403))).is_err(), "refused as a whole: nothing is open");
        let broken = finished(ended(&[1], &[2], Some(403))).unwrap().broken.unwrap();
        assert_eq!(
            (broken.why.as_str(), broken.open.as_slice(), broken.run.as_deref()),
            ("No.", &ids(&[2])[..], Some("01K9X3"))
        );
        let stopped = finished(ended(&[1], &[2], None)).unwrap().broken.unwrap();
        assert_eq!(stopped.why, "It was stopped.");
        assert!(finished(ended(&[1, 2], &[], None)).unwrap().broken.is_none());
    }
}
