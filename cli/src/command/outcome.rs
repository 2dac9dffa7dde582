//! The result of a bulk run: data, summary, next steps and exit code.

use panel_client::bulk::journal;
use panel_client::bulk::report::Report;
use panel_client::bulk::run::RunOutcome;
use panel_contract::amount::Money;
use panel_contract::common::{ProviderCosts, Skipped, UndoOffer};
use panel_contract::ids::RecordId;
use serde_json::{Value, json};

use crate::ctx::Ctx;
use crate::exit::Exit;
use crate::failure::{CmdResult, Failure};
use crate::output::Format;
use crate::output::column::{Column, Kind};

/// The nouns of a command's records and the participle of the action, for messages.
#[derive(Debug, Clone, Copy)]
pub(crate) struct RecordNouns {
    /// Such as `order`.
    pub(crate) one: &'static str,
    /// Such as `orders`.
    pub(crate) many: &'static str,
    /// Such as `canceled`.
    pub(crate) past: &'static str,
}

impl RecordNouns {
    /// The form that a journal stores.
    pub(crate) fn owned(self) -> journal::Words {
        let Self { one, many, past } = self;
        journal::Words { one: one.into(), many: many.into(), past: past.into() }
    }
}

/// Limit of records that the text for one reason names.
const MAX_NAMED: usize = 3;

/// Columns of the data: one row per id.
const COLUMNS: &[Column] = &[
    Column::new("id", Kind::Id),
    Column::new("result", Kind::Word),
    Column::new("code", Kind::Text),
    Column::new("message", Kind::Text),
];

/// Reports the result of a run: data, summary, next steps and exit code.
pub(crate) fn report_run(ctx: &Ctx, words: &journal::Words, endpoint: &str, ended: &RunOutcome) -> CmdResult {
    let printed = print(ctx, endpoint, ended.id.as_deref(), &ended.report);
    exit_of(printed, conclude(ctx, words, ended))
}

/// Combines the result of printing the data with the result of the run. A closed standard output does not turn a partial run
/// into a complete one.
pub(crate) fn exit_of(printed: CmdResult<()>, ended: CmdResult) -> CmdResult {
    match (printed, ended) {
        (Err(failure), Ok(_)) if !failure.is_closed_pipe => Err(failure),
        (_, ended) => ended,
    }
}

/// Like [`report_run`], if the data was printed already.
pub(crate) fn conclude(ctx: &Ctx, words: &journal::Words, ended: &RunOutcome) -> CmdResult {
    let report = &ended.report;
    let id = ended.id.as_deref().map_or(String::new(), |id| format!(" · run {id}"));
    ctx.out.print_message(&format!("{}{id}", summary(words, report)));
    ctx.out.print_message(&reasons(report));
    if !report.dry_run {
        print_undo(ctx, &report.undo);
    }
    let resume = ended.id.as_deref().map(|id| format!("panelctl runs resume {id}"));
    if let Some(error) = &ended.error {
        ctx.out.print_message(&format!("Not processed: {}.", report.open.len()));
        let mut failure = flags_of(error);
        if failure.exit == Exit::Failed && !report.processed.is_empty() {
            failure.exit = Exit::Partial;
        }
        return Err(match resume {
            Some(resume) => failure.hint(format!("{resume}   (no record is processed twice)")),
            None => failure,
        });
    }
    if !report.open.is_empty() {
        ctx.out.print_message(&format!("To continue, run: {}", resume.unwrap_or_default()));
        return Ok(Exit::Interrupted);
    }
    Ok(match (report.is_whole(), report.processed.is_empty()) {
        (true, _) => Exit::Ok,
        (false, false) => Exit::Partial,
        (false, true) => Exit::Failed,
    })
}

/// Prints how to undo the action, if the panel can.
pub(crate) fn print_undo(ctx: &Ctx, undo: &[UndoOffer]) {
    if !undo.is_empty() {
        let ids: Vec<&str> = undo.iter().map(|offer| offer.request_id.as_str()).collect();
        ctx.out.print_message(&format!("To undo this, run: panelctl undo {}", ids.join(" ")));
    }
}

/// Such as `412 orders: 398 canceled, 14 skipped · 1204.5 refunded`.
pub(crate) fn summary(words: &journal::Words, report: &Report) -> String {
    let (noun, past) = (if report.total == 1 { &words.one } else { &words.many }, &words.past);
    let would = if report.dry_run { "would be " } else { "" };
    let mut text = format!("{} {noun}: {} {would}{past}", report.total, report.processed.len());
    for (count, word) in [(report.skipped.len(), "skipped"), (report.open.len(), "not processed")] {
        if count > 0 {
            text.push_str(&format!(", {count} {word}"));
        }
    }
    if report.returned != Money::default() {
        text.push_str(&format!(" · {} {would}refunded", report.returned));
    }
    if report.charged != Money::default() {
        text.push_str(&format!(" · {} {would}charged", report.charged));
    }
    if let Some(costs) = &report.costs {
        text.push_str(&format!(" · {}", costs_text(costs)));
    }
    text
}

