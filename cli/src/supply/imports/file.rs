//! `import services PANEL --file` and `import packages PANEL --file`: the lines of a file as services or packages. The panel
//! judges all lines first and writes nothing while one of them is wrong; then they are imported chunk by chunk, with a
//! journal.

use std::collections::{BTreeMap, HashMap, HashSet};

use clap::ArgMatches;
use panel_client::bulk::action::Action;
use panel_client::bulk::report::Report;
use panel_client::bulk::run::{self, About, Ended};
use panel_contract::amount::Money;
use panel_contract::common::{Data, DryRun};
use panel_contract::endpoint::Endpoint;
use panel_contract::endpoints::external_services::ImportServices;
use panel_contract::external_services::{
    ImportOutcome, ImportServiceItem, ImportServicesInput, ImportedItem,
};
use panel_contract::ids::RecordId;
use serde_json::{Value, json};

use super::lines::{Judged, Lines, Services, judge};
use super::name_flag;
use crate::command::call::{arg, given_id, id, opt};
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
    items: HashMap<RecordId, ImportedItem>,
    /// Names of the service types that would be made.
    service_types: Vec<String>,
}

/// The endpoint that imports the lines of a file, and what is said of them.
pub(super) trait FileImport: Lines {
    type Endpoint: Endpoint<Path = (), Query = DryRun, Body: Clone, Answer = Data<ImportOutcome>>;

    /// The field of the body that takes the lines.
    const FIELD: &'static str;
    const WORDS: Words;
    const DANGER: Danger;

    /// What the command line says of all lines, without any of them.
    fn shared(matches: &ArgMatches) -> Done<Body<Self>>;
    /// The body of a request for some lines.
    fn body(shared: &Body<Self>, items: Vec<Self::Item>) -> Body<Self>;
    /// What the command line says of a line that does not say otherwise, where the body has no field for it.
    fn complete(_item: &mut Self::Item, _matches: &ArgMatches) {}
    /// The name and the price that the line gives.
    fn named(item: &Self::Item) -> (Option<&str>, Option<Money>);
}

pub(super) type Body<L> = <<L as FileImport>::Endpoint as Endpoint>::Body;

impl FileImport for Services {
    type Endpoint = ImportServices;

    const FIELD: &'static str = "services";
    const WORDS: Words = Words { one: "service", many: "services", past: "imported" };
    const DANGER: Danger = Danger::Reversible("panelctl services archive");

    fn shared(matches: &ArgMatches) -> Done<ImportServicesInput> {
        Ok(ImportServicesInput {
            external_panel_id: id(matches)?,
            services: Vec::new(),
            margin_percent: opt(matches, "margin-percent"),
            network_id: opt(matches, "network-id"),
            service_type_id: opt(matches, "service-type-id"),
            keep_categories: matches.get_flag("keep-categories"),
        })
    }

    fn body(shared: &ImportServicesInput, services: Vec<ImportServiceItem>) -> ImportServicesInput {
        ImportServicesInput { services, ..shared.clone() }
    }

    fn named(item: &ImportServiceItem) -> (Option<&str>, Option<Money>) {
        (item.name.as_deref(), item.price)
    }
}

pub(super) async fn import<L: FileImport>(ctx: &Ctx, matches: &ArgMatches) -> Done {
    let mut judged = judge::<L>(&read(L::SCHEMA, &arg::<String>(matches, "file")?)?);
    for one in &mut judged {
        L::complete(&mut one.item, matches);
    }
    let shared = L::shared(matches)?;
    if !is_object(ctx) {
        // Columns that the report lacks are refused before anything is sent.
        drop(ctx.out.rows(COLUMNS)?);
    }
    confirm::announce(ctx)?;
    let preview = preview::<L>(ctx, &shared, &mut judged).await?;
    let wrong = judged.iter().filter(|one| !one.faults.is_empty()).count();
    if wrong > 0 {
        let shown = show::<L>(ctx, &judged, &preview, None);
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
            ask::<L>(ctx, matches, judged.len()).await?;
            apply::<L>(ctx, matches, &shared, &judged).await?
        }
    };
    let printed = show::<L>(ctx, &judged, &preview, Some(&ended));
    after(printed, conclude(ctx, &L::WORDS.owned(), &ended))
}

