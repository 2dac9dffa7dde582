//! `services import`: shows field by field what a file would change, asks, and applies it with a journal: changes first, then
//! new services. A file with an error changes nothing.

use std::collections::BTreeMap;

use clap::{Arg, ArgMatches};
use panel_client::bulk::action::Action;
use panel_client::bulk::report::Report;
use panel_client::bulk::run::{self, RunInfo, RunOutcome};
use panel_contract::endpoint::Endpoint as _;
use panel_contract::endpoints::services::{CreateService, GetService, ListServices, UpdateService};
use panel_contract::ids::{RecordId, ServiceId};
use panel_contract::services::ServiceInput;
use panel_contract::table::TableQuery;
use serde_json::{Map, Value, json};

use super::diff::{LineDiff, LineKey, Outcome, diff_lines};
use super::export::{fetch_each, fetch_list, id_of};
use super::fields::SCHEMA;
use crate::command::Custom;
use crate::command::call::arg;
use crate::command::confirm::{self, Danger, Question};
use crate::command::outcome::{RecordNouns, conclude, exit_of, is_object, json_of};
use crate::command::progress::Progress;
use crate::ctx::Ctx;
use crate::exit::Exit;
use crate::failure::{CmdResult, Failure};
use crate::output::column::{Column, Kind};
use crate::sheet::line::Line;
use crate::sheet::read::read;

/// Changed fields that are printed before the confirmation.
const MAX_PREVIEWED: usize = 50;
/// Ids per list request.
const LOOKUP_CHUNK: usize = 200;

pub(in crate::catalogue::services) const IMPORT: Custom = Custom {
    name: "import",
    about: "Create and update services from a CSV, XLSX or JSON file in the format of services export",
    examples: &[
        ("services import --file services.xlsx --dry-run", "show field by field what would change"),
        ("services import --file services.csv --yes", "lines without an id create new services"),
    ],
    ops: &[ListServices::OP, GetService::OP, UpdateService::OP, CreateService::OP],
    args: |command| {
        let file = Arg::new("file").long("file").value_name("FILE").required(true);
        let file = file.help(
            "File to import; fields without a column keep their values, an empty cell clears the field",
        );
        confirm::args(command.arg(file)).arg(confirm::count_arg())
    },
    run: |ctx, matches| Box::pin(import(ctx, matches)),
};

const UPDATED_NOUNS: RecordNouns = RecordNouns { one: "service", many: "services", past: "updated" };
const CREATED_NOUNS: RecordNouns = RecordNouns { one: "new service", many: "new services", past: "created" };

const COLUMNS: &[Column] = &[
    Column::new("line", Kind::Id),
    Column::new("id", Kind::Id),
    Column::new("result", Kind::Word),
    Column::new("field", Kind::Word),
    Column::new("old", Kind::Text),
    Column::new("new", Kind::Text),
    Column::new("message", Kind::Text),
];

async fn import(ctx: &Ctx, matches: &ArgMatches) -> CmdResult {
    let lines = read(&SCHEMA, &arg::<String>(matches, "file")?)?;
    if !is_object(ctx) {
        // Refuses columns that the report does not have before anything is sent.
        drop(ctx.out.rows(COLUMNS)?);
    }
    confirm::announce(ctx)?;
    let current = fetch_current(ctx, &lines).await?;
    let diffs = diff_lines(&lines, &current);
    let count = |result: &str| diffs.iter().filter(|one| one.result() == result).count();
    let (new, changed, same, invalid) = (count("new"), count("changed"), count("same"), count("error"));
    // A closed standard output does not hide that the file has errors.
    let shown = if invalid > 0 { show(ctx, &diffs, &[]) } else { Ok(()) };
    if invalid > 0 && diffs.len() < lines.len() {
        let last = diffs.last().map_or(0, |one| one.line);
        let failure = Failure::usage(format!(
            "The file has {invalid} lines with errors up to line {last}; nothing changed."
        ));
        return exit_of(shown, Err(failure.hint("correct them first; later lines were not checked")));
    }
    ctx.out.print_message(&format!("{new} new, {changed} changed, {same} unchanged, {invalid} with errors."));
    if invalid > 0 {
        let failure = Failure::usage(format!("The file has {invalid} lines with errors; nothing changed."));
        return exit_of(shown, Err(failure));
    }
    let plans = [plan(&diffs, &current, false)?, plan(&diffs, &current, true)?];
    let runs = match (new + changed == 0, confirm::is_dry(matches)) {
        (true, _) => Vec::new(),
        (false, true) => preview(ctx, plans).await?,
        (false, false) => {
            ask(ctx, matches, &diffs, (changed, new)).await?;
            apply(ctx, matches, plans).await?
        }
    };
    // The rows show the result of each line, so they are printed after the run.
    let printed = show(ctx, &diffs, &runs);
    exit_of(printed, conclude_all(ctx, &runs))
}

