//! Commands that change one record, many, or all that match the filters, with one confirmation and one journal.

use clap::{Arg, ArgMatches, Command};
use panel_client::bulk::action::BulkAction;
use panel_client::bulk::journal;
use panel_client::bulk::report::RunReport;
use panel_client::bulk::run::{self, DEFAULT_CHUNK_SIZE, MAX_CHUNK_SIZE, RunInfo, RunOutcome};
use panel_client::request::Request;
use panel_contract::amount::Money;
use panel_contract::common::{BulkOutcome, DryRun};
use panel_contract::endpoint::{EmptyBody, Endpoint, Op};
use panel_contract::ids::{Id, RecordId};
use panel_contract::orders::OrderIds;

use crate::command::confirm::{self, Question, Reversibility};
use crate::command::ids::Selection;
use crate::command::list::ListCommand;
use crate::command::outcome::{
    RecordNouns, check_columns, format_costs, format_skip_reasons, print_report, report_run, with_flag_names,
};
use crate::command::progress::Progress;
use crate::command::{Examples, command_with_examples, ids};
use crate::ctx::Ctx;
use crate::exit::Exit;
use crate::failure::{CommandResult, Failure};

pub(crate) struct BulkCommand {
    /// Imperative, such as `cancel`.
    pub(crate) name: &'static str,
    /// Past participle for messages, such as `canceled`.
    pub(crate) past_participle: &'static str,
    pub(crate) about: &'static str,
    /// The list that selects the records.
    pub(crate) list: &'static ListCommand,
    pub(crate) reversibility: Reversibility,
    /// The endpoints that the action calls: the bulk endpoint and the endpoint for a single record.
    pub(crate) operations: &'static [Op],
    /// Flags that are valid for exactly one record.
    pub(crate) single_record_flags: &'static [&'static str],
    /// Adds the action's own flags.
    pub(crate) args: fn(Command) -> Command,
    pub(crate) bulk_action: fn(&ArgMatches) -> CommandResult<BulkAction>,
    /// The request for exactly one record, whose errors are more specific. `None` if the action has only a bulk endpoint.
    pub(crate) single_request: fn(&ArgMatches, RecordId) -> CommandResult<Option<Request>>,
    pub(crate) examples: Examples,
}

/// How to confirm a bulk action.
struct ConfirmOptions {
    /// Whether a dry run of the bulk endpoint shows what the action would change.
    can_preview: bool,
    /// Whether `--all-matching` selects every record of the list, because no filter is set.
    is_unfiltered: bool,
}

impl BulkCommand {
    pub(crate) fn command(&self) -> Command {
        let command = (self.args)(command_with_examples(self.name, self.about, self.examples));
        let command =
            confirm::safety_args(ids::selection_args(self.list, command)).arg(confirm::confirm_count_arg());
        let command = command.arg(
            Arg::new("chunk")
                .long("chunk")
                .value_name("IDS")
                .value_parser(clap::value_parser!(u64).range(1..=MAX_CHUNK_SIZE as u64))
                .help("Ids per request [default: 500]"),
        );
        command.arg(
            Arg::new("max-skipped")
                .long("max-skipped")
                .value_name("COUNT")
                .value_parser(clap::value_parser!(usize))
                .help("Stop when more than COUNT records have been skipped in total, checked after each chunk; the run can be resumed"),
        )
    }

