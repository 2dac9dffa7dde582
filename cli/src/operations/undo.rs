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
use crate::failure::{CommandResult, Failure};
use crate::output::column::{Column, DisplayKind};

pub(crate) const UNDO: CustomCommand = CustomCommand {
    name: "undo",
    about: "Undo actions: restore the changed records, except records that changed again afterwards",
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
    run: |ctx, matches| Box::pin(undo_actions(ctx, matches)),
};

const COLUMNS: &[Column] = &[
    Column::new("request_id", DisplayKind::Text),
    Column::new("processed", DisplayKind::Number).with_title("restored"),
    Column::new("skipped", DisplayKind::Text),
];

async fn undo_actions(ctx: &Ctx, matches: &ArgMatches) -> CommandResult {
    let request_ids: Vec<&String> = matches.get_many("requests").into_iter().flatten().collect();
    confirm::announce_target(ctx)?;
    let is_dry_run = confirm::is_dry_run(matches);
    if !is_dry_run {
        let count = request_ids.len();
        let actions = if count == 1 { "1 action".to_owned() } else { format!("{count} actions") };
        let text = format!("Undo {actions}?");
        let reversibility = Reversibility::Reversible("run the command again");
        confirm::ask_confirmation(
            ctx,
            matches,
            &Question { text, count, reversibility, unfiltered_noun: None },
        )
        .await?;
    }
    let dry_run_query = if is_dry_run { DryRun::YES } else { DryRun::NO };
    let action_count = request_ids.len();
    let (mut rows, mut failures, mut is_complete) = (Vec::new(), Vec::new(), true);
    for request_id in request_ids {
        match send_undo(ctx, request_id, &dry_run_query).await {
            Ok(outcome) => {
                print_outcome(ctx, &outcome);
                is_complete &= outcome.skipped.is_empty();
                rows.push(outcome_row(request_id, &outcome)?);
            }
            Err(error) => {
                // If the server rejects the undo of one action, panelctl still undoes the other actions. Without a response, panelctl stops.
                let rejection =
                    error.api_error().map(|api_error| (api_error.status, api_error.problem.skipped.clone()));
                let continues = matches!(rejection, Some((404 | 409 | 422, _)));
                let failure = Failure::from(error);
                if action_count > 1 {
                    ctx.out.print_message(&format!("{request_id}: {}", failure.message));
                    let skipped = rejection.map(|(_, skipped)| skipped).unwrap_or_default();
                    rows.push(json!({ "request_id": request_id, "processed": 0, "skipped": skipped,
                        "dry_run": is_dry_run, "code": failure.code, "message": failure.message }));
                }
                failures.push(failure);
                if !continues {
                    break;
                }
            }
        }
    }
    let has_restored = rows.iter().any(|row| row["processed"].as_i64() > Some(0));
    let counts = UndoCounts { action_count, has_restored, is_complete };
    let result = combine_failures(failures, &counts);
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

fn outcome_row(request_id: &str, outcome: &BulkOutcome) -> CommandResult<Value> {
    let mut row = serde_json::to_value(outcome).map_err(|error| Failure::failed(error.to_string()))?;
    row["request_id"] = request_id.into();
    Ok(row)
}

struct UndoCounts {
    /// The number of actions on the command line.
    action_count: usize,
    /// Whether at least one record was restored.
    has_restored: bool,
    /// Whether no record was skipped.
    is_complete: bool,
}

/// Combines the failures of several actions into one result.
fn combine_failures(mut failures: Vec<Failure>, counts: &UndoCounts) -> CommandResult {
    let failure_count = failures.len();
    let Some(first_failure) = (failure_count > 0).then(|| failures.swap_remove(0)) else {
        return Ok(if counts.is_complete { Exit::Ok } else { Exit::Partial });
    };
    if counts.action_count == 1 {
        return Err(first_failure);
    }
    let exit = if counts.has_restored { Exit::Partial } else { first_failure.exit };
    let message = format!("Could not undo {failure_count} of {} actions.", counts.action_count);
    Err(Failure { exit, message, ..first_failure })
}

fn print_outcome(ctx: &Ctx, outcome: &BulkOutcome) {
    let past_participle = if outcome.dry_run { "would be restored" } else { "restored" };
    let noun = if outcome.processed == 1 { "record" } else { "records" };
    ctx.out.print_message(&format!("{} {noun} {past_participle}.", outcome.processed));
    for skip in &outcome.skipped {
        ctx.out.print_message(&format!("  {} skipped: {}", skip.id, skip.message));
    }
}
