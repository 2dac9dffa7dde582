//! `import services PANEL --file` and `import packages PANEL --file`: imports the lines of a file. The panel validates all lines
//! first; if one is invalid, nothing is imported. Then the lines are imported in chunks, with a journal.

use std::collections::{BTreeMap, HashMap, HashSet};

use clap::ArgMatches;
use panel_client::bulk::action::Action;
use panel_client::bulk::report::Report;
use panel_client::bulk::run::{self, RunInfo, RunOutcome};
use panel_contract::amount::Money;
use panel_contract::common::{Data, DryRun};
use panel_contract::endpoint::Endpoint;
use panel_contract::endpoints::external_services::ImportServices;
use panel_contract::external_services::{
    ImportOutcome, ImportServiceItem, ImportServicesInput, ImportedItem,
};
use panel_contract::ids::RecordId;
use serde_json::{Value, json};

use super::lines::{ImportLine, LineFormat, Services, parse_lines};
use super::name_flag;
use crate::command::call::{arg, id, id_value, opt};
use crate::command::confirm::{self, Danger, Question};
use crate::command::outcome::{RecordNouns, conclude, exit_of, is_object, json_of};
use crate::command::progress::Progress;
use crate::ctx::Ctx;
use crate::failure::{CmdResult, Failure};
use crate::output::column::{Column, Kind};
use crate::sheet::read::read;

/// Lines per dry-run request.
const PREVIEW_CHUNK: usize = 1_000;
/// Lines per import request: small, so that requests stay short and an interrupted run repeats little.
const IMPORT_CHUNK: usize = 200;

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

/// The panel's response to the dry run.
#[derive(Default)]
struct Preview {
    items: HashMap<RecordId, ImportedItem>,
    /// Names of the service types that would be created.
    service_types: Vec<String>,
}

/// The import endpoint of a kind of line, and its texts.
pub(super) trait FileImport: LineFormat {
    type Endpoint: Endpoint<Path = (), Query = DryRun, Body: Clone, Answer = Data<ImportOutcome>>;

    /// The field of the body that holds the lines.
    const FIELD: &'static str;
    const NOUNS: RecordNouns;
    const DANGER: Danger;

    /// The body with the options of the command line, without lines.
    fn shared(matches: &ArgMatches) -> CmdResult<Body<Self>>;
    /// The body of a request for some lines.
    fn body(shared: &Body<Self>, items: Vec<Self::Item>) -> Body<Self>;
    /// Applies an option to a line that does not set the field, if the body has no field for it.
    fn complete(_item: &mut Self::Item, _matches: &ArgMatches) {}
    /// The name and price of a line.
    fn name_and_price(item: &Self::Item) -> (Option<&str>, Option<Money>);
}

pub(super) type Body<L> = <<L as FileImport>::Endpoint as Endpoint>::Body;

impl FileImport for Services {
    type Endpoint = ImportServices;

    const FIELD: &'static str = "services";
    const NOUNS: RecordNouns = RecordNouns { one: "service", many: "services", past: "imported" };
    const DANGER: Danger = Danger::Reversible("panelctl services archive");

