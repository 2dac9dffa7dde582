//! Undo: takes requests back, by the ids that their answers named.

use clap::{Arg, ArgMatches};
use panel_contract::audits::UndoInput;
use panel_contract::common::{BulkOutcome, DryRun};
use panel_contract::endpoint::Endpoint as _;
use panel_contract::endpoints::audits::Undo;
use serde_json::{Value, json};

use crate::command::Own;
use crate::command::confirm::{self, Danger, Question};
use crate::command::outcome::after;
use crate::ctx::Ctx;
use crate::exit::Exit;
use crate::failure::{Done, Failure};
use crate::output::column::{Column, Kind};

/// `undo`.
pub(crate) const UNDO: Own = Own {
    name: "undo",
    about: "Takes actions back: their records are again as they were, where nothing changed them since",
    examples: &[
        ("undo 01a20b97cf0875468c02cc39ddf4fe29", "the action that printed this line"),
        ("undo 01a20b97cf0875468c02cc39ddf4fe29 --dry-run", "which records could be restored"),
    ],
    reaches: &[Undo::OP],
    args: |command| {
        confirm::args(command).arg(
            Arg::new("requests")
                .value_name("REQUEST_ID")
                .num_args(1..)
                .required(true)
                .help("The requests to take back, the last one first"),
        )
    },
    run: |ctx, matches| Box::pin(run(ctx, matches)),
};

const COLUMNS: &[Column] = &[
    Column::new("request_id", Kind::Text),
    Column::new("processed", Kind::Number).titled("restored"),
    Column::new("skipped", Kind::Text),
];

async fn run(ctx: &Ctx, matches: &ArgMatches) -> Done {
    let requests: Vec<&String> = matches.get_many("requests").into_iter().flatten().collect();
    confirm::announce(ctx)?;
    let dry = confirm::is_dry(matches);
    if !dry {
        let count = requests.len();
        let what = if count == 1 { "1 action".to_owned() } else { format!("{count} actions") };
        let text = format!("Undo {what}?");
        let danger = Danger::Reversible("Doing it again");
        confirm::ask(ctx, matches, &Question { text, count, danger, unfiltered: None }).await?;
    }
    let query = if dry { DryRun::YES } else { DryRun::NO };
    let count = requests.len();
    let (mut rows, mut failures, mut is_whole) = (Vec::new(), Vec::new(), true);
    for request_id in requests {
        match undo(ctx, request_id, &query).await {
            Ok(outcome) => {
                say(ctx, &outcome);
                is_whole &= outcome.skipped.is_empty();
                rows.push(row(request_id, &outcome)?);
            }
            Err(error) => {
                // What the panel refused of one request says nothing of the others; without an answer none is sent.
                let refused =
                    error.refused().map(|refused| (refused.status, refused.problem.skipped.clone()));
                let goes_on = matches!(refused, Some((404 | 409 | 422, _)));
                let failure = Failure::from(error);
                if count > 1 {
                    ctx.out.say(&format!("{request_id}: {}", failure.what));
                    let skipped = refused.map(|(_, skipped)| skipped).unwrap_or_default();
                    rows.push(json!({ "request_id": request_id, "processed": 0, "skipped": skipped,
                        "dry_run": dry, "code": failure.code, "message": failure.what }));
                }
                failures.push(failure);
                if !goes_on {
                    break;
                }
            }
        }
    }
    let restored = rows.iter().any(|row| row["processed"].as_i64() > Some(0));
    let ended = ended(failures, (count, restored), is_whole);
    if rows.is_empty() { ended } else { after(ctx.out.records(rows, COLUMNS), ended) }
}

async fn undo(ctx: &Ctx, request_id: &str, query: &DryRun) -> Result<BulkOutcome, panel_client::Error> {
    let body = UndoInput { request_id: request_id.to_owned() };
    let client = ctx.client().map_err(|failure| panel_client::Error::Setup(failure.what))?;
    match query.dry_run {
        true => client.undo((), query, &body).await,
        false => client.once().undo((), query, &body).await,
    }
}

fn row(request_id: &str, outcome: &BulkOutcome) -> Done<Value> {
    let mut row = serde_json::to_value(outcome).map_err(|error| Failure::failed(error.to_string()))?;
    row["request_id"] = request_id.into();
    Ok(row)
}

/// How undoing `count` requests ended, of which some may have failed.
fn ended(mut failures: Vec<Failure>, (count, restored): (usize, bool), is_whole: bool) -> Done {
    let failed = failures.len();
    let Some(first) = (failed > 0).then(|| failures.swap_remove(0)) else {
        return Ok(if is_whole { Exit::Ok } else { Exit::Partial });
    };
    if count == 1 {
        return Err(first);
    }
    let exit = if restored { Exit::Partial } else { first.exit };
    Err(Failure { exit, what: format!("{failed} of {count} actions could not be undone."), ..first })
}

fn say(ctx: &Ctx, outcome: &BulkOutcome) {
    let would = if outcome.dry_run { "would be restored" } else { "restored" };
    let noun = if outcome.processed == 1 { "record" } else { "records" };
    ctx.out.say(&format!("{} {noun} {would}.", outcome.processed));
    for skip in &outcome.skipped {
        ctx.out.say(&format!("  {} skipped: {}", skip.id, skip.message));
    }
}