    pub(crate) async fn run(&self, ctx: &Ctx, matches: &ArgMatches) -> CommandResult {
        let action = (self.bulk_action)(matches)?;
        check_columns(ctx)?;
        confirm::announce_target(ctx)?;
        let Selection { ids, filter, is_unfiltered } = ids::select_records(ctx, self.list, matches).await?;
        if ids.is_empty() {
            ctx.out.print_message(&format!("No {} match; nothing changed.", self.list.plural));
            print_report(ctx, &action.endpoint, None, &RunReport::default())?;
            return Ok(Exit::Ok);
        }
        let single_flag = self.single_record_flags.iter().find(|flag| matches.contains_id(flag));
        if let (Some(flag), true) = (single_flag, ids.len() > 1) {
            let (count, noun) = (ids.len(), self.list.plural);
            return Err(Failure::usage(format!(
                "--{flag} requires exactly one id, but {count} {noun} are selected."
            )));
        }
        if confirm::is_dry_run(matches) {
            // The bulk endpoint does not accept a single-record flag.
            if let ([id], Some(_)) = (ids.as_slice(), single_flag) {
                let request = (self.single_request)(matches, *id)?
                    .ok_or_else(|| Failure::usage("--dry-run is not available for a single record."))?;
                return self.send_single_request(ctx, &action, *id, request, DryRun::YES).await;
            }
            let report = self.preview(ctx, &action, &ids).await?;
            return self.report(ctx, &action, &RunOutcome { id: None, report, error: None });
        }
        // The dry run of the bulk endpoint ignores single-record flags, so it would show other amounts.
        let can_preview = single_flag.is_none();
        self.confirm(ctx, matches, &action, &ids, ConfirmOptions { can_preview, is_unfiltered }).await?;
        if let [id] = ids.as_slice()
            && let Some(request) = (self.single_request)(matches, *id)?
        {
            return self.send_single_request(ctx, &action, *id, request, DryRun::NO).await;
        }
        let outcome = self.run_bulk(ctx, matches, &action, &ids, filter).await?;
        let exit = self.report(ctx, &action, &outcome)?;
        let max_skipped = matches.get_one::<usize>("max-skipped").copied().unwrap_or(usize::MAX);
        // `--max-skipped` stopped the run, not the user: the exit code depends on the results.
        if exit == Exit::Interrupted && outcome.report.skipped.len() > max_skipped {
            ctx.out.print_message(&format!("Stopped: more than {max_skipped} records were skipped."));
            return Ok(if outcome.report.processed.is_empty() { Exit::Failed } else { Exit::Partial });
        }
        Ok(exit)
    }

    async fn preview(&self, ctx: &Ctx, action: &BulkAction, ids: &[RecordId]) -> CommandResult<RunReport> {
        let mut progress = Progress::new(&ctx.out, ids.len());
        let mut show_progress = |report: &RunReport, total| progress.show(report, total);
        run::preview_run(&ctx.client()?, action, ids, &mut show_progress).await.map_err(with_flag_names)
    }

    /// Asks for confirmation. If the action cannot be undone, first shows the result of a dry run.
    async fn confirm(
        &self,
        ctx: &Ctx,
        matches: &ArgMatches,
        action: &BulkAction,
        ids: &[RecordId],
        options: ConfirmOptions,
    ) -> CommandResult<()> {
        let count = ids.len();
        let noun = if count == 1 { self.list.singular } else { self.list.plural };
        let text = format!("{} {count} {noun}?", capitalize(self.name));
        let asks_in_terminal = confirm::asks_for_confirmation(matches) && crate::output::can_prompt();
        let mut reversibility = self.reversibility;
        if options.can_preview && self.reversibility.requires_preview() && asks_in_terminal {
            let report = self.preview(ctx, action, ids).await?;
            let mut preview =
                format!("{} of {count} can be {}", report.processed.len(), self.past_participle);
            if report.refunded != Money::default() {
                preview.push_str(&format!(", {} is refunded to customers", report.refunded));
            }
            if report.charged != Money::default() {
                preview
                    .push_str(&format!(", {} is charged to customers and cannot be undone", report.charged));
            }
            if let Some(costs) = &report.costs {
                preview.push_str(&format!(", {}", format_costs(costs)));
            }
            ctx.out.print_message(&format!("{preview}."));
            ctx.out.print_message(&format_skip_reasons(&report));
            reversibility = reversibility_after_preview(reversibility, &report);
        }
        let unfiltered_noun = options.is_unfiltered.then_some(self.list.plural);
        confirm::ask_confirmation(ctx, matches, &Question { text, count, reversibility, unfiltered_noun })
            .await
    }

    /// Sends the request for one record; its report has the shape of the report of a bulk run.
    async fn send_single_request(
        &self,
        ctx: &Ctx,
        action: &BulkAction,
        id: RecordId,
        request: Request,
        dry_run: DryRun,
    ) -> CommandResult {
        let report =
            run::run_single_record(&ctx.client()?, request, id, dry_run).await.map_err(with_flag_names)?;
        self.report(ctx, action, &RunOutcome { id: None, report, error: None })
    }

