//! Bulk actions: on one record, many, or all that match the filters, with one confirmation and one journal.

use clap::{Arg, ArgMatches, Command};
use panel_client::bulk::action::Action;
use panel_client::bulk::journal;
use panel_client::bulk::report::Report;
use panel_client::bulk::run::{self, CHUNK, MAX_CHUNK, RunInfo, RunOutcome};
use panel_client::request::Request;
use panel_contract::amount::Money;
use panel_contract::common::{BulkOutcome, DryRun};
use panel_contract::endpoint::{EmptyBody, Endpoint, Op};
use panel_contract::ids::{Id, RecordId};
use panel_contract::orders::OrderIds;

use crate::command::confirm::{self, Danger, Question};
use crate::command::ids::Selection;
use crate::command::list::List;
use crate::command::outcome::{RecordNouns, check_columns, costs_text, flags, print, reasons, report_run};
use crate::command::progress::Progress;
use crate::command::{Examples, described, ids};
use crate::ctx::Ctx;
use crate::exit::Exit;
use crate::failure::{CmdResult, Failure};

pub(crate) struct Verb {
    /// Such as `cancel`.
    /// Imperative, such as `cancel`.
    pub(crate) name: &'static str,
    /// Past participle for messages, such as `canceled`.
    pub(crate) past: &'static str,
    pub(crate) about: &'static str,
    /// The list that selects the records.
    pub(crate) list: &'static List,
    pub(crate) danger: Danger,
    /// The endpoints that the action calls: the bulk endpoint, and the one for a single record.
    pub(crate) ops: &'static [Op],
    /// Flags that are valid for exactly one record.
    pub(crate) single_record_flags: &'static [&'static str],
    /// Adds the action's own flags.
    pub(crate) args: fn(Command) -> Command,
    pub(crate) bulk: fn(&ArgMatches) -> CmdResult<Action>,
    /// The request for exactly one record, whose errors are more specific. None if only the bulk endpoint can do it.
    pub(crate) single: fn(&ArgMatches, RecordId) -> CmdResult<Option<Request>>,
    pub(crate) examples: Examples,
}

impl Verb {
    pub(crate) fn command(&self) -> Command {
        let command = (self.args)(described(self.name, self.about, self.examples));
        let command = confirm::args(ids::args(self.list, command)).arg(confirm::count_arg());
        let command = command.arg(
            Arg::new("chunk")
                .long("chunk")
                .value_name("IDS")
                .value_parser(clap::value_parser!(u64).range(1..=MAX_CHUNK as u64))
                .help("Ids per request [default: 500]"),
        );
        command.arg(
            Arg::new("max-failures")
                .long("max-failures")
                .value_name("COUNT")
                .value_parser(clap::value_parser!(usize))
                .help("Stop after the chunk in which more than COUNT records were skipped; the run can be resumed"),
        )
    }

