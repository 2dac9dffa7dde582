//! `counters`: the four live counters, once or as they change.

use clap::{Arg, ArgAction, ArgMatches};
use panel_client::realtime::Event;
use panel_contract::endpoint::{Endpoint as _, NoBody, NoQuery};
use panel_contract::endpoints::session::{AuthorizeChannel, GetCounters};
use panel_contract::session::Counters;
use serde_json::{Value, json};

use crate::command::Own;
use crate::ctx::Ctx;
use crate::exit::Exit;
use crate::failure::{Done, Failure};
use crate::output::Format;
use crate::output::column::{Column, Kind};

/// `counters`.
pub(crate) const COUNTERS: Own = Own {
    name: "counters",
    about: "The four live counters: in moderation, in processing, without provider, free trials",
    examples: &[
        ("counters", "as they stand"),
        ("counters --watch", "a line for every change, over the live channel"),
        ("counters --jq .ordersInModerationCount", "one of them, for a script"),
    ],
    reaches: &[GetCounters::OP, AuthorizeChannel::OP],
    args: |command| {
        let count = Arg::new("count")
            .long("count")
            .value_name("LINES")
            .value_parser(clap::value_parser!(u64).range(1..));
        command
            .arg(
                Arg::new("watch")
                    .long("watch")
                    .short('w')
                    .action(ArgAction::SetTrue)
                    .help("A line for every change"),
            )
            .arg(count.requires("watch").help("Ends after so many lines"))
    },
    run: |ctx, matches| Box::pin(run(ctx, matches)),
};

const COLUMNS: &[Column] = &[
    Column::new("ordersInModerationCount", Kind::Number),
    Column::new("ordersInProcessingCount", Kind::Number),
    Column::new("ordersWithNoActiveProvidersCount", Kind::Number),
    Column::new("freeTrialsInPendingCount", Kind::Number),
];

const WATCHED: &[Column] = &[Column::new("at", Kind::Time), COLUMNS[0], COLUMNS[1], COLUMNS[2], COLUMNS[3]];

async fn run(ctx: &Ctx, matches: &ArgMatches) -> Done {
    if matches.get_flag("watch") {
        return watch(ctx, matches.get_one::<u64>("count").copied()).await;
    }
    let counters = ctx.client()?.counters((), &NoQuery {}, &NoBody {}).await?.data;
    ctx.out.record(&json!(counters), COLUMNS)?;
    Ok(Exit::Ok)
}

async fn watch(ctx: &Ctx, count: Option<u64>) -> Done {
    if matches!(ctx.out.format, Format::Json | Format::Yaml | Format::Ids) || ctx.out.jq.is_some() {
        return Err(Failure::usage(
            "What never ends is no JSON value: use -o jsonl, csv or table with --watch.",
        ));
    }
    let client = ctx.client()?;
    let mut live = client.live();
    let mut rows = ctx.out.rows(WATCHED)?;
    let (mut counters, mut lines) = (Counters::default(), 0);
    while let Some(event) = live.next().await {
        match event {
            Event::Connected(now) => counters = now,
            Event::Counter { counter, count } => counter.set(&mut counters, count),
            Event::Disconnected { why, retry_in: Some(wait), .. } => {
                ctx.out.say(&format!(
                    "{}; trying again in {} s.",
                    why.trim_end_matches('.'),
                    wait.as_secs_f32().ceil()
                ));
                continue;
            }
            Event::Disconnected { why, retry_in: None, .. } => return Err(Failure::failed(why)),
        }
        let row = row(ctx, &counters);
        if ctx.out.drawn && ctx.out.format == Format::Table {
            ctx.out.line(&drawn(&row))?;
        } else {
            rows.push(row)?;
        }
        lines += 1;
        if count.is_some_and(|count| lines >= count) {
            break;
        }
    }
    Ok(Exit::Ok)
}

fn row(ctx: &Ctx, counters: &Counters) -> Value {
    let mut row = json!(counters);
    row["at"] = json!(ctx.now());
    row
}

/// Such as `2026-11-20 10:00:00  moderation 7  processing 120  no provider 3  free trials 0`.
fn drawn(row: &Value) -> String {
    let words = ["moderation", "processing", "no provider", "free trials"];
    let counts = words.iter().zip(COLUMNS).map(|(word, column)| format!("  {word} {}", row[column.name]));
    format!("{}{}", row["at"].as_str().unwrap_or_default(), counts.collect::<String>())
}
