//! `undo`: undoes actions by their request ids, which the responses name.

use clap::{Arg, ArgMatches};
use panel_contract::audits::UndoInput;
use panel_contract::common::{BulkOutcome, DryRun};
use panel_contract::endpoint::Endpoint as _;
use panel_contract::endpoints::audits::Undo;
use serde_json::{Value, json};

use crate::command::Custom;
use crate::command::confirm::{self, Danger, Question};
use crate::command::outcome::exit_of;
use crate::ctx::Ctx;
use crate::exit::Exit;
use crate::failure::{CmdResult, Failure};
use crate::output::column::{Column, Kind};

pub(crate) const UNDO: Custom = Custom {
    name: "undo",
    about: "Undo actions; restores their records if nothing changed them since",
    examples: &[
        ("undo 01a20b97cf0875468c02cc39ddf4fe29", "undo the action that printed this id"),
        ("undo 01a20b97cf0875468c02cc39ddf4fe29 --dry-run", "show which records would be restored"),
    ],
    ops: &[Undo::OP],
    args: |command| {
        confirm::args(command).arg(
            Arg::new("requests")
                .value_name("REQUEST_ID")
                .num_args(1..)
                .required(true)
                .help("Request ids of the actions, the most recent first"),
        )
    },
    run: |ctx, matches| Box::pin(run(ctx, matches)),
};

const COLUMNS: &[Column] = &[
    Column::new("request_id", Kind::Text),
    Column::new("processed", Kind::Number).titled("restored"),
    Column::new("skipped", Kind::Text),
];

async fn run(ctx: &Ctx, matches: &ArgMatches) -> CmdResult {
    let requests: Vec<&String> = matches.get_many("requests").into_iter().flatten().collect();
    confirm::announce(ctx)?;
    let dry = confirm::is_dry(matches);
    if !dry {
        let count = requests.len();
        let what = if count == 1 { "1 action".to_owned() } else { format!("{count} actions") };
        let text = format!("Undo {what}?");
        let danger = Danger::Reversible("run the command again");
        confirm::ask(ctx, matches, &Question { text, count, danger, unfiltered: None }).await?;
    }
    let query = if dry { DryRun::YES } else { DryRun::NO };
    let count = requests.len();
    let (mut rows, mut failures, mut is_complete) = (Vec::new(), Vec::new(), true);
    for request_id in requests {
        match undo(ctx, request_id, &query).await {
            Ok(outcome) => {
                print_outcome(ctx, &outcome);
                is_complete &= outcome.skipped.is_empty();
                rows.push(row(request_id, &outcome)?);
            }
            Err(error) => {
                // The panel's refusal of one request does not concern the others; without a response no further request is sent.
                let refusal =
                    error.refused().map(|refusal| (refusal.status, refusal.problem.skipped.clone()));
                let continues = matches!(refusal, Some((404 | 409 | 422, _)));
                let failure = Failure::from(error);
                if count > 1 {
                    ctx.out.print_message(&format!("{request_id}: {}", failure.what));
                    let skipped = refusal.map(|(_, skipped)| skipped).unwrap_or_default();
                    rows.push(json!({ "request_id": request_id, "processed": 0, "skipped": skipped,
                        "dry_run": dry, "code": failure.code, "message": failure.what }));
                }
                failures.push(failure);
                if !continues {
                    break;
                }
            }
        }
    }
    let restored = rows.iter().any(|row| row["processed"].as_i64() > Some(0));
    let result = result_of(failures, (count, restored), is_complete);
    if rows.is_empty() { result } else { exit_of(ctx.out.records(rows, COLUMNS), result) }
}

async fn undo(ctx: &Ctx, request_id: &str, query: &DryRun) -> Result<BulkOutcome, panel_client::Error> {
    let body = UndoInput { request_id: request_id.to_owned() };
    let client = ctx.client().map_err(|failure| panel_client::Error::Setup(failure.what))?;
    match query.dry_run {
        true => client.undo((), query, &body).await,
        false => client.once().undo((), query, &body).await,
    }
}

fn row(request_id: &str, outcome: &BulkOutcome) -> CmdResult<Value> {
    let mut row = serde_json::to_value(outcome).map_err(|error| Failure::failed(error.to_string()))?;
    row["request_id"] = request_id.into();
    Ok(row)
}

/// The result of undoing `count` requests, of which some may have failed.
fn result_of(mut failures: Vec<Failure>, (count, restored): (usize, bool), is_complete: bool) -> CmdResult {
    let failed = failures.len();
    let Some(first) = (failed > 0).then(|| failures.swap_remove(0)) else {
        return Ok(if is_complete { Exit::Ok } else { Exit::Partial });
    };
    if count == 1 {
        return Err(first);
    }
    let exit = if restored { Exit::Partial } else { first.exit };
    Err(Failure { exit, what: format!("Could not undo {failed} of {count} actions."), ..first })
}

fn print_outcome(ctx: &Ctx, outcome: &BulkOutcome) {
    let would = if outcome.dry_run { "would be restored" } else { "restored" };
    let noun = if outcome.processed == 1 { "record" } else { "records" };
    ctx.out.print_message(&format!("{} {noun} {would}.", outcome.processed));
    for skip in &outcome.skipped {
        ctx.out.print_message(&format!("  {} skipped: {}", skip.id, skip.message));
    }
}