/// Asks for confirmation after printing the changes.
async fn ask(
    ctx: &Ctx,
    matches: &ArgMatches,
    diffs: &[LineDiff],
    (changed, new): (usize, usize),
) -> CmdResult<()> {
    if confirm::will_ask(matches) && crate::output::can_ask() {
        let mut lines = diffs.iter().flat_map(LineDiff::summaries);
        lines.by_ref().take(MAX_PREVIEWED).for_each(|line| ctx.out.print_message(&line));
        let more = lines.count();
        if more > 0 {
            ctx.out.print_message(&format!("and {more} more fields; use --dry-run to show all."));
        }
    }
    let text = format!("Update {changed} and create {new} services?");
    let danger = Danger::Reversible("panelctl services import with a file exported before the change");
    confirm::ask(ctx, matches, &Question { text, count: new + changed, danger, unfiltered: None }).await
}

/// Prints the result of each line, or only the errors if there are any, since then nothing is sent. As one object, it also
/// contains the reports of the runs.
fn show(ctx: &Ctx, diffs: &[LineDiff], runs: &[FinishedRun]) -> CmdResult<()> {
    let has_errors = diffs.iter().any(|diff| !diff.errors.is_empty());
    let results = results(runs);
    let shown = diffs.iter().filter(|diff| !has_errors || !diff.errors.is_empty());
    let rows: Vec<Value> = shown.flat_map(|one| one.rows(results.get(&one.key()))).collect();
    if !is_object(ctx) {
        return ctx.out.records(rows, COLUMNS);
    }
    let report = |run: &FinishedRun| json_of(run.plan.op, run.ended.id.as_deref(), &run.ended.report);
    let reports: Vec<Value> = runs.iter().map(report).collect();
    ctx.out.record(&json!({ "lines": rows, "reports": reports }), &[])
}

/// The result of each line that was sent, by its key.
fn results(runs: &[FinishedRun]) -> BTreeMap<LineKey, Outcome> {
    let mut results = BTreeMap::new();
    for FinishedRun { plan, ended } in runs {
        let report = &ended.report;
        let done = if report.dry_run { plan.dry_run_result } else { plan.result };
        let key = |id: &RecordId| LineKey { is_new: plan.is_new, id: *id };
        results.extend(report.processed.iter().map(|id| (key(id), Outcome::plain(done))));
        results.extend(report.open.iter().map(|id| (key(id), Outcome::plain("open"))));
        results.extend(
            report.skipped.iter().map(|skip| {
                (key(&skip.id), Outcome { result: "skipped", message: Some(skip.message.clone()) })
            }),
        );
    }
    results
}

/// The requests of a run: updates by the service's id, or new services by their line number.
struct Plan {
    is_new: bool,
    op: &'static str,
    action: Action,
    ids: Vec<RecordId>,
    words: RecordNouns,
    /// Result of a processed line in the report.
    result: &'static str,
    /// The same after a dry run.
    dry_run_result: &'static str,
}

struct FinishedRun {
    plan: Plan,
    ended: RunOutcome,
}

fn plan(
    diffs: &[LineDiff],
    current: &BTreeMap<ServiceId, Map<String, Value>>,
    is_new: bool,
) -> CmdResult<Option<Plan>> {
    let selected = diffs.iter().filter(|one| one.id.is_none() == is_new && !one.fields.is_empty());
    let bodies = selected.map(|one| {
        let mut body = one.body();
        // The version that was read: the panel skips a service that changed in between.
        if let Some(stamp) =
            one.id.and_then(|id| current.get(&id)).and_then(|current| current.get("updated_at"))
        {
            body["updated_at"] = stamp.clone();
        }
        let body: ServiceInput = serde_json::from_value(body)
            .map_err(|error| Failure::usage(format!("Line {}: {error}; nothing changed.", one.line)))?;
        Ok((one.key().id, body))
    });
    let bodies = bodies.collect::<CmdResult<Vec<_>>>()?;
    if bodies.is_empty() {
        return Ok(None);
    }
    let ids = bodies.iter().map(|(id, _)| *id).collect();
    Ok(Some(match is_new {
        true => Plan {
            is_new,
            op: CreateService::OP.id,
            action: Action::new_ones::<CreateService>(&bodies)?,
            ids,
            words: CREATED_NOUNS,
            result: "made",
            dry_run_result: "would be made",
        },
        false => Plan {
            is_new,
            op: UpdateService::OP.id,
            action: Action::each_its_own::<UpdateService>(&bodies)?,
            ids,
            words: UPDATED_NOUNS,
            result: "changed",
            dry_run_result: "would be changed",
        },
    }))
}

