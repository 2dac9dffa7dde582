//! `services import`: shows field by field what a file would change, asks, and does it with a journal: changes first,
//! then new services. A file with a fault changes nothing.

use std::collections::BTreeMap;

use clap::{Arg, ArgMatches};
use panel_client::bulk::action::Action;
use panel_client::bulk::report::Report;
use panel_client::bulk::run::{self, About, Ended};
use panel_contract::endpoint::Endpoint as _;
use panel_contract::endpoints::services::{CreateService, GetService, ListServices, UpdateService};
use panel_contract::ids::{RecordId, ServiceId};
use panel_contract::services::ServiceInput;
use panel_contract::table::TableQuery;
use serde_json::{Map, Value, json};

use super::diff::{Judged, Key, Outcome, judge};
use super::export::{id_of, listed, one_by_one};
use super::fields::SCHEMA;
use crate::command::Own;
use crate::command::call::arg;
use crate::command::confirm::{self, Danger, Question};
use crate::command::outcome::{Words, after, conclude, is_object, json_of};
use crate::command::progress::Progress;
use crate::ctx::Ctx;
use crate::exit::Exit;
use crate::failure::{Done, Failure};
use crate::output::column::{Column, Kind};
use crate::sheet::line::Line;
use crate::sheet::read::read;

/// Fields that a person is shown before the question.
const PREVIEWED: usize = 50;
/// Ids of one look at the list.
const LOOKED_UP: usize = 200;

/// `services import`.
pub(in crate::catalogue::services) const IMPORT: Own = Own {
    name: "import",
    about: "Changes and makes services by a file as services export writes it: CSV, XLSX or JSON",
    examples: &[
        ("services import --file services.xlsx --dry-run", "field by field what it would change"),
        ("services import --file services.csv --yes", "a line without an id is a new service"),
    ],
    reaches: &[ListServices::OP, GetService::OP, UpdateService::OP, CreateService::OP],
    args: |command| {
        let file = Arg::new("file").long("file").value_name("FILE").required(true);
        let file = file.help("The file; a column that it lacks stays as it is, and an empty cell clears");
        confirm::args(command.arg(file)).arg(confirm::count_arg())
    },
    run: |ctx, matches| Box::pin(import(ctx, matches)),
};

const CHANGED: Words = Words { one: "service", many: "services", past: "changed" };
const MADE: Words = Words { one: "new service", many: "new services", past: "made" };

const COLUMNS: &[Column] = &[
    Column::new("line", Kind::Id),
    Column::new("id", Kind::Id),
    Column::new("result", Kind::Word),
    Column::new("field", Kind::Word),
    Column::new("old", Kind::Text),
    Column::new("new", Kind::Text),
    Column::new("message", Kind::Text),
];

async fn import(ctx: &Ctx, matches: &ArgMatches) -> Done {
    let lines = read(&SCHEMA, &arg::<String>(matches, "file")?)?;
    if !is_object(ctx) {
        // Columns that the report lacks are refused before anything is sent.
        drop(ctx.out.rows(COLUMNS)?);
    }
    confirm::announce(ctx)?;
    let now = look_up(ctx, &lines).await?;
    let judged = judge(&lines, &now);
    let count = |result: &str| judged.iter().filter(|one| one.result() == result).count();
    let (new, changed, same, wrong) = (count("new"), count("changed"), count("same"), count("error"));
    // Where the reader of the output went away, the file is faulty all the same.
    let shown = if wrong > 0 { show(ctx, &judged, &[]) } else { Ok(()) };
    if wrong > 0 && judged.len() < lines.len() {
        let last = judged.last().map_or(0, |one| one.line);
        let failure = Failure::usage(format!(
            "The file has {wrong} lines with errors up to line {last}; nothing was done."
        ));
        return after(shown, Err(failure.hint("correct them first; what follows was not looked at")));
    }
    ctx.out.say(&format!("{new} new, {changed} changed, {same} the same, {wrong} with errors."));
    if wrong > 0 {
        let failure = Failure::usage(format!("The file has {wrong} lines with errors; nothing was done."));
        return after(shown, Err(failure));
    }
    let work = [plan(&judged, &now, false)?, plan(&judged, &now, true)?];
    let parts = match (new + changed == 0, confirm::is_dry(matches)) {
        (true, _) => Vec::new(),
        (false, true) => rehearse(ctx, work).await?,
        (false, false) => {
            ask(ctx, matches, &judged, (changed, new)).await?;
            apply(ctx, matches, work).await?
        }
    };
    // What is shown is what became of the lines, so it waits for the run.
    let printed = show(ctx, &judged, &parts);
    after(printed, conclude_all(ctx, &parts))
}