/// Asks the panel about the lines that are not wrong already, and notes what it says at theirs.
async fn preview<L: FileImport>(
    ctx: &Ctx,
    shared: &Body<L>,
    judged: &mut [Judged<L::Item>],
) -> Done<Preview> {
    let client = ctx.client()?;
    let mut preview = Preview::default();
    let sound: Vec<usize> = (0..judged.len()).filter(|at| judged[*at].faults.is_empty()).collect();
    for places in sound.chunks(JUDGED_AT_ONCE) {
        let body = L::body(shared, places.iter().map(|at| judged[*at].item.clone()).collect());
        match client.call::<L::Endpoint>((), &DryRun::YES, &body).await {
            Ok(answer) => {
                let outcome = answer.data;
                preview.items.extend(outcome.items.into_iter().map(|item| (item.id, item)));
                let known: HashSet<String> = preview.service_types.iter().cloned().collect();
                let new = outcome.service_types.into_iter().filter(|name| !known.contains(name));
                preview.service_types.extend(new);
            }
            Err(error) => {
                let faults = faults_of(&error, L::FIELD, places.len());
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
fn faults_of(error: &panel_client::Error, records: &str, count: usize) -> Vec<(usize, String, String)> {
    let Some(refused) = error.refused().filter(|refused| refused.status == 422) else { return Vec::new() };
    let mut faults = Vec::new();
    for (name, messages) in &refused.problem.errors {
        let place = name.strip_prefix(records).and_then(|rest| rest.strip_prefix('.'));
        let place = place.and_then(|place| place.split_once('.'));
        let Some((at, field)) = place else { return Vec::new() };
        let Some(at) = at.parse::<usize>().ok().filter(|at| *at < count) else { return Vec::new() };
        faults.extend(messages.iter().map(|message| (at, field.to_owned(), message.clone())));
    }
    faults
}

/// All lines, as the panel would take them.
fn rehearsed<I>(judged: &[Judged<I>]) -> Ended {
    let ids: Vec<RecordId> = judged.iter().filter_map(Judged::record).collect();
    let report = Report { total: ids.len(), processed: ids, dry_run: true, ..Report::default() };
    Ended { id: None, report, error: None }
}

async fn ask<L: FileImport>(ctx: &Ctx, matches: &ArgMatches, count: usize) -> Done<()> {
    let noun = if count == 1 { L::WORDS.one } else { L::WORDS.many };
    let text = format!("Import {count} {noun} of panel {}?", given_id(matches));
    confirm::ask(ctx, matches, &Question { text, count, danger: L::DANGER, unfiltered: None }).await
}

async fn apply<L: FileImport>(
    ctx: &Ctx,
    matches: &ArgMatches,
    shared: &Body<L>,
    judged: &[Judged<L::Item>],
) -> Done<Ended> {
    let (profile, kept) = ctx.profile()?;
    let about = About {
        profile: Some(profile),
        user: kept.and_then(|profile| profile.user),
        command: ctx.command.clone(),
        filter: Some(format!("the lines of {}", arg::<String>(matches, "file")?)),
        words: Some(L::WORDS.owned()),
    };
    let records: Vec<(RecordId, &L::Item)> =
        judged.iter().filter_map(|one| Some((one.record()?, &one.item))).collect();
    let ids: Vec<RecordId> = records.iter().map(|(id, _)| *id).collect();
    let action = Action::records::<L::Endpoint>(L::FIELD, shared, &records)?;
    let (client, folder) = (ctx.client()?, ctx.runs()?);
    ctx.interrupt.arm();
    let mut progress = Progress::new(&ctx.out, ids.len());
    let mut show = |report: &Report, total| progress.show(report, total);
    let stop = &ctx.interrupt.stop;
    Ok(run::begin(&client, &folder, (action, about), (&ids, IMPORTED_AT_ONCE), stop, &mut show).await?)
}

/// Lists what became of the lines; the faults alone where there are some, since then nothing is done. Where one object is
/// asked for, it is the report of the run with the lines in it.
fn show<L: FileImport>(
    ctx: &Ctx,
    judged: &[Judged<L::Item>],
    preview: &Preview,
    ended: Option<&Ended>,
) -> Done<()> {
    let rows = match ended {
        None => judged.iter().flat_map(faults::<L>).collect(),
        Some(ended) => rows(judged, preview, &ended.report),
    };
    if !is_object(ctx) {
        return ctx.out.records(rows, COLUMNS);
    }
    let unsent = Report::default();
    let (run, report) = ended.map_or((None, &unsent), |ended| (ended.id.as_deref(), &ended.report));
    let mut value = json_of(<L::Endpoint as Endpoint>::OP.id, run, report);
    value["service_types"] = json!(preview.service_types);
    value["lines"] = rows.into();
    ctx.out.record(&value, &[])
}

/// A row for each fault of a line.
fn faults<L: FileImport>(one: &Judged<L::Item>) -> Vec<Value> {
    let (name, price) = L::named(&one.item);
    let row = |(field, why): &(String, String)| {
        let field = Some(field).filter(|field| !field.is_empty());
        json!({ "line": one.line, "id": one.id, "name": name,
            "cost": null, "price": price, "result": "error", "field": field, "message": why })
    };
    one.faults.iter().map(row).collect()
}

/// What became of each line, in the order of the file.
fn rows<I>(judged: &[Judged<I>], preview: &Preview, report: &Report) -> Vec<Value> {
    let processed: HashSet<RecordId> = report.processed.iter().copied().collect();
    let skipped: BTreeMap<RecordId, (&str, &str)> =
        report.skipped.iter().map(|skip| (skip.id, (skip.code.as_str(), skip.message.as_str()))).collect();
    let done = if report.dry_run { "would be imported" } else { "imported" };
    let row = |one: &Judged<I>| {
        let id = one.record();
        let (result, why) = match id.and_then(|id| skipped.get(&id)) {
            Some(why) => ("skipped", Some(why)),
            None if id.is_some_and(|id| processed.contains(&id)) => (done, None),
            None => ("open", None),
        };
        let item = id.and_then(|id| preview.items.get(&id));
        let price: Option<Money> = item.and_then(|item| item.price);
        json!({ "line": one.line, "id": id, "name": item.map(|item| &item.name), "cost": item.and_then(|item| item.provider_price),
            "price": price, "result": result, "field": why.map(|why| why.0), "message": why.map(|why| why.1) })
    };
    judged.iter().map(row).collect()
}