    pub(crate) async fn run(&self, ctx: &Ctx, matches: &ArgMatches) -> CmdResult {
        let action = (self.bulk)(matches)?;
        check_columns(ctx)?;
        confirm::announce(ctx)?;
        let Selection { ids, filter, is_everything } = ids::select(ctx, self.list, matches).await?;
        if ids.is_empty() {
            ctx.out.print_message(&format!("No {} match; nothing changed.", self.list.noun));
            print(ctx, &action.endpoint, None, &Report::default())?;
            return Ok(Exit::Ok);
        }
        let single_flag = self.single_record_flags.iter().find(|flag| matches.contains_id(flag));
        if let (Some(flag), true) = (single_flag, ids.len() > 1) {
            let (count, noun) = (ids.len(), self.list.noun);
            return Err(Failure::usage(format!(
                "--{flag} requires exactly one id, but {count} {noun} are selected."
            )));
        }
        if confirm::is_dry(matches) {
            // The bulk endpoint does not accept this flag.
            if let ([id], Some(_)) = (ids.as_slice(), single_flag) {
                let request = (self.single)(matches, *id)?
                    .ok_or_else(|| Failure::usage("--dry-run is not available for a single record."))?;
                return self.send_one(ctx, &action, *id, request, DryRun::YES).await;
            }
            let report = self.preview(ctx, &action, &ids).await?;
            return self.report(ctx, &action, &RunOutcome { id: None, report, error: None });
        }
        // The bulk endpoint would report other amounts than the flag sets.
        let can_preview = single_flag.is_none();
        self.ask(ctx, matches, &action, &ids, (can_preview, is_everything)).await?;
        if let [id] = ids.as_slice()
            && let Some(request) = (self.single)(matches, *id)?
        {
            return self.send_one(ctx, &action, *id, request, DryRun::NO).await;
        }
        let ended = self.run_bulk(ctx, matches, &action, &ids, filter).await?;
        let exit = self.report(ctx, &action, &ended)?;
        let max_failures = matches.get_one::<usize>("max-failures").copied().unwrap_or(usize::MAX);
        // `--max-failures` stopped the run, not the user: the exit code depends on the results.
        if exit == Exit::Interrupted && ended.report.skipped.len() > max_failures {
            ctx.out.print_message(&format!("Stopped: more than {max_failures} records were skipped."));
            return Ok(if ended.report.processed.is_empty() { Exit::Failed } else { Exit::Partial });
        }
        Ok(exit)
    }

    async fn preview(&self, ctx: &Ctx, action: &Action, ids: &[RecordId]) -> CmdResult<Report> {
        let mut progress = Progress::new(&ctx.out, ids.len());
        let mut show = |report: &Report, total| progress.show(report, total);
        run::preview_run(&ctx.client()?, action, ids, &mut show).await.map_err(flags)
    }

    /// Asks for confirmation. Before an action that cannot be undone it shows what would happen.
    async fn ask(
        &self,
        ctx: &Ctx,
        matches: &ArgMatches,
        action: &Action,
        ids: &[RecordId],
        (can_preview, is_everything): (bool, bool),
    ) -> CmdResult<()> {
        let count = ids.len();
        let noun = if count == 1 { self.list.one } else { self.list.noun };
        let text = format!("{} {count} {noun}?", capital(self.name));
        let will_ask = confirm::will_ask(matches) && crate::output::can_ask();
        let mut danger = self.danger;
        if can_preview && self.danger.needs_care() && will_ask {
            let report = self.preview(ctx, action, ids).await?;
            let mut preview = format!("{} of {count} can be {}", report.processed.len(), self.past);
            if report.returned != Money::default() {
                preview.push_str(&format!(", {} is refunded to customers", report.returned));
            }
            if report.charged != Money::default() {
                preview.push_str(&format!(", {} is charged to customers, which is final", report.charged));
            }
            if let Some(costs) = &report.costs {
                preview.push_str(&format!(", {}", costs_text(costs)));
            }
            ctx.out.print_message(&format!("{preview}."));
            ctx.out.print_message(&reasons(&report));
            danger = danger_after_preview(danger, &report);
        }
        let unfiltered = is_everything.then_some(self.list.noun);
        confirm::ask(ctx, matches, &Question { text, count, danger, unfiltered }).await
    }

    /// Sends the request for one record; the report has the shape of a bulk run's.
    async fn send_one(
        &self,
        ctx: &Ctx,
        action: &Action,
        id: RecordId,
        request: Request,
        dry_run: DryRun,
    ) -> CmdResult {
        let report = run::one(&ctx.client()?, request, id, dry_run).await.map_err(flags)?;
        self.report(ctx, action, &RunOutcome { id: None, report, error: None })
    }

