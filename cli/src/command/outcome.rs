//! The result of a bulk run: data, summary, next steps and exit code.

use panel_client::bulk::journal;
use panel_client::bulk::report::RunReport;
use panel_client::bulk::run::RunOutcome;
use panel_contract::amount::Money;
use panel_contract::common::{ProviderCosts, SkippedRecord, UndoOffer};
use panel_contract::ids::RecordId;
use serde_json::{Value, json};

use crate::ctx::Ctx;
use crate::exit::Exit;
use crate::failure::{CommandResult, Failure};
use crate::output::Format;
use crate::output::column::{Column, DisplayKind};

/// The nouns of a command's records and the participle of the action, for messages.
#[derive(Debug, Clone, Copy)]
pub(crate) struct RecordNouns {
    /// Such as `order`.
    pub(crate) singular: &'static str,
    /// Such as `orders`.
    pub(crate) plural: &'static str,
    /// Such as `canceled`.
    pub(crate) past_participle: &'static str,
}

impl RecordNouns {
    /// The form that a journal stores.
    pub(crate) fn into_wording(self) -> journal::RunWording {
        let Self { singular, plural, past_participle } = self;
        journal::RunWording {
            singular: singular.into(),
            plural: plural.into(),
            past_participle: past_participle.into(),
        }
    }
}

/// Maximum number of records that the text lists for one reason.
const MAX_RECORDS_PER_REASON: usize = 3;

/// Columns of the data: one row per id.
const COLUMNS: &[Column] = &[
    Column::new("id", DisplayKind::Id),
    Column::new("result", DisplayKind::Enum),
    Column::new("code", DisplayKind::Text),
    Column::new("message", DisplayKind::Text),
];

/// Reports the result of a run: data, summary, next steps and exit code.
pub(crate) fn report_run(
    ctx: &Ctx,
    wording: &journal::RunWording,
    endpoint: &str,
    outcome: &RunOutcome,
) -> CommandResult {
    let print_result = print_report(ctx, endpoint, outcome.id.as_deref(), &outcome.report);
    combine_results(print_result, report_without_data(ctx, wording, outcome))
}

/// Combines the result of printing the data with the result of the run. If standard output is closed, the exit code still tells whether
/// the run was partial.
pub(crate) fn combine_results(print_result: CommandResult<()>, run_result: CommandResult) -> CommandResult {
    match (print_result, run_result) {
        (Err(failure), Ok(_)) if !failure.is_closed_pipe => Err(failure),
        (_, run_result) => run_result,
    }
}

/// Like [`report_run`], but without the data, which the caller has printed already.
pub(crate) fn report_without_data(
    ctx: &Ctx,
    wording: &journal::RunWording,
    outcome: &RunOutcome,
) -> CommandResult {
    let report = &outcome.report;
    let run_text = outcome.id.as_deref().map_or(String::new(), |id| format!(" · run {id}"));
    ctx.out.print_message(&format!("{}{run_text}", format_summary(wording, report)));
    ctx.out.print_message(&format_skip_reasons(report));
    if !report.dry_run {
        print_undo_command(ctx, &report.undo_offers);
    }
    let resume_command = outcome.id.as_deref().map(|id| format!("panelctl runs resume {id}"));
    if let Some(error) = &outcome.error {
        ctx.out.print_message(&format!("Not processed: {}.", report.open_ids.len()));
        let mut failure = interrupted_run_failure(error);
        if failure.exit == Exit::Failed && !report.processed.is_empty() {
            failure.exit = Exit::Partial;
        }
        return Err(match resume_command {
            Some(command) => failure.hint(format!("{command}   (no record is processed twice)")),
            None => failure,
        });
    }
    if !report.open_ids.is_empty() {
        ctx.out.print_message(&format!("To continue, run: {}", resume_command.unwrap_or_default()));
        return Ok(Exit::Interrupted);
    }
    Ok(match (report.is_complete(), report.processed.is_empty()) {
        (true, _) => Exit::Ok,
        (false, false) => Exit::Partial,
        (false, true) => Exit::Failed,
    })
}

/// Prints the command that undoes the action, if the server offers it.
pub(crate) fn print_undo_command(ctx: &Ctx, undo_offers: &[UndoOffer]) {
    if !undo_offers.is_empty() {
        let request_ids: Vec<&str> = undo_offers.iter().map(|offer| offer.request_id.as_str()).collect();
        ctx.out.print_message(&format!("To undo this, run: panelctl undo {}", request_ids.join(" ")));
    }
}

/// The summary of a run, such as `412 orders: 398 canceled, 14 skipped · 1204.5 refunded`.
pub(crate) fn format_summary(wording: &journal::RunWording, report: &RunReport) -> String {
    let (noun, past_participle) =
        (if report.total == 1 { &wording.singular } else { &wording.plural }, &wording.past_participle);
    let passive_prefix = if report.dry_run { "would be " } else { "" };
    let mut text =
        format!("{} {noun}: {} {passive_prefix}{past_participle}", report.total, report.processed.len());
    for (count, label) in [(report.skipped.len(), "skipped"), (report.open_ids.len(), "not processed")] {
        if count > 0 {
            text.push_str(&format!(", {count} {label}"));
        }
    }
    if report.refunded != Money::default() {
        text.push_str(&format!(" · {} {passive_prefix}refunded", report.refunded));
    }
    if report.charged != Money::default() {
        text.push_str(&format!(" · {} {passive_prefix}charged", report.charged));
    }
    if let Some(costs) = &report.costs {
        text.push_str(&format!(" · {}", format_costs(costs)));
    }
    text
}