/// Asks a person, who is shown the changes first.
async fn ask(ctx: &Ctx, matches: &ArgMatches, judged: &[Judged], (changed, new): (usize, usize)) -> Done<()> {
    if confirm::will_ask(matches) && crate::output::can_ask() {
        let mut lines = judged.iter().flat_map(Judged::words);
        lines.by_ref().take(PREVIEWED).for_each(|line| ctx.out.say(&line));
        let more = lines.count();
        if more > 0 {
            ctx.out.say(&format!("and {more} more fields; --dry-run shows all."));
        }
    }
    let text = format!("Change {changed} and make {new} services?");
    let danger = Danger::Reversible("services import with a file that was exported before");
    confirm::ask(ctx, matches, &Question { text, count: new + changed, danger, unfiltered: None }).await
}

/// Lists what became of the lines; the faults alone where there are some, since then nothing is done. Where one object
/// is asked for, it has the reports of the runs as well.
fn show(ctx: &Ctx, judged: &[Judged], parts: &[Part]) -> Done<()> {
    let has_faults = judged.iter().any(|one| !one.faults.is_empty());
    let results = results(parts);
    let shown = judged.iter().filter(|one| !has_faults || !one.faults.is_empty());
    let rows: Vec<Value> = shown.flat_map(|one| one.rows(results.get(&one.key()))).collect();
    if !is_object(ctx) {
        return ctx.out.records(rows, COLUMNS);
    }
    let report = |part: &Part| json_of(part.plan.op, part.ended.id.as_deref(), &part.ended.report);
    let reports: Vec<Value> = parts.iter().map(report).collect();
    ctx.out.record(&json!({ "lines": rows, "reports": reports }), &[])
}

/// What became of each line that was sent, by its key.
fn results(parts: &[Part]) -> BTreeMap<Key, Outcome> {
    let mut results = BTreeMap::new();
    for Part { plan, ended } in parts {
        let report = &ended.report;
        let done = if report.dry_run { plan.would } else { plan.words.past };
        let key = |id: &RecordId| Key { is_new: plan.is_new, id: *id };
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

/// What is sent for some lines: changes by the service's id, new services by their line.
struct Plan {
    is_new: bool,
    op: &'static str,
    action: Action,
    ids: Vec<RecordId>,
    words: Words,
    /// Result that a dry run shows for the line.
    would: &'static str,
}

/// A plan, and how it ended.
struct Part {
    plan: Plan,
    ended: Ended,
}

fn plan(
    judged: &[Judged],
    now: &BTreeMap<ServiceId, Map<String, Value>>,
    is_new: bool,
) -> Done<Option<Plan>> {
    let wanted = judged.iter().filter(|one| one.id.is_none() == is_new && !one.fields.is_empty());
    let bodies = wanted.map(|one| {
        let mut body = one.body();
        // As it was read: what somebody changed meanwhile is skipped, not written over.
        if let Some(stamp) = one.id.and_then(|id| now.get(&id)).and_then(|now| now.get("updated_at")) {
            body["updated_at"] = stamp.clone();
        }
        let body: ServiceInput = serde_json::from_value(body)
            .map_err(|error| Failure::usage(format!("Line {}: {error}; nothing was done.", one.line)))?;
        Ok((one.key().id, body))
    });
    let bodies = bodies.collect::<Done<Vec<_>>>()?;
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
            words: MADE,
            would: "would be made",
        },
        false => Plan {
            is_new,
            op: UpdateService::OP.id,
            action: Action::each_its_own::<UpdateService>(&bodies)?,
            ids,
            words: CHANGED,
            would: "would be changed",
        },
    }))
}

