//! `import services PANEL --file` and `import packages PANEL --file`: imports the lines of a file. First the server validates all
//! lines; if a line is invalid, nothing is imported. Then panelctl sends the lines in chunks, with a journal.

use std::collections::{BTreeMap, HashMap, HashSet};

use clap::ArgMatches;
use panel_client::bulk::action::BulkAction;
use panel_client::bulk::report::RunReport;
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

use super::flag_of_field;
use super::lines::{ImportLine, LineFormat, Services, parse_lines};
use crate::command::confirm::{self, Question, Reversibility};
use crate::command::outcome::{
    RecordNouns, combine_results, prints_one_object, report_to_json, report_without_data,
};
use crate::command::progress::Progress;
use crate::command::request_command::{id_for_message, optional_value, required_id, required_value};
use crate::ctx::Ctx;
use crate::failure::{CommandResult, Failure};
use crate::output::column::{Column, DisplayKind};
use crate::sheet::read::read_file_lines;

const LINES_PER_DRY_RUN_REQUEST: usize = 1_000;
/// The number is small, so that requests are short and a resumed run repeats few lines.
const LINES_PER_IMPORT_REQUEST: usize = 200;

const COLUMNS: &[Column] = &[
    Column::new("line", DisplayKind::Id),
    Column::new("id", DisplayKind::Id),
    Column::new("name", DisplayKind::Text),
    Column::new("cost", DisplayKind::Number),
    Column::new("price", DisplayKind::Number),
    Column::new("result", DisplayKind::Enum),
    Column::new("field", DisplayKind::Enum),
    Column::new("message", DisplayKind::Text),
];

/// The responses to the dry-run requests.
#[derive(Default)]
struct Preview {
    items: HashMap<RecordId, ImportedItem>,
    /// Names of the service types that would be created.
    service_types: Vec<String>,
}

/// The import of services or packages from a file: endpoint, request body and nouns.
pub(super) trait FileImport: LineFormat {
    type Endpoint: Endpoint<Path = (), Query = DryRun, Body: Clone, Response = Data<ImportOutcome>>;

    /// The field of the request body that holds the lines.
    const ITEMS_FIELD: &'static str;
    const NOUNS: RecordNouns;
    const REVERSIBILITY: Reversibility;

    /// Builds the body with the options of the command line, without lines.
    fn read_body(matches: &ArgMatches) -> CommandResult<Body<Self>>;
    /// Copies the body and adds lines.
    fn body_with_items(body: &Body<Self>, items: Vec<Self::Item>) -> Body<Self>;
    /// Applies options for which the body has no field to a line that does not set the field itself.
    fn apply_options(_item: &mut Self::Item, _matches: &ArgMatches) {}
    /// The name and price of a line.
    fn name_and_price(item: &Self::Item) -> (Option<&str>, Option<Money>);
}

pub(super) type Body<L> = <<L as FileImport>::Endpoint as Endpoint>::Body;

impl FileImport for Services {
    type Endpoint = ImportServices;

    const ITEMS_FIELD: &'static str = "services";
    const NOUNS: RecordNouns =
        RecordNouns { singular: "service", plural: "services", past_participle: "imported" };
    const REVERSIBILITY: Reversibility = Reversibility::Reversible("panelctl services archive");

    fn read_body(matches: &ArgMatches) -> CommandResult<ImportServicesInput> {
        Ok(ImportServicesInput {
            external_panel_id: required_id(matches)?,
            services: Vec::new(),
            margin_fraction: optional_value(matches, "margin-fraction"),
            network_id: optional_value(matches, "network-id"),
            service_type_id: optional_value(matches, "service-type-id"),
            keep_categories: matches.get_flag("keep-categories"),
        })
    }

    fn body_with_items(body: &ImportServicesInput, services: Vec<ImportServiceItem>) -> ImportServicesInput {
        ImportServicesInput { services, ..body.clone() }
    }

    fn name_and_price(item: &ImportServiceItem) -> (Option<&str>, Option<Money>) {
        (item.name.as_deref(), item.price)
    }
}