/// The costs of changing the provider of orders, for messages.
pub(crate) fn format_costs(costs: &ProviderCosts) -> String {
    let Some(total) = costs.total else {
        return "the cost is unknown because the provider's currency has no exchange rate".to_owned();
    };
    let is_loss = |margin: Money| margin < Money::default();
    let orders_at_a_loss = costs
        .orders
        .iter()
        .filter(|order| order.margin.is_some_and(|order_margin| is_loss(order_margin.margin)));
    let losses_text = match orders_at_a_loss.count() {
        0 => String::new(),
        count => format!(", {count} at a loss"),
    };
    format!("the provider charges {}, the margin is {}{losses_text}", total.provider_cost, total.margin)
}

/// Why records were skipped, one line for each reason: the common message, or some records with their messages.
pub(crate) fn format_skip_reasons(report: &RunReport) -> String {
    let mut lines = Vec::new();
    for reason in report.skip_reasons() {
        let (count, code) = (reason.skipped.len(), reason.code);
        if let Some(message) = reason.common_message() {
            lines.push(format!("  {count} × {code}: {message}"));
            continue;
        }
        lines.push(format!("  {count} × {code}:"));
        let first_records = reason.skipped.iter().take(MAX_RECORDS_PER_REASON);
        lines.extend(first_records.map(|skip| format!("    {}: {}", skip.id, skip.message)));
        if count > MAX_RECORDS_PER_REASON {
            lines.push(format!(
                "    and {} more; use -o json or -o csv to list them",
                count - MAX_RECORDS_PER_REASON
            ));
        }
    }
    lines.join("\n")
}

/// A report as one JSON object, with the same shape for one record, many records, a resumed run and an import.
pub(crate) fn report_to_json(endpoint: &str, run_id: Option<&str>, report: &RunReport) -> Value {
    let reasons: Vec<Value> = report
        .skip_reasons()
        .iter()
        .map(|reason| json!({ "code": reason.code, "count": reason.skipped.len() }))
        .collect();
    let mut value = json!(report);
    value["run"] = run_id.into();
    value["action"] = endpoint.into();
    value["reasons"] = reasons.into();
    value
}

/// Prints the data of a run: one object as JSON or YAML; one row per id as CSV or JSON lines; nothing for a table, because the summary
/// is enough for people.
pub(crate) fn print_report(
    ctx: &Ctx,
    endpoint: &str,
    run_id: Option<&str>,
    report: &RunReport,
) -> CommandResult<()> {
    let result_row =
        |id: &RecordId, result: &str| json!({ "id": id, "result": result, "code": null, "message": null });
    match ctx.out.format {
        Format::Table if ctx.out.jq.is_none() => Ok(()),
        Format::Ids if ctx.out.jq.is_none() => {
            report.processed.iter().try_for_each(|id| ctx.out.print_line(&id.to_string()))
        }
        Format::Csv | Format::Jsonl if ctx.out.jq.is_none() => {
            let skipped_row = |SkippedRecord { id, code, message }: &SkippedRecord| json!({ "id": id, "result": "skipped", "code": code, "message": message });
            let rows = report.processed.iter().map(|id| result_row(id, "processed"));
            let rows = rows.chain(report.skipped.iter().map(skipped_row));
            let rows = rows.chain(report.open_ids.iter().map(|id| result_row(id, "open")));
            ctx.out.print_records(rows.collect(), COLUMNS)
        }
        _ => ctx.out.print_record(&report_to_json(endpoint, run_id, report), &[]),
    }
}

/// Rejects columns that the report does not have, before the run starts.
pub(crate) fn check_columns(ctx: &Ctx) -> CommandResult<()> {
    match prints_one_object(ctx) {
        true => Ok(()),
        false => ctx.out.row_writer(COLUMNS).map(drop),
    }
}

/// Whether a report is printed as one object instead of one row per record.
pub(crate) fn prints_one_object(ctx: &Ctx) -> bool {
    ctx.out.jq.is_some() || matches!(ctx.out.format, Format::Json | Format::Yaml)
}

/// Converts an error of an action; the fields of the body get the names of the flags.
pub(crate) fn with_flag_names(error: panel_client::Error) -> Failure {
    Failure::from(error).with_field_names(flag_of_body_field)
}

/// Converts the error that interrupted a run. A transport error gets the exit code of a failed run.
fn interrupted_run_failure(error: &panel_client::Error) -> Failure {
    match error {
        panel_client::Error::Api(api_error) => with_flag_names(panel_client::Error::Api(api_error.clone())),
        other => Failure::failed(other.to_string()),
    }
}

/// Returns the flag that sets a field of an action's body.
fn flag_of_body_field(field: &str) -> String {
    match field.split('.').next().unwrap_or(field) {
        "order_ids" => "ids".to_owned(),
        "cancel_reason" => "--reason".to_owned(),
        "cancel_description" => "--description".to_owned(),
        "provider_id" => "--provider".to_owned(),
        "quantity" => "--order-quantity".to_owned(),
        other => format!("--{}", other.replace('_', "-")),
    }
}
