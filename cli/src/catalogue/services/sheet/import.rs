//! `services import`: prints the changes of each field, asks for confirmation, and sends the changes with a journal: updates
//! first, then new services. A file with an error changes nothing.

use std::collections::BTreeMap;

use clap::{Arg, ArgMatches};
use panel_client::bulk::action::BulkAction;
use panel_client::bulk::report::RunReport;
use panel_client::bulk::run::{self, RunInfo, RunOutcome};
use panel_contract::endpoint::Endpoint as _;
use panel_contract::endpoints::services::{CreateService, GetService, ListServices, UpdateService};
use panel_contract::ids::{RecordId, ServiceId};
use panel_contract::services::ServiceInput;
use panel_contract::table::TableQuery;
use serde_json::{Map, Value, json};

use super::diff::{LineDiff, LineKey, LineOutcome, diff_lines};
use super::export::{fetch_services_from_list, fetch_services_one_by_one, read_service_id};
use super::fields::SCHEMA;
use crate::command::CustomCommand;
use crate::command::confirm::{self, Question, Reversibility};
use crate::command::outcome::{
    RecordNouns, combine_results, prints_one_object, report_to_json, report_without_data,
};
use crate::command::progress::Progress;
use crate::command::request_command::required_value;
use crate::ctx::Ctx;
use crate::exit::Exit;
use crate::failure::{CommandResult, Failure};
use crate::output::column::{Column, DisplayKind};
use crate::sheet::line::Line;
use crate::sheet::read::read_file_lines;

/// Maximum number of changed fields that are printed before the confirmation.
const MAX_PREVIEWED_FIELDS: usize = 50;
const IDS_PER_LIST_REQUEST: usize = 200;

pub(in crate::catalogue::services) const IMPORT: CustomCommand = CustomCommand {
    name: "import",
    about: "Create and update services from a CSV, XLSX or JSON file in the format of services export",
    examples: &[
        ("services import --file services.xlsx --dry-run", "show field by field what would change"),
        ("services import --file services.csv --yes", "lines without an id create new services"),
    ],
    operations: &[ListServices::OP, GetService::OP, UpdateService::OP, CreateService::OP],
    args: |command| {
        let file = Arg::new("file").long("file").value_name("FILE").required(true);
        let file = file.help(
            "File to import; fields without a column keep their values, an empty cell clears the field",
        );
        confirm::safety_args(command.arg(file)).arg(confirm::confirm_count_arg())
    },
    run: |ctx, matches| Box::pin(import_services(ctx, matches)),
};

const UPDATED_NOUNS: RecordNouns =
    RecordNouns { singular: "service", plural: "services", past_participle: "updated" };
const CREATED_NOUNS: RecordNouns =
    RecordNouns { singular: "new service", plural: "new services", past_participle: "created" };

const COLUMNS: &[Column] = &[
    Column::new("line", DisplayKind::Id),
    Column::new("id", DisplayKind::Id),
    Column::new("result", DisplayKind::Enum),
    Column::new("field", DisplayKind::Enum),
    Column::new("old", DisplayKind::Text),
    Column::new("new", DisplayKind::Text),
    Column::new("message", DisplayKind::Text),
];

