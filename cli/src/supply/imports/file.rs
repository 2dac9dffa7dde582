//! `import services PANEL --file`: the lines of a file as services. The panel judges all lines first and writes nothing
//! while one of them is wrong; then they are imported chunk by chunk, with a journal.

use std::collections::{BTreeMap, HashMap, HashSet};

use clap::ArgMatches;
use panel_client::bulk::action::Action;
use panel_client::bulk::report::Report;
use panel_client::bulk::run::{self, About, Ended};
use panel_contract::amount::Money;
use panel_contract::common::DryRun;
use panel_contract::endpoint::Endpoint as _;
use panel_contract::endpoints::external_services::ImportServices;
use panel_contract::external_services::{ImportServiceItem, ImportServicesInput, ImportedItem};
use serde_json::{Value, json};

use super::lines::{Judged, SCHEMA, judge};
use super::name_flag;
use crate::command::call::{arg, id, opt};
use crate::command::confirm::{self, Danger, Question};
use crate::command::outcome::{Words, after, conclude, is_object, json_of};
use crate::command::progress::Progress;
use crate::ctx::Ctx;
use crate::failure::{Done, Failure};
use crate::output::column::{Column, Kind};
use crate::sheet::read::read;

/// Lines of one request that only asks.
const JUDGED_AT_ONCE: usize = 1_000;
/// Lines of one request that imports: a request stays short, and a run that was cut goes on near where it ended.
const IMPORTED_AT_ONCE: usize = 200;

const WORDS: Words = Words { one: "service", many: "services", past: "imported" };

const COLUMNS: &[Column] = &[
    Column::new("line", Kind::Id),
    Column::new("id", Kind::Id),
    Column::new("name", Kind::Text),
    Column::new("cost", Kind::Number),
    Column::new("price", Kind::Number),
    Column::new("result", Kind::Word),
    Column::new("field", Kind::Word),
    Column::new("message", Kind::Text),
];

/// What the panel says about the lines before anything is written.
#[derive(Default)]
struct Preview {
    items: HashMap<i64, ImportedItem>,
    /// Names of the service types that would be made.
    service_types: Vec<String>,
}

pub(super) async fn import(ctx: &Ctx, matches: &ArgMatches) -> Done {
    let mut judged = judge(&read(&SCHEMA, &arg::<String>(matches, "file")?)?);
    let shared = shared(matches)?;
    if !is_object(ctx) {
        // Columns that the report lacks are refused before anything is sent.
        drop(ctx.out.rows(COLUMNS)?);
    }
    confirm::announce(ctx)?;
    let preview = preview(ctx, &shared, &mut judged).await?;
    let wrong = judged.iter().filter(|one| !one.faults.is_empty()).count();
    if wrong > 0 {
        let shown = show(ctx, &judged, &preview, None);
        let noun = if wrong == 1 { "line" } else { "lines" };
        let failure =
            Failure::usage(format!("The file has {wrong} {noun} with errors; nothing was imported."));
        return after(shown, Err(failure));
    }
    if !preview.service_types.is_empty() {
        let made = preview.service_types.join(", ");
        ctx.out.say(&format!("Service types to be made for categories: {made}."));
    }
    let ended = match confirm::is_dry(matches) {
        true => rehearsed(&judged),
        false => {
            ask(ctx, matches, &judged).await?;
            apply(ctx, matches, &shared, &judged).await?
        }
    };
    let printed = show(ctx, &judged, &preview, Some(&ended));
    after(printed, conclude(ctx, &WORDS.owned(), &ended))
}

/// What the command line says of all lines.
pub(super) fn shared(matches: &ArgMatches) -> Done<ImportServicesInput> {
    Ok(ImportServicesInput {
        external_panel_id: id(matches)?,
        services: Vec::new(),
        margin_percent: opt(matches, "margin-percent"),
        network_id: opt(matches, "network-id"),
        service_type_id: opt(matches, "service-type-id"),
        keep_categories: matches.get_flag("keep-categories"),
    })
}

/// Asks the panel about the lines that are not wrong already, and notes what it says at theirs.
async fn preview(ctx: &Ctx, shared: &ImportServicesInput, judged: &mut [Judged]) -> Done<Preview> {
    let client = ctx.client()?;
    let mut preview = Preview::default();
    let sound: Vec<usize> = (0..judged.len()).filter(|at| judged[*at].faults.is_empty()).collect();
    for places in sound.chunks(JUDGED_AT_ONCE) {
        let services = places.iter().map(|at| judged[*at].item.clone()).collect();
        let body = ImportServicesInput { services, ..shared.clone() };
        match client.call::<ImportServices>((), &DryRun::YES, &body).await {
            Ok(answer) => {
                let outcome = answer.data;
                preview.items.extend(outcome.items.into_iter().map(|item| (item.id, item)));
                let known: HashSet<String> = preview.service_types.iter().cloned().collect();
                let new = outcome.service_types.into_iter().filter(|name| !known.contains(name));
                preview.service_types.extend(new);
            }
            Err(error) => {
                let faults = faults_of(&error, places.len());
                if faults.is_empty() {
                    return Err(Failure::from(error).naming(name_flag));
                }
                for (at, field, why) in faults {
                    judged[places[at]].fault(&field, why);
                }
            }
        }
    }
    Ok(preview)
}

