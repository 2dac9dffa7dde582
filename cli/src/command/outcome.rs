//! What a bulk run came to: data, a summary in words, what to do next, the exit code.

use panel_client::bulk::journal;
use panel_client::bulk::report::Report;
use panel_client::bulk::run::Ended;
use panel_contract::amount::Money;
use panel_contract::common::{ProviderCosts, Skipped, UndoOffer};
use panel_contract::ids::RecordId;
use serde_json::{Value, json};

use crate::ctx::Ctx;
use crate::exit::Exit;
use crate::failure::{Done, Failure};
use crate::output::Format;
use crate::output::column::{Column, Kind};

/// What the records of a command are called, and what becomes of them.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Words {
    /// Such as `order`.
    pub(crate) one: &'static str,
    /// Such as `orders`.
    pub(crate) many: &'static str,
    /// Such as `canceled`.
    pub(crate) past: &'static str,
}

impl Words {
    /// As a journal holds them.
    pub(crate) fn owned(self) -> journal::Words {
        let Self { one, many, past } = self;
        journal::Words { one: one.into(), many: many.into(), past: past.into() }
    }
}

/// Records of one reason that are named for a person.
const NAMED: usize = 3;

/// One line per id.
const COLUMNS: &[Column] = &[
    Column::new("id", Kind::Id),
    Column::new("result", Kind::Word),
    Column::new("code", Kind::Text),
    Column::new("message", Kind::Text),
];

/// Tells how a run ended: data, summary, what next, exit code.
pub(crate) fn tell(ctx: &Ctx, words: &journal::Words, endpoint: &str, ended: &Ended) -> Done {
    let printed = print(ctx, endpoint, ended.id.as_deref(), &ended.report);
    after(printed, conclude(ctx, words, ended))
}

/// The exit code of a run whose data was `printed` before it `ended`. A reader of standard output who went away does
/// not make a partial run a whole one.
pub(crate) fn after(printed: Done<()>, ended: Done) -> Done {
    match (printed, ended) {
        (Err(failure), Ok(_)) if !failure.is_closed_pipe => Err(failure),
        (_, ended) => ended,
    }
}

/// As [`tell`], where the data is told already.
pub(crate) fn conclude(ctx: &Ctx, words: &journal::Words, ended: &Ended) -> Done {
    let report = &ended.report;
    let id = ended.id.as_deref().map_or(String::new(), |id| format!(" · run {id}"));
    ctx.out.say(&format!("{}{id}", summary(words, report)));
    ctx.out.say(&reasons(report));
    if !report.dry_run {
        say_undo(ctx, &report.undo);
    }
    let resume = ended.id.as_deref().map(|id| format!("panelctl runs resume {id}"));
    if let Some(error) = &ended.error {
        ctx.out.say(&format!("Still open: {}.", report.open.len()));
        let mut failure = flags_of(error);
        if failure.exit == Exit::Failed && !report.processed.is_empty() {
            failure.exit = Exit::Partial;
        }
        return Err(match resume {
            Some(resume) => failure.hint(format!("{resume}   (nothing is done twice)")),
            None => failure,
        });
    }
    if !report.open.is_empty() {
        ctx.out.say(&format!("Go on with: {}", resume.unwrap_or_default()));
        return Ok(Exit::Interrupted);
    }
    Ok(match (report.is_whole(), report.processed.is_empty()) {
        (true, _) => Exit::Ok,
        (false, false) => Exit::Partial,
        (false, true) => Exit::Failed,
    })
}

/// Says how to undo what was done, where that is possible.
pub(crate) fn say_undo(ctx: &Ctx, undo: &[UndoOffer]) {
    if !undo.is_empty() {
        let ids: Vec<&str> = undo.iter().map(|offer| offer.request_id.as_str()).collect();
        ctx.out.say(&format!("To undo: panelctl undo {}", ids.join(" ")));
    }
}

