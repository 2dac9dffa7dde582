//! Undo: takes requests back, by the ids that their answers named.

use clap::{Arg, ArgMatches};
use panel_client::request::Request;
use panel_contract::audits::UndoInput;
use panel_contract::common::{BulkOutcome, DryRun};
use panel_contract::endpoint::Endpoint as _;
use panel_contract::endpoints::audits::Undo;

use crate::command::Own;
use crate::command::confirm::{self, Danger, Question};
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
    let (mut rows, mut exit) = (Vec::new(), Exit::Ok);
    for request_id in requests {
        let body = UndoInput { request_id: request_id.clone() };
        let request = Request::of::<Undo>((), &query, &body)?;
        let request = if dry { request } else { request.idempotency_key(uuid::Uuid::new_v4().to_string()) };
        let answer = ctx.client()?.request(&request).await?;
        let outcome: BulkOutcome =
            serde_json::from_slice(&answer.body).map_err(|error| Failure::failed(error.to_string()))?;
        say(ctx, &outcome);
        if !outcome.skipped.is_empty() {
            exit = Exit::Partial;
        }
        let mut row = serde_json::to_value(&outcome).map_err(|error| Failure::failed(error.to_string()))?;
        row["request_id"] = request_id.as_str().into();
        rows.push(row);
    }
    ctx.out.records(rows, COLUMNS)?;
    Ok(exit)
}

fn say(ctx: &Ctx, outcome: &BulkOutcome) {
    let would = if outcome.dry_run { "would be restored" } else { "restored" };
    let noun = if outcome.processed == 1 { "record" } else { "records" };
    ctx.out.say(&format!("{} {noun} {would}.", outcome.processed));
    for skip in &outcome.skipped {
        ctx.out.say(&format!("  {} skipped: {}", skip.id, skip.message));
    }
}