    async fn run_bulk(
        &self,
        ctx: &Ctx,
        matches: &ArgMatches,
        action: &Action,
        ids: &[RecordId],
        filter: Option<String>,
    ) -> CmdResult<RunOutcome> {
        let (profile, settings) = ctx.profile()?;
        let about = RunInfo {
            profile: Some(profile),
            user: settings.and_then(|profile| profile.user),
            command: ctx.command.clone(),
            filter,
            words: Some(self.words()),
        };
        let chunk = matches.get_one::<u64>("chunk").and_then(|chunk| usize::try_from(*chunk).ok());
        let ids = (ids, chunk.unwrap_or(CHUNK));
        let (client, folder) = (ctx.client()?, ctx.runs()?);
        ctx.interrupt.arm();
        let max_failures = matches.get_one::<usize>("max-failures").copied().unwrap_or(usize::MAX);
        let mut progress = Progress::new(&ctx.out, ids.0.len());
        let mut show = |report: &Report, total| {
            progress.show(report, total);
            if report.skipped.len() > max_failures {
                ctx.interrupt.stop.stop();
            }
        };
        let plan = (action.clone(), about);
        Ok(run::begin(&client, &folder, plan, ids, &ctx.interrupt.stop, &mut show).await?)
    }

    /// The nouns and the participle of messages.
    fn words(&self) -> journal::Words {
        RecordNouns { one: self.list.one, many: self.list.noun, past: self.past }.owned()
    }

    fn report(&self, ctx: &Ctx, action: &Action, ended: &RunOutcome) -> CmdResult {
        report_run(ctx, &self.words(), &action.endpoint, ended)
    }
}

/// An action on a bulk endpoint whose body is only ids under `order_ids`.
pub(crate) fn bulk<E>(_: &ArgMatches) -> CmdResult<Action>
where
    E: Endpoint<Path = (), Query = DryRun, Body = OrderIds, Answer = BulkOutcome>,
{
    Ok(Action::of::<E>("order_ids", &OrderIds { order_ids: Vec::new() })?)
}

/// An action that sends one request for each id.
pub(crate) fn one_request_each<E>(_: &ArgMatches) -> CmdResult<Action>
where
    E: Endpoint<Path: Id, Query = DryRun, Body = EmptyBody>,
{
    Ok(Action::each::<E>(&EmptyBody {})?)
}

/// The request of a single-record endpoint that takes only the id.
pub(crate) fn single<E>(_: &ArgMatches, id: RecordId) -> CmdResult<Option<Request>>
where
    E: Endpoint<Path: Id, Body = EmptyBody>,
    E::Query: Default,
{
    Ok(Some(Request::of::<E>(id.typed_as(), &E::Query::default(), &EmptyBody {})?))
}

/// The danger after a preview, which says how many records the panel can restore.
fn danger_after_preview(danger: Danger, report: &Report) -> Danger {
    let restored = report.undo.iter().map(|offer| offer.records).sum();
    match danger {
        Danger::Final if restored > 0 => {
            Danger::Partly { restored, of: i64::try_from(report.processed.len()).unwrap_or(i64::MAX) }
        }
        danger => danger,
    }
}

fn capital(text: &str) -> String {
    let mut characters = text.chars();
    characters.next().map_or_else(String::new, |first| first.to_uppercase().chain(characters).collect())
}

#[cfg(test)]
mod tests {
    use panel_contract::common::UndoOffer;

    use super::*;

    #[test]
    fn a_preview_with_undo_is_only_partly_final() {
        let offer = |records| UndoOffer { request_id: "r".into(), records };
        let report = Report {
            processed: vec![RecordId::new(1), RecordId::new(2)],
            undo: vec![offer(1)],
            ..Report::default()
        };
        assert_eq!(danger_after_preview(Danger::Final, &report), Danger::Partly { restored: 1, of: 2 });
        assert!(danger_after_preview(Danger::Final, &report).needs_care());
        assert_eq!(
            danger_after_preview(Danger::Final, &Report { undo: Vec::new(), ..report.clone() }),
            Danger::Final
        );
        assert_eq!(danger_after_preview(Danger::Reversible("x"), &report), Danger::Reversible("x"));
    }
}