pub(super) async fn import_file<L: FileImport>(ctx: &Ctx, matches: &ArgMatches) -> CommandResult {
    let mut lines =
        parse_lines::<L>(&read_file_lines(L::SCHEMA, &required_value::<String>(matches, "file")?)?);
    for line in &mut lines {
        L::apply_options(&mut line.item, matches);
    }
    let body = L::read_body(matches)?;
    if !prints_one_object(ctx) {
        // Rejects columns that the report does not have, before panelctl sends a request.
        drop(ctx.out.row_writer(COLUMNS)?);
    }
    confirm::announce_target(ctx)?;
    let preview = preview_lines::<L>(ctx, &body, &mut lines).await?;
    let invalid_line_count = lines.iter().filter(|line| !line.errors.is_empty()).count();
    if invalid_line_count > 0 {
        let print_result = print_lines::<L>(ctx, &lines, &preview, None);
        let noun = if invalid_line_count == 1 { "line" } else { "lines" };
        let failure = Failure::usage(format!(
            "The file has {invalid_line_count} {noun} with errors; nothing was imported."
        ));
        return combine_results(print_result, Err(failure));
    }
    if !preview.service_types.is_empty() {
        let names = preview.service_types.join(", ");
        ctx.out.print_message(&format!("Service types to be created for categories: {names}."));
    }
    let outcome = match confirm::is_dry_run(matches) {
        true => dry_run_result(&lines),
        false => {
            confirm_import::<L>(ctx, matches, lines.len()).await?;
            send_lines::<L>(ctx, matches, &body, &lines).await?
        }
    };
    let print_result = print_lines::<L>(ctx, &lines, &preview, Some(&outcome));
    combine_results(print_result, report_without_data(ctx, &L::NOUNS.into_wording(), &outcome))
}

/// Sends a dry run of the valid lines, and adds the errors of the server to the lines.
async fn preview_lines<L: FileImport>(
    ctx: &Ctx,
    body: &Body<L>,
    lines: &mut [ImportLine<L::Item>],
) -> CommandResult<Preview> {
    let client = ctx.client()?;
    let mut preview = Preview::default();
    let valid_indexes: Vec<usize> =
        (0..lines.len()).filter(|index| lines[*index].errors.is_empty()).collect();
    for indexes in valid_indexes.chunks(LINES_PER_DRY_RUN_REQUEST) {
        let chunk_body =
            L::body_with_items(body, indexes.iter().map(|index| lines[*index].item.clone()).collect());
        match client.call::<L::Endpoint>((), &DryRun::YES, &chunk_body).await {
            Ok(response) => {
                let outcome = response.data;
                preview.items.extend(outcome.items.into_iter().map(|item| (item.id, item)));
                let existing_types: HashSet<String> = preview.service_types.iter().cloned().collect();
                let new_types =
                    outcome.service_types.into_iter().filter(|name| !existing_types.contains(name));
                preview.service_types.extend(new_types);
            }
            Err(error) => {
                let errors = parse_line_errors(&error, L::ITEMS_FIELD, indexes.len());
                if errors.is_empty() {
                    return Err(Failure::from(error).with_field_names(flag_of_field));
                }
                for (index, field, message) in errors {
                    lines[indexes[index]].add_error(&field, message);
                }
            }
        }
    }
    Ok(preview)
}

/// Parses the errors of single lines in a 422 response: index in the chunk, field and message. Returns no errors if the response has
/// another error.
fn parse_line_errors(
    error: &panel_client::Error,
    items_field: &str,
    count: usize,
) -> Vec<(usize, String, String)> {
    let Some(api_error) = error.api_error().filter(|api_error| api_error.status == 422) else {
        return Vec::new();
    };
    let mut errors = Vec::new();
    for (name, messages) in &api_error.problem.errors {
        let key = name.strip_prefix(items_field).and_then(|key| key.strip_prefix('.'));
        let key = key.and_then(|key| key.split_once('.'));
        let Some((index, field)) = key else { return Vec::new() };
        let Some(index) = index.parse::<usize>().ok().filter(|index| *index < count) else {
            return Vec::new();
        };
        errors.extend(messages.iter().map(|message| (index, field.to_owned(), message.clone())));
    }
    errors
}

/// Returns the result of a dry run without errors: all lines would be imported.
fn dry_run_result<I>(lines: &[ImportLine<I>]) -> RunOutcome {
    let ids: Vec<RecordId> = lines.iter().filter_map(ImportLine::record_id).collect();
    let report = RunReport { total: ids.len(), processed: ids, dry_run: true, ..RunReport::default() };
    RunOutcome { id: None, report, error: None }
}

async fn confirm_import<L: FileImport>(ctx: &Ctx, matches: &ArgMatches, count: usize) -> CommandResult<()> {
    let noun = if count == 1 { L::NOUNS.singular } else { L::NOUNS.plural };
    let text = format!("Import {count} {noun} of external panel {}?", id_for_message(matches));
    confirm::ask_confirmation(
        ctx,
        matches,
        &Question { text, count, reversibility: L::REVERSIBILITY, unfiltered_noun: None },
    )
    .await
}