    fn shared(matches: &ArgMatches) -> CmdResult<ImportServicesInput> {
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

    fn name_and_price(item: &ImportServiceItem) -> (Option<&str>, Option<Money>) {
        (item.name.as_deref(), item.price)
    }
}

pub(super) async fn import<L: FileImport>(ctx: &Ctx, matches: &ArgMatches) -> CmdResult {
    let mut lines = parse_lines::<L>(&read(L::SCHEMA, &arg::<String>(matches, "file")?)?);
    for line in &mut lines {
        L::complete(&mut line.item, matches);
    }
    let shared = L::shared(matches)?;
    if !is_object(ctx) {
        // Refuses columns that the report does not have before anything is sent.
        drop(ctx.out.rows(COLUMNS)?);
    }
    confirm::announce(ctx)?;
    let preview = preview::<L>(ctx, &shared, &mut lines).await?;
    let invalid = lines.iter().filter(|line| !line.errors.is_empty()).count();
    if invalid > 0 {
        let shown = show::<L>(ctx, &lines, &preview, None);
        let noun = if invalid == 1 { "line" } else { "lines" };
        let failure =
            Failure::usage(format!("The file has {invalid} {noun} with errors; nothing was imported."));
        return exit_of(shown, Err(failure));
    }
    if !preview.service_types.is_empty() {
        let names = preview.service_types.join(", ");
        ctx.out.print_message(&format!("Service types to be created for categories: {names}."));
    }
    let ended = match confirm::is_dry(matches) {
        true => dry_run_result(&lines),
        false => {
            ask::<L>(ctx, matches, lines.len()).await?;
            apply::<L>(ctx, matches, &shared, &lines).await?
        }
    };
    let printed = show::<L>(ctx, &lines, &preview, Some(&ended));
    exit_of(printed, conclude(ctx, &L::NOUNS.owned(), &ended))
}

/// Sends the valid lines as a dry run, and records the panel's errors at their lines.
async fn preview<L: FileImport>(
    ctx: &Ctx,
    shared: &Body<L>,
    lines: &mut [ImportLine<L::Item>],
) -> CmdResult<Preview> {
    let client = ctx.client()?;
    let mut preview = Preview::default();
    let valid: Vec<usize> = (0..lines.len()).filter(|index| lines[*index].errors.is_empty()).collect();
    for indexes in valid.chunks(PREVIEW_CHUNK) {
        let body = L::body(shared, indexes.iter().map(|index| lines[*index].item.clone()).collect());
        match client.call::<L::Endpoint>((), &DryRun::YES, &body).await {
            Ok(answer) => {
                let outcome = answer.data;
                preview.items.extend(outcome.items.into_iter().map(|item| (item.id, item)));
                let listed: HashSet<String> = preview.service_types.iter().cloned().collect();
                let new = outcome.service_types.into_iter().filter(|name| !listed.contains(name));
                preview.service_types.extend(new);
            }
            Err(error) => {
                let errors = line_errors(&error, L::FIELD, indexes.len());
                if errors.is_empty() {
                    return Err(Failure::from(error).with_field_names(name_flag));
                }
                for (index, field, why) in errors {
                    lines[indexes[index]].add_error(&field, why);
                }
            }
        }
    }
    Ok(preview)
}

/// The errors of single lines in a 422 response: index, field, message. Empty if the response has any other error.
fn line_errors(error: &panel_client::Error, records: &str, count: usize) -> Vec<(usize, String, String)> {
    let Some(refused) = error.refused().filter(|refused| refused.status == 422) else { return Vec::new() };
    let mut errors = Vec::new();
    for (name, messages) in &refused.problem.errors {
        let key = name.strip_prefix(records).and_then(|rest| rest.strip_prefix('.'));
        let key = key.and_then(|key| key.split_once('.'));
        let Some((index, field)) = key else { return Vec::new() };
        let Some(index) = index.parse::<usize>().ok().filter(|index| *index < count) else {
            return Vec::new();
        };
        errors.extend(messages.iter().map(|message| (index, field.to_owned(), message.clone())));
    }
    errors
}

/// The result of a dry run without errors: all lines would be imported.
fn dry_run_result<I>(lines: &[ImportLine<I>]) -> RunOutcome {
    let ids: Vec<RecordId> = lines.iter().filter_map(ImportLine::record).collect();
    let report = Report { total: ids.len(), processed: ids, dry_run: true, ..Report::default() };
    RunOutcome { id: None, report, error: None }
}

async fn ask<L: FileImport>(ctx: &Ctx, matches: &ArgMatches, count: usize) -> CmdResult<()> {
    let noun = if count == 1 { L::NOUNS.one } else { L::NOUNS.many };
    let text = format!("Import {count} {noun} of panel {}?", id_value(matches));
    confirm::ask(ctx, matches, &Question { text, count, danger: L::DANGER, unfiltered: None }).await
}

async fn apply<L: FileImport>(
    ctx: &Ctx,
    matches: &ArgMatches,
    shared: &Body<L>,
    lines: &[ImportLine<L::Item>],
) -> CmdResult<RunOutcome> {
    let (profile, settings) = ctx.profile()?;
    let about = RunInfo {
        profile: Some(profile),
        user: settings.and_then(|profile| profile.user),
        command: ctx.command.clone(),
        filter: Some(format!("the lines of {}", arg::<String>(matches, "file")?)),
        words: Some(L::NOUNS.owned()),
    };
    let records: Vec<(RecordId, &L::Item)> =
        lines.iter().filter_map(|line| Some((line.record()?, &line.item))).collect();
    let ids: Vec<RecordId> = records.iter().map(|(id, _)| *id).collect();
    let action = Action::records::<L::Endpoint>(L::FIELD, shared, &records)?;
    let (client, folder) = (ctx.client()?, ctx.runs()?);
    ctx.interrupt.arm();
    let mut progress = Progress::new(&ctx.out, ids.len());
    let mut show = |report: &Report, total| progress.show(report, total);
    let stop = &ctx.interrupt.stop;
    Ok(run::begin(&client, &folder, (action, about), (&ids, IMPORT_CHUNK), stop, &mut show).await?)
}

/// Prints the result of each line, or only the errors if there are any, since then nothing is imported. As one object, it is the
/// report of the run with the lines in it.
fn show<L: FileImport>(
    ctx: &Ctx,
    lines: &[ImportLine<L::Item>],
    preview: &Preview,
    ended: Option<&RunOutcome>,
) -> CmdResult<()> {
    let rows = match ended {
        None => lines.iter().flat_map(error_rows::<L>).collect(),
        Some(ended) => rows(lines, preview, &ended.report),
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

/// One row for each error of a line.
fn error_rows<L: FileImport>(line: &ImportLine<L::Item>) -> Vec<Value> {
    let (name, price) = L::name_and_price(&line.item);
    let row = |(field, why): &(String, String)| {
        let field = Some(field).filter(|field| !field.is_empty());
        json!({ "line": line.line, "id": line.id, "name": name,
            "cost": null, "price": price, "result": "error", "field": field, "message": why })
    };
    line.errors.iter().map(row).collect()
}

/// The result of each line, in the order of the file.
fn rows<I>(lines: &[ImportLine<I>], preview: &Preview, report: &Report) -> Vec<Value> {
    let processed: HashSet<RecordId> = report.processed.iter().copied().collect();
    let skipped: BTreeMap<RecordId, (&str, &str)> =
        report.skipped.iter().map(|skip| (skip.id, (skip.code.as_str(), skip.message.as_str()))).collect();
    let imported = if report.dry_run { "would be imported" } else { "imported" };
    let row = |line: &ImportLine<I>| {
        let id = line.record();
        let (result, why) = match id.and_then(|id| skipped.get(&id)) {
            Some(why) => ("skipped", Some(why)),
            None if id.is_some_and(|id| processed.contains(&id)) => (imported, None),
            None => ("open", None),
        };
        let item = id.and_then(|id| preview.items.get(&id));
        let price: Option<Money> = item.and_then(|item| item.price);
        json!({ "line": line.line, "id": id, "name": item.map(|item| &item.name), "cost": item.and_then(|item| item.provider_price),
            "price": price, "result": result, "field": why.map(|why| why.0), "message": why.map(|why| why.1) })
    };
    lines.iter().map(row).collect()
}
