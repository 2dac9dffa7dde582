//! What a bulk run came to: data, a summary in words, what to do next, the exit code.

use panel_client::bulk::report::Report;
use panel_client::bulk::run::Ended;
use panel_contract::amount::Money;
use panel_contract::common::Skipped;
use serde_json::json;

use crate::ctx::Ctx;
use crate::exit::Exit;
use crate::failure::{Done, Failure};
use crate::output::Format;
use crate::output::column::{Column, Kind};

/// What records are called, and what becomes of them.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Words {
    /// Such as `order`.
    pub(crate) one: &'static str,
    /// Such as `orders`.
    pub(crate) many: &'static str,
    /// Such as `canceled`.
    pub(crate) past: &'static str,
}

/// One line per id.
const COLUMNS: &[Column] = &[
    Column::new("id", Kind::Id),
    Column::new("result", Kind::Word),
    Column::new("code", Kind::Text),
    Column::new("message", Kind::Text),
];

/// Tells how a run ended: data, summary, what next, exit code.
pub(crate) fn tell(ctx: &Ctx, words: Words, endpoint: &str, ended: &Ended) -> Done {
    print(ctx, endpoint, ended.id.as_deref(), &ended.report)?;
    conclude(ctx, words, ended)
}

/// As [`tell`], where the data is told already.
pub(crate) fn conclude(ctx: &Ctx, words: Words, ended: &Ended) -> Done {
    let report = &ended.report;
    let noun = if report.total == 1 { words.one } else { words.many };
    let id = ended.id.as_deref().map_or(String::new(), |id| format!(" · run {id}"));
    ctx.out.say(&format!("{}{id}", summary(noun, words.past, report)));
    for (count, code, message) in report.reasons() {
        ctx.out.say(&format!("  {count} × {code}: {message}"));
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

/// `412 orders: 398 canceled, 14 skipped · 1204.5 returned`.
fn summary(noun: &str, past: &str, report: &Report) -> String {
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
    text
}

/// The data of a run: one object for JSON and YAML, one line per id for the rest; nothing beside a table's summary.
pub(crate) fn print(ctx: &Ctx, endpoint: &str, run: Option<&str>, report: &Report) -> Done<()> {
    let line = |id: &i64, result: &str| json!({ "id": id, "result": result, "code": null, "message": null });
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
        _ => {
            let mut value =
                serde_json::to_value(report).map_err(|error| Failure::failed(error.to_string()))?;
            if let Some(fields) = value.as_object_mut() {
                fields.insert("run".into(), run.into());
                fields.insert("action".into(), endpoint.into());
            }
            ctx.out.record(&value, &[])
        }
    }
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
        other => format!("--{}", other.replace('_', "-")),
    }
}