async fn import_services(ctx: &Ctx, matches: &ArgMatches) -> CommandResult {
    let lines = read_file_lines(&SCHEMA, &required_value::<String>(matches, "file")?)?;
    if !prints_one_object(ctx) {
        // Rejects columns that the report does not have, before panelctl sends a request.
        drop(ctx.out.row_writer(COLUMNS)?);
    }
    confirm::announce_target(ctx)?;
    let current_services = fetch_current_services(ctx, &lines).await?;
    let diffs = diff_lines(&lines, &current_services);
    let count_lines = |result: &str| diffs.iter().filter(|diff| diff.result() == result).count();
    let (new_count, changed_count, unchanged_count, error_count) =
        (count_lines("new"), count_lines("changed"), count_lines("same"), count_lines("error"));
    // The error of a closed standard output must not replace the error of the file.
    let print_result = if error_count > 0 { print_lines(ctx, &diffs, &[]) } else { Ok(()) };
    if error_count > 0 && diffs.len() < lines.len() {
        let last_line = diffs.last().map_or(0, |diff| diff.line_number);
        let failure = Failure::usage(format!(
            "The file has {error_count} lines with errors up to line {last_line}; nothing changed."
        ));
        return combine_results(
            print_result,
            Err(failure.hint("correct them first; later lines were not checked")),
        );
    }
    ctx.out.print_message(&format!(
        "{new_count} new, {changed_count} changed, {unchanged_count} unchanged, {error_count} with errors."
    ));
    if error_count > 0 {
        let failure =
            Failure::usage(format!("The file has {error_count} lines with errors; nothing changed."));
        return combine_results(print_result, Err(failure));
    }
    let plans = [plan_run(&diffs, &current_services, false)?, plan_run(&diffs, &current_services, true)?];
    let runs = match (new_count + changed_count == 0, confirm::is_dry_run(matches)) {
        (true, _) => Vec::new(),
        (false, true) => preview_runs(ctx, plans).await?,
        (false, false) => {
            confirm_import(ctx, matches, &diffs, ImportCounts { changed_count, new_count }).await?;
            send_runs(ctx, matches, plans).await?
        }
    };
    // The rows show the result of each line, so they are printed after the run.
    let print_result = print_lines(ctx, &diffs, &runs);
    combine_results(print_result, report_runs(ctx, &runs))
}

struct ImportCounts {
    changed_count: usize,
    new_count: usize,
}

/// Prints the first changed fields, and asks for confirmation.
async fn confirm_import(
    ctx: &Ctx,
    matches: &ArgMatches,
    diffs: &[LineDiff],
    ImportCounts { changed_count, new_count }: ImportCounts,
) -> CommandResult<()> {
    if confirm::asks_for_confirmation(matches) && crate::output::can_prompt() {
        let mut lines = diffs.iter().flat_map(LineDiff::describe_changes);
        lines.by_ref().take(MAX_PREVIEWED_FIELDS).for_each(|line| ctx.out.print_message(&line));
        let other_fields = lines.count();
        if other_fields > 0 {
            ctx.out.print_message(&format!("and {other_fields} more fields; use --dry-run to show all."));
        }
    }
    let text = format!("Update {changed_count} and create {new_count} services?");
    let reversibility =
        Reversibility::Reversible("panelctl services import with a file exported before the change");
    confirm::ask_confirmation(
        ctx,
        matches,
        &Question { text, count: new_count + changed_count, reversibility, unfiltered_noun: None },
    )
    .await
}

/// Prints the result of each line. If the file has errors, prints only the errors, because panelctl sends nothing. If the output is
/// one object, it also contains the reports of the runs.
fn print_lines(ctx: &Ctx, diffs: &[LineDiff], runs: &[FinishedRun]) -> CommandResult<()> {
    let has_errors = diffs.iter().any(|diff| !diff.errors.is_empty());
    let outcomes = collect_line_outcomes(runs);
    let printed_diffs = diffs.iter().filter(|diff| !has_errors || !diff.errors.is_empty());
    let rows: Vec<Value> =
        printed_diffs.flat_map(|diff| diff.report_rows(outcomes.get(&diff.key()))).collect();
    if !prints_one_object(ctx) {
        return ctx.out.print_records(rows, COLUMNS);
    }
    let report =
        |run: &FinishedRun| report_to_json(run.plan.op, run.outcome.id.as_deref(), &run.outcome.report);
    let reports: Vec<Value> = runs.iter().map(report).collect();
    ctx.out.print_record(&json!({ "lines": rows, "reports": reports }), &[])
}