/// What a refusal says of single lines: place, field, sentence. None where something else is wrong as well.
fn faults_of(error: &panel_client::Error, count: usize) -> Vec<(usize, String, String)> {
    let Some(refused) = error.refused().filter(|refused| refused.status == 422) else { return Vec::new() };
    let mut faults = Vec::new();
    for (name, messages) in &refused.problem.errors {
        let place = name.strip_prefix("services.").and_then(|place| place.split_once('.'));
        let Some((at, field)) = place else { return Vec::new() };
        let Some(at) = at.parse::<usize>().ok().filter(|at| *at < count) else { return Vec::new() };
        faults.extend(messages.iter().map(|message| (at, field.to_owned(), message.clone())));
    }
    faults
}

/// All lines, as the panel would take them.
fn rehearsed(judged: &[Judged]) -> Ended {
    let ids: Vec<i64> = judged.iter().map(|one| one.item.id).collect();
    let report = Report { total: ids.len(), processed: ids, dry_run: true, ..Report::default() };
    Ended { id: None, report, error: None }
}

async fn ask(ctx: &Ctx, matches: &ArgMatches, judged: &[Judged]) -> Done<()> {
    let count = judged.len();
    let noun = if count == 1 { WORDS.one } else { WORDS.many };
    let text = format!("Import {count} {noun} of panel {}?", id(matches)?);
    let danger = Danger::Reversible("panelctl services archive");
    confirm::ask(ctx, matches, &Question { text, count, danger, unfiltered: None }).await
}

async fn apply(
    ctx: &Ctx,
    matches: &ArgMatches,
    shared: &ImportServicesInput,
    judged: &[Judged],
) -> Done<Ended> {
    let (profile, kept) = ctx.profile()?;
    let about = About {
        profile: Some(profile),
        user: kept.and_then(|profile| profile.user),
        command: ctx.command.clone(),
        filter: Some(format!("the lines of {}", arg::<String>(matches, "file")?)),
        words: Some(WORDS.owned()),
    };
    let records: Vec<(i64, &ImportServiceItem)> = judged.iter().map(|one| (one.item.id, &one.item)).collect();
    let ids: Vec<i64> = records.iter().map(|(id, _)| *id).collect();
    let action = Action::records::<ImportServices>("services", shared, &records)?;
    let (client, folder) = (ctx.client()?, ctx.runs()?);
    ctx.interrupt.arm();
    let mut progress = Progress::new(&ctx.out, ids.len());
    let mut show = |report: &Report, total| progress.show(report, total);
    let stop = &ctx.interrupt.stop;
    Ok(run::begin(&client, &folder, (action, about), (&ids, IMPORTED_AT_ONCE), stop, &mut show).await?)
}

/// Lists what became of the lines; the faults alone where there are some, since then nothing is done. Where one object is
/// asked for, it is the report of the run with the lines in it.
fn show(ctx: &Ctx, judged: &[Judged], preview: &Preview, ended: Option<&Ended>) -> Done<()> {
    let rows = match ended {
        None => judged.iter().flat_map(faults).collect(),
        Some(ended) => rows(judged, preview, &ended.report),
    };
    if !is_object(ctx) {
        return ctx.out.records(rows, COLUMNS);
    }
    let unsent = Report::default();
    let (run, report) = ended.map_or((None, &unsent), |ended| (ended.id.as_deref(), &ended.report));
    let mut value = json_of(ImportServices::OP.id, run, report);
    value["service_types"] = json!(preview.service_types);
    value["lines"] = rows.into();
    ctx.out.record(&value, &[])
}

/// A row for each fault of a line.
fn faults(one: &Judged) -> Vec<Value> {
    let row = |(field, why): &(String, String)| {
        let field = Some(field).filter(|field| !field.is_empty());
        json!({ "line": one.line, "id": Some(one.item.id).filter(|id| *id > 0), "name": one.item.name,
            "cost": null, "price": one.item.price, "result": "error", "field": field, "message": why })
    };
    one.faults.iter().map(row).collect()
}

/// What became of each line, in the order of the file.
fn rows(judged: &[Judged], preview: &Preview, report: &Report) -> Vec<Value> {
    let processed: HashSet<i64> = report.processed.iter().copied().collect();
    let skipped: BTreeMap<i64, (&str, &str)> =
        report.skipped.iter().map(|skip| (skip.id, (skip.code.as_str(), skip.message.as_str()))).collect();
    let done = if report.dry_run { "would be imported" } else { "imported" };
    let row = |one: &Judged| {
        let id = one.item.id;
        let (result, why) = match skipped.get(&id) {
            Some(why) => ("skipped", Some(why)),
            None if processed.contains(&id) => (done, None),
            None => ("open", None),
        };
        let item = preview.items.get(&id);
        let price: Option<Money> = item.and_then(|item| item.price);
        json!({ "line": one.line, "id": id, "name": item.map(|item| &item.name), "cost": item.and_then(|item| item.provider_price),
            "price": price, "result": result, "field": why.map(|why| why.0), "message": why.map(|why| why.1) })
    };
    judged.iter().map(row).collect()
}