    async fn run_bulk(
        &self,
        ctx: &Ctx,
        matches: &ArgMatches,
        action: &BulkAction,
        ids: &[RecordId],
        filter: Option<String>,
    ) -> CommandResult<RunOutcome> {
        let (profile_name, profile) = ctx.profile()?;
        let info = RunInfo {
            profile: Some(profile_name),
            user: profile.and_then(|profile| profile.user),
            command: ctx.command.clone(),
            filter,
            wording: Some(self.wording()),
        };
        let chunk_size = matches.get_one::<u64>("chunk").and_then(|size| usize::try_from(*size).ok());
        let ids_and_chunk_size = (ids, chunk_size.unwrap_or(DEFAULT_CHUNK_SIZE));
        let (client, folder) = (ctx.client()?, ctx.run_folder()?);
        ctx.interrupt.set_run_active();
        let max_skipped = matches.get_one::<usize>("max-skipped").copied().unwrap_or(usize::MAX);
        let mut progress = Progress::new(&ctx.out, ids.len());
        let mut show_progress = |report: &RunReport, total| {
            progress.show(report, total);
            if report.skipped.len() > max_skipped {
                ctx.interrupt.stop.request_stop();
            }
        };
        let action_and_info = (action.clone(), info);
        Ok(run::start_run(
            &client,
            &folder,
            action_and_info,
            ids_and_chunk_size,
            &ctx.interrupt.stop,
            &mut show_progress,
        )
        .await?)
    }

    /// The nouns and the participle for messages.
    fn wording(&self) -> journal::RunWording {
        RecordNouns {
            singular: self.list.singular,
            plural: self.list.plural,
            past_participle: self.past_participle,
        }
        .into_wording()
    }

    fn report(&self, ctx: &Ctx, action: &BulkAction, outcome: &RunOutcome) -> CommandResult {
        report_run(ctx, &self.wording(), &action.endpoint, outcome)
    }
}

/// The action of a bulk endpoint whose body has only the field `order_ids`.
pub(crate) fn order_ids_action<E>(_: &ArgMatches) -> CommandResult<BulkAction>
where
    E: Endpoint<Path = (), Query = DryRun, Body = OrderIds, Response = BulkOutcome>,
{
    Ok(BulkAction::bulk::<E>("order_ids", &OrderIds { order_ids: Vec::new() })?)
}

/// The action that sends one request for each id.
pub(crate) fn action_per_id<E>(_: &ArgMatches) -> CommandResult<BulkAction>
where
    E: Endpoint<Path: Id, Query = DryRun, Body = EmptyBody>,
{
    Ok(BulkAction::per_id::<E>(&EmptyBody {})?)
}

/// The request of a single-record endpoint that takes only the id.
pub(crate) fn single_record_request<E>(_: &ArgMatches, id: RecordId) -> CommandResult<Option<Request>>
where
    E: Endpoint<Path: Id, Body = EmptyBody>,
    E::Query: Default,
{
    Ok(Some(Request::for_endpoint::<E>(id.typed_as(), &E::Query::default(), &EmptyBody {})?))
}

/// Returns the reversibility after a dry run: an irreversible action becomes partly reversible if the server can undo it for some
/// records.
fn reversibility_after_preview(reversibility: Reversibility, report: &RunReport) -> Reversibility {
    let undoable_count = report.undo_offers.iter().map(|offer| offer.records).sum();
    match reversibility {
        Reversibility::Irreversible if undoable_count > 0 => Reversibility::PartlyReversible {
            undoable_count,
            total_count: i64::try_from(report.processed.len()).unwrap_or(i64::MAX),
        },
        reversibility => reversibility,
    }
}

fn capitalize(text: &str) -> String {
    let mut characters = text.chars();
    characters.next().map_or_else(String::new, |first| first.to_uppercase().chain(characters).collect())
}

#[cfg(test)]
mod tests {
    use panel_contract::common::UndoOffer;

    use super::*;

    #[test]
    fn a_preview_with_undo_makes_the_action_partly_reversible() {
        let offer = |records| UndoOffer { request_id: "request-1".into(), records };
        let report = RunReport {
            processed: vec![RecordId::new(1), RecordId::new(2)],
            undo_offers: vec![offer(1)],
            ..RunReport::default()
        };
        assert_eq!(
            reversibility_after_preview(Reversibility::Irreversible, &report),
            Reversibility::PartlyReversible { undoable_count: 1, total_count: 2 }
        );
        assert!(reversibility_after_preview(Reversibility::Irreversible, &report).requires_preview());
        assert_eq!(
            reversibility_after_preview(
                Reversibility::Irreversible,
                &RunReport { undo_offers: Vec::new(), ..report.clone() }
            ),
            Reversibility::Irreversible
        );
        assert_eq!(
            reversibility_after_preview(Reversibility::Reversible("panelctl orders activate"), &report),
            Reversibility::Reversible("panelctl orders activate")
        );
    }
}
