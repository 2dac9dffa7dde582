//! `services import`: shows field by field what a file would change, asks, and does it with a journal: changes first,
//! then new services. A file with a fault changes nothing.

use std::collections::BTreeMap;

use clap::{Arg, ArgMatches};
use panel_client::bulk::action::Action;
use panel_client::bulk::report::Report;
use panel_client::bulk::run::{self, About, Ended};
use panel_contract::endpoint::Endpoint as _;
use panel_contract::endpoints::services::{CreateService, GetService, ListServices, UpdateService};
use panel_contract::services::ServiceInput;
use panel_contract::table::TableQuery;
use serde_json::{Map, Value};

use super::diff::{Judged, judge};
use super::export::{id_of, listed, one_by_one};
use super::line::Line;
use super::read::read;
use crate::command::Own;
use crate::command::call::arg;
use crate::command::confirm::{self, Danger, Question};
use crate::command::outcome::{Words, conclude};
use crate::command::progress::Progress;
use crate::ctx::Ctx;
use crate::exit::Exit;
use crate::failure::{Done, Failure};
use crate::output::column::{Column, Kind};

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
    let lines = read(&arg::<String>(matches, "file")?)?;
    confirm::announce(ctx)?;
    let now = look_up(ctx, &lines).await?;
    let judged = judge(&lines, &now);
    let count = |result: &str| judged.iter().filter(|one| one.result() == result).count();
    let (new, changed, same, wrong) = (count("new"), count("changed"), count("same"), count("error"));
    show(ctx, &judged, wrong > 0)?;
    if wrong > 0 && judged.len() < lines.len() {
        let last = judged.last().map_or(0, |one| one.line);
        return Err(Failure::usage(format!(
            "The file has {wrong} lines with errors up to line {last}; nothing was done."
        ))
        .hint("correct them first; what follows was not looked at"));
    }
    ctx.out.say(&format!("{new} new, {changed} changed, {same} the same, {wrong} with errors."));
    if wrong > 0 {
        return Err(Failure::usage(format!("The file has {wrong} lines with errors; nothing was done.")));
    }
    if new + changed == 0 {
        return Ok(Exit::Ok);
    }
    let work = [plan(&judged, &now, false)?, plan(&judged, &now, true)?];
    if confirm::is_dry(matches) {
        return rehearse(ctx, &work).await;
    }
    let text = format!("Change {changed} and make {new} services?");
    let danger = Danger::Reversible("services import with a file that was exported before");
    confirm::ask(ctx, matches, &Question { text, count: new + changed, danger, unfiltered: None }).await?;
    apply(ctx, matches, &work).await
}

/// Lists what the lines come to: the faults alone where there are some, since then nothing will be done.
fn show(ctx: &Ctx, judged: &[Judged], has_faults: bool) -> Done<()> {
    let mut rows = ctx.out.rows(COLUMNS)?;
    for one in judged.iter().filter(|one| !has_faults || !one.faults.is_empty()) {
        for row in one.rows() {
            rows.push(row)?;
        }
    }
    rows.finish()
}

/// What is sent for some lines: changes by the service's id, new services by their line.
struct Plan {
    action: Action,
    ids: Vec<i64>,
    words: Words,
}

fn plan(judged: &[Judged], now: &BTreeMap<i64, Map<String, Value>>, is_new: bool) -> Done<Option<Plan>> {
    let wanted = judged.iter().filter(|one| one.id.is_none() == is_new && !one.fields.is_empty());
    let bodies = wanted.map(|one| {
        let mut body = one.body();
        // As it was read: what somebody changed meanwhile is skipped, not written over.
        if let Some(stamp) = one.id.and_then(|id| now.get(&id)).and_then(|now| now.get("updated_at")) {
            body["updated_at"] = stamp.clone();
        }
        let body: ServiceInput = serde_json::from_value(body)
            .map_err(|error| Failure::usage(format!("Line {}: {error}; nothing was done.", one.line)))?;
        Ok((one.id.unwrap_or_else(|| i64::try_from(one.line).unwrap_or(i64::MAX)), body))
    });
    let bodies = bodies.collect::<Done<Vec<_>>>()?;
    if bodies.is_empty() {
        return Ok(None);
    }
    let ids = bodies.iter().map(|(id, _)| *id).collect();
    let (action, words) = match is_new {
        true => (Action::new_ones::<CreateService>(&bodies)?, MADE),
        false => (Action::each_its_own::<UpdateService>(&bodies)?, CHANGED),
    };
    Ok(Some(Plan { action, ids, words }))
}

/// The services of the lines, as they are: by the list, or one by one where the file says more than the list has.
async fn look_up(ctx: &Ctx, lines: &[Line]) -> Done<BTreeMap<i64, Map<String, Value>>> {
    let ids: Vec<i64> = lines.iter().filter_map(|line| line.id).collect();
    let mut found = Vec::new();
    if lines.iter().any(|line| line.cells.iter().any(|(field, _)| !field.listed)) {
        found = one_by_one(ctx, &ids).await?;
    } else {
        for ids in ids.chunks(LOOKED_UP) {
            let ids: Vec<String> = ids.iter().map(i64::to_string).collect();
            found.extend(listed(ctx, TableQuery::new().filter("id", ids.join(","))).await?);
        }
    }
    Ok(found.into_iter().filter_map(|service| Some((id_of(&service)?, service))).collect())
}

/// The panel judges each line as well, and writes nothing.
async fn rehearse(ctx: &Ctx, work: &[Option<Plan>]) -> Done {
    let mut parts = Vec::new();
    for plan in work.iter().flatten() {
        let mut progress = Progress::new(&ctx.out, plan.ids.len());
        let mut show = |report: &Report, total| progress.show(report, total);
        let report = run::rehearse(&ctx.client()?, &plan.action, &plan.ids, &mut show).await?;
        parts.push(conclude(ctx, plan.words, &Ended { id: None, report, error: None })?);
    }
    Ok(both(&parts))
}

/// One request a line, and one line of the journal for each. What is cut goes on with `runs resume`.
async fn apply(ctx: &Ctx, matches: &ArgMatches, work: &[Option<Plan>]) -> Done {
    let (profile, kept) = ctx.profile()?;
    let about = About {
        profile: Some(profile),
        user: kept.and_then(|profile| profile.user),
        command: ctx.command.clone(),
        filter: Some(format!("the lines of {}", arg::<String>(matches, "file")?)),
    };
    let (client, folder) = (ctx.client()?, ctx.runs()?);
    ctx.interrupt.arm();
    let mut parts = Vec::new();
    for plan in work.iter().flatten() {
        let mut progress = Progress::new(&ctx.out, plan.ids.len());
        let mut show = |report: &Report, total| progress.show(report, total);
        let begun = (plan.action.clone(), about.clone());
        let ended =
            run::begin(&client, &folder, begun, (&plan.ids, 1), &ctx.interrupt.stop, &mut show).await?;
        let told = conclude(ctx, plan.words, &ended)?;
        if told == Exit::Interrupted {
            return Ok(told);
        }
        parts.push(told);
    }
    Ok(both(&parts))
}

/// What the parts of one file came to together.
fn both(parts: &[Exit]) -> Exit {
    match parts {
        parts if parts.iter().all(|part| *part == Exit::Ok) => Exit::Ok,
        parts if parts.iter().all(|part| *part == Exit::Failed) => Exit::Failed,
        _ => Exit::Partial,
    }
}