/// Fetches the services of the lines: by the list, or one by one if the file has fields that the list does not have.
async fn fetch_current(ctx: &Ctx, lines: &[Line]) -> CmdResult<BTreeMap<ServiceId, Map<String, Value>>> {
    let ids: Vec<ServiceId> = lines.iter().filter_map(|line| line.id).map(RecordId::typed_as).collect();
    let mut services = Vec::new();
    if lines.iter().any(|line| line.cells.iter(&SCHEMA).any(|(field, _)| !field.listed)) {
        services = fetch_each(ctx, &ids).await?;
    } else {
        for ids in ids.chunks(LOOKUP_CHUNK) {
            let ids: Vec<String> = ids.iter().map(ToString::to_string).collect();
            services.extend(fetch_list(ctx, TableQuery::new().filter("id", ids.join(","))).await?);
        }
    }
    Ok(services.into_iter().filter_map(|service| Some((id_of(&service)?, service))).collect())
}

/// Sends every line as a dry run, so that the panel validates it too.
async fn preview(ctx: &Ctx, plans: [Option<Plan>; 2]) -> CmdResult<Vec<FinishedRun>> {
    let mut runs = Vec::new();
    for plan in plans.into_iter().flatten() {
        let mut progress = Progress::new(&ctx.out, plan.ids.len());
        let mut show = |report: &Report, total| progress.show(report, total);
        let report = run::preview_run(&ctx.client()?, &plan.action, &plan.ids, &mut show).await?;
        runs.push(FinishedRun { plan, ended: RunOutcome { id: None, report, error: None } });
    }
    Ok(runs)
}

/// Sends one request per line, with one journal entry for each. `runs resume` continues an interrupted run; the run after it is
/// not started.
async fn apply(ctx: &Ctx, matches: &ArgMatches, plans: [Option<Plan>; 2]) -> CmdResult<Vec<FinishedRun>> {
    let (profile, settings) = ctx.profile()?;
    let about = RunInfo {
        profile: Some(profile),
        user: settings.and_then(|profile| profile.user),
        command: ctx.command.clone(),
        filter: Some(format!("the lines of {}", arg::<String>(matches, "file")?)),
        words: None,
    };
    let (client, folder) = (ctx.client()?, ctx.runs()?);
    ctx.interrupt.arm();
    let mut runs: Vec<FinishedRun> = Vec::new();
    for plan in plans.into_iter().flatten() {
        if runs.iter().any(|run| !run.ended.report.open.is_empty()) {
            break;
        }
        let mut progress = Progress::new(&ctx.out, plan.ids.len());
        let mut show = |report: &Report, total| progress.show(report, total);
        let about = RunInfo { words: Some(plan.words.owned()), ..about.clone() };
        let action_and_about = (plan.action.clone(), about);
        let stop = &ctx.interrupt.stop;
        let ended = run::begin(&client, &folder, action_and_about, (&plan.ids, 1), stop, &mut show).await;
        // If the journal could not be created, nothing was sent; the run before it is reported all the same.
        let ended = ended.unwrap_or_else(|error| RunOutcome {
            id: None,
            report: Report::unsent(&plan.ids),
            error: Some(error),
        });
        runs.push(FinishedRun { plan, ended });
    }
    Ok(runs)
}

/// Reports every run, and returns the exit code of all together.
fn conclude_all(ctx: &Ctx, runs: &[FinishedRun]) -> CmdResult {
    let is_any_done = runs.iter().any(|run| !run.ended.report.processed.is_empty());
    let mut exits = Vec::new();
    for run in runs {
        match conclude(ctx, &run.plan.words.owned(), &run.ended) {
            Ok(exit) => exits.push(exit),
            Err(mut failure) => {
                if failure.exit == Exit::Failed && is_any_done {
                    failure.exit = Exit::Partial;
                }
                return Err(failure);
            }
        }
    }
    Ok(match exits.as_slice() {
        all if all.contains(&Exit::Interrupted) => Exit::Interrupted,
        all if all.iter().all(|exit| *exit == Exit::Ok) => Exit::Ok,
        _ if !is_any_done => Exit::Failed,
        _ => Exit::Partial,
    })
}