/// The costs of a change of provider.
pub(crate) fn costs_text(costs: &ProviderCosts) -> String {
    let Some(total) = costs.total else {
        return "the cost is unknown because the provider's currency has no exchange rate".to_owned();
    };
    let is_loss = |margin: Money| margin < Money::default();
    let losses = costs.orders.iter().filter(|order| order.margin.is_some_and(|one| is_loss(one.margin)));
    let losses = match losses.count() {
        0 => String::new(),
        count => format!(", {count} at a loss"),
    };
    format!("the provider charges {}, the margin is {}{losses}", total.provider_cost, total.margin)
}

/// Why records were skipped, one line for each reason: the common message, or some records with their messages.
pub(crate) fn reasons(report: &Report) -> String {
    let mut lines = Vec::new();
    for reason in report.reasons() {
        let (count, code) = (reason.skipped.len(), reason.code);
        if let Some(message) = reason.common_message() {
            lines.push(format!("  {count} × {code}: {message}"));
            continue;
        }
        lines.push(format!("  {count} × {code}:"));
        let named = reason.skipped.iter().take(MAX_NAMED);
        lines.extend(named.map(|skip| format!("    {}: {}", skip.id, skip.message)));
        if count > MAX_NAMED {
            lines.push(format!("    and {} more; use -o json or -o csv to list them", count - MAX_NAMED));
        }
    }
    lines.join("\n")
}

/// A report as one JSON object, with the same shape for one record, many records, a resumed run and an import.
pub(crate) fn json_of(endpoint: &str, run: Option<&str>, report: &Report) -> Value {
    let reasons: Vec<Value> =
        report.reasons().iter().map(|one| json!({ "code": one.code, "count": one.skipped.len() })).collect();
    let mut value = json!(report);
    value["run"] = run.into();
    value["action"] = endpoint.into();
    value["reasons"] = reasons.into();
    value
}

/// Prints the data of a run: one object as JSON or YAML, else one row per id. A table has only the summary.
pub(crate) fn print(ctx: &Ctx, endpoint: &str, run: Option<&str>, report: &Report) -> CmdResult<()> {
    let line =
        |id: &RecordId, result: &str| json!({ "id": id, "result": result, "code": null, "message": null });
    match ctx.out.format {
        Format::Table if ctx.out.jq.is_none() => Ok(()),
        Format::Ids if ctx.out.jq.is_none() => {
            report.processed.iter().try_for_each(|id| ctx.out.line(&id.to_string()))
        }
        Format::Csv | Format::Jsonl if ctx.out.jq.is_none() => {
            let skipped = |Skipped { id, code, message }: &Skipped| json!({ "id": id, "result": "skipped", "code": code, "message": message });
            let lines = report.processed.iter().map(|id| line(id, "processed"));
            let lines = lines.chain(report.skipped.iter().map(skipped));
            let lines = lines.chain(report.open.iter().map(|id| line(id, "open")));
            ctx.out.records(lines.collect(), COLUMNS)
        }
        _ => ctx.out.record(&json_of(endpoint, run, report), &[]),
    }
}

/// Refuses columns that the report does not have, before the run starts.
pub(crate) fn check_columns(ctx: &Ctx) -> CmdResult<()> {
    match is_object(ctx) {
        true => Ok(()),
        false => ctx.out.rows(COLUMNS).map(drop),
    }
}

/// Whether the data is one object instead of one row per record.
pub(crate) fn is_object(ctx: &Ctx) -> bool {
    ctx.out.jq.is_some() || matches!(ctx.out.format, Format::Json | Format::Yaml)
}

/// The error of an action, with its fields named as flags.
pub(crate) fn flags(error: panel_client::Error) -> Failure {
    Failure::from(error).with_field_names(name_flag)
}

/// The error of an interrupted run; the exit code of a transport error is that of a failed run.
fn flags_of(error: &panel_client::Error) -> Failure {
    match error {
        panel_client::Error::Refused(refused) => flags(panel_client::Error::Refused(refused.clone())),
        other => Failure::failed(other.to_string()),
    }
}

/// Names a field of an action's body as a flag.
fn name_flag(field: &str) -> String {
    match field.split('.').next().unwrap_or(field) {
        "order_ids" => "ids".to_owned(),
        "cancel_reason" => "--reason".to_owned(),
        "cancel_description" => "--description".to_owned(),
        "provider_id" => "--provider".to_owned(),
        "quantity" => "--order-quantity".to_owned(),
        other => format!("--{}", other.replace('_', "-")),
    }
}