/// The outcome of each line for which panelctl sent a request.
fn collect_line_outcomes(runs: &[FinishedRun]) -> BTreeMap<LineKey, LineOutcome> {
    let mut outcomes = BTreeMap::new();
    for FinishedRun { plan, outcome } in runs {
        let report = &outcome.report;
        let result = if report.dry_run { plan.dry_run_result } else { plan.result };
        let key_of = |id: &RecordId| LineKey { is_new: plan.is_new, id: *id };
        outcomes.extend(report.processed.iter().map(|id| (key_of(id), LineOutcome::without_message(result))));
        outcomes.extend(report.open_ids.iter().map(|id| (key_of(id), LineOutcome::without_message("open"))));
        outcomes.extend(report.skipped.iter().map(|skip| {
            (key_of(&skip.id), LineOutcome { result: "skipped", message: Some(skip.message.clone()) })
        }));
    }
    outcomes
}

/// The requests of a run: updates by the service's id, or new services by their line number.
struct RunPlan {
    is_new: bool,
    op: &'static str,
    action: BulkAction,
    ids: Vec<RecordId>,
    nouns: RecordNouns,
    /// Result of a processed line in the report.
    result: &'static str,
    /// Result of a processed line in the report of a dry run.
    dry_run_result: &'static str,
}

struct FinishedRun {
    plan: RunPlan,
    outcome: RunOutcome,
}

/// Plans the run that updates services (`is_new` is false) or creates services. `None` if the file has no such lines.
fn plan_run(
    diffs: &[LineDiff],
    current_services: &BTreeMap<ServiceId, Map<String, Value>>,
    is_new: bool,
) -> CommandResult<Option<RunPlan>> {
    let selected_diffs =
        diffs.iter().filter(|diff| diff.id.is_none() == is_new && !diff.changed_fields.is_empty());
    let bodies = selected_diffs.map(|diff| {
        let mut body = diff.body();
        // The server skips a service whose `updated_at` changed after panelctl read it.
        if let Some(updated_at) =
            diff.id.and_then(|id| current_services.get(&id)).and_then(|service| service.get("updated_at"))
        {
            body["updated_at"] = updated_at.clone();
        }
        let body: ServiceInput = serde_json::from_value(body).map_err(|error| {
            Failure::usage(format!("Line {}: {error}; nothing changed.", diff.line_number))
        })?;
        Ok((diff.key().id, body))
    });
    let bodies = bodies.collect::<CommandResult<Vec<_>>>()?;
    if bodies.is_empty() {
        return Ok(None);
    }
    let ids = bodies.iter().map(|(id, _)| *id).collect();
    Ok(Some(match is_new {
        true => RunPlan {
            is_new,
            op: CreateService::OP.id,
            action: BulkAction::per_new_record::<CreateService>(&bodies)?,
            ids,
            nouns: CREATED_NOUNS,
            result: "created",
            dry_run_result: "would be created",
        },
        false => RunPlan {
            is_new,
            op: UpdateService::OP.id,
            action: BulkAction::per_id_with_bodies::<UpdateService>(&bodies)?,
            ids,
            nouns: UPDATED_NOUNS,
            result: "changed",
            dry_run_result: "would be changed",
        },
    }))
}

/// Fetches the services of the lines: from the list endpoint, or one by one if the file has fields that the list does not contain.
async fn fetch_current_services(
    ctx: &Ctx,
    lines: &[Line],
) -> CommandResult<BTreeMap<ServiceId, Map<String, Value>>> {
    let ids: Vec<ServiceId> = lines.iter().filter_map(|line| line.id).map(RecordId::typed_as).collect();
    let mut services = Vec::new();
    if lines.iter().any(|line| line.cells.iter(&SCHEMA).any(|(field, _)| !field.is_in_list)) {
        services = fetch_services_one_by_one(ctx, &ids).await?;
    } else {
        for chunk in ids.chunks(IDS_PER_LIST_REQUEST) {
            let id_texts: Vec<String> = chunk.iter().map(ToString::to_string).collect();
            services.extend(
                fetch_services_from_list(ctx, TableQuery::new().filter("id", id_texts.join(","))).await?,
            );
        }
    }
    Ok(services.into_iter().filter_map(|service| Some((read_service_id(&service)?, service))).collect())
}

