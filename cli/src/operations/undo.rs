//! `undo`: undoes actions by the request ids that panelctl printed after them.

use clap::{Arg, ArgMatches};
use panel_contract::audits::UndoInput;
use panel_contract::common::{BulkOutcome, DryRun};
use panel_contract::endpoint::Endpoint as _;
use panel_contract::endpoints::audits::Undo;
use serde_json::{Value, json};

use crate::command::CustomCommand;
use crate::command::confirm::{self, Question, Reversibility};
use crate::command::outcome::combine_results;
use crate::ctx::Ctx;
use crate::exit::Exit;
use crate::failure::{CmdResult, Failure};
use crate::output::column::{Column, Kind};

pub(crate) const UNDO: CustomCommand = CustomCommand {
    name: "undo",
    about: "Undo actions: restore their records, except records that changed after the action",
    examples: &[
        ("undo 01a20b97cf0875468c02cc39ddf4fe29", "undo the action that printed this id"),
        ("undo 01a20b97cf0875468c02cc39ddf4fe29 --dry-run", "show which records would be restored"),
    ],
    operations: &[Undo::OP],
    args: |command| {
        confirm::safety_args(command).arg(
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
    Column::new("processed", Kind::Number).with_title("restored"),
    Column::new("skipped", Kind::Text),
];

async fn run(ctx: &Ctx, matches: &ArgMatches) -> CmdResult {
    let request_ids: Vec<&String> = matches.get_many("requests").into_iter().flatten().collect();
    confirm::announce_target(ctx)?;
    let is_dry_run = confirm::is_dry_run(matches);
    if !is_dry_run {
        let count = request_ids.len();
        let actions = if count == 1 { "1 action".to_owned() } else { format!("{count} actions") };
        let text = format!("Undo {actions}?");
        let reversibility = Reversibility::Reversible("run the command again");
        confirm::ask_confirmation(ctx, matches, &Question { text, count, reversibility, unfiltered: None })
            .await?;
    }
    let query = if is_dry_run { DryRun::YES } else { DryRun::NO };
    let count = request_ids.len();
    let (mut rows, mut failures, mut is_complete) = (Vec::new(), Vec::new(), true);
    for request_id in request_ids {
        match send_undo(ctx, request_id, &query).await {
            Ok(outcome) => {
                print_outcome(ctx, &outcome);
                is_complete &= outcome.skipped.is_empty();
                rows.push(outcome_row(request_id, &outcome)?);
            }
            Err(error) => {
                // If the panel refuses to undo one action, the others are still tried. Without a response panelctl stops.
                let refusal =
                    error.api_error().map(|api_error| (api_error.status, api_error.problem.skipped.clone()));
                let tries_next = matches!(refusal, Some((404 | 409 | 422, _)));
                let failure = Failure::from(error);
                if count > 1 {
                    ctx.out.print_message(&format!("{request_id}: {}", failure.message));
                    let skipped = refusal.map(|(_, skipped)| skipped).unwrap_or_default();
                    rows.push(json!({ "request_id": request_id, "processed": 0, "skipped": skipped,
                        "dry_run": is_dry_run, "code": failure.code, "message": failure.message }));
                }
                failures.push(failure);
                if !tries_next {
                    break;
                }
            }
        }
    }
    let has_restored = rows.iter().any(|row| row["processed"].as_i64() > Some(0));
    let counts = UndoCounts { requested: count, has_restored, is_complete };
    let result = undo_result(failures, &counts);
    if rows.is_empty() { result } else { combine_results(ctx.out.print_records(rows, COLUMNS), result) }
}

async fn send_undo(ctx: &Ctx, request_id: &str, query: &DryRun) -> Result<BulkOutcome, panel_client::Error> {
    let body = UndoInput { request_id: request_id.to_owned() };
    let client = ctx.client().map_err(|failure| panel_client::Error::Setup(failure.message))?;
    match query.dry_run {
        true => client.undo((), query, &body).await,
        false => client.with_new_idempotency_key().undo((), query, &body).await,
    }
}

fn outcome_row(request_id: &str, outcome: &BulkOutcome) -> CmdResult<Value> {
    let mut row = serde_json::to_value(outcome).map_err(|error| Failure::failed(error.to_string()))?;
    row["request_id"] = request_id.into();
    Ok(row)
}

struct UndoCounts {
    /// The number of actions that the user wanted to undo.
    requested: usize,
    /// Whether at least one record was restored.
    has_restored: bool,
    /// Whether no record was skipped.
    is_complete: bool,
}

/// Combines the failures of several actions to one result.
fn undo_result(mut failures: Vec<Failure>, counts: &UndoCounts) -> CmdResult {
    let failed = failures.len();
    let Some(first_failure) = (failed > 0).then(|| failures.swap_remove(0)) else {
        return Ok(if counts.is_complete { Exit::Ok } else { Exit::Partial });
    };
    if counts.requested == 1 {
        return Err(first_failure);
    }
    let exit = if counts.has_restored { Exit::Partial } else { first_failure.exit };
    let message = format!("Could not undo {failed} of {} actions.", counts.requested);
    Err(Failure { exit, message, ..first_failure })
}

fn print_outcome(ctx: &Ctx, outcome: &BulkOutcome) {
    let participle = if outcome.dry_run { "would be restored" } else { "restored" };
    let noun = if outcome.processed == 1 { "record" } else { "records" };
    ctx.out.print_message(&format!("{} {noun} {participle}.", outcome.processed));
    for skip in &outcome.skipped {
        ctx.out.print_message(&format!("  {} skipped: {}", skip.id, skip.message));
    }
}