async fn send_lines<L: FileImport>(
    ctx: &Ctx,
    matches: &ArgMatches,
    body: &Body<L>,
    lines: &[ImportLine<L::Item>],
) -> CommandResult<RunOutcome> {
    let (profile_name, profile) = ctx.profile()?;
    let info = RunInfo {
        profile: Some(profile_name),
        user: profile.and_then(|profile| profile.user),
        command: ctx.command.clone(),
        filter: Some(format!("the lines of {}", required_value::<String>(matches, "file")?)),
        wording: Some(L::NOUNS.into_wording()),
    };
    let records: Vec<(RecordId, &L::Item)> =
        lines.iter().filter_map(|line| Some((line.record_id()?, &line.item))).collect();
    let ids: Vec<RecordId> = records.iter().map(|(id, _)| *id).collect();
    let action = BulkAction::import::<L::Endpoint>(L::ITEMS_FIELD, body, &records)?;
    let (client, folder) = (ctx.client()?, ctx.run_folder()?);
    ctx.interrupt.set_run_active();
    let mut progress = Progress::new(&ctx.out, ids.len());
    let mut show_progress = |report: &RunReport, total| progress.show(report, total);
    let stop = &ctx.interrupt.stop;
    Ok(run::start_run(
        &client,
        &folder,
        (action, info),
        (&ids, LINES_PER_IMPORT_REQUEST),
        stop,
        &mut show_progress,
    )
    .await?)
}

/// Prints the result of each line. If the file has errors, prints only the errors, because nothing is imported. If the output is
/// one object, the object is the report of the run and contains the lines.
fn print_lines<L: FileImport>(
    ctx: &Ctx,
    lines: &[ImportLine<L::Item>],
    preview: &Preview,
    outcome: Option<&RunOutcome>,
) -> CommandResult<()> {
    let rows = match outcome {
        None => lines.iter().flat_map(build_error_rows::<L>).collect(),
        Some(outcome) => build_result_rows(lines, preview, &outcome.report),
    };
    if !prints_one_object(ctx) {
        return ctx.out.print_records(rows, COLUMNS);
    }
    let empty_report = RunReport::default();
    let (run_id, report) =
        outcome.map_or((None, &empty_report), |outcome| (outcome.id.as_deref(), &outcome.report));
    let mut report_json = report_to_json(<L::Endpoint as Endpoint>::OP.id, run_id, report);
    report_json["service_types"] = json!(preview.service_types);
    report_json["lines"] = rows.into();
    ctx.out.print_record(&report_json, &[])
}

/// One row for each error of a line.
fn build_error_rows<L: FileImport>(line: &ImportLine<L::Item>) -> Vec<Value> {
    let (name, price) = L::name_and_price(&line.item);
    let row = |(field, message): &(String, String)| {
        let field = Some(field).filter(|field| !field.is_empty());
        json!({ "line": line.line_number, "id": line.id, "name": name,
            "cost": null, "price": price, "result": "error", "field": field, "message": message })
    };
    line.errors.iter().map(row).collect()
}

/// The result of each line, in the order of the file.
fn build_result_rows<I>(lines: &[ImportLine<I>], preview: &Preview, report: &RunReport) -> Vec<Value> {
    let processed_ids: HashSet<RecordId> = report.processed.iter().copied().collect();
    let skip_reasons: BTreeMap<RecordId, (&str, &str)> =
        report.skipped.iter().map(|skip| (skip.id, (skip.code.as_str(), skip.message.as_str()))).collect();
    let processed_result = if report.dry_run { "would be imported" } else { "imported" };
    let row = |line: &ImportLine<I>| {
        let id = line.record_id();
        let (result, skip_reason) = match id.and_then(|id| skip_reasons.get(&id)) {
            Some(reason) => ("skipped", Some(reason)),
            None if id.is_some_and(|id| processed_ids.contains(&id)) => (processed_result, None),
            None => ("open", None),
        };
        let item = id.and_then(|id| preview.items.get(&id));
        let price: Option<Money> = item.and_then(|item| item.price);
        json!({ "line": line.line_number, "id": id, "name": item.map(|item| &item.name), "cost": item.and_then(|item| item.provider_price),
            "price": price, "result": result, "field": skip_reason.map(|reason| reason.0), "message": skip_reason.map(|reason| reason.1) })
    };
    lines.iter().map(row).collect()
}