/// `412 orders: 398 canceled, 14 skipped · 1204.5 returned`.
pub(crate) fn summary(words: &journal::Words, report: &Report) -> String {
    let (noun, past) = (if report.total == 1 { &words.one } else { &words.many }, &words.past);
    let would = if report.dry_run { "would be " } else { "" };
    let mut text = format!("{} {noun}: {} {would}{past}", report.total, report.processed.len());
    for (count, word) in [(report.skipped.len(), "skipped"), (report.open.len(), "open")] {
        if count > 0 {
            text.push_str(&format!(", {count} {word}"));
        }
    }
    if report.returned != Money::default() {
        text.push_str(&format!(" · {} {would}returned", report.returned));
    }
    if report.charged != Money::default() {
        text.push_str(&format!(" · {} {would}charged", report.charged));
    }
    if let Some(costs) = &report.costs {
        text.push_str(&format!(" · {}", said_of_costs(costs)));
    }
    text
}

/// What a change of provider costs, in words.
pub(crate) fn said_of_costs(costs: &ProviderCosts) -> String {
    let Some(total) = costs.total else {
        return "the cost is unknown: the provider's currency has no exchange rate".to_owned();
    };
    let is_loss = |margin: Money| margin < Money::default();
    let losses = costs.orders.iter().filter(|order| order.margin.is_some_and(|one| is_loss(one.margin)));
    let losses = match losses.count() {
        0 => String::new(),
        count => format!(", {count} at a loss"),
    };
    format!("the provider charges {}, {} is left{losses}", total.provider_cost, total.margin)
}

/// Why records were skipped, a line for each reason: its sentence, or some records with theirs where they differ.
pub(crate) fn reasons(report: &Report) -> String {
    let mut lines = Vec::new();
    for reason in report.reasons() {
        let (count, code) = (reason.skipped.len(), reason.code);
        if let Some(message) = reason.common_message() {
            lines.push(format!("  {count} × {code}: {message}"));
            continue;
        }
        lines.push(format!("  {count} × {code}:"));
        let named = reason.skipped.iter().take(NAMED);
        lines.extend(named.map(|skip| format!("    {}: {}", skip.id, skip.message)));
        if count > NAMED {
            lines.push(format!("    and {} more, which -o json and -o csv name", count - NAMED));
        }
    }
    lines.join("\n")
}

/// A report as one JSON object: the same for one record, for many, for a resumed run and for an import.
pub(crate) fn json_of(endpoint: &str, run: Option<&str>, report: &Report) -> Value {
    let reasons: Vec<Value> =
        report.reasons().iter().map(|one| json!({ "code": one.code, "count": one.skipped.len() })).collect();
    let mut value = json!(report);
    value["run"] = run.into();
    value["action"] = endpoint.into();
    value["reasons"] = reasons.into();
    value
}

/// The data of a run: one object for JSON and YAML, one line per id for the rest; nothing beside a table's summary.
pub(crate) fn print(ctx: &Ctx, endpoint: &str, run: Option<&str>, report: &Report) -> Done<()> {
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

/// Refuses columns that no report of a run has, before the run.
pub(crate) fn check_columns(ctx: &Ctx) -> Done<()> {
    match is_object(ctx) {
        true => Ok(()),
        false => ctx.out.rows(COLUMNS).map(drop),
    }
}

/// Whether the data of a run is one object, and not a row for each record.
pub(crate) fn is_object(ctx: &Ctx) -> bool {
    ctx.out.jq.is_some() || matches!(ctx.out.format, Format::Json | Format::Yaml)
}

/// A refusal of an action, in the words of its flags.
pub(crate) fn flags(error: panel_client::Error) -> Failure {
    Failure::from(error).naming(name_flag)
}

/// A failure of a run, which stays with its run.
fn flags_of(error: &panel_client::Error) -> Failure {
    match error {
        panel_client::Error::Refused(refused) => flags(panel_client::Error::Refused(refused.clone())),
        other => Failure::failed(other.to_string()),
    }
}

/// Fields of action bodies as flags.
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
