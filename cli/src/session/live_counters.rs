//! `counters`: prints the four live counters, once or on every change.

use clap::{Arg, ArgAction, ArgMatches};
use panel_client::realtime::LiveEvent;
use panel_contract::endpoint::{EmptyBody, EmptyQuery, Endpoint as _};
use panel_contract::endpoints::session::{AuthorizeChannel, GetCounters};
use panel_contract::session::Counters;
use serde_json::{Value, json};

use crate::command::CustomCommand;
use crate::ctx::Ctx;
use crate::exit::Exit;
use crate::failure::{CommandResult, Failure};
use crate::output::Format;
use crate::output::column::{Column, DisplayKind};

pub(crate) const COUNTERS: CustomCommand = CustomCommand {
    name: "counters",
    about: "Show the live counters: orders in moderation, in progress and without an active provider, and free-trial requests",
    examples: &[
        ("counters", "show the counters once"),
        ("counters --watch", "print a line on every change"),
        ("counters --jq .ordersInModerationCount", "print one counter, for a script"),
    ],
    operations: &[GetCounters::OP, AuthorizeChannel::OP],
    args: |command| {
        let max_lines = Arg::new("count")
            .long("count")
            .value_name("LINES")
            .value_parser(clap::value_parser!(u64).range(1..));
        command
            .arg(
                Arg::new("watch")
                    .long("watch")
                    .short('w')
                    .action(ArgAction::SetTrue)
                    .help("Print a line on every change"),
            )
            .arg(max_lines.requires("watch").help("Stop after this many lines"))
    },
    run: |ctx, matches| Box::pin(print_counters(ctx, matches)),
};

const COLUMNS: &[Column] = &[
    Column::new("ordersInModerationCount", DisplayKind::Number),
    Column::new("ordersInProcessingCount", DisplayKind::Number),
    Column::new("ordersWithNoActiveProvidersCount", DisplayKind::Number),
    Column::new("freeTrialsInPendingCount", DisplayKind::Number),
];

const COLUMNS_WITH_TIME: &[Column] =
    &[Column::new("at", DisplayKind::Time), COLUMNS[0], COLUMNS[1], COLUMNS[2], COLUMNS[3]];

async fn print_counters(ctx: &Ctx, matches: &ArgMatches) -> CommandResult {
    if matches.get_flag("watch") {
        return watch_counters(ctx, matches.get_one::<u64>("count").copied()).await;
    }
    let counters = ctx.client()?.counters((), &EmptyQuery {}, &EmptyBody {}).await?.data;
    ctx.out.print_record(&json!(counters), COLUMNS)?;
    Ok(Exit::Ok)
}

async fn watch_counters(ctx: &Ctx, max_lines: Option<u64>) -> CommandResult {
    if matches!(ctx.out.format, Format::Json | Format::Yaml | Format::Ids) || ctx.out.jq.is_some() {
        return Err(Failure::usage(
            "--watch prints lines without end, which is not one JSON value: use -o jsonl, csv or table.",
        ));
    }
    let client = ctx.client()?;
    let mut events = client.open_live_channel();
    let mut row_writer = ctx.out.row_writer(COLUMNS_WITH_TIME)?;
    let (mut counters, mut printed_lines) = (Counters::default(), 0);
    while let Some(event) = events.next().await {
        match event {
            LiveEvent::Connected(current_counters) => counters = current_counters,
            LiveEvent::CounterChanged { counter, count } => counter.set_value_in(&mut counters, count),
            LiveEvent::Disconnected { reason, retry_in: Some(delay), .. } => {
                ctx.out.print_message(&format!(
                    "{}; retrying in {} s.",
                    reason.trim_end_matches('.'),
                    delay.as_secs_f32().ceil()
                ));
                continue;
            }
            LiveEvent::Disconnected { reason, retry_in: None, .. } => return Err(Failure::failed(reason)),
        }
        let row = build_row(ctx, &counters);
        if ctx.out.draws_tables && ctx.out.format == Format::Table {
            ctx.out.print_line(&format_line(&row))?;
        } else {
            row_writer.push(row)?;
        }
        printed_lines += 1;
        if max_lines.is_some_and(|max_lines| printed_lines >= max_lines) {
            break;
        }
    }
    Ok(Exit::Ok)
}

fn build_row(ctx: &Ctx, counters: &Counters) -> Value {
    let mut row = json!(counters);
    row["at"] = json!(ctx.now());
    row
}

/// The line for people, such as `2026-11-20 10:00:00  moderation 7  processing 120  no provider 3  free trials 0`.
fn format_line(row: &Value) -> String {
    let labels = ["moderation", "processing", "no provider", "free trials"];
    let counts = labels.iter().zip(COLUMNS).map(|(label, column)| format!("  {label} {}", row[column.name]));
    format!("{}{}", row["at"].as_str().unwrap_or_default(), counts.collect::<String>())
}