/// The services of the lines, as they are: by the list, or one by one where the file says more than the list has.
async fn look_up(ctx: &Ctx, lines: &[Line]) -> Done<BTreeMap<ServiceId, Map<String, Value>>> {
    let ids: Vec<ServiceId> = lines.iter().filter_map(|line| line.id).map(RecordId::known_as).collect();
    let mut found = Vec::new();
    if lines.iter().any(|line| line.cells.iter(&SCHEMA).any(|(field, _)| !field.listed)) {
        found = one_by_one(ctx, &ids).await?;
    } else {
        for ids in ids.chunks(LOOKED_UP) {
            let ids: Vec<String> = ids.iter().map(ToString::to_string).collect();
            found.extend(listed(ctx, TableQuery::new().filter("id", ids.join(","))).await?);
        }
    }
    Ok(found.into_iter().filter_map(|service| Some((id_of(&service)?, service))).collect())
}

/// The panel judges each line as well, and writes nothing.
async fn rehearse(ctx: &Ctx, work: [Option<Plan>; 2]) -> Done<Vec<Part>> {
    let mut parts = Vec::new();
    for plan in work.into_iter().flatten() {
        let mut progress = Progress::new(&ctx.out, plan.ids.len());
        let mut show = |report: &Report, total| progress.show(report, total);
        let report = run::rehearse(&ctx.client()?, &plan.action, &plan.ids, &mut show).await?;
        parts.push(Part { plan, ended: Ended { id: None, report, error: None } });
    }
    Ok(parts)
}

/// One request a line, and one line of the journal for each. What is cut goes on with `runs resume`; what follows a cut
/// is not sent.
async fn apply(ctx: &Ctx, matches: &ArgMatches, work: [Option<Plan>; 2]) -> Done<Vec<Part>> {
    let (profile, kept) = ctx.profile()?;
    let about = About {
        profile: Some(profile),
        user: kept.and_then(|profile| profile.user),
        command: ctx.command.clone(),
        filter: Some(format!("the lines of {}", arg::<String>(matches, "file")?)),
        words: None,
    };
    let (client, folder) = (ctx.client()?, ctx.runs()?);
    ctx.interrupt.arm();
    let mut parts: Vec<Part> = Vec::new();
    for plan in work.into_iter().flatten() {
        if parts.iter().any(|part| !part.ended.report.open.is_empty()) {
            break;
        }
        let mut progress = Progress::new(&ctx.out, plan.ids.len());
        let mut show = |report: &Report, total| progress.show(report, total);
        let about = About { words: Some(plan.words.owned()), ..about.clone() };
        let begun = (plan.action.clone(), about);
        let stop = &ctx.interrupt.stop;
        let ended = run::begin(&client, &folder, begun, (&plan.ids, 1), stop, &mut show).await;
        // Nothing was sent where the journal could not be begun; the part before is told all the same.
        let ended = ended.unwrap_or_else(|error| Ended {
            id: None,
            report: Report::unsent(&plan.ids),
            error: Some(error),
        });
        parts.push(Part { plan, ended });
    }
    Ok(parts)
}

/// Tells of every part, and what they came to together.
fn conclude_all(ctx: &Ctx, parts: &[Part]) -> Done {
    let is_any_done = parts.iter().any(|part| !part.ended.report.processed.is_empty());
    let mut exits = Vec::new();
    for part in parts {
        match conclude(ctx, &part.plan.words.owned(), &part.ended) {
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