/// Sends a dry run for every line, so that the server also validates the line.
async fn preview_runs(ctx: &Ctx, plans: [Option<RunPlan>; 2]) -> CommandResult<Vec<FinishedRun>> {
    let mut runs = Vec::new();
    for plan in plans.into_iter().flatten() {
        let mut progress = Progress::new(&ctx.out, plan.ids.len());
        let mut show_progress = |report: &RunReport, total| progress.show(report, total);
        let report = run::preview_run(&ctx.client()?, &plan.action, &plan.ids, &mut show_progress).await?;
        runs.push(FinishedRun { plan, outcome: RunOutcome { id: None, report, error: None } });
    }
    Ok(runs)
}

/// Sends one request for each line; the journal has one chunk for each line. If the first run is interrupted, the second run is not
/// started. `runs resume` continues the interrupted run.
async fn send_runs(
    ctx: &Ctx,
    matches: &ArgMatches,
    plans: [Option<RunPlan>; 2],
) -> CommandResult<Vec<FinishedRun>> {
    let (profile_name, profile) = ctx.profile()?;
    let info = RunInfo {
        profile: Some(profile_name),
        user: profile.and_then(|profile| profile.user),
        command: ctx.command.clone(),
        filter: Some(format!("the lines of {}", required_value::<String>(matches, "file")?)),
        wording: None,
    };
    let (client, folder) = (ctx.client()?, ctx.run_folder()?);
    ctx.interrupt.set_run_active();
    let mut runs: Vec<FinishedRun> = Vec::new();
    for plan in plans.into_iter().flatten() {
        if runs.iter().any(|run| !run.outcome.report.open_ids.is_empty()) {
            break;
        }
        let mut progress = Progress::new(&ctx.out, plan.ids.len());
        let mut show_progress = |report: &RunReport, total| progress.show(report, total);
        let info = RunInfo { wording: Some(plan.nouns.into_wording()), ..info.clone() };
        let action_and_info = (plan.action.clone(), info);
        let stop = &ctx.interrupt.stop;
        let outcome =
            run::start_run(&client, &folder, action_and_info, (&plan.ids, 1), stop, &mut show_progress).await;
        // If panelctl cannot create the journal, it sends nothing in this run, but still reports the first run.
        let outcome = outcome.unwrap_or_else(|error| RunOutcome {
            id: None,
            report: RunReport::with_open_ids(&plan.ids),
            error: Some(error),
        });
        runs.push(FinishedRun { plan, outcome });
    }
    Ok(runs)
}

/// Prints the summary of every run, and returns the exit code of all runs together.
fn report_runs(ctx: &Ctx, runs: &[FinishedRun]) -> CommandResult {
    let has_processed_lines = runs.iter().any(|run| !run.outcome.report.processed.is_empty());
    let mut exit_codes = Vec::new();
    for run in runs {
        match report_without_data(ctx, &run.plan.nouns.into_wording(), &run.outcome) {
            Ok(exit) => exit_codes.push(exit),
            Err(mut failure) => {
                if failure.exit == Exit::Failed && has_processed_lines {
                    failure.exit = Exit::Partial;
                }
                return Err(failure);
            }
        }
    }
    Ok(match exit_codes.as_slice() {
        exit_codes if exit_codes.contains(&Exit::Interrupted) => Exit::Interrupted,
        exit_codes if exit_codes.iter().all(|exit| *exit == Exit::Ok) => Exit::Ok,
        _ if !has_processed_lines => Exit::Failed,
        _ => Exit::Partial,
    })
}
